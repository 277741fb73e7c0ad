"""What `sim.hang_doctor` returns: what was done, what is stuck and why, and how it looks from outside.

Source: none; these are records. Left out: nothing that the doctor knows.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sim.hang_program import Place, Program, places

Verdict = Literal["ended", "slow", "stuck"]


@dataclass(frozen=True, slots=True)
class Missing:
    """What no step does: make the mark ``name``; or, by ``host``, enter call 0, 1, … of the collective."""

    name: str
    host: str | None = None
    call: int | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """What a stream, or the host in its call, did in one step, in µs."""

    place: Place
    start_us: float
    end_us: float


@dataclass(frozen=True, slots=True)
class Stuck:
    """The step that a host or stream never gets past.

    ``submitted``: False for a stream that is idle, since its host does not get so far. ``needs``: the steps
    that it waits for. ``held_by``: where their hosts and streams are stuck. ``missing``: what nobody does.
    """

    place: Place
    submitted: bool
    needs: tuple[Place, ...]
    held_by: tuple[Place, ...]
    missing: tuple[Missing, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """The program at one instant: steps done so far, what is under way, and what it will come to."""

    verdict: Verdict
    steps_done: int
    under_way: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All that happened, and why it went no further.

    ``cycles``: stuck places each held by the next, the last by the first. ``empty_waits``: waits for events
    not recorded before them, which wait for nothing. ``last_progress_us``: when the last thing was done.
    """

    program: Program
    done: tuple[Done, ...]
    stuck: tuple[Stuck, ...]
    cycles: tuple[tuple[Place, ...], ...]
    empty_waits: tuple[Place, ...]
    last_progress_us: float

    def look(self, at_us: float) -> Look:
        """What could be seen from outside at ``at_us``, and the verdict, which needs the whole program."""
        under_way = tuple(each.place for each in self.done if each.start_us <= at_us < each.end_us)
        ended = {each.place for each in self.done if each.end_us <= at_us}
        steps_done = sum(place in ended for place in places(self.program))
        verdict: Verdict = "stuck" if self.stuck else "ended"
        return Look("slow" if at_us < self.last_progress_us else verdict, steps_done, under_way)

    def owed(self, at_us: float) -> Mapping[tuple[str, str | None], tuple[int, ...]]:
        """Steps not done at ``at_us``, by host and stream: of a stream, those handed over by then."""
        ended = {each.place for each in self.done if each.end_us <= at_us}
        owed: dict[tuple[str, str | None], tuple[int, ...]] = {}
        for place in places(self.program):
            call = place._replace(stream=None)
            for each in dict.fromkeys((call, place)):
                if each not in ended and (each == call or call in ended):
                    row = (each.host, each.stream)
                    owed[row] = (*owed.get(row, ()), each.step)
        return owed
