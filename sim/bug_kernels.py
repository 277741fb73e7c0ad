"""One kernel eight times: correct, and with one of seven faults planted. All of them really run, tile by tile.

out[i, j] = softmax over j of scores[rows[i], j], where keep[i, j] holds and j ≤ i + columns − M (causal, the M rows are
the last of ``columns``). FP16 in and out, exponentials and sum in FP32. Nothing to see: a row of zeros. A NaN to see:
a row of NaN. A score of −∞ counts as −65504, the lowest FP16 number: the mask hides, scores do not.

A program takes eight rows and the power of two that covers the columns; lanes past the end of a row are masked at each
load and store. Programs run from the last to the first, since a GPU promises no order; where none stores what another
loads or stores, the order shows nowhere and they run at once. Memory is flat, as a GPU sees it, and goes on after the
last row: an unmasked lane meets what lies there.

Source: Triton tutorial "Fused Softmax" (tiles and masks); CUDA Math API, fmaxf (of a NaN and a number, the number);
IEEE 754-2019, 9.6 (maximum keeps a NaN, maximumNumber drops it).
Left out: threads, barriers and races inside a program; loops over tiles; speed.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

ROWS_PER_PROGRAM = 8
MAX_COLUMNS = 4096
LOWEST = np.float32(-65504.0)  # of the finite FP16 numbers
FAULTS = (
    "no_tail_mask",  # lanes past the end of a row are not masked
    "wrong_stride",  # takes the rows for packed, one after the other
    "nan_swallowed",  # the maximum with the lowest score drops a NaN
    "fully_masked_row",  # no case for a row with nothing to see: −∞ − (−∞)
    "overlapping_in_out",  # each result is written over the row it was read from, too
    "half_sum",  # adds up in FP16, left to right
    "causal_offset",  # j ≤ i: takes the rows for the first ones
)
COLLIDING = ("no_tail_mask", "overlapping_in_out")  # programs store what others store, or load
T = TypeVar("T", bound=np.generic)
KERNELS = ("correct", *FAULTS)


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """The arguments of one launch: flat memory and how to find things in it. `sim.bug_inputs` makes them.

    Score (r, j) lies at storage[base + r·row_stride + j·column_stride]; keep and out at i·columns + j.
    """

    storage: NDArray[np.float16]
    base: int
    row_stride: int
    column_stride: int
    columns: int
    rows: NDArray[np.int64]
    keep: NDArray[np.bool_]
    out: NDArray[np.float16]


def run(kernel: str, call: Call) -> None:
    """Run one of `KERNELS` on ``call``, which writes to call.out; ValueError for another name."""
    if kernel not in KERNELS:
        raise ValueError(f"kernel is {kernel!r}; it must be one of {', '.join(KERNELS)}")
    count = len(call.rows)
    step = ROWS_PER_PROGRAM if kernel in COLLIDING else max(1, count)
    for first in reversed(range(0, count, step)):
        _program(kernel, call, first, min(first + step, count))


def covering(columns: int) -> int:
    """The power of two that covers 1 to 4096 columns: the lanes of a row.

    >>> covering(37), covering(64)
    (64, 64)
    """
    return 1 << (columns - 1).bit_length()


@dataclass(frozen=True, slots=True, eq=False)
class _Lanes:
    """Where the lanes of some rows are, which depends on no number: found once for all kernels."""

    column: NDArray[np.intp]
    """j[1, lanes]."""
    past: NDArray[np.intp]
    """j − i [rows, lanes]."""
    place: NDArray[np.intp]
    """i·columns + j [rows, lanes], of a mask's bit and of a result."""
    inside: NDArray[np.bool_] | None
    """Whether the lane is inside its row [rows, lanes]; None if all of them are."""


@lru_cache(maxsize=64)
def _lanes(first: int, stop: int, columns: int) -> _Lanes:
    i, j = np.arange(first, stop, dtype=np.intp)[:, None], np.arange(covering(columns), dtype=np.intp)[None, :]
    inside = (j < columns) & (i >= first)
    return _Lanes(j, j - i, i * columns + j, None if inside.all() else inside)


def _program(fault: str, call: Call, first: int, stop: int) -> None:
    lanes = _lanes(first, stop, call.columns)
    row_stride, column_stride = call.row_stride, call.column_stride
    if fault == "wrong_stride":
        row_stride, column_stride = call.columns, 1
    starts = (call.base + call.rows[first:stop, None] * row_stride).astype(np.intp)
    address = starts + lanes.column * column_stride
    inside = None if fault == "no_tail_mask" else lanes.inside

    offset = 0 if fault == "causal_offset" else call.columns - len(call.rows)
    visible = _load(call.keep, lanes.place, inside) & (lanes.past <= offset)
    if inside is not None:
        visible &= inside
    larger = np.fmax if fault == "nan_swallowed" else np.maximum
    scores = larger(_load(call.storage, address, inside).astype(np.float32), LOWEST)
    scores = np.where(visible, scores, np.float32(-np.inf))
    largest = scores.max(axis=1, keepdims=True)
    if fault != "fully_masked_row":
        largest[largest == -np.inf] = 0.0
    with np.errstate(invalid="ignore"):  # NaN is an answer here
        weights = np.exp(scores - largest)
        if fault == "half_sum":
            total = np.add.accumulate(weights, axis=1, dtype=np.float16)[:, -1:].astype(np.float32)
        else:
            total = weights.sum(axis=1, keepdims=True)
        if fault != "fully_masked_row":
            total[total == 0.0] = 1.0
        result = (weights / total).astype(np.float16)
    _store(call.out, lanes.place, inside, result)
    if fault == "overlapping_in_out":
        _store(call.storage, address, inside, result)


def _load(memory: NDArray[T], address: NDArray[np.intp], inside: NDArray[np.bool_] | None) -> NDArray[T]:
    """What lies at each address; a masked lane reads nothing of its own (here: what lies at 0, to be ignored)."""
    return memory[address if inside is None else np.where(inside, address, 0)]


def _store(memory: NDArray[T], address: NDArray[np.intp], inside: NDArray[np.bool_] | None, values: NDArray[T]) -> None:
    """Write the values of all lanes that are not masked."""
    if inside is None:
        memory[address] = values
    else:
        memory[address[inside]] = values[inside]
