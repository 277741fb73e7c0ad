"""How reuse in a block is drawn: the glyphs over the sources of `widgets.reuse_columns`."""

from __future__ import annotations

from bokeh.models import Plot
from bokeh.models.glyphs import Bezier, Quad, Segment

from widgets import marks
from widgets.figure import Figure
from widgets.marks import PHONE, WIDE
from widgets.reuse_halves import (
    BAND,
    BARRIER,
    FLOOR,
    LOWER,
    MEMORY,
    MEMORY_END,
    SHARED,
    SHARED_END,
    SHELF,
    UPPER,
    WARPS,
    WIDTH,
)
from widgets.theme import Roles

HEIGHT, PHONE_HEIGHT = 490, 450


def build(figure: Figure) -> Plot:
    """Draw the sources of `columns`, and `marks`."""
    words, source, roles = figure.words, figure.source, Roles()
    plot = marks.canvas((-1.2, WIDTH + 1.2), (FLOOR, 0))
    rows = [
        (UPPER + (MEMORY + MEMORY_END) / 2, words("device memory")),
        (UPPER + WARPS[UPPER] - BAND / 2, words("the warps")),
        (LOWER + (MEMORY + MEMORY_END) / 2, words("device memory")),
        (LOWER + (SHARED + SHARED_END) / 2, words("shared memory")), (LOWER + sum(BARRIER) / 2, words("barrier")),
        (LOWER + WARPS[LOWER] - BAND / 2, words("the warps")),
    ]  # fmt: skip
    marks.names(plot, "left", rows, [WIDE], bold=True)
    ends = ((UPPER + WARPS[UPPER], UPPER + MEMORY_END), (LOWER + SHARED - 1, LOWER + MEMORY_END),
            (LOWER + WARPS[LOWER], LOWER + SHELF))  # fmt: skip
    for name, (low, high) in zip(("loads", "staging", "reads"), ends, strict=True):
        web = Bezier(
            x0="x0", y0=low, x1="x1", y1=high, cx0="x0", cy0=low + 0.45 * (high - low), cx1="x1",
            cy1=low + 0.5 * (high - low), line_color=roles("ink"), line_width="wide", line_alpha="alpha",
        )  # fmt: skip
        plot.add_glyph(source(name), web)
    marks.text(plot, source("labels"), roles, size="11px", align="left", ground="ground", tags=[PHONE])
    marks.lines(plot, source("lines"), roles)
    marks.words(plot, source("sectors"), roles)
    marks.strokes(plot, source("strokes"), roles)
    marks.words(plot, source("shared"), roles)
    gap = Segment(x0="x", x1="x", y0="y0", y1="y1", line_color=roles("gap"), line_width=1)
    plot.add_glyph(source("gaps"), gap).tags = [WIDE]
    plot.add_glyph(source("shelf"), Segment(x0="x0", x1="x1", y0="y", y1="y", line_color=roles("ink"), line_width=1.75))
    rule = Segment(x0=-0.6, x1=WIDTH + 0.6, y0="y", y1="y", line_color=roles("ink"), line_width=1.5)
    plot.add_glyph(source("barrier"), rule)
    now = Quad(left="left", right="right", bottom="bottom", top="top", fill_color=None, line_color=roles("ink"),
               line_width=2, border_radius=2)  # fmt: skip
    plot.add_glyph(source("now"), now)
    marks.bands(plot, source("bands"), roles)
    for tag, width in ((WIDE, 2.5), (PHONE, 1.25)):
        tick = Segment(x0="x", x1="x", y0="y0", y1="y1", line_color=roles("ink"), line_width=width)
        plot.add_glyph(source("ticks"), tick).tags = [tag]
    _lettering(plot, figure, roles)
    marks.cursor(plot, source("cursor"))
    marks.inspected(plot, source("marks"))
    return plot


def _lettering(plot: Plot, figure: Figure, roles: Roles) -> None:
    source = figure.source
    marks.text(plot, source("times"), roles, bold=True, tags=[WIDE])
    for tag, size in ((WIDE, "12px"), (PHONE, "11px")):
        marks.text(plot, source("titles"), roles, size=size, align="left", bold=True, tags=[tag])
        marks.text(plot, source("totals"), roles, size=size, align="right", bold=True, tags=[tag])
        marks.text(plot, source("names"), roles, size=size, tags=[tag])
    marks.text(plot, source("pages"), roles, tags=[WIDE])
    marks.text(
        plot, source("pages"), roles, column="short", x="phone_x", y="phone_y", size="11px", align="right", tags=[PHONE]
    )
    marks.text(plot, source("price"), roles, align="left", bold=True, tags=[WIDE])
    marks.text(plot, source("price"), roles, column="short", size="11px", align="left", bold=True, tags=[PHONE])
    for tag, size in ((WIDE, "14px"), (PHONE, "11px")):
        marks.text(plot, source("note"), roles, size=size, ground="ground", tags=[tag])
