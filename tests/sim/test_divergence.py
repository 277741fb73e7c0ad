"""Issue slots against the cost rule and a second simulator, which runs lanes one instruction at a time."""

import random

import pytest

from sim.divergence import Phase, loop, simulate


def naive(programs):
    """(slots, lane slots): at each slot the earliest instruction that any lane waits for is issued."""
    counters = [0] * len(programs)
    slots = lane_slots = 0
    while waiting := [p[at] for p, at in zip(programs, counters, strict=True) if at < len(p)]:
        issued = min(waiting)
        for lane, program in enumerate(programs):
            if counters[lane] < len(program) and program[counters[lane]] == issued:
                counters[lane] += 1
                lane_slots += 1
        slots += 1
    return slots, lane_slots


def branch_programs(paths, lengths, common):
    return [
        [(-1, k) for k in range(common)] + [(path, k) for k in range(lengths[path])] if path >= 0 else []
        for path in paths
    ]


@pytest.mark.parametrize("levels", range(6))
def test_nested_two_way_splits_of_equal_length(levels):
    # 100, 50, 25, 12.5, 6.25, 3.125 %
    trace = simulate([lane % 2**levels for lane in range(32)], [7] * 2**levels)
    assert trace.efficiency == (1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125)[levels]
    assert trace.issue_slots == 7 * 2**levels
    assert trace.paths_taken == 2**levels


@pytest.mark.parametrize("k", range(1, 32))
def test_prologue_and_two_paths(k):
    prologue, a, b = 5, 11, 3
    trace = simulate([0] * k + [1] * (32 - k), [a, b], common=prologue)
    assert trace.issue_slots == prologue + a + b
    assert trace.lane_slots == 32 * prologue + k * a + (32 - k) * b
    assert trace.efficiency == trace.lane_slots / (32 * trace.issue_slots)


@pytest.mark.parametrize("path", [0, 1])
def test_a_path_that_no_lane_takes_costs_nothing(path):
    trace = simulate([path] * 32, [11, 3], common=5)
    assert (trace.issue_slots, trace.efficiency, trace.paths_taken) == (5 + (11, 3)[path], 1.0, 1)


def test_a_branch_that_differs_between_warps_costs_nothing():
    warps = [simulate([warp % 2] * 32, [10, 10]) for warp in range(8)]
    mixed = [simulate([lane % 2 for lane in range(32)], [10, 10]) for _ in range(8)]
    assert sum(trace.issue_slots for trace in warps) == 80
    assert sum(trace.issue_slots for trace in mixed) == 160
    assert {trace.efficiency for trace in warps} == {1.0}
    assert sum(trace.lane_slots for trace in warps) == sum(trace.lane_slots for trace in mixed)


def test_one_lane_alone_costs_as_much_as_half_the_warp():
    alone = simulate([0] + [1] * 31, [10, 10])
    assert alone.issue_slots == simulate([0] * 16 + [1] * 16, [10, 10]).issue_slots == 20
    assert alone.phases == (Phase(0, 0x1, 1, 10), Phase(1, 0xFFFFFFFE, 11, 10))


def test_phases_in_order_with_masks():
    trace = simulate([lane % 4 for lane in range(32)], [3, 0, 2, 1], common=4)
    assert [(p.path, p.mask, p.first_slot, p.length) for p in trace.phases] == [
        (None, 0xFFFFFFFF, 1, 4),
        (0, 0x11111111, 5, 3),
        (2, 0x44444444, 8, 2),
        (3, 0x88888888, 10, 1),
    ]
    assert trace.phases[1].lanes == (0, 4, 8, 12, 16, 20, 24, 28)
    assert trace.paths_taken == 4  # the empty path is taken too: it is an if without else
    assert [trace.phase_at(slot).path for slot in range(1, 11)] == [None] * 4 + [0] * 3 + [2] * 2 + [3]


def test_inactive_lanes_use_no_slot_but_still_count_in_the_32():
    # The last warp of 100 threads: 4 lanes.
    trace = simulate([0, 0, 1, 1] + [-1] * 28, [10, 10], common=10)
    assert (trace.issue_slots, trace.lane_slots) == (30, 4 * 10 + 2 * 10 + 2 * 10)
    assert trace.efficiency == 80 / (32 * 30)
    assert [p.mask for p in trace.phases] == [0b1111, 0b0011, 0b1100]


def test_a_loop_costs_its_longest_lane():
    trips = [(lane + 1) * 100 for lane in range(32)]
    trace = loop(trips)
    assert trace.issue_slots == max(trips) == 3200
    assert trace.lane_slots == sum(trips)
    assert trace.efficiency == sum(trips) / 32 / max(trips)  # mean / max
    assert [p.mask for p in trace.phases] == [0xFFFFFFFF >> k << k for k in range(32)]
    assert {p.length for p in trace.phases} == {100}


def test_a_loop_that_some_lanes_never_enter():
    trace = loop([0] * 16 + [2] * 15 + [-1], common=3)
    assert [(p.path, p.mask, p.first_slot, p.length) for p in trace.phases] == [
        (None, 0x7FFFFFFF, 1, 3),
        (0, 0x7FFF0000, 4, 2),
    ]


def test_agrees_with_a_second_simulator_on_random_warps():
    rng = random.Random(32)
    for _ in range(500):
        lengths = [rng.randrange(6) for _ in range(rng.randint(1, 8))]
        common = rng.randint(1, 4)
        paths = [rng.randrange(-1, len(lengths)) for _ in range(31)] + [0]
        branch = simulate(paths, lengths, common)
        assert (branch.issue_slots, branch.lane_slots) == naive(branch_programs(paths, lengths, common))
        trips = [rng.choice((0, 1, 2, 5, rng.randrange(12))) for _ in range(32)]
        iterations = loop(trips, common)
        assert (iterations.issue_slots, iterations.lane_slots) == naive(
            [[(-1, k) for k in range(common)] + [(0, k) for k in range(count)] for count in trips]
        )
        for trace in (branch, iterations):
            slots = [trace.phase_at(slot) for slot in range(1, trace.issue_slots + 1)]
            assert sum(len(phase.lanes) for phase in slots) == trace.lane_slots
            assert 0 < trace.efficiency <= 1


W = 32


@pytest.mark.parametrize(
    ("paths", "lengths", "common", "message"),
    [
        ([0] * 31, [1], 0, "31 paths given; a warp has 32 lanes, so 32"),
        ([0] * 33, [1], 0, "33 paths given"),
        ([0] * 31 + [1], [1], 0, r"lane 31: path 1, but lengths has paths 0\.\.0"),
        (
            [0] * 31 + [-2],
            [1],
            0,
            "lane 31: path -2; it must be a whole number ≥ 0, or -1 for an inactive lane",
        ),
        ([True] * W, [1, 1], 0, "lane 0: path True"),
        ([0.0] * W, [1], 0, r"lane 0: path 0\.0"),
        ([-1] * W, [1], 0, "all 32 lanes are inactive; such a warp issues nothing, one lane must be active"),
        ([0] * W, [], 5, "lengths is empty; one path at least is needed"),
        ([0] * W, [-1], 0, "path 0: length -1; it must be a whole number of instructions ≥ 0"),
        ([0] * W, [1, 2.5], 0, r"path 1: length 2\.5"),
        ([0] * W, [1, True], 0, "path 1: length True"),
        ([0] * W, [1], -1, "common is -1; it must be a whole number of instructions ≥ 0"),
        ([0] * W, [1], None, "common is None"),
        (
            [0] * W,
            [0, 9],
            0,
            "nothing to issue: the common part and every path taken are 0 long; one must be ≥ 1",
        ),
    ],
)
def test_refuses_branches(paths, lengths, common, message):
    with pytest.raises(ValueError, match=message):
        simulate(paths, lengths, common)


@pytest.mark.parametrize(
    ("trips", "common", "message"),
    [
        ([1] * 31, 0, "31 trip counts given; a warp has 32 lanes, so 32"),
        ([1] * 31 + [-2], 0, "lane 31: trip count -2; it must be a whole number ≥ 0, or -1"),
        ([False] * W, 0, "lane 0: trip count False"),
        ([-1] * W, 3, "all 32 lanes are inactive"),
        ([0] * W, 0, "nothing to issue"),
        ([1] * W, 1.5, r"common is 1\.5"),
    ],
)
def test_refuses_loops(trips, common, message):
    with pytest.raises(ValueError, match=message):
        loop(trips, common)


@pytest.mark.parametrize("slot", [0, 21, -1])
def test_refuses_slots_outside_the_trace(slot):
    with pytest.raises(ValueError, match=rf"slot {slot} is outside 1\.\.20"):
        simulate([0] * 16 + [1] * 16, [10, 10]).phase_at(slot)
