"""How a warp's request to shared memory is drawn: lanes on top, banks below them, a row of cells for each wavefront.

Lane i and bank i stand at x = i; wavefront n is the row at y = -n. `columns` turns a trace into the sources that
`build` draws; `Shown` says how much of it may show.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from bokeh.models import Plot
from bokeh.models.glyphs import Segment

from sim.bank_conflicts import BANKS, WARP_LANES, Service, SharedAccess
from widgets import marks
from widgets.figure import Figure
from widgets.marks import PHONE, WIDE
from widgets.theme import Roles
from widgets.words import Words

ROWS = 32
"""Wavefronts that the drawing has room for: as many as a request can take."""
HEIGHT, PHONE_HEIGHT = 550, 440

_LANE, _LANE_END = 13.1, 12.3  # y of the lanes, and where their threads begin
_CUP, _BOTTOM, _INDEX = 2.75, 1.6, 0.55  # y of a cup's rim and floor, and of the banks' numbers
_EDGE = 0.36  # half a cell's width and height
_FAR = 22  # banks right of it have their labels on their left
_WIDE_BAR, _PHONE_BAR = 32.15, -1.05  # x of the bar that counts wavefronts
_APART = 1.5  # rows between two texts that do not touch

Columns = dict[str, list[Any]]


@dataclass(frozen=True, slots=True)
class Shown:
    """The part of a trace that may show: wavefronts up to `at`; `stepping` points out the last of them.

    `secret` replaces all but the lanes: what stands there until the reader has guessed.
    """

    at: int
    stepping: bool
    secret: str = ""


_STILL: dict[str, Columns] = {
    "grid": {
        "x": [x for _ in range(ROWS) for x in range(BANKS)],
        "y": [-y for y in range(1, ROWS + 1) for _ in range(BANKS)],
        "role": ["cell"] * (ROWS * BANKS),
    },
    "banks": {
        "x": [*range(0, BANKS, 4), BANKS - 1],
        "y": [_INDEX] * 9,
        "text": [str(bank) for bank in [*range(0, BANKS, 4), BANKS - 1]],
        "role": ["rest"] * 9,
    },
}
"""What no state changes."""


def columns(access: SharedAccess, shown: Shown, words: Words) -> dict[str, Columns]:
    """Return the data of every source but `marks`."""
    steps = () if shown.secret else access.steps[: shown.at]
    served = () if shown.secret else access.served
    extra = [step.extra for step in access.steps]
    roles = ["surface"] * WARP_LANES  # of each lane: who is off, waits, or had its turn
    for service in access.served:
        late = service.wavefront > len(steps)
        roles[service.lane] = "rest" if late else "cost" if extra[service.wavefront - 1] else "move"
    return {
        **_STILL,
        "warp": _bands(access),
        "lanes": {
            "x": list(range(WARP_LANES)),
            "y": [_LANE] * WARP_LANES,
            "role": ["move" if role == "move" else "surface" for role in roles],
            "edge": roles,
            "dash": ["2 3" if role == "surface" else "solid" for role in roles],
        },
        "threads": _threads(served, roles, shown),
        "cups": _cups(served, roles),
        "spans": _spans(served, roles),
        "cells": {
            "x": [bank for step in steps for bank, _ in step.cells],
            "y": [-step.number for step in steps for _ in step.cells],
            "role": ["cost" if step.extra else "move" for step in steps for _ in step.cells],
            "hatch": ["left_diagonal_line" if step.extra else " " for step in steps for _ in step.cells],
        },
        "notes": _table(_notes(access, shown, words), ("x", "y", "text", "align", "role", "ground")),
        "bar": _table(_runs(steps), ("top", "bottom", "role")),
        "counts": _table(_counts(steps, words), ("y", "below", "text", "role")),
    }


def _table(rows: Iterator[tuple[Any, ...]], names: Sequence[str]) -> Columns:
    found = list(rows)
    return {name: [row[at] for row in found] for at, name in enumerate(names)}


def _bands(access: SharedAccess) -> Columns:
    parts = access.parts
    return {
        "left": [part.lanes[0] - 0.46 for part in parts],
        "right": [part.lanes[-1] + 0.46 for part in parts],
        "top": [_LANE + 0.95] * len(parts),
        "bottom": [_LANE - 0.95] * len(parts),
        "role": ["surface"] * len(parts),
    }


def _middle(service: Service) -> float:
    return (service.banks[0] + service.banks[-1]) / 2


def _threads(served: Sequence[Service], roles: Sequence[str], shown: Shown) -> Columns:
    """Late lanes first, so that the threads of those served early lie on top."""
    order = sorted(served, key=lambda service: -service.wavefront)
    waits = [roles[service.lane] == "rest" for service in order]
    now = [shown.stepping and service.wavefront == shown.at for service in order]
    drop = _LANE_END - _CUP
    count = len(order)
    return {
        "x0": [service.lane for service in order],
        "x1": [_middle(service) for service in order],
        "y0": [_LANE_END] * count,
        "y1": [_CUP - 0.1 if len(service.banks) == 1 else _CUP + 0.3 for service in order],
        "c0": [_LANE_END - 0.55 * drop] * count,
        "c1": [_LANE_END - 0.5 * drop] * count,
        "role": [roles[service.lane] for service in order],
        "wide": [2.25 if turn else 1.25 for turn in now],
        "alpha": [
            0.35 if wait else 1.0 if turn else 0.55 if shown.stepping else 0.85
            for wait, turn in zip(waits, now, strict=True)
        ],
    }


def _cups(served: Sequence[Service], roles: Sequence[str]) -> Columns:
    """A bank is red from its first extra turn on, blue before, plain if nobody asks it."""
    rank = ("surface", "rest", "move", "cost")
    role = dict.fromkeys(range(BANKS), "surface")
    for service in served:
        for bank in service.banks:
            role[bank] = max(role[bank], roles[service.lane], key=rank.index)
    order = sorted(role, key=lambda bank: rank.index(role[bank]))
    return {
        "xs": [[bank - 0.32, bank - 0.32, bank + 0.32, bank + 0.32] for bank in order],
        "ys": [[_CUP, _BOTTOM, _BOTTOM, _CUP]] * BANKS,
        "role": [role[bank] for bank in order],
    }


def _spans(served: Sequence[Service], roles: Sequence[str]) -> Columns:
    """What joins the 2 or 4 banks of a wide lane where its thread ends."""
    wide = {service.banks: roles[service.lane] for service in served if len(service.banks) > 1}
    return {
        "left": [banks[0] - 0.32 for banks in wide],
        "right": [banks[-1] + 0.32 for banks in wide],
        "y": [_CUP + 0.3] * len(wide),
        "role": list(wide.values()),
    }


def _notes(access: SharedAccess, shown: Shown, words: Words) -> Iterator[tuple[Any, ...]]:
    """Words in the drawing: the one bank that all ask, and whose word a lonely cell holds."""
    if shown.secret:
        yield BANKS / 2 - 0.5, -(ROWS + 1) / 2, shown.secret, "center", "rest", "surface"
        return
    asked = {service.banks for service in access.served}
    if len(asked) == 1:
        (banks,) = asked
        role = "cost" if any(step.extra for step in access.steps[: shown.at]) else "move"
        text = words("bank {n}", n=banks[0]) if len(banks) == 1 else words("banks {a}–{b}", a=banks[0], b=banks[-1])
        yield _beside(banks[0], banks[-1], (_CUP + _BOTTOM) / 2, text, role)
    last = access.steps[shown.at - 1 : shown.at]
    first = access.steps[:1] if shown.at > 2 else ()
    for step in (*first, *last):
        lanes = step.lanes
        words_served = {service.words for service in access.served if service.wavefront == step.number}
        if len(words_served) == 1:
            text = _takers(lanes, len(access.served), words)
            yield _beside(step.cells[0][0], step.cells[-1][0], -step.number, text, "rest")


def _takers(lanes: Sequence[int], active: int, words: Words) -> str:
    if len(lanes) == 1:
        return words("lane {n}", n=lanes[0])
    return words("for all {n} lanes", n=active) if len(lanes) == active else words("for {n} lanes", n=len(lanes))


def _beside(first: int, last: int, y: float, text: str, role: str) -> tuple[Any, ...]:
    right = last <= _FAR
    return last + 0.75 if right else first - 0.75, y, text, "left" if right else "right", role, "surface"


def _runs(steps: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    for extra, run in groupby(steps, key=lambda step: step.extra):
        numbers = [step.number for step in run]
        yield -numbers[0] + _EDGE, -numbers[-1] - _EDGE, "cost" if extra else "move"


def _counts(steps: Sequence[Any], words: Words) -> Iterator[tuple[Any, ...]]:
    """The bar's words: beside it where there is room, under the grid on phones (`below` is their x there)."""
    needed = [step.number for step in steps if not step.extra]
    extra = [step.number for step in steps if step.extra]
    if needed:
        yield -needed[0], 0, words("needed {n}", n=len(needed)), "move"
    if extra:
        y = -max((extra[0] + extra[-1]) / 2, needed[0] + _APART)
        yield y, BANKS / 2, words("extra {n}", n=len(extra)), "cost"


def build(figure: Figure) -> Plot:
    """Draw the sources of `columns`, and `marks`."""
    words, source, roles = figure.words, figure.source, Roles()
    plot = marks.canvas((-0.6, BANKS - 0.4), (-ROWS - 0.6, _LANE + 1.2))
    _names(plot, words)
    marks.cells(plot, source("grid"), roles, width=2 * _EDGE + 0.06, height=2 * _EDGE, hatch=False)
    marks.cells(plot, source("cells"), roles, width=2 * _EDGE + 0.06, height=2 * _EDGE)
    marks.bands(plot, source("warp"), roles)
    marks.threads(plot, source("threads"), roles)
    marks.cups(plot, source("cups"), roles)
    span = Segment(x0="left", x1="right", y0="y", y1="y", line_color=roles("ink"), line_width=2)
    plot.add_glyph(source("spans"), span)
    marks.lanes(plot, source("lanes"), roles, size=12, dash=True).tags = [WIDE]
    marks.lanes(plot, source("lanes"), roles, size=7, dash=True).tags = [PHONE]
    for tag, size in ((WIDE, "12px"), (PHONE, "11px")):
        marks.text(plot, source("notes"), roles, size=size, align="align", ground="ground", tags=[tag])
    marks.text(plot, source("banks"), roles, size="11px")
    _bar(plot, figure, roles)
    marks.cursor(plot, source("cursor"))
    marks.inspected(plot, source("marks"))
    return plot


def _names(plot: Plot, words: Words) -> None:
    numbers = [(-row, str(row)) for row in (1, 8, 16, 24, 32)]
    lanes = [*range(0, WARP_LANES, 4), WARP_LANES - 1]
    marks.names(plot, "left", numbers, [WIDE])
    rows = [(_LANE, words("lane")), ((_CUP + _BOTTOM) / 2, words("bank")), (-1, words("wavefront"))]
    marks.names(plot, "left", rows, [WIDE], bold=True, standoff=0)
    marks.names(plot, "left", numbers, [PHONE], size="11px", standoff=9)
    marks.names(plot, "above", [(lane, str(lane)) for lane in lanes], [WIDE], standoff=2)
    few = [(0, words("lane {n}", n=0)), *((lane, str(lane)) for lane in lanes[2::2])]
    marks.names(plot, "above", few, [PHONE], size="11px", standoff=2)
    marks.margin(plot, "right", 100, [WIDE])
    marks.margin(plot, "below", 16, [PHONE])


def _bar(plot: Plot, figure: Figure, roles: Roles) -> None:
    """The bar and its words lie outside the grid: level "overlay" is not clipped."""
    for tag, x in ((WIDE, _WIDE_BAR), (PHONE, _PHONE_BAR)):
        bar = Segment(x0=x, x1=x, y0="top", y1="bottom", line_color=roles("fill"), line_width=3)
        plot.add_glyph(figure.source("bar"), bar, level="overlay").tags = [tag]
    beside = marks.text(plot, figure.source("counts"), roles, x=_WIDE_BAR, align="left", bold=True, dx=10, tags=[WIDE])
    below = marks.text(
        plot, figure.source("counts"), roles, x="below", y=-ROWS - 0.6, align="left", bold=True, size="11px", dy=10,
        tags=[PHONE],
    )  # fmt: skip
    beside.level = below.level = "overlay"
