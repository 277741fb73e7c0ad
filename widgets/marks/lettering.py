"""Words and numbers in a drawing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.models import ColumnDataSource, Plot
from bokeh.models.glyphs import Text as TextGlyph

from widgets.theme import Kind, Roles


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
