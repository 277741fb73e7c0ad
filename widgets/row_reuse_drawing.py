"""How the reuse of a row is drawn: A, B and C cut into lines, the cache as a shelf, and every miss over the walk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bokeh.models import Plot
from bokeh.models.glyphs import Segment

from sim.row_reuse import Array, Line, Snapshot
from widgets import marks, matrix_sheet
from widgets.figure import Figure
from widgets.marks import PHONE, WIDE
from widgets.matrix_sheet import BOX, TEXT, Box, Sheet, fits
from widgets.row_reuse_words import Say
from widgets.theme import Roles

HEIGHT, PHONE_HEIGHT = 550, 470

_GAP, _UPPER, _BOTTOM = 60, 955, 196  # between matrices; top of B; bottom of A and C
_NAME = 24  # from a matrix up to its name
_TOLD = 58  # cells at least so high have room for a count below
_SAYS = 24  # what is said below the shelf, above its end
_SLOT = 66  # highest place of the shelf
_TAB = 52  # width of the tab at a place of the shelf
_LEGIBLE = 27  # lowest place with a text
_ROOMY, _TIGHT = (0.48, 0.86, 0.26), (0.56, 0.86, 0.31)  # elements from … to, and the count below: shares of a cell
_STRIP = (58, 920)  # the walk, from its first step to its last
_TITLE, _LABELS, _ROWS = 160, 124, {"A": 90, "B": 54, "C": 18}
_STROKE = 14  # x from one stroke of a hatch to the next
_HALF = 14  # half a row of the walk
_ELEMENT = "C[0][0]."  # as wide as an element's name, and a little more
_RUNS = 40  # most runs of the innermost loop that are set apart
_STAYS: dict[str, Array] = {"k": "C", "j": "A", "i": "B"}  # whose element stays while this loop runs innermost

_FIELDS: dict[str, Sequence[str]] = {
    **dict.fromkeys(("cells", "tints", "again", "tabs", "empty", "tracks", "firsts", "missed"), BOX),
    "strokes": ("x0", "x1", "y0", "y1", "role"),
    "frames": (*BOX, "width"),
    "slots": BOX,
    "cuts": ("x", "y0", "y1", "role", "width"),
    **dict.fromkeys(("texts", "on"), TEXT),
    "marks": ("x", "y", "say"),
    "cursor": ("x", "y", "role"),
}


def columns(say: Say) -> Mapping[str, Mapping[str, Sequence[Any]]]:
    """Return the data of every source."""
    page = _Page(say)
    page.matrices()
    page.shelf()
    page.walk()
    return page.sheet.columns


class _Page:
    """The parts of the drawing, after one access."""

    def __init__(self, say: Say) -> None:
        self.say, self.sheet = say, Sheet(_FIELDS)
        self.shot: Snapshot = say.trace.after(say.at)
        (rows, depth), (_, columns) = say.trace.shapes["A"], say.trace.shapes["B"]
        self.wide = (1000 - _GAP) / (depth + columns)
        self.tall = (_UPPER - _BOTTOM - _GAP) / (depth + rows)
        right, lower = depth * self.wide + _GAP, _UPPER - depth * self.tall - _GAP
        self.corner: dict[Array, tuple[float, float]] = {"A": (0, lower), "B": (right, _UPPER), "C": (right, lower)}
        access = say.access
        self.now: Line | None = (access.array, access.line) if access else None
        self.fate = "" if access is None else "compute" if access.hit else "move" if access.first else "cost"

    # ------------------------------------------------------------------------- matrices

    def matrices(self) -> None:
        """Three matrices, line by line."""
        held = set(self.shot.held)
        for name, (left, top) in self.corner.items():
            label = "C = AB" if name == "C" else name
            self.sheet.text("texts", left, top + _NAME, label, "ink", align="left", bold=True)
            rows, width = self.say.trace.shapes[name]
            for number in range(rows * -(-width // self.say.trace.line_elements)):
                self.line((name, number), (name, number) in held)

    def line(self, line: Line, held: bool) -> None:
        """One line: its frame, its elements, and how often it came."""
        row, first, last = self.say.trace.place(line)
        left, top = self.corner[line[0]]
        x0, x1 = left + first * self.wide, left + (last + 1) * self.wide
        y1 = top - row * self.tall
        y0 = y1 - self.tall
        now = line == self.now
        role, width = (self.fate, 2.0) if now else ("move", 1.25) if held else ("surface", 1.0)
        self.sheet.box("frames", (x0 + 3, x1 - 3, y0 + 3, y1 - 3), role, width)
        told = self.tall >= _TOLD
        low, high, middle = (y0 + part * self.tall for part in (_ROOMY if self.tall >= 1.3 * _TOLD else _TIGHT))
        if not told:
            low, high = y0 + 0.18 * self.tall, y1 - 0.18 * self.tall
        access = self.say.access
        for column in range(first, last + 1):
            x = left + column * self.wide
            box: Box = (x + 0.11 * self.wide, x + 0.89 * self.wide, low, high)
            if now and access is not None and access.column == column:
                self.element(box)
            else:
                self.sheet.box("tints" if held else "cells", box, "move" if held else "cell")
        came = (line in self.shot.first) + self.shot.extra.get(line, 0)
        if told and came:
            text = f"×\N{NO-BREAK SPACE}{self.say.words.num(came)}"
            role = "cost" if came > 1 else "move"
            self.sheet.text("texts", (x0 + x1) / 2, middle, text, role, room=x1 - x0 - 10, bold=True)
        self.sheet.add("marks", (x0 + x1) / 2, (low + high) / 2, self.say.line(line, self.shot))

    def element(self, box: Box) -> None:
        """The element that is touched, as hit, first miss or miss again."""
        self.sheet.box("again" if self.fate == "cost" else "cells", box, self.fate)

    # ---------------------------------------------------------------------------- shelf

    def shelf(self) -> None:
        """The places of the cache, the line used last on top."""
        say, words, count = self.say, self.say.words, self.say.trace.cache_lines
        right, floor = self.corner["B"][0] - _GAP - 14, self.corner["A"][1] + _GAP
        title = (
            words.plural("The cache, {n} line, used last on top", "The cache, {n} lines, used last on top", count),
            words.plural("The cache, {n} line", "The cache, {n} lines", count),
        )
        self.sheet.text("texts", 0, _UPPER + _NAME, title, "ink", align="left", bold=True, room=right + _GAP)
        tall = min(_SLOT, (_UPPER - floor - _SAYS - 22) / (count + 1))
        places: list[Box] = [
            (0, right, _UPPER - (place + 0.9) * tall, _UPPER - (place + 0.04) * tall) for place in range(count + 1)
        ]
        for place, box in enumerate(places[:-1]):
            if place < len(self.shot.held):
                self.slot(box, place, self.shot.held[-1 - place])
            else:
                self.sheet.box("empty", box, "surface")
        if self.fate:
            self.sheet.text("texts", 0, floor + _SAYS, say.doing(), self.fate, align="left", bold=True, room=right)
        if leaves := say.leaves():
            self.sheet.box("empty", places[-1], "rest")
            y = (places[-1][2] + places[-1][3]) / 2
            on = (WIDE, PHONE) if tall >= _LEGIBLE else ()
            self.sheet.text("texts", _TAB + 16, y, leaves, align="left", room=right - _TAB, on=on)

    def slot(self, box: Box, place: int, line: Line) -> None:
        """A place with the line in it: its number on a tab, its name, its elements."""
        left, right, bottom, top = box
        y, tab, legible = (bottom + top) / 2, left + _TAB, top - bottom >= _LEGIBLE * 0.86
        self.sheet.box("slots", box, self.fate if place == 0 else "rest")
        self.sheet.box("tabs", (left, tab, bottom, top), "ink")
        if legible:
            self.sheet.text("on", (left + tab) / 2, y, self.say.words.num(place + 1), "ink", room=_TAB)
            self.sheet.text("texts", tab + 16, y, self.say.name(line), "ink", align="left", room=right - tab)
        _, first, last = self.say.trace.place(line)
        start = left + 0.5 * (right - left)
        step = (right - 14 - start) / self.say.trace.line_elements
        access = self.say.access
        for column in range(first, last + 1):
            x = start + (column - first) * step
            cell: Box = (x + 0.1 * step, x + 0.9 * step, bottom + 0.2 * (top - bottom), top - 0.2 * (top - bottom))
            if place == 0 and access is not None and access.column == column:
                self.element(cell)
            else:
                self.sheet.box("tints", cell, "move")
        self.sheet.add("marks", tab + 60, y, self.say.line(line, self.shot))

    # ----------------------------------------------------------------------------- walk

    def walk(self) -> None:
        """Three rows of misses over the steps of the innermost loop, up to the access shown."""
        say, trace, words = self.say, self.say.trace, self.say.words
        left, right = _STRIP
        (rows, depth), (_, columns) = trace.shapes["A"], trace.shapes["B"]
        sizes = {"i": rows, "j": columns, "k": depth}
        steps = rows * depth * columns
        scale = (right - left) / steps
        for name, y in _ROWS.items():
            self.sheet.text("texts", 0, y, name, "ink", align="left", bold=True)
            self.sheet.box("tracks", (left, right, y - _HALF, y + _HALF), "cell")
        self.sheet.text("texts", 0, _TITLE, words("Misses"), "ink", align="left", bold=True)
        if say.veiled:
            self.sheet.text("texts", (left + right) / 2, _ROWS["B"], say.doing())
            return
        inset = min(0.15 * scale, 1.5)
        step, stroked = -1, dict[float, float]()
        for access in trace.accesses[: say.at]:
            step += access.array == "A"
            if not access.hit:
                x, y = left + step * scale, _ROWS[access.array]
                box = (x + inset, x + scale - inset, y - _HALF, y + _HALF)
                self.sheet.box("firsts" if access.first else "missed", box, "move" if access.first else "cost")
                if not access.first:
                    self.strokes(box, stroked)
        inner = sizes[trace.order[-1]]
        for at in range(inner, steps, inner) if steps // inner <= _RUNS else ():
            self.sheet.add("cuts", left + at * scale, _ROWS["C"] - _HALF - 2, _ROWS["A"] + _HALF + 2, "surface", 3)
        self.runs(inner, scale)
        if say.at < len(trace.accesses):
            x = left + (step + 1) * scale
            self.sheet.add("cuts", x, _ROWS["C"] - _HALF - 6, _ROWS["A"] + _HALF + 6, "ink", 1.5)
        self.counts()

    def strokes(self, box: Box, stroked: dict[float, float]) -> None:
        """Hatch a box of the walk by hand: 500 hatches proper take the page half a second to draw."""
        left, right, bottom, top = box
        if left - stroked.get(top, -_STROKE) < 0.7 * _STROKE:
            return  # narrow boxes side by side: one in a few
        stroked[top] = left
        count = max(1, round((right - left) / _STROKE))
        apart = (right - left) / count
        for n in range(count):
            self.sheet.add("strokes", left + n * apart, left + (n + 1) * apart, top, bottom, "cost")

    def runs(self, inner: int, scale: float) -> None:
        """Name each run of the innermost loop by the element that stays while it lasts."""
        name = _STAYS[self.say.trace.order[-1]]
        touched = [access for access in self.say.trace.accesses if access.array == name]
        named = touched[:: 1 if name == "C" else inner]
        for tag in (WIDE, PHONE):
            apart = next((n for n in range(1, 9) if fits(_ELEMENT, n * inner * scale, tag)), len(named))
            for run in range(0, len(named), apart):
                text = f"{name}[{named[run].row}][{named[run].column}]"
                self.sheet.text("texts", _STRIP[0] + (run + 0.5) * inner * scale, _LABELS, text, on=(tag,))

    def counts(self) -> None:
        """Counts so far: of each row at its end, and of both kinds above."""
        words, first, extra = self.say.words, self.shot.first, self.shot.extra
        for name, y in _ROWS.items():
            again = sum(count for line, count in extra.items() if line[0] == name)
            count = again + sum(line[0] == name for line in first)
            self.sheet.text("texts", 1000, y, words.num(count), "cost" if again else "move", align="right", bold=True)
        n, m = len(first), sum(extra.values())
        self.sheet.text(
            "texts",
            640,
            _TITLE,
            words("first touch {n}", n=words.num(n)),
            "move" if n else "rest",
            align="right",
            bold=True,
        )
        self.sheet.text(
            "texts",
            _STRIP[1],
            _TITLE,
            words("again {n}", n=words.num(m)),
            "cost" if m else "rest",
            align="right",
            bold=True,
        )


def build(figure: Figure) -> Plot:
    """Draw the sources that `columns` fills."""
    plot, roles = matrix_sheet.canvas(), Roles()

    def quads(name: str, **looks: Any) -> None:
        matrix_sheet.quads(plot, figure, name, **looks)

    quads("tracks", fill_color=roles("fill"), line_color=None, border_radius=2)
    quads("slots", fill_color=None, line_color=roles("ink"), line_width=1.25, border_radius=4)
    quads("empty", fill_color=None, line_color=roles("ink"), line_width=1, line_dash=[2, 3], border_radius=4)
    quads("frames", fill_color=None, line_color=roles("ink"), line_width="width", border_radius=4)
    quads("tabs", fill_color=roles("fill"), line_color=None, border_radius=4)
    quads("cells", fill_color=roles("fill"), line_color=None, border_radius=2)
    quads("tints", fill_color=roles("soft"), line_color=None, border_radius=2)
    quads("firsts", fill_color=roles("fill"), line_color=None, border_radius=99)
    quads(
        "again", fill_color=roles("fill"), line_color=None, border_radius=2, hatch_pattern="left_diagonal_line",
        hatch_scale=5, hatch_weight=0.5, hatch_color=roles("on"), hatch_alpha=0.35,
    )  # fmt: skip
    quads("missed", fill_color=roles("fill"), line_color=None, border_radius=2)
    marks.strokes(plot, figure.source("strokes"), roles)
    cut = Segment(x0="x", x1="x", y0="y0", y1="y1", line_color=roles("fill"), line_width="width")
    plot.add_glyph(figure.source("cuts"), cut)
    matrix_sheet.texts(plot, figure, "texts", roles)
    matrix_sheet.texts(plot, figure, "on", roles, "on")
    marks.inspected(plot, figure.source("marks"))
    marks.cursor(plot, figure.source("cursor"))
    return plot
