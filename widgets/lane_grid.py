"""Lanes across, issue slots downwards: which lanes of a warp are active in each slot, and which only wait.

A figure describes the warp as a `Grid` and hands it to `columns` and `adjust`; `build` draws the sources that
`columns` fills. Lane i stands at x = i, slot s between y = 1 − s and −s. Runs of lanes are single rectangles;
gaps in the card's colour, drawn over them, cut them into one cell a lane and slot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from bokeh.models import Plot
from bokeh.models.glyphs import Quad, Scatter, Segment

from widgets import marks
from widgets.figure import Figure
from widgets.marks import PHONE, WIDE
from widgets.theme import Roles

LANES = 32
ROWS = 44
"""Slots that the drawing has room for."""
HEIGHT, PHONE_HEIGHT = 510, 480
_LEFT, _RIGHT = -3.1, 37.9  # lanes; room for slot numbers and for the names of phases
_TOP = 5.3  # rows; room for the warp and its names
_INDEX, _WARP, _NEED = 4.45, 2.85, 1.0
_ROWS_NAMED = (_WARP, _NEED, -0.5)
_ALL = 2**LANES - 1
_APART = 1.4  # rows between two texts that do not touch

Box = tuple[float, float, float, float]  # left, right, bottom, top


@dataclass(frozen=True, slots=True)
class Band:
    """Successive slots under one mask, first to last; `text` and `short` name them beside the grid."""

    first: int
    last: int
    mask: int
    text: str
    short: str
    say: str


@dataclass(frozen=True, slots=True)
class Grid:
    """All that the drawing shows. `needs` stand under the lanes, `row` names them; `note` fills an empty grid."""

    bands: tuple[Band, ...]
    at: int
    """The slot shown; 0 where none is."""
    present: int
    """Bit i is set unless lane i is switched off."""
    needs: tuple[str, ...]
    row: tuple[str, str, str]
    lanes_say: tuple[str, ...]
    cells_say: tuple[str, ...]
    """Of the slot shown, lane by lane."""
    note: str = ""

    @property
    def now(self) -> int:
        """The mask of the slot shown."""
        return next((band.mask for band in self.bands if band.first <= self.at <= band.last), 0)


def build(figure: Figure) -> Plot:
    """Draw the sources once."""
    plot = marks.canvas((_LEFT, _RIGHT), (-ROWS - 0.3, _TOP), left=0, right=0)
    marks.row_names(plot, [(y, "") for y in _ROWS_NAMED])
    plot.yaxis[0].major_label_text_font_style = "bold"
    roles, source = Roles(), figure.source
    for name in ("unused", "ahead", "done"):
        colour = roles("soft" if name == "ahead" else "fill")
        plot.add_glyph(source(name), _quad(fill_color=colour, line_color=None))
    gap = Segment(x0="x0", y0="y0", x1="x1", y1="y1", line_color=roles("fill"), line_width=2)
    plot.add_glyph(source("gaps"), gap)
    marks.idle(plot, source("waits"), roles)
    plot.add_glyph(source("now"), _quad(fill_color=None, line_color=roles("ink"), line_width=1.5, border_radius=2))
    plot.add_glyph(source("phases"), _quad(fill_color=roles("fill"), line_color=None, border_radius=1))
    plot.add_glyph(source("warp"), _quad(fill_color=None, line_color=roles("ink"), line_width=1, border_radius=99))
    for wide in (True, False):
        circle = Scatter(
            x="x", y="y", size=12 if wide else 6, marker="circle", fill_color=roles("fill"),
            line_color=roles("ink", "edge"), line_width=1.25 if wide else 1, line_dash="dash" if wide else "solid",
        )  # fmt: skip
        plot.add_glyph(source("lanes"), circle).tags = [WIDE if wide else PHONE]
    for column, tag, size in (("text", WIDE, "12px"), ("short", PHONE, "11px")):
        marks.text(plot, source("index"), roles, column=column, tags=[tag], size=size)
        marks.text(plot, source("needs"), roles, column=column, tags=[tag], size=size)
        marks.text(plot, source("names"), roles, column=column, tags=[tag], size=size, align="left", bold=True, dx=5)
    marks.text(plot, source("ticks"), roles, align="right", dx=-4)
    marks.text(plot, source("here"), roles, align="right", dx=-4, bold=True)
    marks.text(plot, source("note"), roles, size="14px")
    marks.cursor(plot, source("cursor"))
    marks.inspected(plot, source("marks"))
    return plot


def adjust(plot: Plot, grid: Grid) -> None:
    """Name the rows at the left of a wide page."""
    plot.yaxis[0].major_label_overrides = dict(zip(_ROWS_NAMED, grid.row, strict=True))


def columns(grid: Grid) -> Mapping[str, Mapping[str, Sequence[Any]]]:
    """Return the data of every source that `build` draws."""
    end = grid.bands[-1].last if grid.bands else 0
    done: list[Box] = []
    ahead: list[Box] = []
    waits: list[Box] = []
    unused: list[Box] = [(-0.5, LANES - 0.5, -ROWS, -end)]
    for band in grid.bands:
        cut = min(max(grid.at, band.first - 1), band.last)
        for mask, before, after in (
            (band.mask, done, ahead), (grid.present & ~band.mask, waits, []), (_ALL & ~grid.present, unused, unused),
        ):  # fmt: skip
            for left, right in _runs(mask):
                if cut >= band.first:
                    before.append((left, right, -cut, 1 - band.first))
                if cut < band.last:
                    after.append((left, right, -band.last, -cut))
    current = [(-0.62, LANES - 0.38, -grid.at - 0.08, 1.08 - grid.at)] if grid.now else []
    band_x = [(LANES - 0.1, LANES + 0.06, -band.last + 0.12, 0.88 - band.first) for band in grid.bands]
    named = _named(grid)
    say = [*zip(range(LANES), [_WARP] * LANES, grid.lanes_say, strict=True)]
    say += [(lane, 0.5 - grid.at, cell) for lane, cell in enumerate(grid.cells_say)]
    say += [(LANES, _middle(band), band.say) for band in grid.bands]
    return {
        "unused": _boxes(unused, "cell"),
        "ahead": _boxes(ahead, "compute"),
        "done": _boxes(done, "compute"),
        "waits": _boxes(waits, "idle"),
        "gaps": _gaps(),
        "now": _boxes(current, "ink"),
        "phases": _boxes(band_x, "compute"),
        "warp": _boxes([(-0.8, LANES - 0.2, _WARP - 0.95, _WARP + 0.95)], "surface"),
        "lanes": _lanes(grid),
        "index": _index(grid),
        "needs": {
            "x": list(range(LANES)), "y": [_NEED] * LANES, "text": list(grid.needs),
            "short": list(grid.needs) if max(map(len, grid.needs)) == 1 else [""] * LANES, "role": ["rest"] * LANES,
        },
        "names": {
            "x": [LANES] * len(named), "y": [_middle(band) for band in named], "text": [b.text for b in named],
            "short": [band.short for band in named], "role": ["compute"] * len(named),
        },
        "ticks": _texts(
            [(-0.5, 0.5 - slot, str(slot), "rest") for slot in (1, *range(8, ROWS + 1, 8))
             if not grid.now or abs(slot - grid.at) >= _APART]
        ),
        "here": _texts([(-0.5, 0.5 - grid.at, str(grid.at), "ink")] if grid.now else []),
        "note": _texts([((LANES - 1) / 2, -ROWS / 2, grid.note, "rest")] if grid.note else []),
        "marks": dict(zip(("x", "y", "say"), map(list, zip(*say, strict=True)), strict=True)),
        "cursor": {"x": [], "y": []},
    }  # fmt: skip


def _named(grid: Grid) -> list[Band]:
    """Choose the bands whose names do not touch: the one shown, those with room, the first and the last."""
    wanted = [band for band in grid.bands if band.first <= grid.at <= band.last]
    wanted += [band for band in grid.bands if band.last > band.first] + [*grid.bands[:1], *grid.bands[-1:]]
    named: list[Band] = []
    for band in wanted:
        if all(abs(_middle(band) - _middle(other)) >= _APART for other in named):
            named.append(band)
    return named


def _middle(band: Band) -> float:
    return (1 - band.first - band.last) / 2


def _runs(mask: int) -> Iterator[tuple[float, float]]:
    """Yield left and right of each run of lanes in a mask."""
    lane = 0
    for on, run in groupby(range(LANES), lambda i: mask >> i & 1):
        length = sum(1 for _ in run)
        if on:
            yield lane - 0.5, lane + length - 0.5
        lane += length


def _quad(**look: Any) -> Quad:
    return Quad(left="left", right="right", bottom="bottom", top="top", **look)


def _boxes(boxes: Sequence[Box], role: str) -> dict[str, list[Any]]:
    left, right, bottom, top = map(list, zip(*boxes, strict=True)) if boxes else ([], [], [], [])
    return {"left": left, "right": right, "bottom": bottom, "top": top, "role": [role] * len(boxes)}


def _texts(texts: Sequence[tuple[float, float, str, str]]) -> dict[str, list[Any]]:
    x, y, text, role = map(list, zip(*texts, strict=True)) if texts else ([], [], [], [])
    return {"x": x, "y": y, "text": text, "role": role}


def _gaps() -> dict[str, list[Any]]:
    upright = [(lane - 0.5, 0.0, lane - 0.5, -float(ROWS)) for lane in range(LANES + 1)]
    level = [(-0.5, -float(row), LANES - 0.5, -float(row)) for row in range(ROWS + 1)]
    ends = map(list, zip(*upright, *level, strict=True))
    return dict(zip(("x0", "y0", "x1", "y1"), ends, strict=True)) | {"role": ["surface"] * (LANES + ROWS + 2)}


def _lanes(grid: Grid) -> dict[str, list[Any]]:
    looks = [_look(grid, lane) for lane in range(LANES)]
    role, edge, dash = map(list, zip(*looks, strict=True))
    return {"x": list(range(LANES)), "y": [_WARP] * LANES, "role": role, "edge": edge, "dash": dash}


def _look(grid: Grid, lane: int) -> tuple[str, str, str]:
    """Return fill, outline and dashes of a lane: active, masked, at rest or switched off."""
    if grid.now >> lane & 1:
        return "compute", "compute", ""
    if not grid.present >> lane & 1:
        return "surface", "surface", ""
    return "surface", "rest", "2 2" if grid.now else ""


def _index(grid: Grid) -> dict[str, list[Any]]:
    shown = [*range(0, LANES, 4), LANES - 1]
    short = {0: f"{grid.row[0]} 0", 8: "8", 16: "16", 24: "24", 31: "31"}
    return {
        "x": [float(lane) for lane in shown], "y": [_INDEX] * len(shown), "text": [str(lane) for lane in shown],
        "short": [short.get(lane, "") for lane in shown], "role": ["rest"] * len(shown),
    }  # fmt: skip
