"""Reasons below the roof: each against its own simulator, together against a time worked out apart."""

import doctest
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations
from math import ceil

import pytest

import sim.below_the_roof
from sim import block_scheduler, coalescing, divergence, littles_law
from sim.below_the_roof import COUNTERS, REASONS, Kernel, Machine, simulate
from sim.coalescing import strided
from sim.roofline import attainable

HALF = [0] * 16 + [1] * 16
H100 = Machine(989.4e12, 3.35e12, sms=132, max_warps_per_sm=64, latency_ns=656 / 1.755)
# One FLOP a byte: far left of the ridge. Every second float; 16 of 64 warps with one load outstanding; half the lanes
# on either side of a branch; one block more than two on each SM; 5 µs between kernels.
ADD = Kernel(1e9, 1e9, strided(4, 2), 4, 16, 1, HALF, [10, 10], 265, 2, 5.0)
# 2000 FLOP a byte: far right of it.
PRODUCT = replace(ADD, flop=2e12)
SUBSETS = list(chain.from_iterable(combinations(REASONS, size) for size in range(len(REASONS) + 1)))


def seconds(kernel, machine, on):
    """The time, worked out in exact fractions and without the other simulators."""
    exact = Fraction
    lanes = [address for address in kernel.addresses if address >= 0]
    sectors = {address // 32 for address in lanes}
    ideal = len(lanes) * kernel.width_bytes
    moved = exact(kernel.used_bytes)
    if "reads" in on:
        moved *= exact(32 * len(sectors), kernel.width_bytes * len(set(lanes)))
    bandwidth = exact(machine.bandwidth_byte_per_s)
    if "occupancy" in on:
        each = 32 * len(sectors) if "reads" in on else ideal
        flying = machine.sms * kernel.warps_per_sm * kernel.requests_in_flight * each
        bandwidth = min(bandwidth, flying * 10**9 / exact(machine.latency_ns))
    peak = exact(machine.peak_flop_per_s)
    if "divergence" in on:
        slots = sum(kernel.path_lengths[path] for path in set(kernel.paths) if path >= 0)
        peak *= exact(sum(kernel.path_lengths[path] for path in kernel.paths if path >= 0), 32 * slots)
    time = max(exact(kernel.flop) / peak, moved / bandwidth)
    if "tail" in on:
        slots = machine.sms * kernel.blocks_per_sm
        time *= exact(ceil(exact(kernel.blocks, slots)) * slots, kernel.blocks)
    return time + (exact(kernel.gap_us) / 10**6 if "launch gap" in on else 0)


def test_docstring_examples_hold():
    result = doctest.testmod(sim.below_the_roof)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize("kernel", [ADD, PRODUCT, replace(ADD, flop=3e11, addresses=[0] * 31 + [-1], width_bytes=8)])
@pytest.mark.parametrize("on", SUBSETS, ids=str)
def test_agrees_with_a_time_worked_out_apart(kernel, on):
    below = simulate(kernel, H100, on)
    assert below.flop_per_s == pytest.approx(float(Fraction(kernel.flop) / seconds(kernel, H100, on)), rel=1e-12)
    for step in below.steps:
        alone = float(Fraction(kernel.flop) / seconds(kernel, H100, (step.reason,)))
        assert step.alone_flop_per_s == pytest.approx(alone, rel=1e-12)
        assert below.drop(step.reason) == pytest.approx(1 - alone / below.roof_flop_per_s, abs=1e-12)
    assert [step.reason for step in below.steps] == list(on)


def test_with_nothing_on_a_kernel_is_on_its_roof():
    for kernel in (ADD, PRODUCT):
        below = simulate(kernel, H100, [])
        assert below.flop_per_s == below.roof_flop_per_s
        assert below.roof_flop_per_s == pytest.approx(attainable(989.4e12, 3.35e12, kernel.flop / 1e9), rel=1e-15)
        assert below.steps == ()
        assert all(below.drop(reason) == 0 for reason in REASONS)


def test_each_factor_and_counter_is_that_of_its_own_simulator():
    steps = {step.reason: step for step in simulate(ADD, H100, REASONS).steps}
    assert {reason: step.counter for reason, step in steps.items()} == COUNTERS
    loads = coalescing.simulate(ADD.addresses, 4)
    assert (steps["reads"].factor, steps["reads"].counter_value) == (loads.efficiency, loads.sectors) == (0.5, 8)
    branch = divergence.simulate(HALF, [10, 10])
    assert steps["divergence"].factor == branch.efficiency == 0.5
    assert steps["divergence"].counter_value == 16  # threads an instruction
    # 265 equal blocks in 264 slots: two waves, half of the time idle.
    run = block_scheduler.simulate([1.0] * 265, sms=132, blocks_per_sm=2)
    assert steps["tail"].factor == run.busy_share
    assert f"{steps['tail'].factor:.1%}" == "50.2%"
    assert steps["tail"].counter_value == 265 / 264
    flying = littles_law.in_flight(
        peak_gb_per_s=3350, latency_ns=656 / 1.755, sms=132, warps_per_sm=16, bytes_per_load=8
    )  # 8 sectors of 32 bytes a request are 8 bytes a lane
    assert steps["occupancy"].factor == pytest.approx(flying.peak_share)
    assert steps["occupancy"].counter_value == 25  # 16 of 64 warps
    assert steps["launch gap"].counter_value == pytest.approx(
        1e9 * float(seconds(ADD, H100, ("reads", "occupancy", "divergence", "tail")))
    )


def test_worked_drops_of_a_kernel_bound_by_its_bytes():
    below = simulate(ADD, H100, REASONS)
    assert below.drop("reads") == 0.5
    assert below.drop("divergence") == 0
    assert f"{below.drop('tail'):.3f}" == "0.498"
    # 132 × 16 requests of 128 bytes each 373.8 ns are 723 GB/s of 3350.
    assert f"{below.drop('occupancy'):.3f}" == "0.784"
    # 1 GB at 3.35 TB/s is 298.5 µs; 5 µs come on top.
    assert f"{below.drop('launch gap'):.4f}" == f"{5 / (298.507 + 5):.4f}"


def test_worked_drops_of_a_kernel_bound_by_its_flop():
    below = simulate(PRODUCT, H100, REASONS)
    assert below.drop("divergence") == 0.5
    # Twice the bytes, or a fifth of the bandwidth, still take less time than the FLOP.
    assert below.drop("reads") == below.drop("occupancy") == 0


def test_badly_coalesced_requests_carry_more_in_flight():
    both = simulate(ADD, H100, ["reads", "occupancy"])
    few = simulate(ADD, H100, ["occupancy"])
    assert both.flop_per_s == pytest.approx(few.flop_per_s)


def test_64_warps_with_one_load_fall_short_and_two_loads_do_not():
    full = replace(ADD, warps_per_sm=64, addresses=strided(4))
    assert f"{simulate(full, H100, ['occupancy']).steps[0].factor:.0%}" == "86%"
    assert simulate(replace(full, requests_in_flight=2), H100, ["occupancy"]).drop("occupancy") == 0


def test_order_of_the_switches_does_not_matter():
    assert simulate(ADD, H100, REASONS[::-1]) == simulate(ADD, H100, REASONS)


@pytest.mark.parametrize("blocks", [1, 131, 132, 264, 265, 528, 529, 1000])
def test_the_tail_is_that_of_a_queue_of_equal_blocks(blocks):
    step = simulate(replace(ADD, blocks=blocks), H100, ["tail"]).steps[0]
    assert step.factor == pytest.approx(block_scheduler.simulate([1.0] * blocks, 132, 2).busy_share)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"flop": 0}, "flop is 0"),
        ({"used_bytes": float("nan")}, "used_bytes is nan"),
        ({"warps_per_sm": 65}, "warps_per_sm is 65"),
        ({"requests_in_flight": True}, "requests_in_flight is True"),
        ({"blocks": 2**31}, "blocks is 2147483648"),
        ({"blocks_per_sm": 0}, "blocks_per_sm is 0"),
        ({"gap_us": -1}, "gap_us is -1"),
        ({"gap_us": True}, "gap_us is True"),
        ({"gap_us": False}, "gap_us is False"),
        ({"addresses": [2] * 32}, "lane 0: address 2 is misaligned"),
        ({"addresses": [-1] * 32}, "all 32 lanes are inactive; one must load"),
        ({"path_lengths": [10]}, "lane 16: path 1"),
    ],
)
def test_refuses_kernels(change, message):
    with pytest.raises(ValueError, match=message):
        simulate(replace(ADD, **change), H100, REASONS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"peak_flop_per_s": 0}, "peak_flop_per_s is 0"),
        ({"bandwidth_byte_per_s": float("inf")}, "bandwidth_byte_per_s is inf"),
        ({"sms": 1.0}, r"sms is 1\.0"),
        ({"max_warps_per_sm": 0}, "max_warps_per_sm is 0"),
        ({"max_warps_per_sm": 8}, "warps_per_sm is 16; the machine has 8 warp slots"),
        ({"latency_ns": None}, "latency_ns is None"),
    ],
)
def test_refuses_machines(change, message):
    with pytest.raises(ValueError, match=message):
        simulate(ADD, replace(H100, **change), REASONS)


def test_refuses_unknown_reasons():
    with pytest.raises(ValueError, match="reason is 'heat'; it must be one of reads, occupancy, divergence, tail"):
        simulate(ADD, H100, ["reads", "heat"])
