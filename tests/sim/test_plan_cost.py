import doctest
from random import Random

import pytest

import sim.plan_cost
from sim.plan_cost import count, split


def test_docstring_examples_hold():
    result = doctest.testmod(sim.plan_cost)
    assert result.attempted
    assert not result.failed


def test_figure_12_7_counts():
    every, once = count(36, once=False), count(36, once=True)
    assert (every.prepares, once.prepares) == (36, 1)
    assert (every.copies, once.copies) == (144, 4)
    assert every.runs == once.runs == 36  # the kernels do not change


@pytest.mark.parametrize(
    ("every_ms", "once_ms", "plan_us", "run_us", "saved", "speedup"),
    [(2.0, 0.72, "36.6", "19.0", "1.28", "2.8"), (2.4, 0.75, "47.1", "19.5", "1.65", "3.2")],  # reported totals
)
def test_what_follows_from_the_reported_totals(every_ms, once_ms, plan_us, run_us, saved, speedup):
    told = split(36, every_ms, once_ms)
    assert (f"{1000 * told.plan_ms:.1f}", f"{1000 * told.run_ms:.1f}") == (plan_us, run_us)
    assert (f"{told.saved_ms:.2f}", f"{told.speedup:.1f}") == (saved, speedup)
    assert 36 * (told.plan_ms + told.run_ms) == pytest.approx(every_ms)
    assert told.plan_ms + 36 * told.run_ms == pytest.approx(once_ms)
    assert told.saved_ms == pytest.approx(35 * told.plan_ms)  # 35 plans fewer


def test_plan_and_run_come_back_from_their_totals():
    rng = Random(36)
    for _ in range(500):
        layers, plan, run = rng.randint(2, 80), rng.randint(0, 99), rng.randint(1, 99)
        told = split(layers, layers * (plan + run), plan + layers * run)
        assert (told.plan_ms, told.run_ms) == (plan, run)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 1, 1), "layers is 1; it must be a whole number from 2 to 1000"),
        ((36, 0, 1), "every_layer_ms is 0; it must be a number greater than 0"),
        ((36, 1, float("nan")), "once_ms is nan"),
        ((36, True, 1), "every_layer_ms is True"),
        ((36, 0.5, 0.72), "every_layer_ms is 0.5; with 36 layers it must be from once_ms, 0.72, to 25.92"),
        ((36, 26, 0.72), "every_layer_ms is 26; with 36 layers"),
    ],
)
def test_totals_out_of_range_are_refused(arguments, message):
    with pytest.raises(ValueError, match="^" + message):
        split(*arguments)


@pytest.mark.parametrize(
    ("layers", "options"),
    [(0, {"once": True}), (True, {"once": True}), (36, {"once": 1}), (36, {"once": True, "copies_per_plan": -1})],
)
def test_counts_out_of_range_are_refused(layers, options):
    with pytest.raises(ValueError, match=r"^(layers|once|copies_per_plan) is"):
        count(layers, **options)
