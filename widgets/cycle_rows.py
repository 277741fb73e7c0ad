"""One scheduler cycle by cycle: what it issues, and below it what each of its warps does meanwhile.

Cycle n lies between x = n − 1 and n; heights are px of the drawing on a wide page. `columns` returns the data of the
sources that `build` draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from bokeh.models import Plot
from bokeh.models.glyphs import Quad, Segment

from sim.enough_warps import MAX_CYCLES, EnoughWarps, Span
from widgets import latency_words, marks
from widgets.figure import Figure
from widgets.marks import PHONE, WIDE
from widgets.theme import Roles
from widgets.words import Words

INNER = 506
"""Height of the drawing in px, of which the cycles take the upper half."""
ROWS = 16
"""Warps that there is room for: what a scheduler holds at most."""
_TITLE, _STRIP, _STRIP_END, _FIRST, _ROW, _TICKS = 8, 22, 38, 45, 12, 248
_PAD = 1  # px above and below a warp's bar
_BOX = ("left", "right", "bottom", "top", "role")
_TEXT = ("x", "y", "text", "short", "align", "role")

Columns = dict[str, list[Any]]
Rows = list[tuple[Any, ...]]


def middle(warp: int) -> float:
    """Return the middle of a warp's row."""
    return INNER - _FIRST - (warp + 0.5) * _ROW


def strip_middle() -> float:
    """Return the middle of the scheduler's row."""
    return INNER - (_STRIP + _STRIP_END) / 2


def build(plot: Plot, figure: Figure, roles: Roles) -> None:
    """Draw the sources of `columns`."""
    source = figure.source

    def box(name: str, kind: Any) -> None:
        quad = Quad(left="left", right="right", bottom="bottom", top="top", fill_color=roles(kind), line_color=None)
        plot.add_glyph(source(name), quad)

    box("rows", "fill")
    box("ahead", "soft")
    marks.idle(plot, source("waits"), roles)
    box("ready", "fill")
    box("issues", "fill")
    box("queues", "fill")
    gap = Segment(x0="x", x1="x", y0="bottom", y1="top", line_color=roles("fill"), line_width=1)
    plot.add_glyph(source("cuts"), gap)
    marks.frames(plot, source("now"), roles, radius=2)
    for tag, size, column in ((WIDE, "12px", "text"), (PHONE, "11px", "short")):
        texts: dict[str, Any] = {"column": column, "size": size, "tags": [tag]}
        marks.text(plot, source("cycle_ticks"), roles, align="align", **texts)
        marks.text(plot, source("titles"), roles, align="align", bold=True, **texts)
        number = marks.text(plot, source("row_numbers"), roles, align="right", dx=-8 if tag == WIDE else -4, **texts)
        number.level = "overlay"  # beside the rows, where the plot would cut it off


def row_names(words: Words) -> dict[str, list[tuple[float, str]]]:
    """Return the names at the left that never change, on wide pages and on phones."""
    return {
        WIDE: [(strip_middle(), words("scheduler")), (middle(0), words("warp {n}", n=0))],
        PHONE: [(middle(0), "0")],
    }


def columns(trace: EnoughWarps, at: int, stepping: bool, words: Words) -> dict[str, Columns]:
    """Return the data of the timeline's sources; what comes after cycle `at` is only hinted at."""
    spans = {doing: [span for span in trace.spans if span.doing == doing] for doing in ("issue", "wait", "queue")}
    issued = [cycle for cycle, warp in enumerate(trace.issuing) if warp is not None]
    idle = [cycle for cycle, warp in enumerate(trace.issuing) if warp is None]
    strip = (INNER - _STRIP_END, INNER - _STRIP)
    ahead = [(max(span.start, at), span.end, *_bar(span.warp), "compute") for span in spans["issue"] if span.end > at]
    done = [(span.start, min(span.end, at), *_bar(span.warp), "compute") for span in spans["issue"] if span.start < at]
    queued = [(span.warp, span.start, min(span.end, at)) for span in spans["queue"] if span.start < at]
    nothing, end = [(0, at, *strip, "idle")], trace.timeline.cycles
    return {
        "rows": _table(list(_rows(trace)), _BOX),
        "ahead": _table(ahead + [(n, n + 1, *strip, "compute") for n in issued if n >= at], _BOX),
        "issues": _table(done + [(n, n + 1, *strip, "compute") for n in issued if n < at], _BOX),
        "waits": _table([*_waits(spans["wait"], at), *(nothing if min(idle, default=at) < at else ())], _BOX),
        "ready": _table([(start, end, *_bar(warp), "surface") for warp, start, end in queued], _BOX),
        "queues": _table([(start, end, *_line(warp), "rest") for warp, start, end in queued], _BOX),
        "cuts": {
            "x": list(range(1, end)), "bottom": [INNER - _STRIP_END] * (end - 1), "top": [INNER - _STRIP] * (end - 1),
            "role": ["surface"] * (end - 1),
        },
        "now": _table([(at - 1, at, middle(ROWS - 1) - _ROW / 2 - 2, INNER - _STRIP + 3, "ink")] * stepping, _BOX),
        "cycle_ticks": _table(list(_ticks(at if stepping else 0, words)), _TEXT),
        "row_numbers": _table(
            [(0, middle(n), str(n), str(n), "right", "rest") for n in range(4, trace.slots // trace.schedulers, 4)],
            _TEXT,
        ),
        "titles": _table(list(_titles(trace, at, words)), _TEXT),
    }  # fmt: skip


def says(trace: EnoughWarps, words: Words) -> Iterator[tuple[float, float, str]]:
    """Yield the marks of the timeline: the scheduler's cycles, then what each warp does."""
    for cycle, said in enumerate(latency_words.cycle_says(trace, words)):
        yield cycle + 0.5, strip_middle(), said
    for span in trace.spans:
        yield (span.start + span.end) / 2, middle(span.warp), latency_words.span_says(span, words)


def _table(rows: Rows, names: tuple[str, ...]) -> Columns:
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def _bar(warp: int) -> tuple[float, float]:
    y = middle(warp)
    return y - _ROW / 2 + _PAD, y + _ROW / 2 - _PAD


def _line(warp: int) -> tuple[float, float]:
    y = middle(warp)
    return y - 1, y + 1


def _waits(spans: Sequence[Span], at: int) -> Iterator[tuple[Any, ...]]:
    """Yield one hatch a warp, from its first wait to its last; what it does in between is drawn over it.

    A hatch on each wait would take the page half a second to draw.
    """
    for warp, own in groupby(sorted(spans, key=lambda span: span.warp), key=lambda span: span.warp):
        seen = [(span.start, min(span.end, at)) for span in own if span.start < at]
        if seen:
            yield min(start for start, _ in seen), max(end for _, end in seen), *_bar(warp), "idle"


def _rows(trace: EnoughWarps) -> Iterator[tuple[Any, ...]]:
    """What is not used: the rows of warps that are not there, and cycles after the last whole period."""
    end = trace.timeline.cycles
    for warp in range(trace.slots // trace.schedulers):
        start = end if warp < trace.timeline.warps else 0
        yield start, MAX_CYCLES, *_bar(warp), "cell"
    yield end, MAX_CYCLES, INNER - _STRIP_END, INNER - _STRIP, "cell"


def _ticks(at: int, words: Words) -> Iterator[tuple[Any, ...]]:
    """Yield the numbers of cycles under their middles, and the one that the stepper is at."""
    y = INNER - _TICKS
    for cycle in (1, *range(10, MAX_CYCLES + 1, 10)):
        if abs(cycle - at) > 3 or not at:
            text = words("cycle {n}", n=cycle) if cycle == 1 and not 0 < at < 9 else str(cycle)
            x, align = (
                (0, "left") if cycle == 1 else (cycle, "right") if cycle == MAX_CYCLES else (cycle - 0.5, "center")
            )
            yield x, y, text, str(cycle), align, "rest"
    if at:
        yield at - 0.5, y, str(at), str(at), "center", "ink"


def _titles(trace: EnoughWarps, at: int, words: Words) -> Iterator[tuple[Any, ...]]:
    y = INNER - _TITLE
    yield (
        0,
        y,
        words("One of the SM’s {n} schedulers", n=trace.schedulers),
        words("A scheduler and its warps"),
        "left",
        "ink",
    )
    busy = sum(warp is not None for warp in trace.issuing[:at])
    text = words.plural("issues in {busy} of {n} cycle", "issues in {busy} of {n} cycles", at, busy=busy)
    yield MAX_CYCLES, y, text, words("busy {busy} of {all}", busy=busy, all=at), "right", "compute"
