import doctest
from math import inf
from random import Random

import pytest

import sim.amdahl
from sim.amdahl import curve, factor_for, from_times, gain


def test_docstring_examples_hold():
    result = doctest.testmod(sim.amdahl)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize(
    ("fraction", "factor", "speedup", "limit"),
    [
        (0.5, 2, 4 / 3, 2),
        (0.9, 9, 5, 10),
        (0.95, 19, 10, 20),
        (0, 1000, 1, 1),
        (1, 7, 7, inf),
        (0.25, 1, 1, 4 / 3),
        (0.5, 0.5, 2 / 3, 2),  # half of it twice as slow
    ],
)
def test_the_law(fraction, factor, speedup, limit):
    told = gain(fraction, factor)
    assert told.speedup == pytest.approx(speedup)
    assert told.limit == pytest.approx(limit)
    assert told.saved_share == pytest.approx(1 - 1 / speedup)


def test_the_law_by_adding_up_two_stretches_of_time():
    rng = Random(1967)
    for _ in range(500):
        part, rest, factor = rng.randint(1, 99), rng.randint(0, 99), rng.randint(1, 20)
        told = gain(part / (part + rest), factor)
        assert told.speedup == pytest.approx((part + rest) / (part / factor + rest))
        assert told.speedup <= told.limit
        measured = from_times(part, part / factor, part + rest)
        assert measured.speedup == pytest.approx(told.speedup)
        assert (measured.fraction, measured.factor) == pytest.approx((part / (part + rest), factor))


def test_where_the_activation_of_one_request_sits():
    # 13.59 → 12.16 ms, 1.6 % of a request: 0.17 % at most 1.6 %
    told = from_times(11.22 + 2.37, 11.24 + 0.92, 13.59 / 0.016)
    assert f"{told.fraction:.1%} {told.factor:.2f} {told.speedup:.4f} {told.limit:.4f}" == "1.6% 1.12 1.0017 1.0163"


def test_a_curve_rises_to_the_limit_and_never_reaches_it():
    told = curve(0.4, [1, 2, 4, 100, 1e9])
    speedups = [point.speedup for point in told]
    assert speedups == sorted(speedups)
    assert speedups[0] == 1
    assert speedups[-1] < told[-1].limit == pytest.approx(5 / 3)


def test_the_factor_that_a_gain_needs():
    assert factor_for(0.5, 1.5) == 3
    assert factor_for(0.5, 2) is None  # the limit itself takes a part of no time
    assert factor_for(0.5, 1) == 1
    assert factor_for(0, 1) == 1
    assert factor_for(0, 1.01) is None
    assert factor_for(1, 8) == 8
    rng = Random(2)
    for _ in range(200):
        fraction, factor = rng.randint(1, 99) / 100, rng.randint(1, 50)
        assert factor_for(fraction, gain(fraction, factor).speedup) == pytest.approx(factor)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gain(1.1, 2), "fraction is 1.1; it must be a number from 0 to 1"),
        (lambda: gain(-0.1, 2), "fraction is -0.1"),
        (lambda: gain(True, 2), "fraction is True"),
        (lambda: gain(float("nan"), 2), "fraction is nan"),
        (lambda: gain(0.5, 0), "factor is 0; it must be a number greater than 0 and at most 1e\\+09"),
        (lambda: gain(0.5, float("inf")), "factor is inf"),
        (lambda: from_times(2, 1, 1), "whole_before_ms is 1; it must be a number from 2 to 1e\\+12 ms"),
        (lambda: from_times(0, 1, 1), "part_before_ms is 0"),
        (lambda: from_times(1, 0, 1), "part_after_ms is 0"),
        (lambda: curve(0.5, []), "the number of factors is 0"),
        (lambda: factor_for(0.5, 0.9), "speedup is 0.9; it must be a number from 1"),
    ],
)
def test_input_out_of_range_is_refused(call, message):
    with pytest.raises(ValueError, match="^" + message):
        call()
