import doctest
from dataclasses import replace
from math import inf, nan
from random import Random

import pytest

import sim.fewer_bytes
from sim.fewer_bytes import Block, Memory, break_even, compare, time_ratio

MIB = 1 << 20
FFN = (1024, 12288, 4096)
LARGE, SMALL = (128, 128, 32), (64, 64, 32)
CARD = Memory("12.0", 188, 1792, 330)  # RTX PRO 6000; 864 cycles of 2.617 GHz are 330 ns


def test_docstring_examples_hold():
    result = doctest.testmod(sim.fewer_bytes)
    assert result.attempted
    assert not result.failed


def test_where_128_stops_winning():
    assert f"{break_even(1560 * MIB, 3096 * MIB):.3f}" == "0.504"
    assert time_ratio(1560, 3096, 504, 1000) < 1 < time_ratio(1560, 3096, 503, 1000)
    # lab L1: 64 × 128 moves 2328 MiB
    assert f"{break_even(2328, 3096):.3f}" == "0.752"


def test_the_ratio_is_that_of_the_two_times():
    random = Random(1)
    for _ in range(100):
        v1, v2, b1, b2 = (random.uniform(1, 1e12) for _ in range(4))
        assert time_ratio(v1, v2, b1, b2) == pytest.approx((v1 / b1) / (v2 / b2))
        assert (time_ratio(v1, v2, b1, b2) < 1) == (b1 / b2 > break_even(v1, v2))


def test_one_small_load_a_thread_starves_the_large_tile():
    duel = compare(FFN, LARGE, SMALL, CARD)
    assert (duel.first.moved_bytes, duel.second.moved_bytes) == (1560 * MIB, 3096 * MIB)
    assert (duel.first.blocks_per_sm, duel.second.blocks_per_sm) == (1, 4)
    # 256 threads × 4 B × 188 SMs, by hand, over 330 ns
    assert duel.first.in_flight_bytes == 192_512
    assert duel.first.bandwidth_gb_per_s == pytest.approx(583.4, rel=1e-3)
    assert duel.second.bandwidth_gb_per_s == 1792
    assert duel.bandwidth_ratio < duel.break_even
    assert duel.first.time_us > duel.second.time_us


def test_two_loads_a_thread_are_enough_without_reaching_the_peak():
    duel = compare(FFN, LARGE, SMALL, CARD, Block(loads=2))
    assert duel.bandwidth_ratio == pytest.approx(0.651, abs=5e-4)
    assert duel.time_ratio == pytest.approx(0.504 / 0.651, rel=2e-3)
    both_at_peak = compare(FFN, LARGE, SMALL, CARD, Block(load_bytes=16))
    assert both_at_peak.bandwidth_ratio == 1
    assert both_at_peak.time_ratio == both_at_peak.break_even


def test_no_more_is_in_flight_than_a_step_or_than_there_are_tiles():
    # 64 loads of 16 B by 256 threads would be 256 KiB; the 128 × 128 step has 16 KiB, the other 8 KiB
    many = compare(FFN, LARGE, SMALL, CARD, Block(load_bytes=16, loads=64))
    assert many.first.in_flight_bytes == 188 * (16 << 10)
    assert many.second.in_flight_bytes == 188 * 4 * (8 << 10)
    # 256 × 256: four large tiles and sixteen small ones for 188 SMs
    few = compare((256, 256, 4096), LARGE, SMALL, CARD)
    assert (few.first.in_flight_bytes, few.second.in_flight_bytes) == (4 * 1024, 16 * 1024)


def test_registers_and_warps_limit_too():
    assert compare(FFN, LARGE, SMALL, CARD, Block(registers=128)).second.blocks_per_sm == 2
    assert compare(FFN, LARGE, SMALL, CARD, Block(threads=1024)).second.blocks_per_sm == 1


def test_eight_bytes_a_load_are_two_loads_of_four():
    assert compare(FFN, LARGE, SMALL, CARD, Block(load_bytes=8)) == compare(FFN, LARGE, SMALL, CARD, Block(loads=2))


def test_swapping_the_two_turns_the_ratio_over():
    one, other = compare(FFN, LARGE, SMALL, CARD), compare(FFN, SMALL, LARGE, CARD)
    assert one.time_ratio * other.time_ratio == pytest.approx(1)
    assert (one.first, one.second) == (other.second, other.first)


@pytest.mark.parametrize("bad", [0, -1.0, nan, inf, True, "1"])
def test_bytes_and_bandwidths_are_checked(bad):
    for position, name in enumerate(("first_bytes", "second_bytes", "first_gb_per_s", "second_gb_per_s")):
        given = [1.0] * 4
        given[position] = bad
        with pytest.raises(ValueError, match=rf"^{name} is .*; it must be a number of G?B"):
            time_ratio(*given)
    for name, unit in (("peak_gb_per_s", "GB/s"), ("latency_ns", "ns")):
        with pytest.raises(ValueError, match=rf"^{name} is .*; it must be a number of {unit} greater than 0"):
            compare(FFN, LARGE, SMALL, replace(CARD, **{name: bad}))


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (Block(loads=0), "loads is 0; it must be a whole number from 1 to 64"),
        (Block(load_bytes=12), "load_bytes is 12; it must be 4, 8 or 16"),
        (Block(load_bytes=4.0), "load_bytes is 4.0"),
        (Block(load_bytes=2), "load_bytes is 2"),
        (Block(threads=0), "threads_per_block is 0"),
        (Block(registers=256), "registers_per_thread is 256"),
        (Block(threads=1024, registers=80), "no block of a 128×128×32 tile fits on an SM: registers: "),
    ],
)
def test_a_block_of_something_else_is_refused(block, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        compare(FFN, LARGE, SMALL, CARD, block)


def test_a_tile_too_large_and_a_gpu_without_sms_are_refused():
    with pytest.raises(ValueError, match=r"^no block of a 256×128×32 tile fits on an SM: shared memory: "):
        compare(FFN, (256, 128, 32), SMALL, CARD)
    with pytest.raises(ValueError, match=r"^sms is 0; it must be a whole number from 1 to 1024$"):
        compare(FFN, LARGE, SMALL, replace(CARD, sms=0))
