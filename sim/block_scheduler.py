"""Blocks flow to the SMs: a queue, and slots that free up.

An SM holds `blocks_per_sm` blocks at a time (sim/occupancy.py). The first free slot takes the next block of the
queue, which stays there until it ends: blocks do not move. Equal blocks therefore run in waves of
SMs × blocks_per_sm, and the last wave may leave most slots empty: ⌈blocks / slots⌉ waves. Of slots that become
free at the same time, by convention, the first on each SM comes before the second on any, then the lower SM.

Busy share = block time / (slots × time until the last block ends). The tail begins when a slot is free and the
queue is empty.

Source: CUDA C++ Programming Guide 13.0, 7, "Hardware Implementation" (as blocks end, new ones are launched on the
multiprocessors that they leave). List scheduling: R. L. Graham, "Bounds for certain multiprocessing anomalies", 1966.
Left out: the order in which hardware picks SMs, which is not published; blocks that slow each other on an SM;
the cost of starting one; other kernels; clusters.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heapreplace
from itertools import pairwise
from math import fsum
from random import Random
from typing import NamedTuple

from sim.inputs import positive, whole

MAX_TRACED = 4096  # blocks with a trace: more than a drawing shows
MAX_BLOCKS = 16_384  # blocks with totals alone
MAX_SMS = 1024
MAX_BLOCKS_PER_SM = 32
MAX_US = 1e9


class Run(NamedTuple):
    """One block on the SM that it got, in slot 0 to blocks_per_sm - 1; times in µs."""

    block: int
    sm: int
    slot: int
    start_us: float
    end_us: float


class Busy(NamedTuple):
    """A stretch of time with the same number of blocks running."""

    start_us: float
    end_us: float
    blocks: int


@dataclass(frozen=True, slots=True)
class Schedule:
    """All that happened. ``runs`` in the order of the queue; empty, as is ``busy``, beyond 4096 blocks."""

    blocks: int
    slots: int
    total_us: float
    tail_us: float
    """When a slot is first free with no block left to take it; the tail lasts until ``total_us``."""
    work_us: float
    """Block times added up."""
    runs: tuple[Run, ...]
    busy: tuple[Busy, ...]

    @property
    def waves(self) -> int:
        """⌈blocks / slots⌉: how many blocks a slot runs, if all are equal."""
        return -(-self.blocks // self.slots)

    @property
    def last_wave(self) -> int:
        """Blocks in the last of the waves, 1 to slots."""
        return self.blocks - (self.waves - 1) * self.slots

    @property
    def tail_length_us(self) -> float:
        """How long slots stand empty with no block left, until the last block ends."""
        return self.total_us - self.tail_us

    @property
    def ideal_us(self) -> float:
        """The time in which the slots would do the work if none of them were ever empty."""
        return self.work_us / self.slots

    @property
    def busy_share(self) -> float:
        """Share of the slots' time in which they hold a block, in (0, 1]."""
        return self.work_us / (self.slots * self.total_us)


def simulate(durations_us: Sequence[float], sms: int, blocks_per_sm: int) -> Schedule:
    """Run 1 to 16,384 blocks, in the order given, on 1 to 1024 SMs with 1 to 32 blocks each.

    ``durations_us``: the time of each block, in (0, 1e9] µs. Raises ValueError for anything else.

    >>> kernel = simulate([1.0] * 265, sms=132, blocks_per_sm=2)
    >>> kernel.waves, kernel.last_wave, f"{kernel.busy_share:.1%}", [busy.blocks for busy in kernel.busy]
    (2, 1, '50.2%', [264, 1])
    """
    blocks = len(durations_us)
    whole("the number of blocks", blocks, 1, MAX_BLOCKS)
    whole("sms", sms, 1, MAX_SMS)
    whole("blocks_per_sm", blocks_per_sm, 1, MAX_BLOCKS_PER_SM)
    for block, us in enumerate(durations_us):
        if type(us) is not float or not 0 < us <= MAX_US:  # the usual case without a call
            positive(f"the time of block {block}", us, "µs", MAX_US)
    slots = sms * blocks_per_sm
    # (free from, slot): slot s is on SM s mod sms. Block i < slots starts in slot i.
    free = [(us, slot) for slot, us in enumerate(durations_us[:slots])]
    placed = [(slot, 0.0, us) for us, slot in free]
    heapify(free)
    for us in durations_us[slots:]:
        start, slot = free[0]
        heapreplace(free, (start + us, slot))
        placed.append((slot, start, start + us))
    runs: tuple[Run, ...] = ()
    if blocks <= MAX_TRACED:
        runs = tuple(Run(i, slot % sms, slot // sms, start, end) for i, (slot, start, end) in enumerate(placed))
    total = max(free)[0]
    tail = free[0][0] if blocks >= slots else 0.0
    return Schedule(blocks, slots, total, tail, fsum(durations_us), runs, _busy(runs))


def equal(blocks: int, block_us: float) -> tuple[float, ...]:
    """Times of ``blocks`` equal blocks; ValueError outside the ranges of `simulate`."""
    whole("the number of blocks", blocks, 1, MAX_BLOCKS)
    positive("block_us", block_us, "µs", MAX_US)
    return (block_us,) * blocks


def skewed(blocks: int, block_us: float, skew: float, seed: int) -> tuple[float, ...]:
    """Times uniform in block_us × (1 ± skew), skew in [0, 1), that follow from the seed; ValueError otherwise.

    >>> skewed(3, 10.0, 0.0, seed=1)
    (10.0, 10.0, 10.0)
    """
    whole("the number of blocks", blocks, 1, MAX_BLOCKS)
    positive("block_us", block_us, "µs", MAX_US)
    if isinstance(skew, bool) or not isinstance(skew, int | float) or not 0 <= skew < 1:
        raise ValueError(f"skew is {skew!r}; it must be at least 0 and less than 1")
    if type(seed) is not int:
        raise ValueError(f"seed is {seed!r}; it must be a whole number")
    rng = Random(seed)
    return tuple(block_us * rng.uniform(1 - skew, 1 + skew) for _ in range(blocks))


def ramp(blocks: int, first_us: float, last_us: float) -> tuple[float, ...]:
    """Times in even steps from the first block's to the last's, as causal attention has them; ValueError as `equal`.

    >>> ramp(3, 1.0, 5.0)
    (1.0, 3.0, 5.0)
    """
    whole("the number of blocks", blocks, 1, MAX_BLOCKS)
    positive("first_us", first_us, "µs", MAX_US)
    positive("last_us", last_us, "µs", MAX_US)
    return tuple(first_us + (last_us - first_us) * i / max(1, blocks - 1) for i in range(blocks))


def _busy(runs: Sequence[Run]) -> tuple[Busy, ...]:
    changes: dict[float, int] = {}
    for run in runs:
        changes[run.start_us] = changes.get(run.start_us, 0) + 1
        changes[run.end_us] = changes.get(run.end_us, 0) - 1
    found: list[Busy] = []
    blocks = 0
    times = sorted(time for time, change in changes.items() if change)
    for start, end in pairwise(times):
        blocks += changes[start]
        found.append(Busy(start, end, blocks))
    return tuple(found)
