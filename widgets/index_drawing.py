"""How a launch is drawn at four scales: a strip of blocks, the warps of one, the lanes of one of these, one lane.

Lane i stands at x = i in the block and in the warp alike. Heights are px of a drawing `HEIGHT` high. `columns`
turns a launch into the sources that `build` draws.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from bokeh.models import Plot
from bokeh.models.glyphs import Quad

from sim.launch_index import WARP_LANES, Warp
from widgets import index_strip, index_words, marks
from widgets.figure import Figure
from widgets.index_strip import Box
from widgets.index_words import Launched
from widgets.marks import PHONE, WIDE
from widgets.theme import Roles
from widgets.words import N_, Words

HEIGHT, PHONE_HEIGHT = 500, 470
_LEFT, _RIGHT = -4.1, 40.0  # lanes; room for the warps' numbers and for the names of groups
_GRID = 479  # y of the grid's title
_FRAME, _FLOOR, _TITLE = 387, 148, 373  # of the large block's edges and its title
_ROWS, _ROWS_END = 358, 156  # where its warps are
_WARP, _INDEX, _LANE = 122, 103, 85  # of the large warp's title, its lanes' numbers and its lanes
_STEM, _SUM, _SECOND = 49, 36, 18  # of the line from the lane chosen, and of its two sums
_BAND = 12  # half a warp's height
_BEGIN, _END = -1.0, 32.0  # x of the ends of the warp shown
_LINE = 15  # between two texts that do not touch

Columns = dict[str, list[Any]]
_BOX = ("left", "right", "bottom", "top", "role")
_TEXT = ("x", "y", "text", "role")


def columns(shown: Launched, hidden: str, words: Words) -> dict[str, Columns]:
    """Return the data of every source. `hidden` replaces what is to be guessed: all that the check decides."""
    launch, place = shown.launch, shown.place
    strip = index_strip.places(launch.blocks, place.block)
    warps = launch.block(place.block)
    rows = _row_places(len(warps))
    left, right = next((box.left, box.right) for box in strip if box.block == place.block)
    lanes = [_lane(warp, hidden) for warp in warps]
    if not hidden:
        lanes[place.warp][place.lane] = ("compute", "ink", "solid")
    small = 6 if len(warps) <= 8 else 5
    return {
        **index_strip.columns(launch, strip, place.block, bool(hidden), words),
        "zooms": {
            "xs": [[left, right, _RIGHT - 0.2, _LEFT + 0.2]],
            "ys": [[index_strip.BOTTOM, index_strip.BOTTOM, _FRAME, _FRAME]], "role": ["ink"],
        },
        "frame": _table([(_LEFT + 0.15, _RIGHT - 0.15, _FLOOR, _FRAME, "ink")], _BOX),
        "rows": {
            "x": [lane for _ in rows for lane in range(WARP_LANES)],
            "y": [y for y in rows for _ in range(WARP_LANES)],
            "role": [fill for row in lanes for fill, _, _ in row],
            "edge": [edge for row in lanes for _, edge, _ in row],
            "wide": [12 if len(warps) <= 8 else 5.5] * (WARP_LANES * len(warps)),
            "phone": [small] * (WARP_LANES * len(warps)),
        },
        "bands": _table(_bands(rows), _BOX),
        "row_names": _table(_row_names(rows, words), ("x", "y", "text", "short", "role")),
        "groups": _table(() if hidden else _groups(warps, rows), _BOX),
        "group_names": _table(() if hidden else _group_names(warps, rows, words), ("x", "y", "text", "short", "role")),
        "now": _table([] if hidden else [_outline(rows, place.warp)], _BOX),
        "leads": _table([] if hidden else _leads(rows, place.warp, place.lane), ("x0", "y0", "x1", "y1", "role")),
        "warp": _table([(_BEGIN, _END, _LANE - _BAND, _LANE + _BAND, "surface")], _BOX),
        "lanes": _large(lanes[place.warp]),
        "index": _index(),
        "titles": _table(_titles(shown, hidden, words), ("x", "y", "text", "short", "role")),
        "sums": _table([] if hidden else _sums(shown, words), ("x", "y", "text", "align", "role")),
        "note": _table([((WARP_LANES - 1) / 2, (_ROWS + _ROWS_END) / 2, hidden, "rest")] if hidden else [], _TEXT),
        "marks": _table(_marks(shown, strip, rows, bool(hidden), words), ("x", "y", "say")),
        "cursor": {"x": [], "y": []},
    }  # fmt: skip


def _table(rows: Iterable[tuple[Any, ...]], names: Sequence[str]) -> Columns:
    found = list(rows)
    return {name: [row[at] for row in found] for at, name in enumerate(names)}


# ------------------------------------------------------------------------------- the block


def _row_places(warps: int) -> list[float]:
    pitch = (_ROWS - _ROWS_END) / warps
    return [_ROWS - pitch * (row + 0.5) for row in range(warps)]


def _lane(warp: Warp, hidden: str) -> list[tuple[str, str, str]]:
    """Return fill, outline and dashes of 32 lanes: passing, failing, or without a thread."""
    if hidden:
        return [("surface", "rest", "solid")] * warp.threads + [("surface", "cell", "solid")] * (32 - warp.threads)
    fails = ("surface", "rest" if warp.diverges else "surface", "2 3" if warp.diverges else "solid")
    return (
        [("compute", "compute", "solid")] * warp.live
        + [fails] * (warp.threads - warp.live)
        + [("surface", "cell", "solid")] * (WARP_LANES - warp.threads)
    )


def _bands(rows: Sequence[float]) -> Iterator[tuple[Any, ...]]:
    """Yield the band of each warp, where bands have room."""
    if len(rows) <= 8:
        for y in rows:
            yield -0.7, WARP_LANES - 0.3, y - _BAND + 2, y + _BAND - 2, "surface"


def _row_names(rows: Sequence[float], words: Words) -> Iterator[tuple[Any, ...]]:
    for row in range(0, len(rows), 1 if len(rows) <= 8 else 8):
        yield _BEGIN, rows[row], words("warp {n}", n=row), str(row), "rest"


def _kind(warp: Warp) -> str:
    if warp.diverges:
        return "diverges"
    return "idle" if not warp.live else "whole" if warp.threads == WARP_LANES else "short"


_KINDS = {  # role and name of a run of warps that leave the check in one way
    "whole": ("compute", N_("{n} whole")),
    "short": ("compute", N_("{n} short")),
    "diverges": ("cost", N_("{n} diverges")),
    "idle": ("idle", N_("{n} idle")),
}


def _groups(warps: Sequence[Warp], rows: Sequence[float]) -> Iterator[tuple[Any, ...]]:
    """Yield a bar beside each run of warps that leave the check in one way."""
    pitch = (_ROWS - _ROWS_END) / len(rows)
    half = min(0.33 * pitch, 2 * _BAND)
    for kind, run in groupby(warps, _kind):
        numbers = [warp.warp for warp in run]
        bottom, top = rows[numbers[-1]] - half, rows[numbers[0]] + half
        yield _END + 0.3, _END + 0.48, bottom, top, _KINDS[kind][0]


def _group_names(warps: Sequence[Warp], rows: Sequence[float], words: Words) -> Iterator[tuple[Any, ...]]:
    """Yield the groups' names beside their bars, moved apart where groups are thin."""
    runs = [(kind, [warp.warp for warp in run]) for kind, run in groupby(warps, _kind)]
    middles = [(rows[numbers[0]] + rows[numbers[-1]]) / 2 for _, numbers in runs]
    for (kind, numbers), y in zip(runs, _apart(middles), strict=True):
        role, message = _KINDS[kind]
        text = words(message, n=len(numbers))
        yield _END + 0.7, y, text, words("diverges") if kind == "diverges" else text, role


def _apart(middles: Sequence[float]) -> list[float]:
    """Move heights, from high to low, a line of text apart and above the end of the rows."""
    found = list(middles)
    for k in range(1, len(found)):
        found[k] = min(found[k], found[k - 1] - _LINE)
    found[-1] = max(found[-1], _ROWS_END + _LINE / 2)
    for k in range(len(found) - 2, -1, -1):
        found[k] = max(found[k], found[k + 1] + _LINE)
    return found


def _outline(rows: Sequence[float], warp: int) -> tuple[Any, ...]:
    half = _BAND if len(rows) <= 8 else (_ROWS - _ROWS_END) / len(rows) / 2 + 0.5
    return _BEGIN, _END, rows[warp] - half, rows[warp] + half, "ink"


# -------------------------------------------------------------------------- warp and lane


def _leads(rows: Sequence[float], warp: int, lane: int) -> Iterator[tuple[Any, ...]]:
    _, _, bottom, _, _ = _outline(rows, warp)
    for x in (_BEGIN, _END):
        yield x, bottom, x, _LANE, "rest"
    yield lane, _LANE - 7, lane, _STEM, "ink"


def _large(looks: Sequence[tuple[str, str, str]]) -> Columns:
    return {
        "x": list(range(WARP_LANES)), "y": [_LANE] * WARP_LANES,
        "role": [fill for fill, _, _ in looks], "edge": [edge for _, edge, _ in looks],
        "dash": [dash for _, _, dash in looks],
    }  # fmt: skip


def _index() -> Columns:
    lanes = [*range(0, WARP_LANES, 4), WARP_LANES - 1]
    return {
        "x": lanes, "y": [_INDEX] * len(lanes), "text": [str(lane) for lane in lanes],
        "short": [str(lane) if lane % 8 == 0 or lane == WARP_LANES - 1 else "" for lane in lanes],
        "role": ["rest"] * len(lanes),
    }  # fmt: skip


def _titles(shown: Launched, hidden: str, words: Words) -> Iterator[tuple[Any, ...]]:
    yield -0.5, _GRID, *index_words.grid_title(shown.launch, words), "ink"
    yield -0.5, _TITLE, *index_words.block_title(shown, bool(hidden), words), "ink"
    if not hidden:
        warp = index_words.warp_title(shown, words)
        yield -0.5, _WARP, warp, warp, "cost" if shown.chosen.diverges else "ink"


def _sums(shown: Launched, words: Words) -> Iterator[tuple[Any, ...]]:
    """Yield the sums under the lane chosen, held inside the drawing."""
    lane = shown.place.lane
    align, x = ("left", max(-0.5, lane - 4)) if lane < 20 else ("right", min(WARP_LANES + 3, lane + 4))
    for y, text in zip((_SUM, _SECOND), index_words.sums(shown, words), strict=True):
        yield x, y, text, align, "ink" if y == _SUM else "rest"


def _marks(
    shown: Launched, strip: Sequence[Box], rows: Sequence[float], hidden: bool, words: Words
) -> Iterator[tuple[float, float, str]]:
    """Yield what can be inspected, in reading order: blocks, warps with their lanes, the large warp's lanes."""
    launch, place = shown.launch, shown.place
    yield from index_strip.marks_of(launch, strip, hidden, words)
    for warp, y in zip(launch.block(place.block), rows, strict=True):
        yield -1.6, y, index_words.warp_says(warp, hidden, words)
        for lane, say in enumerate(index_words.lanes_say(launch, warp, hidden, words)):
            yield lane, y, say
    for lane, say in enumerate(index_words.lanes_say(launch, shown.chosen, hidden, words)):
        yield lane, _LANE, say


# --------------------------------------------------------------------------------- drawing


def build(figure: Figure) -> Plot:
    """Draw the sources of `columns` once."""
    plot = marks.canvas((_LEFT, _RIGHT), (0, HEIGHT - 12), left=4, right=4)
    roles, source = Roles(), figure.source
    marks.zooms(plot, source("zooms"), roles)
    marks.frames(plot, source("frame"), roles)
    marks.frames(plot, source("blocks"), roles, radius=4)
    plot.add_glyph(source("bars"), _quad(roles))
    marks.bands(plot, source("bands"), roles)
    for tag in (WIDE, PHONE):
        marks.lanes(plot, source("rows"), roles, size=tag).tags = [tag]
    plot.add_glyph(source("groups"), _quad(roles))
    marks.frames(plot, source("now"), roles, radius=12)
    marks.leads(plot, source("leads"), roles)
    marks.bands(plot, source("warp"), roles)
    for tag in (WIDE, PHONE):
        marks.lanes(plot, source("lanes"), roles, size=12 if tag == WIDE else 6, dash=tag == WIDE).tags = [tag]
    for column, tag, size in (("text", WIDE, "12px"), ("short", PHONE, "11px")):
        for name in ("numbers", "index"):
            marks.text(plot, source(name), roles, column=column, tags=[tag], size=size)
        marks.text(plot, source("row_names"), roles, column=column, tags=[tag], size=size, align="right", dx=-4)
        marks.text(plot, source("group_names"), roles, column=column, tags=[tag], size=size, align="left", bold=True)
        marks.text(plot, source("titles"), roles, column=column, tags=[tag], size=size, align="left", bold=True)
        marks.text(plot, source("sums"), roles, tags=[tag], size=size, align="align")
    marks.text(plot, source("note"), roles, size="14px")
    marks.cursor(plot, source("cursor"))
    marks.inspected(plot, source("marks"))
    return plot


def _quad(roles: Roles) -> Quad:
    return Quad(left="left", right="right", bottom="bottom", top="top", fill_color=roles("fill"), line_color=None)
