"""Both ways of `sim.reuse`, instruction by instruction, so that they can be watched side by side.

A step is one instruction of every warp that takes part. Read directly: one load from device memory a value. Staged:
a load and a store to shared memory for every pass over the block's distinct values, then the barrier, then one read
from shared memory a value. Value j of reader group g is element j × groups + g, and thread t is in group
t // readers.

Source: as for `sim.reuse`, whose requests these are, in their order.
Left out: time. A step is not a cycle: a load from device memory takes far longer than a read from shared memory, and
the hardware keeps several under way.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from sim import reuse
from sim.coalescing import SECTOR_BYTES
from sim.reuse import DEFAULT_SHARED_LIMIT_BYTES, Request, Reuse

Kind = Literal["load", "store", "barrier", "read"]


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction of every warp that takes part."""

    kind: Kind
    """`load` is from device memory, `store` and `read` are to and from shared memory."""
    requests: tuple[Request, ...]
    """One a warp; none at the barrier."""


@dataclass(frozen=True, slots=True)
class Walk:
    """Both ways of one block. The steps of one do not last as long as those of the other."""

    totals: Reuse
    threads: int
    values: int
    element_bytes: int
    readers: int
    direct: tuple[Step, ...]
    staged: tuple[Step, ...]

    @property
    def distinct(self) -> int:
        """Distinct elements that the block needs."""
        return self.values * self.threads // self.readers

    def element(self, thread: int, value: int) -> int:
        """Return the element that is a thread's value number `value`, both from 0."""
        return value * (self.threads // self.readers) + thread // self.readers

    def sectors(self, request: Request) -> range:
        """Return the numbers of the sectors that a request asks for."""
        first, last = request.elements[0], request.elements[-1]
        return range(first * self.element_bytes // SECTOR_BYTES, last * self.element_bytes // SECTOR_BYTES + 1)

    def asked(self, steps: Iterable[Step]) -> Counter[int]:
        """Return how many requests of these steps asked device memory for each sector: times moved without a cache."""
        loads = (request for step in steps if step.kind == "load" for request in step.requests)
        return Counter(sector for request in loads for sector in self.sectors(request))


def simulate(
    threads: int = 128,
    values: int = 128,
    element_bytes: int = 4,
    readers: int | None = None,
    shared_limit_bytes: int = DEFAULT_SHARED_LIMIT_BYTES,
) -> Walk:
    """Walk both ways; arguments and ValueError as for `sim.reuse.simulate`.

    >>> walk = simulate(threads=128, values=128)
    >>> len(walk.direct), [step.kind for step in walk.staged[:4]], len(walk.staged)
    (128, ['load', 'store', 'barrier', 'read'], 131)
    >>> set(walk.asked(walk.direct).values()), set(walk.asked(walk.staged).values())
    ({32}, {1})
    """
    totals = reuse.simulate(threads, values, element_bytes, readers, shared_limit_bytes)
    direct = tuple(_instructions(totals.direct.global_requests, "load"))
    staged: list[Step] = []
    for load in _instructions(totals.staged.global_requests, "load"):
        staged += [load, Step("store", load.requests)]
    staged.append(Step("barrier", ()))
    staged += [Step("read", step.requests) for step in direct]
    return Walk(totals, threads, values, element_bytes, readers or threads, direct, tuple(staged))


def _instructions(requests: tuple[Request, ...], kind: Kind) -> Iterator[Step]:
    for _, together in groupby(requests, key=lambda request: request.step):
        yield Step(kind, tuple(together))
