"""The share of slots that hold a block, over time: the lowest part of the block scheduler's drawing.

x counts percent of the drawing's width, y px of its height; time 0 lies at x = 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor, log10
from typing import Any

from bokeh.models import Plot
from bokeh.models.glyphs import Scatter, Segment

from sim.block_moments import Moment, moments
from widgets import marks, scheduler_words
from widgets.figure import Figure
from widgets.marks import PHONE, WIDE
from widgets.scheduler_words import EQUAL, Kernel
from widgets.theme import Roles
from widgets.timeline_columns import width_px
from widgets.words import Words

BOTTOM, TOP = 30, 128  # y of 0 and of 100 %
_NAMES = TOP + 11  # of the waves
_AXIS = 16  # of the times
_PX = {WIDE: 7.3, PHONE: 2.9}  # of one percent of the width
_EXACT = 300  # stretches that are drawn one by one; of more, so many instants are

Columns = dict[str, list[Any]]


def span_of(total_us: float) -> float:
    """Return an axis length that holds the total and its label, of few sizes, so that totals can be compared.

    >>> span_of(10.0), span_of(20.0), span_of(32.0), span_of(0.4)
    (25.0, 25.0, 50.0, 0.5)
    """
    least = 1.055 * total_us
    power = 10.0 ** floor(log10(least))
    return next(round(step * power, 12) for step in (1, 2.5, 5, 10) if step * power >= least * (1 - 1e-9))


def columns(kernel: Kernel, shown: Moment | None, words: Words) -> dict[str, Columns]:
    """Return the curve's sources; without a moment shown, all of it is still to be guessed."""
    if shown is None:
        empty: dict[str, Columns] = {name: {field: [] for field in fields} for name, fields in _FIELDS.items()}
        return empty | {"levels": _levels(words)}
    schedule = kernel.schedule
    unit = 100 / span_of(schedule.total_us)
    end, mean = schedule.total_us * unit, _y(schedule.busy_share)
    xs, ys = _outline(kernel, unit)
    x, align = (end + 1, "left") if end < 80 else (end - 1, "right")  # beside the end where there is room
    percent = words("{n} %", n=words.percent(schedule.busy_share))
    at = shown.at_us * unit
    taken = _y(shown.running / schedule.slots)
    waves = _waves(kernel, unit)
    return {
        "lost": _one("lost", 0.0, end, BOTTOM, TOP, "idle"),
        "area": {"xs": [xs], "ys": [ys], "role": ["compute"]},
        "mean": _one("mean", 0.0, mean, end, mean, "ink"),
        "mean_text": _one("mean_text", x, mean, percent, align, "ink", "surface"),
        "wave_ends": _table("wave_ends", ((x, BOTTOM, x, TOP, "surface") for _, x in waves[:-1])),
        "waves": _table("waves", _wave_names(waves, words)),
        "levels": _levels(words),
        "ticks": _table("ticks", _ticks(kernel, unit, words)),
        "end": _one("end", end, _AXIS, _end(kernel, words), "ink"),
        "now": _one("now", at, BOTTOM - 5, at, TOP + 4, "ink"),
        "point": _one("point", at, taken, "ink"),
    }


_FIELDS: dict[str, tuple[str, ...]] = {
    "lost": ("left", "right", "bottom", "top", "role"),
    "area": ("xs", "ys", "role"),
    **dict.fromkeys(("mean", "wave_ends", "now"), ("x0", "y0", "x1", "y1", "role")),
    "mean_text": ("x", "y", "text", "align", "role", "ground"),
    "waves": ("x", "y", "text", "short", "role"),
    "ticks": ("x", "y", "text", "short", "role"),
    "end": ("x", "y", "text", "role"),
    "point": ("x", "y", "role"),
}


def marks_of(kernel: Kernel, words: Words) -> Iterator[tuple[float, float, str]]:
    """Yield x, y and sentence of each moment on the curve."""
    unit = 100 / span_of(kernel.schedule.total_us)
    for moment in kernel.moments:
        y = _y(moment.running / kernel.schedule.slots)
        yield moment.at_us * unit, y, scheduler_words.moment_says(kernel, moment, words)


def _one(name: str, *values: object) -> Columns:
    return {field: [value] for field, value in zip(_FIELDS[name], values, strict=True)}


def _table(name: str, rows: Iterator[tuple[Any, ...]]) -> Columns:
    found = list(rows)
    return {field: [row[at] for row in found] for at, field in enumerate(_FIELDS[name])}


def _y(share: float) -> float:
    return BOTTOM + (TOP - BOTTOM) * share


def _outline(kernel: Kernel, unit: float) -> tuple[list[float], list[float]]:
    """Return the corners of the area under the curve."""
    schedule = kernel.schedule
    steps: Sequence[tuple[float, float, int]] = schedule.busy
    if len(steps) > _EXACT:
        at = tuple(schedule.total_us * k / _EXACT for k in range(_EXACT))
        counted = moments(schedule, at)
        steps = [
            (now.at_us, end, now.running) for now, end in zip(counted, (*at[1:], schedule.total_us), strict=True)
        ]  # fmt: skip
    xs, ys = [0.0], [float(BOTTOM)]
    for start, end, blocks in steps:
        y = _y(blocks / schedule.slots)
        xs += [round(start * unit, 3), round(end * unit, 3)]
        ys += [round(y, 3)] * 2
    return [*xs, xs[-1]], [*ys, float(BOTTOM)]


def _waves(kernel: Kernel, unit: float) -> list[tuple[float, float]]:
    """Return start and end of each wave; none where blocks differ, for then waves blur."""
    waves = kernel.schedule.waves
    if kernel.times != EQUAL or waves > 20:
        return []
    length = kernel.schedule.total_us * unit / waves
    return [(length * n, length * (n + 1)) for n in range(waves)]


def _wave_names(waves: Sequence[tuple[float, float]], words: Words) -> Iterator[tuple[Any, ...]]:
    """Yield the waves' names, or their numbers, or every second, third … of them, as there is room."""
    name = words("wave {n}", n=len(waves))
    length = waves[0][1] if waves else 0.0
    named = {tag: width_px(name) + 4 < length * px for tag, px in _PX.items()}
    every = {tag: ceil((width_px(str(len(waves))) + 5) / (length * px)) if waves else 1 for tag, px in _PX.items()}
    for n, (start, end) in enumerate(waves):
        texts = (
            words("wave {n}", n=n + 1) if named[tag] else "" if n % every[tag] else str(n + 1) for tag in (WIDE, PHONE)
        )
        yield (start + end) / 2, _NAMES, *texts, "rest"


def _levels(words: Words) -> Columns:
    shares = (0, 50, 100)
    texts = [words.num(share) for share in shares]
    return {"x": [-1.2] * 3, "y": [_y(share / 100) for share in shares], "text": texts, "role": ["rest"] * 3}


def _end(kernel: Kernel, words: Words) -> str:
    return words("{t} µs", t=kernel.us(kernel.schedule.total_us, words))


def _ticks(kernel: Kernel, unit: float, words: Words) -> Iterator[tuple[Any, ...]]:
    """Yield round times along the axis that keep clear of the end's."""
    total = kernel.schedule.total_us
    rough = span_of(total) / 5
    power = 10.0 ** floor(log10(rough))
    step = next(n * power for n in (1, 2, 5, 10) if n * power >= rough * (1 - 1e-9))
    end = width_px(_end(kernel, words))
    for n in range(ceil(span_of(total) / step)):
        x, text = n * step * unit, words.num(round(n * step, 9))
        apart = (end + width_px(text)) / 2 + 8
        near = {tag: abs(n * step - total) * unit * px < apart for tag, px in _PX.items()}
        yield x, _AXIS, "" if near[WIDE] else text, "" if near[PHONE] else text, "rest"


def build(plot: Plot, figure: Figure, roles: Roles) -> None:
    """Draw the sources of `columns`."""
    source = figure.source
    marks.idle(plot, source("lost"), roles)
    marks.zooms(plot, source("area"), roles).glyph.fill_color = roles("fill")
    plot.add_glyph(source("wave_ends"), _line(line_color=roles("fill"), line_width=1.5))
    plot.add_glyph(source("mean"), _line(line_color=roles("ink"), line_width=1.25, line_dash=[2, 3]))
    plot.add_glyph(source("now"), _line(line_color=roles("ink"), line_width=1.25))
    plot.add_glyph(source("point"), Scatter(x="x", y="y", size=8, fill_color=roles("ink"), line_color=None))
    for column, tag, size in (("text", WIDE, "12px"), ("short", PHONE, "11px")):
        for name in ("waves", "ticks"):
            marks.text(plot, source(name), roles, column=column, size=size, tags=[tag])
        marks.text(plot, source("levels"), roles, size=size, align="right", tags=[tag])
        marks.text(plot, source("end"), roles, size=size, bold=True, tags=[tag])
        marks.text(
            plot, source("mean_text"), roles, size=size, align="align", bold=True, ground="ground", tags=[tag]
        )  # fmt: skip


def _line(**look: Any) -> Segment:
    return Segment(x0="x0", y0="y0", x1="x1", y1="y1", **look)
