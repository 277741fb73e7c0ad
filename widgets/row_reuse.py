"""Figure 4.5: whether the cache still holds a row of A when the next output needs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import param
from bokeh.models import Plot

from sim.row_reuse import ORDERS, RowReuse, simulate
from widgets import row_reuse_drawing, row_reuse_words
from widgets.figure import Figure
from widgets.parts import Choice, Prediction, Preset, Range, Readout, Stepper, Table
from widgets.row_reuse_words import Say
from widgets.words import N_


@lru_cache(maxsize=8)
def _walk(outputs: int, depth: int, lines: int, order: str, rows: int, elements: int) -> RowReuse:
    return simulate(outputs, depth, lines, order, rows, elements)


class ReusedRow(Figure):
    """C = A · B in one of six loop orders, access by access, through a cache of a few lines."""

    order = param.Selector(default="ijk", objects=list(ORDERS), doc="The three loops, outermost first.")
    cache_lines = param.Integer(7, bounds=(1, 16), doc="Lines that the cache holds.")
    line_elements = param.Selector(default=4, objects=[1, 2, 4, 8], doc="Elements of a line; a row starts a new one.")
    rows = param.Integer(1, bounds=(1, 4), doc="Rows of A and C.")
    outputs = param.Integer(4, bounds=(2, 6), doc="Columns of B and C: outputs of a row.")
    depth = param.Integer(8, bounds=(4, 10), doc="Elements of a row of A, and of a column of B.")
    access = param.Integer(None, allow_None=True, bounds=(1, None), doc="Access of the walk; None: the last.")

    controls = (
        Choice("order", N_("Loops, outermost first"), row_reuse_words.ORDERS, "list"),
        Range("cache_lines", N_("Cache"), N_("cache lines"), one=N_("cache line")),
        Choice("line_elements", N_("Elements a line"), ((1, "1"), (2, "2"), (4, "4"), (8, "8"))),
        Range("rows", N_("Rows of C")),
        Range("outputs", N_("Outputs a row")),
        Range("depth", N_("Elements a row of A")),
        Stepper("access", N_("Access")),
    )
    presets = (
        Preset("evicted", N_("7 lines: row lost")),
        Preset("survives", N_("8 lines: row kept"), {"cache_lines": 8}),
        Preset("all_fit", N_("11 lines: all fits"), {"cache_lines": 11}),
        Preset("ikj", N_("Order i, k, j"), {"order": "ikj"}),
        Preset("ikj_3", N_("i, k, j, 3 lines"), {"order": "ikj", "cache_lines": 3}),
        Preset("ikj_2", N_("i, k, j, 2 lines"), {"order": "ikj", "cache_lines": 2}),
        Preset("along", N_("Four rows, along"), {"rows": 4, "cache_lines": 8}),
        Preset("down", N_("Four rows, down"), {"rows": 4, "cache_lines": 8, "order": "jik"}),
    )
    prediction = Prediction(
        N_(
            "With the loops i, j, k, a cache of 7 lines misses 44 times. Nothing changes but the order: "
            "j becomes the innermost loop (i, k, j). How many misses?"
        ),
        "ikj", "misses", unit=N_("misses"),
        reveal=N_("{answer}, one for each line: an element of A now serves all {uses} outputs in one go."),
    )  # fmt: skip
    left_out = (
        N_(
            "How a real cache replaces. Here any line may lie anywhere and the one unused for longest goes (LRU); "
            "sets are left out, and the rule of a GPU’s cache is not published."
        ),
        N_("Other warps. Their lines pass through the same cache, so a row has less room than the whole."),
        N_("Writing back. An access to C is counted like any other, and what it costs to store it later is not."),
        N_("Time. A miss may be hidden behind other work."),
    )
    inspect_hint = N_("Point at a line or at a place of the cache, or walk through them with the arrow keys.")
    height, phone_height = row_reuse_drawing.HEIGHT, row_reuse_drawing.PHONE_HEIGHT

    # ------------------------------------------------------------------------------ state

    def simulate(self) -> RowReuse:
        """Walk the outputs; ValueError in the reader's language."""
        if self.veiled and self.access is not None:
            raise ValueError(self.words("your guess first; then the accesses can be stepped through"))
        return _walk(self.outputs, self.depth, self.cache_lines, self.order, self.rows, self.line_elements)

    @property
    def steps(self) -> int:
        """The accesses; none to walk while their misses are asked for."""
        return 0 if self.veiled else len(self.trace.accesses)

    @property
    def at(self) -> int:
        """The access shown."""
        return 0 if self.veiled else super().at

    def active(self, name: str) -> bool:
        """The stepper rests while the misses are asked for."""
        return name != "access" or not self.veiled

    def values(self) -> dict[str, float]:
        """Accesses, misses and those that came again, of the whole walk and of each array; misses so far."""
        trace = self.trace
        shot = trace.after(self.at)
        misses, first = trace.misses, trace.first_misses
        all_misses, accesses = trace.total_misses, len(trace.accesses)
        told: dict[str, float] = {
            "accesses": accesses, "hits": accesses - all_misses, "misses": all_misses, "first": sum(first.values()),
            "extra": all_misses - sum(first.values()), "hit_percent": 100 * (1 - all_misses / accesses),
            "survives": int(trace.row_survives), "row_needs": trace.row_needs, "cache_lines": self.cache_lines,
            "misses_so_far": len(shot.first) + sum(shot.extra.values()),
            "outputs": self.rows * self.outputs, "uses": self.outputs,
        }  # fmt: skip
        for name in "ABC":
            low = name.lower()
            told |= {f"misses_{low}": misses[name], f"first_{low}": first[name]}
            told |= {f"extra_{low}": misses[name] - first[name], f"accesses_{low}": trace.touches[name]}
        return told

    # ------------------------------------------------------------------------------ words

    def readouts(self) -> Sequence[Readout]:
        """Misses, those of A, those that came again, and the share of hits, up to the access shown."""
        words, num, trace, hidden = self.words, self.words.num, self.trace, self.veiled
        at = self.at or len(trace.accesses)
        shot = trace.after(at)
        first, again = len(shot.first), sum(shot.extra.values())
        of_a = sum(line[0] == "A" for line in shot.first) + sum(n for line, n in shot.extra.items() if line[0] == "A")
        of = words.plural("of {n} access", "of {n} accesses", at)
        kept = words("kept from {n} lines on", n=num(trace.row_needs))
        return (
            Readout(words("Misses"), num(first + again), sub=of, secret=hidden),
            Readout(words("Misses of A"), num(of_a), sub=kept, secret=hidden),
            Readout(
                words("Missed again"), num(again), role="cost" if again else "", secret=hidden,
                sub=words("first touches: {n}", n=num(first)),
            ),
            Readout(
                words("Hits"), words.percent(1 - (first + again) / at), "%", secret=hidden,
                sub=words.plural(
                    "{hits} of {n} access", "{hits} of {n} accesses", at, hits=num(at - first - again)
                ),
            ),
        )  # fmt: skip

    def summary(self) -> str:
        """What is walked in which order, what the cache misses, and the access shown."""
        words, num, told = self.words, self.words.num, self.values()
        said = [
            words(
                "A is {rows} × {depth}, B {depth} × {columns}; loops {order}; lines of {elements}; "
                "the cache holds {lines}.",
                rows=self.rows, depth=self.depth, columns=self.outputs, order=words(", ").join(self.order),
                elements=self.line_elements, lines=self.cache_lines,
            )
        ]  # fmt: skip
        if self.veiled:
            return words.space.join([*said, words("The misses stay hidden until you have guessed.")])
        names = ("misses", "misses_a", "misses_b", "misses_c", "accesses", "extra")
        said.append(
            words(
                "{misses} of {accesses} accesses miss: A {misses_a}, B {misses_b}, C {misses_c}; "
                "{extra} of them again.",
                **{name: num(told[name]) for name in names},
            )
        )
        said.append(
            words("The row of A stays in the cache from one output to the next.")
            if told["survives"]
            else words("The row of A is lost between its uses.")
        )
        if self.at < self.steps:
            at = {"n": num(self.at), "last": num(self.steps), "doing": self._say().doing()}
            said.append(words("Shown is access {n} of {last}: {doing}.", **at))
        return words.space.join(said)

    def table(self) -> Table:
        """One row an array."""
        return self._say().table()

    def _say(self) -> Say:
        return Say(self.words, self.trace, self.at, self.veiled)

    # ---------------------------------------------------------------------------- drawing

    def columns(self) -> Mapping[str, Mapping[str, Sequence[Any]]]:
        """Three matrices, the cache, and the misses over the walk."""
        return row_reuse_drawing.columns(self._say())

    def build(self) -> Plot:
        """Draw the sources once."""
        return row_reuse_drawing.build(self)
