import doctest
from itertools import product
from math import comb
from random import Random
from statistics import median

import pytest

import sim.paired
from sim.paired import SEED, Pair, compare, middle_95, resample, sign_test, synthetic


def test_docstring_examples_hold():
    result = doctest.testmod(sim.paired)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize("seed", range(50))
def test_every_seed_gives_eleven_pairs_nine_faster_and_a_median_of_1_3_ms(seed):
    pairs = synthetic(seed)
    differences = sorted(pair.old_us - pair.new_us for pair in pairs)
    assert len(pairs) == 11
    assert sum(difference > 0 for difference in differences) == 9
    assert differences[5] == 1300
    told = compare(pairs)
    assert f"{told.median_of_differences_us / 1000:.1f} ms, {told.faster} of {told.pairs}" == "1.3 ms, 9 of 11"


def test_the_printed_seed_and_lab_9():
    assert SEED == 13
    pairs = synthetic()
    assert sorted(pair.difference_us for pair in pairs)[5] == 1300  # the sixth of eleven, sorted by hand
    told = compare(pairs)
    # the medians of old and new runs are those of other pairs: here their difference is a fifth of the paired one
    olds, news = sorted(pair.old_us for pair in pairs), sorted(pair.new_us for pair in pairs)
    assert told.difference_of_medians_us == olds[5] - news[5] == 240


def test_the_same_seed_gives_the_same_pairs_and_another_other_ones():
    assert synthetic(4) == synthetic(4)
    assert synthetic(4) != synthetic(5)


def test_drift_moves_the_runs_and_not_the_differences():
    still, moving = synthetic(7, drift_us=0), synthetic(7, drift_us=50_000)
    assert [pair.difference_us for pair in still] == [pair.difference_us for pair in moving]
    assert len({pair.old_us for pair in still}) == 1
    # without drift both ways agree
    assert compare(still).difference_of_medians_us == compare(still).median_of_differences_us == 1300


def test_the_sign_test_by_throwing_every_coin():
    for pairs in range(8):
        throws = [sum(coins) for coins in product((0, 1), repeat=pairs)]
        for faster in range(pairs + 1):
            assert sign_test(faster, pairs) == sum(heads >= faster for heads in throws) / len(throws)
    assert sign_test(9, 11) == (55 + 11 + 1) / 2048
    assert f"{sign_test(9, 11):.1%}" == "3.3%"


def test_pairs_that_tie_count_for_nobody():
    told = compare([Pair(5, 5), Pair(7, 6), Pair(9, 8)])
    assert (told.faster, told.sign_test) == (2, 0.25)


def chance_of_median(n, rank):
    """That the median of n draws with repetition from n different values is the one of that rank (0 is least)."""

    def at_most(share):  # more than half of the draws at most so high
        return sum(comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(n // 2 + 1, n + 1))

    return at_most((rank + 1) / n) - at_most(rank / n)


def test_resampled_medians_fall_as_the_binomial_says():
    pairs = synthetic(3)
    told = resample(pairs, seed=5, resamples=2000)
    differences = sorted(pair.difference_us for pair in pairs)
    for rank, difference in enumerate(differences):
        expected = chance_of_median(11, rank)
        assert told.medians_of_differences_us.count(difference) / 2000 == pytest.approx(expected, abs=0.03)
    assert sum(chance_of_median(11, rank) for rank in range(11)) == pytest.approx(1)


def test_resamples_one_by_one():
    pairs = synthetic(2)
    told = resample(pairs, seed=9, resamples=30)
    draw = Random(9)
    for paired, unpaired in zip(told.medians_of_differences_us, told.differences_of_medians_us, strict=True):
        drawn = draw.choices(pairs, k=11)
        assert paired == median(pair.old_us - pair.new_us for pair in drawn)
        assert unpaired == median(pair.old_us for pair in drawn) - median(pair.new_us for pair in drawn)
    assert resample(pairs, 9, 30) == told
    assert resample(pairs, 10, 30) != told


def test_on_the_printed_pairs_only_the_paired_interval_leaves_out_zero():
    told = resample(synthetic(), seed=1)
    assert 0 < told.paired_interval_us[0] < 1300 < told.paired_interval_us[1]
    assert told.unpaired_interval_us[0] < 0 < told.unpaired_interval_us[1]


def test_the_middle_95_percent():
    assert middle_95(range(200)) == (5, 194)
    assert middle_95([3.0]) == (3, 3)
    assert middle_95([5, 1, 4, 2, 3]) == (1, 5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 1.5}, "seed is 1.5"),
        ({"seed": True}, "seed is True"),
        ({"pairs": 10}, "pairs is 10; it must be odd, so that one of them is the median"),
        ({"pairs": 1}, "pairs is 1; it must be a whole number from 3 to 99"),
        ({"faster": 5}, "faster is 5; it must be a whole number from 6 to 11"),
        ({"faster": 12}, "faster is 12"),
        ({"median_us": 1}, "median_us is 1"),
        ({"median_us": 1.3}, "median_us is 1.3"),
        ({"drift_us": -1}, "drift_us is -1"),
        ({"base_us": 8000}, "base_us is 8000; it must be a whole number from 8600"),
    ],
)
def test_input_out_of_range_is_refused(change, message):
    with pytest.raises(ValueError, match="^" + message):
        synthetic(**change)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: compare([]), "the number of pairs is 0; it must be a whole number from 1 to 99"),
        (lambda: compare([Pair(1, 2.5)]), "new_us of pair 0 is 2.5"),
        (lambda: compare([Pair(-1, 2)]), "old_us of pair 0 is -1"),
        (lambda: resample([Pair(1, 2)], 1, 0), "resamples is 0"),
        (lambda: resample([Pair(1, 2)] * 99, 1, 223), "resamples is 223; it must be a whole number from 1 to 222"),
        (lambda: resample([Pair(1, 2)], 1.0), "seed is 1.0"),
        (lambda: sign_test(3, 2), "faster is 3"),
    ],
)
def test_pairs_out_of_range_are_refused(call, message):
    with pytest.raises(ValueError, match="^" + message):
        call()
