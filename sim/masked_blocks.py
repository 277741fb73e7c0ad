"""Masked scores in a softmax by blocks: four ways to leave them out, three of which fail for some input.

- guarded: a masked score is -inf, and a block with nothing to see leaves the state alone.
- unguarded: -inf, and the rule as it stands. Until something has been seen the maximum is -inf, and the rule takes
  -inf - (-inf), which is NaN and stays.
- finite_fill: a masked score is a large negative number instead. It beats scores that are lower still, and a row
  masked whole becomes the plain mean of its values.
- maximum_of_all: the maximum is taken over masked scores, too, and their weights are set to 0 afterwards. If a masked
  score is far above the visible ones, their weights vanish as well and the output is 0/0.

Right is ordinary softmax over the visible scores alone, and 0 for a row with none, by agreement.

Source: IEEE 754 (∞ - ∞ and 0/0 are NaN); the rest as in sim/online_softmax.py. -10,000 as a mask: the extended
attention mask of Google's BERT (`(1.0 - mask) * -10000.0`).
Left out: fills that overflow in FP16; masks added to scores rather than put in their place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, inf, isclose, isfinite, isnan, nan
from typing import Literal

from sim.online_softmax import State, Step, simulate

MAX_SCORES = 256  # four traces at a time
FILL = -10_000.0

Way = Literal["guarded", "unguarded", "finite_fill", "maximum_of_all"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one way makes of the row."""

    way: Way
    steps: tuple[Step, ...]
    result: float
    is_right: bool
    """Equal to the right output up to 1e-9 of the largest value; NaN is not."""

    @property
    def first_nan(self) -> int | None:
        """The block after which the state has a NaN, from 0; None if there is none (0/0 may come at the end)."""
        for number, step in enumerate(self.steps):
            if isnan(step.after.denominator) or isnan(step.after.numerator):
                return number
        return None


@dataclass(frozen=True, slots=True)
class MaskedBlocks:
    """One row done in every way."""

    right: float
    row_is_masked: bool
    """No score is visible."""
    outcomes: tuple[Outcome, ...]

    def __getitem__(self, way: Way) -> Outcome:
        """The outcome of one way; KeyError for a name that is none."""
        return {outcome.way: outcome for outcome in self.outcomes}[way]


def compare(
    scores: Sequence[float], values: Sequence[float], masked: Sequence[bool], block: int, fill: float = FILL
) -> MaskedBlocks:
    """One row of 1 to 256 finite scores, as many values and mask bits (True: left out), in blocks.

    ``fill``: the finite number that stands for a masked score in that way. Raises ValueError for anything else, and
    as `sim.online_softmax.simulate`.

    >>> row = compare([-20000.0, 0.0], [1, 100], [False, True], block=1)
    >>> row.right, [(outcome.way, outcome.result) for outcome in row.outcomes]
    (1.0, [('guarded', 1.0), ('unguarded', 1.0), ('finite_fill', 100.0), ('maximum_of_all', nan)])
    """
    if len(scores) > MAX_SCORES:
        raise ValueError(f"there are {len(scores)} scores; give 1 to {MAX_SCORES}")
    if len(masked) != len(scores):
        raise ValueError(f"there are {len(scores)} scores and {len(masked)} mask bits; give one bit a score")
    for place, bit in enumerate(masked):
        if type(bit) is not bool:
            raise ValueError(f"mask bit {place} is {bit!r}; it must be True for a masked score or False")
    for place, score in enumerate(scores):
        if not isfinite(score):
            raise ValueError(f"score {place} is {score}; it must be a finite number, the mask says what is left out")
    if not isfinite(fill):
        raise ValueError(f"fill is {fill}; it must be a finite number")
    hidden = [-inf if bit else score for score, bit in zip(scores, masked, strict=True)]
    filled = [fill if bit else score for score, bit in zip(scores, masked, strict=True)]
    guarded = simulate(hidden, values, block).steps
    right = _ordinary([(s, v) for s, v, bit in zip(scores, values, masked, strict=True) if not bit])
    near = 1e-9 * max(map(abs, values))
    ways: tuple[tuple[Way, tuple[Step, ...]], ...] = (
        ("guarded", guarded),
        ("unguarded", simulate(hidden, values, block, guarded=False).steps),
        ("finite_fill", simulate(filled, values, block).steps),
        ("maximum_of_all", _maximum_of_all(guarded, scores, masked)),
    )
    outcomes = []
    for way, steps in ways:
        last = steps[-1].after
        result = last.output if last.denominator or way == "guarded" else nan  # 0/0
        outcomes.append(Outcome(way, steps, result, isclose(result, right, rel_tol=1e-9, abs_tol=near)))
    return MaskedBlocks(right, all(masked), tuple(outcomes))


def _ordinary(visible: list[tuple[float, float]]) -> float:
    """Softmax of the whole row at once, 0 for an empty one."""
    if not visible:
        return 0.0
    most = max(score for score, _ in visible)
    weights = [exp(score - most) for score, _ in visible]
    return fsum(w * v for w, (_, v) in zip(weights, visible, strict=True)) / fsum(weights)


def _maximum_of_all(blocks: tuple[Step, ...], scores: Sequence[float], masked: Sequence[bool]) -> tuple[Step, ...]:
    """The same blocks with every score in the maximum and a weight of 0 for masked ones."""
    steps: list[Step] = []
    before = State()
    for block in blocks:
        seen = tuple(scores[block.start : block.stop])
        maximum = max(before.maximum, *seen)
        factor = exp(before.maximum - maximum)
        bits = masked[block.start : block.stop]
        weights = tuple(0.0 if bit else exp(score - maximum) for score, bit in zip(seen, bits, strict=True))
        after = State(
            maximum,
            before.denominator * factor + fsum(weights),
            before.numerator * factor + fsum(w * v for w, v in zip(weights, block.values, strict=True)),
        )
        rescaled = not before.empty and maximum > before.maximum
        steps.append(Step(block.start, block.stop, seen, block.values, before, after, factor, weights, rescaled))
        before = after
    return tuple(steps)
