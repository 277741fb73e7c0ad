"""Tile layouts against worked values, the readings' own columns, and what a layout must keep."""

import csv
from pathlib import Path

import pytest

from sim.bank_conflicts import simulate
from sim.tile_addresses import Tile, column, parse_pattern, row, tma_swizzle

with (Path(__file__).parents[2] / "chapters/recorded/tables/h200" / "shared_memory.csv").open(encoding="utf-8") as file:
    READINGS = {(row["case"], row["op"], int(row["width_bytes"])): row for row in csv.DictReader(file)}


def reading(case, op, width_bytes):
    row = READINGS[case, op, width_bytes]
    return tuple(int(row[f"lane{lane}"]) for lane in range(32)), int(row["wavefronts"])


def test_column_of_a_32_by_32_float_tile():
    for c in range(32):
        assert simulate(column(32, 32, c, pitch_words=32)).wavefronts == 32
        assert simulate(column(32, 32, c, pitch_words=33)).wavefronts == 1
        assert simulate(column(32, 32, c, pitch_words=32, swizzle="xor")).wavefronts == 1


@pytest.mark.parametrize("op", ["load", "store"])
@pytest.mark.parametrize(
    ("tile", "wavefronts", "extra"),
    [(Tile(32, 32, 32), 1024, 992), (Tile(32, 32, 33), 32, 0), (Tile(32, 32, 32, swizzle="xor"), 32, 0)],
)
def test_whole_32_by_32_tile_by_columns(tile, op, wavefronts, extra):
    totals = tile.by_columns(op)
    assert (totals.requests, totals.wavefronts, totals.extra_wavefronts) == (32, wavefronts, extra)
    assert totals.ideal_wavefronts == wavefronts - extra


@pytest.mark.parametrize("swizzle", ["none", "xor", "tma128"])
def test_rows_of_a_32_by_32_tile_are_free_in_every_layout(swizzle):
    totals = Tile(32, 32, 32, swizzle=swizzle).by_rows()
    assert (totals.requests, totals.wavefronts, totals.extra_wavefronts) == (32, 32, 0)


def test_totals_add_up_over_tiles_larger_than_a_warp():
    # 40 × 33 floats, pitch 33: a column takes requests of 32 and 8 rows; an odd pitch spreads both.
    by_columns, by_rows = Tile(40, 33, 33).by_columns(), Tile(40, 33, 33).by_rows()
    assert (by_columns.requests, by_columns.wavefronts, by_columns.extra_wavefronts) == (66, 66, 0)
    assert (by_rows.requests, by_rows.wavefronts, by_rows.extra_wavefronts) == (80, 80, 0)
    # Pitch 64: 32 rows in one bank, then 8.
    assert Tile(40, 33, 64).by_columns().wavefronts == 33 * (32 + 8)


# One 8 × 8 phase of ldmatrix: 8 rows × 16 bytes, one column, rows one swizzle width apart.
@pytest.mark.parametrize(("row_bytes", "swizzle", "plain"), [(128, "tma128", 8), (64, "tma64", 4), (32, "tma32", 2)])
def test_tma_swizzle_makes_8_rows_of_16_bytes_free(row_bytes, swizzle, plain):
    for c in range(row_bytes // 16):
        for layout, wavefronts in (("none", plain), (swizzle, 1)):
            access = simulate(column(8, row_bytes // 16, c, row_bytes // 4, 16, layout), 16)
            assert (access.wavefronts, access.ideal_wavefronts) == (wavefronts, 1)


def test_tma_swizzle_moves_chunks_as_the_table_says():
    # Index relation: chunk x of 128-byte line y lies at chunk x ^ (y mod 8, 4 or 2).
    for row_bytes, period in ((128, 8), (64, 4), (32, 2)):
        for address in range(0, 4096, 2):
            y, x, rest = address // 128, address % 128 // 16, address % 16
            assert tma_swizzle(address, row_bytes) == y * 128 + (x ^ y % period) * 16 + rest
        repeat = period * 128  # 1024, 512, 256 bytes
        assert all(tma_swizzle(a + repeat, row_bytes) == tma_swizzle(a, row_bytes) + repeat for a in range(repeat))


def test_tma_swizzle_is_the_bit_rule():
    # Bits 4-6 ^= bits 7-9; 4-5 ^= 7-8; 4 ^= 7, with the masks 0x380, 0x180, 0x080 shifted by 3.
    for row_bytes, mask in ((128, 0x380), (64, 0x180), (32, 0x080)):
        for address in range(4096):
            assert tma_swizzle(address, row_bytes) == address ^ ((address & mask) >> 3)


@pytest.mark.parametrize("op", ["load", "store"])
@pytest.mark.parametrize("width", [4, 8, 16])
def test_swizzled_columns_are_the_measured_ones(width, op):
    columns = 128 // width
    for case, swizzle in (("xorcol", "xor"), ("xor16col", "tma128")):
        addresses, wavefronts = reading(case, op, width)
        assert column(32, columns, 0, 32, width, swizzle) == addresses
        assert simulate(addresses, width, op).wavefronts == wavefronts


TILES = [
    Tile(32, 32, 32),
    Tile(32, 32, 33),
    Tile(7, 5, 9),
    Tile(40, 8, 8, swizzle="xor"),
    Tile(4, 64, 65, swizzle="xor"),
    Tile(32, 16, 32, 8, "xor"),
    Tile(32, 8, 36, 16, "xor"),
    *(Tile(24, width, bytes_ // 4, 4, f"tma{bytes_}") for bytes_ in (32, 64, 128) for width in (4, bytes_ // 4)),
    *(Tile(24, bytes_ // 16, bytes_ // 4, 16, f"tma{bytes_}") for bytes_ in (32, 64, 128)),
    *(Tile(24, bytes_ // 8, bytes_ // 4, 8, f"tma{bytes_}") for bytes_ in (32, 64, 128)),
]


@pytest.mark.parametrize("tile", TILES, ids=str)
def test_a_layout_gives_each_element_its_own_aligned_bytes_inside_the_tile(tile):
    seen = set()
    for r in range(tile.rows):
        for c in range(tile.columns):
            address = tile.address(r, c)
            assert address % tile.width_bytes == 0
            seen.update(range(address, address + tile.width_bytes))
    assert len(seen) == tile.rows * tile.columns * tile.width_bytes
    # TMA counts 128-byte lines: chunks may move between the rows that share one.
    size = tile.rows * tile.pitch_words * 4
    assert min(seen) >= 0
    assert max(seen) < size


@pytest.mark.parametrize("tile", TILES, ids=str)
def test_rows_and_columns_go_through_the_same_elements(tile):
    def all_of(requests):
        return sorted(address for request in requests for address in request if address >= 0)

    by_rows = all_of(tile.row(r, s) for r in range(tile.rows) for s in range(0, tile.columns, 32))
    by_columns = all_of(tile.column(c, s) for c in range(tile.columns) for s in range(0, tile.rows, 32))
    assert by_rows == by_columns == sorted({*by_rows})
    assert len(by_rows) == tile.rows * tile.columns


def test_lanes_past_the_edge_are_inactive():
    assert column(3, 4, 1, pitch_words=4) == (4, 20, 36, *[-1] * 29)
    assert row(3, 4, 1, pitch_words=4) == (16, 20, 24, 28, *[-1] * 28)
    assert Tile(34, 4, 4).column(0, first_row=32) == (512, 528, *[-1] * 30)
    assert Tile(4, 34, 34).row(0, first_column=32) == (128, 132, *[-1] * 30)


def test_the_padded_column_can_be_typed():
    assert parse_pattern("i*132") == column(32, 32, 0, pitch_words=33)
    assert parse_pattern("i*32 + (5^i)", unit_bytes=4) == column(32, 32, 5, pitch_words=32, swizzle="xor")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 32, 32), "rows is 0; it must be a whole number ≥ 1"),
        ((32, -1, 32), "columns is -1; it must be"),
        ((32, 32, 32.5), r"pitch_words is 32\.5"),
        ((True, 32, 32), "rows is True"),
        ((32, 32, 32, 2), "width_bytes is 2; an element has 4, 8 or 16 bytes"),
        ((32, 32, 32, 4, "tma256"), "swizzle is 'tma256'; it must be one of none, xor, tma32, tma64, tma128"),
        ((32, 32, 31), "pitch_words is 31; a row of 32 × 4 bytes needs at least 32"),
        ((32, 16, 33, 8), "pitch_words is 33; rows of 8-byte elements stay aligned only at a multiple of 2"),
        ((32, 8, 33, 16), "rows of 16-byte elements stay aligned only at a multiple of 4"),
        ((1000, 32, 64), "1,000 rows of 256 bytes are 256,000 bytes; a block has at most 232,448"),
        ((32, 24, 24, 4, "xor"), "columns is 24; the xor layout needs a power of two"),
        (
            (32, 64, 64, 4, "tma128"),
            "columns is 64, so a row has 256 bytes; tma128 needs a multiple of 16, at most 128",
        ),
        (
            (32, 6, 8, 4, "tma32"),
            "columns is 6, so a row has 24 bytes; tma32 needs a multiple of 16, at most 32",
        ),
        (
            (32, 32, 33, 4, "tma128"),
            "pitch_words is 33; tma128 places rows every 128 bytes, so it must be 32",
        ),
    ],
)
def test_refuses_tiles(arguments, message):
    with pytest.raises(ValueError, match=message):
        Tile(*arguments)


def test_a_tile_may_fill_a_block_s_shared_memory_and_no_more():
    assert Tile(1816, 32, 32).rows * 128 == 232_448
    with pytest.raises(ValueError, match="at most 232,448"):
        Tile(1817, 32, 32)


def test_refuses_what_lies_outside_the_tile():
    tile = Tile(4, 8, 8)
    for call, message in (
        (lambda: tile.address(4, 0), r"row is 4; it must be a whole number in 0\.\.3"),
        (lambda: tile.address(0, 8), r"column is 8; it must be a whole number in 0\.\.7"),
        (lambda: tile.address(-1, 0), "row is -1"),
        (lambda: tile.column(0, first_row=4), r"first_row is 4; it must be a whole number in 0\.\.3"),
        (lambda: tile.row(0, first_column=8), "first_column is 8"),
        (lambda: column(4, 8, 8, 8), "column is 8"),
        (lambda: row(4, 8, 4, 8), "row is 4"),
        (lambda: tile.by_rows("atomic"), "op is 'atomic'"),
        (lambda: tma_swizzle(0, 16), "row_bytes is 16; TMA swizzles rows of 32, 64 or 128 bytes"),
        (lambda: tma_swizzle(-1, 32), "address is -1; it must be a whole number ≥ 0"),
        (lambda: tma_swizzle(1.0, 32), r"address is 1\.0"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
