import doctest
from itertools import product
from statistics import median

import pytest

import sim.told_apart
from sim.spread import Runs, synthetic
from sim.told_apart import Apart, runs_needed, told_apart


def test_docstring_examples_hold():
    result = doctest.testmod(sim.told_apart)
    assert result.attempted
    assert not result.failed


def every_experiment(runs, size):
    """The shares with every experiment drawn once: every choice of pairs, every choice of old and of new runs."""
    pairs = list(zip(runs.old_us, runs.new_us, strict=True))
    paired = [median(a - b for a, b in drawn) > 0 for drawn in product(pairs, repeat=size)]
    olds = [median(drawn) for drawn in product(runs.old_us, repeat=size)]
    news = [median(drawn) for drawn in product(runs.new_us, repeat=size)]
    unpaired = [old > new for old in olds for new in news]
    return sum(paired) / len(paired), sum(unpaired) / len(unpaired)


@pytest.mark.parametrize("size", [1, 3, 5])
@pytest.mark.parametrize(
    "runs",
    [
        Runs((10.0, 20.0, 31.0), (9.0, 21.0, 30.0)),
        Runs((10.0, 20.0, 30.0), (9.0, 19.0, 29.0)),
        Runs((5.0, 5.0, 7.0, 9.0), (5.0, 4.0, 8.0, 9.5)),
    ],
)
def test_shares_against_every_experiment(runs, size):
    if len(runs.old_us) ** size > 300:
        size = 3
    (point,) = told_apart(runs, seed=2, sizes=[size], resamples=2000)
    paired, unpaired = every_experiment(runs, size)
    assert point.paired == pytest.approx(paired, abs=0.04)
    assert point.unpaired == pytest.approx(unpaired, abs=0.04)


def test_pairs_see_through_the_drift():
    points = told_apart(synthetic())
    paired, unpaired = runs_needed(points)
    assert paired is not None
    assert paired <= 15
    assert unpaired is None
    # with nothing that drifts, pairing gains little
    still = told_apart(synthetic(drift=0.0))
    assert runs_needed(still)[1] is not None


def test_pairs_are_always_right_when_nothing_but_drift_is_in_the_way():
    runs = synthetic(noise=0.0, delay_share=0.0)
    points = told_apart(runs)
    assert [point.paired for point in points] == [1.0] * len(points)
    assert all(point.unpaired < 0.95 for point in points)
    assert runs_needed(points) == (1, None)


def test_two_equal_versions_win_half_the_time():
    runs = synthetic(8, 400, gain=0.0, drift=0.0, delay_share=0.0)
    (point,) = told_apart(runs, sizes=[11], resamples=1800)
    assert 0.35 < point.unpaired < 0.65


def test_the_slower_version_is_never_called_faster_by_clean_runs():
    runs = synthetic(noise=0.0, drift=0.0, delay_share=0.0, gain=-0.1)
    assert told_apart(runs, sizes=[1, 5]) == (Apart(1, 0.0, 0.0), Apart(5, 0.0, 0.0))


def test_sizes_share_their_draws():
    runs = synthetic()
    together, alone = told_apart(runs, sizes=[3, 31]), told_apart(runs, sizes=[31])
    assert together[1] == alone[0]
    assert told_apart(runs) == told_apart(runs)
    assert told_apart(runs, seed=2) != told_apart(runs, seed=3)


def test_enough_runs_means_from_there_on():
    points = [Apart(1, 0.96, 0.1), Apart(3, 0.9, 0.2), Apart(5, 0.95, 0.3), Apart(7, 1.0, 0.99)]
    assert runs_needed(points) == (5, 7)
    assert runs_needed(points[::-1]) == (5, 7)
    assert runs_needed(points, right=0.9) == (1, 7)
    assert runs_needed(points, right=1) == (7, None)
    assert runs_needed([]) == (None, None)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((Runs((), ()),), {}, "the number of old_us is 0"),
        ((Runs((1.0,), (0.0,)),), {}, "new_us\\[0\\] is 0.0"),
        ((Runs((1.0, 2.0), (1.0,)),), {}, "2 old and 1 new runs; give as many of each, in pairs"),
        ((Runs((1.0,), (1.0,)), 1.5), {}, "seed is 1.5"),
        ((Runs((1.0,), (1.0,)),), {"sizes": []}, "the number of sizes is 0"),
        ((Runs((1.0,), (1.0,)),), {"sizes": [2]}, "a size is 2; it must be odd"),
        ((Runs((1.0,), (1.0,)),), {"sizes": [103]}, "a size is 103; it must be a whole number from 1 to 101"),
        ((Runs((1.0,), (1.0,)),), {"sizes": [101], "resamples": 201}, "resamples is 201; .* from 1 to 200"),
        ((Runs((1.0,), (1.0,)),), {"resamples": 0}, "resamples is 0"),
    ],
)
def test_input_out_of_range_is_refused(arguments, options, message):
    with pytest.raises(ValueError, match="^" + message):
        told_apart(*arguments, **options)


@pytest.mark.parametrize("right", [0, 1.1, True, float("nan")])
def test_a_share_out_of_range_is_refused(right):
    with pytest.raises(ValueError, match=r"^right is"):
        runs_needed([], right)
