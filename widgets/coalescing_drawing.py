"""How a warp's load from device memory is drawn: lanes on top, the lines they touch below, the bytes at the bottom.

Lane i stands at x = i. The touched lines follow in the order of their addresses, four a row, each a frame around four
sectors of eight words; slots that stay free are drawn as words nobody asked for. y counts px of a wide page.
`columns` turns a trace into the sources that `build` draws.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from bokeh.models import Plot
from bokeh.models.glyphs import Segment

from sim.coalescing import INACTIVE, LINE_BYTES, SECTOR_BYTES, WARP_LANES, GlobalAccess, Line
from widgets import line_grid, marks
from widgets.figure import Figure
from widgets.line_grid import SECTORS, WORD_BYTES, frame, middle
from widgets.marks import PHONE, WIDE
from widgets.theme import Roles
from widgets.timeline_columns import width_px
from widgets.words import Words

HEIGHT, PHONE_HEIGHT = 505, 440

_LANE, _LANE_END, _FAN_END = -12.0, -21.0, -108.0  # y of the lanes, where threads begin, and where they point down
_TEXT = 10.0  # px from a line's bottom down to the middle of its name
_BAR, _BAR_END, _BAR_TEXT, _FLOOR = -436.0, -447.0, -461.0, -472.0
_APART, _PHONE_APART = 4.2, 8  # lanes: room for the bar's first text
_SHORT = 68  # px under a line on a phone
_BOX = ("left", "right", "bottom", "top")

Columns = dict[str, list[Any]]


def columns(access: GlobalAccess, secret: str, words: Words) -> dict[str, Columns]:
    """Return the data of every source but `marks`; a secret replaces all that lies below the lanes."""
    lines = () if secret else access.lines_touched
    on = [address != INACTIVE for address in access.addresses]
    pieces = list(_pieces(access, lines))
    frames = [(*frame(slot), "rest") for slot in range(len(lines))]
    note = [((WARP_LANES - 1) / 2, -260.5, secret, "rest", "surface")] if secret else []
    return {
        "grid": _GRID,
        "room": _ROOM,
        "warp": {
            "left": [-0.46], "right": [WARP_LANES - 0.54], "bottom": [_LANE - 9], "top": [_LANE + 9],
            "role": ["surface"],
        },
        "lanes": {
            "x": list(range(WARP_LANES)), "y": [_LANE] * WARP_LANES,
            "role": ["move" if lane and not secret else "surface" for lane in on],
            "edge": [("rest" if secret else "move") if lane else "surface" for lane in on],
            "dash": ["solid" if lane else "2 3" for lane in on],
        },
        "threads": _threads(access, lines),
        "trunks": _rows(_trunks(lines), ("x", "y0", "y1", "role")),
        "lines": _rows(frames, (*_BOX, "role")),
        "rests": _rows(_untouched(lines), (*_BOX, "role")),
        "bytes": _rows(pieces, (*_BOX, "role")),
        "strokes": _rows(_strokes(pieces), ("x0", "x1", "y0", "y1", "role")),
        "links": _rows(_links(lines), ("x0", "x1", "y0", "y1", "role")),
        "names": _rows(_names(lines, words), ("x", "y", "text", "short", "align", "role", "ground")),
        "bar": _rows(_bar(access) if lines else (), (*_BOX, "role", "hatch")),
        "counts": _rows(_counts(access, words) if lines else (), ("x", "phone_x", "y", "text", "role")),
        "note": _rows(note, ("x", "y", "text", "role", "ground")),
    }  # fmt: skip


def places(access: GlobalAccess, secret: bool) -> tuple[list[float], list[float]]:
    """Return x and y of what can be inspected: the lanes, then the four sectors of every touched line."""
    lines = () if secret else access.lines_touched
    at = [(float(lane), _LANE) for lane in range(WARP_LANES)]
    for slot in range(len(lines)):
        _, _, bottom, top = frame(slot)
        at += [(middle(slot, sector), (bottom + top) / 2) for sector in range(SECTORS)]
    return [x for x, _ in at], [y for _, y in at]


def _rows(rows: Iterable[tuple[Any, ...]], names: Sequence[str]) -> Columns:
    found = list(rows)
    return {name: [row[at] for row in found] for at, name in enumerate(names)}


_GRID = _rows(
    [
        (*box, "cell")
        for slot in range(line_grid.PER_ROW * line_grid.ROWS)
        for sector in range(SECTORS)
        for box in line_grid.sector_words(slot, sector)
    ],
    (*_BOX, "role"),
)
"""The words of every slot; no state changes them."""
_ROOM = _rows([(n - 0.5, n + 0.41, _BAR_END, _BAR, "cell") for n in range(WARP_LANES)], (*_BOX, "role"))
"""The bar's room for the 32 sectors that a warp can touch."""


# ---------------------------------------------------------------------------------------------- what is drawn


def _slots(lines: Sequence[Line]) -> dict[int, tuple[int, int]]:
    """Return slot and place in its line of every sector touched, by its address."""
    return {
        sector.address: (slot, (sector.address - line.address) // SECTOR_BYTES)
        for slot, line in enumerate(lines)
        for sector in line.sectors
    }


def _threads(access: GlobalAccess, lines: Sequence[Line]) -> Columns:
    """From a lane down to the height where its sector's column begins."""
    slots = _slots(lines)
    ends = [
        (lane, middle(*slots[address // SECTOR_BYTES * SECTOR_BYTES]))
        for lane, address in enumerate(access.addresses)
        if lines and address != INACTIVE
    ]
    drop, count = _LANE_END - _FAN_END, len(ends)
    return {
        "x0": [lane for lane, _ in ends], "x1": [x for _, x in ends],
        "y0": [_LANE_END] * count, "y1": [_FAN_END] * count,
        "c0": [_LANE_END - 0.55 * drop] * count, "c1": [_LANE_END - 0.5 * drop] * count,
        "wide": [1.25] * count, "alpha": [0.85] * count, "role": ["move"] * count,
    }  # fmt: skip


def _trunks(lines: Sequence[Line]) -> Iterator[tuple[Any, ...]]:
    """From there down to the sector, behind the lines above it: the deepest of a column covers the others."""
    deepest: dict[float, float] = {}
    for slot, sector in _slots(lines).values():
        x, (_, _, _, top) = middle(slot, sector), frame(slot)
        deepest[x] = min(deepest.get(x, _FAN_END), top)
    for x, y in deepest.items():
        yield x, _FAN_END, y, "move"


def _untouched(lines: Sequence[Line]) -> Iterator[tuple[Any, ...]]:
    """Words of touched lines whose sector is not moved: the frame has covered those of the grid."""
    touched = set(_slots(lines).values())
    for slot in range(len(lines)):
        for sector in range(SECTORS):
            if (slot, sector) not in touched:
                for box in line_grid.sector_words(slot, sector):
                    yield *box, "cell"


def _pieces(access: GlobalAccess, lines: Sequence[Line]) -> Iterator[tuple[Any, ...]]:
    """Every byte moved, cut at words and where its use changes."""
    asked = {address for address in access.addresses if address != INACTIVE}
    used = {byte for address in asked for byte in range(address, address + access.width_bytes)}
    for address, (slot, sector) in _slots(lines).items():
        for word in range(0, SECTOR_BYTES, WORD_BYTES):
            flags = [address + byte in used for byte in range(word, word + WORD_BYTES)]
            first = 0
            for byte in range(1, WORD_BYTES + 1):
                if byte == WORD_BYTES or flags[byte] != flags[first]:
                    role = "move" if flags[first] else "cost"
                    yield *line_grid.part(slot, sector, word + first, word + byte), role
                    first = byte


def _strokes(pieces: Sequence[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Across every piece that nobody asked for, so that grey tells it apart, too."""
    for left, right, bottom, top, role in pieces:
        if role == "cost":
            yield left, right, top, bottom, role


def _links(lines: Sequence[Line]) -> Iterator[tuple[Any, ...]]:
    """Between one line and the next: joined where it follows, a break where lines are left out."""
    gap = line_grid.GAP
    for slot, (before, line) in enumerate(pairwise(lines), 1):
        left, _, bottom, top = frame(slot)
        level = (bottom + top) / 2
        if line.address == before.address + LINE_BYTES:
            yield left - (gap if slot % line_grid.PER_ROW else gap / 2), left, level, level, "rest"
        else:
            for x in (left - 0.62 * gap, left - 0.32 * gap):
                yield x - 0.07, x + 0.07, level - 6, level + 6, "rest"


def _names(lines: Sequence[Line], words: Words) -> Iterator[tuple[Any, ...]]:
    """Under a line: where it begins, and of the bytes moved from it those used."""
    for slot, line in enumerate(lines):
        left, right, bottom, _ = frame(slot)
        address = words.num(line.address)
        used, moved = sum(sector.bytes_used for sector in line.sectors), SECTOR_BYTES * len(line.sectors)
        y, role = bottom - _TEXT, "move" if used == moved else "cost"
        text = words("byte {n}", n=address)
        yield left, y, text, text if width_px(text, 11) <= _SHORT else address, "left", "rest", "surface"
        yield right, y, words("{used} of {moved} B", used=used, moved=moved), "", "right", role, "surface"


def _bar(access: GlobalAccess) -> Iterator[tuple[Any, ...]]:
    """Bytes used, then those that came along, on the scale of one sector a lane."""
    used, moved = access.bytes_used / SECTOR_BYTES - 0.5, access.sectors - 0.5
    yield -0.5, used, _BAR_END, _BAR, "move", " "
    if used < moved:
        yield used, moved, _BAR_END, _BAR, "cost", "left_diagonal_line"


def _counts(access: GlobalAccess, words: Words) -> Iterator[tuple[Any, ...]]:
    """The bar's words, under it."""
    yield -0.5, -0.5, _BAR_TEXT, words("used {n} B", n=words.num(access.bytes_used)), "move"
    if access.bytes_unused:
        text = words("moved, not used {n} B", n=words.num(access.bytes_unused))
        x, phone_x = (max(access.bytes_used / SECTOR_BYTES, room) - 0.5 for room in (_APART, _PHONE_APART))
        yield x, phone_x, _BAR_TEXT, text, "cost"


# ------------------------------------------------------------------------------------------------------ the plot


def build(figure: Figure) -> Plot:
    """Draw the sources of `columns`, and `marks`."""
    words, source, roles = figure.words, figure.source, Roles()
    plot = marks.canvas((-0.7, WARP_LANES - 0.3), (_FLOOR, 0))
    _sides(plot, words)
    marks.bands(plot, source("warp"), roles)
    marks.threads(plot, source("threads"), roles)
    trunk = Segment(x0="x", x1="x", y0="y0", y1="y1", line_color=roles("ink"), line_width=1.25, line_alpha=0.85)
    plot.add_glyph(source("trunks"), trunk)
    marks.words(plot, source("grid"), roles)
    for column, tag, size in (("text", WIDE, "12px"), ("short", PHONE, "11px")):
        marks.text(plot, source("names"), roles, column=column, align="align", size=size, ground="ground", tags=[tag])
    marks.lines(plot, source("lines"), roles)
    marks.words(plot, source("rests"), roles)
    marks.words(plot, source("bytes"), roles)
    marks.strokes(plot, source("strokes"), roles)
    marks.links(plot, source("links"), roles)
    marks.lanes(plot, source("lanes"), roles, size=12, dash=True).tags = [WIDE]
    marks.lanes(plot, source("lanes"), roles, size=7, dash=True).tags = [PHONE]
    marks.words(plot, source("room"), roles)
    marks.words(plot, source("bar"), roles, hatch=True)
    for x, tag, size in (("x", WIDE, "12px"), ("phone_x", PHONE, "11px")):
        marks.text(plot, source("counts"), roles, x=x, align="left", bold=True, size=size, tags=[tag])
    marks.text(plot, source("note"), roles, size="14px", ground="ground")
    marks.cursor(plot, source("cursor"))
    marks.inspected(plot, source("marks"))
    return plot


def _sides(plot: Plot, words: Words) -> None:
    lanes = [*range(0, WARP_LANES, 4), WARP_LANES - 1]
    rows = [
        (_LANE, words("lane")),
        (line_grid.TOP - line_grid.HEIGHT / 2, words("line")),
        ((_BAR + _BAR_END) / 2, words("bytes")),
    ]
    marks.names(plot, "left", rows, [WIDE], bold=True)
    marks.names(plot, "above", [(lane, str(lane)) for lane in lanes], [WIDE], standoff=2)
    few = [(0, words("lane {n}", n=0)), *((lane, str(lane)) for lane in lanes[2::2])]
    marks.names(plot, "above", few, [PHONE], size="11px", standoff=2)
