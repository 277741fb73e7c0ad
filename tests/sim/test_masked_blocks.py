import doctest
from math import e, inf, isnan, nan
from random import Random

import numpy as np
import pytest

import sim.masked_blocks
from sim.masked_blocks import compare


def test_docstring_examples_hold():
    result = doctest.testmod(sim.masked_blocks)
    assert result.attempted
    assert not result.failed


def results(row):
    return {outcome.way: outcome.result for outcome in row.outcomes}


def rights(row):
    return {outcome.way for outcome in row.outcomes if outcome.is_right}


def test_the_masked_score_must_not_hide_the_one_that_is_seen():
    for block in (1, 2):
        row = compare([-20000.0, 0.0], [1, 100], [False, True], block)
        assert row.right == 1
        assert row["guarded"].result == row["unguarded"].result == 1
        assert row["finite_fill"].result == 100
        assert isnan(row["maximum_of_all"].result)
        assert rights(row) == {"guarded", "unguarded"}
    # -30,000 would hide it, but then some score lies lower still
    assert compare([-20000.0, 0.0], [1, 100], [False, True], 1, fill=-30000.0)["finite_fill"].result == 1
    assert compare([-40000.0, 0.0], [1, 100], [False, True], 1, fill=-30000.0)["finite_fill"].result == 100


def test_a_first_block_masked_whole_is_minus_infinity_minus_minus_infinity():
    row = compare([5.0, 1.0], [1, 100], [True, False], block=1)
    assert row.right == 100
    naive = row["unguarded"]
    assert isnan(naive.steps[0].factor)
    assert all(isnan(weight) for weight in naive.steps[0].weights)
    assert naive.first_nan == 0
    assert isnan(naive.result)
    assert row["guarded"].result == 100
    assert row["guarded"].first_nan is None
    # in one block with the visible score, or after it, the same rule is right
    assert compare([5.0, 1.0], [1, 100], [True, False], block=2)["unguarded"].result == 100
    assert compare([1.0, 5.0], [100, 1], [False, True], block=1)["unguarded"].result == 100


@pytest.mark.parametrize("block", [1, 2, 3])
def test_a_row_masked_whole(block):
    row = compare([3.0, 1.0, 2.0], [1, 10, 100], [True] * 3, block)
    assert row.row_is_masked
    assert row.right == row["guarded"].result == 0
    assert isnan(row["unguarded"].result)
    assert row["finite_fill"].result == 37  # the plain mean
    assert isnan(row["maximum_of_all"].result)
    assert row["maximum_of_all"].first_nan is None  # 0/0, at the very end
    assert rights(row) == {"guarded"}


def test_without_a_mask_all_ways_agree():
    row = compare([0.0, 1.0], [2, 6], [False, False], block=1)
    assert not row.row_is_masked
    for result in results(row).values():
        assert result == pytest.approx((2 + 6 * e) / (1 + e))
    assert len(rights(row)) == 4


def test_ordinary_masks_show_no_difference():
    # scores near each other and the mask at the end, as in a causal row: all four are right
    row = compare([0.5, -0.5, 1.0, 0.0], [1, 2, 3, 4], [False, False, True, True], block=2)
    assert len(rights(row)) == 4


def numpy_says(scores, values, masked):
    scores, values, masked = np.array(scores), np.array(values), np.array(masked)
    if masked.all():
        return 0.0
    weights = np.exp(scores[~masked] - scores[~masked].max())
    return float((weights * values[~masked]).sum() / weights.sum())


def test_guarded_is_right_for_every_mask():
    random = Random(6)
    for _ in range(200):
        n = random.randint(1, 10)
        spread = random.choice([1, 100, 20000])
        scores = [random.uniform(-spread, spread) for _ in range(n)]
        values = [random.uniform(-10, 10) for _ in range(n)]
        masked = [random.random() < 0.5 for _ in range(n)]
        block = random.randint(1, n)
        row = compare(scores, values, masked, block)
        assert row.right == pytest.approx(numpy_says(scores, values, masked), rel=1e-12, abs=1e-12)
        assert row["guarded"].is_right
        # unguarded fails exactly when the first block has nothing to see
        assert row["unguarded"].is_right == (not all(masked[:block]))
        assert (row["unguarded"].first_nan == 0) == all(masked[:block])


def test_maximum_of_all_by_hand():
    # maximum 1 from the masked score: weights e^(0-1) and 0
    (step,) = compare([0.0, 1.0], [2, 6], [False, True], block=2)["maximum_of_all"].steps
    assert step.after.maximum == 1
    assert step.weights == (pytest.approx(1 / e), 0)
    assert step.after.denominator == pytest.approx(1 / e)
    assert not step.rescaled  # there was nothing yet
    same = compare([1.0, 1.0], [2, 6], [False, False], block=1)["maximum_of_all"].steps
    assert [one.rescaled for one in same] == [False, False]
    # a later block with a greater maximum rescales what there is
    *_, last = compare([0.0, 1.0, 2.0], [2, 6, 4], [False, True, False], block=1)["maximum_of_all"].steps
    assert last.factor == pytest.approx(1 / e)
    assert last.rescaled
    assert last.after.denominator == pytest.approx(e**-2 + 1)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"masked": [True]}, "there are 2 scores and 1 mask bits; give one bit a score"),
        ({"masked": [True, 1]}, "mask bit 1 is 1; it must be True for a masked score or False"),
        ({"scores": [0.0, -inf]}, "score 1 is -inf; it must be a finite number, the mask says what is left out"),
        ({"scores": [nan, 0.0]}, "score 0 is nan"),
        ({"values": [1.0]}, "there are 2 scores and 1 values; give one value a score"),
        ({"values": [1.0, nan]}, "value 1 is nan"),
        ({"block": 0}, "block is 0; it must be a whole number from 1 to 2"),
        ({"fill": -inf}, "fill is -inf; it must be a finite number"),
        ({"scores": [0.0] * 257}, "there are 257 scores; give 1 to 256"),
        ({"scores": [], "masked": []}, "there are 0 scores; give 1 to 1024"),
    ],
)
def test_bad_input_is_refused(changed, message):
    given = {"scores": [0.0, 1.0], "values": [1.0, 2.0], "masked": [False, True], "block": 1}
    with pytest.raises(ValueError, match=f"^{message}"):
        compare(**(given | changed))


def test_256_scores_are_allowed():
    assert compare([0.0] * 256, [1.0] * 256, [False] * 256, 256).right == 1


def test_a_way_that_does_not_exist_is_a_key_error():
    with pytest.raises(KeyError):
        compare([0.0], [1.0], [False], 1)["naive"]
