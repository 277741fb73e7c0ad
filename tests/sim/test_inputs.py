import doctest
from math import inf, nan

import numpy as np
import pytest

import sim.inputs
from sim.inputs import jitter, number, positive, whole


def test_docstring_examples_hold():
    result = doctest.testmod(sim.inputs)
    assert result.attempted
    assert not result.failed


def test_the_ends_of_the_range_are_inside():
    whole("x", 1, 1, 3)
    whole("x", 3, 1, 3)
    whole("x", 10**30, 1)
    positive("x", 5e-324, "s")
    positive("x", 7, "s", most=7)


@pytest.mark.parametrize("value", [0, 4, True, 2.0, nan, "2", None])
def test_a_whole_number_of_another_kind_or_outside_is_refused(value):
    with pytest.raises(ValueError, match=r"^x is .*; it must be a whole number from 1 to 3$"):
        whole("x", value, 1, 3)
    if value != 4:
        with pytest.raises(ValueError, match=r"^x is .*; it must be a whole number ≥ 1$"):
            whole("x", value, 1)


@pytest.mark.parametrize("value", [0, -1.0, True, nan, inf, 1.1, "1", None])
def test_a_number_of_another_kind_or_outside_is_refused(value):
    with pytest.raises(ValueError, match=r"^x is .*; it must be a number of s greater than 0 and at most 1$"):
        positive("x", value, "s", most=1)


@pytest.mark.parametrize("value", [2, 2.0, 3.5, 5, 5.0, np.float64(3.0)])
def test_numbers_of_a_closed_range_are_allowed(value):
    number("x", value, 2, 5, "µs")


@pytest.mark.parametrize("value", [1.999, 5.001, -3, float("nan"), float("inf"), True, "3", None, 3j, [3]])
def test_anything_else_is_refused_with_value_and_range(value):
    with pytest.raises(ValueError, match=r"^x is ") as refused:
        number("x", value, 2, 5, "µs")
    assert str(refused.value) == f"x is {value!r}; it must be a number from 2 to 5 µs"


def test_a_range_without_a_unit():
    with pytest.raises(ValueError, match=r"^share is 2; it must be a number from 0 to 1$"):
        number("share", 2, 0, 1, "")


@pytest.mark.parametrize("value", [1, 1.0, -0.1, float("nan"), False, "0"])
def test_jitter_is_a_share_below_one(value):
    jitter(0)
    jitter(0.999)
    with pytest.raises(ValueError, match=r"^jitter is "):
        jitter(value)
