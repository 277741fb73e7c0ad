"""A scale for a row needs the whole row: quantizing to FP8 while the row streams by gives other bytes.

Quantizing a row x to E4M3FN with one scale: scale = max|x| / 448, code = E4M3FN(x / scale), both in FP32; a
code stands for decode(code) · scale. The scale is known only when every number has been seen.

Streaming, chunk by chunk: the scale so far, from the largest number so far, quantizes the chunk at hand; the
last scale is the one stored with the row. Codes made with a smaller scale then stand for too large numbers:
off by the ratio of the two scales. Quantizing those codes again, code' = E4M3FN(decode(code) · scale so far /
last scale), mends the size, but rounds twice, and where the ratio is not a power of two bytes still differ.

A row of zeros gets scale 1.

Source: Micikevicius et al., "FP8 Formats for Deep Learning", arXiv 2209.05433 (E4M3, 448, per-tensor scaling);
one scale a row as in PyTorch's `torch._scaled_mm` with row-wise scales.
Left out: multiplying by the reciprocal of the scale, as many kernels do, which rounds once more and may give
other bytes again; scales a block, which need only their block; a margin for outliers.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.formats import E4M3FN, decode, encode
from sim.inputs import whole

MAX_WIDTH = 16384
MAX_CHUNKS = 4096
LARGEST = np.float32(448)
BOUND = 2.0**100  # keeps scales and quotients far from FP32's ends; so does its reciprocal from below


@dataclass(frozen=True, slots=True)
class Chunk:
    """Numbers ``start`` to ``stop`` (exclusive) as they stream by."""

    start: int
    stop: int
    amax: float
    """Largest size of a number seen so far."""
    scale: float
    """amax / 448 in FP32: what this chunk is quantized with."""
    codes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RowScale:
    """A row quantized with its own scale, and streaming."""

    row: tuple[float, ...]
    scale: float
    codes: tuple[int, ...]
    """E4M3FN patterns with the scale of the whole row."""
    chunks: tuple[Chunk, ...]
    requantized: tuple[int, ...]
    """The streamed codes, each brought to the last scale and rounded again."""

    @property
    def streamed(self) -> tuple[int, ...]:
        """The streamed codes, as they were made."""
        return tuple(code for chunk in self.chunks for code in chunk.codes)

    def changed(self, codes: tuple[int, ...]) -> tuple[int, ...]:
        """Where ``codes`` differ from those with the scale of the whole row."""
        return tuple(i for i, (a, b) in enumerate(zip(self.codes, codes, strict=True)) if a != b)

    def values(self, codes: tuple[int, ...]) -> tuple[float, ...]:
        """What ``codes`` stand for with the row's scale, float64."""
        return tuple((decode(codes, E4M3FN).astype(np.float64) * self.scale).tolist())


def simulate(row: ArrayLike, chunk: int) -> RowScale:
    """Quantize ``row`` both ways, in chunks of ``chunk`` numbers; the last chunk may be shorter.

    ``row``: 1 to 16,384 FP32 numbers, each 0 or of size 2^-100 to 2^100; ``chunk``: 1 to the width, at most
    4096 chunks. Raises ValueError for anything else.

    >>> run = simulate([448.0, 896.0], chunk=1)
    >>> [hex(code) for code in run.codes], [hex(code) for code in run.streamed]
    (['0x76', '0x7e'], ['0x7e', '0x7e'])
    >>> run.values(run.codes), run.values(run.streamed)
    ((448.0, 896.0), (896.0, 896.0))
    """
    numbers = _row(row)
    width = len(numbers)
    whole("chunk", chunk, -(-width // MAX_CHUNKS), width)
    starts = np.arange(0, width, chunk)
    amax = np.maximum.accumulate(np.maximum.reduceat(np.abs(numbers), starts))
    scales = _scale(amax)
    scale = scales[-1]  # that of the whole row
    of_number = np.repeat(scales, chunk)[:width]  # the scale that each number meets
    codes, streamed = encode(numbers / scale, E4M3FN), encode(numbers / of_number, E4M3FN)
    requantized = encode(decode(streamed, E4M3FN) * of_number / scale, E4M3FN)
    made = tuple(streamed.tolist())
    chunks = tuple(
        Chunk(start, min(start + chunk, width), most, by, made[start : start + chunk])
        for start, most, by in zip(starts.tolist(), amax.tolist(), scales.tolist(), strict=True)
    )
    return RowScale(tuple(numbers.tolist()), float(scale), tuple(codes.tolist()), chunks, tuple(requantized.tolist()))


def _scale(amax: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.where(amax > 0, amax / LARGEST, np.float32(1))


def _row(row: ArrayLike) -> NDArray[np.float32]:
    given = np.asarray(row)
    if given.dtype.kind not in "fiu" or given.ndim != 1 or not 1 <= given.size <= MAX_WIDTH:
        raise ValueError(f"row: shape {given.shape}, type {given.dtype}; give 1 to {MAX_WIDTH} real numbers")
    size = np.abs(given)
    wrong = ~((size == 0) | ((size >= 1 / BOUND) & (size <= BOUND)))
    if wrong.any():
        raise ValueError(f"the row holds {given[wrong][0]}; give 0, or a size from 2^-100 to 2^100")
    narrow = given.astype(np.float32)
    if not np.array_equal(narrow, given):
        raise ValueError(f"{given[narrow != given][0]!r} is not an FP32 number; round the row first")
    return narrow
