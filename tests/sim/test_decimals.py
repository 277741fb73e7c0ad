import doctest
from fractions import Fraction

import pytest

import sim.decimals
from sim.decimals import decimal


def test_docstring_examples_hold():
    result = doctest.testmod(sim.decimals)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (0.1, Fraction(1, 10)),
        (17.0, Fraction(17)),
        (12.4, Fraction(124, 10)),
        (1e-7, Fraction(1, 10**7)),
        (3, Fraction(3)),
        (Fraction(2, 3), Fraction(2, 3)),
        (0, Fraction(0)),
    ],
)
def test_a_number_is_what_was_typed(value, exact):
    assert decimal("x", value, "ms", 0, 100) == exact


def test_tenths_add_up():
    one, two, three = (decimal("x", tenths, "ms", 0, 1) for tenths in (0.1, 0.2, 0.3))
    assert one + two == three  # as binary fractions they do not
    assert 0.1 + 0.2 != 0.3


@pytest.mark.parametrize("value", [True, float("nan"), float("inf"), -float("inf"), "1", None, 1j, -0.001, 100.001])
def test_anything_else_is_refused_with_its_value_and_the_range(value):
    with pytest.raises(ValueError, match=r"^x is .*; it must be a number from 0 to 100 ms$"):
        decimal("x", value, "ms", 0, 100)


def test_the_lower_end_may_be_left_out():
    assert decimal("x", 0, "", 0, 1) == 0
    with pytest.raises(ValueError, match=r"^x is 0; it must be a number greater than 0 and at most 1$"):
        decimal("x", 0, "", 0, 1, above=True)
    assert decimal("x", 1, "", 0, 1, above=True) == 1
