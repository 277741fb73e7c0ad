"""How a walk through a row of scores is drawn: scores under a rising limit, weights below, the sums at the bottom.

x runs from 0 to 1000, shared by the scores; y is px from the bottom, as long as the drawing is `HEIGHT` high.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from bokeh.models import Plot
from bokeh.models.glyphs import MultiLine, Quad, Segment
from bokeh.models.glyphs import Text as TextGlyph

from widgets import marks
from widgets.figure import Figure
from widgets.marks import PHONE, WIDE
from widgets.softmax_walk import Move
from widgets.softmax_words import Say
from widgets.theme import Roles
from widgets.timeline import width_px
from widgets.words import Words

_SPAN = 484
HEIGHT = _SPAN + 12  # the theme's margins above and below
"""Height in px for the figure class's `height` and `phone_height`."""
_NAME_A, _NAME_B = 474, 279  # names of blocks; of the two panels, on phones
_FRAME_A, _BARS_A, _SCORE = (464, 338), (432, 362), 349  # scores: frame, bars from highest to lowest, texts
_FACTOR, _BRACKET = 320, 297
_FRAME_B, _BARS_B, _WEIGHT, _VALUE = (270, 146), (261, 190), 176, 158  # weights from 1 to 0
_RULE, _HEAD, _M, _L, _U, _OUT = 132, 116, 92, 70, 48, 20  # the sums
_COLUMNS = (150, 390, 630, 870)  # before, kept, added, after
_PX = {WIDE: 740, PHONE: 306}  # widths of the drawing at which texts are fitted

_BOX = ("left", "right", "bottom", "top", "role")
_FIELDS = {
    "rules": ("x0", "x1", "y", "role"),
    "frames": (*_BOX, "width"),
    **dict.fromkeys(("scores", "hidden", "ghosts", "weights"), _BOX),
    "lines": ("xs", "ys", "role", "width"),
    "texts": ("x", "y", WIDE, PHONE, "role", "align", "style"),
    "labels": ("x", "y", WIDE, PHONE, "role", "align"),
    "marks": ("x", "y", "say"),
    "cursor": ("x", "y", "role"),
}


def columns(say: Say, at: int, veiled: bool) -> Mapping[str, Mapping[str, Sequence[Any]]]:
    """Return the data of every source after `at` steps; `veiled`: the scores alone."""
    sheet = _Sheet(say)
    move, done = say.walk.moves[at - 1], say.walk.moves[:at]
    worth = say.walk.worth(at)
    sheet.frames(move)
    sheet.bars(worth, 0 if veiled else max(m.stop for m in done))
    sheet.names()
    if veiled:
        sheet.text(500, (_RULE + _OUT) / 2, say.words("Your guess first, then the sums."))
    else:
        sheet.limit(move, done)
        sheet.factors(move, done)
        sheet.sums(move)
    return sheet.columns


class _Sheet:
    """The rows of every source, as they are filled."""

    def __init__(self, say: Say) -> None:
        self.say = say
        self.scores = say.walk.scores
        self.cell = 1000 / len(self.scores)
        self.columns: dict[str, dict[str, list[Any]]] = {
            source: {field: [] for field in fields} for source, fields in _FIELDS.items()
        }

    def add(self, source: str, *row: object) -> None:
        for column, value in zip(self.columns[source].values(), row, strict=True):
            column.append(value)

    def text(
        self, x: float, y: float, text: str, role: str = "rest", *, align: str = "center", bold: bool = False,
        on: Sequence[str] = (WIDE, PHONE),
    ) -> None:  # fmt: skip
        """Write a text, on one width of the page or on both."""
        texts = [text if tag in on else "" for tag in _PX]
        self.add("texts", x, y, *texts, role, align, "bold" if bold else "normal")

    def row(self, y: float, room: float, cells: Sequence[tuple[float, Sequence[str], str]]) -> None:
        """Write (x, texts, role) cells with `room` each in one line: on each width the first text that fits in all."""
        for tag in _PX:
            choices = zip(*(texts for _, texts, _ in cells), strict=True)
            texts = next((texts for texts in choices if all(_fits(text, room, tag) for text in texts)), ())
            for (x, _, role), text in zip(cells, texts, strict=False):
                self.text(x, y, text, role, bold=role != "rest", on=(tag,))

    def label(self, x: float, y: float, text: str, role: str, room: float, align: str = "center") -> None:
        """Write a text that covers what lies under it, on the widths where there is room."""
        self.add("labels", x, y, *(text if _fits(text, room, tag) else "" for tag in _PX), role, align)

    # ---------------------------------------------------------------------------- parts

    def frames(self, move: Move) -> None:
        """A frame around each block, in both panels; the step's own stands out."""
        gap, blocks, half = min(4.0, self.cell / 10), self.say.walk.blocks, self.say.walk.half
        mine = [(0, half), (half, move.stop)] if move.merge else [(move.start, move.stop)]
        for start, stop, role, width in (
            *((block.start, block.stop, "surface", 1.0) for block in blocks),
            *((start, stop, "ink", 1.75) for start, stop in mine),
        ):
            for top, bottom in (_FRAME_A, _FRAME_B):
                self.add("frames", start * self.cell + gap, stop * self.cell - gap, bottom, top, role, width)
        for block in blocks:
            x, room = (block.start + block.stop) / 2 * self.cell, (block.stop - block.start) * self.cell
            if _fits(self.say.name(block), room, WIDE):
                now = block is move
                self.text(x, _NAME_A, self.say.name(block), "ink" if now else "rest", bold=now, on=(WIDE,))

    def bars(self, worth: Sequence[float], seen: int) -> None:
        """Scores with their texts, and of those seen the weights: what counts now, and what rescales took."""
        say, half = self.say, min(0.32 * self.cell, 36)
        texts, weights, values = [], [], []
        for i, score in enumerate(self.scores):
            x = (i + 0.5) * self.cell
            y = sum(_BARS_A) / 2 if score == -inf else self._y(score)
            self.add("marks", x, y, say.score(i, worth[i] if i < seen else None))
            if score == -inf:
                self.add("hidden", x - half, x + half, _BARS_A[1], _BARS_A[0], "idle")
            else:
                low, high = sorted((self._y(0.0), y))
                self.add("scores", x - half, x + half, low, max(high, low + 4), "rest")  # 0 is seen, too
            if i < seen and worth[i]:
                self._weight(x - half, x + half, worth[i], say.walk.born[i])
            texts.append((x, say.score_texts(i), "rest"))
            values.append((x, (say.num(say.walk.values[i]),), "rest"))
            if i < seen:
                hidden = score == -inf
                both = ("–", "–") if hidden else (say.num(worth[i]), say.coarse(worth[i]))
                weights.append((x, both, "rest" if hidden else "compute"))
        for y, cells in ((_SCORE, texts), (_WEIGHT, weights), (_VALUE, values)):
            self.row(y, self.cell, cells)
        for y in (self._y(0.0), _BARS_B[1], _RULE):
            self.add("rules", 0, 1000, y, "cell")

    def _weight(self, left: float, right: float, worth: float, born: float) -> None:
        zero, one = _BARS_B[1], _BARS_B[0] - _BARS_B[1]
        if born > worth:
            self.add("ghosts", left, right, zero + one * worth, zero + one * born, "compute")
        self.add("weights", left, right, zero, zero + one * worth, "compute")

    def _y(self, score: float) -> float:
        """Return the height of a score; 0 is always in the drawing."""
        finite = [0.0, *(s for s in self.scores if s != -inf)]
        most = max(abs(s) for s in finite) or 1.0  # first of all: a difference of two scores may overflow
        low, high = min(finite) / most, max(finite) / most
        top, bottom = _BARS_A
        return bottom + (top - bottom) * (score / most - low) / ((high - low) or 1.0)

    def names(self) -> None:
        """Name the rows on phones, where there is no room at their left."""
        words = self.say.words
        for y, text in (
            (_NAME_A, words("score s")),
            (_NAME_B, words("weight, with the value v below")),
            *((_M, "m"), (_L, "ℓ"), (_U, "u"), (_OUT, "u/ℓ")),
        ):
            self.text(0, y, text, "ink", align="left", bold=True, on=(PHONE,))

    def limit(self, move: Move, done: Sequence[Move]) -> None:
        """The running maximum: a limit that only rises, one line a part, and that of the merge across both."""
        lines: dict[int, tuple[list[float], list[float]]] = {}
        for m in done:
            if not m.merge and not m.after.empty:
                xs, ys = lines.setdefault(m.part, ([], []))
                xs += [m.start * self.cell + (0 if xs else 3), m.stop * self.cell - (3 if m is done[-1] else 0)]
                ys += [self._y(m.after.maximum)] * 2
        for xs, ys in lines.values():
            self.add("lines", xs, ys, "rest" if move.merge else "ink", 1.25 if move.merge else 2.5)
        if move.after.empty:
            return
        text, right, y = f"m = {self.say.num(move.after.maximum)}", move.stop * self.cell, self._y(move.after.maximum)
        if move.merge:
            self.add("lines", [3, 997], [y, y], "ink", 2.5)
        inside = _fits(text, right, PHONE)
        self.label(right - 10 if inside else 10, y + 11, text, "ink", 1000, "right" if inside else "left")

    def factors(self, move: Move, done: Sequence[Move]) -> None:
        """What each block did to the sums, and a bracket over all that this step scales."""
        blocks = [m for m in done if not m.merge]
        cells = []
        for m in blocks:
            x = (m.start + m.stop) / 2 * self.cell
            cells.append((x, self.say.fate(m), "cost" if m.rescaled else "rest"))
            self.add("marks", x, _FACTOR, self.say.factor(m))
        self.row(_FACTOR, min((m.stop - m.start for m in blocks[:1]), default=1) * self.cell, cells)
        spans = [(move.part, move.start, move.factor)] if move.rescaled else []
        if move.merge:
            half = self.say.walk.half
            halves = (move.before, 0, half, move.factor), (move.own, half, move.stop, move.own_factor)
            spans = [(start, stop, factor) for state, start, stop, factor in halves if not state.empty]
            self.add("marks", half * self.cell, _BRACKET, self.say.factor(move))
        for start, stop, factor in spans:
            a, b, role = start * self.cell + 4, stop * self.cell - 4, "cost" if factor < 1 else "rest"
            self.add("lines", [a, a, b, b], [_BRACKET - 6, _BRACKET, _BRACKET, _BRACKET - 6], role, 1.25)
            self.label(
                (a + b) / 2, _BRACKET, f"\N{NO-BREAK SPACE}× {self.say.num(factor)}\N{NO-BREAK SPACE}", role, b - a
            )

    def sums(self, move: Move) -> None:
        """What m, ℓ and u were, what is kept of them, what comes in, and what they are."""
        say, words, r = self.say, self.say.words, f"× {self.say.num(move.factor)}"
        four = move.before, move.kept, move.added, move.after
        if move.merge:
            heads = words("left half"), r, words("+ right × {r}", r=say.num(move.own_factor)), words("= merged")
        else:
            heads = words("before"), r, f"+ {say.name(move)}", words("= after")
        maxima = say.num(move.before.maximum), "", say.num(move.own.maximum), say.num(move.after.maximum)
        lines = {
            _HEAD: heads,
            _M: maxima,
            _L: [say.num(s.denominator) for s in four],
            _U: [say.num(s.numerator) for s in four],
            _OUT: (say.output(move.before), "", "", say.output(move.after)),
        }
        shrinks = move.factor < 1 and not move.first
        for y, texts in lines.items():
            for x, text, role in zip(
                _COLUMNS, texts, ("rest", "cost" if shrinks else "rest", "compute", "ink"), strict=True
            ):
                self.text(x, y, text, role, bold=y == _HEAD or role == "ink")
        self.add("rules", 0, 1000, (_U + _OUT) / 2, "cell")
        self.add("marks", _COLUMNS[-1], _L, say.state(move))


def _fits(text: str, room: float, tag: str) -> bool:
    """Say whether a text fits `room` thousandths of the drawing's width."""
    return width_px(text, 12 if tag == WIDE else 11) <= room * _PX[tag] / 1000 - 4


def build(figure: Figure, words: Words) -> Plot:
    """Draw the sources that `columns` fills."""
    plot, roles, source = marks.canvas((0, 1000), (0, _SPAN)), Roles(), figure.source
    names = {_SCORE: words("score s"), _FACTOR: words("factor r"), _WEIGHT: words("weight"), _VALUE: words("value v")}
    marks.row_names(plot, [*names.items(), (_M, "m"), (_L, "ℓ"), (_U, "u"), (_OUT, "u/ℓ")])
    plot.yaxis[0].major_label_text_font_style = "bold"
    plot.add_glyph(source("rules"), Segment(x0="x0", x1="x1", y0="y", y1="y", line_color=roles("ink"), line_width=1))
    plot.add_glyph(
        source("frames"),
        Quad(
            left="left",
            right="right",
            bottom="bottom",
            top="top",
            border_radius=6,
            fill_color=None,
            line_color=roles("ink"),
            line_width="width",
        ),
    )
    marks.bars(plot, source("scores"), roles)
    marks.idle(plot, source("hidden"), roles)
    marks.bars(plot, source("ghosts"), roles, soft=True)
    marks.bars(plot, source("weights"), roles)
    plot.add_glyph(
        source("lines"), MultiLine(xs="xs", ys="ys", line_color=roles("ink"), line_width="width", line_join="round")
    )
    looks: dict[str, dict[str, Any]] = {
        "texts": {"text_font_style": {"field": "style"}},
        "labels": {"text_font_style": "bold", "background_fill_color": roles("gap"), "padding": 0},
    }
    for name, look in looks.items():
        for tag, size in ((WIDE, "12px"), (PHONE, "11px")):
            glyph = TextGlyph(
                x="x", y="y", text=tag, text_color=roles("ink"), text_align={"field": "align"},
                text_baseline="middle", text_font_size={"value": size}, **look,
            )  # fmt: skip
            plot.add_glyph(source(name), glyph).tags = [tag]
    marks.inspected(plot, source("marks"))
    marks.cursor(plot, source("cursor"))
    return plot
