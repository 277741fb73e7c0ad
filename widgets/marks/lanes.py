"""Lanes, banks, and the threads that join what asks with what is asked."""

from __future__ import annotations

from typing import Any

from bokeh.models import ColumnDataSource, Plot
from bokeh.models.glyphs import Bezier, MultiLine, Scatter

from widgets.theme import Roles


def lanes(plot: Plot, source: ColumnDataSource, roles: Roles, *, size: int | str = 12, dash: bool = False) -> Any:
    """Lanes as circles at `x`, `y`: fill by `role`, outline by `edge`.

    `size` in px may name a column. With `dash`, the column `dash` holds "solid", or "2 3" for masked ones.
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
