"""One SM as four shelves: the resident blocks on each, what is unused, and the next block where it finds no room.

`columns` returns the data of the sources that `build` draws.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bokeh.models import Plot
from bokeh.models.glyphs import Quad

from sim.gpus import multiprocessor
from widgets import marks, occupancy_words, sm_boxes, sm_lettering
from widgets.figure import Figure
from widgets.marks import PHONE, WIDE
from widgets.occupancy_words import Kernel
from widgets.sm_layout import BOX, FRAME, FRAME_END, INNER, LABEL, SHELF, STRIP, Columns, Shown, strip, table
from widgets.theme import Roles
from widgets.words import Words

_TEXT = ("x", "y", "text", "short", "role")


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
    names, fits = list(sm_lettering.names(kernel, words)), list(sm_lettering.fits(kernel, shown, words))
    return {
        "unused": table(list(sm_boxes.unused(kernel, shown)), BOX),
        "warp_bars": table(list(sm_boxes.bars(kernel, shown)), BOX),
        "no_threads": table(list(sm_boxes.no_threads(kernel, shown)), BOX),
        "shares": table(list(sm_boxes.shares(kernel, shown)), BOX),
        "reserve": table(list(sm_boxes.reserve(kernel, shown)), BOX),
        **sm_boxes.next_block(kernel, shown),
        "block_frames": table(list(sm_boxes.frames(kernel, shown)), BOX),
        "sm_frame": table([(-0.014, 1.014, INNER - FRAME_END, INNER - FRAME, "ink")], BOX),
        "block_names": table(list(sm_lettering.block_names(kernel, shown, words)), _TEXT),
        "shelf_names": table(names, _TEXT),
        "rooms": table([row for row in fits if row[-1] != "cost"], _TEXT),
        "limits": table([row for row in fits if row[-1] == "cost"], _TEXT),
        "details": table(list(sm_lettering.details(kernel, shown, words)), ("x", "y", "text", "role")),
    }


def says(kernel: Kernel, shown: Shown, words: Words) -> Iterator[tuple[float, float, str]]:
    """Yield the marks of the SM: blocks, warps, unused slots, partitions, other shelves, the next block."""
    fits, sm, secret = kernel.fits, kernel.sm, bool(shown.secret)
    slots = multiprocessor(fits.compute_capability).warps
    top, bottom = SHELF["warps"]
    for block in range(shown.blocks):
        middle = (block + 0.5) * fits.warps_per_block / slots
        yield middle, INNER - top - 8, occupancy_words.block_says(fits, block, secret, words)
    middle_y = INNER - (top + LABEL + bottom) / 2
    for warp, said in enumerate(occupancy_words.warp_says(fits, shown.blocks, secret, words)):
        yield (warp + 0.5) / slots, middle_y, said
    if shown.secret:
        return
    if left := sm["warps"].left:
        text = words.plural("{n} warp slot is unused", "{n} warp slots are unused", left)
        yield 1 - left / slots / 2, middle_y, text
    for number, part in enumerate(sm.partitions):
        middle = len(part.warps) * fits.registers_per_warp / part.registers / 2
        yield middle or 0.5, strip(number)[0] - STRIP / 2, occupancy_words.partition_says(kernel, number, words)
    for name in ("shared_memory", "blocks"):
        top, bottom = SHELF[name]
        x = sm[name].used / sm[name].capacity / 2 or 0.5
        yield x, INNER - (top + bottom) / 2, occupancy_words.shelf_says(sm[name], words)
    for name in fits.limiters:
        top, bottom = SHELF[name]
        yield 1.04, INNER - (top + bottom) / 2, occupancy_words.next_says(kernel, name, words)
