"""Resident blocks on the shelves of an SM: conservation, warps dealt to partitions, and why the next block fails."""

import doctest
import random

import pytest

import sim.sm_shelves
from sim.gpus import compute_capabilities, multiprocessor
from sim.occupancy import occupancy
from sim.sm_shelves import fill


def test_docstring_examples_hold():
    result = doctest.testmod(sim.sm_shelves)
    assert result.attempted
    assert not result.failed


def kernels(count):
    rng = random.Random(34)
    for _ in range(count):
        shared = rng.choice([0, 0, rng.randint(1, 233_472), 1024 * rng.randint(0, 228)])
        yield occupancy(rng.choice(compute_capabilities()), rng.randint(1, 1024), rng.randint(0, 255), shared)


def test_every_shelf_holds_its_blocks_and_the_limiters_have_no_room_for_one_more():
    for kernel in kernels(2000):
        sm = fill(kernel)
        assert [shelf.name for shelf in sm.shelves] == ["warps", "registers", "shared_memory", "blocks"]
        for shelf in sm.shelves:
            assert 0 <= shelf.used == kernel.blocks_per_sm * shelf.block
            assert shelf.left == shelf.capacity - shelf.used >= 0
            assert shelf.limits == (shelf.name in kernel.limiters)
            if shelf.name != "registers":  # registers have a quarter each, and a launch check
                assert shelf.limits == (shelf.left < shelf.block)
        assert any(shelf.limits for shelf in sm.shelves)


def test_warps_dealt_in_turn_overflow_a_partition_exactly_when_registers_limit():
    for kernel in kernels(2000):
        sm = fill(kernel)
        parts = sm.partitions
        resident = sorted(warp for part in parts for warp in part.warps)
        assert resident == list(range(kernel.warps_per_sm))
        following = sorted(warp for part in parts for warp in part.next_warps)
        assert following == list(range(kernel.warps_per_sm, kernel.warps_per_sm + kernel.warps_per_block))
        for number, part in enumerate(parts):
            assert all(warp % 4 == number for warp in (*part.warps, *part.next_warps))
            assert len(part.warps) * kernel.registers_per_warp <= part.registers == 16_384
        assert (sum(part.overflow for part in parts) > 0) == ("registers" in kernel.limiters)


def test_idle_lanes_are_the_last_warps_that_are_not_full():
    sm = fill(occupancy("9.0", 33, 32, 0))
    assert (sm.lanes, sm.idle_lanes) == (64 * 32, 32 * 31)
    sm = fill(occupancy("9.0", 96, 32, 0))
    assert (sm.lanes, sm.idle_lanes) == (63 * 32, 0)


@pytest.mark.parametrize(
    ("kernel", "by_registers", "by_shared_memory"),
    [
        (("9.0", 224, 92, 0), 3, None),  # 65,536 ÷ 20,608
        (("9.0", 256, 33, 0), 7, None),
        (("9.0", 64, 88, 0), 11, None),
        (("9.0", 256, 32, 114 * 1024), 8, 2),  # 228 ÷ 114
        (("9.0", 256, 32, 32 * 1024), 8, 7),  # 228 ÷ 32
        (("9.0", 256, 0, 1), None, 233_472),
    ],
)
def test_the_wrong_rules_divide_by_what_is_asked_for(kernel, by_registers, by_shared_memory):
    sm = fill(occupancy(*kernel))
    assert (sm.naive_blocks_by_registers, sm.naive_blocks_by_shared_memory) == (by_registers, by_shared_memory)


def test_a_shelf_is_found_by_name():
    sm = fill(occupancy("8.6", 64, 32, 0))
    assert (sm["blocks"].used, sm["blocks"].left, sm["blocks"].limits) == (16, 0, True)
    assert sm["registers"].capacity == multiprocessor("8.6").registers
