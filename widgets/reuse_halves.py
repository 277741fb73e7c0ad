"""Where things lie in the drawing of reuse, and how far each of its two halves has come.

A word is 1 wide in x, with room between two lines of memory and, under them, between two warps; y counts px of a wide
page. Each half shows 128 elements at a time: those that its instruction is about.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from sim.coalescing import WARP_LANES
from sim.reuse import Request
from sim.reuse_walk import Step, Walk

WORDS, PER_SECTOR, PER_LINE = 128, 8, 32
"""Elements, 4 bytes each, that a half has room for, and how many make a sector and a line."""
GAP = 3.0
"""Between two lines, in words."""
WIDTH = WORDS + 3 * GAP
UPPER, LOWER = 0.0, -190.0
"""y of the top of each half; what follows counts from there."""
TITLE, LABEL, MEMORY, MEMORY_END, SHARED, SHARED_END, SHELF = -8.0, -26.0, -35.0, -57.0, -101.0, -117.0, -121.0
INSET = 3.0
"""From a line's frame to its words."""
BARRIER = (-133.0, -137.0)
WARPS = {UPPER: -142.0, LOWER: -214.0}
BAND, NAMES = 17.0, 27.0
"""Height of a warp, and from its top down to its name."""
PRICE, FLOOR = -453.0, -463.0


def place(word: float) -> float:
    """Return the x of a word's left end, by its number in the half."""
    return word + GAP * (word // PER_LINE)


@cache
def middle_of_warp(warp: int) -> float:
    """Return the x of a warp's middle."""
    return place(warp * WARP_LANES) + WARP_LANES / 2


@dataclass(frozen=True)
class Half:
    """One way up to a step: `at` instructions are over, and with `stepping` the last of them is pointed out."""

    walk: Walk
    steps: tuple[Step, ...]
    at: int
    stepping: bool
    cached: bool

    @cached_property
    def done(self) -> tuple[Step, ...]:
        """The instructions that are over."""
        return self.steps[: self.at]

    @property
    def now(self) -> Step | None:
        """The instruction pointed out; None where this half has ended before the other."""
        return self.steps[self.at - 1] if self.stepping and 0 < self.at <= len(self.steps) else None

    @cached_property
    def page(self) -> int:
        """The first of the elements shown."""
        last = next((step for step in reversed(self.done) if step.requests), self.steps[0])
        return last.requests[0].elements[0] // WORDS * WORDS

    @cached_property
    def asked(self) -> dict[int, int]:
        """How many requests have asked device memory for each sector."""
        return dict(self.walk.asked(self.done))

    @cached_property
    def requests(self) -> int:
        """Requests to device memory so far."""
        return sum(len(step.requests) for step in self.done if step.kind == "load")

    @cached_property
    def moves(self) -> int:
        """Sectors moved so far."""
        return sum(self.moved(sector) for sector in self.asked)

    def moved(self, sector: int) -> int:
        """How often a sector has been moved; with a cache that hits, once at most."""
        asked = self.asked.get(sector, 0)
        return min(asked, 1) if self.cached else asked

    def count(self, kind: str) -> int:
        """Return how many instructions of a kind are over."""
        return sum(step.kind == kind for step in self.done)

    def shows(self, request: Request) -> bool:
        """Say whether a request is about the elements shown."""
        return self.page <= request.elements[0] < self.page + WORDS

    def sectors(self) -> Iterator[int]:
        """Yield the numbers of the sectors shown that hold elements of the block."""
        first = self.page // PER_SECTOR
        for sector in range(first, first + WORDS // PER_SECTOR):
            if sector * PER_SECTOR < self.walk.distinct:
                yield sector

    def x(self, sector: int) -> tuple[float, float]:
        """Return left and right of a sector shown."""
        left = place(sector * PER_SECTOR - self.page)
        return left + 0.25, left + PER_SECTOR - 0.25

    def ends(self, request: Request) -> tuple[tuple[int, float], ...]:
        """Return each sector that a request asks for, and the x of the middle of what it asks for there."""
        return _ends(request.elements[0], request.elements[-1], self.page)


@cache
def _ends(first: int, last: int, page: int) -> tuple[tuple[int, float], ...]:
    found = []
    for sector in range(first // PER_SECTOR, last // PER_SECTOR + 1):
        left = place(max(first, sector * PER_SECTOR) - page)
        right = place(min(last, sector * PER_SECTOR + PER_SECTOR - 1) - page) + 1
        found.append((sector, (left + right) / 2))
    return tuple(found)
