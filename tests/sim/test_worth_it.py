import doctest
from fractions import Fraction
from math import inf, nan
from random import Random

import pytest

import sim.worth_it
from sim.worth_it import OBJECTIONS, decide

# a path on which every question is answered with yes
GOOD = {"share": 0.5, "factor": 2.0, "calls_per_day": 1e6, "call_ms": 72.0, "engineer_days": 2.0}


def test_docstring_examples_hold():
    result = doctest.testmod(sim.worth_it)
    assert result.attempted
    assert not result.failed


def test_every_number_of_one_path_by_hand():
    # half of 72 ms twice as fast: 18 ms saved a call, a million calls: 18,000 s = 5 h a day
    # 2 days for each of 2 targets, 300 h a day: 1200 h, 240 days, too many
    path = decide(**GOOD, targets=2)
    assert [(s.question, s.value, s.threshold, s.at_most, s.yes) for s in path.steps] == [
        ("objections", 0.0, 0.0, True, True),
        ("limit", 2.0, 1.05, False, True),
        ("gain", pytest.approx(4 / 3), 1.05, False, True),
        ("effort", 4.0, 20.0, True, True),
        ("payback", 240.0, 180.0, True, False),
    ]
    assert path.ends_at == "payback"
    assert path.speedup == pytest.approx(4 / 3, rel=1e-15)
    assert path.saved_gpu_hours_per_day == 5.0
    assert path.payback_days == 240.0
    assert path.calls_per_day_needed == 1_333_334  # 240/180 million, rounded up
    # 1/1.05 of the time is left to it all: 0.5/(1/1.05 − 0.5) times as fast
    assert path.needed_factor == pytest.approx(0.5 / (1 / 1.05 - 0.5), rel=1e-12)


def test_each_question_can_end_the_path_and_none_need():
    assert decide(**GOOD).ends_at is None
    for changed, where in [
        ({"objections": ["well_mapped"]}, "objections"),
        ({"share": 0.04}, "limit"),
        ({"factor": 1.05}, "gain"),
        ({"engineer_days": 21}, "effort"),
        ({"targets": 11}, "effort"),
        ({"calls_per_day": 1e5}, "payback"),
    ]:
        path = decide(**{**GOOD, **changed})
        assert path.ends_at == where
        assert not next(step for step in path.steps if step.question == where).yes
    everything = decide(0.01, 0.5, 0, 1.0, 100, objections=OBJECTIONS)
    assert everything.ends_at == "objections"
    assert not any(step.yes for step in everything.steps)


def test_every_threshold_is_an_input():
    assert decide(**GOOD, objections=["dynamic_sparsity"], objections_allowed=1).ends_at is None
    assert decide(**GOOD, wanted_speedup=2.1).ends_at == "limit"
    assert decide(**GOOD, wanted_speedup=1.4).ends_at == "gain"
    assert decide(**GOOD, days_there_are=1.5).ends_at == "effort"
    assert decide(**GOOD, days_of_use=119.9).ends_at == "payback"
    assert decide(**GOOD, gpu_hours_per_engineer_day=451).ends_at == "payback"


def test_a_tie_is_a_yes():
    assert decide(**GOOD, days_of_use=120, days_there_are=2, wanted_speedup=1.3).ends_at is None
    # 0.1 and 1.25 as typed: 1/(0.6 + 0.4/2) = 1.25, 1/(1 − 0.2) = 1.25
    assert decide(**{**GOOD, "share": 0.4}, wanted_speedup=1.25).ends_at is None
    limit = decide(**{**GOOD, "share": 0.2}, wanted_speedup=1.25)
    assert (limit.ends_at, limit.needed_factor) == ("gain", None)  # only an endless factor reaches it
    assert decide(**{**GOOD, "engineer_days": 0.1}, targets=3, days_there_are=0.3).ends_at is None


def test_nothing_saved_is_never_paid_back():
    slower = decide(**{**GOOD, "factor": 0.5})
    assert slower.saved_gpu_hours_per_day == -10.0  # the half takes 72 ms and not 36
    assert (slower.payback_days, slower.calls_per_day_needed) == (inf, None)
    never = decide(**{**GOOD, "calls_per_day": 0})
    assert (never.payback_days, never.ends_at) == (inf, "payback")
    free = decide(**{**GOOD, "engineer_days": 0})
    assert (free.payback_days, free.calls_per_day_needed) == (0.0, 1)
    assert decide(**GOOD, days_of_use=0).calls_per_day_needed is None
    everything = decide(**{**GOOD, "share": 1})
    assert everything.steps[1].value == inf


def test_the_fewest_calls_are_the_fewest_and_the_factor_suffices():
    draw = Random(14)
    for _ in range(200):
        inputs = {
            "share": draw.randint(1, 99) / 100,
            "factor": draw.randint(11, 80) / 10,
            "call_ms": draw.randint(1, 500) / 10,
            "engineer_days": draw.randint(1, 40) / 2,
            "targets": draw.randint(1, 4),
        }
        path = decide(calls_per_day=1000, **inputs)
        fewest = path.calls_per_day_needed
        payback = [decide(calls_per_day=calls, **inputs).steps[-1].yes for calls in (fewest, fewest - 1)]
        assert payback == [True, False]
        # simulated call by call: the time before and after, in exact numbers
        f, s, ms = (Fraction(str(inputs[k])) for k in ("share", "factor", "call_ms"))
        after = ms * (1 - f) + ms * f / s
        assert path.speedup == pytest.approx(float(ms / after), rel=1e-12)
        assert path.saved_gpu_hours_per_day == pytest.approx(float(1000 * (ms - after) / 3_600_000), rel=1e-12)
        assert path.steps[2].yes == (ms / after >= Fraction(105, 100))
        if path.needed_factor is None:
            assert not path.steps[1].yes or path.steps[1].value == 1.05
        else:
            assert decide(**{**GOOD, **inputs, "factor": path.needed_factor * 1.000001}).steps[2].yes
            assert not decide(**{**GOOD, **inputs, "factor": path.needed_factor * 0.999999}).steps[2].yes


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"share": 1.1}, "share is 1.1"),
        ({"share": nan}, "is nan"),
        ({"share": True}, "is True"),
        ({"factor": 0}, "factor is 0"),
        ({"factor": inf}, "factor is inf"),
        ({"calls_per_day": -1}, "calls_per_day is -1"),
        ({"call_ms": 0}, "call_ms is 0"),
        ({"engineer_days": "3"}, "engineer_days is '3'"),
        ({"targets": 0}, "targets is 0"),
        ({"targets": 1.0}, "targets is 1.0"),
        ({"targets": 101}, "from 1 to 100"),
        ({"objections": ["taste"]}, "objection 0 is 'taste'"),
        ({"objections": ["well_mapped", "well_mapped"]}, "objection 1 is 'well_mapped'"),
        ({"objections_allowed": -1}, "objections_allowed is -1"),
        ({"wanted_speedup": 0.9}, "speedup is 0.9"),
        ({"days_there_are": -1}, "days_there_are is -1"),
        ({"days_of_use": 1e13}, "days_of_use is"),
        ({"gpu_hours_per_engineer_day": nan}, "gpu_hours_per_engineer_day is nan"),
    ],
)
def test_bad_input_is_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        decide(**{**GOOD, **changed})
