"""A schedule of blocks at chosen instants: who runs where, who has ended, who waits.

A block runs from its start up to, but not at, its end; blocks that are handed on at an instant are those that run
then. The instants worth a look are those at which the set of running blocks changes, from 0 to the last change
before the end. Where they are more than asked for, evenly spaced ones replace all but the first and the last.

Source: the schedule itself (sim/block_scheduler.py); nothing is modelled here.
Left out: the end, when no block runs.
"""

from bisect import bisect_right
from dataclasses import dataclass

from sim.block_scheduler import Run, Schedule
from sim.inputs import number, whole


@dataclass(frozen=True, slots=True)
class Moment:
    """One instant, in µs from the start of the first block."""

    at_us: float
    running: int
    waiting: int
    """Blocks in the queue: the last ones of the launch."""
    ended: int


def instants(schedule: Schedule, most: int) -> tuple[float, ...]:
    """Return up to ``most`` (≥ 2) instants in µs, ascending; ValueError for a schedule without a trace.

    >>> from sim.block_scheduler import equal, simulate
    >>> instants(simulate(equal(265, 10.0), 132, 2), 40)
    (0.0, 10.0)
    """
    _traced(schedule)
    whole("most", most, 2)
    changes = {run.start_us for run in schedule.runs} | {run.end_us for run in schedule.runs}
    changes.discard(schedule.total_us)
    if len(changes) <= most:
        return tuple(sorted(changes))
    last = max(changes)
    return (*(last * k / (most - 1) for k in range(most - 1)), last)


def moments(schedule: Schedule, at_us: tuple[float, ...]) -> tuple[Moment, ...]:
    """Count blocks at each instant from 0 to the schedule's end; ValueError otherwise, or without a trace."""
    _traced(schedule)
    ends = sorted(run.end_us for run in schedule.runs)
    starts = [run.start_us for run in schedule.runs]  # in the order of the queue, so ascending
    found = []
    for at in at_us:
        number("at_us", at, 0, schedule.total_us, "µs")
        started, ended = bisect_right(starts, at), bisect_right(ends, at)
        found.append(Moment(at, started - ended, schedule.blocks - started, ended))
    return tuple(found)


def running(schedule: Schedule, at_us: float) -> tuple[Run, ...]:
    """Return the blocks that run at an instant, in the order of the queue; ValueError as `moments`.

    >>> from sim.block_scheduler import equal, simulate
    >>> running(simulate(equal(265, 10.0), 132, 2), 10.0)
    (Run(block=264, sm=0, slot=0, start_us=10.0, end_us=20.0),)
    """
    _traced(schedule)
    number("at_us", at_us, 0, schedule.total_us, "µs")
    return tuple(run for run in schedule.runs if run.start_us <= at_us < run.end_us)


def _traced(schedule: Schedule) -> None:
    if not schedule.runs:
        raise ValueError(f"a schedule of {schedule.blocks} blocks has no trace; at most 4096 are traced")
