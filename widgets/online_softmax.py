"""Figure 11.2: softmax of one row, folded block by block into m, ℓ and u; or two halves that merge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import param
from bokeh.models import Plot

from sim.online_softmax import MAX_VALUE
from widgets import score_row, softmax_drawing, softmax_readings
from widgets.figure import Figure
from widgets.parts import Choice, Comparison, Prediction, Preset, Range, Reading, Readout, Stepper, Table, Text
from widgets.softmax_readings import Ways
from widgets.softmax_walk import Walk, walk
from widgets.softmax_words import Say, shown, tiny
from widgets.words import N_

MOST = 16  # scores that a phone can still show as bars


class OnlineSoftmax(Figure):
    """Scores and values typed by the reader, folded in blocks; the state on either side of each block."""

    score = param.String(
        "ln 1, ln 2, ln 1, ln 2, ln 8, ln 2", doc=f"1 to {MOST} scores: numbers, ln of one, or masked."
    )
    value = param.String("1, 2, 3, 4, 5, 6", doc="One value a score.")
    block = param.Integer(2, bounds=(1, MOST), doc="Scores a block; a row that is no longer is one block.")
    order = param.Selector(default="row", objects=["row", "halves"], doc="One walk, or two halves that merge.")
    step = param.Integer(None, allow_None=True, bounds=(1, None), doc="Step of the walk, 1 to `steps`; None: the last.")

    controls = (
        Text("score", N_("Scores s"), N_("numbers, ln 2 or masked, with commas between")),
        Text("value", N_("Values v"), N_("as many numbers")),
        Range("block", N_("Scores a block")),
        Choice("order", N_("Order"), (("row", N_("left to right")), ("halves", N_("two halves")))),
        Stepper("step", N_("Step")),
    )
    presets = (
        Preset("grows_once", N_("Grows once")),
        Preset(
            "largest_first",
            N_("Largest first"),
            {"score": "ln 8, ln 2, ln 1, ln 2, ln 1, ln 2", "value": "5, 6, 1, 2, 3, 4"},
        ),
        Preset("rising", N_("Rising"), {"score": "ln 1, ln 2, ln 3, ln 4, ln 5, ln 6"}),
        Preset("one_each", N_("One score a block"), {"block": 1}),
        Preset("one_block", N_("All in one block"), {"block": 6}),
        Preset("halves", N_("Two halves"), {"block": 1, "order": "halves"}),
        Preset("first_masked", N_("First block masked"), {"score": "masked, masked, ln 1, ln 2, ln 4, ln 1"}),
        Preset("one_masked", N_("−20,000 and a mask"), {"score": "-20000, masked", "value": "1, 100", "block": 1}),
        Preset("two_scores", N_("Two scores"), {"score": "ln 1, ln 2", "value": "1, 3", "block": 1}),
    )
    prediction = Prediction(
        N_(
            "Six scores, each larger than the one before, come in three blocks of two. "
            "How many times must the sums so far be scaled down?"
        ),
        "rising",
        "rescales",
        unit=N_("times"),
        reveal=N_("{answer} times. Every block brings a larger maximum, but the first one finds no sums to scale."),
    )
    left_out = (
        N_(
            "Rounding. Everything is float64 here; kernels keep m, ℓ and u in FP32, "
            "and many take powers of 2 in place of powers of e."
        ),
        N_(
            "Width. A value is one number here. In attention it is a row of d numbers, and so is u: "
            "each rescale multiplies all of them."
        ),
        N_(
            "Time. A kernel may multiply by r in every block without asking whether it is 1. "
            "Only factors below 1 are counted here."
        ),
    )
    inspect_hint = N_("Point at a score or a factor, or walk through them with the arrow keys.")
    recordings = ("online_softmax",)
    experiment = "online_softmax"
    live_columns = softmax_readings.ROW
    height = phone_height = softmax_drawing.HEIGHT

    # ------------------------------------------------------------------------------ state

    def simulate(self) -> Walk:
        """Read the two rows and walk them; ValueError in the reader's language."""
        words, num = self.words, self.words.num
        row = score_row.parse(self.score, words, masks=True)
        values = [entry.value for entry in score_row.parse(self.value, words, masks=False)]
        if not 1 <= len(row) <= MOST:
            told = {"n": num(len(row)), "most": num(MOST)}
            raise ValueError(words("there are {n} scores; this figure draws 1 to {most}", **told))
        if len(values) != len(row):
            told = {"n": num(len(row)), "m": num(len(values))}
            raise ValueError(words("scores and values differ in number, {n} and {m}; give one value a score", **told))
        for value in values:
            if abs(value) > MAX_VALUE:
                told = {"value": shown(value, words), "most": shown(MAX_VALUE, words)}
                raise ValueError(words("the value {value} is too large; {most} is the limit, either way", **told))
        trace = walk([entry.value for entry in row], values, self.block, self.order)
        self.say = Say(words, row, trace)
        return trace

    def apply(self, action: Mapping[str, Any]) -> None:
        """Carry out an action; a row refused beside the other one waits for that to be typed as well.

        The page keeps refused text in its field. Without this, neither row could become longer: each would
        be refused for the length of the other.
        """
        if "live" in action:
            return super().apply(action)
        changes = action.get("set", {})
        typed = {name: changes[name] for name in ("score", "value") if name in changes}
        waiting = {**getattr(self, "_waiting", {}), **typed}
        super().apply({"set": {**changes, **waiting}} if typed else action)
        self._waiting = waiting if self.error and "set" in action else {}

    @property
    def steps(self) -> int:
        """Blocks, and the merge of two halves."""
        return len(self.trace.moves)

    def active(self, name: str) -> bool:
        """One block has no halves."""
        return name != "order" or len(self.trace.blocks) > 1

    def values(self) -> dict[str, float]:
        """The end, its distance from ordinary softmax, and for step k its factor, state and output."""
        trace: Walk = self.trace
        told = {
            "scores": len(trace.scores),
            "blocks": len(trace.blocks),
            "rescales": trace.rescales,
            "maximum": trace.state.maximum,
            "denominator": trace.state.denominator,
            "numerator": trace.state.numerator,
            "result": trace.state.output,
            "ordinary": trace.ordinary.result,
            "difference": abs(trace.state.output - trace.ordinary.result),
        }
        for k, move in enumerate(trace.moves, 1):
            told |= {f"factor_{k}": move.factor, f"maximum_{k}": move.after.maximum, f"result_{k}": move.after.output}
            for name, state in (("", move.after), ("kept_", move.kept), ("added_", move.added)):
                told |= {f"{name}denominator_{k}": state.denominator, f"{name}numerator_{k}": state.numerator}
        return told

    # ------------------------------------------------------------------------------ words

    def readouts(self) -> Sequence[Readout]:
        """Output, rescales, denominator, and how far ordinary softmax is."""
        words, trace, num = self.words, self.trace, self.say.num
        blocks = words.plural("in {n} block", "in {n} blocks", len(trace.blocks))
        empty, secret = trace.state.empty, self.veiled
        return (
            Readout(
                words("Output u/ℓ"),
                num(trace.state.output),
                sub=words("all is masked: 0 by agreement") if empty else words("softmax of s, times v"),
            ),
            Readout(
                words("Rescales"),
                "" if secret else words.num(trace.rescales),
                sub=words("{blocks}, then a merge", blocks=blocks) if trace.half else blocks,
                role="cost" if trace.rescales and not secret else "",
                secret=secret,
            ),
            Readout(
                words("Denominator ℓ"),
                num(trace.state.denominator),
                sub=words("with m = {m}", m=num(trace.state.maximum)),
                role="compute",
            ),
            Readout(
                words("Difference"),
                *tiny(abs(trace.state.output - trace.ordinary.result), words),
                sub=words("from ordinary softmax"),
            ),
        )

    def summary(self) -> str:
        """The row, what happened to the sums, and the state at the step shown."""
        words, trace = self.words, self.trace
        scores = words.plural("{n} score", "{n} scores", len(trace.scores))
        blocks = words.plural("in {n} block", "in {n} blocks", len(trace.blocks))
        said = [words("{scores} {blocks}.", scores=scores, blocks=blocks)]
        if self.veiled:
            return words.space.join([*said, words("The sums stay hidden until you have guessed.")])
        if trace.half:
            said.append(words("Each half starts from nothing; then the two states merge."))
        said.append(words.plural("The sums are rescaled {n} time.", "The sums are rescaled {n} times.", trace.rescales))
        if self.at < self.steps:
            said.append(words("Shown is step {n} of {last}.", n=self.at, last=self.steps))
        move = trace.moves[self.at - 1]
        return words.space.join([*said, self.say.factor(move), self.say.state(move)])

    def table(self) -> Table:
        """One row a step."""
        say, words = self.say, self.words
        rows = []
        for move in self.trace.moves:
            scores = words(", ").join(say.score_texts(i)[0] for i in range(move.start, move.stop))
            state = [move.factor, move.after.maximum, move.after.denominator, move.after.numerator]
            told = [*map(say.num, state), say.output(move.after)]
            rows.append((say.name(move), scores, *(["?"] * len(told) if self.veiled else told)))
        return Table((words("step"), words("scores"), words("factor r"), "m", "ℓ", "u", "u/ℓ"), tuple(rows))

    def comparison(self) -> Comparison:
        """The time of long rows folded as this one is; without a reading, the count that a kernel could report."""
        words, trace = self.words, self.trace
        if not self.readings:
            why = words("Not measured for this book yet.")
            return Comparison(words("Rescales of this row"), trace.rescales, None, exact=True, provenance=why)
        ways = softmax_readings.recorded(self.readings[0])
        return softmax_readings.comparison(ways, self.measured, len(trace.blocks), words)

    def read_live(self, record: Reading) -> Ways:
        """Index a live run by way and columns."""
        return softmax_readings.read(record)

    # ---------------------------------------------------------------------------- drawing

    def columns(self) -> Mapping[str, Mapping[str, Sequence[Any]]]:
        """Scores above, weights below them, the sums of the step shown at the bottom."""
        return softmax_drawing.columns(self.say, self.at, self.veiled)

    def build(self) -> Plot:
        """Draw the sources once."""
        return softmax_drawing.build(self, self.words)
