"""ml_dtypes, the NumPy extension that JAX and TensorFlow round with, as a second opinion; native Python only."""

import numpy as np
import pytest

ml_dtypes = pytest.importorskip("ml_dtypes")
hypothesis = pytest.importorskip("hypothesis")

from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from sim.formats import BF16, E4M3FN, FP16, MAX_VALUES, decode, encode, rounded  # noqa: E402
from sim.ulp import error_in_ulp, ulp, ulp_distance  # noqa: E402

THEIRS = {
    BF16: (ml_dtypes.bfloat16, np.uint16),
    FP16: (np.float16, np.uint16),
    E4M3FN: (ml_dtypes.float8_e4m3fn, np.uint8),
}
formats = st.sampled_from(list(THEIRS))
fp32 = st.floats(width=32)


def agree(values, fmt):
    """Bit for bit; NaN only as NaN, since its sign and payload are nobody's promise."""
    kind, code_kind = THEIRS[fmt]
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        theirs = np.asarray(values, np.float32).astype(kind)
    their_codes, ours = theirs.view(code_kind).astype(np.int64), encode(values, fmt)
    missing = np.isnan(theirs.astype(np.float32))
    return np.array_equal(ours[~missing], their_codes[~missing]) and bool(np.isnan(decode(ours, fmt)[missing]).all())


@pytest.mark.parametrize("fmt", THEIRS, ids=lambda fmt: fmt.name)
def test_every_pattern_means_the_same(fmt):
    kind, code_kind = THEIRS[fmt]
    codes = np.arange(1 << fmt.bits)
    theirs = codes.astype(code_kind).view(kind).astype(np.float32)
    assert np.array_equal(decode(codes, fmt), theirs, equal_nan=True)


@pytest.mark.parametrize("fmt", THEIRS, ids=lambda fmt: fmt.name)
def test_a_million_random_fp32_patterns_round_alike(fmt):
    rng = np.random.default_rng(5)
    for _ in range(16):
        bits = rng.integers(0, 1 << 32, MAX_VALUES, dtype=np.uint32)
        assert agree(bits.view(np.float32), fmt)


@pytest.mark.parametrize("fmt", THEIRS, ids=lambda fmt: fmt.name)
def test_random_numbers_in_range_round_alike(fmt):
    rng = np.random.default_rng(6)
    low, high = np.log2(fmt.smallest) - 2, np.log2(fmt.largest) + 1
    values = rng.choice([-1.0, 1.0], MAX_VALUES) * 2 ** rng.uniform(low, min(high, 127.9), MAX_VALUES)
    assert agree(values.astype(np.float32), fmt)
    halves = decode(encode(values, fmt), fmt) * np.float32(1 + 2.0 ** -(fmt.fraction_bits + 1))
    assert agree(halves, fmt)  # halfway between neighbours, where the significand is 1


@given(st.lists(fp32, min_size=1, max_size=8), formats)
def test_any_fp32_rounds_alike(values, fmt):
    assert agree(values, fmt)


@given(st.floats(allow_nan=False), formats)
def test_saturating_is_rounding_what_was_cut_to_the_range(value, fmt):
    cut = min(max(value, -fmt.largest), fmt.largest)
    assert encode(value, fmt, saturate=True) == encode(cut, fmt)


@given(st.floats(allow_nan=False), formats)
def test_rounding_twice_changes_nothing_and_minus_only_the_sign(value, fmt):
    once = rounded(value, fmt)
    assert np.array_equal(rounded(once, fmt), once, equal_nan=True)
    assert encode(-value, fmt) == encode(value, fmt) ^ 1 << (fmt.bits - 1)


@given(st.floats(-400, 400), st.floats(-400, 400), formats)
def test_rounding_keeps_order_and_errs_by_half_an_ulp_at_most(a, b, fmt):
    low, high = sorted((a, b))
    assert rounded(low, fmt) <= rounded(high, fmt)
    assert abs(error_in_ulp(float(rounded(a, fmt)), a, fmt)) <= 0.5
    assert float(rounded(a, fmt)) == a or ulp(a, fmt) > 0


@given(fp32.filter(np.isfinite), fp32.filter(np.isfinite), fp32.filter(np.isfinite))
def test_distances_are_distances(a, b, c):
    assert ulp_distance(a, b) == ulp_distance(b, a) >= 0
    assert (ulp_distance(a, b) == 0) == (a == b)
    if a <= b <= c:
        assert ulp_distance(a, c) == ulp_distance(a, b) + ulp_distance(b, c)
    if a < np.finfo(np.float32).max:
        assert ulp_distance(a, float(np.nextafter(np.float32(a), np.float32(np.inf)))) == 1
