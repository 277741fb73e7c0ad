"""More of a resource asked for never gives more blocks, and curves are the function itself."""

import pytest

hypothesis = pytest.importorskip("hypothesis")

from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from sim.gpus import compute_capabilities, multiprocessor  # noqa: E402
from sim.occupancy import occupancy  # noqa: E402
from sim.occupancy_curve import curve  # noqa: E402

CAPABILITIES = st.sampled_from(compute_capabilities())
THREADS, REGISTERS, SHARED = st.integers(1, 1024), st.integers(0, 255), st.integers(0, 240_000)


@given(CAPABILITIES, THREADS, REGISTERS, SHARED, THREADS, REGISTERS, SHARED)
def test_asking_for_more_never_gives_more_blocks(capability, t, r, s, more_t, more_r, more_s):
    small = occupancy(capability, min(t, more_t), min(r, more_r), min(s, more_s))
    large = occupancy(capability, max(t, more_t), max(r, more_r), max(s, more_s))
    assert large.blocks_per_sm <= small.blocks_per_sm


@given(CAPABILITIES, THREADS, REGISTERS, SHARED)
def test_what_fits_fits_and_one_block_more_does_not(capability, threads, registers, shared):
    kernel, sm = occupancy(capability, threads, registers, shared), multiprocessor(capability)
    blocks = kernel.blocks_per_sm
    assert 0 <= kernel.occupancy <= 1
    assert blocks <= sm.blocks
    assert blocks * kernel.warps_per_block <= sm.warps
    assert blocks * kernel.warps_per_block * kernel.registers_per_warp <= sm.registers
    assert blocks * kernel.shared_bytes_allocated <= sm.shared_bytes
    assert kernel.limiters
    by = {
        "warps": kernel.blocks_by_warps,
        "registers": kernel.blocks_by_registers,
        "shared_memory": kernel.blocks_by_shared_memory,
        "blocks": kernel.blocks_by_slots,
    }
    assert set(kernel.limiters) == {name for name, limit in by.items() if limit == blocks}
    assert all(limit is None or limit >= blocks for limit in by.values())


@given(CAPABILITIES, THREADS, REGISTERS, SHARED, st.sampled_from(("threads", "registers", "shared_memory")), st.data())
def test_a_curve_gives_at_every_value_what_the_function_gives(capability, threads, registers, shared, axis, data):
    steps = curve(axis, occupancy(capability, threads, registers, shared))
    last = {"threads": 1024, "registers": 255, "shared_memory": multiprocessor(capability).shared_bytes}[axis]
    assert [step.first for step in steps] == [1 if axis == "threads" else 0, *(step.last + 1 for step in steps[:-1])]
    assert steps[-1].last == last
    step = data.draw(st.sampled_from(steps))
    for value in (step.first, step.last, data.draw(st.integers(step.first, step.last))):
        inputs = {"threads": threads, "registers": registers, "shared_memory": shared} | {axis: value}
        here = occupancy(capability, *inputs.values())
        assert here.blocks_per_sm == step.at_first.blocks_per_sm
        assert here.warps_per_sm == step.at_first.warps_per_sm
        assert here.limiters == step.at_first.limiters
