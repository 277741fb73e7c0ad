"""Two shares over the warps of an SM, each a ramp up to its knee: schedulers that are busy, and memory's peak.

x is 0 to `MAX_CYCLES` over 0 to `END` warps, so that the ramps share the drawing's width with the cycles above.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
_HEADER, _UPPER, _LOWER, _TOP, _BOTTOM, _TICKS = 275, 296, 312, 324, 480, 494
_LOW, _HIGH = 0.15, 0.85  # shares below and above which names have less room
_PHONE_PX = 270.0  # of the axis, on a card 324 px wide
_BOX = ("left", "right", "bottom", "top", "role")
_LINE = ("x0", "x1", "y0", "y1", "role")
_READ = ("x", "y", "low", "high", "role")
_TEXT = ("x", "y", "text", "short", "align", "role", "ground")

Columns = dict[str, list[Any]]
Rows = list[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class _Knee:
    """A ramp's corner in warps, with its name in a row above; one beyond the axis is named at its end."""

    corner: float
    text: str
    role: str
    row: float
    align: str

    def line(self) -> tuple[Any, ...]:
        """The line from the corner up to its name."""
        return _x(self.corner), _x(self.corner), _y(1), INNER - self.row - 7, self.role

    def name(self) -> tuple[Any, ...]:
        """The name: it ends, or begins, at the corner."""
        y, text = INNER - self.row, self.text
        if self.corner > END:
            if self.role != "rest":
                text += " →"
            return MAX_CYCLES, y, text, text, "right", self.role, "surface"
        x = _x(self.corner) + (0.5 if self.align == "right" else -0.5)
        return min(x, MAX_CYCLES), y, text, text, self.align, self.role, "surface"


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
    marks.readings(plot, source("recorded"), roles)
    marks.readings(plot, source("live"), roles, live=True)
    point = Scatter(x="x", y="y", size=9, marker="circle", fill_color=roles("ink"), line_color=roles("gap"))
    plot.add_glyph(source("points"), point)
    for tag, size, column in ((WIDE, "12px", "text"), (PHONE, "11px", "short")):
        texts: dict[str, Any] = {"column": column, "size": size, "align": "align", "tags": [tag]}
        marks.text(plot, source("warp_ticks"), roles, **texts)
        marks.text(plot, source("ramp_title"), roles, bold=True, **texts)
        marks.text(plot, source("ramp_notes"), roles, **texts)
        marks.text(plot, source("read_names"), roles, **texts)
        marks.text(plot, source("knee_names"), roles, bold=True, **texts)
        marks.text(plot, source("labels"), roles, bold=True, ground="ground", **texts)


def level_names(words: Words) -> dict[str, list[tuple[float, str]]]:
    """Return the names at the left of the levels, on wide pages and on phones."""
    some = [(_y(0.0), "0"), (_y(0.5), "50")]
    return {WIDE: [*some, (_y(1.0), words("{n} %", n=100))], PHONE: [*some, (_y(1.0), "100")]}


def columns(trace: EnoughWarps, secret: str, words: Words) -> dict[str, Columns]:
    """Return the data of the ramps' sources; with a `secret`, memory's ramp is not there."""
    ramps = [("compute", trace.busy), *(() if secret else (("move", trace.bandwidth),))]
    knees = list(_knees(trace, secret, words))
    x, low = _x(trace.sm_warps), _y(0)
    wide, phone = words("Share reached, over the warps on an SM"), words("Share over warps on an SM")
    title: Rows = [(0, INNER - _HEADER, wide, phone, "left", "ink", "surface")]
    notes: Rows = [(_x(trace.slots) + 0.8, _y(0.06), words("no more slots"), "", "left", "rest", "cell")]
    heights = [_y(ramp.share(trace.sm_warps)) for _, ramp in ramps]
    return {
        "no_slots": _table([(_x(trace.slots), MAX_CYCLES, low, _y(1), "cell")], _BOX),
        "levels": _table([(0, MAX_CYCLES, _y(y), _y(y), "rest" if y == 0 else "cell") for y in (0, 0.5, 1)], _LINE),
        "ramps": _table([line for role, ramp in ramps for line in _lines(ramp, 0, trace.slots, role)], _LINE),
        "would": _table([line for role, ramp in ramps for line in _lines(ramp, trace.slots, END, role)], _LINE),
        "drops": _table([(x, x, low, max(heights), "ink")], _LINE),
        "knees": _table([knee.line() for knee in knees if knee.corner <= END], _LINE),
        "slots": _table([(_x(trace.slots), _x(trace.slots), low, _y(1), "ink")], _LINE),
        "points": {"x": [x] * len(heights), "y": heights, "role": ["ink"] * len(heights)},
        "warp_ticks": _table(list(_ticks(words)), _TEXT),
        "ramp_title": _table(title, _TEXT),
        "ramp_notes": _table(notes, _TEXT),
        "knee_names": _table([knee.name() for knee in knees], _TEXT),
        "labels": _table(list(_point_names(trace, secret, words)), _TEXT),
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Read:
    """What was read of such loads on this very GPU: warps an SM, GB/s, and its 20–80 whisker."""

    points: tuple[tuple[int, float, float, float], ...]
    name: str
    live: bool = False

    def columns(self, peak: float) -> Columns:
        """Return the diamonds."""
        rows = [(_x(warps), *(_y(rate / peak) for rate in rates), "ink") for warps, *rates in self.points]
        return _table(rows, _READ)

    def says(self, peak: float, words: Words) -> Iterator[tuple[float, float, str]]:
        """Yield a mark for each diamond."""
        for warps, rate, *_ in self.points:
            share = words.percent(rate / peak)
            told = {"name": self.name, "warps": latency_words.warps(warps, words)}
            said = words(
                "{name} · {warps} on the SM · {rate} GB/s, {share} % of the peak",
                rate=latency_words.rate(rate, words), share=share, **told,
            )  # fmt: skip
            yield _x(warps), _y(rate / peak), said


def read_columns(trace: EnoughWarps, read: Sequence[Read], words: Words) -> dict[str, Columns]:
    """Return the sources of the diamonds and the line that names them."""
    none: dict[str, Columns] = {name: _table([], _READ) for name in ("recorded", "live")}
    drawn = {"live" if one.live else "recorded": one.columns(trace.peak_gb_per_s) for one in read if one.points}
    named = words(", ").join(f"{'◆' if one.live else '◇'} {one.name}" for one in read if one.points)
    note = (_x(trace.slots) - 0.8, _y(0.07), named, named, "right", "rest", "surface")
    return none | drawn | {"read_names": _table([note] if named else [], _TEXT)}


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


def _ticks(words: Words) -> Iterator[tuple[Any, ...]]:
    for warps in range(0, END + 1, 16):
        align = "left" if not warps else "center" if warps < END else "right"
        text = str(warps)
        yield _x(warps), INNER - _TICKS, text, text, align, "rest", "surface"


def _knees(trace: EnoughWarps, secret: str, words: Words) -> Iterator[_Knee]:
    """Yield the knees, the upper name first; no line of one crosses the name of the other."""
    enough = latency_words.warps(trace.schedulers * trace.scheduler_knee, words)
    schedulers = trace.busy.corner, words("schedulers: {warps}", warps=enough), "compute"
    if secret:
        yield _Knee(END + 1, words("memory: {what}", what=secret), "rest", _UPPER, "right")
        yield _Knee(*schedulers, _LOWER, "right" if _room(*schedulers[:2]) else "left")
        return
    enough = latency_words.warps(trace.memory.knee_warps, words)
    memory = trace.bandwidth.corner, words("memory: {warps}", warps=enough), "move"
    first, last = sorted((schedulers, memory))
    if _room(*first[:2]):
        yield _Knee(*last, _UPPER, "right" if _room(*last[:2]) else "left")
        yield _Knee(*first, _LOWER, "right")
    else:
        yield _Knee(*first, _UPPER, "left")
        yield _Knee(*last, _LOWER, "right" if _x(last[0]) > MAX_CYCLES / 2 else "left")


def _room(corner: float, text: str) -> bool:
    """Say whether a knee's name has room at its left, on a phone."""
    return width_px(text, 11.5) / _PHONE_PX * MAX_CYCLES < _x(min(corner, END))


def _point_names(trace: EnoughWarps, secret: str, words: Words) -> Iterator[tuple[Any, ...]]:
    """Yield the shares beside the reader's points: the higher above, the lower below, clear of axis and peak."""
    at = trace.sm_warps
    shares = [("compute", trace.busy.share(at)), *(() if secret else (("move", trace.bandwidth.share(at)),))]
    shares.sort(key=lambda one: -one[1])
    ground = "cell" if at == trace.slots else "surface"
    last = _y(1) + 4.0
    for place, (role, share) in enumerate(shares):
        if place and share == shares[0][1]:
            return  # both at 100 %
        text = words("{n} %", n=words.percent(share))
        if place or share > _HIGH:  # at the right below, under what is there already
            last = min(max(_y(share) - 12, _y(0) + 10), last - 16)
            yield _x(at) + (1 if share > _LOW else 2.4), last, text, text, "left", role, ground
        elif at > END / 8:
            yield _x(at) - 0.9, _y(share) + 11, text, text, "right", role, "surface"
        else:
            yield 0.5, _y(share) + 20, text, text, "left", role, "surface"
