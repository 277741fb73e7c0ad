"""What the drawing of reuse shows: the data of its sources, from the two halves of a walk.

Above, every warp asks device memory itself; below, the block stages once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from sim.coalescing import WARP_LANES
from widgets import reuse_lettering
from widgets.reuse_halves import (
    BAND,
    BARRIER,
    INSET,
    LOWER,
    MEMORY,
    MEMORY_END,
    PER_LINE,
    PER_SECTOR,
    PRICE,
    SHARED,
    SHARED_END,
    SHELF,
    UPPER,
    WARPS,
    WIDTH,
    WORDS,
    Half,
    middle_of_warp,
    place,
)  # fmt: skip
from widgets.words import Words

_WARPS = WORDS // WARP_LANES
_BOX = ("left", "right", "bottom", "top")
_WEB = ("x0", "x1", "role", "wide", "alpha")

Columns = dict[str, list[Any]]


def columns(upper: Half, lower: Half, note: str, price: tuple[str, str], words: Words) -> dict[str, Columns]:
    """Return the data of every source but `marks`; a `note` stands in place of what the lower half would show."""
    halves = ((upper, UPPER), (lower, LOWER))
    told = halves[:1] if note else halves
    return {
        "gaps": _GAPS,
        "bands": _BANDS,
        "shelf": _SHELF,
        "lines": _rows([row for half, top in halves for row in _lines(half, top)], (*_BOX, "role")),
        "sectors": _rows([row for half, top in halves for row in _sectors(half, top)], (*_BOX, "role")),
        "strokes": _rows([row for half, top in told for row in _strokes(half, top)], ("x0", "x1", "y0", "y1", "role")),
        "shared": _rows(_shared(lower, bool(note)), (*_BOX, "role")),
        "times": _rows(
            [row for half, top in told for row in reuse_lettering.times(half, top, words)], ("x", "y", "text", "role")
        ),
        "totals": _rows(
            [row for half, top in told for row in reuse_lettering.totals(half, top, words)], ("x", "y", "text", "role")
        ),
        "now": _rows([row for half, top in told for row in _now(half, top)], (*_BOX, "role")),
        "loads": _rows(_loads(upper), _WEB),
        "staging": _rows(() if note else _staging(lower), _WEB),
        "reads": _rows(() if note else _reads(lower), _WEB),
        "barrier": _rows([(y + LOWER, _barrier(lower, bool(note))) for y in BARRIER], ("y", "role")),
        "ticks": _rows([*_ticks(upper, UPPER), *_ticks(lower, LOWER, bool(note))], ("x", "y0", "y1", "role")),
        "titles": _rows(reuse_lettering.titles(words), ("x", "y", "text", "role")),
        "names": _rows(reuse_lettering.names(words), ("x", "y", "text", "role")),
        "pages": _rows([row for half, top in told for row in reuse_lettering.pages(half, top, words)], _PAGES),
        "labels": _rows(reuse_lettering.labels(halves, words), ("x", "y", "text", "role", "ground")),
        "price": _rows([(0.0, PRICE, *price, "cost")] if not note else [], ("x", "y", "text", "short", "role")),
        "note": _rows([(WIDTH / 2, LOWER - 175.0, note, "rest", "surface")] if note else [], _NOTE),
    }


def _rows(rows: Iterable[tuple[Any, ...]], names: Sequence[str]) -> Columns:
    found = list(rows)
    return {name: [row[at] for row in found] for at, name in enumerate(names)}


_PAGES = ("phone_x", "phone_y", "x", "y", "text", "short", "role")
_NOTE = ("x", "y", "text", "role", "ground")
_GAPS = _rows(
    [
        (place(word), top + high, top + low, "surface")
        for word in range(WORDS)
        if word % PER_SECTOR
        for top, high, low in (
            (UPPER, MEMORY - INSET, MEMORY_END + INSET),
            (LOWER, MEMORY - INSET, MEMORY_END + INSET),
            (LOWER, SHARED, SHARED_END),
        )
    ],
    ("x", "y0", "y1", "role"),
)
"""What cuts a sector into words; it lies inside the frame."""
_BANDS = _rows(
    [
        (
            place(warp * WARP_LANES) - 0.6,
            place(warp * WARP_LANES) + WARP_LANES + 0.6,
            top + y - BAND,
            top + y,
            "surface",
        )
        for top, y in WARPS.items()
        for warp in range(_WARPS)
    ],
    (*_BOX, "role"),
)
_SHELF: Columns = {"x0": [-0.6], "x1": [WIDTH + 0.6], "y": [LOWER + SHELF], "role": ["ink"]}


# ----------------------------------------------------------------------------------------------------- memory


def _lines(half: Half, top: float) -> Iterator[tuple[Any, ...]]:
    for first in range(half.page, min(half.page + WORDS, half.walk.distinct), PER_LINE):
        left = place(first - half.page)
        yield left - 0.6, left + PER_LINE + 0.6, top + MEMORY_END, top + MEMORY, "rest"


def _sectors(half: Half, top: float) -> Iterator[tuple[Any, ...]]:
    """Moved once, moved again, or not yet; what the block has no element in stays empty."""
    held = set(half.sectors())
    first = half.page // PER_SECTOR
    for sector in range(first, first + WORDS // PER_SECTOR):
        times = half.moved(sector) if sector in held else 0
        role = "cost" if times > 1 else "move" if times else "cell"
        yield *half.x(sector), top + MEMORY_END + INSET, top + MEMORY - INSET, role


def _strokes(half: Half, top: float) -> Iterator[tuple[Any, ...]]:
    """Across every word of a sector moved more than once, so that grey tells it apart, too."""
    for sector in half.sectors():
        if half.moved(sector) > 1:
            left, _ = half.x(sector)
            for word in range(PER_SECTOR):
                yield left + word, left + word + 0.5, top + MEMORY - INSET, top + MEMORY_END + INSET, "cost"


def _shared(half: Half, hidden: bool) -> Iterator[tuple[Any, ...]]:
    """Shared memory, sector by sector: filled once it has been stored."""
    stored = 0 if hidden else half.count("store") * WORDS
    held = set(half.sectors())
    first = half.page // PER_SECTOR
    for sector in range(first, first + WORDS // PER_SECTOR):
        full = not hidden and sector in held and sector * PER_SECTOR < stored
        yield *half.x(sector), LOWER + SHARED_END, LOWER + SHARED, "move" if full else "cell"


def _now(half: Half, top: float) -> Iterator[tuple[Any, ...]]:
    """Around the elements that the instruction is about."""
    if half.now is None or not half.now.requests:
        return
    low, high = (MEMORY_END, MEMORY) if half.now.kind == "load" else (SHARED_END - 2, SHARED + 2)
    elements = sorted({element for request in half.now.requests for element in request.elements})
    first = elements[0]
    for element, following in pairwise([*elements, -1]):
        if following != element + 1 or following % PER_LINE == 0:  # a run ends here, or the line does
            left, right = place(first - half.page), place(element - half.page) + 1
            yield left - 0.3, right + 0.3, top + low, top + high, "ink"
            first = following


# ---------------------------------------------------------------------------------------------------- threads


def _loads(half: Half) -> Iterator[tuple[Any, ...]]:
    """From a warp up to a sector, one for each that its request asks for; those that move it lie on top."""
    seen: set[int] = set()
    found: list[tuple[Any, ...]] = []
    now, again = half.now, "rest" if half.cached else "cost"
    for step in half.done:
        for request in step.requests:
            if half.shows(request):
                for sector, x in half.ends(request):
                    role = again if sector in seen else "move"
                    seen.add(sector)
                    found.append((middle_of_warp(request.warp), x, role, step is now))
    yield from _weighed(found)


def _staging(half: Half) -> Iterator[tuple[Any, ...]]:
    """From a sector down to its copy in shared memory."""
    now = half.now is not None and half.now.kind in ("load", "store")
    for sector in half.sectors():
        if half.moved(sector):
            left, right = half.x(sector)
            yield (left + right) / 2, (left + right) / 2, "move", 2.0 if now else 1.25, 1.0 if now else 0.85


def _reads(half: Half) -> Iterator[tuple[Any, ...]]:
    """From a warp up to what it reads in shared memory."""
    now = half.now
    found = [
        (middle_of_warp(request.warp), x, "rest", step is now)
        for step in half.done
        if step.kind == "read"
        for request in step.requests
        if half.shows(request)
        for _, x in half.ends(request)
    ]
    yield from _weighed(found)


def _weighed(found: Sequence[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Many threads are drawn faint, few of them full; those of the instruction pointed out come last and bold."""
    alpha = min(0.85, max(0.13, 28 / max(len(found), 1)))
    for x0, x1, role, now in sorted(found, key=lambda one: (one[3], one[2] == "move")):
        yield x0, x1, role, 2.0 if now else 1.0, 1.0 if now else max(alpha, 0.6) if role == "move" else alpha


# ------------------------------------------------------------------------------------------------------ warps


def _ticks(half: Half, top: float, hidden: bool = False) -> Iterator[tuple[Any, ...]]:
    """One tick a thread: which of them take part in the instruction pointed out."""
    now = None if hidden else half.now
    role = {"load": "move", "store": "ink", "read": "ink", "barrier": "idle"}
    high = top + WARPS[top]
    for thread in range(WORDS):
        warp, lane = divmod(thread, WARP_LANES)
        own = next((r for r in now.requests if r.warp == warp), None) if now else None
        looks = "surface" if now else "rest"
        if now and (now.kind == "barrier" or (own and lane < own.loads)):
            looks = role[now.kind]
        x = place(warp * WARP_LANES) + lane + 0.5
        yield x, high - 4, high - BAND + 4, looks


def _barrier(half: Half, hidden: bool) -> str:
    return "ink" if not hidden and half.count("barrier") else "surface"
