"""Readings of hardware beside a model's line: diamonds with whiskers, always in ink."""

from __future__ import annotations

from typing import Any

from bokeh.models import ColumnDataSource, Plot
from bokeh.models.glyphs import Scatter, Segment

from widgets.theme import Roles


def readings(plot: Plot, source: ColumnDataSource, roles: Roles, *, live: bool = False) -> Any:
    """Diamonds at `x`, `y`, hollow for recorded readings and full for live ones; a whisker from `low` to `high`.

    A whisker is from the 20th to the 80th percentile of the samples whose median the diamond is.
    """
    whisker = Segment(x0="x", x1="x", y0="low", y1="high", line_color=roles("ink"), line_width=1.25)
    plot.add_glyph(source, whisker)
    fill = roles("ink" if live else "gap")
    return plot.add_glyph(
        source,
        Scatter(x="x", y="y", size=12, marker="diamond", fill_color=fill, line_color=roles("ink"), line_width=1.5),
    )
