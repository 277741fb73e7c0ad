"""Calls with different numbers of rows: one general program, a few padded sizes, or a program for each size.

Before the first call a way needs its programs ready, which costs time once. Then every group of calls takes the rows
it executes times the way's own time a row: the general and the specialised programs execute the rows that are asked
for, buckets round each call up to the next bucket. Total = ready + groups × rows executed × time a row.

Source: elementary; the padding of captured batch sizes as in vLLM, "CUDA Graphs" (a batch is padded to the next
captured size). Rows and times of the example are its givens; 6·H·F FLOP a row is one FFN, three products of H×F.
Left out: time that does not grow with rows (the latency of a small call); attention, whose work is not rows alone;
requests that wait while a program is made ready; which buckets to have (sim/buckets.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sim.buckets import executed_rows
from sim.decimals import decimal
from sim.inputs import whole

FFN_FLOP_PER_ROW = 6 * 4096 * 12288  # gate, up and down of Qwen3-8B
GROUP = (256,) * 8 + (1536, 2048)
MAX_GROUPS = 10**9
MAX_MS = 1e9


@dataclass(frozen=True, slots=True)
class Way:
    """One way: ready after ``ready_ms``, then ``group_ms`` a group of ``rows`` as given to `ways`.

    ``buckets``: rows of its programs, in rising order; empty: any number of rows, executed as they are.
    """

    name: str
    ready_ms: float
    group_ms: float
    buckets: tuple[int, ...] = ()


GENERAL = Way("general", 100.0, 17.0)
BUCKETS = Way("buckets", 400.0, 12.4, (512, 2048))
SPECIALISED = Way("specialised", 900.0, 6.8)
WAYS = (GENERAL, BUCKETS, SPECIALISED)


@dataclass(frozen=True, slots=True)
class Cost:
    """One way on one group of calls; times in ms, rates in FLOP/s."""

    way: Way
    useful_rows: int
    executed_rows: int
    ready_ms: Fraction
    group_ms: Fraction

    @property
    def padding(self) -> float:
        """Rows executed in vain for each useful one."""
        return self.executed_rows / self.useful_rows - 1

    def total_ms(self, groups: int) -> float:
        """Ready and ``groups`` (0 to 1e9) groups done; ValueError otherwise."""
        whole("groups", groups, 0, MAX_GROUPS)
        return float(self.ready_ms + groups * self.group_ms)

    def useful_flop_per_s(self, flop_per_row: int = FFN_FLOP_PER_ROW) -> float:
        """FLOP of the rows asked for, over the time of a group."""
        return float(self.useful_rows * flop_per_row * 1000 / self.group_ms)

    def executed_flop_per_s(self, flop_per_row: int = FFN_FLOP_PER_ROW) -> float:
        """The same with the padding counted."""
        return float(self.executed_rows * flop_per_row * 1000 / self.group_ms)


def ways(
    calls: Sequence[int] = GROUP, options: Sequence[Way] = WAYS, measured_on: Sequence[int] = GROUP
) -> tuple[Cost, ...]:
    """Cost of a group of ``calls``, when ``group_ms`` of each of the options holds for the group ``measured_on``.

    1 to 1000 calls of 1 to 2^20 rows; 1 to 16 options, times from 0 to 1e9 ms, those of a group above 0. Raises
    ValueError for anything else, and for a call larger than the largest bucket.

    >>> [(cost.way.name, cost.executed_rows, f"{cost.padding:.0%}") for cost in ways()]
    [('general', 5632, '0%'), ('buckets', 8192, '45%'), ('specialised', 5632, '0%')]
    >>> [f"{cost.total_ms(70) / 1000:.2f} s" for cost in ways()]
    ['1.29 s', '1.27 s', '1.38 s']
    """
    whole("the number of options", len(options), 1, 16)
    costs = []
    for way in options:
        ready = decimal(f"ready_ms of {way.name}", way.ready_ms, "ms", 0, MAX_MS)
        measured = decimal(f"group_ms of {way.name}", way.group_ms, "ms", 0, MAX_MS, above=True)
        executed = executed_rows(calls, way.buckets)
        row = measured / executed_rows(measured_on, way.buckets)
        costs.append(Cost(way, sum(calls), executed, ready, executed * row))
    return tuple(costs)


def best(costs: Sequence[Cost]) -> tuple[tuple[int, Cost], ...]:
    """(groups, cost): from so many groups on, 0 at first, that way has the lowest total; of equals, the one ahead.

    >>> [(groups, cost.way.name) for groups, cost in best(ways())]
    [(0, 'general'), (66, 'buckets'), (90, 'specialised')]
    """
    whole("the number of ways", len(costs), 1, 16)
    now = min(costs, key=lambda cost: (cost.ready_ms, cost.group_ms))
    found = [(0, now)]
    while faster := [cost for cost in costs if cost.group_ms < now.group_ms]:
        # the fewest whole groups after which one that is faster from then on has strictly overtaken
        overtakes = {id(cost): _overtakes(now, cost) for cost in faster}
        groups = min(overtakes.values())
        now = min(
            (cost for cost in faster if overtakes[id(cost)] == groups),
            key=lambda cost: (cost.ready_ms + groups * cost.group_ms, cost.group_ms),
        )
        found.append((groups, now))
    return tuple(found)


def _overtakes(now: Cost, other: Cost) -> int:
    return (other.ready_ms - now.ready_ms) // (now.group_ms - other.group_ms) + 1
