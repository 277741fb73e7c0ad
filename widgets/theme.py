"""One palette by meaning, and the Bokeh theme every drawing shares.

A glyph names a role, never a colour: its colour is `role(kind)` applied to a column of role names,
and the page swaps the palettes of these mappers when the reader switches between light and dark.
`palette.json` repeats the page's tokens; a test compares them.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Literal

from bokeh.models import CategoricalColorMapper
from bokeh.themes import Theme
from bokeh.transform import transform

Kind = Literal["fill", "ink", "soft", "on", "gap"]
_HERE = Path(__file__).parent


@cache
def palette() -> dict[str, Any]:
    """Return `palette.json`: role names in order, and for each theme five lists of colours."""
    loaded: dict[str, Any] = json.loads((_HERE / "palette.json").read_text("utf-8"))
    return loaded


@cache
def theme() -> Theme:
    """Return the light theme; axes, grids and labels follow the page through its CSS properties."""
    return Theme(json=json.loads((_HERE / "bokeh_theme.json").read_text("utf-8")))


class Roles:
    """The colour mappers of one drawing: `roles("fill")` is a colour by the `role` column."""

    def __init__(self, column: str = "role") -> None:
        self._column = column
        self._mappers: dict[str, CategoricalColorMapper] = {}

    def __call__(self, kind: Kind, column: str | None = None) -> Any:
        """Colour of `kind` for the role named in `column` of the glyph's source."""
        if kind not in self._mappers:
            self._mappers[kind] = CategoricalColorMapper(
                factors=palette()["factors"], palette=palette()["light"][kind], name=f"role-{kind}"
            )
        return transform(column or self._column, self._mappers[kind])
