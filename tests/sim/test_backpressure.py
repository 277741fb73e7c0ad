import csv
import doctest
import random
from itertools import pairwise
from pathlib import Path

import pytest

import sim.backpressure
from sim import pipeline
from sim.backpressure import budget, simulate

KIB = 1024


def test_docstring_examples_hold():
    result = doctest.testmod(sim.backpressure)
    assert result.attempted
    assert not result.failed


def test_figure_7_3():
    alone, two = budget(1), budget(2)
    assert alone.used_bytes == 80 * KIB == 3 * 16 * KIB + 32 * KIB
    assert alone.block_bytes == 99 * KIB
    assert alone.slots == 3
    assert two.block_bytes == 49 * KIB == 100 * KIB // 2 - 1 * KIB
    assert two.slots == 1
    assert two.used_bytes == 48 * KIB
    # three stages of 1 µs, eight items: with three slots nobody waits, with one every move but the first
    times = {"upstream_us": 1.0, "move_us": 1.0, "consume_us": 1.0}
    free, stalled = simulate(8, alone.slots, **times), simulate(8, two.slots, **times)
    assert free.total_us == 1 + 1 + 8 * 1
    assert (free.stalls("mover"), free.stalls("upstream")) == (0, 0)
    assert stalled.total_us == 1 + 8 * (1 + 1)
    assert (stalled.stalls("mover"), stalled.stalled_us("mover")) == (7, 7.0)
    # item 0 is taken at once, item 1 while item 0 moves ends; from item 2 on the mover's hands are full
    assert (stalled.stalls("upstream"), stalled.stalled_us("upstream")) == (6, 6.0)
    # one more item costs twice as much: two blocks, even if they do not slow each other, win nothing
    assert simulate(9, alone.slots, **times).total_us - free.total_us == 1
    assert simulate(9, two.slots, **times).total_us - stalled.total_us == 2


def test_trace_of_one_slot_by_hand():
    trace = simulate(3, 1, upstream_us=1, move_us=2, consume_us=4)
    assert [(s.stage, s.item, s.ready_us, s.start_us, s.end_us, s.stalled_us) for s in trace.steps] == [
        ("upstream", 0, 0, 0, 1, 0),
        ("upstream", 1, 1, 1, 2, 1),  # the mover is free at 3
        ("upstream", 2, 2, 3, 4, 5),  # the mover has moved item 1 at 9
        ("mover", 0, 1, 1, 3, 0),
        ("mover", 1, 3, 7, 9, 4),
        ("mover", 2, 9, 13, 15, 4),
        ("consumer", 0, 0, 3, 7, 0),
        ("consumer", 1, 7, 9, 13, 0),
        ("consumer", 2, 13, 15, 19, 0),
    ]
    assert [(s.state, s.item, s.start_us, s.end_us) for s in trace.slots] == [
        ("filling", 0, 1, 3), ("being read", 0, 3, 7),
        ("filling", 1, 7, 9), ("being read", 1, 9, 13),
        ("filling", 2, 13, 15), ("being read", 2, 15, 19),
    ]  # fmt: skip
    assert trace.total_us == 19


@pytest.mark.parametrize("times", [(1.0, 1.29, 0.28), (1.0, 0.28, 1.29), (2.0, 1.0, 1.0), (0.0, 1.0, 1.0)])
@pytest.mark.parametrize("slots", [1, 2, 3])
def test_closed_formula(times, slots):
    up, move, consume = times
    n = 9
    trace = simulate(n, slots, upstream_us=up, move_us=move, consume_us=consume)
    slowest = max(up, move + consume) if slots == 1 else max(times)
    assert trace.total_us == pytest.approx(up + move + consume + (n - 1) * slowest)


def test_with_an_upstream_that_costs_nothing_it_is_the_pipeline():
    for slots in (1, 2, 3):
        ours = simulate(12, slots, upstream_us=0, move_us=1.29, consume_us=2.5)
        theirs = pipeline.simulate(12, 1.29, 2.5, slots)
        assert ours.total_us == theirs.total_us
        assert ours.slots == theirs.slots


def test_slots_take_up_jitter():
    def total(slots):
        return simulate(40, slots, upstream_us=1, move_us=1, consume_us=1, jitter=0.5, seed=2)

    one, two, three = total(1), total(2), total(3)
    assert three.total_us < two.total_us < one.total_us
    assert three.stalled_us("mover") < two.stalled_us("mover") < one.stalled_us("mover")
    assert total(3) == three


def test_a_thousand_random_chains_against_the_recurrence():
    for seed in range(1000):
        draw = random.Random(seed)
        n, slots, jitter = draw.randint(1, 10), draw.randint(1, 4), draw.choice([0.0, 0.7])
        times = {f"{name}_us": draw.randint(0, 9) for name in ("upstream", "move", "consume")}
        trace = simulate(n, slots, **times, jitter=jitter, seed=seed)
        at = {(s.stage, s.item): s for s in trace.steps}
        made, taken, moved, used = [0.0], [0.0], [0.0], [0.0]  # of the item before the first
        for i in range(n):
            up, mover, consumer = (at[stage, i] for stage in ("upstream", "mover", "consumer"))
            for step, us in zip((up, mover, consumer), times.values(), strict=True):
                assert us * (1 - jitter) - 1e-9 <= step.end_us - step.start_us <= us * (1 + jitter) + 1e-9
            assert up.start_us == max(made[-1], taken[-1])
            made.append(up.end_us)
            taken.append(max(up.end_us, moved[-1]))
            assert mover.ready_us == taken[-1]
            assert up.stalled_us == taken[-1] - up.end_us
            assert mover.start_us == max(taken[-1], used[i - slots + 1] if i >= slots else 0.0)
            assert mover.stalled_us == mover.start_us - mover.ready_us
            moved.append(mover.end_us)
            assert consumer.start_us == max(used[-1], moved[-1])
            used.append(consumer.end_us)
        assert trace.total_us == used[-1]
        for a, b in pairwise(trace.slots):  # a slot does one thing at a time
            assert a.slot < b.slot or a.end_us <= b.start_us
        full = [s for s in trace.steps if s.stage == "mover" and s.stalled_us > 0]
        for step in full:  # stalled only while every slot is in use
            at_us = (step.ready_us + step.start_us) / 2
            assert len({s.slot for s in trace.slots if s.start_us <= at_us < s.end_us}) == slots


def largest_bytes(blocks, sm, reserved, limit):
    """The most that `blocks` blocks can each ask for, by trying: each takes whole units of 128 B."""
    fits = (size for size in range(limit, -1, -1) if blocks * (-(-(size + reserved) // 128) * 128) <= sm)
    return next(fits, 0)


@pytest.mark.parametrize("blocks", [1, 2, 3, 5, 7, 16, 32])
def test_what_a_block_gets_against_trying_every_size(blocks):
    assert budget(blocks).block_bytes == largest_bytes(blocks, 102_400, 1_024, 101_376)
    turing = {"sm_bytes": 65_536, "reserved_bytes": 0}
    assert budget(blocks, **turing).block_bytes == largest_bytes(blocks, *turing.values(), 65_536)


# hardware.md §2, worked case 25 (compute capability 12.0): 101,376 B a block is one block an SM
def test_the_largest_block_is_alone():
    assert budget(1).block_bytes == 101_376
    assert budget(2).block_bytes < 101_376


def blocks_by_shared(size, reserved):
    """How many blocks of so many bytes fit on an H200's SM, by `budget`."""
    h200 = {"sm_bytes": 233_472, "reserved_bytes": reserved}
    return max((n for n in range(1, 33) if budget(n, **h200).block_bytes >= size), default=0)


def test_the_readings_of_an_h200_agree_and_without_the_reserve_they_would_not():
    with (Path(__file__).parents[2] / "chapters/recorded/tables/h200" / "occupancy.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    most = {}
    for row in rows:
        size, blocks = int(row["dynamic_shared_bytes"]), int(row["blocks_per_sm"])
        most[size] = max(blocks, most.get(size, 0))
    # where any launch shape reaches what shared memory allows, the smallest shape does
    assert len(most) >= 10
    assert most == {size: blocks_by_shared(size, 1_024) for size in most}
    assert most != {size: blocks_by_shared(size, 0) for size in most}


def test_a_reorder_space_that_does_not_fit_leaves_no_slot():
    assert budget(3).slots == 0
    assert budget(3).used_bytes <= budget(3).block_bytes
    tight = budget(4)
    assert tight.slots == 0
    assert tight.used_bytes > tight.block_bytes
    assert budget(32, sm_bytes=8192).block_bytes == 0


GOOD = {"items": 4, "slots": 2, "upstream_us": 1.0, "move_us": 1.0, "consume_us": 1.0}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"items": 0}, "items is 0; it must be a whole number from 1 to 250"),
        ({"items": 251}, "items is 251"),
        ({"items": True}, "items is True"),
        ({"slots": 0}, "slots is 0; it must be a whole number from 1 to 64"),
        ({"slots": 2.0}, "slots is 2.0"),
        ({"upstream_us": -1.0}, "upstream_us is -1.0; it must be a number from 0 to 1e+09 µs"),
        ({"move_us": float("nan")}, "move_us is nan"),
        ({"consume_us": float("inf")}, "consume_us is inf"),
        ({"consume_us": False}, "consume_us is False"),
        ({"jitter": 1}, "jitter is 1; it must be a number of at least 0 and less than 1"),
        ({"jitter": "0"}, "jitter is '0'"),
    ],
)
def test_input_out_of_range_is_refused(change, message):
    with pytest.raises(ValueError, match="^" + message.replace(".", r"\.").replace("+", r"\+")):
        simulate(**GOOD | change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"blocks_per_sm": 0}, "blocks_per_sm is 0; it must be a whole number from 1 to 32"),
        ({"blocks_per_sm": 1.0}, "blocks_per_sm is 1.0"),
        ({"wanted_slots": 65}, "wanted_slots is 65; it must be a whole number from 1 to 64"),
        ({"slot_bytes": 0}, "slot_bytes is 0; it must be a whole number from 1 to 1048576"),
        ({"reorder_bytes": -1}, "reorder_bytes is -1; it must be a whole number from 0 to 1048576"),
        ({"sm_bytes": True}, "sm_bytes is True"),
        ({"sm_bytes": 2**20 + 1}, "sm_bytes is 1048577"),
        ({"reserved_bytes": float("nan")}, "reserved_bytes is nan"),
    ],
)
def test_a_budget_out_of_range_is_refused(change, message):
    with pytest.raises(ValueError, match="^" + message.replace(".", r"\.")):
        budget(**{"blocks_per_sm": 1} | change)


def test_the_limits_themselves_are_allowed():
    assert simulate(250, 64, upstream_us=0, move_us=1e9, consume_us=0).total_us == 250e9
