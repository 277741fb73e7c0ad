import doctest
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

import sim.dynamic_shapes
from sim.dynamic_shapes import BUCKETS, GENERAL, GROUP, SPECIALISED, Way, best, ways

FEWER = (256,) * 4 + (1536, 2048)  # lab 7: four small calls instead of eight


def test_docstring_examples_hold():
    result = doctest.testmod(sim.dynamic_shapes)
    assert result.attempted
    assert not result.failed


def test_figure_12_5_rows():
    assert len(GROUP) == 10
    general, buckets, specialised = ways()
    assert general.useful_rows == general.executed_rows == specialised.executed_rows == 5632
    assert buckets.executed_rows == 8192
    assert f"{buckets.padding:.0%}" == "45%"
    assert [(float(c.ready_ms), float(c.group_ms)) for c in ways()] == [(100, 17), (400, 12.4), (900, 6.8)]


def test_figure_12_5_rates_of_500_tflop_per_s():
    # an FFN of Qwen3-8B is three products of 4096 × 12288: 301,989,888 FLOP a row
    useful = [cost.useful_flop_per_s() for cost in ways()]
    assert [f"{rate / 500e12:.0%}" for rate in useful] == ["20%", "27%", "50%"]
    assert f"{ways()[1].executed_flop_per_s() / 500e12:.0%}" == "40%"
    assert useful[0] == pytest.approx(5632 * 3 * 2 * 4096 * 12288 / 17.0e-3)


def test_figure_12_5_after_70_groups():
    totals = [cost.total_ms(70) for cost in ways()]
    assert totals == [1290, 1268, 1376]
    assert [f"{total / 1000:.2f}" for total in totals[1:]] == ["1.27", "1.38"]


def names(costs):
    return [(groups, cost.way.name) for groups, cost in best(costs)]


def test_the_best_way_by_number_of_groups():
    # 300/4.6 = 65.2 and 500/5.6 = 89.3
    assert names(ways()) == [(0, "general"), (66, "buckets"), (90, "specialised")]


def test_lab_7_four_small_calls():
    general, buckets, specialised = costs = ways(FEWER)
    assert (general.executed_rows, buckets.executed_rows, specialised.executed_rows) == (4608, 6144, 4608)
    assert [f"{float(cost.group_ms):.2f}" for cost in costs] == ["13.91", "9.30", "5.56"]
    assert buckets.group_ms == Fraction(93, 10)  # 12.4 · 6144/8192
    # 300/(13.909 − 9.3) = 65.1 and 500/(9.3 − 5.564) = 133.8
    assert names(costs) == [(0, "general"), (66, "buckets"), (134, "specialised")]


@pytest.mark.parametrize(("calls", "from_groups"), [(GROUP, 161), (FEWER, 241)])
def test_lab_7_the_buckets_are_already_prepared(calls, from_groups):
    # 900/5.6 = 160.7 and 900/3.736 = 240.9; the general program never pays any more
    paid = (GENERAL, replace(BUCKETS, ready_ms=0.0), SPECIALISED)
    assert names(ways(calls, paid)) == [(0, "buckets"), (from_groups, "specialised")]


def test_time_follows_the_rows_executed_at_each_ways_own_rate():
    twice = ways(GROUP * 2)
    for once, double in zip(ways(), twice, strict=True):
        assert double.group_ms == 2 * once.group_ms
        assert double.useful_flop_per_s() == once.useful_flop_per_s()


def test_a_thousand_choices_by_trying_every_number_of_groups():
    rng = Random(70)
    for _ in range(1000):
        options = [
            Way(f"w{i}", rng.randint(0, 60), rng.choice([0.5, 1, 1.5, 2, 3]), rng.choice([(), (4,), (2, 4)]))
            for i in range(rng.randint(1, 4))
        ]
        calls = [rng.randint(1, 4) for _ in range(rng.randint(1, 5))]
        costs = ways(calls, options, [1, 2, 3, 4])
        steps = best(costs)
        for groups in range(0, 60, 7):
            _, chosen = max((step for step in steps if step[0] <= groups), key=lambda step: step[0])
            least = min(cost.ready_ms + groups * cost.group_ms for cost in costs)
            assert chosen.ready_ms + groups * chosen.group_ms == least
        for groups, chosen in steps[1:]:  # and not one group earlier
            before = min(cost.ready_ms + (groups - 1) * cost.group_ms for cost in costs)
            assert chosen.ready_ms + (groups - 1) * chosen.group_ms >= before
            earlier = [cost for at, cost in steps if at < groups][-1]
            assert earlier.ready_ms + (groups - 1) * earlier.group_ms == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([],), "the number of calls is 0"),
        (([0],), "the rows of call 0 is 0"),
        (([256.0],), "the rows of call 0 is 256.0"),
        (([4096],), "call 0 has 4096 rows; the largest bucket holds 2048"),
        ((GROUP, []), "the number of options is 0"),
        ((GROUP, [Way("w", -1, 1)]), "ready_ms of w is -1"),
        ((GROUP, [Way("w", 0, 0)]), "group_ms of w is 0; it must be a number greater than 0"),
        ((GROUP, [Way("w", 0, float("inf"))]), "group_ms of w is inf"),
        ((GROUP, [Way("w", True, 1)]), "ready_ms of w is True"),
        ((GROUP, [Way("w", 0, 1, (512, 256))]), "bucket 1 is 256; it must be larger than the one before, 512"),
    ],
)
def test_input_out_of_range_is_refused(arguments, message):
    with pytest.raises(ValueError, match="^" + message):
        ways(*arguments)


@pytest.mark.parametrize("groups", [-1, 1.5, True])
def test_groups_out_of_range_are_refused(groups):
    with pytest.raises(ValueError, match=r"^groups is"):
        ways()[0].total_ms(groups)
    with pytest.raises(ValueError, match=r"^the number of ways is 0"):
        best([])
