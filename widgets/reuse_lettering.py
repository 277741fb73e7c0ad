"""What the drawing of reuse says: titles, totals, names of warps and memories, how often a sector moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sim.coalescing import SECTOR_BYTES, WARP_LANES
from widgets.reuse_halves import (
    LABEL,
    LOWER,
    NAMES,
    SHARED,
    TITLE,
    UPPER,
    WARPS,
    WIDTH,
    WORDS,
    Half,
    middle_of_warp,
)  # fmt: skip
from widgets.words import Words

_WARPS = WORDS // WARP_LANES


def times(half: Half, top: float, words: Words) -> Iterator[tuple[Any, ...]]:
    """How often a sector was moved, above it."""
    for sector in half.sectors():
        if times := half.moved(sector):
            left, right = half.x(sector)
            role = "cost" if times > 1 else "move"
            yield (left + right) / 2, top + LABEL, words("× {n}", n=words.num(times)), role


def titles(words: Words) -> Iterator[tuple[Any, ...]]:
    """What each half is about."""
    yield 0.0, UPPER + TITLE, words("each warp for itself"), "ink"
    yield 0.0, LOWER + TITLE, words("staged once for the block"), "ink"


def totals(half: Half, top: float, words: Words) -> Iterator[tuple[Any, ...]]:
    """Requests to device memory and bytes moved so far."""
    requests = words.plural("{n} request", "{n} requests", half.requests)
    moved = words.num(half.moves * SECTOR_BYTES)
    again = any(half.moved(sector) > 1 for sector in half.asked)
    yield WIDTH, top + TITLE, words("{requests} · {n} B", requests=requests, n=moved), "cost" if again else "move"


def pages(half: Half, top: float, words: Words) -> Iterator[tuple[Any, ...]]:
    """Which of the values are shown, where not all of them have room."""
    if half.walk.distinct > WORDS:
        first, last = words.num(half.page), words.num(half.page + WORDS - 1)
        told = {"a": first, "b": last, "n": words.num(half.walk.distinct)}
        text, short = words("values {a}–{b} of {n}", **told), words("{a}–{b} of {n}", **told)
        yield WIDTH, top + LABEL, WIDTH / 2, top + TITLE, text, short, "rest"


def names(words: Words) -> Iterator[tuple[Any, ...]]:
    """The warps."""
    for top, y in WARPS.items():
        for warp in range(_WARPS):
            yield middle_of_warp(warp), top + y - NAMES, words("warp {n}", n=warp), "rest"


def labels(halves: Sequence[tuple[Half, float]], words: Words) -> Iterator[tuple[Any, ...]]:
    """What the left axis and the counts above the sectors say on a wide page."""
    for half, top in halves:
        times = [half.moved(sector) for sector in half.sectors() if half.moved(sector)]
        text = words("device memory")
        if times:
            low, high = words.num(min(times)), words.num(max(times))
            n = low if low == high else words("{a}–{b}", a=low, b=high)
            text = words("device memory, sectors × {n}", n=n)
        yield 0.0, top + LABEL, text, "cost" if times and max(times) > 1 else "rest", "surface"
        if top == LOWER:
            yield 0.0, LOWER + SHARED + 10, words("shared memory"), "rest", "surface"
