import doctest
from math import cos, pi
from random import Random
from statistics import fmean, median, stdev

import numpy as np
import pytest

import sim.spread
from sim.spread import MAX_RUNS, quantile, summarise, synthetic


def test_docstring_examples_hold():
    result = doctest.testmod(sim.spread)
    assert result.attempted
    assert not result.failed


def test_a_summary_agrees_with_numpys_quantiles():
    rng = Random(15)
    for _ in range(200):
        times = [rng.uniform(1, 9) for _ in range(rng.randint(1, 50))]
        told = summarise(times)
        shares = [told.p20, told.median, told.p80, told.p95, told.p99]
        assert shares == pytest.approx(np.quantile(times, [0.2, 0.5, 0.8, 0.95, 0.99]).tolist())
        assert told.median == pytest.approx(median(times))
        assert (told.runs, told.minimum, told.maximum) == (len(times), min(times), max(times))
        assert told.mean == pytest.approx(fmean(times))
        order = [told.minimum, *shares, told.maximum]
        assert order == sorted(order)


def test_quantiles_by_hand():
    times = [10.0, 20.0, 30.0, 40.0, 50.0]
    assert [quantile(times, share) for share in (0, 0.25, 0.5, 0.9, 1)] == [10, 20, 30, 46, 50]
    assert quantile([7.0], 0.3) == 7


def test_a_few_delays_move_mean_and_tail_and_neither_median_nor_minimum():
    calm, late = (summarise(synthetic(3, MAX_RUNS, drift=0.0, delay_share=share).old_us) for share in (0.0, 0.05))
    assert late.minimum == pytest.approx(calm.minimum, rel=0.005)
    assert late.median == pytest.approx(calm.median, rel=0.005)
    assert late.mean > calm.mean * 1.01  # 5 % of 30 %: about 1.5 %
    assert late.p99 > calm.p99 * 1.2


def test_the_parts_of_a_run():
    plain = synthetic(1, 120, noise=0.0, drift=0.0, delay_share=0.0, gain=0.1)
    assert set(plain.old_us) == {100.0}
    assert set(plain.new_us) == {90.0}
    drifting = synthetic(1, 120, noise=0.0, drift=0.1, delay_share=0.0, gain=0.1)
    assert list(drifting.old_us) == pytest.approx([100 + 10 * cos(2 * pi * i / 60) for i in range(120)])
    assert [a - b for a, b in zip(drifting.old_us, drifting.new_us, strict=True)] == pytest.approx([10] * 120)
    late = synthetic(1, 400, noise=0.0, drift=0.0, delay_share=1.0)
    assert set(late.old_us) == {130.0}
    noisy = synthetic(1, 400, noise=0.05, drift=0.0, delay_share=0.0)
    assert stdev(noisy.old_us) == pytest.approx(5, rel=0.1)
    assert fmean(noisy.old_us) == pytest.approx(100, abs=1)


def test_the_seed_decides_and_nothing_else():
    assert synthetic(4) == synthetic(4)
    assert synthetic(4) != synthetic(5)
    # the same noise under another gain
    small, large = synthetic(4, gain=0.0), synthetic(4, gain=0.1)
    assert small.old_us == large.old_us
    assert [a - b for a, b in zip(small.new_us, large.new_us, strict=True)] == pytest.approx([10] * 100)


def test_no_time_is_ever_negative():
    for seed in range(20):
        runs = synthetic(seed, 400, gain=0.5, noise=0.05, drift=0.15)
        assert min(runs.new_us) > 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 1.0}, "seed is 1.0"),
        ({"runs": 0}, "runs is 0; it must be a whole number from 1 to 400"),
        ({"runs": 401}, "runs is 401"),
        ({"base_us": 0}, "base_us is 0"),
        ({"gain": 0.6}, "gain is 0.6; it must be a number from -0.5 to 0.5"),
        ({"noise": -0.01}, "noise is -0.01"),
        ({"noise": 0.06}, "noise is 0.06"),
        ({"drift": float("nan")}, "drift is nan"),
        ({"delay_share": 1.1}, "delay_share is 1.1"),
        ({"delay_share": True}, "delay_share is True"),
    ],
)
def test_input_out_of_range_is_refused(change, message):
    with pytest.raises(ValueError, match="^" + message):
        synthetic(**change)


@pytest.mark.parametrize("times", [[], [0.0], [-1.0], [float("nan")], [True], ["1"], [1.0] * 401])
def test_times_out_of_range_are_refused(times):
    with pytest.raises(ValueError, match=r"^(times\[0\]|the number of times) is"):
        summarise(times)
