"""Who uses a buffer slot when: what it holds over time, and which uses race.

Two uses of a slot, one of them a write, race unless one must have ended before the other starts whatever
the durations are. A race that does not overlap in one run is a race all the same.

Source: C++ standard, [intro.races]: a data race is two conflicting actions, neither of which happens before
the other; the memory model of CUDA C++ (libcu++, "Memory model") keeps that definition.
Left out: parts of a slot used apart; atomic accesses.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from sim.events import Schedule

SlotState = Literal["filling", "full", "being read"]


@dataclass(frozen=True, slots=True)
class Access:
    """One use of a slot, by the task ``key`` of a schedule, for ``item`` (numbered by the simulator)."""

    slot: int
    writes: bool
    item: int
    key: Hashable
    start_us: float
    end_us: float


@dataclass(frozen=True, slots=True)
class SlotInterval:
    """What a slot holds for a stretch of time; ``item`` is that of the access, or of what filled it."""

    slot: int
    state: SlotState
    item: int
    start_us: float
    end_us: float


@dataclass(frozen=True, slots=True)
class Race:
    """Two unordered uses of a slot, by item, the earlier start first; ``overlap_us`` if also at one time."""

    slot: int
    first: int
    second: int
    overlap_us: tuple[float, float] | None


def intervals(accesses: Sequence[Access]) -> tuple[SlotInterval, ...]:
    """States longer than 0 µs, by slot and time. Full: after a write until the next use, and between reads.

    >>> write, read = Access(0, True, 7, "w", 0.0, 2.0), Access(0, False, 8, "r", 3.0, 4.0)
    >>> [(state.state, state.item, state.end_us) for state in intervals([write, read])]
    [('filling', 7, 2.0), ('full', 7, 3.0), ('being read', 8, 4.0)]
    """
    found: list[SlotInterval] = []
    ordered = sorted(accesses, key=lambda access: (access.slot, access.start_us, access.end_us))
    for slot, group in groupby(ordered, key=lambda access: access.slot):
        last: Access | None = None
        ended, filled_by = 0.0, None
        for access in group:
            if last and filled_by is not None and (last.writes or not access.writes):
                found.append(SlotInterval(slot, "full", filled_by, ended, access.start_us))
            state: SlotState = "filling" if access.writes else "being read"
            found.append(SlotInterval(slot, state, access.item, access.start_us, access.end_us))
            last, ended = access, max(ended, access.end_us)
            filled_by = access.item if access.writes else filled_by
    return tuple(interval for interval in found if interval.start_us < interval.end_us)


def races(accesses: Sequence[Access], schedule: Schedule) -> Iterator[Race]:
    """Every pair of accesses to one slot that the schedule leaves unordered and that has a write in it."""
    order = {key: rank for rank, key in enumerate(schedule.spans)}  # causes come before their effects
    ordered = sorted(accesses, key=lambda access: (access.slot, access.start_us, access.end_us))
    for slot, group in groupby(ordered, key=lambda access: access.slot):
        uses = list(group)
        pairs: list[tuple[int, int]] = []
        at: dict[int, list[int]] = {}  # the task's index -> positions in uses
        seen = written = 0  # bit i: task i used, wrote the slot
        for i in sorted(range(len(uses)), key=lambda i: order[uses[i].key]):
            span = schedule.spans[uses[i].key]
            unordered = (seen if uses[i].writes else written) & ~span.past
            while unordered:
                lowest = unordered & -unordered
                for j in at[lowest.bit_length() - 1]:
                    if uses[i].writes or uses[j].writes:
                        pairs.append((min(i, j), max(i, j)))
                unordered ^= lowest
            at.setdefault(span.index, []).append(i)
            seen |= 1 << span.index
            written |= (1 << span.index) * uses[i].writes
        for first, second in sorted(pairs):
            a, b = uses[first], uses[second]
            start, end = b.start_us, min(a.end_us, b.end_us)
            yield Race(slot, a.item, b.item, (start, end) if start < end else None)
