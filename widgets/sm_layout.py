"""Where one SM's shelves lie in the drawing: x = 0 to 1 is a whole resource, heights are px on a wide page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sim.occupancy import Limiter

LEFT, RIGHT = -0.022, 1.085
"""Ends of the x axis; what sticks out of the SM ends at `TORN`."""
INNER = 530
"""Height of the drawing in px, of which the SM takes the upper half."""
TORN = 1.074
WIDE_PX, PHONE_PX = 744, 278
"""Width of a shelf on cards 840 and 324 px wide."""
TITLE, FRAME, FRAME_END = 8, 20, 270
SHELF: dict[Limiter, tuple[float, float]] = {
    "warps": (44, 102), "registers": (126, 172), "shared_memory": (196, 216), "blocks": (240, 260),
}  # fmt: skip
"""Top and bottom of each shelf, from the top of the drawing."""
HEADER = 11
"""Above a shelf, the middle of its words."""
LABEL, PAD = 17, 5
"""Room in a block's frame above and around its warps."""
STRIP, GAP = 10, 2
"""A partition's registers, and the gap to the next."""
BOX = ("left", "right", "bottom", "top", "role")

Columns = dict[str, list[Any]]
Rows = list[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Shown:
    """How much may show: blocks that are drawn, and what stands in the drawing until the reader has guessed."""

    blocks: int
    secret: str = ""


def table(rows: Rows, names: tuple[str, ...]) -> Columns:
    """Return rows as the columns of a source."""
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def strip(number: int) -> tuple[float, float]:
    """Return top and bottom of a partition's registers."""
    top = INNER - SHELF["registers"][0] - number * (STRIP + GAP)
    return top, top - STRIP


def level(name: Limiter) -> tuple[float, float]:
    """Return bottom and top of a shelf."""
    top, bottom = SHELF[name]
    return INNER - bottom, INNER - top


def bar_ends() -> tuple[float, float]:
    """Return bottom and top of a warp's bar."""
    bottom, top = level("warps")
    return bottom + PAD, top - LABEL
