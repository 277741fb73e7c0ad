import doctest
from itertools import combinations
from random import Random

import pytest

import sim.buckets
from sim.buckets import best_buckets, executed_rows, sweep

GROUP = (256,) * 8 + (1536, 2048)


def test_docstring_examples_hold():
    result = doctest.testmod(sim.buckets)
    assert result.attempted
    assert not result.failed


def test_rows_of_the_example():
    assert executed_rows(GROUP) == 5632
    assert executed_rows(GROUP, (512, 2048)) == 8 * 512 + 2 * 2048 == 8192
    assert executed_rows(GROUP, (2048,)) == 10 * 2048
    assert executed_rows(GROUP, (256, 1536, 2048)) == 5632


def test_a_thousand_groups_against_every_set_of_buckets():
    rng = Random(512)
    for _ in range(1000):
        calls = [rng.randint(1, 9) for _ in range(rng.randint(1, 12))]
        sizes = sorted(set(calls))
        count = rng.randint(1, min(4, len(sizes)))
        tried = [(*chosen, sizes[-1]) for chosen in combinations(sizes[:-1], count - 1)]
        rows = {buckets: sum(min(b for b in buckets if b >= call) for call in calls) for buckets in tried}
        least = min(rows.values())
        assert best_buckets(calls, count) == min(buckets for buckets in tried if rows[buckets] == least)
        assert executed_rows(calls, best_buckets(calls, count)) == least


def test_sizes_that_no_call_has_never_help():
    rng = Random(513)
    for _ in range(200):
        calls = [rng.randint(1, 8) for _ in range(6)]
        any_sizes = [(first, max(calls)) for first in range(1, max(calls))] or [(max(calls),)]
        least = min(executed_rows(calls, buckets) for buckets in any_sizes)
        if len(set(calls)) > 1:
            assert executed_rows(calls, best_buckets(calls, 2)) == least


def test_too_few_pad_and_too_many_cost():
    calls = list(range(64, 64 * 33, 64))  # 32 sizes
    few = sweep(calls, 10)
    rows = [choice.executed_rows for choice in few]
    assert rows == sorted(rows, reverse=True)
    assert rows[-1] == sum(calls)
    assert [choice.ready_ms for choice in few] == [200.0 * count for count in range(1, 33)]
    assert [choice.memory_bytes for choice in few] == [count * (64 << 20) for count in range(1, 33)]

    def fewest(groups):
        choices = sweep(calls, groups)
        return len(min(choices, key=lambda choice: choice.total_ms).buckets)

    wanted = [fewest(groups) for groups in (0, 10, 100, 1000, 100_000)]
    assert wanted == sorted(wanted)
    assert wanted[0] == 1  # nothing to run: one program is cheapest
    assert wanted[-1] == 32  # everything to run: one a size
    assert 1 < wanted[1] < 32


def test_costs_of_a_sweep():
    choice = sweep(GROUP, 70)[1]
    assert choice.buckets == (256, 2048)
    assert choice.executed_rows == 8 * 256 + 2 * 2048
    assert choice.group_ms == pytest.approx(12.4 * 6144 / 8192)
    assert choice.total_ms == 400 + 70 * 9.3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: executed_rows([]), "the number of calls is 0"),
        (lambda: executed_rows([1] * 1001), "the number of calls is 1001"),
        (lambda: executed_rows([True]), "the rows of call 0 is True"),
        (lambda: executed_rows([3], [2]), "call 0 has 3 rows; the largest bucket holds 2"),
        (lambda: executed_rows([1], [0]), "bucket 0 is 0"),
        (lambda: executed_rows([1], [2, 2]), "bucket 1 is 2; it must be larger than the one before, 2"),
        (lambda: best_buckets([1, 2], 3), "count is 3; it must be a whole number from 1 to 2"),
        (lambda: best_buckets([1, 2], 0), "count is 0"),
        (lambda: best_buckets(range(1, 34), 2), "the number of different sizes is 33"),
        (lambda: sweep([1], -1), "groups is -1"),
        (lambda: sweep([1], 1, program_ms=float("nan")), "program_ms is nan"),
        (lambda: sweep([1], 1, ms_per_row=-1), "ms_per_row is -1"),
        (lambda: sweep([1], 1, program_bytes=1.5), "program_bytes is 1.5"),
    ],
)
def test_input_out_of_range_is_refused(call, message):
    with pytest.raises(ValueError, match="^" + message):
        call()
