"""Blocks on SMs against a clock that ticks, and against what must hold of any such schedule."""

import doctest
import random
from math import inf, nan

import pytest

import sim.block_scheduler
from sim.block_scheduler import MAX_BLOCKS, MAX_TRACED, Busy, Run, equal, ramp, simulate, skewed


def test_docstring_examples_hold():
    result = doctest.testmod(sim.block_scheduler)
    assert result.attempted
    assert not result.failed


def test_265_blocks_on_132_sms_of_two():
    kernel = simulate(equal(265, 10.0), 132, 2)
    assert (kernel.waves, kernel.last_wave, kernel.slots, kernel.total_us) == (2, 1, 264, 20.0)
    assert f"{kernel.busy_share:.1%}" == "50.2%"
    assert kernel.busy == (Busy(0.0, 10.0, 264), Busy(10.0, 20.0, 1))
    assert (kernel.tail_us, kernel.tail_length_us) == (10.0, 10.0)
    assert kernel.ideal_us == 2650 / 264
    assert [kernel.runs[i] for i in (0, 131, 132, 264)] == [
        Run(0, 0, 0, 0.0, 10.0),
        Run(131, 131, 0, 0.0, 10.0),
        Run(132, 0, 1, 0.0, 10.0),  # every SM has one before any has two
        Run(264, 0, 0, 10.0, 20.0),
    ]
    assert f"{simulate(equal(264, 10.0), 132, 2).busy_share:.1%}" == "100.0%"


def test_equal_blocks_run_in_waves():
    for blocks, sms, per_sm in [(1, 1, 1), (5, 2, 2), (264, 132, 2), (1000, 7, 3), (3, 8, 4)]:
        kernel = simulate(equal(blocks, 3.0), sms, per_sm)
        waves = -(-blocks // (sms * per_sm))
        assert (kernel.waves, kernel.total_us) == (waves, 3.0 * waves)
        assert kernel.busy_share == pytest.approx(blocks / (sms * per_sm * waves))
        assert [run.start_us for run in kernel.runs] == [3.0 * (i // (sms * per_sm)) for i in range(blocks)]


def ticking(durations, sms, per_sm, *, newest_first=False, fixed=False, fill_one_sm=False):
    """(sm, slot, start, end) a block, by a clock that ticks and slots that count down.

    The keywords plant wrong rules: blocks from the back of the queue, blocks dealt to slots beforehand, one SM
    filled before the next.
    """
    order = [(slot, sm) for slot in range(per_sm) for sm in range(sms)]
    if fill_one_sm:
        order.sort(key=lambda place: place[1])
    left, running = dict.fromkeys(order, 0), {}
    queue = list(enumerate(durations))
    found, now = {}, 0
    while queue or any(left.values()):
        for place in order:
            if not left[place]:
                running.pop(place, None)
                mine = [q for q in queue if not fixed or order[q[0] % len(order)] == place]
                if mine:
                    block, time = mine[-1 if newest_first else 0]
                    queue.remove((block, time))
                    left[place], running[place] = time, block
                    found[block] = (place[1], place[0], now, now + time)
        now += 1
        for place in order:
            left[place] = max(0, left[place] - 1)
    return [found[block] for block in range(len(durations))]


def programs(count):
    rng = random.Random(33)
    for _ in range(count):
        blocks, longest = rng.randint(1, 24), rng.choice((1, 3, 9))
        yield [rng.randint(1, longest) for _ in range(blocks)], rng.randint(1, 5), rng.randint(1, 3)


def test_1000_programs_go_as_by_the_clock():
    for durations, sms, per_sm in programs(1000):
        kernel = simulate([float(us) for us in durations], sms, per_sm)
        assert [(r.sm, r.slot, r.start_us, r.end_us) for r in kernel.runs] == ticking(durations, sms, per_sm)
        assert kernel.total_us == max(run.end_us for run in kernel.runs)
        # The share of ticks: what the stretches of `busy` add up to, and the blocks' own times.
        worked = sum(busy.blocks * (busy.end_us - busy.start_us) for busy in kernel.busy)
        assert worked == kernel.work_us == sum(durations)
        assert kernel.busy_share == pytest.approx(worked / (sms * per_sm * kernel.total_us))
        assert kernel.busy[0].start_us == 0
        assert kernel.busy[-1].end_us == kernel.total_us
        # Until the tail begins every slot is held, afterwards never all of them.
        for busy in kernel.busy:
            assert (busy.blocks == kernel.slots) == (busy.end_us <= kernel.tail_us)


@pytest.mark.parametrize("wrong", ["newest_first", "fixed", "fill_one_sm"])
def test_a_planted_wrong_rule_is_noticed(wrong):
    assert any(
        [(r.sm, r.slot, r.start_us, r.end_us) for r in simulate(durations, sms, per_sm).runs]
        != ticking(durations, sms, per_sm, **{wrong: True})
        for durations, sms, per_sm in programs(100)
    )


def test_replay_of_a_large_skewed_run():
    durations = skewed(MAX_TRACED, 10.0, 0.9, seed=5)
    kernel = simulate(durations, 132, 2)
    slots = {}
    for run, us in zip(kernel.runs, durations, strict=True):
        before = slots.get((run.sm, run.slot), 0.0)
        assert run.start_us == before  # as soon as the one before it in the slot ended
        assert run.end_us == run.start_us + us
        slots[run.sm, run.slot] = run.end_us
    starts = [run.start_us for run in kernel.runs]
    assert starts == sorted(starts)
    assert max(starts) <= kernel.tail_us <= kernel.total_us
    # Graham's bound for list scheduling: mean load and the longest block.
    assert kernel.total_us <= sum(durations) / 264 + max(durations)
    assert kernel.busy_share > 0.9


def test_beyond_the_trace_there_are_totals():
    long = simulate(equal(MAX_BLOCKS, 1.0), 132, 2)
    assert (long.runs, long.busy) == ((), ())
    assert (long.waves, long.total_us, long.last_wave) == (63, 63.0, 16)
    assert simulate(equal(MAX_TRACED, 1.0), 132, 2).runs
    with pytest.raises(ValueError, match="the number of blocks is 16385; it must be a whole number from 1 to 16384"):
        simulate([1.0] * (MAX_BLOCKS + 1), 132, 2)


def test_a_long_block_at_the_end_makes_a_tail_that_it_would_not_at_the_start():
    last, first = [1.0] * 7 + [4.0], [4.0] + [1.0] * 7
    assert (simulate(last, 4, 1).total_us, simulate(first, 4, 1).total_us) == (5.0, 4.0)
    causal = ramp(264 * 4, 1.0, 9.0)
    assert simulate(causal[::-1], 132, 2).total_us < simulate(causal, 132, 2).total_us


def test_times_follow_from_the_seed():
    assert skewed(50, 10.0, 0.5, seed=1) == skewed(50, 10.0, 0.5, seed=1) != skewed(50, 10.0, 0.5, seed=2)
    assert all(5.0 <= us <= 15.0 for us in skewed(500, 10.0, 0.5, seed=3))
    assert ramp(1, 2.0, 9.0) == (2.0,)
    assert ramp(5, 3.0, 1.0) == (3.0, 2.5, 2.0, 1.5, 1.0)


@pytest.mark.parametrize("us", [0.0, -1.0, nan, inf, 1.1e9, True, "1", None])
def test_refuses_what_is_no_time(us):
    with pytest.raises(ValueError, match=r"the time of block 1 is .*; it must be a number of µs greater than 0"):
        simulate([1.0, us], 1, 1)
    for call in (lambda: equal(3, us), lambda: skewed(3, us, 0.1, 1), lambda: ramp(3, us, 1.0)):
        with pytest.raises(ValueError, match=r"_us is .*; it must be a number of µs greater than 0"):
            call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simulate([], 1, 1), "the number of blocks is 0; it must be a whole number from 1 to 16384"),
        (lambda: simulate([1.0], 0, 1), "sms is 0; it must be a whole number from 1 to 1024"),
        (lambda: simulate([1.0], 1025, 1), "sms is 1025"),
        (lambda: simulate([1.0], 2.0, 1), r"sms is 2\.0"),
        (lambda: simulate([1.0], 1, 33), "blocks_per_sm is 33; it must be a whole number from 1 to 32"),
        (lambda: simulate([1.0], 1, True), "blocks_per_sm is True"),
        (lambda: equal(0, 1.0), "the number of blocks is 0"),
        (lambda: skewed(1, 1.0, 1.0, 1), r"skew is 1\.0; it must be at least 0 and less than 1"),
        (lambda: skewed(1, 1.0, nan, 1), "skew is nan"),
        (lambda: skewed(1, 1.0, "0", 1), "skew is '0'"),
        (lambda: skewed(1, 1.0, 0.5, 1.5), r"seed is 1\.5; it must be a whole number"),
        (lambda: ramp(2, 1.0, 0.0), r"last_us is 0\.0"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(ValueError, match=message):
        call()
