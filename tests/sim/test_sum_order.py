import doctest
import struct
from fractions import Fraction
from itertools import permutations
from math import inf, nan
from random import Random

import numpy as np
import pytest

import sim.sum_order
from sim.formats import BF16, FP32, encode, rounded
from sim.sum_order import MAX_TERMS, SEED, atomic_sums, bf16_row, split_sum, squares, sum_in_order

TINY = 2.0**-24


def test_docstring_examples_hold():
    result = doctest.testmod(sim.sum_order)
    assert result.attempted
    assert not result.failed


def fp32_add(a, b):
    """One FP32 addition without NumPy: the sum of two FP32 numbers in float64, stored in four bytes.

    That rounds twice, but 53 bits are at least 2·24 + 2, so the second rounding sees enough to be right.
    """
    return struct.unpack("<f", struct.pack("<f", a + b))[0]


def by_hand(terms):
    """Left to right, one addition at a time."""
    total = terms[0]
    for term in terms[1:]:
        total = fp32_add(total, term)
    return total


def split_by_hand(terms, segments):
    n = len(terms)
    parts = [by_hand(terms[j * n // segments : (j + 1) * n // segments]) for j in range(segments)]
    return parts, by_hand(parts)


def test_figure_10_2_three_terms():
    # half an ULP of 1 is a tie and goes to even; two halves together are a whole ULP
    assert sum_in_order([1, TINY, TINY]) == 1
    assert sum_in_order([1, float(sum_in_order([TINY, TINY]))]) == 1 + 2.0**-23
    assert by_hand([1.0, TINY, TINY]) == 1
    assert by_hand([1.0, by_hand([TINY, TINY])]) == 1 + 2.0**-23


def test_every_bit_of_the_seeded_row_agrees_with_adding_by_hand():
    terms = squares(bf16_row(SEED))
    plain = terms.tolist()
    assert [term * term for term in bf16_row(SEED).tolist()] == plain  # float64 squares: FP32's are exact
    for segments in (1, 2, 3, 8, 60, 64):
        partials, total = split_by_hand(plain, segments)
        got = split_sum(terms, segments)
        assert (got.partials, got.total) == (tuple(partials), total)
        exact = sum(map(Fraction, plain))
        ulp = Fraction(1, 2**13)  # the sum is between 1024 and 2048
        assert 2**10 <= exact < 2**11
        assert got.exact == exact
        assert got.error_ulp == float((Fraction(total) - exact) / ulp)


def test_the_seeded_row_is_what_it_claims_to_be():
    row = bf16_row(SEED)
    draw = Random(SEED).random
    assert row.tolist() == rounded([draw() ** 0.5 for _ in range(4096)], BF16).tolist()
    assert np.array_equal(row, bf16_row(SEED))
    assert not np.array_equal(row, bf16_row(SEED + 1))
    assert abs(float(squares(row).mean()) - 0.5) < 0.02  # standard deviation 0.29 / sqrt(4096) = 0.0045


def test_one_long_accumulator_loses_and_short_ones_hardly():
    # the kind of effect reported for one such row: -175.2 ULP in one segment, -9.2 in eight
    for seed in range(12):
        terms = squares(bf16_row(seed))
        errors = [split_sum(terms, 1 << i).error_ulp for i in range(7)]
        assert errors[0] < -80
        assert -15 < errors[3] < -2
        assert abs(errors[6]) < 5
        assert errors[0] < errors[1] < errors[2] < errors[3]


def test_why_it_drifts_squares_of_odd_numbers_always_lose_an_eighth():
    remainders = {k % 2: {k * k % 8 for k in range(k, 256, 2)} for k in (128, 129)}
    assert remainders == {0: {0, 4}, 1: {1}}
    total, lost = 0.0, 0
    for number in bf16_row(SEED).tolist():
        after = fp32_add(total, number * number)
        if total >= 1024 and after < 2048 and number >= 0.5 and number * 2**8 % 2 == 1:
            assert after - (total + number * number) == -(2.0**-13) / 8  # float64: exact
            lost += 1
        total = after
    assert lost > 500


def test_without_the_coarse_grid_there_is_no_drift():
    errors = []
    for seed in range(12):
        draw = Random(seed).random
        errors.append(split_sum(rounded([draw() for _ in range(4096)], FP32), 1).error_ulp)
    assert abs(np.mean(errors)) < 20
    assert min(errors) < 0 < max(errors)


def test_segments_that_do_not_divide():
    terms = [float(2**i) for i in range(10)]
    run = split_sum(terms, 4)  # bounds 0, 2, 5, 7, 10
    assert run.partials == (3.0, 28.0, 96.0, 896.0)
    assert (run.total, run.exact, run.error_ulp) == (1023.0, 1023.0, 0.0)
    assert split_sum(terms, 10).partials == tuple(terms)
    assert split_sum([5.0], 1).partials == (5.0,)


def test_sums_along_the_last_axis():
    table = np.arange(24.0).reshape(2, 3, 4)
    assert np.array_equal(sum_in_order(table), table.sum(axis=-1))
    assert sum_in_order([3]).shape == ()


def test_another_order_is_another_sum():
    terms = squares(bf16_row(SEED))
    pairs = terms  # a planted wrong order: neighbours first, as a tree
    while len(pairs) > 1:
        pairs = pairs[::2] + pairs[1::2]
    assert float(pairs[0]) != by_hand(terms.tolist())
    assert float(sum_in_order(terms[::-1])) != float(sum_in_order(terms))
    assert float(sum_in_order(terms[::-1])) == by_hand(terms[::-1].tolist())


def test_atomic_order_reaches_every_permutation_and_nothing_else():
    for partials in ([1.0, TINY, TINY], [1.0, TINY, 2.0**-22, -1.0]):
        every = {by_hand(list(order)) for order in permutations(partials)}
        assert len(every) > 1
        assert set(atomic_sums(partials, runs=256, seed=1)) == every


def test_run_twice_bits_differ_or_not():
    terms = squares(bf16_row(SEED))
    partials = split_sum(terms, 64).partials
    first, second = (atomic_sums(partials, runs=16, seed=seed) for seed in (1, 2))
    assert len(set(first)) > 1  # sixteen runs of one launch: atomics in the order of arrival
    assert first != second
    assert first == atomic_sums(partials, runs=16, seed=1)  # the seed is the only chance in it
    assert split_sum(terms, 64) == split_sum(terms, 64)  # fixed order
    for few in (1, 2):  # one or two partial sums have one sum: addition commutes
        assert len(set(atomic_sums(split_sum(terms, few).partials, runs=64, seed=3))) == 1


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ([], f"terms: 0 of type float64; give 1 to {MAX_TERMS} real numbers"),
        (np.zeros(MAX_TERMS + 1), "terms: 32769 of type float64"),
        ([True, False], "terms: 2 of type bool"),
        (["1"], "terms: 1 of type <U1"),
        (1.0, "terms: 1 of type float64"),
        ([1.0, nan], r"a term is outside -2\^100 to 2\^100: nan"),
        ([1.0, -inf], r"a term is outside -2\^100 to 2\^100: -inf"),
        ([2.0**101], r"a term is outside -2\^100 to 2\^100: 2\.535"),
        ([1.0, 0.1], r".*0\.1.* is not an FP32 number; round the terms first"),
    ],
)
def test_terms_that_are_refused(terms, message):
    for add in (sum_in_order, lambda given: split_sum(given, 1), lambda given: atomic_sums(given, 1, 0)):
        with pytest.raises(ValueError, match=r"^" + message):
            add(terms)


@pytest.mark.parametrize("bad", [0, 4, -1, 1.0, True, nan, None])
def test_segments_that_are_refused(bad):
    with pytest.raises(ValueError, match=r"^segments is .*; it must be a whole number from 1 to 3$"):
        split_sum([1.0, 2.0, 3.0], bad)


def test_other_arguments_that_are_refused():
    with pytest.raises(ValueError, match=r"^terms have shape \(1, 2\); give one row"):
        split_sum([[1.0, 2.0]], 1)
    with pytest.raises(ValueError, match=r"^partial sums have shape \(1, 2\)"):
        atomic_sums([[1.0, 2.0]], 1, 0)
    for runs in (0, 257, 1.0, True):
        with pytest.raises(ValueError, match=r"^runs is .*; it must be a whole number from 1 to 256"):
            atomic_sums([1.0], runs, 0)
    with pytest.raises(ValueError, match=r"^runs is 9; it must be a whole number from 1 to 8"):
        atomic_sums([1.0] * 4096, 9, 0)
    for seed in (-1, 1.5, True, None):
        with pytest.raises(ValueError, match=r"^seed is .*; it must be a whole number from 0"):
            bf16_row(seed)
        with pytest.raises(ValueError, match=r"^seed is "):
            atomic_sums([1.0], 1, seed)
    for width in (0, MAX_TERMS + 1, 4096.0):
        with pytest.raises(ValueError, match=r"^width is .*; it must be a whole number from 1 to 32768"):
            bf16_row(0, width)
    for row in ([1 + 2.0**-8], [2.0**51]):
        with pytest.raises(ValueError, match=r"^a number of the row is not a BF16 number"):
            squares(row)


def test_the_largest_terms_stay_finite():
    assert np.isfinite(sum_in_order(np.full(MAX_TERMS, 2.0**100)))
    assert squares([2.0**50]) == 2.0**100
    assert encode(sum_in_order([-(2.0**100)] * 3), FP32) == encode(-3 * 2.0**100, FP32)
