"""Jobs that wait for one another, with units enough for all: the longest path sets the total.

A job starts when all that it names have ended. Its slack is how much later it could start with the total unchanged;
jobs without slack are critical. If everything else stays, the total as a function of one job's time d is
max(without, through + d): without is the longest path that avoids the job, through the longest one through it less
its own time. Below d = without − through another path is the longest, and the job's time no longer matters.

Source: J. E. Kelley, M. R. Walker, "Critical-Path Planning and Scheduling", 1959.
Left out: jobs that share a resource (sim/contention.py); times that vary.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm

from sim.decimals import decimal
from sim.events import Task, cycles, run
from sim.inputs import whole

MAX_JOBS = 64
MAX_US = 1e9
MAX_POINTS = 1000


@dataclass(frozen=True, slots=True)
class Job:
    """``us`` is its time, 0 to 1e9 (µs, or any one unit); ``after`` names the jobs that must have ended."""

    name: str
    us: float
    after: tuple[str, ...] = ()


EXAMPLE = (Job("prepare", 10), Job("A", 40, ("prepare",)), Job("B", 25, ("prepare",)), Job("finish", 10, ("A", "B")))


@dataclass(frozen=True, slots=True)
class Timed:
    """One job as early as it can be, and how late it could be."""

    name: str
    start_us: float
    end_us: float
    slack_us: float

    @property
    def critical(self) -> bool:
        """Whether any delay of it delays the end."""
        return self.slack_us == 0


@dataclass(frozen=True, slots=True)
class Network:
    """All jobs in the order given. ``path``: a longest path; of equals, the one whose jobs come first."""

    jobs: tuple[Timed, ...]
    path: tuple[str, ...]
    total_us: float


@dataclass(frozen=True, slots=True)
class Switch:
    """The total as a function of one job's time d: max(floor, through + d)."""

    floor_us: float
    """Longest path that avoids the job, 0 if none does."""
    through_us: float
    """Longest path through the job, less its own time."""
    at_us: float | None
    """Below it the total stays at the floor; None if the job is on a longest path however short it is."""


def simulate(jobs: Sequence[Job] = EXAMPLE) -> Network:
    """Times and slack of 1 to 64 jobs with names of their own.

    Raises ValueError for anything else, a name that no job has, and jobs that wait for one another in a circle.

    >>> network = simulate()
    >>> network.total_us, network.path, [(job.name, job.slack_us) for job in network.jobs]
    (60.0, ('prepare', 'A', 'finish'), [('prepare', 0.0), ('A', 0.0), ('B', 15.0), ('finish', 0.0)])
    """
    times, order = check(jobs)
    before, behind = _longest(jobs, times, order)
    total = max(before[name] + times[name] for name in order)
    timed = []
    for job in jobs:
        start, end = before[job.name], before[job.name] + times[job.name]
        timed.append(Timed(job.name, float(start), float(end), float(total - end - behind[job.name])))
    path: list[str] = []
    nexts = [job.name for job in jobs if not job.after and times[job.name] + behind[job.name] == total]
    while nexts:
        path.append(nexts[0])
        followers = (job.name for job in jobs if path[-1] in job.after)
        nexts = [name for name in followers if times[name] + behind[name] == behind[path[-1]]]
    return Network(tuple(timed), tuple(path), float(total))


def switch(jobs: Sequence[Job], name: str) -> Switch:
    """What the total is for other times of one job; ValueError as `simulate`, and for a job that is not there.

    >>> switch(EXAMPLE, "A"), switch(EXAMPLE, "prepare").at_us
    (Switch(floor_us=45.0, through_us=20.0, at_us=25.0), None)
    """
    times, order = check(jobs)
    if name not in times:
        raise ValueError(f"there is no job {name!r}; there are {', '.join(times)}")
    before, behind = _longest(jobs, times, order)
    through = before[name] + behind[name]
    rest = [replace(job, after=tuple(each for each in job.after if each != name)) for job in jobs if job.name != name]
    starts, _ = _longest(rest, times, [each for each in order if each != name])
    floor = max((start + times[each] for each, start in starts.items()), default=Fraction(0))
    return Switch(float(floor), float(through), float(floor - through) if floor > through else None)


def sweep(jobs: Sequence[Job], name: str, times_us: Sequence[float]) -> tuple[float, ...]:
    """The total for 1 to 1000 other times of one job; ValueError as `switch`.

    >>> sweep(EXAMPLE, "A", [50, 40, 30, 25, 20, 0])
    (70.0, 60.0, 50.0, 45.0, 45.0, 45.0)
    """
    whole("the number of times", len(times_us), 1, MAX_POINTS)
    line = switch(jobs, name)
    floor, through = (decimal("a path", us, "µs", 0, MAX_JOBS * MAX_US) for us in (line.floor_us, line.through_us))
    return tuple(float(max(floor, through + decimal(f"time of job {name!r}", us, "µs", 0, MAX_US))) for us in times_us)


def check(jobs: Sequence[Job]) -> tuple[dict[str, Fraction], list[str]]:
    """Exact times by name, and an order that causes respect; ValueError for what `simulate` refuses.

    >>> check([Job("a", 1, ("b",)), Job("b", 1, ("a",))])
    Traceback (most recent call last):
    ...
    ValueError: jobs wait for one another in a circle: a after b after a; take one of these away
    """
    whole("the number of jobs", len(jobs), 1, MAX_JOBS)
    times: dict[str, Fraction] = {}
    for job in jobs:
        if job.name in times:
            raise ValueError(f"two jobs are called {job.name!r}; give each a name of its own")
        times[job.name] = decimal(f"time of job {job.name!r}", job.us, "µs", 0, MAX_US)
    for job in jobs:
        for cause in job.after:
            if cause not in times:
                raise ValueError(
                    f"job {job.name!r} is after {cause!r}, which is not there; there are {', '.join(times)}"
                )
    plan = run([Task(job.name, job.name, 0.0, job.after) for job in jobs])
    for circle in cycles(plan.blocked()):
        names = " after ".join(str(name) for name in (*circle, circle[0]))
        raise ValueError(f"jobs wait for one another in a circle: {names}; take one of these away")
    return times, [str(name) for name in plan.spans]


def _longest(
    jobs: Sequence[Job], times: Mapping[str, Fraction], order: Sequence[str]
) -> tuple[dict[str, Fraction], dict[str, Fraction]]:
    """For each job the longest path that must have ended before it, and the longest one that follows it."""
    after = {job.name: job.after for job in jobs}
    scale = lcm(*(times[name].denominator for name in order))  # in whole numbers: exact, and faster than fractions
    whole_us = {name: times[name].numerator * (scale // times[name].denominator) for name in order}
    before: dict[str, int] = {}
    for name in order:
        before[name] = max((before[cause] + whole_us[cause] for cause in after[name]), default=0)
    behind = dict.fromkeys(order, 0)
    for name in reversed(order):
        rest = whole_us[name] + behind[name]
        for cause in after[name]:
            behind[cause] = max(behind[cause], rest)
    exact = [{name: Fraction(us, scale) for name, us in each.items()} for each in (before, behind)]
    return exact[0], exact[1]
