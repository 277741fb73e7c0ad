"""One scheduler against a clock that ticks, the closed formula, and dependent multiply-adds."""

import doctest
import random
from itertools import pairwise
from math import nan

import pytest

import sim.latency_hiding
from sim.latency_hiding import MAX_CYCLES, knee, period, simulate, steady_share


def test_docstring_examples_hold():
    result = doctest.testmod(sim.latency_hiding)
    assert result.attempted
    assert not result.failed


def test_dependent_multiply_adds_need_four_warps_a_scheduler_and_16_an_sm():
    assert knee(1, 4) == 4
    assert 4 * knee(1, 4) == 16
    shares = [simulate(warps, 1, 4, 400).busy_share for warps in (1, 2, 3, 4, 5, 16)]
    assert shares == [0.25, 0.5, 0.75, 1.0, 1.0, 1.0]


def ticking(warps, issue, latency, cycles, *, newest_first=False, greedy=False):
    """(warp, first, last + 1) a turn, cycle by cycle. The keywords plant wrong rules: the warp that became ready
    last goes first; the warp that issued last goes on whenever it can."""
    ready_at = dict.fromkeys(range(warps), 0)
    turns, current, left = [], None, 0
    for now in range(cycles):
        if not left:
            ready = [w for w in range(warps) if ready_at[w] <= now]
            if not ready:
                continue
            key = (lambda w: (-ready_at[w], w)) if newest_first else (lambda w: (ready_at[w], w))
            last = turns[-1][0] if turns else None
            current = last if greedy and last in ready else min(ready, key=key)
            left = issue
            turns.append([current, now, now])
        turns[-1][2] += 1
        left -= 1
        ready_at[current] = now + latency
    return [tuple(turn) for turn in turns]


def programs(count):
    rng = random.Random(35)
    for _ in range(count):
        yield rng.randint(1, 9), rng.randint(1, 5), rng.randint(1, 20), rng.randint(1, 60)


def turns(timeline):
    return [(issue.warp, issue.start, issue.end) for issue in timeline.issues]


def test_1000_programs_go_as_by_the_clock():
    for program in programs(1000):
        timeline = simulate(*program)
        assert turns(timeline) == ticking(*program)
        assert timeline.busy_cycles == sum(end - start for _, start, end in ticking(*program))


@pytest.mark.parametrize("wrong", ["newest_first", "greedy"])
def test_a_planted_wrong_rule_is_noticed(wrong):
    assert any(turns(simulate(*program)) != ticking(*program, **{wrong: True}) for program in programs(300))


def test_in_whole_periods_the_busy_share_is_the_closed_formula():
    rng = random.Random(36)
    for _ in range(300):
        warps, issue, latency = rng.randint(1, 64), rng.randint(1, 8), rng.randint(1, 300)
        timeline = simulate(warps, issue, latency, 3 * period(issue, latency))
        assert timeline.busy_share == pytest.approx(steady_share(warps, issue, latency))
        assert (steady_share(warps, issue, latency) == 1) == (warps >= knee(issue, latency))


def test_jitter_replays():
    """Nothing overlaps, and every start is the later of: the scheduler free, the warp ready."""
    for seed in range(30):
        timeline = simulate(6, 2, 10, 400, jitter=0.5, seed=seed)
        free, ready, waits = 0, dict.fromkeys(range(6), 0), set()
        for i, issue in enumerate(timeline.issues):
            assert issue.start == max(free, issue.ready)
            before = ready[issue.warp]
            if before:
                waits.add(issue.ready - before)
            assert issue.ready == 0 or 5 <= issue.ready - before <= 15
            # No warp that issues later had been ready longer.
            assert all((issue.ready, issue.warp) <= (x.ready, x.warp) or x.ready > issue.start
                       for x in timeline.issues[i + 1 :])  # fmt: skip
            free = issue.start + 2
            ready[issue.warp] = free - 1
        assert len(waits) > 5
    assert simulate(6, 2, 10, 400, jitter=0.5, seed=1) == simulate(6, 2, 10, 400, jitter=0.5, seed=1)
    assert turns(simulate(6, 2, 10, 400, jitter=0.5, seed=1)) != turns(simulate(6, 2, 10, 400, jitter=0.5, seed=2))
    # A warp's latencies do not depend on how many others there are: alone, warp 0 never queues.
    alone = simulate(1, 1, 50, 2000, jitter=0.5, seed=7).issues
    pair = [issue for issue in simulate(2, 1, 50, 2000, jitter=0.5, seed=7).issues if issue.warp == 0]

    def gaps(issues):
        return [b.ready - a.start for a, b in pairwise(issues[:31])]

    assert gaps(alone) == gaps(pair)


def test_more_warps_never_make_it_less_busy():
    for issue, latency in [(1, 20), (3, 17), (4, 1)]:
        shares = [simulate(warps, issue, latency, 200).busy_share for warps in range(1, 33)]
        assert shares == sorted(shares)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 1, 4, 10), "warps is 0; it must be a whole number from 1 to 64"),
        ((65, 1, 4, 10), "warps is 65"),
        ((1, 0, 4, 10), "issue_cycles is 0; it must be a whole number from 1 to 64"),
        ((1, 1.0, 4, 10), r"issue_cycles is 1\.0"),
        ((1, 1, 0, 10), "latency_cycles is 0; it must be a whole number from 1 to 4096"),
        ((1, 1, True, 10), "latency_cycles is True"),
        ((1, 1, 4, 0), "cycles is 0; it must be a whole number from 1 to 4096"),
        ((1, 1, 4, MAX_CYCLES + 1), "cycles is 4097"),
    ],
)
def test_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        simulate(*arguments)


@pytest.mark.parametrize(
    ("jitter", "seed"), [(1.0, 0), (-0.1, 0), (nan, 0), (True, 0), ("0", 0), (0.5, -1), (0.5, 1.0)]
)
def test_refuses_jitter_and_seed(jitter, seed):
    with pytest.raises(ValueError, match=r"(jitter|seed) is .*; it must be"):
        simulate(1, 1, 4, 10, jitter=jitter, seed=seed)


def test_the_formula_refuses_what_the_simulation_refuses():
    for call in (lambda: steady_share(0, 1, 4), lambda: knee(0, 4), lambda: period(1, 5000)):
        with pytest.raises(ValueError, match="it must be a whole number from 1 to"):
            call()
