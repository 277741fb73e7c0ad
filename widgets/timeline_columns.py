"""A time line's chart as the columns of its sources: where each mark lies, and which texts have room.

Heights are px, which are the drawing's own vertical coordinates as long as it is `HEIGHT` high.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil, floor, log10
from typing import Any

from widgets.marks import PHONE, WIDE
from widgets.timeline_chart import Arrow, Bar, Chart, Clash, Hold, Look, Row
from widgets.words import Words

HEIGHT = 332
"""For a figure's `height` and `phone_height`, in px."""
INNER = HEIGHT - 12  # less the theme's min_border_top and min_border_bottom
_TOP, _AXIS, _BAR = 18, 26, 24  # px: a phone's name of the first row, the axis labels, a bar
_WIDE_PX, _PHONE_PX = 730, 306  # frame widths that decide which labels fit: cards 840 and 324 px wide
_NAME_PX = 104  # of a row's name
_PAD = 6  # px on each side of a text in a bar
_NARROW = frozenset(" .,:;'’|!()[]ijlt·-")
_MIDDLE = (("center", 0.0),)  # where a text may stand at a mark, best first: alignment, shift in px
_SIDES = (("right", -6.0), ("left", 6.0))
_ENDS = (("center", 0.0), ("left", 0.0), ("right", 0.0))


_LOOKS: dict[Look, tuple[str, str]] = {  # source and role; pills move, square ends compute or store
    "move": ("pills", "move"),
    "compute": ("squares", "compute"),
    "host": ("soft_squares", "host"),
    "filling": ("soft_pills", "move"),
    "reading": ("soft_squares", "compute"),
    "full": ("soft_squares", "surface"),
}


def width_px(text: str, size: float = 12) -> float:
    """Return about how wide a text is set, in px; no browser is at hand to ask."""
    return size * sum(1.0 if c > "\u2e80" else 0.33 if c in _NARROW else 0.58 for c in text)


def cut(name: str) -> str:
    """Return a row's name as it fits beside the rows: names of a reader's own can be long."""
    kept = name
    while width_px(kept) > _NAME_PX:
        kept = kept.removesuffix("…")[:-1] + "…"
    return kept


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row lies: its middle, and half of a bar's height."""

    index: int
    y: float
    half: float

    @property
    def above(self) -> float:
        """Where a text above the row has its middle."""
        return self.y + self.half + 9


def places(rows: Sequence[Row]) -> dict[str, Place]:
    """Stack the rows downwards; more than have room are drawn lower and closer."""
    scale = min(1.0, (INNER - _TOP - _AXIS) / sum(row.gap + _BAR for row in rows))
    y = float(INNER - _TOP)
    places = {}
    for index, row in enumerate(rows):
        y -= scale * (row.gap + _BAR / 2)
        places[row.key] = Place(index, y, scale * _BAR / 2)
        y -= scale * _BAR / 2
    return places


class _Labels:
    """What fits, on both widths of a page: into a bar, or into a gap between rows beside what is there."""

    def __init__(self, span: float) -> None:
        self._px = {WIDE: _WIDE_PX / span, PHONE: _PHONE_PX / span}  # a unit of time
        self._taken: dict[tuple[str, int], list[tuple[float, float]]] = {}

    def inside(self, tag: str, length: float, texts: Iterable[str]) -> str:
        room = length * self._px[tag] - 2 * _PAD
        return next((text for text in texts if width_px(text) <= room), "")

    def block(self, gap: int, at: float) -> None:
        for tag, px in self._px.items():
            self._taken.setdefault((tag, gap), []).append((at * px - 3, at * px + 3))

    def beside(self, tag: str, gap: int, at: float, align: str, dx: float, text: str) -> bool:
        """Say whether a text has room in a gap, and take it."""
        width, x = width_px(text), at * self._px[tag] + dx
        left = {"left": x, "center": x - width / 2, "right": x - width}[align]
        taken = self._taken.setdefault((tag, gap), [])
        inside = left >= 0 and left + width <= {WIDE: _WIDE_PX, PHONE: _PHONE_PX}[tag]
        if not inside or any(left < end and start < left + width for start, end in taken):
            return False
        taken.append((left, left + width))
        return True


_BOX = ("left", "right", "bottom", "top", "role")
_FIELDS: dict[str, tuple[str, ...]] = {
    "ticks": ("x", "text", "short", "y", "bottom", "top", "line", "role"),
    "end": ("x", "y", "bottom", "top", "text", "role"),
    "names": ("x", "y", "text", "role"),
    **dict.fromkeys(("blanks", "holds", "clashes", "pills", "squares", "soft_pills", "soft_squares"), _BOX),
    "arrows": ("x", "y0", "y1", "dash", "marker", "role"),
    **dict.fromkeys(("on_text", "in_text"), ("x", "y", "text", "short", "role")),
    **dict.fromkeys((f"by_{WIDE}", f"by_{PHONE}"), ("x", "y", "dx", "align", "text", "role")),
    "marks": ("x", "y", "say"),
    "cursor": ("x", "y"),
}


class _Columns:
    """Fills the sources of a chart."""

    def __init__(self, chart: Chart, words: Words) -> None:
        self.data: dict[str, dict[str, list[Any]]] = {
            source: {field: [] for field in fields} for source, fields in _FIELDS.items()
        }
        self.chart, self.words = chart, words
        self.places, self.labels = places(chart.rows), _Labels(chart.span)
        self.told: list[tuple[float, float, float, str]] = []  # row, x, y, sentence
        self.by_row: dict[str, list[Bar]] = {row.key: [] for row in chart.rows}
        for bar in chart.bars:
            self.by_row[bar.row].append(bar)
        self.axis()
        for row in chart.rows:
            self.row(row)
        self.other()
        for bar in chart.bars:
            self.bar(bar)
        for arrow in chart.arrows:
            for gap in range(*sorted((self.places[arrow.row].index, self.places[arrow.to].index))):
                self.labels.block(gap, arrow.at)
        for arrow in chart.arrows:
            self.arrow(arrow)
        for hold in chart.holds:
            self.hold(hold)
        for clash in chart.clashes:
            place = self.box("clashes", clash, "cost")
            self.beside(place.index - 1, (clash.start + clash.end) / 2, place.above, clash.texts, "cost", _ENDS)
        for _, x, y, say in sorted(self.told):
            self.add("marks", x, y, say)

    def add(self, source: str, *values: object) -> None:
        for column, value in zip(self.data[source].values(), values, strict=True):
            column.append(value)

    def box(self, source: str, thing: Bar | Hold | Clash, role: str) -> Place:
        place = self.places[thing.row]
        if thing.start < thing.end:
            self.add(source, thing.start, thing.end, place.y - place.half, place.y + place.half, role)
        if thing.say:
            self.told.append((place.index, (thing.start + thing.end) / 2, place.y, thing.say))
        return place

    def beside(
        self,
        gap: int,
        at: float,
        y: float,
        texts: Sequence[str],
        role: str,
        sides: Sequence[tuple[str, float]] = _MIDDLE,
        tags: Sequence[str] = (WIDE, PHONE),
    ) -> None:
        for tag in tags:
            for text, (align, dx) in product(texts, sides):
                if self.labels.beside(tag, gap, at, align, dx, text):
                    self.add(f"by_{tag}", at, y, dx, align, text, role)
                    break

    def row(self, row: Row) -> None:
        place, right = self.places[row.key], self.chart.span
        name = cut(row.short or row.name)
        self.add("names", right, place.above, name, "ink")
        self.labels.beside(PHONE, place.index - 1, right, "right", 0, name)
        if row.note:
            end = self.chart.end or 0.99 * right
            self.add("blanks", 0.0, end, place.y - place.half, place.y + place.half, "surface")
            self.add("in_text", end / 2, place.y, row.note, row.note, "rest")

    def bar(self, bar: Bar) -> None:
        source, role = _LOOKS[bar.look]
        place = self.box(source, bar, role)
        start, end = self.open_part(bar)
        texts = [self.labels.inside(tag, end - start, bar.texts) for tag in (WIDE, PHONE)]
        if any(texts):
            solid = source in ("pills", "squares")
            role = "rest" if role == "surface" else role
            self.add("on_text" if solid else "in_text", (start + end) / 2, place.y, *texts, role)

    def open_part(self, bar: Bar) -> tuple[float, float]:
        """Return the longest stretch of a bar that no other bar of its row overlaps: there its text can stand."""
        parts = [(bar.start, bar.end)]
        for other in self.by_row[bar.row]:
            if other is not bar and other.start < bar.end and bar.start < other.end:
                cut = [((start, min(end, other.start)), (max(start, other.end), end)) for start, end in parts]
                parts = [part for both in cut for part in both if part[0] < part[1]]
        return max(parts, key=lambda part: part[1] - part[0], default=(bar.start, bar.start))

    def hold(self, hold: Hold) -> None:
        place, x = self.box("holds", hold, "idle"), (hold.start + hold.end) / 2
        if hold.above:
            self.beside(place.index - 1, x, place.above, hold.texts, "rest")
            return
        for tag in (WIDE, PHONE):
            if text := self.labels.inside(tag, hold.end - hold.start, hold.texts):
                self.add(f"by_{tag}", x, place.y, 0.0, "center", text, "rest")

    def arrow(self, arrow: Arrow) -> None:
        start, end = self.places[arrow.row], self.places[arrow.to]
        down = 1 if end.index > start.index else -1
        beyond = self.places[self.chart.rows[start.index + down].key]
        gap = min(start.index, beyond.index)
        y0, y1 = start.y - down * (start.half + 2), end.y + down * (end.half + 6)
        y = (start.y - down * start.half + beyond.y + down * beyond.half) / 2
        marker = "inverted_triangle" if down > 0 else "triangle"
        self.add("arrows", arrow.at, y0, y1, "dashed" if arrow.dashed else "solid", marker, "ink")
        self.beside(gap, arrow.at, y, arrow.texts, "ink", _SIDES[:: -1 if arrow.dashed else 1], (WIDE,))
        if arrow.say:
            self.told.append((gap + 0.5, arrow.at, y, arrow.say))

    def other(self) -> None:
        """The end to compare with, as a paler line with its name on top."""
        if self.chart.other:
            at, name = self.chart.other
            self.add("end", at, 9, _AXIS - 4, INNER - 4, "", "rest")
            self.beside(-1, at, self.places[self.chart.rows[0].key].above, (name,), "rest", _ENDS)

    def axis(self) -> None:
        """Ticks and their labels, which keep clear of the end's."""
        chart, num = self.chart, self.words.num
        end_text = "" if chart.end is None else f"{num(chart.end, chart.digits)} {chart.unit}"
        for x, narrow in _ticks(chart.span):
            shown = []
            for px, fits in ((_WIDE_PX, True), (_PHONE_PX, narrow)):
                apart = (chart.span if chart.end is None else abs(x - chart.end)) * px / chart.span
                room = (width_px(num(x)) + width_px(end_text)) / 2 + 14
                shown.append(num(x) if fits and (chart.end is None or apart > room) else "")
            self.add("ticks", x, *shown, 9, _AXIS - 4, INNER - 4, "cell", "rest")
        if chart.end is not None:
            self.add("end", chart.end, 9, _AXIS - 4, INNER - 4, end_text, "ink")


def _ticks(span: float) -> Iterator[tuple[float, bool]]:
    """Yield round instants along the axis, and whether a phone names them."""
    rough = span / 6
    power = 10.0 ** floor(log10(rough))
    step = next(n * power for n in (1, 2, 5, 10) if n * power >= rough * (1 - 1e-9))
    every = 2 if span / step > 4 else 1
    for n in range(ceil(span / step)):
        yield round(n * step, 12), n % every == 0


def columns(chart: Chart, words: Words) -> Mapping[str, Mapping[str, Sequence[Any]]]:
    """Return the data of every source that `build` draws."""
    return _Columns(chart, words).data
