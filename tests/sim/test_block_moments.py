"""Instants of a schedule against blocks counted one by one."""

import doctest
import random
from itertools import pairwise

import pytest

import sim.block_moments
from sim.block_moments import Moment, instants, moments, running
from sim.block_scheduler import MAX_TRACED, equal, simulate, skewed


def test_docstring_examples_hold():
    result = doctest.testmod(sim.block_moments)
    assert result.attempted
    assert not result.failed


def test_265_blocks_have_two_instants_and_a_lone_block_at_the_second():
    kernel = simulate(equal(265, 10.0), 132, 2)
    assert instants(kernel, 40) == (0.0, 10.0)
    assert moments(kernel, (0.0, 9.9, 10.0, 20.0)) == (
        Moment(0.0, 264, 1, 0),
        Moment(9.9, 264, 1, 0),
        Moment(10.0, 1, 0, 264),
        Moment(20.0, 0, 0, 265),
    )
    assert [(run.block, run.sm, run.slot) for run in running(kernel, 10.0)] == [(264, 0, 0)]
    assert running(kernel, 20.0) == ()


def test_waves_that_follow_without_a_gap_are_instants_of_their_own():
    kernel = simulate(equal(12, 2.0), 3, 1)
    assert len(kernel.busy) == 1
    assert instants(kernel, 40) == (0.0, 2.0, 4.0, 6.0)


def test_counts_are_those_of_blocks_looked_at_one_by_one():
    rng = random.Random(9)
    for _ in range(200):
        times = [float(rng.randint(1, 6)) for _ in range(rng.randint(1, 40))]
        kernel = simulate(times, rng.randint(1, 5), rng.randint(1, 3))
        ticks = tuple(float(t) for t in range(int(kernel.total_us) + 1))
        for moment in moments(kernel, ticks):
            now = [run for run in kernel.runs if run.start_us <= moment.at_us < run.end_us]
            assert moment.running == len(now) <= kernel.slots
            assert moment.ended == sum(run.end_us <= moment.at_us for run in kernel.runs)
            assert moment.waiting == sum(run.start_us > moment.at_us for run in kernel.runs)
            assert list(running(kernel, moment.at_us)) == now
        # Whole ticks: the instants are those at which the set differs from the tick before.
        sets = [frozenset(run.block for run in running(kernel, t)) for t in ticks[:-1]]
        assert instants(kernel, 1000) == tuple(t for t in ticks[:-1] if t == 0 or sets[int(t)] != sets[int(t) - 1])


def test_too_many_instants_become_even_ones_up_to_the_last_change():
    kernel = simulate(skewed(528, 10.0, 0.8, seed=1), 132, 2)
    shown = instants(kernel, 40)
    assert len(shown) == 40
    assert shown[0] == 0
    ends = sorted(run.end_us for run in kernel.runs)
    assert shown[-1] == ends[-2]  # from then on one block runs alone
    gaps = [b - a for a, b in pairwise(shown)]
    assert max(gaps) - min(gaps) < 1e-9
    assert moments(kernel, shown)[-1] == Moment(ends[-2], 1, 0, 527)


def test_refuses():
    kernel = simulate(equal(3, 1.0), 1, 1)
    untraced = simulate(equal(MAX_TRACED + 1, 1.0), 132, 2)
    for call, message in [
        (lambda: instants(kernel, 1), "most is 1; it must be a whole number ≥ 2"),
        (lambda: moments(kernel, (3.1,)), r"at_us is 3\.1; it must be a number from 0 to 3 µs"),
        (lambda: running(kernel, -1.0), r"at_us is -1\.0"),
        (lambda: running(kernel, float("nan")), "at_us is nan"),
        (lambda: instants(untraced, 40), "a schedule of 4097 blocks has no trace; at most 4096 are traced"),
        (lambda: moments(untraced, (0.0,)), "has no trace"),
        (lambda: running(untraced, 0.0), "has no trace"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()
