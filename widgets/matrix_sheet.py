"""What the drawings of a matrix product share: sources filled row by row, and texts that show only where they fit.

x runs from 0 to 1000 across the drawing, y from 0 to 1000 upwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bokeh.models import Plot
from bokeh.models.glyphs import Quad
from bokeh.models.glyphs import Text as TextGlyph

from widgets import marks
from widgets.figure import Figure
from widgets.marks import PHONE, WIDE
from widgets.theme import Kind, Roles
from widgets.timeline import width_px

SIDE = 130
"""Px kept free at either side of a wide drawing, so that cells are not much wider than high."""
BOX = ("left", "right", "bottom", "top", "role")
TEXT = ("x", "y", WIDE, PHONE, "wide_px", "phone_px", "role", "align", "style")
_FRAME = {WIDE: 560, PHONE: 306}  # px across 0 … 1000 at which texts are fitted
_SMALL = {WIDE: 12, PHONE: 11}

Box = tuple[float, float, float, float]
"""Left, right, bottom, top."""


class Sheet:
    """The rows of every source, as they are filled."""

    def __init__(self, fields: Mapping[str, Sequence[str]]) -> None:
        self.columns: dict[str, dict[str, list[Any]]] = {
            source: {field: [] for field in names} for source, names in fields.items()
        }

    def add(self, source: str, *row: object) -> None:
        """Add a row to a source, in the order of its fields."""
        for column, value in zip(self.columns[source].values(), row, strict=True):
            column.append(value)

    def box(self, source: str, box: Box, role: str, *rest: object) -> None:
        """Add a box."""
        self.add(source, *box, role, *rest)

    def text(
        self, source: str, x: float, y: float, texts: str | Sequence[str], role: str = "rest", *, room: float = 1000,
        align: str = "center", bold: bool = False, px: Mapping[str, int] = _SMALL, on: Sequence[str] = (WIDE, PHONE),
    ) -> None:  # fmt: skip
        """Write on each width the first of some texts that fits `room` thousandths of the drawing, if one does."""
        choices = [texts] if isinstance(texts, str) else texts
        chosen = {
            tag: next((text for text in choices if tag in on and fits(text, room, tag, px[tag])), "") for tag in _FRAME
        }
        sizes = [f"{px[tag]}px" for tag in _FRAME]
        self.add(source, x, y, *chosen.values(), *sizes, role, align, "bold" if bold else "normal")


def fits(text: str, room: float, tag: str, px: int = 12) -> bool:
    """Say whether a text fits `room` thousandths of the drawing on a width of the page."""
    return width_px(text, px) <= room * _FRAME[tag] / 1000 - 2


def canvas() -> Plot:
    """Return the empty drawing, narrower than a wide page."""
    plot = marks.canvas((-4, 1004), (-4, 1004))  # half a line around
    for side in ("left", "right"):
        marks.margin(plot, side, SIDE, [WIDE])
    return plot


def texts(plot: Plot, figure: Figure, name: str, roles: Roles, kind: Kind = "ink") -> None:
    """Draw a source of texts, once for each width of the page."""
    for tag in (WIDE, PHONE):
        glyph = TextGlyph(
            x="x", y="y", text=tag, text_color=roles(kind), text_align={"field": "align"}, text_baseline="middle",
            text_font_size={"field": f"{tag}_px"}, text_font_style={"field": "style"},
        )  # fmt: skip
        plot.add_glyph(figure.source(name), glyph).tags = [tag]


def quads(plot: Plot, figure: Figure, name: str, **looks: Any) -> None:
    """Draw a source of boxes."""
    plot.add_glyph(figure.source(name), Quad(left="left", right="right", bottom="bottom", top="top", **looks))
