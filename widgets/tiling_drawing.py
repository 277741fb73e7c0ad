"""How a tiled product is drawn: A and B around C, the tiles a block holds, and two bars that count on one scale."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bokeh.models import Plot

from sim.tiling_reads import Step, loads
from sim.tiling_walk import Counts, Snapshot
from widgets import marks, matrix_sheet
from widgets.figure import Figure
from widgets.marks import PHONE, WIDE
from widgets.matrix_sheet import BOX, TEXT, Box, Sheet
from widgets.theme import Roles
from widgets.tiling_words import Say
from widgets.words import N_

HEIGHT, PHONE_HEIGHT = 540, 460

_WIDTH, _TALL = 470, 364  # a matrix
_LEFT, _RIGHT, _UPPER, _LOWER = 0, 530, 955, 527  # left edges; top edges
_NAME = 24  # from a matrix up to its name
_MINI, _SHARE = 0.8, 0.41  # a cell of a staged tile beside one of the matrix; a whole tile, beside the matrix
_DRAWER = 800  # middle of the staged tiles
_NUMBERED = 4  # largest matrices with room for a number beside each gauge
_SAYS, _SUM = 668, 625  # what the block does; a sum in numbers
_LOADS, _PRODUCTS = 120, 48  # names of the bars, which lie below them
_LETTERS = {2: {WIDE: 18, PHONE: 16}, 3: {WIDE: 16, PHONE: 14}, 4: {WIDE: 15, PHONE: 13}, 5: {WIDE: 13, PHONE: 12}}
_SMALL = {WIDE: 12, PHONE: 11}

_FIELDS: dict[str, Sequence[str]] = {
    **dict.fromkeys(("cells", "tints", "staged", "tracks", "pills", "squares", "tabs", "whole"), BOX),
    "frames": (*BOX, "width"),
    "drawers": BOX,
    **dict.fromkeys(("texts", "on"), TEXT),
    "marks": ("x", "y", "say"),
    "cursor": ("x", "y", "role"),
}


def columns(say: Say) -> Mapping[str, Mapping[str, Sequence[Any]]]:
    """Return the data of every source."""
    page = _Page(say)
    page.matrices()
    page.block()
    page.bars()
    return page.sheet.columns


class _Page:
    """The parts of the drawing, for one move."""

    def __init__(self, say: Say) -> None:
        self.say, self.sheet, self.n = say, Sheet(_FIELDS), say.n
        self.shot: Snapshot = say.walk.after(say.at)
        self.step: Step | None = say.walk.trace.steps[say.move.step] if say.move else None
        self.letters = _LETTERS.get(self.n, _SMALL)

    def cell(self, left: float, top: float, row: int, column: int) -> Box:
        """Return the place of an element, its gauge included."""
        wide, tall = _WIDTH / self.n, _TALL / self.n
        x, y = left + column * wide, top - row * tall
        return x, x + wide, y - tall, y

    # ------------------------------------------------------------------------- matrices

    def matrices(self) -> None:
        """Three matrices with their tiles, values and gauges."""
        say, shot = self.say, self.shot
        for name, left, top in (("A", _LEFT, _LOWER), ("B", _RIGHT, _UPPER), ("C = AB", _RIGHT, _LOWER)):
            self.sheet.text("texts", left, top + _NAME, name, "ink", align="left", bold=True)
            self.tiles(left, top)
        walk = say.walk
        for name, left, top, values, counts in (
            ("A", _LEFT, _LOWER, walk.a, shot.a_loads), ("B", _RIGHT, _UPPER, walk.b, shot.b_loads),
        ):  # fmt: skip
            for row, column in self.places():
                state, count = self.state(name, row, column), counts[row][column]
                box = self.cell(left, top, row, column)
                self.element(box, say.words.num(values[row][column]), state, count, "move")
                self.mark(box, say.element(name, row, column, count, state))
        self.outputs(shot.terms)
        self.current()

    def places(self) -> Iterator[tuple[int, int]]:
        """Yield rows and columns in reading order."""
        return ((row, column) for row in range(self.n) for column in range(self.n))

    def state(self, name: str, row: int, column: int) -> str:
        """Return what happens to an element of A or B: move, compute, staged, or nothing."""
        step, move = self.step, self.say.move
        if step is None or move is None or (row, column) not in (step.a_loads if name == "A" else step.b_loads):
            return ""
        if move.k is None:
            return "move"
        return "compute" if move.k == (column if name == "A" else row) else "staged"

    def outputs(self, terms: Counts) -> None:
        """C: the sums of the block at work, and those that are complete."""
        say, move = self.say, self.say.move
        now = set(say.walk.outputs(move)) if move else set()
        for row, column in self.places():
            box, count = self.cell(_RIGHT, _LOWER, row, column), terms[row][column]
            active = (row, column) in now and move is not None and move.k is not None
            state = "compute" if active else "done" if count else ""
            text = say.words.num(self.shot.sums[row][column]) if count else ""
            self.element(box, text, state, count, "compute")
            self.mark(box, say.sum(row, column, self.shot))

    def element(self, box: Box, text: str, state: str, count: int, role: str) -> None:
        """One cell: its ground, its value, and below it a gauge, full at n."""
        left, right, bottom, top = box
        wide, tall = right - left, top - bottom
        left, right = left + 0.05 * wide, right - 0.05 * wide
        low, high = bottom + 0.31 * tall, top - 0.05 * tall
        ground: Box = (left, right, low, high)
        solid = state in ("move", "compute")
        if solid:
            self.sheet.box("cells", ground, state)
        elif state:
            self.sheet.box("staged" if state == "staged" else "tints", ground, role)
        else:
            self.sheet.box("cells", ground, "cell")
        source, ink = ("on", state) if solid else ("texts", "ink" if state else "rest")
        self.sheet.text(
            source, (left + right) / 2, (low + high) / 2, text, ink, room=right - left, px=self.letters, bold=solid
        )
        low, high, end = bottom + 0.11 * tall, bottom + 0.2 * tall, right
        if role == "move" and self.n <= _NUMBERED:
            end = right - 0.36 * (right - left)
            if count:
                times = f"×{self.say.words.num(count)}"
                self.sheet.text(
                    "texts", right, low + 0.06 * tall, times, "move", align="right", bold=True, px={WIDE: 11, PHONE: 11}
                )
        self.sheet.box("tracks", (left, end, low, high), "cell")
        if count:
            self.sheet.box("tracks", (left, left + (end - left) * count / self.n, low, high), role)

    def tiles(self, left: float, top: float) -> None:
        """A frame around each tile."""
        tile = self.say.walk.trace.tile
        for row in range(0, self.n, tile):
            for column in range(0, self.n, tile):
                self.sheet.box("frames", self.tile(left, top, row, column), "surface", 1.0)

    def tile(self, left: float, top: float, row: int, column: int) -> Box:
        """Return the frame of the tile that starts at an element."""
        last = [min(at + self.say.walk.trace.tile, self.n) - 1 for at in (row, column)]
        first, end = self.cell(left, top, row, column), self.cell(left, top, *last)
        return first[0], end[1], end[2], first[3]

    def current(self) -> None:
        """Bold frames: the tiles of A, B and C that the block is at."""
        if self.step is None:
            return
        t, (row, column), inner = self.say.walk.trace.tile, self.step.block, self.step.inner
        for left, top, at, role in (
            (_LEFT, _LOWER, (row, inner), "move"), (_RIGHT, _UPPER, (inner, column), "move"),
            (_RIGHT, _LOWER, (row, column), "compute"),
        ):  # fmt: skip
            self.sheet.box("frames", self.tile(left, top, at[0] * t, at[1] * t), role, 2.0)

    def mark(self, box: Box, say: str) -> None:
        """Let pointer and keys find a cell."""
        self.sheet.add("marks", (box[0] + box[1]) / 2, box[2] + 0.63 * (box[3] - box[2]), say)

    # ------------------------------------------------------------------------ the block

    def block(self) -> None:
        """What the block holds, what it does, and one of its sums in numbers."""
        say, words = self.say, self.say.words
        self.sheet.text("texts", 0, _UPPER + _NAME, words("The block holds"), "ink", align="left", bold=True)
        step, move = self.step, say.move
        if step is None or move is None:
            self.sheet.text("texts", _WIDTH / 2, (_UPPER + _SUM) / 2, say.doing())
            return
        mini = min(_MINI, _SHARE * self.n / say.walk.trace.tile)
        wide, tall = _WIDTH / self.n * mini, _TALL / self.n * mini
        widths = [wide * len({column for _, column in held}) for held in (step.a_loads, step.b_loads)]
        gap = (_WIDTH - sum(widths)) / 3
        self.drawer("A", gap, (wide, tall), step.a_loads, say.walk.a)
        self.drawer("B", 2 * gap + widths[0], (wide, tall), step.b_loads, say.walk.b)
        self.sheet.text("texts", _WIDTH / 2, _SAYS, say.doing(), "move" if move.k is None else "compute", room=_WIDTH)
        worked = say.walk.outputs(move)[0]
        self.sheet.text("texts", _WIDTH / 2, _SUM, say.formula(*worked, self.shot), "ink", room=_WIDTH)

    def drawer(
        self, name: str, left: float, cell: tuple[float, float], held: Sequence[tuple[int, int]],
        values: Sequence[Sequence[Any]],
    ) -> None:  # fmt: skip
        """A staged tile: a drawer with its name on a tab."""
        wide, tall = cell
        rows, columns = (min(place[i] for place in held) for i in (0, 1))
        right = left + wide * len({column for _, column in held})
        high = tall * len({row for row, _ in held})
        top, bottom = _DRAWER + high / 2, _DRAWER - high / 2
        self.sheet.box("drawers", (left - 8, right + 8, bottom - 10, top + 10), "rest")
        self.sheet.box("tabs", (left - 8, left + 38, top + 10, top + 48), "ink")
        self.sheet.text("on", left + 15, top + 29, name, "ink", bold=True)
        for row, column in held:
            x, y = left + (column - columns) * wide, top - (row - rows) * tall
            state = self.state(name, row, column)
            box = (x + 0.05 * wide, x + 0.95 * wide, y - 0.93 * tall, y - 0.07 * tall)
            solid = state in ("move", "compute")
            self.sheet.box("cells" if solid else "tints", box, state if solid else "move")
            self.sheet.text(
                "on" if solid else "texts", x + wide / 2, y - tall / 2, self.say.words.num(values[row][column]),
                state if solid else "ink", room=wide, px=self.letters if tall > 0.6 * _TALL / self.n else _SMALL,
            )  # fmt: skip

    # ----------------------------------------------------------------------------- bars

    def bars(self) -> None:
        """Loads and multiplications so far; the pale track is what one element at a time would load."""
        say, words, trace = self.say, self.say.words, self.say.walk.trace
        num, naive = words.num, loads(self.n, 1)
        scale = 1000 / naive
        move = say.move
        so_far = (move.loads, move.multiplications) if move else (0, 0)
        one = words("one at a time: {n}", n=num(naive))
        self.sheet.text("texts", 1000, _LOADS, one, align="right")
        for y, role, count, total, done, running in (
            (_LOADS, "move", so_far[0], trace.loads, N_("loads {n}"), N_("loads {n} of {all}")),
            (
                _PRODUCTS, "compute", so_far[1], trace.multiplications,
                N_("multiplications {n}"), N_("multiplications {n} of {all}"),
            ),
        ):  # fmt: skip
            told = {"n": "?" if say.veiled else num(count), "all": num(total)}
            label = words(done if say.veiled or count == total else running, **told)
            self.sheet.text("texts", 0, y, label, role, align="left", bold=True)
        self.sheet.box("tracks", (0, 1000, _LOADS - 46, _LOADS - 20), "cell")
        self.sheet.box("tracks", (0, trace.multiplications * scale, _PRODUCTS - 46, _PRODUCTS - 20), "cell")
        if say.veiled:
            return
        self.sheet.box("whole", (0, trace.loads * scale, _LOADS - 46, _LOADS - 20), "move")
        self.sheet.box("pills", (0, so_far[0] * scale, _LOADS - 46, _LOADS - 20), "move")
        if so_far[1]:
            self.sheet.box("squares", (0, so_far[1] * scale, _PRODUCTS - 46, _PRODUCTS - 20), "compute")


def build(figure: Figure) -> Plot:
    """Draw the sources that `columns` fills."""
    plot, roles = matrix_sheet.canvas(), Roles()

    def quads(name: str, **looks: Any) -> None:
        matrix_sheet.quads(plot, figure, name, **looks)

    quads("cells", fill_color=roles("fill"), line_color=None, border_radius=2)
    quads("tints", fill_color=roles("soft"), line_color=None, border_radius=2)
    quads("staged", fill_color=roles("soft"), line_color=roles("ink"), line_width=1, border_radius=2)
    quads("tracks", fill_color=roles("fill"), line_color=None, border_radius=2)
    quads("frames", fill_color=None, line_color=roles("ink"), line_width="width")
    quads("drawers", fill_color=None, line_color=roles("ink"), line_width=1.25, border_radius=4)
    quads("tabs", fill_color=roles("fill"), line_color=None, border_radius=2)
    quads("whole", fill_color=roles("soft"), line_color=roles("ink"), line_width=1.25, border_radius=99)
    quads("pills", fill_color=roles("fill"), line_color=None, border_radius=99)
    quads("squares", fill_color=roles("fill"), line_color=None, border_radius=2)
    matrix_sheet.texts(plot, figure, "texts", roles)
    matrix_sheet.texts(plot, figure, "on", roles, "on")
    marks.inspected(plot, figure.source("marks"))
    marks.cursor(plot, figure.source("cursor"))
    return plot
