import doctest
from dataclasses import replace
from random import Random

import pytest

import sim.tile_time
from sim.gpus import gpu
from sim.pipeline import simulate as pipeline
from sim.tile_time import BARRIER_US, LATENCY_US, Problem, Tile, model, running_tiles
from sim.tiles import ledger

FFN = Problem("h100", "bf16", (1024, 12288, 4096), 12288)


def test_docstring_examples_hold():
    result = doctest.testmod(sim.tile_time)
    assert result.attempted
    assert not result.failed


def test_one_tile_by_hand():
    # 128×128×64, two stages, one step in flight: 32 KiB over 374 ns is 87.7 GB/s, more than the SM's share, 25.38;
    # so it loads in 1.29 µs and computes in 0.28 (figure 5.5). 8 × 96 tiles are six waves of 132 SMs.
    tile = Tile(128, 128, 64, 2)
    step = ledger(128, 128, 64, 2, 2, 232_448)
    share = 3350e3 / 132  # bytes a µs
    load, compute = step.memory_bytes / share, step.flops / (989.4e6 / 132)
    assert (f"{load:.2f}", f"{compute:.2f}") == ("1.29", "0.28")
    walk = 64 * load + compute  # 64 steps with two slots, as the pipeline has it
    assert walk == pytest.approx(pipeline(64, load, compute, 2).total_us)
    expected = 6 * (walk + 64 * BARRIER_US + 128 * 256 / share)
    assert model(FFN).time_us(tile) == pytest.approx(expected)


def test_without_overlap_every_step_loads_and_then_computes():
    tile = Tile(128, 128, 64, 2)
    share = 3350e3 / 132
    load, compute = 32768 / share, 2 * 128 * 128 * 64 / (989.4e6 / 132)
    one = pipeline(64, load, compute, 1).total_us + 64 * BARRIER_US + 128 * 256 / share
    for problem in (replace(FFN, version="synchronous"), replace(FFN, stride=12289)):  # 24,578 bytes: not 16·n
        assert model(problem).time_us(tile) == pytest.approx(6 * one)
    assert model(FFN).time_us(Tile(128, 128, 64, 1)) == pytest.approx(6 * one)
    assert model(replace(FFN, stride=12296)).time_us(tile) == model(FFN).time_us(tile)  # 24,592 = 16 · 1537


def test_a_small_step_is_bound_by_latency():
    # 16×64×16 in BF16 is 512 + 2048 bytes; one such step in flight gives 6.85 GB/s, three 20.5: both under 25.38
    problem = replace(FFN, shape=(16, 64, 1600), stride=64)
    two, four = (model(problem).time_us(Tile(16, 64, 16, stages)) for stages in (2, 4))
    compute = 2 * 16 * 64 * 16 / (989.4e6 / 132)
    rest = compute + 100 * BARRIER_US + 16 * 128 / (3350e3 / 132)
    assert two - rest == pytest.approx(100 * LATENCY_US)
    assert four - rest == pytest.approx(100 * LATENCY_US / 3)


@pytest.mark.parametrize(("k", "step_bytes"), [(16, 128 * 32 + 16 * 128), (32, 128 * 32 + 32 * 128)])
def test_rows_come_in_whole_sectors(k, step_bytes):
    # a row of 16 FP8 values is half a sector: A moves twice what is used, and as much as with 32
    share, steps = 3350e3 / 132, 4096 // k
    load, compute = step_bytes / share, 2 * 128 * 128 * k / (1978.9e6 / 132)
    expected = steps * load + compute + steps * BARRIER_US + 128 * 256 / share
    problem = Problem("h100", "fp8", (128, 128, 4096), 128)
    assert model(problem).time_us(Tile(128, 128, k, 3)) == pytest.approx(expected)


def test_running_tiles_against_every_element():
    rng = Random(5)
    for _ in range(300):
        rows, columns, m, n = (rng.randint(1, 20) for _ in range(4))
        plain = Problem("h100", "bf16", (rows, columns, 8), columns)
        places = {(i // m, j // n) for i in range(rows) for j in range(columns)}
        kept = {(i // m, j // n) for i in range(rows) for j in range(min(i + 1, columns))}
        assert running_tiles(plain, Tile(m, n, 8, 2)) == len(places)
        assert running_tiles(replace(plain, mask="causal"), Tile(m, n, 8, 2)) == len(kept)


def test_a_tile_that_does_not_fit_says_why():
    deep = Tile(128, 256, 128, 2)  # 2 · 2 · 128 · 384 = 196,608 bytes
    assert model(FFN).unfit(deep) is None
    card = gpu("rtx4090")
    reason = model(replace(FFN, gpu="rtx4090")).unfit(deep)
    assert reason == f"196608 bytes of shared memory; a block on {card.name} has at most 101376"
    with pytest.raises(ValueError, match="cannot run: 196608 bytes of shared memory"):
        model(replace(FFN, gpu="rtx4090")).time_us(deep)
    assert model(FFN).unfit(Tile(256, 256, 16, 2)) == "65536 accumulators; registers hold at most 32768"


def test_more_stages_are_never_slower_and_a_larger_product_never_faster():
    rng = Random(6)
    for _ in range(300):
        tile = Tile(rng.choice([16, 64, 128]), rng.choice([64, 128]), rng.choice([16, 32, 64]), rng.randint(2, 3))
        shape = tuple(rng.randint(1, 3000) for _ in range(3))
        problem = Problem("h100", "bf16", shape, shape[1] + -shape[1] % 8)
        time = model(problem).time_us(tile)
        assert model(problem).time_us(replace(tile, stages=tile.stages + 1)) <= time * (1 + 1e-12)
        larger = replace(problem, shape=(shape[0] + 200, shape[1], shape[2] + 100))
        assert model(larger).time_us(tile) >= time


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gpu": "h1000"}, "there is no GPU 'h1000'"),
        ({"gpu": "v100"}, "V100 SXM2 has no dense peak for 'bf16'"),
        ({"dtype": "fp4"}, "dtype is 'fp4'; it must be one of bf16, fp8"),
        ({"shape": (1024, 12288)}, r"shape is \(1024, 12288\); it must be M, N, K"),
        ({"shape": (0, 12288, 4096)}, "M is 0"),
        ({"shape": (1024, 12288, 4096.0)}, "K is 4096.0"),
        ({"stride": 12287}, "stride is 12287; it must be a whole number from 12288"),
        ({"stride": True}, "stride is True"),
        ({"mask": "window"}, "mask is 'window'; it must be one of none, causal"),
        ({"version": "3.1"}, "version is '3.1'; it must be one of synchronous, asynchronous"),
    ],
)
def test_a_problem_out_of_range_is_refused(change, message):
    with pytest.raises(ValueError, match="^" + message):
        model(replace(FFN, **change))


@pytest.mark.parametrize(
    "tile", [Tile(0, 64, 64, 2), Tile(64, 1025, 64, 2), Tile(64, 64, 16.0, 2), Tile(64, 64, 64, 9)]
)
def test_a_tile_out_of_range_is_refused(tile):
    with pytest.raises(ValueError, match=r"^(m|n|k|stages) is"):
        model(FFN).time_us(tile)
