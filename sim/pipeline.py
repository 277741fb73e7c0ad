"""A mover fills slots, a computer empties them: how much of the two times overlaps.

Item i moves into slot i mod slots, once the slot's last reader is done; the mover does one item at a
time, and so does the computer, which starts on an item when it has been moved whole. A cost of
synchronisation is paid by the computer, once an item, before it reads. With two slots or more and no
jitter, T = move + (items - 1)·max(move, sync + compute) + sync + compute; with one, nothing overlaps.

Source: the multistage pipeline of the CUDA C++ Programming Guide, "Asynchronous Data Copies"
(cuda::pipeline: acquire a stage, copy, commit, wait, compute, release).
Left out: moves that share a bandwidth or hide each other's latency; several movers; what a slot costs.
"""

from dataclasses import dataclass
from math import fsum, isfinite
from random import Random
from typing import Literal, cast

from sim.events import Schedule, Task, run
from sim.slots import Access, SlotInterval, intervals

MAX_ITEMS = 1000  # keeps a whole trace drawable, and a run well under a second in the browser
MAX_SLOTS = 64
MAX_US = 1e9  # about 17 minutes an item

Kind = Literal["move", "sync", "compute"]


@dataclass(frozen=True, slots=True)
class Step:
    """One move, synchronisation or computation; times in µs.

    From ``ready_us``, when the mover or computer was free, to ``start_us`` it waited for the end of
    ``waited_for`` (kind, item): a move waits for the computation that frees its slot, a computation for
    its move. None: it did not wait.
    """

    kind: Kind
    item: int
    slot: int
    ready_us: float
    start_us: float
    end_us: float
    waited_for: tuple[Kind, int] | None


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The whole trace: ``steps`` by start time, ``slots`` by slot and time (gaps: the slot is empty)."""

    steps: tuple[Step, ...]
    slots: tuple[SlotInterval, ...]
    total_us: float

    @property
    def compute_busy(self) -> float:
        """Share of the total in which something is computed, 0 to 1; synchronisation is not computing."""
        return self._busy("compute")

    @property
    def move_busy(self) -> float:
        """Share of the total in which something is moved, 0 to 1."""
        return self._busy("move")

    def _busy(self, kind: Kind) -> float:
        return fsum(step.end_us - step.start_us for step in self.steps if step.kind == kind) / self.total_us


def simulate(
    items: int,
    move_us: float,
    compute_us: float,
    slots: int,
    *,
    sync_us: float = 0.0,
    jitter: float = 0.0,
    seed: int = 0,
) -> Pipeline:
    """Run ``items`` (1 to 1000) through ``slots`` (1 to 64).

    ``move_us`` in (0, 1e9], ``compute_us`` and ``sync_us`` in [0, 1e9], all µs an item. ``jitter`` in
    [0, 1) multiplies each move and each computation by a factor of its own, uniform in 1 ± jitter; the
    factors follow from ``seed`` and the item alone, so that two runs that differ in slots have the same.
    Raises ValueError for anything outside these ranges.

    >>> one, two = (simulate(4, 1.29, 0.28, slots) for slots in (1, 2))
    >>> f"{one.total_us:.2f} {two.total_us:.2f} {two.compute_busy:.0%}"
    '6.28 5.44 21%'
    """
    _check(items, move_us, compute_us, slots, sync_us, jitter)
    factor = Random(seed)
    tasks: list[Task] = []
    for item in range(items):
        move, compute = (us * factor.uniform(1 - jitter, 1 + jitter) for us in (move_us, compute_us))
        freed = (("compute", item - slots),) if item >= slots else ()
        tasks.append(Task(("move", item), "move", move, freed))
        if sync_us:
            tasks.append(Task(("sync", item), "compute", sync_us, (("move", item),)))
        tasks.append(Task(("compute", item), "compute", compute, (("move", item),)))
    plan = run(tasks)
    steps = _steps(plan, slots)
    uses = [
        Access(step.slot, step.kind == "move", step.item, (step.kind, step.item), step.start_us, step.end_us)
        for step in steps
        if step.kind != "sync"
    ]
    return Pipeline(steps, intervals(uses), plan.total_us)


def _check(items: int, move_us: float, compute_us: float, slots: int, sync_us: float, jitter: float) -> None:
    for name, count, most in (("items", items, MAX_ITEMS), ("slots", slots, MAX_SLOTS)):
        if not isinstance(count, int) or not 1 <= count <= most:
            raise ValueError(f"{name} is {count!r}; it must be a whole number from 1 to {most}")
    for name, us in (("move_us", move_us), ("compute_us", compute_us), ("sync_us", sync_us)):
        if not (isfinite(us) and 0 <= us <= MAX_US):
            raise ValueError(f"{name} is {us}; it must be from 0 to {MAX_US:g} µs")
    if not move_us:
        raise ValueError("move_us is 0; it must be more than 0, since every item has bytes to move")
    if not 0 <= jitter < 1:
        raise ValueError(f"jitter is {jitter}; it must be at least 0 and less than 1")


def _steps(plan: Schedule, slots: int) -> tuple[Step, ...]:
    steps = []
    for key, span in plan.spans.items():
        kind, item = cast(tuple[Kind, int], key)
        cause = cast(tuple[Kind, int] | None, span.waited_for)
        steps.append(Step(kind, item, item % slots, span.ready_us, span.start_us, span.end_us, cause))
    return tuple(sorted(steps, key=lambda step: (step.start_us, step.item)))
