"""Softmax of one row, weighted into one output, block by block with three running numbers.

After each block: m' = max(m, scores), r = e^(m - m'), l' = r·l + Σ e^(s - m'), u' = r·u + Σ e^(s - m')·v.
The output is u/l. Only a maximum that grows makes r differ from 1. Two states of disjoint parts merge.

A score of -inf is masked. A block with nothing to see leaves the state alone: its own rule would take
-inf - (-inf), which is NaN. A row with nothing to see has l = 0; its output is 0 and says so (`empty`).

Source: M. Milakov, N. Gimelshein, arXiv 1805.02867 (recurrence and merge); T. Dao et al., arXiv 2205.14135
(with values). Zero for a row masked whole: PyTorch's scaled_dot_product_attention since 2.5
(`_safe_softmax`, pytorch/pytorch pull request 131060).
Left out: rounding below float64; values with more than one column (each column has a u of its own).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, inf, isfinite

MAX_SCORES = 1024  # a trace to read, not a workload
MAX_VALUE = 1e100  # leaves the sums far from float64's overflow


@dataclass(frozen=True, slots=True)
class State:
    """What is known of the scores seen: their maximum m, the denominator l and the numerator u.

    >>> State()
    State(maximum=-inf, denominator=0.0, numerator=0.0)
    """

    maximum: float = -inf
    denominator: float = 0.0
    numerator: float = 0.0

    @property
    def empty(self) -> bool:
        """Whether every score seen so far was masked (or none was seen)."""
        return self.denominator == 0.0

    @property
    def output(self) -> float:
        """The weighted mean of the values seen, u/l; 0.0 by agreement when ``empty``."""
        return 0.0 if self.empty else self.numerator / self.denominator


@dataclass(frozen=True, slots=True)
class Step:
    """One block, scores[start:stop], and the state on either side of it.

    ``weights``: e^(s - m') of each score. ``factor``: r = e^(m - m'), 0 when nothing was seen before, 1
    when nothing has been seen after. ``rescaled``: there was a sum to rescale and the maximum grew.
    """

    start: int
    stop: int
    scores: tuple[float, ...]
    values: tuple[float, ...]
    before: State
    after: State
    factor: float
    weights: tuple[float, ...]
    rescaled: bool


@dataclass(frozen=True, slots=True)
class OnlineSoftmax:
    """Every block of the row in order, and the state that remains."""

    steps: tuple[Step, ...]
    state: State

    @property
    def result(self) -> float:
        """Σ softmax(scores)·values; 0.0 for a row masked whole (then ``state.empty``)."""
        return self.state.output

    @property
    def rescales(self) -> int:
        """How many blocks made the sums so far be multiplied by a factor below 1."""
        return sum(step.rescaled for step in self.steps)


def simulate(scores: Sequence[float], values: Sequence[float], block: int, *, guarded: bool = True) -> OnlineSoftmax:
    """Fold 1 to 1024 scores (finite, or -inf: masked) and as many values (|v| <= 1e100) in blocks.

    ``block``: scores a block, 1 to all of them; the last block may be shorter. ``guarded=False`` applies
    the rule to masked blocks as it stands, as naive code does, and gives NaN from there on.
    Raises ValueError for anything else.

    >>> from math import log
    >>> simulate([0.0, log(2), log(4)], [1, 3, 5], block=2).result * 7
    27.0
    >>> simulate([-20000.0, -inf], [1, 100], block=1).result
    1.0
    >>> simulate([-inf, 0.0], [1, 100], block=1, guarded=False).result
    nan
    """
    _check(scores, values, block)
    steps: list[Step] = []
    state = State()
    for start in range(0, len(scores), block):
        stop = min(start + block, len(scores))
        step = _fold(state, start, stop, tuple(scores[start:stop]), tuple(values[start:stop]), guarded)
        steps.append(step)
        state = step.after
    return OnlineSoftmax(tuple(steps), state)


def merge(a: State, b: State) -> State:
    """State of two disjoint parts of a row from the state of each; an empty one changes nothing.

    >>> merge(State(0.0, 1.0, 1.0), State(0.0, 2.0, 6.0)).output * 3
    7.0
    """
    maximum = max(a.maximum, b.maximum)
    if maximum == -inf:
        return State()
    r_a, r_b = exp(a.maximum - maximum), exp(b.maximum - maximum)
    return State(
        maximum,
        a.denominator * r_a + b.denominator * r_b,
        a.numerator * r_a + b.numerator * r_b,
    )


def _fold(
    before: State, start: int, stop: int, scores: tuple[float, ...], values: tuple[float, ...], guarded: bool
) -> Step:
    maximum = max(before.maximum, *scores)
    if guarded and maximum == -inf:
        nothing = (0.0,) * len(scores)
        return Step(start, stop, scores, values, before, before, 1.0, nothing, False)
    factor = exp(before.maximum - maximum)
    weights = tuple(exp(score - maximum) for score in scores)
    # fsum, since sum of floats has other last bits from Python 3.12 on
    after = State(
        maximum,
        before.denominator * factor + fsum(weights),
        before.numerator * factor + fsum(w * v for w, v in zip(weights, values, strict=True)),
    )
    rescaled = not before.empty and maximum > before.maximum
    return Step(start, stop, scores, values, before, after, factor, weights, rescaled)


def _check(scores: Sequence[float], values: Sequence[float], block: int) -> None:
    n = len(scores)
    if not 1 <= n <= MAX_SCORES:
        raise ValueError(f"there are {n} scores; give 1 to {MAX_SCORES}")
    if len(values) != n:
        raise ValueError(f"there are {n} scores and {len(values)} values; give one value a score")
    for i, score in enumerate(scores):
        if not isfinite(score) and score != -inf:
            raise ValueError(f"score {i} is {score}; it must be a finite number, or -inf for a masked one")
    for i, value in enumerate(values):
        if not abs(value) <= MAX_VALUE:
            raise ValueError(f"value {i} is {value}; it must be a number from -{MAX_VALUE:g} to {MAX_VALUE:g}")
    if not isinstance(block, int) or not 1 <= block <= n:
        raise ValueError(f"block is {block!r}; it must be a whole number from 1 to {n}, the number of scores")
