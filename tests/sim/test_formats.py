import doctest
from bisect import bisect
from fractions import Fraction
from math import copysign, inf, isnan, nan
from random import Random

import numpy as np
import pytest

import sim.formats
from sim.formats import BF16, E4M3FN, FP16, FP32, MAX_VALUES, Format, decode, encode, rounded

FORMATS = [BF16, FP16, E4M3FN]


def test_docstring_examples_hold():
    result = doctest.testmod(sim.formats)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize(
    ("fmt", "bits", "largest", "smallest", "smallest_normal", "largest_code", "nan_code"),
    [
        # arXiv 2209.05433, table 1: 448, 2^-9, 2^-6
        (E4M3FN, 8, 448.0, 2.0**-9, 2.0**-6, 0x7E, 0x7F),
        # IEEE 754: (2 - 2^-10)·2^15, 2^-24, 2^-14
        (FP16, 16, 65504.0, 2.0**-24, 2.0**-14, 0x7BFF, 0x7E00),
        # the upper half of an FP32 pattern: (2 - 2^-7)·2^127, 2^-133, 2^-126
        (BF16, 16, (2 - 2.0**-7) * 2.0**127, 2.0**-133, 2.0**-126, 0x7F7F, 0x7FC0),
        (FP32, 32, (2 - 2.0**-23) * 2.0**127, 2.0**-149, 2.0**-126, 0x7F7FFFFF, 0x7FC00000),
    ],
)
def test_the_ends_of_each_format(fmt, bits, largest, smallest, smallest_normal, largest_code, nan_code):
    assert (fmt.bits, fmt.largest, fmt.smallest) == (bits, largest, smallest)
    assert (fmt.largest_code, fmt.nan_code) == (largest_code, nan_code)
    assert 2.0**fmt.min_exponent == smallest_normal
    assert decode([0, 1, 1 << fmt.fraction_bits, largest_code], fmt).tolist() == [
        0.0,
        smallest,
        smallest_normal,
        largest,
    ]
    assert isnan(decode([nan_code], fmt)[0])


def by_definition(code, fmt):
    """One pattern read field by field, with fractions."""
    sign = -1 if code >> (fmt.exponent_bits + fmt.fraction_bits) else 1
    field = code >> fmt.fraction_bits & (2**fmt.exponent_bits - 1)
    fraction = Fraction(code & (2**fmt.fraction_bits - 1), 2**fmt.fraction_bits)
    bias = 2 ** (fmt.exponent_bits - 1) - 1
    if fmt.infinities and field == 2**fmt.exponent_bits - 1:
        return sign * inf if fraction == 0 else nan
    if not fmt.infinities and code & (2 ** (fmt.bits - 1) - 1) == 2 ** (fmt.bits - 1) - 1:
        return nan
    return sign * ((fraction + 1) * Fraction(2) ** (field - bias) if field else fraction * Fraction(2) ** (1 - bias))


@pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)
def test_every_pattern_of_a_byte_and_many_of_two(fmt):
    step = 1 if fmt.bits == 8 else 37
    codes = sorted({*range(0, 1 << fmt.bits, step), fmt.largest_code, fmt.largest_code + 1, fmt.nan_code})
    for code, value in zip(codes, decode(codes, fmt).tolist(), strict=True):
        expected = by_definition(code, fmt)
        assert isnan(value) if isnan(expected) else value == expected, hex(code)


@pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)
def test_every_pattern_comes_back(fmt):
    codes = np.arange(1 << fmt.bits)
    values = decode(codes, fmt)
    back = encode(values, fmt)
    numbers = ~np.isnan(values)
    assert np.array_equal(back[numbers], codes[numbers])
    assert (back[~numbers] == fmt.nan_code).all()
    assert (~numbers).sum() == (2 * (2**fmt.fraction_bits - 1) if fmt.infinities else 2)


def wrong_roundings(encoder, fmt):
    """How many halves between neighbours, and numbers just beside them, are rounded wrongly."""
    codes = np.arange(fmt.largest_code)
    low, high = decode(codes, fmt).astype(np.float64), decode(codes + 1, fmt).astype(np.float64)
    half = (low + high) / 2  # exact in float64
    even = codes + codes % 2
    wrong = (encoder(half, fmt) != even).sum()
    wrong += (encoder(np.nextafter(half, -inf), fmt) != codes).sum()
    wrong += (encoder(np.nextafter(half, inf), fmt) != codes + 1).sum()
    sign = 1 << (fmt.bits - 1)
    return int(wrong + (encoder(-half, fmt) != even + sign).sum())


@pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)
def test_halfway_goes_to_even_and_anything_else_to_the_nearest(fmt):
    assert wrong_roundings(encode, fmt) == 0


def half_up(values, fmt):
    toward = np.sign(values)
    return encode(np.where(values == 0, values, np.nextafter(values, inf * toward)), fmt)


def truncated(values, fmt):
    codes = encode(values, fmt)
    low = np.abs(decode(codes, fmt)) > np.abs(values)
    return np.where(low, codes - 1, codes)


def flushed(values, fmt):
    normal = np.abs(values) >= 2.0**fmt.min_exponent
    return encode(np.where(normal, values, np.copysign(0.0, values)), fmt)


def through_fp32(values, fmt):
    return encode(values.astype(np.float32), fmt)


@pytest.mark.parametrize("rule", [half_up, truncated, flushed, through_fp32])
@pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)
def test_the_check_of_roundings_notices_a_wrong_rule(rule, fmt):
    assert wrong_roundings(rule, fmt) > 0


def nearest_by_table(value, fmt, numbers):
    """Rounding by looking up the two neighbours; ``numbers``: all numbers >= 0 in order."""
    size = abs(value)
    above = bisect(numbers, size)
    code = above - 1
    if above < len(numbers):
        low, high = size - numbers[code], numbers[above] - size
        code += high < low or (high == low and code % 2 == 1)
    return code + (copysign(1, value) < 0) * (1 << (fmt.bits - 1))


def test_e4m3_against_a_table_of_all_its_numbers():
    numbers = [by_definition(code, E4M3FN) for code in range(0x7F)]
    assert numbers == sorted(numbers)
    rng = Random(1)
    values = [rng.choice((-1, 1)) * 2 ** rng.uniform(-12, 8.8) for _ in range(3000)]
    values = [value for value in values if abs(value) <= 448] + [0.0, -0.0]
    expected = [nearest_by_table(Fraction(value) if value else value, E4M3FN, numbers) for value in values]
    assert encode(values, E4M3FN).tolist() == expected


def bits_of_random_fp32(seed, count):
    rng = Random(seed)
    raw = np.array([rng.getrandbits(32) for _ in range(count)], dtype=np.uint32)
    ends = np.array([0, 1, 0x7F7FFFFF, 0x7F800000, 0x477FEFFF, 0x477FF000, 0x33000000, 0x33000001], np.uint32)
    return np.concatenate([raw, ends, ends | np.uint32(1 << 31)])


def test_bf16_against_adding_half_of_what_is_cut_off():
    # the integer trick of every BF16 library: add 0x7FFF, and 1 more if the last bit kept is odd
    bits = bits_of_random_fp32(2, 20_000).astype(np.int64)
    values = bits.astype(np.uint32).view(np.float32)
    trick = bits + 0x7FFF + (bits >> 16 & 1) >> 16
    numbers = ~np.isnan(values)
    assert np.array_equal(encode(values, BF16)[numbers], trick[numbers])
    assert (encode(values, BF16)[~numbers] == 0x7FC0).all()


@pytest.mark.parametrize(("fmt", "kind", "code_kind"), [(FP16, np.float16, np.uint16), (FP32, np.float32, np.uint32)])
def test_fp16_and_fp32_against_numpy(fmt, kind, code_kind):
    rng = Random(3)
    with np.errstate(invalid="ignore"):  # signalling NaNs among them
        values = bits_of_random_fp32(4, 10_000).view(np.float32).astype(np.float64)
    middle = np.array([rng.choice((-1, 1)) * 2 ** rng.uniform(-27, 17) for _ in range(10_000)])
    values = np.concatenate([values, middle, middle * 2.0**-120, [65519.999, 65520.0, 1e300, -1e300]])
    with np.errstate(over="ignore", under="ignore"):
        expected = values.astype(kind)
    numbers = ~np.isnan(values)
    assert np.array_equal(encode(values, fmt)[numbers], expected.view(code_kind)[numbers])
    assert np.array_equal(rounded(values, fmt), expected.astype(np.float32), equal_nan=True)


@pytest.mark.parametrize(
    ("fmt", "value", "code", "saturated"),
    [
        (E4M3FN, 464.0, 0x7E, 0x7E),  # half an ULP (16) above 448: ties to even, and 0x7E is even
        (E4M3FN, np.nextafter(464.0, inf), 0x7F, 0x7E),
        (E4M3FN, -1e9, 0xFF, 0xFE),
        (E4M3FN, inf, 0x7F, 0x7E),
        (E4M3FN, -inf, 0xFF, 0xFE),
        (FP16, np.nextafter(65520.0, 0), 0x7BFF, 0x7BFF),
        (FP16, 65520.0, 0x7C00, 0x7BFF),  # 0x7BFF is odd, so the tie goes up to infinity
        (FP16, -inf, 0xFC00, 0xFBFF),
        (BF16, 3.4028234663852886e38, 0x7F80, 0x7F7F),  # FP32's largest number
        (BF16, 1e300, 0x7F80, 0x7F7F),
        (FP32, 3.4028235677973366e38, 0x7F800000, 0x7F7FFFFF),  # half an ULP above it
    ],
)
def test_overflow_both_ways(fmt, value, code, saturated):
    assert encode(value, fmt) == code
    assert encode(value, fmt, saturate=True) == saturated


@pytest.mark.parametrize("fmt", [*FORMATS, FP32], ids=lambda fmt: fmt.name)
def test_nan_stays_nan_and_zero_keeps_its_sign(fmt):
    assert encode(nan, fmt) == encode(nan, fmt, saturate=True) == fmt.nan_code
    assert encode([0.0, -0.0, fmt.smallest / 2, -fmt.smallest / 2], fmt).tolist() == [0, 1 << (fmt.bits - 1)] * 2
    assert np.signbit(decode(1 << (fmt.bits - 1), fmt))


def test_one_rounding_is_not_two():
    # just above the middle of two BF16 numbers; by way of FP32 it falls on the middle, and then to even
    value = 1 + 2.0**-8 + 2.0**-40
    assert rounded(value, BF16) == 1 + 2.0**-7
    assert rounded(rounded(value, FP32), BF16) == 1


def test_a_format_of_the_readers_own():
    e5m2 = Format("E5M2", 5, 2, True)  # arXiv 2209.05433, table 1: 57344, 2^-16, infinities
    assert (e5m2.largest, e5m2.smallest, e5m2.largest_code, e5m2.nan_code) == (57344.0, 2.0**-16, 0x7B, 0x7E)
    assert encode([61440.0, 61439.0], e5m2).tolist() == [0x7C, 0x7B]


def test_shapes_are_kept():
    assert encode(1.0, BF16).shape == ()
    assert encode([[1.0, 2.0, 3.0]], BF16).shape == rounded(np.ones((1, 3)), BF16).shape == (1, 3)
    assert encode(np.ones((0, 4)), E4M3FN).shape == (0, 4)
    assert encode(np.arange(4), E4M3FN).tolist() == [0, 0x38, 0x40, 0x44]
    assert rounded([1.0], BF16).dtype == np.float32


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([True], "values of type bool; give real numbers"),
        (["1"], "values of type <U1"),
        ([1j], "values of type complex128"),
        ([None], "values of type object"),
        (np.zeros(MAX_VALUES + 1), "65537 values; give at most 65536"),
        ([2**53 + 2], r"a whole number beyond 2\^53 has no exact float64"),
    ],
)
def test_values_that_are_refused(values, message):
    with pytest.raises(ValueError, match="^" + message):
        encode(values, BF16)


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ([0x100], "codes from 256 to 256; a pattern of E4M3FN is from 0 to 255"),
        ([-1, 3], "codes from -1 to 3"),
        ([1.0], "1 codes of type float64; give whole numbers"),
        ([True], "1 codes of type bool"),
        (np.zeros(MAX_VALUES + 1, np.int64), "65537 codes"),
    ],
)
def test_codes_that_are_refused(codes, message):
    with pytest.raises(ValueError, match="^" + message):
        decode(codes, E4M3FN)
