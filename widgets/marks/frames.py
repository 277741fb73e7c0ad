"""What holds other marks: the frame of a block or of an SM, and the lines that lead from one scale to the next."""

from __future__ import annotations

from typing import Any

from bokeh.models import ColumnDataSource, Plot
from bokeh.models.glyphs import Patches, Quad, Segment

from widgets.theme import Roles


def frames(plot: Plot, source: ColumnDataSource, roles: Roles, *, radius: int = 6, width: float = 1.5) -> Any:
    """Frames from `left`, `right`, `bottom`, `top`: a block's by default; an SM's has radius 3 and width 2."""
    return plot.add_glyph(
        source,
        Quad(
            left="left",
            right="right",
            bottom="bottom",
            top="top",
            border_radius=radius,
            fill_color=None,
            line_color=roles("ink"),
            line_width=width,
        ),
    )


def zooms(plot: Plot, source: ColumnDataSource, roles: Roles) -> Any:
    """Tinted trapezia from a mark to the frame that shows it larger: `xs`, `ys` of four points each."""
    return plot.add_glyph(source, Patches(xs="xs", ys="ys", fill_color=roles("soft"), line_color=None))


def leads(plot: Plot, source: ColumnDataSource, roles: Roles, *, width: float = 1) -> Any:
    """Straight lines from `x0`, `y0` to `x1`, `y1`: from a mark to its larger picture, or to its text."""
    return plot.add_glyph(
        source, Segment(x0="x0", y0="y0", x1="x1", y1="y1", line_color=roles("ink"), line_width=width)
    )
