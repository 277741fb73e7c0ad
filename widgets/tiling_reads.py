"""Figure 4.4: a matrix product tile by tile, its loads counted as they happen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import param
from bokeh.models import Plot

from sim.tiling_reads import loads
from sim.tiling_walk import Walk, example, walk
from widgets import tiling_drawing
from widgets.figure import Figure
from widgets.parts import Prediction, Preset, Range, Readout, Stepper, Table
from widgets.tiling_words import Say
from widgets.words import N_


@lru_cache(maxsize=64)
def _walk(n: int, tile: int) -> Walk:
    return walk(*example(n), tile)


class TilingReads(Figure):
    """C = A · B, n × n, one block after the other, each with its tiles of A and B."""

    n = param.Integer(2, bounds=(2, 6), doc="Rows and columns of A, B and C.")
    tile = param.Integer(1, bounds=(1, 6), doc="Side of a tile, at most n; 1 is one element at a time.")
    step = param.Integer(None, allow_None=True, bounds=(1, None), doc="Move of the walk, 1 to `steps`; None: the last.")

    controls = (
        Range("n", N_("Matrix side n")),
        Range("tile", N_("Tile side t")),
        Stepper("step", N_("Move")),
    )
    presets = (
        Preset("small", N_("2 × 2, one by one")),
        Preset("small_whole", N_("2 × 2, whole"), {"tile": 2}),
        Preset("naive", N_("4 × 4, one by one"), {"n": 4}),
        Preset("tile_2", N_("4 × 4, t = 2"), {"n": 4, "tile": 2}),
        Preset("whole", N_("4 × 4, whole"), {"n": 4, "tile": 4}),
        Preset("ragged", N_("5 × 5, t = 2"), {"n": 5, "tile": 2}),
    )
    prediction = Prediction(
        N_(
            "Taken one at a time, the elements of two 4 × 4 matrices are loaded 128 times. Now a block stages tiles "
            "of 2 × 2 before it multiplies. How many element loads of A and B together?"
        ),
        "tile_2", "loads", unit=N_("loads"),
        reveal=N_("{answer}. Each element serves 2 outputs when it is loaded, so it comes {times_each} times, not 4."),
    )  # fmt: skip
    left_out = (
        N_(
            "Traffic. A load here is one element that the program asks for. How many bytes cross the memory bus "
            "depends on sectors and caches; this count promises nothing about them."
        ),
        N_(
            "The price. Two tiles take room in shared memory, and the block has to wait at a barrier "
            "before it multiplies and before it loads the next pair."
        ),
        N_("Time and order. Blocks come one after the other here; on a GPU many work at once."),
        N_("The writes of C: one for each output, whatever the tile."),
    )
    inspect_hint = N_("Point at an element or a sum, or walk through them with the arrow keys.")
    height, phone_height = tiling_drawing.HEIGHT, tiling_drawing.PHONE_HEIGHT

    # ------------------------------------------------------------------------------ state

    def simulate(self) -> Walk:
        """Walk the product; ValueError in the reader's language."""
        if self.tile > self.n:
            told = {"t": self.tile, "n": self.n}
            raise ValueError(
                self.words("tiles of {t} × {t} are larger than the matrices, {n} × {n}; t can be 1 to {n}", **told)
            )
        if self.veiled and self.step is not None:
            raise ValueError(self.words("your guess first; then the moves can be stepped through"))
        return _walk(self.n, self.tile)

    @property
    def steps(self) -> int:
        """The moves; none to walk while their loads are asked for."""
        return 0 if self.veiled else len(self.trace.moves)

    @property
    def at(self) -> int:
        """The move shown."""
        return 0 if self.veiled else super().at

    def active(self, name: str) -> bool:
        """The stepper rests while the loads are asked for."""
        return name != "step" or not self.veiled

    def values(self) -> dict[str, float]:
        """Counts of the whole product and up to the move shown, and every element."""
        product = self.trace.trace
        naive, move = loads(self.n, 1), self.trace.moves[self.at - 1]
        told: dict[str, float] = {
            "n": self.n, "tile": self.tile, "loads": product.loads,
            "loads_a": sum(len(step.a_loads) for step in product.steps),
            "loads_b": sum(len(step.b_loads) for step in product.steps),
            "naive_loads": naive, "multiplications": product.multiplications,
            "times_each": product.loads // (2 * self.n**2),
            "fewer": naive / product.loads, "per_load": product.multiplications / product.loads,
            "staged": max(step.loads for step in product.steps),
            "tiles": len({step.block for step in product.steps}), "rounds": len(product.steps),
            "moves": len(self.trace.moves), "loads_so_far": move.loads,
            "multiplications_so_far": move.multiplications,
        }  # fmt: skip
        for name, matrix in (("a", self.trace.a), ("b", self.trace.b), ("c", product.product)):
            told |= {f"{name}_{i}_{j}": value for i, row in enumerate(matrix) for j, value in enumerate(row)}
        return told

    # ------------------------------------------------------------------------------ words

    def readouts(self) -> Sequence[Readout]:
        """Loads and multiplications so far, loads of one element, and what a load is good for."""
        words, num, told, hidden = self.words, self.words.num, self.values(), self.veiled
        ideal = self.trace.trace.multiplications / told["naive_loads"]
        return (
            Readout(
                words("Element loads"), num(told["loads_so_far"]), role="move", secret=hidden,
                sub=words("of {n} in all", n=num(told["loads"])),
            ),
            Readout(
                words("Multiplications"), num(told["multiplications_so_far"]), role="compute", secret=hidden,
                sub=words("of {n} in all", n=num(told["multiplications"])),
            ),
            Readout(
                words("Loads of each element"), num(told["times_each"]), secret=hidden,
                sub=words("one at a time: {n}", n=num(self.n)),
            ),
            Readout(
                words("Multiplications a load"), _short(words.num(told["per_load"], 2)), secret=hidden,
                sub=words("one at a time: {n}", n=num(ideal)),
            ),
        )  # fmt: skip

    def summary(self) -> str:
        """What is multiplied, how often it is loaded, and the move shown."""
        words, say, told = self.words, self._say(), self.values()
        said = [words("A and B are {n}, their tiles {t}.", n=say.side(self.n), t=say.side(self.tile))]
        if self.veiled:
            return words.space.join([*said, words("The counts stay hidden until you have guessed.")])
        counts = {name: words.num(told[name]) for name in ("loads", "naive_loads", "multiplications")}
        counts["each"] = words.plural("each element {n} time", "each element {n} times", told["times_each"])
        said.append(
            words(
                "{loads} element loads, {each}; one at a time it would be {naive_loads}. "
                "{multiplications} multiplications either way.", **counts,
            )
        )  # fmt: skip
        if self.at < self.steps:
            said.append(
                words.plural(
                    "Shown is move {at} of {last}: {loads} loads, {n} multiplication so far.",
                    "Shown is move {at} of {last}: {loads} loads, {n} multiplications so far.",
                    told["multiplications_so_far"], at=words.num(self.at), last=words.num(self.steps),
                    loads=words.num(told["loads_so_far"]),
                )
            )  # fmt: skip
        return words.space.join(said)

    def table(self) -> Table:
        """One row a tile of C."""
        return self._say().table()

    def _say(self) -> Say:
        return Say(self.words, self.trace, self.at, self.veiled)

    # ---------------------------------------------------------------------------- drawing

    def columns(self) -> Mapping[str, Mapping[str, Sequence[Any]]]:
        """Three matrices, what the block holds, and the counts."""
        return tiling_drawing.columns(self._say())

    def build(self) -> Plot:
        """Draw the sources once."""
        return tiling_drawing.build(self)


def _short(text: str) -> str:
    """Drop zeros after the point: 0.50 → 0.5."""
    return text.rstrip("0").rstrip(".") if "." in text else text
