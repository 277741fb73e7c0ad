import doctest

import pytest

import sim.one_sm
from sim.gpus import gpu
from sim.one_sm import simulate
from sim.pipeline import simulate as pipeline
from sim.tiles import ledger

KIB = 1 << 10
H100 = {"compute_capability": "9.0", "sms": 132, "bandwidth_byte_per_s": 3.35e12, "peak_flop_per_s": 989.4e12}


def built(place="shared memory", **changed):
    given = {"m": 128, "n": 128, "k": 64, "threads": 256, "accumulators": place} | H100 | changed
    return simulate(**given)


def test_docstring_examples_hold():
    result = doctest.testmod(sim.one_sm)
    assert result.attempted
    assert not result.failed


def test_what_the_tile_occupies():
    tile = built()
    assert tile.a_bytes == tile.b_bytes == 16 * KIB
    assert tile.accumulator_shared_bytes == 64 * KIB
    assert tile.shared_bytes == 96 * KIB
    # 96 KiB and the reserved one, twice in 228 KiB; 16 of 64 warp slots
    assert tile.blocks.blocks_per_sm == 2
    assert tile.blocks.warps_per_sm == 16
    assert tile.blocks.occupancy == 16 / 64
    assert tile.blocks.limiters == ("shared_memory",)


def test_a_step_arrives_more_slowly_than_it_computes():
    tile = built()
    assert tile.step_bytes == 32 * KIB
    assert f"{tile.bandwidth_byte_per_s / 1e9:.2f}" == "25.38"
    assert f"{tile.fetch_s * 1e6:.2f}" == "1.29"
    assert f"{tile.compute_s * 1e6:.2f}" == "0.28"
    assert f"{tile.fetch_over_compute:.1f}" == "4.6"
    assert tile.intensity == 64
    assert f"{tile.ridge:.0f}" == "295"
    assert tile.fetch_over_compute == pytest.approx(tile.ridge / tile.intensity)
    step = ledger(128, 128, 64, 2, 1, 0)
    assert (tile.step_bytes, tile.flops) == (step.memory_bytes, step.flops)


def test_two_slots_in_the_pipeline_give_the_totals_of_that_figure():
    tile = built()
    times = round(tile.fetch_s * 1e6, 2), round(tile.compute_s * 1e6, 2)
    assert f"{pipeline(4, *times, 1).total_us:.2f} {pipeline(4, *times, 2).total_us:.2f}" == "6.28 5.44"


def test_accumulators_in_registers_leave_room_for_more_blocks():
    tile = built("registers")
    assert tile.accumulator_registers == 64
    assert (tile.accumulator_shared_bytes, tile.shared_bytes) == (0, 32 * KIB)
    # 64 + 32 registers: ⌊16384 / 3072⌋ · 4 = 20 warps, 2 blocks; with shared memory alone 228 / 33 = 6
    assert (tile.blocks.blocks_by_registers, tile.blocks.blocks_by_shared_memory) == (2, 6)
    assert tile.blocks.blocks_per_sm == 2
    assert built("registers", other_registers=0).blocks.blocks_per_sm == 4
    assert (tile.fetch_s, tile.compute_s) == (built().fetch_s, built().compute_s)


def test_the_numbers_of_the_table_are_the_ones_used():
    card = gpu("h100")
    assert card.sms == H100["sms"]
    assert card.peak("bf16").value * 1e12 == H100["peak_flop_per_s"]
    assert card["bandwidth"].value * 1e9 == pytest.approx(H100["bandwidth_byte_per_s"], rel=1e-3)


def test_all_255_registers_may_be_used_and_one_sm_has_it_all():
    assert built("registers", other_registers=255 - 64).blocks.blocks_per_sm == 1
    with pytest.raises(ValueError, match=r"^a thread needs 256 registers, 64 of them for accumulators"):
        built("registers", other_registers=256 - 64)
    assert built(sms=1).bandwidth_byte_per_s == 3.35e12


def test_a_tile_that_does_not_fit_has_no_block():
    tile = built(m=256, n=256)
    assert tile.blocks.blocks_per_sm == 0
    assert tile.blocks.reason.startswith("shared memory: 327680 bytes")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"threads": 16}, "threads is 16; it must be a whole number from 32 to 1024"),
        ({"threads": 1056}, "threads is 1056"),
        ({"threads": 100}, "threads is 100; it must be a multiple of 32, since whole warps multiply"),
        ({"accumulators": "L2"}, "accumulators is 'L2'; it must be one of shared memory, registers"),
        ({"other_registers": -1}, "other_registers is -1; it must be a whole number from 0 to 255"),
        ({"sms": 0}, "sms is 0"),
        ({"m": 0}, "m is 0"),
        ({"n": 513}, "n is 513"),
        ({"k": 64.0}, "k is 64.0"),
        ({"bandwidth_byte_per_s": 0}, "bandwidth_byte_per_s is 0; it must be a number of B/s greater than 0"),
        ({"peak_flop_per_s": float("inf")}, "peak_flop_per_s is inf; it must be a number of FLOP/s"),
        ({"compute_capability": "9.1"}, "compute capability '9.1' is not in the table"),
        (
            {"accumulators": "registers", "threads": 64},
            "a thread needs 288 registers, 256 of them for accumulators; more than 255 spill",
        ),
    ],
)
def test_bad_input_is_refused(changed, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        built(**changed)
