"""What a time line shows, as plain values: rows, bars, waits, events, clashes, and where the time ends.

Times are in the chart's unit, heights in px.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10
from typing import Literal

Look = Literal["move", "compute", "host", "filling", "reading", "full"]


@dataclass(frozen=True, slots=True)
class Row:
    """A row, from top to bottom, `gap` px below the one above (at least 18 for texts in it).

    `short` is the name where there is no room beside the rows (phones), `note` stands in a row without bars.
    """

    key: str
    name: str
    gap: float = 18
    note: str = ""
    short: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """Something that lasts: the first of its `texts` that fits stands in it, `say` is for the inspector."""

    row: str
    start: float
    end: float
    look: Look
    texts: tuple[str, ...] = ()
    say: str = ""


@dataclass(frozen=True, slots=True)
class Hold:
    """A wait: the first of its `texts` that fits stands in it, or `above` it. One of no length is only said."""

    row: str
    start: float
    end: float
    texts: tuple[str, ...] = ()
    above: bool = False
    say: str = ""


@dataclass(frozen=True, slots=True)
class Arrow:
    """An event at one instant, from the row that records it to another row that waits for it."""

    row: str
    to: str
    at: float
    texts: tuple[str, ...] = ()
    dashed: bool = False
    say: str = ""


@dataclass(frozen=True, slots=True)
class Clash:
    """Two things at once that must not be: drawn as cost, its text above it. One of no length is only said."""

    row: str
    start: float
    end: float
    texts: tuple[str, ...] = ()
    say: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """All that a time line shows: `span` is the axis's length (`span_of`), `end` None is not told.

    `other` is an end to compare with, and what ends there.
    """

    rows: tuple[Row, ...]
    bars: tuple[Bar, ...]
    span: float
    end: float | None
    holds: tuple[Hold, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    clashes: tuple[Clash, ...] = ()
    unit: str = "µs"
    digits: int | None = None
    other: tuple[float, str] | None = None


def span_of(end: float) -> float:
    """Return an axis length that holds `end` and its label; it grows in few steps, so that a drag is steady.

    >>> span_of(265), span_of(262), span_of(385), span_of(5.44), span_of(0)
    (280.0, 280.0, 440.0, 6.0, 1.0)
    """
    if end <= 0:
        return 1.0
    least = 1.055 * end  # half of the end's label, on a phone
    power = 10.0 ** floor(log10(least))
    steps = (1, 1.2, 1.4, 1.6, 1.8, 2, 2.4, 2.8, 3.2, 3.6, 4, 4.4, 5, 6, 7, 8, 9, 10)
    return next(round(step * power, 12) for step in steps if step * power >= least * (1 - 1e-9))
