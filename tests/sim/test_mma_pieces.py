import doctest
from random import Random

import pytest

import sim.mma_pieces
from sim.mma_pieces import INSTRUCTIONS, cover, pieces


def test_docstring_examples_hold():
    result = doctest.testmod(sim.mma_pieces)
    assert result.attempted
    assert not result.failed


def test_one_instruction():
    one = pieces(16, 8, 16, warps=1)
    assert one.instructions == 1
    assert one.flops == one.useful_flops == 4096
    # PTX ISA: four 32-bit accumulators a lane for m16n8k16
    assert one.accumulator_registers == 4
    assert [pieces(16, 8, k, 1, kind).flops for kind, k in (("tf32", 8), ("fp8", 32), ("int8", 32))] == [
        2048,
        8192,
        8192,
    ]


def test_the_built_tile():
    tile = pieces(128, 128, 64)
    assert tile.grid == (8, 16, 4)
    assert tile.instructions == 512
    assert tile.warp_instructions == (64,) * 8
    assert tile.padding_flops == 0
    assert tile.useful_share == tile.balance == 1
    assert tile.flops == 2 * 128 * 128 * 64


def test_accumulators_in_registers_or_in_shared_memory():
    tile = pieces(128, 128, 64)
    # 128 × 128 accumulators over 256 threads
    assert tile.accumulator_registers == 128 * 128 // 256 == 64
    assert tile.accumulator_shared_bytes == 64 << 10
    # four steps of k = 16, each reads and writes all 64 KiB
    assert tile.accumulator_traffic_bytes == 4 * 2 * (64 << 10)
    # half the warps, twice the registers; four warps of 128 registers fit, two of 256 do not (255)
    assert [pieces(128, 128, 64, warps).accumulator_registers for warps in (4, 2)] == [128, 256]


def counted(m, n, k, piece):
    """Multiply-adds of all pieces, one by one: executed and inside the tile."""
    executed = inside = 0
    for row in range(0, m, piece[0]):
        for column in range(0, n, piece[1]):
            for start in range(0, k, piece[2]):
                for i in range(row, row + piece[0]):
                    for j in range(column, column + piece[1]):
                        executed += piece[2]
                        inside += sum(i < m and j < n and p < k for p in range(start, start + piece[2]))
    return executed, inside


@pytest.mark.parametrize("kind", INSTRUCTIONS)
@pytest.mark.parametrize("tile", [(16, 8, 32), (1, 1, 1), (17, 9, 33), (30, 20, 7)])
def test_padding_counted_one_multiply_at_a_time(tile, kind):
    got = pieces(*tile, warps=1, kind=kind)
    executed, inside = counted(*tile, INSTRUCTIONS[kind])
    assert got.flops == 2 * executed
    assert got.useful_flops == 2 * inside
    assert got.padding_flops == 2 * (executed - inside)


def test_one_row_too_many_costs_a_row_of_pieces():
    assert pieces(129, 128, 64).instructions == 512 + 64
    assert pieces(128, 129, 64).instructions == 512 + 32
    assert pieces(128, 128, 65).instructions == 512 + 128
    # a matrix product with one thin side: one useful column in eight
    assert pieces(128, 1, 128).useful_share == 1 / 8


def test_pieces_are_dealt_out_evenly_and_none_is_lost():
    random = Random(3)
    for _ in range(200):
        m, n, k, warps = (random.randint(1, most) for most in (100, 100, 100, 32))
        got = pieces(m, n, k, warps)
        rows, columns, deep = got.grid
        assert sum(got.warp_pieces) == rows * columns
        assert max(got.warp_pieces) - min(got.warp_pieces) <= 1
        assert len(got.warp_pieces) == warps
        assert got.instructions == rows * columns * deep
        assert 0 < got.balance <= 1
    # 10 pieces for 8 warps: two warps have two, the others wait for them
    assert pieces(160, 8, 16).balance == 10 / 16
    assert pieces(160, 8, 16).accumulator_registers == 2 * 4


def walked(M, N, K, m, n, k, piece):
    tiles = [(i, j) for i in range(0, M, m) for j in range(0, N, n)]
    useful = executed = 0
    for i, j in tiles:
        for p in range(0, K, k):
            useful += min(m, M - i) * min(n, N - j) * min(k, K - p)
            executed += counted(m, n, k, piece)[0]
    return len(tiles), 2 * useful, 2 * executed


@pytest.mark.parametrize("sizes", [(40, 20, 33), (32, 16, 32), (1, 1, 1), (33, 17, 10)])
@pytest.mark.parametrize("tile", [(32, 16, 32), (20, 12, 10)])
def test_a_whole_product_against_a_walk(sizes, tile):
    got = cover(*sizes, *tile)
    tiles, useful, executed = walked(*sizes, *tile, INSTRUCTIONS["bf16"])
    assert (got.tiles, got.useful_flops, got.flops) == (tiles, useful, executed)
    assert got.tile_padding_flops + got.piece_padding_flops == executed - useful
    assert got.flops == got.instructions * 4096


def test_the_two_paddings_are_told_apart():
    # 1000 = 7·128 + 104 and 15·64 + 40; the tile itself is whole instructions
    edge = cover(1000, 1000, 1000, 128, 128, 64)
    assert edge.piece_padding_flops == 0
    assert edge.tile_padding_flops == 2 * 1024**3 - 2 * 1000**3
    # 100 divides 1000, but 100 rows take 7 pieces of 16 and 100 columns 13 of 8
    inside = cover(1000, 1000, 1000, 100, 100, 50)
    assert inside.tile_padding_flops == 0
    assert inside.flops == 100 * 20 * 2 * 112 * 104 * 64
    even = cover(1024, 12288, 4096, 128, 128, 64)
    assert even.useful_share == 1
    assert even.instructions * 4096 == even.useful_flops == 103_079_215_104


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 8, 16), "m is 0; it must be a whole number from 1 to 512"),
        ((16, 513, 16), "n is 513"),
        ((16, 8, 16.0), "k is 16.0"),
        ((16, 8, True), "k is True"),
        ((16, 8, 16, 0), "warps is 0; it must be a whole number from 1 to 32"),
        ((16, 8, 16, 33), "warps is 33"),
        ((16, 8, 16, 8, "fp64"), "kind is 'fp64'; it must be one of bf16, fp16, tf32, fp8, int8"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        pieces(*arguments)


def test_a_product_of_something_else_is_refused():
    with pytest.raises(ValueError, match=r"^K is 0; it must be a whole number from 1 to 2147483647$"):
        cover(8, 8, 0, 16, 8, 16)
    with pytest.raises(ValueError, match=r"^m is 1024; it must be a whole number from 1 to 512$"):
        cover(8, 8, 8, 1024, 8, 16)
