"""The empty drawing, its axes, its margins, and what the page needs in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.models import ColumnDataSource, FixedTicker, Grid, LinearAxis, Plot, Range1d
from bokeh.models.glyphs import Scatter

from widgets.theme import Roles
from widgets.words import NO_BREAK

PHONE, WIDE = "phone", "wide"
"""Tags of models that show on one width only; the page switches them without Python."""


def canvas(x: tuple[float, float], y: tuple[float, float], left: int = 8, right: int = 8) -> Plot:
    """Return an empty drawing without tools, axes or grid that fills its frame; y counts upwards.

    `left` and `right` are margins in px for labels outside the data.
    """
    # Not bokeh.plotting's figure: importing that costs the reader's Python as much as the whole drawing does.
    plot = Plot(
        x_range=Range1d(*x),
        y_range=Range1d(*y),
        toolbar_location=None,
        sizing_mode="stretch_both",
        min_border_left=left,
        min_border_right=right,
        match_aspect=False,
    )
    for side, dimension in (("below", 0), ("left", 1)):
        axis = LinearAxis(visible=False)
        plot.add_layout(axis, side)
        plot.add_layout(Grid(axis=axis, dimension=dimension, visible=False))
    plot.toolbar.active_drag = plot.toolbar.active_scroll = None
    return plot


def time_axis(plot: Plot, label: str = "") -> LinearAxis:
    """Show the x axis as time, with hairline grid; returns it so that ticks can follow the data."""
    plot.xaxis.visible = True
    plot.xaxis.axis_label = label or None
    plot.xgrid.visible = True
    plot.xaxis.ticker.desired_num_ticks = 6
    plot.xaxis.minor_tick_line_color = None
    return plot.xaxis[0]


def row_names(plot: Plot, names: Sequence[tuple[float, str]]) -> None:
    """Name rows at the left of the drawing (wide pages): (y, name) pairs."""
    axis = plot.yaxis[0]
    axis.visible = True
    axis.ticker = FixedTicker(ticks=[y for y, _ in names])
    axis.major_label_overrides = dict(names)
    axis.tags = [WIDE]


def names(
    plot: Plot,
    side: str,
    at: Sequence[tuple[float, str]],
    tags: Sequence[str],
    *,
    bold: bool = False,
    size: str = "12px",
    standoff: int = 6,
) -> LinearAxis:
    """Fixed names along a `side` ("above", "left", …): (place, name) pairs; `tags` show it on one width only."""
    axis = LinearAxis(
        ticker=FixedTicker(ticks=[place for place, _ in at]),
        major_label_overrides=dict(at),
        tags=list(tags),
        axis_line_color=None,
        major_tick_line_color=None,
        major_tick_out=0,
        major_tick_in=0,
        major_label_text_font_style="bold" if bold else "normal",
        major_label_text_font_size=size,
        major_label_standoff=standoff,
    )
    plot.add_layout(axis, side)
    return axis


def margin(plot: Plot, side: str, px: int, tags: Sequence[str]) -> LinearAxis:
    """Keep `px` free beside the data for labels with level "overlay", on one width only."""
    axis = names(plot, side, [], tags, standoff=0)
    axis.update(axis_label=NO_BREAK, axis_label_text_font_size="1px", axis_label_standoff=px)
    return axis


def inspected(plot: Plot, source: ColumnDataSource) -> Any:
    """Take the source `marks` into the document, where the page looks for it; nothing is drawn."""
    return plot.add_glyph(source, Scatter(x="x", y="y", size=0, fill_color=None, line_color=None))


def cursor(plot: Plot, source: ColumnDataSource, *, size: int = 18, marker: str = "circle") -> Any:
    """The ring around the inspected mark: the page moves it, `source` has empty columns `x`, `y`."""
    roles = Roles("role")
    return plot.add_glyph(
        source, Scatter(x="x", y="y", size=size, marker=marker, fill_color=None, line_color=roles("ink"), line_width=2)
    )
