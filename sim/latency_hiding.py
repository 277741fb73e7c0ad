"""One warp scheduler and the warps that hide each other's latency.

A scheduler issues one instruction a cycle, for one warp that is ready. A warp issues `issue_cycles` instructions
in a row; the next one needs the result of the last, so it can issue `latency_cycles` after that one. Of several
ready warps the one that has been ready longest goes first, then the lower number.

w warps therefore keep it busy min(1, w × issue / (issue - 1 + latency)) of the time, and from the knee,
⌈(issue - 1 + latency) / issue⌉ warps, more of them help no more. For the whole GPU the same law is
sim/littles_law.py.

Source: CUDA C++ Programming Guide 13.0, 8.2.3 (warps needed to hide a latency: latency times instructions issued
a cycle) and 20.6 to 20.10 (four schedulers an SM, one instruction a cycle each). A dependent multiply-add takes 4
cycles, so 4 warps a scheduler hide it, 16 an SM.
Left out: the order in which hardware picks warps, which is not published; independent instructions of one warp
between; execution units that are busy; replays; other schedulers' use of the memory.
"""

from dataclasses import dataclass
from heapq import heapify, heapreplace
from random import Random

from sim.inputs import whole

MAX_WARPS = 64
MAX_ISSUE = 64
MAX_LATENCY = 4096
MAX_CYCLES = 4096  # bounds the trace: one issue a cycle at most


@dataclass(frozen=True, slots=True)
class Issue:
    """One warp's turn, in cycles from 0; ``end`` is exclusive. It was ready from ``ready`` on."""

    warp: int
    ready: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """The first ``cycles`` cycles; a turn that goes on after them is cut there."""

    warps: int
    issue_cycles: int
    latency_cycles: int
    cycles: int
    issues: tuple[Issue, ...]

    @property
    def busy_cycles(self) -> int:
        """Cycles in which the scheduler issues."""
        return sum(issue.end - issue.start for issue in self.issues)

    @property
    def busy_share(self) -> float:
        """The share of the cycles shown, 0 to 1; in whole periods it equals `steady_share`."""
        return self.busy_cycles / self.cycles


def period(issue_cycles: int, latency_cycles: int) -> int:
    """Cycles from one turn of a warp to its next, if it never has to queue; ValueError as `simulate`."""
    whole("issue_cycles", issue_cycles, 1, MAX_ISSUE)
    whole("latency_cycles", latency_cycles, 1, MAX_LATENCY)
    return issue_cycles - 1 + latency_cycles


def steady_share(warps: int, issue_cycles: int, latency_cycles: int) -> float:
    """Share of all cycles in which the scheduler issues, in (0, 1]; ValueError as `simulate`.

    >>> steady_share(8, 2, 31), steady_share(16, 2, 31), steady_share(20, 2, 31)
    (0.5, 1.0, 1.0)
    """
    whole("warps", warps, 1, MAX_WARPS)
    return min(1.0, warps * issue_cycles / period(issue_cycles, latency_cycles))


def knee(issue_cycles: int, latency_cycles: int) -> int:
    """The fewest warps that keep the scheduler busy all the time; ValueError as `simulate`.

    >>> knee(1, 4), knee(2, 31)
    (4, 16)
    """
    return -(-period(issue_cycles, latency_cycles) // issue_cycles)


def simulate(
    warps: int, issue_cycles: int, latency_cycles: int, cycles: int, *, jitter: float = 0.0, seed: int = 0
) -> Timeline:
    """Run 1 to 64 warps for 1 to 4096 cycles, all of them ready at cycle 0.

    ``issue_cycles``: 1 to 64 instructions a turn; ``latency_cycles``: 1 to 4096. ``jitter`` in [0, 1) makes each
    latency a whole number of cycles (≥ 1) uniform in latency × (1 ± jitter), which follows from ``seed``, the warp
    and its turn alone. Raises ValueError for anything else.

    >>> [(issue.warp, issue.start, issue.end) for issue in simulate(2, 1, 4, cycles=8).issues]
    [(0, 0, 1), (1, 1, 2), (0, 4, 5), (1, 5, 6)]
    """
    whole("warps", warps, 1, MAX_WARPS)
    period(issue_cycles, latency_cycles)
    whole("cycles", cycles, 1, MAX_CYCLES)
    if isinstance(jitter, bool) or not isinstance(jitter, int | float) or not 0 <= jitter < 1:
        raise ValueError(f"jitter is {jitter!r}; it must be at least 0 and less than 1")
    whole("seed", seed, 0, 2**32 - 1)
    shortest, longest = max(1, round(latency_cycles * (1 - jitter))), round(latency_cycles * (1 + jitter))
    rngs = [Random(f"{seed} {warp}") for warp in range(warps)] if jitter else []
    queue = [(0, warp) for warp in range(warps)]  # (ready, warp)
    heapify(queue)
    free = 0
    issues: list[Issue] = []
    while (start := max(free, queue[0][0])) < cycles:
        ready, warp = queue[0]
        free = start + issue_cycles
        latency = rngs[warp].randint(shortest, longest) if jitter else latency_cycles
        heapreplace(queue, (free - 1 + latency, warp))
        issues.append(Issue(warp, ready, start, min(free, cycles)))
    return Timeline(warps, issue_cycles, latency_cycles, cycles, tuple(issues))
