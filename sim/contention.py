"""Jobs that wait for one another and share one resource: making one faster can slow another.

Each job takes its time when it runs alone, and asks meanwhile for a share of the resource, 0 to 1 (memory bandwidth,
say). While the shares of the running jobs add up to more than 1, every job that asks for any gets as much less: it goes
on at 1 / their sum of its speed. A job made faster by the same work in less time asks for more.

Source: processor sharing (L. Kleinrock, "Time-shared Systems: a Theoretical Treatment", J. ACM 14(2), 1967), with
demands; elementary.
Left out: jobs that need the resource only part of the time; two resources; what sharing itself costs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from sim.critical_path import EXAMPLE, Job, check
from sim.decimals import decimal

MAX_CONTENDING = 32
DEMAND = {"A": 0.5, "B": 0.5}


@dataclass(frozen=True, slots=True)
class Shared:
    """One job: when it ran, and how long it would have taken alone.

    ``slowed``: its time over that alone, 1 or more; 1 for a job that takes no time.
    """

    name: str
    start_us: float
    end_us: float
    alone_us: float
    slowed: float


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of time with the same jobs running; ``asked``: the sum of their shares, may be more than 1."""

    start_us: float
    end_us: float
    running: tuple[str, ...]
    asked: float


@dataclass(frozen=True, slots=True)
class Contended:
    """All jobs in the order given, all stretches by time."""

    jobs: tuple[Shared, ...]
    stretches: tuple[Stretch, ...]
    total_us: float


def simulate(jobs: Sequence[Job] = EXAMPLE, demand: Mapping[str, float] = DEMAND) -> Contended:
    """Run 1 to 32 jobs as in `sim.critical_path`; ``demand`` by name, from 0 to 1, 0 if not named.

    Raises ValueError for anything else.

    >>> plain = simulate()
    >>> faster = simulate(*speed_up(EXAMPLE, DEMAND, "A", 2))
    >>> plain.total_us, faster.total_us, {job.name: job.end_us for job in faster.jobs}
    (60.0, 55.0, {'prepare': 10.0, 'A': 40.0, 'B': 45.0, 'finish': 55.0})
    """
    times, _ = check(jobs)
    if len(jobs) > MAX_CONTENDING:
        raise ValueError(f"{len(jobs)} jobs given; with a shared resource at most {MAX_CONTENDING}")
    for name in demand:
        if name not in times:
            raise ValueError(f"demand names {name!r}, which is no job; there are {', '.join(times)}")
    asks = {job.name: decimal(f"demand of {job.name!r}", demand.get(job.name, 0), "", 0, 1) for job in jobs}
    now = Fraction(0)
    starts: dict[str, Fraction] = {}
    ends: dict[str, Fraction] = {}
    left: dict[str, Fraction] = {}
    stretches = []
    while len(ends) < len(jobs):
        for job in jobs:
            if job.name not in starts and all(cause in ends for cause in job.after):
                starts[job.name] = now
                left[job.name] = times[job.name]
        asked = sum((asks[name] for name in left), Fraction(0))
        slower = max(asked, Fraction(1))
        needs = {name: work * (slower if asks[name] else 1) for name, work in left.items()}
        step = min(needs.values())
        if step:
            stretches.append(Stretch(float(now), float(now + step), tuple(left), float(asked)))
            now += step
        for name, need in needs.items():
            if need == step:
                ends[name] = now
                del left[name]
            else:
                left[name] -= step / (slower if asks[name] else 1)
    shared = []
    for name, us in times.items():
        slowed = float((ends[name] - starts[name]) / us) if us else 1.0
        shared.append(Shared(name, float(starts[name]), float(ends[name]), float(us), slowed))
    return Contended(tuple(shared), tuple(stretches), float(now))


def speed_up(
    jobs: Sequence[Job], demand: Mapping[str, float], name: str, factor: float
) -> tuple[tuple[Job, ...], dict[str, float]]:
    """The jobs with one of them ``factor`` (above 0, up to 1000) times as fast, which asks for as many times the share.

    Raises ValueError for a job that is not there, and for a share above 1: no job can use more than all.

    >>> speed_up(EXAMPLE[:2], {"A": 0.5}, "A", 2)[1]
    {'A': 1.0}
    """
    check(jobs)
    if name not in (names := [job.name for job in jobs]):
        raise ValueError(f"there is no job {name!r}; there are {', '.join(names)}")
    times = decimal("factor", factor, "", 0, 1000, above=True)
    asked = decimal(f"demand of {name!r}", demand.get(name, 0), "", 0, 1) * times
    if asked > 1:
        raise ValueError(f"factor is {factor}; {name!r} would ask for {float(asked):g} of the resource, more than all")
    changed = [
        replace(job, us=float(Fraction(repr(float(job.us))) / times)) if job.name == name else job for job in jobs
    ]
    return tuple(changed), {**demand, name: float(asked)} if asked else dict(demand)
