"""BF16, FP16, FP8 (E4M3FN) and FP32 as bit patterns: rounding to the bit with NumPy alone.

A format has e exponent bits, f fraction bits and one sign bit. Near x its values lie 2^(E - f) apart, where
2^E <= |x| < 2^(E+1), but never closer than the smallest subnormal number: that spacing is one ULP
(sim/ulp.py). Rounding takes the nearest value, of two equally near ones that with an even last bit. BF16,
FP16 and FP32 keep their top exponent for infinity and NaN; E4M3FN has no infinity and gives up one pattern
a sign, 0x7F, for NaN, so that its largest number is 448.

A number too large after rounding becomes infinity where the format has one, else NaN; with ``saturate=True``
it becomes the largest number, and so does infinity. The largest number is passed half an ULP above it.

Source: IEEE 754-2019, 3.4 and 4.3.1 (binary16, binary32, roundTiesToEven); BF16: the upper half of binary32;
Micikevicius et al., "FP8 Formats for Deep Learning", arXiv 2209.05433, and OCP 8-bit Floating Point
Specification (OFP8) 1.0 (E4M3; both ways to overflow).
Left out: NaN payloads (every NaN given becomes one pattern); rounding in other directions; flushing of
subnormal numbers.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

MAX_VALUES = 1 << 16  # one call rounds at most this many: a few milliseconds


@dataclass(frozen=True, slots=True)
class Format:
    """A binary floating-point format of 1 + ``exponent_bits`` + ``fraction_bits`` bits.

    >>> E4M3FN.largest, FP16.largest, BF16.smallest == 2.0**-133
    (448.0, 65504.0, True)
    """

    name: str
    exponent_bits: int
    fraction_bits: int
    infinities: bool
    """Whether the top exponent is kept for infinity and NaN; otherwise NaN is one pattern, all ones."""

    @property
    def bits(self) -> int:
        """Bits of one value."""
        return 1 + self.exponent_bits + self.fraction_bits

    @property
    def min_exponent(self) -> int:
        """Exponent of the smallest normal number, 2 - 2^(exponent_bits - 1)."""
        return 2 - (1 << (self.exponent_bits - 1))

    @property
    def largest_code(self) -> int:
        """Bit pattern of the largest number."""
        special = 1 << self.fraction_bits if self.infinities else 1  # infinity and NaN; NaN alone
        return (1 << (self.bits - 1)) - 1 - special

    @property
    def nan_code(self) -> int:
        """Bit pattern of the NaN that `encode` gives: quiet, sign clear."""
        return self.largest_code + 1 + (1 << (self.fraction_bits - 1) if self.infinities else 0)

    @property
    def largest(self) -> float:
        """The largest number."""
        return float(decode([self.largest_code], self)[0])

    @property
    def smallest(self) -> float:
        """The smallest number above 0, which is subnormal."""
        return 2.0 ** (self.min_exponent - self.fraction_bits)


FP32 = Format("FP32", 8, 23, True)
BF16 = Format("BF16", 8, 7, True)
FP16 = Format("FP16", 5, 10, True)
E4M3FN = Format("E4M3FN", 4, 3, False)


def encode(values: ArrayLike, fmt: Format, *, saturate: bool = False) -> NDArray[np.int64]:
    """Bit patterns of ``values`` (float64 or narrower, any shape) rounded once to ``fmt``.

    Raises ValueError for values that are not real numbers or are more than 65536.

    >>> [hex(code) for code in encode([1.0, 448.0, 464.0, 465.0, -0.0], E4M3FN)]
    ['0x38', '0x7e', '0x7e', '0x7f', '0x80']
    >>> hex(encode(465.0, E4M3FN, saturate=True))
    '0x7e'
    """
    given = _reals(values)
    magnitude = np.where(np.isfinite(given), np.abs(given), 0.0)
    exponent = np.where(magnitude > 0.0, np.frexp(magnitude)[1] - 1, fmt.min_exponent)
    steps_of = np.maximum(exponent, fmt.min_exponent) - fmt.fraction_bits  # log2 of one ULP
    count = np.rint(np.ldexp(magnitude, -steps_of)).astype(np.int64)  # ULPs; rint: nearest, ties to even
    # A normal number's count has its leading bit at 2^fraction_bits, which adds 1 to the exponent field; a
    # count that was rounded up to twice that adds one more. So one sum makes the pattern in every case.
    binade = steps_of.astype(np.int64) - (fmt.min_exponent - fmt.fraction_bits)
    code = (binade << fmt.fraction_bits) + count
    too_large = fmt.largest_code if saturate else fmt.largest_code + 1  # the pattern of infinity, or of NaN
    code = np.where((code > fmt.largest_code) | np.isinf(given), too_large, code)
    code |= np.signbit(given).astype(np.int64) << (fmt.bits - 1)
    return np.where(np.isnan(given), fmt.nan_code, code)


def decode(codes: ArrayLike, fmt: Format) -> NDArray[np.float32]:
    """The numbers that bit patterns stand for; FP32 holds each of them exactly.

    Raises ValueError for patterns that are not whole numbers from 0 to 2^bits - 1.

    >>> decode([0x01, 0x7E, 0x7F], E4M3FN).tolist()
    [0.001953125, 448.0, nan]
    """
    given = np.asarray(codes)
    if given.dtype.kind not in "iu" or given.size > MAX_VALUES:
        raise ValueError(f"{given.size} codes of type {given.dtype}; give whole numbers, at most {MAX_VALUES}")
    given = given.astype(np.int64)
    if given.size and not (given.min() >= 0 and given.max() < 1 << fmt.bits):
        raise ValueError(
            f"codes from {given.min()} to {given.max()}; a pattern of {fmt.name} is from 0 to {(1 << fmt.bits) - 1}"
        )
    code = given & ((1 << (fmt.bits - 1)) - 1)
    field, fraction = code >> fmt.fraction_bits, code & ((1 << fmt.fraction_bits) - 1)
    count = fraction + (np.minimum(field, 1) << fmt.fraction_bits)
    steps_of = np.maximum(field, 1) - 1 + fmt.min_exponent - fmt.fraction_bits
    value = np.ldexp(count.astype(np.float64), steps_of.astype(np.int32))
    infinity = fmt.largest_code + 1 if fmt.infinities else -1
    value = np.where(code > fmt.largest_code, np.where(code == infinity, np.inf, np.nan), value)
    return np.where(given == code, value, -value).astype(np.float32)


def rounded(values: ArrayLike, fmt: Format, *, saturate: bool = False) -> NDArray[np.float32]:
    """``values`` rounded once to ``fmt``; errors as `encode`.

    >>> rounded([1 + 2**-8, 1 + 2**-7, 1 + 3 * 2**-8], BF16).tolist()
    [1.0, 1.0078125, 1.015625]
    """
    return decode(encode(values, fmt, saturate=saturate), fmt)


def _reals(values: ArrayLike) -> NDArray[np.float64]:
    given = np.asarray(values)
    if given.dtype.kind not in "fiu" or given.dtype.itemsize > 8:
        raise ValueError(f"values of type {given.dtype}; give real numbers, float64 or narrower")
    if given.size > MAX_VALUES:
        raise ValueError(f"{given.size} values; give at most {MAX_VALUES}")
    with np.errstate(invalid="ignore"):  # a signalling NaN raises the flag on its way to a quiet one
        wide = given.astype(np.float64)
    if given.dtype.kind in "iu" and given.size and np.abs(wide).max() > 2.0**53:
        raise ValueError("a whole number beyond 2^53 has no exact float64; give it as a float")
    return wide
