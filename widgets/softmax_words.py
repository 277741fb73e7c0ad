"""What figure 11.2 says: numbers, names of steps, and one sentence on a score, a factor or a state."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, inf, log10

from markupsafe import Markup

from sim.online_softmax import State
from widgets.score_row import Entry
from widgets.softmax_walk import Move, Walk
from widgets.words import Words


def shown(x: float, words: Words) -> str:
    """Format a number with three digits at least, whole numbers as they are, far ones with powers of ten.

    >>> shown(8 / 3, Words()), shown(-20000, Words()), shown(1e-9, Words()), shown(-inf, Words())
    ('2.667', '−20,000', '1 × 10⁻⁹', '−∞')
    """
    if abs(x) == inf:
        return "−∞" if x < 0 else "∞"
    size = floor(log10(abs(x))) if x else 0
    if -3 <= size < 6:
        return words.num(round(x, 2 - size if size < 0 else max(3 - size, 0)))
    mantissa, exponent = f"{x:.1e}".split("e")
    return f"{words.num(float(mantissa))} × 10{_power(exponent)}"


def tiny(x: float, words: Words) -> tuple[str, str]:
    """Format a rounding error with one digit: a number, and the power of ten beside it as HTML.

    >>> tiny(8.9e-16, Words())[1]
    Markup('× 10<sup>−16</sup>')
    >>> tiny(0.0, Words())
    ('0', '')
    """
    if not x:
        return "0", ""
    mantissa, exponent = f"{x:.0e}".split("e")
    return words.num(float(mantissa)), Markup("× 10<sup>{}</sup>").format(words.num(int(exponent)))


def _power(exponent: str) -> str:
    return str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


@dataclass(frozen=True, slots=True)
class Say:
    """Words for one walk through the row that a reader typed."""

    words: Words
    row: tuple[Entry, ...]
    walk: Walk

    def num(self, x: float) -> str:
        """Format a number."""
        return shown(x, self.words)

    def coarse(self, x: float) -> str:
        """Format a weight with two digits at most."""
        return "≈ 0" if 0 < x < 0.005 else self.words.num(round(x, 2))

    def output(self, state: State) -> str:
        """Return u/ℓ, and a dash where nothing has been seen."""
        return "–" if state.empty else self.num(state.output)

    def number(self, move: Move) -> str:
        """Return which block a step folds."""
        return self.words.num(self.walk.moves.index(move) + 1)

    def name(self, move: Move) -> str:
        """Return what a step is called."""
        return self.words("merge") if move.merge else self.words("block {n}", n=self.number(move))

    def score_texts(self, i: int) -> tuple[str, str]:
        """Return a score as it was typed, and as short as can be."""
        entry = self.row[i]
        if entry.masked:
            return self.words("masked"), "−∞"
        text = self.num(entry.value) if entry.of is None else f"ln {self.num(entry.of)}"
        return text, text

    def score(self, i: int, worth: float | None) -> str:
        """Say what a score is and what its weight counts for; `worth` None: not yet, or not to be told."""
        words, entry, number = self.words, self.row[i], self.words.num(i + 1)
        if entry.masked:
            return words("Score {i} is masked: its weight is 0, whatever its value.", i=number)
        score = self.score_texts(i)[0] + ("" if entry.of is None else f" = {self.num(entry.value)}")
        told = {"i": number, "score": score, "value": self.num(self.walk.values[i])}
        if worth is None:
            return words("Score {i} is {score}, its value {value}.", **told)
        told |= {"born": self.num(self.walk.born[i]), "worth": self.num(worth)}
        if told["born"] == told["worth"]:
            return words("Score {i} is {score}, its value {value}; its weight is {worth}.", **told)
        return words(
            "Score {i} is {score}, its value {value}; its weight was {born} when it came, and counts {worth} now.",
            **told,
        )

    def factor(self, move: Move) -> str:
        """Say whether a step rescales the sums, and why."""
        words, told = self.words, {"old": self.num(move.before.maximum), "new": self.num(move.after.maximum)}
        told |= {"n": self.number(move), "r": self.num(move.factor), "own": self.num(move.own_factor)}
        if move.merge:
            return words(
                "The two halves merge under the larger maximum, {new}: the left sums count × {r}, the right × {own}.",
                **told,
            )
        if move.blank:
            return words("Block {n} is masked whole: m, ℓ and u stay as they are.", **told)
        if move.first:
            return words("Block {n} finds no sums, so there is nothing to rescale.", **told)
        if move.rescaled:
            return words(
                "Block {n} raises the maximum from {old} to {new}: "
                "the sums are rescaled by r = e^({old} − {new}) = {r}.",
                **told,
            )
        return words("Block {n} leaves the maximum at {new}: r is 1, nothing is rescaled.", **told)

    def state(self, move: Move) -> str:
        """Say the state after a step."""
        s = move.after
        told = {"m": self.num(s.maximum), "l": self.num(s.denominator), "u": self.num(s.numerator)}
        told |= {"n": self.number(move), "out": self.output(s)}
        if move.merge:
            return self.words("After the merge: m = {m}, ℓ = {l}, u = {u}, u/ℓ = {out}.", **told)
        return self.words("After block {n}: m = {m}, ℓ = {l}, u = {u}, u/ℓ = {out}.", **told)

    def fate(self, move: Move) -> tuple[str, str, str]:
        """Return what a block did to the sums, in three lengths."""
        words, r = self.words, self.num(move.factor)
        if move.blank:
            return words("masked, skipped"), words("skipped"), "○"
        if move.first:
            return words("no sums yet to rescale"), words("start"), "○"
        if move.rescaled:
            return words("r = {r}, rescaled", r=r), f"× {r}", "▼"
        return words("r = 1, not rescaled"), "× 1", "○"
