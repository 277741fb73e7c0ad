"""What `sim.warp_specialization` returns: steps of warps, phases of barriers, who owns a slot, each in µs.

Source: none; these are records. Left out: nothing that the simulator knows.
"""

from dataclasses import dataclass
from math import fsum
from typing import Literal

from sim.slots import Race, SlotInterval
from sim.warp_program import Barrier, Kind


@dataclass(frozen=True, slots=True)
class Step:
    """One warp at work from ``start_us`` to ``end_us``; free from ``ready_us`` on, it waited in between.

    ``item``: the K step, counted through all tiles; of an epilogue the tile. ``waited_for``: the barrier
    that held it, None if none did.
    """

    warp: str
    kind: Kind
    item: int
    ready_us: float
    start_us: float
    end_us: float
    waited_for: Barrier | None


@dataclass(frozen=True, slots=True)
class Arrival:
    """A warp arrives at a barrier; ``at_us`` is None if it never does."""

    warp: str
    at_us: float | None


@dataclass(frozen=True, slots=True)
class Pass:
    """A warp waits at a barrier from ``from_us`` to ``until_us``; None: it never got there, or never past."""

    warp: str
    from_us: float | None
    until_us: float | None


@dataclass(frozen=True, slots=True)
class Phase:
    """One phase of the barrier of one slot or accumulator: complete when the last of its arrivals is in.

    ``number``: 0, 1, … on this barrier. ``item``: the K step or tile whose data change hands. ``silent``:
    the warp that should arrive and was never going to, None if there is none.
    """

    barrier: Barrier
    slot: int
    number: int
    item: int
    arrivals: tuple[Arrival, ...]
    passes: tuple[Pass, ...]
    complete_us: float | None
    silent: str | None

    @property
    def lacks(self) -> tuple[str, ...]:
        """The warps that do not arrive: the silent one, and those that are stuck themselves."""
        return tuple(arrival.warp for arrival in self.arrivals if arrival.at_us is None)


@dataclass(frozen=True, slots=True)
class Hold:
    """Who may touch a slot, by its barriers: producers from empty to full, consumers from full to empty."""

    slot: int
    owner: Literal["producers", "consumers"]
    start_us: float
    end_us: float


@dataclass(frozen=True, slots=True)
class WarpTrace:
    """The whole trace; steps by start, phases by item, the rest by slot and start.

    In ``slots`` and in the races ``item``, ``first`` and ``second`` are indices into ``steps``; the slot of
    an accumulator is its number. ``cycles``: warps that are each held by the next, the last by the first.
    ``total_us``: end of the last step that could run, also when some cannot (``stuck``).
    """

    steps: tuple[Step, ...]
    phases: tuple[Phase, ...]
    holds: tuple[Hold, ...]
    slots: tuple[SlotInterval, ...]
    races: tuple[Race, ...]
    accumulator_races: tuple[Race, ...]
    cycles: tuple[tuple[str, ...], ...]
    total_us: float

    @property
    def stuck(self) -> tuple[tuple[str, Phase], ...]:
        """The waits that never end: a warp, and the phase in which it waits for good."""
        return tuple(
            (wait.warp, phase)
            for phase in self.phases
            for wait in phase.passes
            if wait.from_us is not None and wait.until_us is None
        )

    def worked_us(self, warp: str) -> float:
        """How long ``warp`` works, in µs; 0 for a name that no warp has."""
        return fsum(step.end_us - step.start_us for step in self.steps if step.warp == warp)

    def waited_us(self, warp: str, barrier: Barrier | None = None) -> float:
        """How long ``warp`` was held by barriers, or by one of them, before steps that did start, in µs."""
        return fsum(
            step.start_us - step.ready_us
            for step in self.steps
            if step.warp == warp and step.waited_for and barrier in (None, step.waited_for)
        )

    @property
    def bound_by(self) -> tuple[str, ...]:
        """The kinds of warp ("producer", "consumer", "epilogue") of which one has the most work of all.

        More than one when they tie. With slots enough the total follows them; with one slot, everybody.
        """
        work: dict[str, float] = {}
        for warp in dict.fromkeys(step.warp for step in self.steps):
            role = warp.split()[0]
            work[role] = max(work.get(role, 0.0), self.worked_us(warp))
        most = max(work.values(), default=0.0)
        return tuple(role for role, us in work.items() if us >= most * (1 - 1e-9))
