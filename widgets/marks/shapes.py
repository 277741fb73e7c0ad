"""What stands on a rectangle: bars of a time line, waiting, cells, and the band around a warp."""

from __future__ import annotations

from typing import Any

from bokeh.models import ColumnDataSource, Plot
from bokeh.models.glyphs import Quad, Rect

from widgets.theme import Roles


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
