import doctest

import numpy as np
import pytest

import sim.contract_card
from sim.bug_inputs import case
from sim.bug_kernels import KERNELS, run
from sim.contract_card import QUESTIONS, check, grade


def test_docstring_examples_hold():
    result = doctest.testmod(sim.contract_card)
    assert result.attempted
    assert not result.failed


def planted(kernel):
    return lambda call: run(kernel, call)


def broken(kernel, seed=0):
    return {answer.question.name for answer in check(kernel, seed) if answer.kept is False}


# Worked from the faults: the promises that each one breaks, and no other
BREAKS = {
    "correct": set(),
    "no_tail_mask": {"tails"},
    "wrong_stride": {"stride", "layout"},
    "nan_swallowed": {"nan"},
    "fully_masked_row": {"masked_row"},
    "overlapping_in_out": {"repeated_rows", "only_out"},
    "half_sum": {"accumulation"},
    "causal_offset": {"causal"},
}


@pytest.mark.parametrize("kernel", KERNELS)
def test_figure_14_2_each_fault_breaks_its_own_promises_whatever_the_seed(kernel):
    for seed in range(6):
        assert broken(planted(kernel), seed) == BREAKS[kernel]


def test_figure_14_2_every_topic_has_a_question():
    topics = {
        *("shape", "stride", "layout", "dtype", "alignment", "tails", "mask", "accumulation and rounding"),
        *("aliasing", "barriers", "streams", "graph safety", "determinism"),
    }
    assert {question.topic for question in QUESTIONS} == topics
    assert len({question.name for question in QUESTIONS}) == len(QUESTIONS)


def test_what_needs_a_gpu_stays_unknown():
    card = check(planted("correct"))
    assert [answer.question for answer in card] == list(QUESTIONS)
    assert {a.question.name for a in card if a.kept is None} == {"barriers", "streams", "graph", "random"}
    assert all((answer.kept is None) == (not answer.question.tried) for answer in card)


# Promises that no fault of the figure breaks: kernels that do, so that no question can only be answered with yes


def runs_at_least_one_row(call):
    run("correct", call)
    if not len(call.rows):
        call.out[0] = 1.0


def vector_load(call):
    """Rounds the first address down to 8 elements, 16 bytes."""
    moved = call.base // 8 * 8
    run("correct", type(call)(call.storage, moved, *strides(call), call.columns, call.rows, call.keep, call.out))


def strides(call):
    return call.row_stride, call.column_stride


def without_maximum(call):
    """e^score overflows: nothing is subtracted."""
    count, columns = len(call.rows), call.columns
    run("correct", call)
    address = call.base + call.rows[:, None] * call.row_stride + np.arange(columns) * call.column_stride
    with np.errstate(all="ignore"):
        risky = np.isinf(np.exp(call.storage[address].astype(np.float32)))
    call.out[: count * columns][risky.ravel()] = np.nan


def masks_by_adding(call):
    """0 times a hidden NaN is NaN."""
    run("correct", call)
    count, columns = len(call.rows), call.columns
    address = call.base + call.rows[:, None] * call.row_stride + np.arange(columns) * call.column_stride
    hidden = ~call.keep[: count * columns].reshape(count, columns) & np.isnan(call.storage[address])
    out = call.out[: count * columns].reshape(count, columns)
    out[hidden.any(axis=1)] = np.nan


class FlipsABit:
    """Another last bit at every other run."""

    def __init__(self):
        self.runs = 0

    def __call__(self, call):
        run("correct", call)
        self.runs += 1
        if len(call.rows):
            call.out.view(np.uint16)[0] ^= self.runs % 2


@pytest.mark.parametrize(
    ("kernel", "promise"),
    [
        (runs_at_least_one_row, "shape"),
        (vector_load, "alignment"),
        (without_maximum, "dtype"),
        (masks_by_adding, "masked_nan"),
        (FlipsABit(), "determinism"),
    ],
)
def test_every_other_promise_can_be_broken_too(kernel, promise):
    assert broken(kernel) == {promise}


def test_every_tried_promise_is_broken_by_some_kernel_of_these_tests():
    shown = set().union(*BREAKS.values(), {"shape", "alignment", "dtype", "masked_nan", "determinism"})
    assert shown == {question.name for question in QUESTIONS if question.tried}


def test_the_row_that_shows_a_sum_in_half_precision():
    # e^-8 is less than 2^-11, half a step of FP16 above 1: 31 of them vanish; the largest weight comes out as 1
    given = case([[0.0] + [-8.0] * 31])
    call = given.call()
    run("half_sum", call)
    assert call.out[0] == 1.0
    assert given.reference[0, 0] == pytest.approx(1 / (1 + 31 * np.exp(-8.0)), rel=1e-15)
    assert given.reference[0, 0] < 0.99


def test_a_readers_card_is_graded():
    card = check(planted("wrong_stride"))
    graded = grade({"stride": False, "layout": True, "nan": True, "streams": True}, card)
    assert graded == {"stride": True, "layout": False, "nan": True, "streams": None}
    assert grade({}, card) == {}


@pytest.mark.parametrize(
    ("answers", "message"),
    [({"speed": True}, "no question 'speed'"), ({"nan": 1}, "answer to nan is 1"), ({"nan": None}, "nan is None")],
)
def test_bad_answers_are_refused(answers, message):
    with pytest.raises(ValueError, match=message):
        grade(answers, check(planted("correct")))


def test_a_bad_seed_is_refused_and_an_exception_of_the_kernel_is_seen():
    with pytest.raises(ValueError, match="seed is -1"):
        check(planted("correct"), -1)
    with pytest.raises(ZeroDivisionError):
        check(lambda call: 1 // len(call.rows))
