from math import exp, fsum, inf

import pytest

hypothesis = pytest.importorskip("hypothesis")

from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from sim.online_softmax import State, merge, simulate  # noqa: E402

scores = st.just(-inf) | st.floats(-1e4, 1e4) | st.floats(-3, 3)
rows = st.lists(st.tuples(scores, st.floats(-1e3, 1e3)), min_size=1, max_size=24)


def ordinary(row):
    """Softmax of the whole row with correctly rounded sums; 0 if all is masked."""
    most = max(score for score, _ in row)
    if most == -inf:
        return 0.0
    weights = [exp(score - most) for score, _ in row]
    return fsum(w * v for w, (_, v) in zip(weights, row, strict=True)) / fsum(weights)


def fold(row, block=1):
    return simulate([score for score, _ in row], [value for _, value in row], block)


def near(state):
    """Equal up to rounding: numerators of values up to 1e3 may cancel, so they get an absolute room."""
    return (
        state.maximum,
        pytest.approx(state.denominator, rel=1e-12),
        pytest.approx(state.numerator, rel=1e-12, abs=1e-9),
    )


def parts(state):
    return (state.maximum, state.denominator, state.numerator)


@given(rows, st.data())
def test_any_blocks_give_ordinary_softmax(row, data):
    run = fold(row, data.draw(st.integers(1, len(row))))
    assert run.result == pytest.approx(ordinary(row), rel=1e-12, abs=1e-9)
    assert run.state.empty == all(score == -inf for score, _ in row)


@given(rows, st.data())
def test_a_factor_below_one_means_that_the_maximum_grew(row, data):
    for step in fold(row, data.draw(st.integers(1, len(row)))).steps:
        grew = step.after.maximum > step.before.maximum
        assert step.after.maximum == max(step.before.maximum, *step.scores)
        assert step.rescaled == (grew and step.before.denominator > 0)
        assert 0 <= step.factor <= 1
        assert grew or step.factor == 1
        assert step.after.empty or step.after.denominator >= 1  # the largest score weighs 1


@given(rows, rows)
def test_two_parts_merge_to_the_whole(a, b):
    merged = merge(fold(a).state, fold(b).state)
    assert parts(merged) == near(fold(a + b).state)
    assert parts(merge(fold(b).state, fold(a).state)) == near(merged)


@given(rows, rows, rows)
def test_merging_is_associative_with_the_empty_state_as_one(a, b, c):
    x, y, z = (fold(row).state for row in (a, b, c))
    assert parts(merge(merge(x, y), z)) == near(merge(x, merge(y, z)))
    assert merge(x, State()) == x == merge(State(), x)
