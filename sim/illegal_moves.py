"""Moves that fusion tempts to, each with the smallest input that shows what it changes.

- The activation before the sum is complete: Σ SiLU(part) is not SiLU(Σ part).
- Softmax by blocks without statistics: each block normalises by itself. A block of one element weighs it 1,
  whatever its score, so rows that weigh their values 1:2 and 2:1 leave the same block outputs behind, and
  nothing made of these can give both rows their due. The plain mean stands for whatever is tried.
- A dropped rounding: a sum that was stored as BF16 and read again now stays in FP32. Nearer the real sum, but
  other bits than the model was checked with.
- For comparison, the activation moved into each of its readers: the same bits, done as often as it is read.

A move changes the result if the two ways differ in arithmetic without rounding; else the rounding, if they
differ in bits; else nothing but, perhaps, the cost.

Source: SiLU: S. Elfwing et al., arXiv 1702.03118; softmax by blocks done right: sim/online_softmax.py; BF16:
sim/formats.py; FP32 sums left to right: sim/sum_order.py.
Left out: orders of a loop nest that its index expressions forbid; exponentials below float64.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, isclose, log
from typing import Literal

from sim.formats import BF16, rounded
from sim.inputs import whole
from sim.sum_order import sum_in_order

MAX_TERMS = 1024
MAX_SIZE = 1e3
CLOSE = 1e-9  # more than the error of float64 on 1024 numbers of size 1e3

Changes = Literal["result", "rounding", "nothing"]


@dataclass(frozen=True, slots=True)
class Move:
    """One move on one input: what the program gave before (``kept``) and gives after it (``moved``)."""

    name: str
    kept: float
    moved: float
    kept_unrounded: float
    moved_unrounded: float
    kept_operations: int
    """How often the operation that moves (an activation, a softmax, a rounding) was done."""
    moved_operations: int

    @property
    def changes(self) -> Changes:
        """What this input shows that the move changes, apart from its cost."""
        largest = max(abs(self.kept_unrounded), abs(self.moved_unrounded), 1.0)
        if not isclose(self.kept_unrounded, self.moved_unrounded, rel_tol=0, abs_tol=CLOSE * largest):
            return "result"
        errors = (self.kept - self.kept_unrounded, self.moved - self.moved_unrounded)
        return "nothing" if errors[0] == errors[1] else "rounding"


def activation_before_sum(parts: Sequence[float]) -> Move:
    """SiLU of a sum against the sum of the SiLUs of its 1 to 1024 ``parts``, each from -1e3 to 1e3.

    >>> move = activation_before_sum([1.0, -1.0])
    >>> move.kept, round(move.moved, 4), move.changes
    (0.0, 0.4621, 'result')
    """
    _check("part", parts)
    kept, moved = silu(fsum(parts)), fsum(map(silu, parts))
    return Move("activation before the sum", kept, moved, kept, moved, 1, len(parts))


def softmax_without_statistics(scores: Sequence[float], values: Sequence[float], block: int) -> Move:
    """Softmax of 1 to 1024 scores, weighted into one output, against the mean of `block_outputs`.

    >>> [softmax_without_statistics(scores, [1, 3], block=1).moved for scores in ([0, log(2)], [log(2), 0])]
    [2.0, 2.0]
    """
    outputs = block_outputs(scores, values, block)
    kept, moved = _softmax_mean(scores, values), fsum(outputs) / len(outputs)
    return Move("softmax without statistics", kept, moved, kept, moved, 1, len(outputs))


def block_outputs(scores: Sequence[float], values: Sequence[float], block: int) -> tuple[float, ...]:
    """Each block's own softmax output, ``block`` elements (1 to all) a block; the last may be shorter.

    Scores and values from -1e3 to 1e3, one value a score; ValueError otherwise.
    """
    _check("score", scores)
    _check("value", values)
    if len(scores) != len(values):
        raise ValueError(f"there are {len(scores)} scores and {len(values)} values; give one value a score")
    whole("block", block, 1, len(scores))
    starts = range(0, len(scores), block)
    return tuple(_softmax_mean(scores[i : i + block], values[i : i + block]) for i in starts)


def dropped_rounding(terms: Sequence[float], then: float) -> Move:
    """An FP32 sum of 1 to 1024 BF16 ``terms``, stored as BF16 or not, and ``then`` added to it in FP32.

    ``terms`` and ``then`` are BF16 numbers from -1e3 to 1e3; ValueError otherwise.

    >>> move = dropped_rounding([1.0, 2**-8], then=-1.0)
    >>> move.kept, move.moved == 2**-8, move.changes
    (0.0, True, 'rounding')
    """
    _check("term", terms)
    _check("then", [then])
    for number, stored in zip([*terms, then], rounded([*terms, then], BF16).tolist(), strict=True):
        if number != stored:
            raise ValueError(f"{number!r} is not a BF16 number; round it first")
    total = sum_in_order(terms)
    kept, moved = (float(sum_in_order([float(first), then])) for first in (rounded(total, BF16), total))
    unrounded = fsum([*terms, then])
    return Move("dropped rounding", kept, moved, unrounded, unrounded, 1, 0)


def activation_in_readers(values: Sequence[float], readers: int) -> Move:
    """The sum of SiLU over 1 to 1024 ``values``, done once or in each of ``readers`` (1 to 1024).

    >>> move = activation_in_readers([1.0, 2.0], readers=12)
    >>> move.changes, move.kept_operations, move.moved_operations
    ('nothing', 2, 24)
    """
    _check("value", values)
    whole("readers", readers, 1, MAX_TERMS)
    total = fsum(map(silu, values))
    return Move("activation in its readers", total, total, total, total, len(values), len(values) * readers)


def smallest_inputs() -> tuple[Move, ...]:
    """Every move on the smallest input that shows it."""
    return (
        activation_before_sum([1.0, -1.0]),
        softmax_without_statistics([0.0, log(2)], [1.0, 3.0], block=1),
        dropped_rounding([1.0, 2**-8], then=-1.0),
        activation_in_readers([1.0], readers=2),
    )


def silu(x: float) -> float:
    """x / (1 + e^-x) for a finite x, float64, written so that e^|x| never overflows."""
    return x / (1 + exp(-x)) if x >= 0 else x * exp(x) / (1 + exp(x))


def _softmax_mean(scores: Sequence[float], values: Sequence[float]) -> float:
    largest = max(scores)
    weights = [exp(score - largest) for score in scores]
    return fsum(w * v for w, v in zip(weights, values, strict=True)) / fsum(weights)


def _check(what: str, numbers: Sequence[float]) -> None:
    if not 1 <= len(numbers) <= MAX_TERMS:
        raise ValueError(f"{len(numbers)} {what}s given; give 1 to {MAX_TERMS}")
    for i, number in enumerate(numbers):
        if not abs(number) <= MAX_SIZE:
            raise ValueError(f"{what} {i} is {number}; it must be a number from -{MAX_SIZE:g} to {MAX_SIZE:g}")
