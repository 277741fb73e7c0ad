"""Time lines: rows of bars over one time axis, waits hatched, events as arrows, the end in bold.

A figure says what happened as a `Chart`. Its `columns()` returns `columns(chart, words)`, its `build()`
`build(self)`, its `adjust()` calls `adjust(plot, chart)`, and its height is `HEIGHT` on both widths.
"""

from __future__ import annotations

from typing import Any

from bokeh.models import FixedTicker, Plot
from bokeh.models.glyphs import Quad, Scatter, Segment
from bokeh.models.glyphs import Text as TextGlyph

from widgets import marks
from widgets.figure import Figure
from widgets.marks import PHONE, WIDE
from widgets.theme import Roles
from widgets.timeline_chart import Arrow, Bar, Chart, Clash, Hold, Look, Row, span_of
from widgets.timeline_columns import HEIGHT, INNER, columns, cut, places, width_px

__all__ = [
    "HEIGHT", "Arrow", "Bar", "Chart", "Clash", "Hold", "Look", "Row",
    "adjust", "build", "columns", "span_of", "width_px",
]  # fmt: skip


def build(figure: Figure) -> Plot:
    """Return the drawing of the figure's time line; `adjust` sets its axis and names its rows."""
    plot = marks.canvas((0, 1), (0, INNER))
    plot.yaxis[0].update(visible=True, tags=[WIDE], ticker=FixedTicker(ticks=[]), major_label_text_font_style="bold")
    roles, source = Roles(), figure.source

    def glyph(name: str, mark: Any, tag: str = "") -> None:
        plot.add_glyph(source(name), mark).tags = [tag] if tag else []

    def box(name: str, **looks: Any) -> None:
        glyph(name, Quad(left="left", right="right", bottom="bottom", top="top", **looks))

    def text(name: str, tag: str = "", column: str = "text", **looks: Any) -> None:
        looks = {"text_color": roles("ink"), "text_align": "center", "text_baseline": "middle", **looks}
        size = {"value": "11px" if tag == PHONE else "12px"}
        glyph(name, TextGlyph(x="x", y="y", text=column, text_font_size=size, **looks), tag)

    ground: Any = {"background_fill_color": roles("gap"), "padding": (3, 0)}
    line: Any = {"line_color": roles("ink"), "line_width": 1.25}
    upright: Any = {"x0": "x", "x1": "x", "y0": "bottom", "y1": "top"}
    glyph("ticks", Segment(**upright, line_color=roles("ink", "line"), line_width=1))
    box("blanks", fill_color=None, line_dash=[2, 3], border_radius=4, **line)
    marks.idle(plot, source("holds"), roles)
    glyph("arrows", Segment(x0="x", x1="x", y0="y0", y1="y1", line_dash="dash", **line))
    glyph("arrows", Scatter(x="x", y="y1", marker="marker", size=8, fill_color=roles("ink"), line_color=None))
    marks.bars(plot, source("soft_squares"), roles, soft=True)
    marks.bars(plot, source("soft_pills"), roles, soft=True, pill=True)
    marks.bars(plot, source("squares"), roles)
    marks.bars(plot, source("pills"), roles, pill=True)
    box(
        "clashes", fill_color=roles("fill"), line_color=None, border_radius=2, hatch_pattern="left_diagonal_line",
        hatch_scale=8, hatch_color=roles("on"), hatch_alpha=0.45,
    )  # fmt: skip
    glyph("end", Segment(**upright, line_dash=[2, 3], **line))
    text("end", text_font_style="bold", text_align="right", x_offset=16)
    for tag, column in ((WIDE, "text"), (PHONE, "short")):
        text("ticks", tag, column)
        text("in_text", tag, column)
        text("on_text", tag, column, text_color=roles("on"), text_font_style="bold")
        text(f"by_{tag}", tag, text_align={"field": "align"}, x_offset={"field": "dx"}, **ground)
    text("names", PHONE, text_align="right", text_font_style="bold", background_fill_color=roles("gap"))
    marks.inspected(plot, source("marks"))
    marks.cursor(plot, source("cursor"))
    return plot


def adjust(plot: Plot, chart: Chart) -> None:
    """Set the time axis and the names of the rows, if they are others than before."""
    at = places(chart.rows)
    names = {at[row.key].y: cut(row.name) for row in chart.rows}
    ends = (-0.012 * chart.span, chart.span)  # half of the 0
    if (plot.x_range.start, plot.x_range.end) != ends:
        plot.x_range.update(start=ends[0], end=ends[1])
    axis = plot.yaxis[0]
    if axis.major_label_overrides != names:
        axis.ticker.ticks = list(names)
        axis.major_label_overrides = names
