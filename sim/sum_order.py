"""A sum in FP32 depends on its order: one segment or many, a fixed order or whichever comes first.

Every addition rounds to FP32 (to nearest, ties to even), so (a + b) + c and a + (b + c) may differ. A sum in
s segments: segment j takes the terms from floor(j·n/s) to floor((j+1)·n/s), adds them left to right in an
accumulator of its own, and the s partial sums are added left to right. Atomic additions take the partial sums
in the order in which they arrive, here shuffled by a seed: another run, another order, perhaps other bits.

Why one long accumulator drifts: a BF16 number from 0.5 to 1 is k·2^-8, its square k²·2^-16. Once the sum has
passed 2^10, FP32 keeps multiples of 2^-13, eight such units. The square of an odd k leaves 1 when divided by
8, so each such term loses an eighth of a ULP, always downwards; of an even k it leaves 0, or 4, a tie. Short
segments stay small enough to lose next to nothing.

Source: IEEE 754-2019, 4.3.1; N. J. Higham, "The Accuracy of Floating Point Summation", SIAM Journal on
Scientific Computing 14(4), 1993 (errors by order); CUDA C++ Programming Guide 13.0, floating-point standard
(fused multiply-add) and atomic functions (no order is promised).
Left out: the tree in which the lanes of a warp add; several accumulators a thread. A fused multiply-add would
change nothing here: squares of BF16 numbers are exact in FP32.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import fsum
from random import Random

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.formats import BF16, rounded
from sim.inputs import whole
from sim.ulp import error_in_ulp

MAX_TERMS = 1 << 15  # a row of 32,768, or that many terms in all runs: some milliseconds
MAX_RUNS = 256
MAX_TERM = 2.0**100  # sums of MAX_TERMS such terms stay far from FP32's overflow
WIDTH = 4096  # the hidden width of the book's running example, Qwen3-8B
SEED = 34  # the book's row: its sums differ by enough to show even in BF16 (sim/batch_invariance.py)


@dataclass(frozen=True, slots=True)
class SplitSum:
    """One sum in segments: the FP32 partial sums in order, their FP32 sum, and how far off that is."""

    segments: int
    partials: tuple[float, ...]
    total: float
    exact: float
    """The float64 nearest to the real sum of the terms (math.fsum)."""

    @property
    def error_ulp(self) -> float:
        """Signed error in ULP of FP32 at the exact sum."""
        return error_in_ulp(self.total, self.exact)


def bf16_row(seed: int = SEED, width: int = WIDTH) -> NDArray[np.float32]:
    """A row whose squares are about 0.5: square roots of uniform numbers in [0, 1), rounded to BF16.

    ``seed`` >= 0; ``width`` 1 to 32768. Only `random.random` and square roots are used, so every Python and
    every machine gives the same row.
    """
    whole("seed", seed, 0, 2**63 - 1)
    whole("width", width, 1, MAX_TERMS)
    draw = Random(seed).random
    return rounded(np.sqrt([draw() for _ in range(width)]), BF16)


def squares(row: ArrayLike) -> NDArray[np.float32]:
    """FP32 squares of BF16 numbers from -2^50 to 2^50, else ValueError: exact unless they fall below 2^-126."""
    given = _terms(row)
    cut_off = given.view(np.uint32) & 0xFFFF  # the bits of FP32 that BF16 has not
    if np.abs(given).max() > MAX_TERM**0.5 or cut_off.any():
        raise ValueError("a number of the row is not a BF16 number from -2^50 to 2^50; round the row first")
    return given * given


def sum_in_order(terms: ArrayLike) -> NDArray[np.float32]:
    """FP32 sums along the last axis, strictly left to right, each addition rounded to FP32.

    ``terms``: FP32 numbers of size up to 2^100, at most 32,768, at least one along the last axis (ValueError
    otherwise). The result has the shape of ``terms`` less its last axis.

    >>> first, last = sum_in_order([[1, 2**-24, 2**-24], [2**-24, 2**-24, 1]]).tolist()
    >>> first, last == 1 + 2**-23
    (1.0, True)
    """
    given = _terms(terms)
    # accumulate keeps the order by definition; np.sum adds pairwise, in an order that it does not promise
    return np.asarray(np.add.accumulate(given, axis=-1)[..., -1])


def split_sum(terms: ArrayLike, segments: int) -> SplitSum:
    """Sum a row of terms (as `sum_in_order`, one axis) in ``segments`` parts, 1 to the number of terms.

    >>> terms = [1, 2**-24, 1, 2**-24]
    >>> split_sum(terms, 1).total == 2, split_sum(terms, 2).partials
    (True, (1.0, 1.0))
    """
    given = _terms(terms)
    if given.ndim != 1:
        raise ValueError(f"terms have shape {given.shape}; give one row")
    whole("segments", segments, 1, len(given))
    bounds = [j * len(given) // segments for j in range(segments + 1)]
    # Rows end in zeros where a segment is shorter than the longest: adding 0 changes no sum.
    table = np.zeros((segments, -(-len(given) // segments)), np.float32)
    for j, (start, stop) in enumerate(pairwise(bounds)):
        table[j, : stop - start] = given[start:stop]
    partials = np.add.accumulate(table, axis=1)[:, -1]
    total = float(np.add.accumulate(partials)[-1])
    return SplitSum(segments, tuple(partials.tolist()), total, _exact(given.tobytes()))


@lru_cache(maxsize=8)
def _exact(terms: bytes) -> float:
    """The sum of FP32 terms, rounded once: the same however the row is split."""
    return fsum(np.frombuffer(terms, np.float32).tolist())


def atomic_sums(partials: ArrayLike, runs: int, seed: int) -> tuple[float, ...]:
    """The sum of one set of partial sums in each of ``runs`` (1 to 256) runs, in orders drawn from ``seed``.

    >>> sorted(set(atomic_sums([1, 2**-24, 2**-24], runs=64, seed=0))) == [1, 1 + 2**-23]
    True
    """
    given = _terms(partials)
    if given.ndim != 1:
        raise ValueError(f"partial sums have shape {given.shape}; give one row")
    whole("runs", runs, 1, min(MAX_RUNS, MAX_TERMS // len(given)))
    whole("seed", seed, 0, 2**63 - 1)
    draw = Random(seed).random
    keys = np.array([[draw() for _ in given] for _ in range(runs)])
    arrival = np.argsort(keys, axis=1, kind="stable")
    return tuple(sum_in_order(given[arrival]).tolist())


def _terms(terms: ArrayLike) -> NDArray[np.float32]:
    given = np.asarray(terms)
    if given.dtype.kind not in "fiu" or not given.ndim or not 1 <= given.size <= MAX_TERMS:
        raise ValueError(f"terms: {given.size} of type {given.dtype}; give 1 to {MAX_TERMS} real numbers")
    if not (np.abs(given) <= MAX_TERM).all():
        raise ValueError(f"a term is outside -2^100 to 2^100: {given[~(np.abs(given) <= MAX_TERM)].flat[0]}")
    narrow = given.astype(np.float32)
    if not np.array_equal(narrow, given):
        raise ValueError(f"{given[narrow != given].flat[0]!r} is not an FP32 number; round the terms first")
    return narrow
