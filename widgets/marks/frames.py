"""What holds other marks: frames of blocks and SMs, what has no room in them, and lines from one scale to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.models import ColumnDataSource, Plot
from bokeh.models.glyphs import Patches, Quad, Segment

from widgets.theme import Roles


def frames(
    plot: Plot,
    source: ColumnDataSource,
    roles: Roles,
    *,
    radius: int = 6,
    width: float = 1.5,
    dash: Sequence[int] = (),
    tags: Sequence[str] = (),
) -> Any:
    """Frames from `left`, `right`, `bottom`, `top`, their line by role: a block has radius 6, an SM 3 and width 2."""
    frame = Quad(
        left="left", right="right", bottom="bottom", top="top", border_radius=radius, fill_color=None,
        line_color=roles("ink"), line_width=width, line_dash=list(dash),
    )  # fmt: skip
    renderer = plot.add_glyph(source, frame)
    renderer.tags = list(tags)
    return renderer


def beyond(plot: Plot, source: ColumnDataSource, roles: Roles) -> Any:
    """What sticks out of a frame that has no room for it: cross-ruled, from `left`, `right`, `bottom`, `top`."""
    return plot.add_glyph(
        source,
        Quad(
            left="left", right="right", bottom="bottom", top="top", fill_color=roles("fill"), line_color=None,
            hatch_pattern="left_diagonal_line", hatch_scale=6, hatch_weight=0.75, hatch_color=roles("on"),
            hatch_alpha=0.4,
        ),
    )  # fmt: skip


def zooms(plot: Plot, source: ColumnDataSource, roles: Roles) -> Any:
    """Tinted trapezia from a mark to the frame that shows it larger: `xs`, `ys` of four points each."""
    return plot.add_glyph(source, Patches(xs="xs", ys="ys", fill_color=roles("soft"), line_color=None))


def leads(plot: Plot, source: ColumnDataSource, roles: Roles, *, width: float = 1) -> Any:
    """Straight lines from `x0`, `y0` to `x1`, `y1`: from a mark to its larger picture, or to its text."""
    return plot.add_glyph(
        source, Segment(x0="x0", y0="y0", x1="x1", y1="y1", line_color=roles("ink"), line_width=width)
    )
