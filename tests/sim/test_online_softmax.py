import doctest
from math import e, exp, inf, isnan, log, nan

import numpy as np
import pytest

import sim.online_softmax
from sim.online_softmax import State, merge, simulate


def test_docstring_examples_hold():
    result = doctest.testmod(sim.online_softmax)
    assert result.attempted
    assert not result.failed


def softmax_mean(scores, values):
    """The ordinary way: the whole row at once, float64."""
    scores, values = np.asarray(scores, np.float64), np.asarray(values, np.float64)
    weights = np.exp(scores - scores.max())
    return float(weights @ values / weights.sum())


@pytest.mark.parametrize("block", [1, 2, 3])
def test_weights_one_two_four(block):
    # weights 1 : 2 of values 1 and 3 give 7/3; 2 : 1 give 5/3; one more of weight 4 and value 5 gives 27/7
    assert simulate([0, log(2)], [1, 3], min(block, 2)).result == pytest.approx(7 / 3, rel=1e-15)
    assert simulate([log(2), 0], [1, 3], min(block, 2)).result == pytest.approx(5 / 3, rel=1e-15)
    longer = simulate([0, log(2), log(4)], [1, 3, 5], block)
    assert longer.result == pytest.approx(27 / 7, rel=1e-15)
    # with the maximum taken out the weights are 1/4, 1/2, 1
    assert longer.state.denominator == pytest.approx(7 / 4)
    assert longer.state.numerator == pytest.approx(27 / 4)


def test_every_number_of_three_blocks():
    # by hand: the maximum grows from 0 to 1 in the second block and stays in the third
    run = simulate([0.0, -1.0, 1.0, 0.0, 1.0], [2.0, 4.0, 6.0, 8.0, 10.0], 2)
    first, second, third = run.steps
    assert [(s.start, s.stop, s.scores, s.values) for s in run.steps] == [
        (0, 2, (0.0, -1.0), (2.0, 4.0)),
        (2, 4, (1.0, 0.0), (6.0, 8.0)),
        (4, 5, (1.0,), (10.0,)),
    ]
    assert first.before == State()
    assert (first.factor, first.rescaled) == (0.0, False)  # nothing to rescale yet
    assert (first.after.maximum, first.weights) == (0.0, (1.0, pytest.approx(1 / e)))
    assert first.after.denominator == pytest.approx(1 + 1 / e)
    assert first.after.numerator == pytest.approx(2 + 4 / e)
    assert second.before == first.after
    assert (second.factor, second.rescaled) == (pytest.approx(1 / e), True)
    assert second.after.denominator == pytest.approx((1 + 1 / e) / e + 1 + 1 / e)
    assert second.after.numerator == pytest.approx((2 + 4 / e) / e + 6 + 8 / e)
    assert (third.factor, third.rescaled) == (1.0, False)
    assert third.after.denominator == pytest.approx(second.after.denominator + 1)
    assert run.state == third.after
    assert run.rescales == 1


def test_rescales_happen_only_when_the_maximum_grows():
    values = [1.0] * 5
    assert simulate([5, 4, 3, 2, 1], values, 1).rescales == 0
    assert simulate([3, 3, 3, 3, 3], values, 1).rescales == 0
    assert simulate([1, 2, 3, 4, 5], values, 1).rescales == 4
    assert simulate([1, 2, 3, 4, 5], values, 5).rescales == 0


def test_the_second_score_masked():
    for block in (1, 2):
        assert simulate([-20000.0, -inf], [1, 100], block).result == 1
    # a finite "minus a lot" in place of -inf is not a mask: it beats the score it should hide behind
    assert simulate([-20000.0, -10000.0], [1, 100], 1).result == 100


@pytest.mark.parametrize("block", [1, 2, 3, 4])
def test_a_masked_block_in_any_place_changes_nothing(block):
    seen = 2.0 / (1 + e) + 6.0 * e / (1 + e)  # scores 0 and 1, values 2 and 6
    for scores in ([-inf, -inf, 0.0, 1.0], [0.0, -inf, -inf, 1.0], [0.0, 1.0, -inf, -inf]):
        values = [{0.0: 2.0, 1.0: 6.0}.get(score, 1e9) for score in scores]
        run = simulate(scores, values, block)
        assert run.result == pytest.approx(seen)
        assert not run.state.empty
    step = simulate([-inf, 0.0], [1.0, 1.0], 1).steps[0]
    assert step.before == step.after == State()
    assert (step.factor, step.weights, step.rescaled) == (1.0, (0.0,), False)


@pytest.mark.parametrize("block", [1, 2, 3])
def test_a_row_masked_whole_gives_zero_and_says_so(block):
    run = simulate([-inf] * 3, [1.0, 2.0, 3.0], block)
    assert run.result == 0.0
    assert run.state.empty
    assert run.state == State()
    assert not simulate([0.0], [0.0], 1).state.empty  # a true zero is not an empty row


def test_naive_code_gives_nan_where_a_block_is_masked_before_anything_is_seen():
    assert isnan(simulate([-inf, 0.0], [1, 100], 1, guarded=False).result)
    assert isnan(simulate([-inf, -inf], [1, 100], 2, guarded=False).result)
    first, second = simulate([-inf, 0.0], [1, 100], 1, guarded=False).steps
    assert isnan(first.factor)
    assert isnan(second.after.denominator)
    # once something has been seen, the maximum is finite and the naive rule is right
    assert simulate([0.0, -inf], [1, 100], 1, guarded=False).result == 1
    assert simulate([-inf, 0.0], [1, 100], 2, guarded=False).result == 100


def test_scores_far_apart_neither_overflow_nor_lose_the_larger():
    assert simulate([-1e308, 1e308], [1.0, 2.0], 1).result == 2
    assert simulate([1e4, 1e4 - 1], [0.0, 1.0], 1).result == pytest.approx(1 / (1 + e))


def test_against_ordinary_softmax_for_every_block_size():
    rng = np.random.default_rng(7)
    scores, values = (rng.normal(size=37) * 20).tolist(), rng.normal(size=37).tolist()
    for block in range(1, 38):
        run = simulate(scores, values, block)
        assert run.result == pytest.approx(softmax_mean(scores, values), rel=1e-12)
        assert len(run.steps) == -(-37 // block)
        assert run.state.maximum == max(scores)


def test_merging_two_parts():
    scores, values = [0.0, 3.0, -2.0, 1.0], [1.0, 2.0, 3.0, 4.0]
    left, right = simulate(scores[:2], values[:2], 1).state, simulate(scores[2:], values[2:], 1).state
    merged = merge(left, right)
    assert merged.maximum == 3.0
    assert merged.denominator == pytest.approx(exp(-3) + 1 + exp(-5) + exp(-2))
    assert merged.output == pytest.approx(softmax_mean(scores, values))
    assert merge(left, State()) == left == merge(State(), left)
    assert merge(State(), State()) == State()


@pytest.mark.parametrize(
    ("scores", "values", "block", "message"),
    [
        ([], [], 1, "there are 0 scores; give 1 to 1024"),
        ([0.0] * 1025, [0.0] * 1025, 1, "there are 1025 scores"),
        ([0.0, 1.0], [1.0], 1, "there are 2 scores and 1 values; give one value a score"),
        ([0.0, nan], [1.0, 1.0], 1, "score 1 is nan; it must be a finite number, or -inf for a masked one"),
        ([inf], [1.0], 1, "score 0 is inf"),
        ([0.0], [nan], 1, "value 0 is nan; it must be a number from -1e[+]100 to 1e[+]100"),
        ([0.0, 0.0], [1.0, -inf], 1, "value 1 is -inf"),
        ([0.0, 0.0], [1.0, 2e100], 1, r"value 1 is 2e\+100"),
        (
            [0.0, 0.0],
            [1.0, 1.0],
            0,
            "block is 0; it must be a whole number from 1 to 2, the number of scores",
        ),
        ([0.0, 0.0], [1.0, 1.0], 3, "block is 3"),
        ([0.0, 0.0], [1.0, 1.0], 1.5, "block is 1.5"),
    ],
)
def test_input_out_of_range_is_refused(scores, values, block, message):
    with pytest.raises(ValueError, match="^" + message):
        simulate(scores, values, block)


def test_the_limits_themselves_are_allowed():
    assert simulate([0.0] * 1024, [1e100] * 1024, 1024).result == pytest.approx(1e100)
