"""Where the SMs of a GPU and their places for blocks lie in the block scheduler's drawing.

x counts percent of the drawing's width, y px of its height. A hatch on each free place would take the page a second
to draw: instead whole rows of SMs are hatched, and bars in the card's colour cut them into places.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

BOTTOM, TOP = 177, 446  # y of the SMs' edges
_TALLEST = 120  # px of an SM
_COLUMNS = ((1, 1), (4, 2), (12, 4), (36, 6), (192, 12))  # up to so many SMs stand in so many columns
_ACROSS = (1, 2, 3, 4, 5, 3, 7, 4)  # places beside each other on an SM that holds 1, 2, 3 … 8 blocks

Box = tuple[float, float, float, float]  # left, right, bottom, top
Place = tuple[int, int]  # SM, and place on it


def columns_of(sms: int) -> int:
    """Return how many SMs stand side by side."""
    return next(columns for most, columns in _COLUMNS if sms <= most)


@lru_cache(maxsize=16)
def sm_boxes(sms: int) -> tuple[Box, ...]:
    """Return the frame of each SM, row by row."""
    across = columns_of(sms)
    high, wide = min(_TALLEST, (TOP - BOTTOM) / -(-sms // across)), 100 / across
    return tuple(
        _rounded(
            sm % across * wide + 0.3, (sm % across + 1) * wide - 0.3,
            TOP - (sm // across + 1) * high + 1.5, TOP - sm // across * high - 1.5,
        )
        for sm in range(sms)
    )  # fmt: skip


@lru_cache(maxsize=16)
def place_boxes(sms: int, per_sm: int) -> dict[Place, Box]:
    """Return the box of each place; kept, since most changes leave them where they are."""
    found = {}
    across = _ACROSS[per_sm - 1]
    for sm, (first, last, low, up) in enumerate(sm_boxes(sms)):
        left, right, bottom, top = first + 0.35, last - 0.35, low + 2.5, up - 2.5
        wide, high = (right - left) / across, (top - bottom) / (per_sm // across)
        for n in range(per_sm):
            x, y = left + n % across * wide, top - n // across * high
            found[sm, n] = _rounded(x + 0.15, x + wide - 0.15, y - high + 0.5, y - 0.5)
    return found


def free_rows(sms: int, per_sm: int, taken: Collection[Place]) -> Iterator[Box]:
    """Yield what to hatch: the rows of SMs in which a place is free."""
    frames, across = sm_boxes(sms), columns_of(sms)
    for first in range(0, sms, across):
        row = range(first, min(first + across, sms))
        if any((sm, n) not in taken for sm in row for n in range(per_sm)):
            yield frames[first][0], frames[row[-1]][1], frames[first][2], frames[first][3]


@lru_cache(maxsize=16)
def cuts(sms: int, per_sm: int) -> tuple[Box, ...]:
    """Return the bars between places: what a hatched row shows between, above and below them."""
    boxes, across = place_boxes(sms, per_sm), columns_of(sms)
    upright = _between([boxes[sm, n][:2] for sm in range(min(across, sms)) for n in range(_ACROSS[per_sm - 1])], 0, 100)
    rows = [boxes[sm, n][2:] for sm in range(0, sms, across) for n in range(0, per_sm, _ACROSS[per_sm - 1])]
    level = _between(sorted(rows), BOTTOM - 1, TOP)
    low, left, right = min(rows)[0] - 4, boxes[0, 0][0] - 1, max(box[1] for box in boxes.values()) + 1
    return (
        *((a, b, low, TOP) for a, b in upright if left < b and a < right),
        *((0.0, 100.0, max(a, low), b) for a, b in level if b > low),
    )


def _between(spans: Sequence[tuple[float, float]], start: float, end: float) -> Iterator[tuple[float, float]]:
    """Yield what spans in ascending order leave between `start` and `end`."""
    for low, high in spans:
        yield start, low
        start = high
    yield start, end


def _rounded(left: float, right: float, bottom: float, top: float) -> Box:
    """Shorten the numbers that travel to the page: thousandths of a percent and of a px are enough."""
    return round(left, 3), round(right, 3), round(bottom, 3), round(top, 3)
