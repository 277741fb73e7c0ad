import struct
from fractions import Fraction

import pytest

hypothesis = pytest.importorskip("hypothesis")

from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from sim.formats import FP32, rounded  # noqa: E402
from sim.sum_order import atomic_sums, split_sum, sum_in_order  # noqa: E402

terms = st.lists(st.floats(-(2.0**40), 2.0**40, width=32), min_size=1, max_size=40)
whole = st.lists(st.integers(-(2**17), 2**17), min_size=1, max_size=64)


def fp32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


@given(terms, st.data())
def test_any_split_agrees_with_python_alone(row, data):
    segments = data.draw(st.integers(1, len(row)))
    parts = []
    for j in range(segments):
        total = 0.0
        for term in row[j * len(row) // segments : (j + 1) * len(row) // segments]:
            total = fp32(total + term)
        parts.append(total)
    run = split_sum(row, segments)
    assert list(run.partials) == parts
    total = 0.0
    for part in parts:
        total = fp32(total + part)
    assert run.total == total


@given(whole, st.data())
def test_splitting_keeps_the_multiset(row, data):
    """Whole numbers whose sums FP32 holds show whether every term is in exactly one segment."""
    run = split_sum(row, data.draw(st.integers(1, len(row))))
    assert run.total == run.exact == sum(row)
    assert sum(run.partials) == sum(row)
    assert set(atomic_sums(run.partials, runs=4, seed=data.draw(st.integers(0, 99)))) == {run.total}


@given(terms)
def test_each_addition_errs_by_half_an_ulp_at_most(row):
    bound, exact = Fraction(0), Fraction(0)
    for stop in range(2, len(row) + 1):
        bound += Fraction(abs(float(sum_in_order(row[:stop])))) / 2**24 + Fraction(2) ** -150
    exact = sum(map(Fraction, row))
    assert abs(Fraction(float(sum_in_order(row))) - exact) <= bound


@given(st.floats(-1e30, 1e30), st.floats(-1e30, 1e30))
def test_two_terms_commute(a, b):
    a, b = rounded([a, b], FP32).tolist()
    assert sum_in_order([a, b]) == sum_in_order([b, a])
    assert len(set(atomic_sums([a, b], runs=8, seed=0))) == 1
