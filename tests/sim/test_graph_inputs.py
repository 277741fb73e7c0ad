import doctest
from math import exp
from random import Random

import numpy as np
import pytest

import sim.graph_inputs
from sim.graph_inputs import HOWS, compare, replay

MIB = 1 << 20


def test_docstring_examples_hold():
    result = doctest.testmod(sim.graph_inputs)
    assert result.attempted
    assert not result.failed


def test_figure_12_4():
    step = compare(0, 1792e9)
    assert step.eager_us == 40  # 20 waiting, 20 computing
    assert step.graph_us == step.graph_in_place_us == 25  # 5 preparing, 20 computing


@pytest.mark.parametrize(
    ("bandwidth", "tie_bytes", "mib"),
    [(1792e9, 13_440_000, "12.82"), (1008e9, 7_560_000, "7.21")],  # 15 µs, half of it for reading
)
def test_lab_8_tie_sizes(bandwidth, tie_bytes, mib):
    tie = compare(MIB, bandwidth).tie_bytes
    assert tie == tie_bytes
    assert f"{tie / MIB:.2f}" == mib
    assert compare(tie_bytes, bandwidth).graph_us == compare(tie_bytes, bandwidth).eager_us == 40
    assert compare(tie_bytes - 8, bandwidth).graph_us < 40 < compare(tie_bytes + 8, bandwidth).graph_us


@pytest.mark.parametrize(
    ("mib", "bandwidth", "copied", "saved"),
    [
        (2, 1792e9, "27.3", "2.3"),
        (16, 1792e9, "43.7", "18.7"),
        (2, 1008e9, "29.2", "4.2"),
        (16, 1008e9, "58.3", "33.3"),
    ],
)
def test_lab_8_a_producer_that_writes_the_buffer(mib, bandwidth, copied, saved):
    step = compare(mib * MIB, bandwidth)
    assert f"{step.graph_us:.1f}" == copied
    assert step.graph_in_place_us == 25  # at any size
    assert f"{step.graph_us - step.graph_in_place_us:.1f}" == saved
    assert step.copy_us == pytest.approx(2 * mib * MIB / bandwidth * 1e6)


def test_a_graph_that_costs_as_much_to_prepare_as_to_submit_has_no_tie():
    assert compare(0, 1e9, wait_us=5, prepare_us=5).tie_bytes is None
    assert compare(0, 1e9, wait_us=4, prepare_us=5).tie_bytes is None


def silu(values):
    return [x / (1 + exp(-x)) for x in values]


def test_a_stale_address_gives_the_old_answer():
    inputs = [[1.0, 2.0], [3.0, -4.0], [0.5, 0.0]]
    for how in HOWS:
        steps = replay(inputs, how)
        assert [step.read_at for step in steps] == [0, 0, 0]
        for values, step in zip(inputs, steps, strict=True):
            assert step.expected == pytest.approx(silu(values), rel=1e-6)
            assert step.output == pytest.approx(silu(step.read), rel=1e-6)
    copied, in_place, stale, freed = (replay(inputs, how) for how in HOWS)
    assert [step.right for step in copied] == [step.right for step in in_place] == [True] * 3
    assert [step.right for step in stale] == [step.right for step in freed] == [True, False, False]
    assert [step.output for step in stale] == [stale[0].expected] * 3  # the old answer, again and again
    assert freed[1].read == freed[2].read == (-1.0, -1.0)  # another tensor by now: neither the old answer nor the new
    assert [step.given_at for step in copied] == [step.given_at for step in stale] == [0, 1, 2]
    assert [step.given_at for step in in_place] == [0, 0, 0]


def test_the_arithmetic_is_in_fp32():
    value = 1.1
    x = np.float32(value)
    (step,) = replay([[value]], "copy")
    assert step.read == (float(x),)
    assert step.output[0] == float(np.float32(step.output[0]))
    assert replay([[-1e4]], "copy")[0].output == (0.0,)  # exp overflows; the limit is 0


def test_a_stale_address_is_right_only_by_luck():
    rng = Random(0)
    for _ in range(200):
        inputs = [[rng.uniform(-4, 4) for _ in range(3)] for _ in range(4)]
        assert all(step.right for step in replay(inputs, "copy"))
        assert not any(step.right for step in replay(inputs, "stale address")[1:])
        assert all(step.right for step in replay([inputs[0]] * 4, "stale address"))  # the same input every time


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((-1, 1e9), {}, "input_bytes is -1"),
        ((1.0, 1e9), {}, "input_bytes is 1.0"),
        ((1, 0), {}, "bandwidth_byte_per_s is 0; it must be a number greater than 0"),
        ((1, float("nan")), {}, "bandwidth_byte_per_s is nan"),
        ((1, 1e9), {"wait_us": -1}, "wait_us is -1"),
        ((1, 1e9), {"prepare_us": True}, "prepare_us is True"),
        ((1, 1e9), {"compute_us": 1e7}, "compute_us is 10000000.0"),
    ],
)
def test_input_out_of_range_is_refused(arguments, options, message):
    with pytest.raises(ValueError, match="^" + message):
        compare(*arguments, **options)


@pytest.mark.parametrize(
    ("inputs", "how", "message"),
    [
        ([[1.0]], "magic", "how is 'magic'; it must be one of copy, written in place, stale address, freed buffer"),
        ([], "copy", "the number of inputs is 0"),
        ([[]], "copy", "the length of input 0 is 0"),
        ([[1.0], [1.0, 2.0]], "copy", "input 1 has 2 numbers; it must have 1"),
        ([[float("nan")]], "copy", "input 0 holds nan; it must hold finite numbers"),
        ([[True]], "copy", "input 0 holds True"),
        ([[1e39]], "copy", "input 0 holds 1e\\+39; FP32 ends at 3.40282e\\+38"),
        ([[1.0]] * 17, "copy", "the number of inputs is 17; it must be a whole number from 1 to 16"),
    ],
)
def test_inputs_out_of_range_are_refused(inputs, how, message):
    with pytest.raises(ValueError, match="^" + message):
        replay(inputs, how)
