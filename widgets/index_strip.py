"""The uppermost scale of a launch: its blocks in a strip, few enough to be told apart, and what their warps do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sim.launch_index import WARP_LANES, Launch
from widgets import index_words
from widgets.words import Words

TOP, BOTTOM = 467, 411  # y of the blocks' edges
_START, _SPAN = -0.5, 32.0  # lanes, which the rows below count x in
_ALL, _SOME = 8, 5  # blocks that there is room for, and how many are drawn where there are more
_MIDDLE = (TOP + BOTTOM) / 2
_BARS = (TOP - 21, BOTTOM + 6)  # where the warps are, under the block's number

Columns = dict[str, list[Any]]


@dataclass(frozen=True, slots=True)
class Box:
    """A block's frame; `gap` is the middle of what is left out before it, None if nothing is."""

    block: int
    left: float
    right: float
    gap: float | None


def shown_blocks(blocks: int, chosen: int) -> tuple[int, ...]:
    """Choose the blocks drawn: all of few; else the first, the last and those around the chosen one.

    >>> shown_blocks(8, 3), shown_blocks(7813, 7812), shown_blocks(100, 50)
    ((0, 1, 2, 3, 4, 5, 6, 7), (0, 7809, 7810, 7811, 7812), (0, 49, 50, 51, 99))
    """
    if blocks <= _ALL:
        return tuple(range(blocks))
    found: set[int] = set()
    for size in range(_SOME - 2, _SOME):  # around one of the ends, the end is among them
        first = min(max(0, chosen - size // 2), blocks - size)
        found = {0, blocks - 1, *range(first, first + size)}
        if len(found) == _SOME:
            break
    return tuple(sorted(found))


def places(blocks: int, chosen: int) -> tuple[Box, ...]:
    """Place the blocks drawn from left to right; gaps for those left out share one's width."""
    shown = shown_blocks(blocks, chosen)
    width = _SPAN / (_ALL if blocks <= _ALL else _SOME + 1)
    gaps = sum(after - block > 1 for block, after in pairwise(shown))
    found, x, before = [], _START, -1
    for block in shown:
        gap = None
        if block - before > 1:
            room = (_SPAN - width * len(shown)) / gaps
            gap, x = x + room / 2, x + room
        found.append(Box(block, x + 0.15, x + width - 0.15, gap))
        x, before = x + width, block
    return tuple(found)


def columns(launch: Launch, strip: Sequence[Box], chosen: int, hidden: bool, words: Words) -> dict[str, Columns]:
    """Return the sources `blocks`, `bars` and `numbers`; while the check is to be guessed there are no bars."""
    bars = [] if hidden else [bar for box in strip for bar in _bars(launch, box)]
    numbers = list(_numbers(strip, words))
    return {
        "blocks": {
            "left": [box.left for box in strip], "right": [box.right for box in strip],
            "bottom": [BOTTOM] * len(strip), "top": [TOP] * len(strip),
            "role": ["ink" if box.block == chosen else "surface" for box in strip],
        },
        "bars": _table(bars, ("left", "right", "bottom", "top", "role")),
        "numbers": _table(numbers, ("x", "y", "text", "short", "role")),
    }  # fmt: skip


def _table(rows: Sequence[tuple[Any, ...]], names: Sequence[str]) -> Columns:
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def _bars(launch: Launch, box: Box) -> Iterator[tuple[float, float, float, float, str]]:
    """Yield a block's warps as bars as long as their threads, parted where the bounds check parts them."""
    top, bottom = _BARS
    pitch = (top - bottom) / launch.warps_per_block
    gap = 1.5 if pitch > 3 else 0
    left, unit = box.left + 0.4, (box.right - box.left - 0.8) / WARP_LANES
    for warp in launch.block(box.block):
        high = top - warp.warp * pitch
        cut, end = left + unit * warp.live, left + unit * warp.threads
        if warp.live:
            yield left, cut, high - pitch + gap, high, "compute"
        if warp.live < warp.threads:
            yield cut, end, high - pitch + gap, high, "cost" if warp.diverges else "idle"


def _numbers(strip: Sequence[Box], words: Words) -> Iterator[tuple[float, float, str, str, str]]:
    """Yield each block's number inside its frame, and dots where blocks are left out."""
    for box in strip:
        if box.gap is not None:
            yield box.gap, _MIDDLE, "…", "…", "rest"
        number = words.num(box.block)  # a frame among few is 37 px wide on a phone
        yield (box.left + box.right) / 2, TOP - 10, number, number if len(number) < 7 else "", "rest"


def marks_of(launch: Launch, strip: Sequence[Box], hidden: bool, words: Words) -> Iterator[tuple[float, float, str]]:
    """Yield x, y and sentence of each block, and of each gap between them."""
    before = -1
    for box in strip:
        if box.gap is not None:
            yield box.gap, _MIDDLE, index_words.gap_says(launch, before + 1, box.block - 1, words)
        yield (box.left + box.right) / 2, _MIDDLE, index_words.block_says(launch, box.block, hidden, words)
        before = box.block
