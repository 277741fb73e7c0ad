"""The visual dictionary: how a lane, a bank, a bar of a timeline … is drawn, in one place.

Every mark takes its data from a named source of the figure and its colours from roles in the
`role` column. Coordinates are data coordinates of a plot made by `canvas`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.models import ColumnDataSource, FixedTicker, Grid, LinearAxis, Plot, Range1d
from bokeh.models.glyphs import Bezier, MultiLine, Quad, Rect, Scatter
from bokeh.models.glyphs import Text as TextGlyph

from widgets.theme import Kind, Roles
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


def text(
    plot: Plot,
    source: ColumnDataSource,
    roles: Roles,
    *,
    kind: Kind = "ink",
    size: str = "12px",
    align: str = "center",
    baseline: str = "middle",
    x: str | float = "x",
    y: str | float = "y",
    column: str = "text",
    bold: bool = False,
    dx: float = 0,
    dy: float = 0,
    ground: str = "",
    tags: Sequence[str] = (),
) -> Any:
    """Write the `text` column at (x, y); `dx`, `dy` move it by px. `align` may name a column.

    `ground` names a column of roles: that fill lies under the text and clears what it crosses.
    """
    under: dict[str, Any] = {"background_fill_color": roles("fill", ground), "padding": 2} if ground else {}
    glyph = TextGlyph(
        x=x,
        y=y,
        text=column,
        text_color=roles(kind),
        text_align=align,
        text_baseline=baseline,
        text_font_size={"value": size},
        text_font_style="bold" if bold else "normal",
        x_offset=dx,
        y_offset=dy,
        **under,
    )
    renderer = plot.add_glyph(source, glyph)
    renderer.tags = list(tags)
    return renderer


def bars(plot: Plot, source: ColumnDataSource, roles: Roles, *, pill: bool = False, soft: bool = False) -> Any:
    """Bars from `left`, `right`, `bottom`, `top`: pills for what moves, square ends for what computes.

    `soft` bars have the tint and an outline in ink: host work, content of a slot.
    """
    return plot.add_glyph(
        source,
        Quad(
            left="left",
            right="right",
            bottom="bottom",
            top="top",
            border_radius=99 if pill else 2,
            fill_color=roles("soft" if soft else "fill"),
            line_color=roles("ink" if soft else "gap"),
            line_width=1.25 if soft else 1.5,
        ),
    )


def idle(plot: Plot, source: ColumnDataSource, roles: Roles) -> Any:
    """Waiting time: a hatch without outline, from `left`, `right`, `bottom`, `top`."""
    return plot.add_glyph(
        source,
        Quad(
            left="left",
            right="right",
            bottom="bottom",
            top="top",
            fill_color=None,
            line_color=None,
            hatch_pattern="right_diagonal_line",
            hatch_scale=11,
            hatch_weight=1,
            hatch_color=roles("ink"),
            hatch_alpha=0.7,
        ),
    )


def cells(
    plot: Plot, source: ColumnDataSource, roles: Roles, *, width: float = 0.8, height: float = 0.8, hatch: bool = True
) -> Any:
    """Cells centred at `x`, `y`: fill by role; with `hatch`, the column `hatch` holds a pattern or " "."""
    extra: dict[str, Any] = {}
    if hatch:
        extra = {
            "hatch_pattern": "hatch",
            "hatch_scale": 5,
            "hatch_weight": 0.5,
            "hatch_color": roles("on"),
            "hatch_alpha": 0.35,
        }
    return plot.add_glyph(
        source,
        Rect(
            x="x",
            y="y",
            width=width,
            height=height,
            border_radius=2,
            fill_color=roles("fill"),
            line_color=None,
            **extra,
        ),
    )


def lanes(plot: Plot, source: ColumnDataSource, roles: Roles, *, size: int = 12, dash: bool = False) -> Any:
    """Lanes as circles at `x`, `y`: fill by `role`, outline by `edge`.

    With `dash`, the column `dash` holds "solid", or "2 3" for masked ones.
    """
    extra: dict[str, Any] = {"line_dash": "dash"} if dash else {}
    return plot.add_glyph(
        source,
        Scatter(
            x="x",
            y="y",
            size=size,
            marker="circle",
            fill_color=roles("fill"),
            line_color=roles("ink", "edge"),
            line_width=1.25,
            **extra,
        ),
    )


def cups(plot: Plot, source: ColumnDataSource, roles: Roles) -> Any:
    """Banks as cups open at the top: `xs`, `ys` of four points each."""
    return plot.add_glyph(
        source, MultiLine(xs="xs", ys="ys", line_color=roles("ink"), line_width=1.25, line_join="round")
    )


def cursor(plot: Plot, source: ColumnDataSource, *, size: int = 18, marker: str = "circle") -> Any:
    """The ring around the inspected mark: the page moves it, `source` has empty columns `x`, `y`."""
    roles = Roles("role")
    return plot.add_glyph(
        source, Scatter(x="x", y="y", size=size, marker=marker, fill_color=None, line_color=roles("ink"), line_width=2)
    )


def threads(plot: Plot, source: ColumnDataSource, roles: Roles) -> Any:
    """Requests from a lane at `x0` down to a bank or sector at `x1`: `wide` and `alpha` say which are served now.

    Columns `y0`, `y1` are the ends, `c0`, `c1` the heights of the control points, 0.55 and 0.50 of the drop below `y0`.
    """
    return plot.add_glyph(
        source,
        Bezier(
            x0="x0",
            y0="y0",
            x1="x1",
            y1="y1",
            cx0="x0",
            cy0="c0",
            cx1="x1",
            cy1="c1",
            line_color=roles("ink"),
            line_width="wide",
            line_alpha="alpha",
        ),
    )


def bands(plot: Plot, source: ColumnDataSource, roles: Roles) -> Any:
    """A warp, or a part of one, as a band around its lanes: `left`, `right`, `bottom`, `top`."""
    return plot.add_glyph(
        source,
        Quad(
            left="left",
            right="right",
            bottom="bottom",
            top="top",
            border_radius=99,
            fill_color=None,
            line_color=roles("ink"),
            line_width=1,
        ),
    )


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
