"""One more thread, register or byte, and whole curves, against the function value by value."""

import doctest
from itertools import pairwise

import pytest

import sim.occupancy_curve
from sim.gpus import compute_capabilities, multiprocessor
from sim.occupancy import occupancy
from sim.occupancy_curve import curve, one_more


def test_docstring_examples_hold():
    result = doctest.testmod(sim.occupancy_curve)
    assert result.attempted
    assert not result.failed


def state(kernel):
    return kernel.blocks_per_sm, kernel.warps_per_sm, kernel.limiters


@pytest.mark.parametrize("kernel", [("9.0", 256, 64, 0), ("8.6", 100, 40, 9000), ("7.5", 1024, 255, 65536)])
def test_curves_hold_every_value(kernel):
    capability, threads, registers, shared = kernel
    for axis, count in (("threads", 1024), ("registers", 255), ("shared_memory", 20_000)):
        steps = curve(axis, occupancy(*kernel))
        for step in steps:
            for value in range(step.first, min(step.last, count) + 1):
                inputs = {"threads": threads, "registers": registers, "shared_memory": shared} | {axis: value}
                assert state(occupancy(capability, *inputs.values())) == state(step.at_first), (axis, value)
        assert all(state(a.at_first) != state(b.at_first) for a, b in pairwise(steps))


def test_a_curve_of_shared_memory_ends_where_no_block_can_be_launched():
    for capability in compute_capabilities():
        last = curve("shared_memory", occupancy(capability, 32, 32, 0))[-1]
        sm = multiprocessor(capability)
        if sm.reserved_shared_bytes:
            assert (last.first, last.at_first.blocks_per_sm) == (sm.block_shared_bytes + 1, 0)
        else:  # 7.x: a block may have all of it
            assert last.at_first.blocks_per_sm == 1
        assert last.last == sm.shared_bytes


def test_what_one_more_costs():
    # 64 registers: the last count with 4 blocks of 256 threads on 9.0; 65 make it 3.
    more = one_more(occupancy("9.0", 256, 64, 0))
    assert (more.register.blocks_per_sm, more.register.occupancy) == (3, 0.375)
    # A 257th thread is a ninth warp; the launch check takes it for four.
    assert (more.thread.warps_per_block, more.thread.blocks_per_sm) == (9, 3)
    assert more.byte.blocks_per_sm == 4
    # 24,576 bytes and the reserve are a quarter of an SM of 8.9; the next byte costs a block.
    assert one_more(occupancy("8.9", 256, 48, 24576)).byte.blocks_per_sm == 3
    # The opt-in edge.
    assert one_more(occupancy("10.0", 128, 255, 232448)).byte.blocks_per_sm == 0
    # One more thread can raise occupancy where block slots limit.
    slots = occupancy("9.0", 32, 32, 0)
    assert (slots.warps_per_sm, one_more(slots).thread.warps_per_sm) == (32, 64)


def test_there_is_no_1025th_thread_and_no_256th_register():
    more = one_more(occupancy("9.0", 1024, 255, 0))
    assert (more.thread, more.register) == (None, None)


@pytest.mark.parametrize("axis", ["blocks", "", None, 1])
def test_refuses_another_axis(axis):
    with pytest.raises(ValueError, match="it must be one of threads, registers, shared_memory"):
        curve(axis, occupancy("9.0", 64, 32, 0))


def test_a_limit_that_ties_with_the_slots_is_a_step_of_its_own():
    # 98,304 bytes: 3,072 for each of 32 blocks; up to 2,816 a 33rd would fit, so that slots alone limit.
    steps = curve("shared_memory", occupancy("7.0", 32, 0, 0))
    assert [(step.first, step.last, step.at_first.limiters) for step in steps[:2]] == [
        (0, 2816, ("blocks",)),
        (2817, 3072, ("shared_memory", "blocks")),
    ]
