"""One SM as four shelves: the resident blocks on each, what is unused, and the next block where it finds no room.

A shelf's whole width, x = 0 to 1, is the SM's whole resource. Heights are px of the drawing on a wide page.
`columns` returns the data of the sources that `build` draws.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bokeh.models import Plot
from bokeh.models.glyphs import Quad

from sim.gpus import multiprocessor
from sim.occupancy import WARP_LANES, Limiter
from widgets import marks, occupancy_words
from widgets.figure import Figure
from widgets.marks import PHONE, WIDE
from widgets.occupancy_words import NAMES, Kernel
from widgets.theme import Roles
from widgets.timeline_columns import width_px
from widgets.words import Words

LEFT, RIGHT = -0.022, 1.085
"""Ends of the x axis; what sticks out of the SM ends at `_TORN`."""
INNER = 530
"""Height of the drawing in px, of which the SM takes the upper half."""
_TORN = 1.074
_WIDE_PX, _PHONE_PX = 744, 278  # of a shelf, on cards 840 and 324 px wide
_TITLE, _FRAME, _FRAME_END = 8, 20, 270
_SHELF: dict[Limiter, tuple[float, float]] = {  # top and bottom
    "warps": (44, 102), "registers": (126, 172), "shared_memory": (196, 216), "blocks": (240, 260),
}  # fmt: skip
_HEADER = 11  # above a shelf, the middle of its words
_LABEL, _PAD = 17, 5  # inside a block's frame, above and around its warps
_STRIP, _GAP = 10, 2  # a partition's registers
_SEAM = 0.0013  # half the gap between neighbours on a shelf
_DETAIL = 0.155  # x of the words beside a shelf's name

Columns = dict[str, list[Any]]
Rows = list[tuple[Any, ...]]
_BOX = ("left", "right", "bottom", "top", "role")


@dataclass(frozen=True, slots=True)
class Shown:
    """How much may show: blocks that are drawn, and what stands in the drawing until the reader has guessed."""

    blocks: int
    secret: str = ""


def build(plot: Plot, figure: Figure, roles: Roles) -> None:
    """Draw the sources of `columns`."""
    source = figure.source
    box: dict[str, Any] = {"left": "left", "right": "right", "bottom": "bottom", "top": "top", "border_radius": 1}
    plain = Quad(**box, fill_color=roles("fill"), line_color=None)
    for name in ("unused", "warp_bars"):
        plot.add_glyph(source(name), plain)
    marks.idle(plot, source("no_threads"), roles)
    plot.add_glyph(source("shares"), Quad(**box, fill_color=roles("soft"), line_color=roles("ink"), line_width=1))
    plot.add_glyph(source("reserve"), plain)
    marks.beyond(plot, source("beyond"), roles)
    marks.frames(plot, source("next"), roles, radius=2, width=1.25, dash=(3, 2))
    marks.frames(plot, source("block_frames"), roles, tags=[WIDE])
    marks.frames(plot, source("block_frames"), roles, radius=3, width=1, tags=[PHONE])
    marks.frames(plot, source("sm_frame"), roles, radius=3, width=2)
    for tag, size, column in ((WIDE, "12px", "text"), (PHONE, "11px", "short")):
        texts: dict[str, Any] = {"column": column, "size": size, "tags": [tag]}
        marks.text(plot, source("block_names"), roles, align="left", **texts)
        marks.text(plot, source("shelf_names"), roles, align="left", bold=True, **texts)
        marks.text(plot, source("rooms"), roles, align="right", **texts)
        marks.text(plot, source("limits"), roles, align="right", bold=True, **texts)
    marks.text(plot, source("details"), roles, align="left", tags=[WIDE])


def columns(kernel: Kernel, shown: Shown, words: Words) -> dict[str, Columns]:
    """Return the data of the SM's sources."""
    names, fits = list(_names(kernel, words)), list(_fits(kernel, shown, words))
    return {
        "unused": _table(list(_unused(kernel, shown)), _BOX),
        "warp_bars": _table(list(_bars(kernel, shown)), _BOX),
        "no_threads": _table(list(_no_threads(kernel, shown)), _BOX),
        "shares": _table(list(_shares(kernel, shown)), _BOX),
        "reserve": _table(list(_reserve(kernel, shown)), _BOX),
        **_next(kernel, shown),
        "block_frames": _table(list(_frames(kernel, shown)), _BOX),
        "sm_frame": _table([(-0.014, 1.014, INNER - _FRAME_END, INNER - _FRAME, "ink")], _BOX),
        "block_names": _table(list(_block_names(kernel, shown, words)), ("x", "y", "text", "short", "role")),
        "shelf_names": _table(names, ("x", "y", "text", "short", "role")),
        "rooms": _table([row for row in fits if row[-1] != "cost"], ("x", "y", "text", "short", "role")),
        "limits": _table([row for row in fits if row[-1] == "cost"], ("x", "y", "text", "short", "role")),
        "details": _table(list(_details(kernel, shown, words)), ("x", "y", "text", "role")),
    }


def says(kernel: Kernel, shown: Shown, words: Words) -> Iterator[tuple[float, float, str]]:
    """Yield the marks of the SM: blocks, warps, unused slots, partitions, other shelves, the next block."""
    fits, sm, secret = kernel.fits, kernel.sm, bool(shown.secret)
    slots = multiprocessor(fits.compute_capability).warps
    top, bottom = _SHELF["warps"]
    for block in range(shown.blocks):
        middle = (block + 0.5) * fits.warps_per_block / slots
        yield middle, INNER - top - 8, occupancy_words.block_says(fits, block, secret, words)
    middle_y = INNER - (top + _LABEL + bottom) / 2
    for warp, said in enumerate(occupancy_words.warp_says(fits, shown.blocks, secret, words)):
        yield (warp + 0.5) / slots, middle_y, said
    if shown.secret:
        return
    if left := sm["warps"].left:
        text = words.plural("{n} warp slot is unused", "{n} warp slots are unused", left)
        yield 1 - left / slots / 2, middle_y, text
    for number, part in enumerate(sm.partitions):
        middle = len(part.warps) * fits.registers_per_warp / part.registers / 2
        yield middle or 0.5, _strip(number)[0] - _STRIP / 2, occupancy_words.partition_says(kernel, number, words)
    for name in ("shared_memory", "blocks"):
        top, bottom = _SHELF[name]
        x = sm[name].used / sm[name].capacity / 2 or 0.5
        yield x, INNER - (top + bottom) / 2, occupancy_words.shelf_says(sm[name], words)
    for name in fits.limiters:
        top, bottom = _SHELF[name]
        yield 1.04, INNER - (top + bottom) / 2, occupancy_words.next_says(kernel, name, words)


# ------------------------------------------------------------------------------------- the shelves


def _table(rows: Rows, names: tuple[str, ...]) -> Columns:
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def _strip(number: int) -> tuple[float, float]:
    """Return top and bottom of a partition's registers."""
    top = INNER - _SHELF["registers"][0] - number * (_STRIP + _GAP)
    return top, top - _STRIP


def level(name: Limiter) -> tuple[float, float]:
    """Return bottom and top of a shelf."""
    top, bottom = _SHELF[name]
    return INNER - bottom, INNER - top


def _bar_ends() -> tuple[float, float]:
    bottom, top = level("warps")
    return bottom + _PAD, top - _LABEL


def _unused(kernel: Kernel, shown: Shown) -> Iterator[tuple[Any, ...]]:
    """Everything that nobody uses, as the empty shelf that it is."""
    slots = kernel.sm["warps"].capacity
    bottom, top = _bar_ends()
    for slot in range(shown.blocks * kernel.fits.warps_per_block, slots):
        yield (slot + 0.16) / slots, (slot + 0.84) / slots, bottom, top, "cell"
    for number in range(len(kernel.sm.partitions)):
        top, bottom = _strip(number)
        yield 0, 1, bottom, top, "cell"
    yield (0, 1, *level("shared_memory"), "cell")
    count = kernel.sm["blocks"].capacity
    bottom, top = level("blocks")
    for slot in range(shown.blocks, count):
        yield (slot + 0.06) / count, (slot + 0.94) / count, bottom, top, "cell"


def _lit(kernel: Kernel) -> float:
    """Return how much of a block's last warp has threads."""
    fits = kernel.fits
    return (fits.threads_per_block - WARP_LANES * (fits.warps_per_block - 1)) / WARP_LANES


def _bars(kernel: Kernel, shown: Shown) -> Iterator[tuple[Any, ...]]:
    """One bar a warp, as high as it has threads."""
    slots, each = kernel.sm["warps"].capacity, kernel.fits.warps_per_block
    bottom, top = _bar_ends()
    last = bottom + (top - bottom) * _lit(kernel)
    for warp in range(shown.blocks * each):
        yield (warp + 0.16) / slots, (warp + 0.84) / slots, bottom, top if (warp + 1) % each else last, "compute"


def _no_threads(kernel: Kernel, shown: Shown) -> Iterator[tuple[Any, ...]]:
    """The lanes of a last warp that have no thread."""
    slots, each = kernel.sm["warps"].capacity, kernel.fits.warps_per_block
    bottom, top = _bar_ends()
    if (lit := _lit(kernel)) < 1:
        for warp in range(each - 1, shown.blocks * each, each):
            yield (warp + 0.16) / slots, (warp + 0.84) / slots, bottom + (top - bottom) * lit, top, "idle"


def _frames(kernel: Kernel, shown: Shown) -> Iterator[tuple[Any, ...]]:
    slots, each = kernel.sm["warps"].capacity, kernel.fits.warps_per_block
    for block in range(shown.blocks):
        yield ((block * each + 0.03) / slots, ((block + 1) * each - 0.03) / slots, *level("warps"), "rest")


def _shares(kernel: Kernel, shown: Shown) -> Iterator[tuple[Any, ...]]:
    """What the blocks take of registers, warp by warp, of shared memory and of block slots."""
    each = kernel.fits.registers_per_warp / kernel.sm.partitions[0].registers
    mine = shown.blocks * kernel.fits.warps_per_block
    partitions = len(kernel.sm.partitions)
    for number in range(partitions):
        top, bottom = _strip(number)
        for at in range(len(range(number, mine, partitions)) if each else 0):
            yield *_inset(at * each, (at + 1) * each), bottom, top, "compute"
    shelf = kernel.sm["shared_memory"]
    if asked := kernel.fits.shared_bytes_per_block:
        for block in range(shown.blocks):
            left = block * shelf.block / shelf.capacity
            yield (*_inset(left, left + asked / shelf.capacity), *level("shared_memory"), "compute")
    count = kernel.sm["blocks"].capacity
    for block in range(shown.blocks):
        yield ((block + 0.06) / count, (block + 0.94) / count, *level("blocks"), "compute")


def _inset(left: float, right: float) -> tuple[float, float]:
    """Leave a gap between neighbours on a shelf."""
    gap = min(_SEAM, 0.15 * (right - left))
    return left + gap, right - gap


def _reserve(kernel: Kernel, shown: Shown) -> Iterator[tuple[Any, ...]]:
    """What a block is given of shared memory beyond what it asks for."""
    shelf, asked = kernel.sm["shared_memory"], kernel.fits.shared_bytes_per_block
    if shelf.block > asked:
        for block in range(shown.blocks):
            left = (block * shelf.block + asked) / shelf.capacity
            ends = _inset(left, (block + 1) * shelf.block / shelf.capacity)
            yield (*ends, *level("shared_memory"), "idle")


def _next(kernel: Kernel, shown: Shown) -> dict[str, Columns]:
    """The next block where it has no room: its outline, and the part of it that lies beyond the SM."""
    outline: Rows = []
    if not shown.secret:
        for name in kernel.fits.limiters:
            if name == "registers":
                outline += _next_registers(kernel)
                continue
            shelf = kernel.sm[name]
            ends = shelf.used / shelf.capacity, (shelf.used + shelf.block) / shelf.capacity
            outline.append((*ends, *level(name)))
    inside = [(left, min(right, 1.0), bottom, top, "cost") for left, right, bottom, top in outline if left < 1 - 1e-9]
    past = [
        (max(left, 1.0), min(right, _TORN), bottom, top, "cost")
        for left, right, bottom, top in outline
        if left < _TORN and right > 1 + 1e-9
    ]
    return {"next": _table(inside, _BOX), "beyond": _table(past, _BOX)}


def _next_registers(kernel: Kernel) -> Iterator[tuple[Any, ...]]:
    each = kernel.fits.registers_per_warp / kernel.sm.partitions[0].registers
    for number, part in enumerate(kernel.sm.partitions):
        top, bottom = _strip(number)
        for at in range(len(part.warps), len(part.warps) + len(part.next_warps)):
            yield at * each, (at + 1) * each, bottom, top


# -------------------------------------------------------------------------------------- the words


def _names(kernel: Kernel, words: Words) -> Iterator[tuple[Any, ...]]:
    cc = kernel.fits.compute_capability
    yield -0.014, INNER - _TITLE, words("One SM of compute capability {cc}", cc=cc), words("SM, {cc}", cc=cc), "ink"
    for name, (top, _) in _SHELF.items():
        text = words(NAMES[name])
        yield 0, INNER - top + _HEADER, text, text, "ink"


def _fits(kernel: Kernel, shown: Shown, words: Words) -> Iterator[tuple[Any, ...]]:
    """At the right above each shelf: how many blocks it has room for; red where that is the limit."""
    if shown.secret:
        yield 1, INNER - _TITLE, shown.secret, shown.secret, "rest"
        return
    text = words("the next block")
    yield _TORN, INNER - _TITLE, text, text, "cost"
    for shelf in kernel.sm.shelves:
        y = INNER - _SHELF[shelf.name][0] + _HEADER
        if shelf.fits is None:
            yield 1, y, words("any number of blocks"), words("any number"), "rest"
            continue
        room = occupancy_words.blocks(shelf.fits, words)
        if shelf.limits:
            yield (
                1,
                y,
                words("room for {blocks}: the limit", blocks=room),
                words("limit: {blocks}", blocks=room),
                "cost",
            )
        else:
            yield 1, y, words("room for {blocks}", blocks=room), room, "rest"


def _details(kernel: Kernel, shown: Shown, words: Words) -> Iterator[tuple[Any, ...]]:
    """Beside each shelf's name, on wide pages: what a block takes and what is used."""
    if shown.secret:
        return
    fits, num = kernel.fits, words.num
    for shelf in kernel.sm.shelves:
        y = INNER - _SHELF[shelf.name][0] + _HEADER
        used = {"used": num(shelf.used), "all": num(shelf.capacity)}
        if shelf.name == "warps":
            text = words("{n} a block · {used} of {all} used", n=fits.warps_per_block, **used)
        elif shelf.name == "registers":
            each = {"n": num(fits.registers_per_thread), "given": num(fits.registers_per_warp)}
            text = words("{n} a thread, {given} a warp · {used} of {all} used", **each, **used)
        elif shelf.name == "shared_memory":
            each = {"asked": num(fits.shared_bytes_per_block), "given": num(shelf.block)}
            text = words("{asked} bytes asked, {given} given a block · {used} of {all} used", **each, **used)
        else:
            text = words("{used} of {all} used", **used)
        yield _DETAIL, y, text, "rest"


def _block_names(kernel: Kernel, shown: Shown, words: Words) -> Iterator[tuple[Any, ...]]:
    """In the frames: "block 0" where it fits, else the number, else nothing; the same in all frames of a width."""
    slots, each = kernel.sm["warps"].capacity, kernel.fits.warps_per_block
    longest = words("block {n}", n=max(shown.blocks - 1, 0))

    def name(block: int, px: float) -> str:
        room = px * each / slots - 8
        if width_px(longest) <= room:
            return words("block {n}", n=block)
        return str(block) if width_px(str(shown.blocks - 1)) <= room + 3 else ""

    for block in range(shown.blocks):
        x = (block * each + 0.03) / slots + 4 / _WIDE_PX
        yield x, INNER - _SHELF["warps"][0] - 8, name(block, _WIDE_PX), name(block, _PHONE_PX), "ink"
