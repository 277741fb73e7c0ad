"""Inputs that try a kernel of sim/bug_kernels.py, and what it should make of each, in float64.

Memory holds more than the tensor: whatever lies behind the scores reads 9, behind the mask True, and the output is
filled with −7, which no softmax gives, before and behind: a store that goes astray leaves a trace.

Source: the definition in sim/bug_kernels.py, worked out row by row in float64; elements past the end as in the red
zones of CUDA's compute-sanitizer.
Left out: stray stores before a tensor; more than one tensor of scores.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.bug_kernels import LOWEST, MAX_COLUMNS, Call, covering
from sim.inputs import whole

MAX_ROWS = 64
UNWRITTEN = -7.0
BEHIND = 9.0
INPUTS = (
    "random_normal",
    "all_masked",
    "odd_sizes",
    "transposed_view",
    "nan",
    "zero_rows",
    "largest_size",
    "repeated_indices",
)


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One input: scores f64[R, columns], rows i64[M], keep bool[M, columns], reference f64[M, columns].

    ``base`` elements lie before the first score; a row starts ``pitch`` elements after the one before it, or a column
    if ``transposed``.
    """

    scores: NDArray[np.float64]
    rows: NDArray[np.int64]
    keep: NDArray[np.bool_]
    transposed: bool
    pitch: int
    base: int
    reference: NDArray[np.float64]

    def call(self) -> Call:
        """Fresh memory for one launch: FP16 scores, mask, unwritten output."""
        count, columns = self.keep.shape
        table = self.scores.T if self.transposed else self.scores
        lanes = covering(columns)
        size = self.base + table.shape[0] * self.pitch
        strides = (1, self.pitch) if self.transposed else (self.pitch, 1)
        storage = np.full(size + lanes * strides[1], BEHIND, np.float16)
        storage[self.base : size].reshape(-1, self.pitch)[:, : table.shape[1]] = table
        keep = np.full(count * columns + lanes, True)
        keep[: count * columns] = self.keep.ravel()
        out = np.full(count * columns + lanes, UNWRITTEN, np.float16)
        return Call(storage, self.base, *strides, columns, self.rows, keep, out)


def case(
    scores: ArrayLike,
    rows: ArrayLike | None = None,
    keep: ArrayLike | None = None,
    *,
    transposed: bool = False,
    gap: int = 0,
    base: int = 0,
) -> Case:
    """A case of FP16 scores f[R, columns]; R ≤ 64, 1 to 4096 columns.

    ``rows``: 0 to 64 row numbers (default: each row once); ``keep``: bool[M, columns] (default: all); ``gap``: unused
    elements after each row (column, if ``transposed``), ``base``: before the first, each 0 to 64. ValueError otherwise.

    >>> case([[0.0, 0.0]], rows=[0, 0]).reference.tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    given = np.asarray(scores, np.float64)
    if given.ndim != 2 or given.shape[0] > MAX_ROWS or not 1 <= given.shape[1] <= MAX_COLUMNS:
        raise ValueError(f"scores have shape {given.shape}; give at most {MAX_ROWS} rows of 1 to {MAX_COLUMNS} columns")
    with np.errstate(over="ignore", invalid="ignore"):
        stored = given.astype(np.float16).astype(np.float64)
    if not (same := (stored == given) | np.isnan(given)).all():
        raise ValueError(f"{given[~same][0]} is not an FP16 number; round it first")
    number = np.arange(given.shape[0]) if rows is None else np.asarray(rows)
    wrong_kind = number.ndim != 1 or (number.size > 0 and number.dtype.kind != "i")
    if wrong_kind or len(number) > MAX_ROWS or ((number < 0) | (number >= given.shape[0])).any():
        raise ValueError(f"rows are {rows!r}; give at most {MAX_ROWS} whole numbers from 0 to {given.shape[0] - 1}")
    shape = (len(number), given.shape[1])
    mask = np.full(shape, True) if keep is None else np.asarray(keep)
    if mask.shape != shape or mask.dtype != np.bool_:
        raise ValueError(f"keep is {mask.dtype} of shape {mask.shape}; it must be bool of shape {shape}")
    whole("gap", gap, 0, 64)
    whole("base", base, 0, 64)
    pitch = given.shape[0 if transposed else 1] + gap
    number = number.astype(np.int64)
    return Case(given, number, mask, transposed, pitch, base, _reference(given, number, mask))


def make(name: str, seed: int = 0) -> Case:
    """One of `INPUTS`, its numbers standard normal by ``seed`` (0 to 2³² − 1); ValueError otherwise."""
    if name not in INPUTS:
        raise ValueError(f"input is {name!r}; it must be one of {', '.join(INPUTS)}")
    if name == "all_masked":
        return case(normal(16, 16, seed), keep=np.full((16, 16), False))
    if name == "odd_sizes":
        return case(normal(11, 37, seed))
    if name == "zero_rows":
        return case(normal(0, 16, seed))
    if name == "largest_size":
        return case(normal(1, MAX_COLUMNS, seed))  # as in decoding: one new row
    if name == "repeated_indices":
        return case(normal(8, 16, seed), rows=np.arange(16) % 8)
    scores = normal(16, 16, seed)
    if name == "nan":
        scores[5, 0] = np.nan
    return case(scores, transposed=name == "transposed_view")


def normal(rows: int, columns: int, seed: int) -> NDArray[np.float64]:
    """Standard normal numbers f64[rows, columns], rounded to FP16."""
    whole("seed", seed, 0, 2**32 - 1)
    return _drawn(rows, columns, seed).copy()


@lru_cache(maxsize=16)  # half of the inputs start from the same ones
def _drawn(rows: int, columns: int, seed: int) -> NDArray[np.float64]:
    drawn = np.random.Generator(np.random.PCG64(seed)).standard_normal((rows, columns))
    return drawn.astype(np.float16).astype(np.float64)


def _reference(scores: NDArray[np.float64], rows: NDArray[np.int64], keep: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The definition."""
    count, columns = keep.shape
    seen = keep & (np.arange(columns) <= np.arange(columns - count, columns)[:, None])
    values = np.where(seen, np.maximum(scores[rows], float(LOWEST)), -np.inf)  # keeps a NaN, as do max and sum
    largest = values.max(axis=1, keepdims=True, initial=-np.inf)
    with np.errstate(invalid="ignore"):  # a row with nothing to see, or a NaN
        weights = np.where(seen, np.exp(values - largest), 0.0)
    total = np.ones(count)
    for i in np.flatnonzero(seen.any(axis=1)).tolist():
        total[i] = weights[i, seen[i]].sum()
    answer: NDArray[np.float64] = weights / total[:, None]
    answer[np.isnan(total)] = np.nan
    return answer
