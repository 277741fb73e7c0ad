import doctest
from itertools import product
from math import exp, inf, log, nan, tanh

import pytest

import sim.illegal_moves
from sim.formats import BF16, rounded
from sim.illegal_moves import (
    activation_before_sum,
    activation_in_readers,
    block_outputs,
    dropped_rounding,
    silu,
    smallest_inputs,
    softmax_without_statistics,
)
from sim.online_softmax import simulate as online_softmax


def test_docstring_examples_hold():
    result = doctest.testmod(sim.illegal_moves)
    assert result.attempted
    assert not result.failed


def test_figure_9_5_and_lab_4_what_each_move_changes():
    assert [(move.name, move.changes) for move in smallest_inputs()] == [
        ("activation before the sum", "result"),
        ("softmax without statistics", "result"),
        ("dropped rounding", "rounding"),
        ("activation in its readers", "nothing"),
    ]
    assert [(move.kept_operations, move.moved_operations) for move in smallest_inputs()] == [
        (1, 2),
        (1, 2),
        (1, 0),
        (1, 2),
    ]


def test_figure_9_5_activation_before_the_sum():
    move = activation_before_sum([1.0, -1.0])
    assert move.kept == 0
    assert move.moved == pytest.approx(tanh(0.5), rel=1e-15)  # σ(1) - σ(-1)
    # nothing smaller shows it: one part never does, and a zero beside it does not either
    for part in (-30.0, -1.0, -0.25, 0.0, 0.5, 7.0):
        assert activation_before_sum([part]).changes == "nothing"
        assert activation_before_sum([part, 0.0]).changes == "nothing"


def test_figure_9_5_softmax_by_blocks_without_statistics():
    one_two, two_one = [0.0, log(2)], [log(2), 0.0]
    moves = [softmax_without_statistics(scores, [1.0, 3.0], 1) for scores in (one_two, two_one)]
    assert [move.kept for move in moves] == pytest.approx([7 / 3, 5 / 3], rel=1e-15)
    assert [move.changes for move in moves] == ["result", "result"]
    # each block of one element weighs it 1, so both rows leave the same behind
    assert block_outputs(one_two, [1.0, 3.0], 1) == block_outputs(two_one, [1.0, 3.0], 1) == (1.0, 3.0)
    for scores in (one_two, two_one):
        right = online_softmax(scores, [1.0, 3.0], 1)  # the same blocks, with statistics
        assert right.result == pytest.approx(softmax_without_statistics(scores, [1.0, 3.0], 1).kept, rel=1e-15)
        assert softmax_without_statistics(scores, [1.0, 3.0], 2).changes == "nothing"  # one block
    assert softmax_without_statistics([5.0], [2.0], 1).changes == "nothing"
    assert softmax_without_statistics([0.0, 0.0], [1.0, 3.0], 1).changes == "nothing"  # equal weights
    assert softmax_without_statistics([0.0, 9.0], [3.0, 3.0], 1).changes == "nothing"  # equal values


def test_figure_9_5_a_dropped_rounding():
    move = dropped_rounding([1.0, 2.0**-8], -1.0)
    assert (move.kept, move.moved, move.kept_unrounded) == (0.0, 2.0**-8, 2.0**-8)
    # a smaller sum does not show it: one BF16 term, or two whose sum needs no more than eight bits
    for term in rounded([0.1, 1.0, 3.3, 250.0], BF16).tolist():
        assert dropped_rounding([term], -1.0).changes == "nothing"
    for bits in range(8):
        assert dropped_rounding([1.0, 2.0**-bits], -1.0).changes == "nothing"
    for a, b in product(range(1, 17), repeat=2):  # whole numbers up to 32 fit into eight bits
        assert dropped_rounding([float(a), float(b)], 1.0).changes == "nothing"


def test_a_rounding_that_fp32_makes_either_way_is_seen_in_both():
    # the sum 1 + 2^-24 is a tie in FP32 and in BF16: both give 1, so dropping the second changes nothing
    move = dropped_rounding([1.0, 2.0**-24], 0.0)
    assert (move.kept, move.moved, move.changes) == (1.0, 1.0, "nothing")
    assert move.kept_unrounded == 1 + 2.0**-24


def test_moving_the_activation_into_its_readers_only_costs():
    move = activation_in_readers([0.5, -2.0, 3.0], 96)
    assert move.kept == move.moved == pytest.approx(silu(0.5) + silu(-2.0) + silu(3.0))
    assert (move.changes, move.kept_operations, move.moved_operations) == ("nothing", 3, 288)


@pytest.mark.parametrize("x", [-1000.0, -30.0, -1.0, -1e-9, 0.0, 1e-9, 2.0, 40.0, 1000.0])
def test_silu_is_itself(x):
    assert silu(x) - silu(-x) == pytest.approx(x)  # x·(σ(x) + σ(-x)) = x
    if abs(x) < 700:
        assert silu(x) == pytest.approx(x / (1 + exp(-x)))


def test_many_parts_show_a_result_even_when_large():
    assert activation_before_sum([1000.0, 1000.0]).changes == "nothing"  # SiLU is the identity up there
    assert activation_before_sum([1000.0, -1000.0]).changes == "result"
    assert activation_before_sum([0.001] * 1024).changes == "result"
    assert dropped_rounding([0.5] * 1024, -512.0).kept == 0


@pytest.mark.parametrize("bad", [nan, inf, -inf, 1001.0])
def test_numbers_that_are_refused(bad):
    with pytest.raises(ValueError, match=r"^part 1 is .*; it must be a number from -1000 to 1000"):
        activation_before_sum([0.0, bad])
    with pytest.raises(ValueError, match=r"^score 0 is "):
        softmax_without_statistics([bad], [0.0], 1)
    with pytest.raises(ValueError, match=r"^value 0 is "):
        block_outputs([0.0], [bad], 1)
    with pytest.raises(ValueError, match=r"^term 1 is "):
        dropped_rounding([1.0, bad], 1.0)
    with pytest.raises(ValueError, match=r"^then 0 is "):
        dropped_rounding([1.0], bad)
    with pytest.raises(ValueError, match=r"^value 0 is "):
        activation_in_readers([bad], 1)


def test_other_arguments_that_are_refused():
    for move in (activation_before_sum, lambda numbers: dropped_rounding(numbers, 1.0)):
        with pytest.raises(ValueError, match=r"^0 (part|term)s given; give 1 to 1024"):
            move([])
    with pytest.raises(ValueError, match=r"^1025 parts given"):
        activation_before_sum([1.0] * 1025)
    with pytest.raises(ValueError, match=r"^1025 terms given"):
        dropped_rounding([1.0] * 1025, 1.0)
    with pytest.raises(ValueError, match=r"^there are 2 scores and 1 values; give one value a score"):
        block_outputs([0.0, 0.0], [1.0], 1)
    for block in (0, 3, 1.0, True):
        with pytest.raises(ValueError, match=r"^block is .*; it must be a whole number from 1 to 2$"):
            block_outputs([0.0, 0.0], [1.0, 1.0], block)
    for readers in (0, 1025, 2.0, True):
        with pytest.raises(ValueError, match=r"^readers is .*; it must be a whole number from 1 to 1024"):
            activation_in_readers([1.0], readers)
    with pytest.raises(ValueError, match=r"^1\.001 is not a BF16 number; round it first"):
        dropped_rounding([1.001], 1.0)
    with pytest.raises(ValueError, match=r"^0\.1 is not a BF16 number"):
        dropped_rounding([1.0], 0.1)
