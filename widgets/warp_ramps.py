"""Two shares over the warps of an SM, each a ramp up to its knee: schedulers that are busy, and memory's peak.

x is 0 to `MAX_CYCLES` over 0 to `END` warps, so that the ramps share the drawing's width with the cycles above.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from bokeh.models import Plot
from bokeh.models.glyphs import Quad, Scatter, Segment

from sim.enough_warps import MAX_CYCLES, EnoughWarps, Ramp
from widgets import latency_words, marks
from widgets.cycle_rows import INNER
from widgets.figure import Figure
from widgets.marks import PHONE, WIDE
from widgets.theme import Roles
from widgets.timeline_columns import width_px
from widgets.words import Words

END = 80
"""Warps at the right end of the axis: more than any SM holds, so that a knee beyond the slots can be seen."""
_HEADER, _UPPER, _LOWER, _TOP, _BOTTOM, _TICKS = 276, 297, 312, 324, 480, 494
_WIDE_PX, _PHONE_PX = 740.0, 290.0  # of the axis
_BOX = ("left", "right", "bottom", "top", "role")
_LINE = ("x0", "x1", "y0", "y1", "role")
_TEXT = ("x", "y", "text", "short", "align", "role", "ground")

Columns = dict[str, list[Any]]
Rows = list[tuple[Any, ...]]


def build(plot: Plot, figure: Figure, roles: Roles) -> None:
    """Draw the sources of `columns`."""
    source = figure.source
    ends: dict[str, Any] = {"x0": "x0", "x1": "x1", "y0": "y0", "y1": "y1"}
    none = Quad(left="left", right="right", bottom="bottom", top="top", fill_color=roles("fill"), line_color=None)
    plot.add_glyph(source("no_slots"), none)
    plot.add_glyph(source("levels"), Segment(**ends, line_color=roles("ink"), line_width=1))
    plot.add_glyph(source("ramps"), Segment(**ends, line_color=roles("fill"), line_width=2.5, line_cap="round"))
    would = Segment(**ends, line_color=roles("fill"), line_width=1.5, line_dash=[3, 3])
    plot.add_glyph(source("would"), would)
    plot.add_glyph(source("drops"), Segment(**ends, line_color=roles("ink"), line_width=1.25, line_dash=[2, 3]))
    plot.add_glyph(source("knees"), Segment(**ends, line_color=roles("ink"), line_width=1.25))
    plot.add_glyph(source("slots"), Segment(**ends, line_color=roles("ink"), line_width=2.5))
    point = Scatter(x="x", y="y", size=9, marker="circle", fill_color=roles("ink"), line_color=roles("gap"))
    plot.add_glyph(source("points"), point)
    for tag, size, column in ((WIDE, "12px", "text"), (PHONE, "11px", "short")):
        texts: dict[str, Any] = {"column": column, "size": size, "align": "align", "tags": [tag]}
        marks.text(plot, source("warp_ticks"), roles, **texts)
        marks.text(plot, source("labels"), roles, bold=True, ground="ground", **texts)


def columns(trace: EnoughWarps, secret: str, words: Words) -> dict[str, Columns]:
    """Return the data of the ramps' sources; with a `secret`, memory's ramp is not there."""
    ramps = [("compute", trace.busy), *(() if secret else (("move", trace.bandwidth),))]
    x, low = _x(trace.sm_warps), _y(0)
    heights = [_y(ramp.share(trace.sm_warps)) for _, ramp in ramps]
    return {
        "no_slots": _table([(_x(trace.slots), MAX_CYCLES, low, _y(1), "cell")], _BOX),
        "levels": _table([(0, MAX_CYCLES, _y(y), _y(y), "rest" if y == 0 else "cell") for y in (0, 0.5, 1)], _LINE),
        "ramps": _table([line for role, ramp in ramps for line in _lines(ramp, 0, trace.slots, role)], _LINE),
        "would": _table([line for role, ramp in ramps for line in _lines(ramp, trace.slots, END, role)], _LINE),
        "drops": _table([(x, x, low, max(heights), "ink")], _LINE),
        "knees": _table([line for role, ramp in ramps for line in _knee(ramp, role)], _LINE),
        "slots": _table([(_x(trace.slots), _x(trace.slots), low, _y(1), "ink")], _LINE),
        "points": {"x": [x] * len(heights), "y": heights, "role": ["ink"] * len(heights)},
        "warp_ticks": _table(list(_ticks(words)), _TEXT),
        "labels": _table(list(_labels(trace, secret, words)), _TEXT),
    }  # fmt: skip


def says(trace: EnoughWarps, secret: bool, words: Words) -> Iterator[tuple[float, float, str]]:
    """Yield the marks of the ramps: one for each number of warps that the SM can hold."""
    for warps in range(trace.schedulers, trace.slots + 1, trace.schedulers):
        ramp = trace.busy if secret else trace.bandwidth
        yield _x(warps), _y(ramp.share(warps)), latency_words.point_says(trace, warps, secret, words)


def _table(rows: Rows, names: tuple[str, ...]) -> Columns:
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def _x(warps: float) -> float:
    return MAX_CYCLES * warps / END


def _y(share: float) -> float:
    return INNER - _BOTTOM + share * (_BOTTOM - _TOP)


def _lines(ramp: Ramp, first: float, last: float, role: str) -> Iterator[tuple[Any, ...]]:
    """Yield the ramp between two numbers of warps: the slope, the flat, or both."""
    ends = [first, *([ramp.corner] if first < ramp.corner < last else []), last]
    for a, b in pairwise(ends):
        yield _x(a), _x(b), _y(ramp.share(a)), _y(ramp.share(b)), role


def _knee(ramp: Ramp, role: str) -> Iterator[tuple[Any, ...]]:
    """Yield a line from a corner up to its name."""
    if ramp.corner <= END:
        row = _UPPER if role == "move" else _LOWER
        yield _x(ramp.corner), _x(ramp.corner), _y(1), INNER - row - 7, role


def _ticks(words: Words) -> Iterator[tuple[Any, ...]]:
    for warps in range(0, END + 1, 16):
        align = "left" if not warps else "center" if warps < END else "right"
        text = str(warps)
        yield _x(warps), INNER - _TICKS, text, text, align, "rest", "surface"


def _labels(trace: EnoughWarps, secret: str, words: Words) -> Iterator[tuple[Any, ...]]:
    title = words("Share reached, over the warps on an SM")
    yield 0, INNER - _HEADER, title, words("Share over warps on an SM"), "left", "ink", "surface"
    yield _x(trace.slots) + 0.6, _y(0.06), words("no more slots"), "", "left", "rest", "cell"
    yield from _knee_names(trace, secret, words)
    yield from _point_names(trace, secret, words)


def _knee_names(trace: EnoughWarps, secret: str, words: Words) -> Iterator[tuple[Any, ...]]:
    """Yield the names over the knees: memory's in the upper row, the schedulers' in the lower."""
    enough = latency_words.warps(trace.schedulers * trace.scheduler_knee, words)
    named = [(trace.busy, words("schedulers: {warps}", warps=enough), _LOWER, "compute")]
    if secret:
        yield MAX_CYCLES, INNER - _UPPER, words("memory: {what}", what=secret), "", "right", "rest", "surface"
    else:
        enough = latency_words.warps(trace.memory.knee_warps, words)
        named.append((trace.bandwidth, words("memory: {warps}", warps=enough), _UPPER, "move"))
    for ramp, text, row, role in named:
        if ramp.corner > END:
            yield MAX_CYCLES, INNER - row, text + " →", text + " →", "right", role, "surface"
        else:
            yield *_centred(_x(ramp.corner), INNER - row, text), role, "surface"


def _centred(x: float, y: float, text: str) -> tuple[Any, ...]:
    """Return a text over x that stays inside the drawing at both ends."""
    half = width_px(text, 11) / 2 / _PHONE_PX * MAX_CYCLES
    if x + half > MAX_CYCLES:
        return MAX_CYCLES, y, text, text, "right"
    return (0, y, text, text, "left") if x < half else (x, y, text, text, "center")


def _point_names(trace: EnoughWarps, secret: str, words: Words) -> Iterator[tuple[Any, ...]]:
    """Yield the shares beside the reader's points: the higher at the left above, the lower at the right below."""
    at = trace.sm_warps
    shares = [("compute", trace.busy.share(at)), *(() if secret else (("move", trace.bandwidth.share(at)),))]
    shares.sort(key=lambda one: -one[1])
    for place, (role, share) in enumerate(shares):
        if place and share == shares[0][1]:
            return  # both at 100 %
        text = words("{n} %", n=words.percent(share))
        if place == 0 and share < 1 and at > END / 8:
            yield _x(at) - 0.9, _y(share) + 11, text, text, "right", role, "surface"
        else:
            yield _x(at) + 1, _y(share) - 12, text, text, "left", role, "surface"
