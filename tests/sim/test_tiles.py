import csv
import doctest
from pathlib import Path
from random import Random

import pytest

import sim.tiles
from sim.tiles import ledger, resident_blocks, traffic

KIB, MIB = 1 << 10, 1 << 20
FFN = (1024, 12288, 4096)  # M, N, K of the running example
READINGS = Path(__file__).parents[2] / "chapters/recorded/tables/h200" / "occupancy.csv"


def test_docstring_examples_hold():
    result = doctest.testmod(sim.tiles)
    assert result.attempted
    assert not result.failed


def walked(M, N, K, m, n, k, element_bytes):
    """Every tile and every K step in turn, each element of A, B and C counted by its own comparison."""
    a = b = c = flops = 0
    for row in range(0, M, m):
        rows = sum(1 for i in range(row, row + m) if i < M)
        for column in range(0, N, n):
            columns = sum(1 for j in range(column, column + n) if j < N)
            for start in range(0, K, k):
                deep = sum(1 for p in range(start, start + k) if p < K)
                a += rows * deep * element_bytes
                b += deep * columns * element_bytes
                flops += 2 * rows * columns * deep
            c += rows * columns * element_bytes
    return a, b, c, flops


def test_one_k_step_of_the_built_tile():
    step = ledger(64, 64, 32, 2, 2, 48 * KIB)
    assert step.shared_bytes == 16_384
    assert step.flops == 262_144
    assert step.memory_bytes == 8_192
    assert step.intensity == 32
    assert step.fits


def test_stages_multiply_what_is_resident_and_nothing_else():
    one = ledger(64, 64, 32, 2, 1, 48 * KIB)
    for stages in range(2, 9):
        more = ledger(64, 64, 32, 2, stages, 48 * KIB)
        assert more.shared_bytes == stages * one.shared_bytes
        assert (more.flops, more.memory_bytes) == (one.flops, one.memory_bytes)
    # 6 × 8 KiB is the limit itself, the seventh stage is too much
    assert ledger(64, 64, 32, 2, 6, 48 * KIB).fits
    assert not ledger(64, 64, 32, 2, 7, 48 * KIB).fits
    assert not ledger(64, 64, 32, 2, 6, 48 * KIB - 1).fits
    assert not ledger(1, 1, 1, 1, 1, 0).fits


@pytest.mark.parametrize(
    ("m", "n", "k", "element_bytes"), [(64, 64, 32, 2), (128, 128, 64, 2), (5, 7, 3, 1), (1, 9, 4, 8)]
)
def test_a_k_step_counted_element_by_element(m, n, k, element_bytes):
    step = ledger(m, n, k, element_bytes, 1, 0)
    touched = {("A", i, p) for i in range(m) for p in range(k)} | {("B", p, j) for p in range(k) for j in range(n)}
    assert step.memory_bytes == step.shared_bytes == len(touched) * element_bytes
    assert step.flops == sum(2 for _ in range(m) for _ in range(n) for _ in range(k))


def test_the_running_example_in_two_tiles_and_moved_once():
    small = traffic(*FFN, 64, 64, 32)
    assert [part // MIB for part in (small.a_bytes, small.b_bytes, small.c_bytes)] == [1536, 1536, 24]
    assert small.total_bytes == 3096 * MIB
    assert small.storage_bytes == 24 * KIB
    assert (small.output_tiles, small.k_steps) == (3072, 128)
    large = traffic(*FFN, 128, 128, 32)
    assert large.total_bytes == 1560 * MIB
    assert large.storage_bytes == 80 * KIB
    once = traffic(*FFN, 1024, 12288, 32)
    assert [part // MIB for part in (once.a_bytes, once.b_bytes, once.c_bytes)] == [8, 96, 24]
    assert once.total_bytes == 128 * MIB
    assert small.flops == large.flops == once.flops == 103_079_215_104


def test_blocks_of_each_tile_on_one_sm():
    # RTX PRO 6000: 102,400 B; (24 + 1) KiB four times is 100 KiB exactly, (80 + 1) KiB once
    assert resident_blocks("12.0", 24 * KIB) == 4
    assert resident_blocks("12.0", 80 * KIB) == 1
    assert resident_blocks("12.0", 24 * KIB + 1) == 3
    assert resident_blocks("12.0", 101_376) == 1
    assert resident_blocks("12.0", 101_377) == 0
    # H100, reports of 114 KiB blocks that should have fitted twice: the reserved kilobyte
    assert [resident_blocks("9.0", kib * KIB) for kib in (113, 114, 31, 32)] == [2, 1, 7, 6]


def test_no_block_count_read_off_an_h200_is_above_what_shared_memory_allows():
    with READINGS.open(newline="") as file:
        rows = [{key: int(value) for key, value in row.items()} for row in csv.DictReader(file)]
    bound = 0
    for row in rows:
        if row["dynamic_shared_bytes"]:
            allowed = resident_blocks("9.0", row["dynamic_shared_bytes"])
            assert row["blocks_per_sm"] <= allowed
            # one warp and few registers: nothing but shared memory and the 32 block slots can limit
            if row["threads_per_block"] == 32 and row["registers_per_thread"] <= 32:
                assert row["blocks_per_sm"] == min(allowed, 32)
                bound += allowed < 32
    assert bound > 10


def test_lab_one_the_tile_of_64_by_128():
    tile = traffic(*FFN, 64, 128, 32)
    # 2·64·32 + 2·32·128 + 4·64·128 = 4,096 + 8,192 + 32,768
    assert tile.storage_bytes == 45_056 == 44 * KIB
    assert (tile.a_reads, tile.b_reads) == (96, 16)
    assert tile.total_bytes == (96 * 8 + 16 * 96 + 24) * MIB == 2328 * MIB


def test_sizes_that_do_not_divide_against_a_walk():
    random = Random(5)
    for _ in range(150):
        sizes = [random.randint(1, 12) for _ in range(3)]
        tile = [random.randint(1, 14) for _ in range(3)]
        element_bytes = random.choice([1, 2, 4, 8])
        got = traffic(*sizes, *tile, element_bytes=element_bytes)
        assert (got.a_bytes, got.b_bytes, got.c_bytes, got.flops) == walked(*sizes, *tile, element_bytes)
        assert got.total_bytes == got.a_bytes + got.b_bytes + got.c_bytes
        assert got.intensity == got.flops / got.total_bytes


def test_a_tail_is_not_read_beyond_its_edge():
    # 1000 = 15·64 + 40: sixteen tiles a side, but only 1000 rows and columns exist
    tile = traffic(1000, 1000, 1000, 64, 64, 32)
    assert tile.a_bytes == tile.b_bytes == 2 * 1000 * 1000 * 16
    assert tile.c_bytes == 2_000_000
    assert (tile.k_steps, tile.output_tiles) == (32, 256)
    assert tile.flops == 2 * 10**9


def test_depth_changes_storage_only_and_accumulators_have_a_width_of_their_own():
    shallow, deep = traffic(*FFN, 64, 64, 32), traffic(*FFN, 64, 64, 64)
    assert deep.total_bytes == shallow.total_bytes
    assert deep.storage_bytes - shallow.storage_bytes == 8 * KIB
    assert traffic(*FFN, 64, 64, 32, accumulator_bytes=2).storage_bytes == 16 * KIB
    eight_bit = traffic(*FFN, 64, 64, 32, element_bytes=1)
    assert eight_bit.total_bytes == 1548 * MIB
    assert eight_bit.storage_bytes == 20 * KIB


@pytest.mark.parametrize("bad", [0, -1, 2**31, True, 64.0, float("nan"), "64", None])
@pytest.mark.parametrize("name", ["M", "N", "K", "m", "n", "k"])
def test_sides_are_checked(name, bad):
    sizes = {"M": 8, "N": 8, "K": 8, "m": 4, "n": 4, "k": 4, name: bad}
    with pytest.raises(ValueError, match=rf"^{name} is .*; it must be a whole number from 1 to 2147483647$"):
        traffic(**sizes)
    if name.islower():
        with pytest.raises(ValueError, match=rf"^{name} is "):
            ledger(**{key: sizes[key] for key in "mnk"}, element_bytes=2, stages=1, shared_limit_bytes=0)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"element_bytes": 0}, "element_bytes is 0; it must be a whole number from 1 to 16"),
        ({"element_bytes": 17}, "element_bytes is 17"),
        ({"element_bytes": 0.5}, "element_bytes is 0.5"),
        ({"stages": 0}, "stages is 0; it must be a whole number from 1 to 64"),
        ({"stages": 65}, "stages is 65"),
        ({"stages": True}, "stages is True"),
        ({"shared_limit_bytes": -1}, "shared_limit_bytes is -1; it must be a whole number ≥ 0"),
        ({"shared_limit_bytes": 49152.0}, "shared_limit_bytes is 49152.0"),
    ],
)
def test_a_ledger_of_something_else_is_refused(changed, message):
    given = {"m": 64, "n": 64, "k": 32, "element_bytes": 2, "stages": 2, "shared_limit_bytes": 49152}
    with pytest.raises(ValueError, match=f"^{message}"):
        ledger(**(given | changed))


def test_widths_and_blocks_of_something_else_are_refused():
    for name in ("element_bytes", "accumulator_bytes"):
        for bad in (0, 17, 2.0, True):
            with pytest.raises(ValueError, match=f"^{name} is {bad!r}; it must be a whole number from 1 to 16$"):
                traffic(*FFN, 64, 64, 32, **{name: bad})
    with pytest.raises(ValueError, match=r"^shared_bytes is 0; it must be a whole number ≥ 1$"):
        resident_blocks("9.0", 0)
    with pytest.raises(ValueError, match=r"'9\.1' is not in the table"):
        resident_blocks("9.1", 1)


def test_the_limits_themselves_are_allowed():
    assert ledger(2**31 - 1, 1, 1, 16, 64, 0).memory_bytes == 16 * 2**31
    assert traffic(2**31 - 1, 1, 1, 1, 1, 1, 16, 16).b_reads == 2**31 - 1
