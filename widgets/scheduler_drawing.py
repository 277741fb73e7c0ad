"""How blocks flow to SMs is drawn: all blocks in the order of their launch, the SMs with their slots, the busy curve.

x counts percent of the drawing's width, y px of a drawing `HEIGHT` high. `columns` turns a kernel and the moment
shown into the sources that `build` draws; without a moment nothing of the run shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from bokeh.models import Plot
from bokeh.models.glyphs import Quad

from sim.block_moments import Moment, running
from sim.block_scheduler import Run
from widgets import marks, scheduler_curve, scheduler_places, scheduler_words
from widgets.figure import Figure
from widgets.marks import PHONE, WIDE
from widgets.scheduler_places import Box, Place
from widgets.scheduler_words import Kernel
from widgets.theme import Roles
from widgets.timeline_columns import width_px
from widgets.words import Words

HEIGHT, PHONE_HEIGHT = 520, 480
_LEFT, _RIGHT = -7.5, 100.6
_QUEUE, _STRIP = 499, (474, 488)  # y of the queue's title, and of its edges
_SMS = 456  # of the SMs' title
_CURVE = 157  # of the curve's title
_PX = {WIDE: 7.3, PHONE: 2.9}  # of one percent of the width

Columns = dict[str, list[Any]]
Held = dict[Place, Run]  # what the places hold
_BOX = ("left", "right", "bottom", "top", "role")
_TEXT = ("x", "y", "text", "role")


def columns(kernel: Kernel, shown: Moment | None, words: Words) -> dict[str, Columns]:
    """Return the data of every source."""
    size = kernel.sms, kernel.per_sm
    frames, places = scheduler_places.sm_boxes(kernel.sms), scheduler_places.place_boxes(*size)
    held = {(run.sm, run.slot): run for run in running(kernel.schedule, shown.at_us)} if shown else {}
    busy = {sm for sm, _ in held}
    guess = [] if shown else [words("your guess first")]
    rows = scheduler_places.free_rows(*size, held) if shown else ()
    middle = (scheduler_curve.BOTTOM + scheduler_curve.TOP) / 2
    says = list(_marks(kernel, shown, places, held, words))
    return {
        "strip": _table(_strip(kernel, shown, ("ended", "running")), _BOX),
        "queue": _table(_strip(kernel, shown, ("waiting",)), _BOX),
        "edge": _table([(0.0, 100.0, *_STRIP, "surface")], _BOX),
        "sms": _table(((*box, "rest" if sm in busy else "surface") for sm, box in enumerate(frames)), _BOX),
        "free": _table(((*box, "idle") for box in rows), _BOX),
        "cuts": _table(((*box, "surface") for box in scheduler_places.cuts(*size)), _BOX),
        "taken": _table(((*places[place], "compute") for place in held), _BOX),
        "unknown": _table(((*box, "cell") for box in places.values() if not shown), _BOX),
        "ids": _table(_ids(held, places, words), ("x", "y", "text", "short", "role")),
        "rows": _table(_rows(frames, words), ("x", "y", "text", "short", "role")),
        "titles": _table(_titles(kernel, shown, words), _TEXT),
        "note": _table(((50.0, middle, text, "rest") for text in guess), _TEXT),
        **scheduler_curve.columns(kernel, shown, words),
        "marks": _table(says, ("x", "y", "say")),
        "cursor": {"x": [], "y": []},
    }


def _table(rows: Iterable[tuple[Any, ...]], names: Sequence[str]) -> Columns:
    found = list(rows)
    return {name: [row[at] for row in found] for at, name in enumerate(names)}


def _strip(kernel: Kernel, shown: Moment | None, states: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield runs of blocks, in the order of their launch, that are in one of these states."""
    roles = {"ended": "cell", "running": "compute", "waiting": "idle"}
    at, unit = shown.at_us if shown else -1.0, 100 / kernel.schedule.blocks

    def state(run: Run) -> str:
        return "waiting" if run.start_us > at else "running" if run.end_us > at else "ended"

    x = 0.0
    for name, some in groupby(kernel.schedule.runs, state):
        left, x = x, x + unit * sum(1 for _ in some)
        if name in states and shown:
            yield round(left, 3), round(x, 3), *_STRIP, roles[name]


def _ids(held: Held, places: dict[Place, Box], words: Words) -> Iterator[tuple[Any, ...]]:
    """Yield the blocks' numbers, where all of them fit into their places."""
    numbers = {place: words.num(run.block) for place, run in held.items()}
    left, right, bottom, top = places[0, 0]
    room, widest = right - left, max((width_px(number, 11) for number in numbers.values()), default=0)
    fits = {tag: widest + 3 < room * px and top - bottom > 12 for tag, px in _PX.items()}
    for place, number in numbers.items() if any(fits.values()) else ():
        left, right, bottom, top = places[place]
        texts = (number if fits[tag] else "" for tag in (WIDE, PHONE))
        yield (left + right) / 2, (bottom + top) / 2, *texts, "compute"


def _rows(frames: Sequence[Box], words: Words) -> Iterator[tuple[Any, ...]]:
    """Yield the number of the first SM of each row."""
    for sm, (left, _, bottom, top) in enumerate(frames):
        if left < 1:
            yield -1.2, (bottom + top) / 2, words("SM {n}", n=sm), str(sm), "rest"


def _titles(kernel: Kernel, shown: Moment | None, words: Words) -> Iterator[tuple[Any, ...]]:
    yield 0.0, _QUEUE, scheduler_words.queue_title(kernel, shown, words), "ink"
    yield 0.0, _SMS, scheduler_words.sms_title(kernel, shown, words), "ink"
    yield 0.0, _CURVE, words("Places taken in %, over time"), "ink"


def _marks(
    kernel: Kernel, shown: Moment | None, places: dict[Place, Box], held: Held,
    words: Words,
) -> Iterator[tuple[float, float, str]]:  # fmt: skip
    """Yield what can be inspected, in reading order: the queue, every place, the moments of the curve."""
    yield 50.0, sum(_STRIP) / 2, scheduler_words.queue_title(kernel, shown, words)
    says = scheduler_words.slots_say(kernel, held, shown is None, words)
    for (left, right, bottom, top), say in zip(places.values(), says, strict=True):
        yield round((left + right) / 2, 3), round((bottom + top) / 2, 3), say
    if shown:
        yield from scheduler_curve.marks_of(kernel, words)


def build(figure: Figure) -> Plot:
    """Draw the sources of `columns` once."""
    plot = marks.canvas((_LEFT, _RIGHT), (0, HEIGHT - 12), left=4, right=4)
    roles, source = Roles(), figure.source
    for name in ("queue", "free"):
        marks.idle(plot, source(name), roles)
    for name in ("strip", "cuts", "unknown"):
        plot.add_glyph(source(name), _quad(roles))
    marks.frames(plot, source("edge"), roles, radius=2, width=1)
    marks.frames(plot, source("sms"), roles, radius=3, width=1.25)
    plot.add_glyph(source("taken"), _quad(roles, border_radius=2))
    scheduler_curve.build(plot, figure, roles)
    for column, tag, size in (("text", WIDE, "11px"), ("short", PHONE, "11px")):
        marks.text(plot, source("ids"), roles, kind="on", column=column, size=size, tags=[tag])
        marks.text(plot, source("rows"), roles, column=column, size=size, align="right", tags=[tag])
        size = "12px" if tag == WIDE else "11px"
        marks.text(plot, source("titles"), roles, size=size, align="left", bold=True, tags=[tag])
    marks.text(plot, source("note"), roles, size="14px")
    marks.cursor(plot, source("cursor"))
    marks.inspected(plot, source("marks"))
    return plot


def _quad(roles: Roles, **look: Any) -> Quad:
    fill = roles("fill")
    return Quad(left="left", right="right", bottom="bottom", top="top", fill_color=fill, line_color=None, **look)
