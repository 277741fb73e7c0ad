"""Memory as it is moved: words, eight of them a sector, four sectors a line of 128 bytes."""

from __future__ import annotations

from typing import Any

from bokeh.models import ColumnDataSource, Plot
from bokeh.models.glyphs import Quad, Segment

from widgets.theme import Roles


def lines(plot: Plot, source: ColumnDataSource, roles: Roles) -> Any:
    """The outer frame of a line, from `left`, `right`, `bottom`, `top`; it covers what lies behind it."""
    look = {"border_radius": 5, "fill_color": roles("gap"), "line_color": roles("ink"), "line_width": 1}
    return plot.add_glyph(source, _quad(**look))


def words(plot: Plot, source: ColumnDataSource, roles: Roles, *, hatch: bool = False) -> Any:
    """Words, or bytes of them: fill by role; with `hatch`, for few rows, its column holds a pattern or " "."""
    extra: dict[str, Any] = {}
    if hatch:
        extra = {
            "hatch_pattern": "hatch", "hatch_scale": 5, "hatch_weight": 0.5,
            "hatch_color": roles("on"), "hatch_alpha": 0.35,
        }  # fmt: skip
    return plot.add_glyph(source, _quad(fill_color=roles("fill"), line_color=None, **extra))


def strokes(plot: Plot, source: ColumnDataSource, roles: Roles) -> Any:
    """One slanted stroke on each word that is a cost, from `x0`, `y0` to `x1`, `y1`.

    Many small hatched rectangles would cost the browser a canvas each, and half a second a hundred of them.
    """
    stroke = Segment(x0="x0", x1="x1", y0="y0", y1="y1", line_color=roles("on"), line_width=1, line_alpha=0.45)
    return plot.add_glyph(source, stroke)


def links(plot: Plot, source: ColumnDataSource, roles: Roles) -> Any:
    """What joins two lines: a hairline where the second follows in memory, slanted strokes where bytes are left out.

    Columns `x0`, `x1`, `y0`, `y1`, one row a stroke.
    """
    return plot.add_glyph(source, Segment(x0="x0", x1="x1", y0="y0", y1="y1", line_color=roles("ink"), line_width=1.25))


def _quad(**look: Any) -> Quad:
    return Quad(left="left", right="right", bottom="bottom", top="top", **look)
