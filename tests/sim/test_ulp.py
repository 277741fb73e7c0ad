import doctest
from math import inf, nan

import pytest

import sim.ulp
from sim.formats import BF16, E4M3FN, FP16, FP32, decode
from sim.ulp import error_in_ulp, ulp, ulp_distance


def test_docstring_examples_hold():
    result = doctest.testmod(sim.ulp)
    assert result.attempted
    assert not result.failed


def test_one_ulp_is_the_way_to_the_next_number():
    for fmt in (E4M3FN, FP16, BF16):
        codes = range(0, fmt.largest_code, 1 if fmt.bits == 8 else 101)
        for code, (low, high) in ((code, decode([code, code + 1], fmt).tolist()) for code in codes):
            assert ulp(low, fmt) == ulp(-low, fmt) == high - low, hex(code)


def test_sums_near_2048_lie_a_power_of_two_apart():
    # 2^10 to 2^11: 2^-13; at 2^11 itself twice that
    assert ulp(1024.0) == ulp(2047.99) == 2.0**-13
    assert ulp(2048.0) == 2.0**-12
    assert ulp(1.0) == 2.0**-23
    assert ulp(0.0) == ulp(1e-45) == ulp(2.0**-127) == 2.0**-149
    assert ulp(1e300) == 2.0 ** (996 - 23)  # a real number beyond the format still has a binade


def test_errors_are_signed_and_need_not_be_whole():
    assert error_in_ulp(1 + 2.0**-23, 1 + 2.0**-24) == 0.5
    assert error_in_ulp(1.0, 1 + 2.0**-24) == -0.5
    assert error_in_ulp(1.0, 1 + 2.0**-8, BF16) == -0.5


@pytest.mark.parametrize("fmt", [E4M3FN, FP16, BF16])
def test_distance_counts_numbers_between(fmt):
    numbers = decode(range(fmt.largest_code + 1), fmt).tolist()
    assert ulp_distance(numbers[3], numbers[40], fmt) == 37
    assert ulp_distance(-numbers[3], numbers[40], fmt) == 43
    assert ulp_distance(-numbers[-1], numbers[-1], fmt) == 2 * fmt.largest_code


def test_distances_across_a_power_of_two_and_zero():
    below = 2.0 - 2.0**-23  # FP32's neighbour of 2 from below
    assert ulp_distance(below, 2.0) == ulp_distance(2.0, 2 + 2.0**-22) == 1
    assert ulp_distance(0.0, 2.0**-126) == 2**23
    assert ulp_distance(0, 1, E4M3FN) == 0x38


@pytest.mark.parametrize("value", [nan, inf, -inf])
def test_values_without_neighbours_are_refused(value):
    with pytest.raises(ValueError, match=f"^value is {value}; only a finite number"):
        ulp(value)
    with pytest.raises(ValueError, match=f"^value is {value}"):
        error_in_ulp(1.0, value)
    with pytest.raises(ValueError, match=f"^{value} is not a finite number of FP32; round it first"):
        ulp_distance(1.0, value)


@pytest.mark.parametrize(("value", "fmt"), [(1 + 2.0**-24, FP32), (449.0, E4M3FN), (1.03, BF16), (1e-9, FP16)])
def test_a_number_between_two_of_the_format_is_refused(value, fmt):
    with pytest.raises(ValueError, match=f"is not a finite number of {fmt.name}"):
        ulp_distance(value, 1.0, fmt)
