"""Occupancy over one input, as the stairs that it is, with the reader's point and the step down beside it.

x runs from 0 to 1 over the axis, so that the stairs share the drawing's width with the shelves above them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any

from bokeh.models import Plot
from bokeh.models.glyphs import Quad, Scatter, Segment

from sim.gpus import multiprocessor
from sim.occupancy import MAX_REGISTERS, MAX_THREADS
from widgets import marks, occupancy_words
from widgets.figure import Figure
from widgets.marks import PHONE, WIDE
from widgets.occupancy_words import Kernel
from widgets.sm_layout import BOX, INNER, PHONE_PX, WIDE_PX, Columns, Rows, table
from widgets.theme import Roles
from widgets.timeline_columns import width_px
from widgets.words import N_, Words

_HEADER, _TOP, _BOTTOM, _TICKS = 286, 334, 506, 519
_LINE = ("x0", "x1", "y0", "y1", "role")
_TEXT = ("x", "y", "text", "short", "align", "role", "ground")
_LABEL = ("x", "y", "text", "align", "role", "ground")
_OVER = {
    "threads": N_("Occupancy over threads a block"), "registers": N_("Occupancy over registers a thread"),
    "shared_memory": N_("Occupancy over KiB of shared memory a block"),
}  # fmt: skip
_ROOM = 1.06  # where words must end


def build(plot: Plot, figure: Figure, roles: Roles) -> None:
    """Draw the sources of `columns`."""
    source = figure.source
    ends: dict[str, Any] = {"x0": "x0", "x1": "x1", "y0": "y0", "y1": "y1"}
    plot.add_glyph(source("levels"), Segment(**ends, line_color=roles("ink"), line_width=1))
    under = Quad(left="left", right="right", bottom="bottom", top="top", fill_color=roles("soft"), line_color=None)
    plot.add_glyph(source("under"), under)
    plot.add_glyph(source("rises"), Segment(**ends, line_color=roles("fill"), line_width=1))
    plot.add_glyph(source("treads"), Segment(**ends, line_color=roles("fill"), line_width=2.5))
    plot.add_glyph(source("drop"), Segment(**ends, line_color=roles("ink"), line_width=1.25, line_dash=[2, 3]))
    plot.add_glyph(source("cliff"), Segment(**ends, line_color=roles("fill"), line_width=2.5))
    point = Scatter(x="x", y="y", size=9, marker="circle", fill_color=roles("ink"), line_color=roles("gap"))
    plot.add_glyph(source("point"), point)
    for tag, size, column in ((WIDE, "12px", "text"), (PHONE, "11px", "short")):
        marks.text(plot, source("ticks"), roles, column=column, size=size, align="align", tags=[tag])
        marks.text(plot, source("curve_name"), roles, column=column, size=size, align="left", bold=True, tags=[tag])
        marks.text(
            plot, source(f"point_{tag}"), roles, size=size, align="align", bold=True, ground="ground", tags=[tag]
        )


def columns(kernel: Kernel, secret: bool, words: Words) -> dict[str, Columns]:
    """Return the data of the curve's sources."""
    end = _end(kernel)
    over = words(_OVER[kernel.axis])
    levels: Rows = [(0, 1, y, y, "cell") for y in map(_y, (0.5, 1.0))] + [(0, 1, _y(0), _y(0), "rest")]
    names: Rows = [(-0.014, INNER - _HEADER, over, over, "left", "ink", "surface")]
    found: dict[str, Rows] = {
        name: [] for name in ("under", "rises", "treads", "drop", "cliff", "point", "point_wide", "point_phone")
    }
    if not secret:
        found |= {
            "under": list(_under(kernel, end)),
            "treads": [(left, right, y, y, "compute") for left, right, y in _treads(kernel, end)],
            "rises": list(_rises(kernel, end)),
            **_point(kernel, end, words),
        }
    fields = {"under": BOX, "point": ("x", "y", "role"), f"point_{WIDE}": _LABEL, f"point_{PHONE}": _LABEL}
    return {
        "levels": table(levels, _LINE),
        "ticks": table(list(_ticks(kernel, end, words)), _TEXT),
        "curve_name": table(names, _TEXT),
        **{name: table(rows, fields.get(name, _LINE)) for name, rows in found.items()},
    }


def says(kernel: Kernel, words: Words) -> Iterator[tuple[float, float, str]]:
    """Yield the marks of the curve: its steps."""
    end = _end(kernel)
    for step, (left, right, y) in zip(kernel.steps, _treads(kernel, end), strict=True):
        yield (left + right) / 2, y, occupancy_words.step_says(kernel.axis, step, words)


def _y(share: float) -> float:
    return INNER - _BOTTOM + share * (_BOTTOM - _TOP)


def _end(kernel: Kernel) -> int:
    """Return the value at x = 1: the most there can be, or more if the kernel asks for more."""
    if kernel.axis == "shared_memory":
        return max(multiprocessor(kernel.fits.compute_capability).shared_bytes, kernel.at)
    return MAX_THREADS if kernel.axis == "threads" else MAX_REGISTERS + 1


def _treads(kernel: Kernel, end: int) -> Iterator[tuple[float, float, float]]:
    """Yield left, right and height of each step; the last runs to the end of the axis."""
    *first, last = kernel.steps
    for step in first:
        yield step.first / end, (step.last + 1) / end, _y(step.at_first.occupancy)
    yield last.first / end, 1, _y(last.at_first.occupancy)


def _under(kernel: Kernel, end: int) -> Iterator[tuple[Any, ...]]:
    """Yield what lies under the stairs, one box for neighbours of one height."""
    for y, run in groupby(_treads(kernel, end), key=lambda tread: tread[2]):
        same = list(run)
        yield same[0][0], same[-1][1], _y(0), y, "compute"


def _rises(kernel: Kernel, end: int) -> Iterator[tuple[Any, ...]]:
    for (_, x, before), (_, _, after) in pairwise(_treads(kernel, end)):
        yield x, x, before, after, "compute"


def _point(kernel: Kernel, end: int, words: Words) -> dict[str, Rows]:
    """Return the reader's point with its drop line and name, and the step down if one more falls off it."""
    fits, more, at = kernel.fits, kernel.one_more, kernel.at
    x, y = at / end, _y(fits.occupancy)
    here = words(
        "{value}: {blocks}", value=occupancy_words.value(kernel.axis, at, words),
        blocks=occupancy_words.blocks(fits.blocks_per_sm, words),
    )  # fmt: skip
    said = [(here, "ink")]
    cliff: Rows = []
    if more is not None and more.warps_per_sm < fits.warps_per_sm:
        low = _y(more.occupancy)
        cliff = [((at + 1) / end, (at + 1) / end, y, low, "cost")]
        lost = occupancy_words.blocks(more.blocks_per_sm, words)
        then = words("one more: {blocks}", blocks=lost)
        said.append((then, "cost"))
    return {
        "point": [(x, y, "ink")], "drop": [(x, x, _y(0), y, "ink")], "cliff": cliff,
        f"point_{WIDE}": list(_beside(x, y, said, WIDE_PX)), f"point_{PHONE}": list(_beside(x, y, said, PHONE_PX)),
    }  # fmt: skip


def _beside(x: float, y: float, said: Sequence[tuple[str, str]], px: float) -> Iterator[tuple[Any, ...]]:
    """Yield lines of words above the point: at its right, if they have room there."""
    fits = x + (max(width_px(text) for text, _ in said) + 8) / px < _ROOM
    at, align = (x + 8 / px, "left") if fits else (min(x, _ROOM) - 4 / px, "right")
    line = 15 if px == WIDE_PX else 19  # a phone's drawing is lower: 17 px
    for row, (text, role) in enumerate(reversed(said)):
        yield at, y + 12 + line * row, text, align, role, "surface"


def _ticks(kernel: Kernel, end: int, words: Words) -> Iterator[tuple[Any, ...]]:
    """Yield the numbers under the axis, fewer on phones, and those of the levels at the right."""
    unit, every = (1024, 32) if kernel.axis == "shared_memory" else (1, 256 if kernel.axis == "threads" else 32)
    last = end / unit
    if kernel.axis == "registers":
        last -= 1
    places = [*range(0, int(last) - every // 3, every), last]
    for number, place in enumerate(places):
        text = words.num(place, 0)
        few = (number % 2 == 0 and place <= last - 1.5 * every) or place == last
        x, align = place * unit / end, "left" if place == 0 else "center"
        yield x, INNER - _TICKS, text, text if few or len(places) < 6 else "", align, "rest", "surface"
    for percent in (0, 50, 100):
        text = words("{n} %", n=percent) if percent == 100 else str(percent)
        yield 1.012, _y(percent / 100), text, str(percent), "left", "rest", "surface"
