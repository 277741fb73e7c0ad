"""Plan once, run in every layer: attention over a paged KV cache, and what a stale plan reads.

A plan says, for each request of the batch, which pages hold its keys and values and how many rows of the last page
count. It depends on lengths and pages only, which all layers of a step share; so it can be made once a step instead of
once a layer. It must be made again when lengths change: the old plan misses the rows that came since, and reads rows
of pages that have gone to another request meanwhile.

The cache here holds real numbers. One step later each request has grown (it keeps its rows and gets the lowest free
pages when it needs them) or, if its length is smaller, has ended and made room for a new one (its pages go back
first). Every request has one query; the output is softmax(q·kᵀ/√d)·v over the rows that the plan gives, in float64.

Source: FlashInfer, `BatchDecodeWithPagedKVCacheWrapper` (plan and run; page table in three arrays); vLLM's paged
attention (W. Kwon et al., arXiv 2309.06180). Four copies a plan follow from the reported 144 for 36 layers.
Left out: heads, batches whose size changes, how a plan divides work between SMs, time (sim/plan_cost.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from sim.inputs import whole

MAX_REQUESTS = 8
MAX_LENGTH = 64
MAX_PAGE_ROWS = 64
MAX_HEAD_DIM = 8


@dataclass(frozen=True, slots=True)
class Plan:
    """Pages of request i: ``pages[starts[i]:starts[i + 1]]``, of the last one only ``last_rows[i]`` rows."""

    starts: tuple[int, ...]
    pages: tuple[int, ...]
    last_rows: tuple[int, ...]
    page_rows: int

    def rows(self, request: int) -> tuple[int, ...]:
        """Rows of the cache that the request's query attends to: page × rows a page + place in the page."""
        pages = self.pages[self.starts[request] : self.starts[request + 1]]
        rows = [page * self.page_rows + place for page in pages for place in range(self.page_rows)]
        return tuple(rows[: len(rows) - self.page_rows + self.last_rows[request]])


@dataclass(frozen=True, slots=True)
class Attended:
    """One request in the step after: with the plan made for it, and with the plan of the step before."""

    request: int
    replaced: bool
    """Whether it is another request than before."""
    rows: tuple[int, ...]
    output: tuple[float, ...]
    stale_rows: tuple[int, ...]
    stale_output: tuple[float, ...]

    @property
    def missed(self) -> tuple[int, ...]:
        """Rows that the stale plan leaves out."""
        return tuple(row for row in self.rows if row not in self.stale_rows)

    @property
    def foreign(self) -> tuple[int, ...]:
        """Rows that the stale plan reads and that are not this request's."""
        return tuple(row for row in self.stale_rows if row not in self.rows)

    @property
    def wrong(self) -> bool:
        """Whether the stale plan gives other rows."""
        return self.rows != self.stale_rows


@dataclass(frozen=True, slots=True)
class TwoSteps:
    """The plans of two steps and every request of the second."""

    before: Plan
    after: Plan
    owners: tuple[int | None, ...]
    """In the second step, the request whose rows each page holds; None: free."""
    attended: tuple[Attended, ...]


def simulate(
    before: Sequence[int], after: Sequence[int], *, page_rows: int = 4, head_dim: int = 4, seed: int = 0
) -> TwoSteps:
    """Run the second step with its own plan and with that of the first.

    ``before`` and ``after``: lengths, 1 to 64 rows, of the same 1 to 8 requests; a smaller length after means a
    new request in that place. 1 to 64 rows a page, ``head_dim`` 1 to 8. Raises ValueError for anything else.

    >>> step = simulate([4, 6], [5, 7])
    >>> [(each.rows, each.stale_rows) for each in step.attended]
    [((0, 1, 2, 3, 12), (0, 1, 2, 3)), ((4, 5, 6, 7, 8, 9, 10), (4, 5, 6, 7, 8, 9))]
    """
    whole("the number of requests", len(before), 1, MAX_REQUESTS)
    if len(after) != len(before):
        raise ValueError(f"{len(after)} lengths after, {len(before)} before; give as many")
    for name, lengths in (("before", before), ("after", after)):
        for i, length in enumerate(lengths):
            whole(f"length {i} {name}", length, 1, MAX_LENGTH)
    whole("page_rows", page_rows, 1, MAX_PAGE_ROWS)
    whole("head_dim", head_dim, 1, MAX_HEAD_DIM)
    whole("seed", seed, -(2**63), 2**63)

    owners: list[int | None] = [None] * sum(-(-max(pair) // page_rows) for pair in zip(before, after, strict=True))
    held: list[list[int]] = [[] for _ in before]
    draw = Random(seed)
    keys, values = (np.zeros((len(owners) * page_rows, head_dim)) for _ in range(2))

    def write(lengths: Sequence[int], written: Sequence[int]) -> Plan:
        for i, length in enumerate(lengths):
            while len(held[i]) * page_rows < length:
                page = owners.index(None)
                owners[page] = i
                held[i].append(page)
            for at in range(written[i], length):
                row = held[i][at // page_rows] * page_rows + at % page_rows
                keys[row] = [draw.gauss(0, 1) for _ in range(head_dim)]
                values[row] = [draw.gauss(0, 1) for _ in range(head_dim)]
        starts = [0]
        for pages in held:
            starts.append(starts[-1] + len(pages))
        last_rows = [(length - 1) % page_rows + 1 for length in lengths]
        return Plan(tuple(starts), tuple(page for pages in held for page in pages), tuple(last_rows), page_rows)

    first = write(before, [0] * len(before))
    replaced = [new < old for old, new in zip(before, after, strict=True)]
    for i in range(len(before)):
        if replaced[i]:
            for page in held[i]:
                owners[page] = None
            held[i].clear()
    second = write(after, [0 if new else old for old, new in zip(before, replaced, strict=True)])
    attended = []
    for i in range(len(before)):
        query = np.array([draw.gauss(0, 1) for _ in range(head_dim)])
        rows, stale_rows = second.rows(i), first.rows(i)
        output, stale = (_attend(query, keys[list(each)], values[list(each)]) for each in (rows, stale_rows))
        attended.append(Attended(i, replaced[i], rows, tuple(output.tolist()), stale_rows, tuple(stale.tolist())))
    return TwoSteps(first, second, tuple(owners), tuple(attended))


def _attend(query: NDArray[np.float64], keys: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    scores = keys @ query / np.sqrt(len(query))
    weights = np.exp(scores - scores.max())
    return np.asarray(weights @ values / weights.sum())
