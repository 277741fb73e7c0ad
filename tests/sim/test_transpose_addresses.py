"""Addresses of a transposition: moving data along them really transposes."""

import doctest

import numpy as np
import pytest

import sim.transpose_addresses
from sim.tile_addresses import Tile
from sim.transpose_addresses import Plan

LAYOUTS = [
    Tile(8, 8, 8),
    Tile(8, 8, 11),
    Tile(32, 32, 33),
    Tile(16, 16, 16, swizzle="xor"),
    Tile(2, 2, 2),
    Tile(1, 1, 1),
]
LAYOUTS += [Tile(64, 64, 65), Tile(32, 32, 32, swizzle="tma128"), Tile(4, 4, 8, 8), Tile(8, 8, 36, 16)]


def test_docstring_examples_hold():
    result = doctest.testmod(sim.transpose_addresses)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize(("rows", "columns"), [(16, 16), (10, 37), (1, 5), (33, 8)])
def test_data_moved_along_the_addresses_is_transposed(rows, columns, layout):
    plan, size, side = Plan(rows, columns, layout), layout.width_bytes, layout.rows
    matrix = np.arange(rows * columns).reshape(rows, columns)
    device = {size * i: int(value) for i, value in enumerate(matrix.flat)}
    staged, direct = {}, {}
    for tile_row in range(-(-rows // side)):
        for tile_column in range(-(-columns // side)):

            def move(source, load, target, store, place=(tile_row, tile_column)):
                for request in range(plan.requests):
                    pairs = zip(
                        plan.addresses(load, request, *place), plan.addresses(store, request, *place), strict=True
                    )
                    for read, write in pairs:
                        assert (read == -1) == (write == -1)
                        if read != -1:
                            assert write not in target  # nothing is written twice
                            target[write] = source[read]

            shared = {}
            move(device, "global load", shared, "shared store")
            move(shared, "shared load", staged, "global store")
            move(device, "global load", direct, "direct store")
            assert max(shared) < layout.rows * layout.pitch_words * 4
    expected = {size * i: int(value) for i, value in enumerate(matrix.T.flat)}
    assert staged == expected
    assert direct == expected


def test_small_tiles_put_several_rows_into_a_request():
    plan = Plan(1024, 1024, Tile(8, 8, 8))
    assert plan.requests == 2
    rows = plan.addresses("global load", 0)
    assert rows == tuple(row * 4096 + column * 4 for row in range(4) for column in range(8))
    assert plan.addresses("global load", 1, 1, 2)[0] == ((8 + 4) * 1024 + 16) * 4
    assert plan.addresses("global store", 0, 1, 2)[0] == (16 * 1024 + 8) * 4
    assert plan.addresses("shared load", 0)[:9] == (*range(0, 256, 32), 4)


def test_lanes_outside_the_matrix_are_inactive():
    plan = Plan(1, 5, Tile(8, 8, 9))
    assert plan.addresses("global load", 0)[:9] == (0, 4, 8, 12, 16, -1, -1, -1, -1)
    assert [address for address in plan.addresses("global store", 0) if address >= 0] == [0, 4, 8, 12]
    assert [address for address in plan.addresses("global store", 1) if address >= 0] == [16]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 1, Tile(8, 8, 8)), "rows is 0; it must be a whole number from 1 to 65536"),
        ((1, 65_537, Tile(8, 8, 8)), "columns is 65537"),
        ((1, True, Tile(8, 8, 8)), "columns is True"),
        ((1.0, 1, Tile(8, 8, 8)), r"rows is 1\.0"),
        ((1, 1, Tile(8, 16, 16)), "the tile is 8 × 16; it must be square, with one of 1, 2, 4, 8, 16, 32, 64"),
        ((1, 1, Tile(24, 24, 24)), "the tile is 24 × 24"),
    ],
)
def test_a_plan_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        Plan(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("load", 0), "stage is 'load'; it must be one of global load, shared store"),
        (("global load", 2), "request is 2; it must be a whole number from 0 to 1"),
        (("global load", -1), "request is -1"),
        (("global load", True), "request is True"),
        (("global load", 0, 2), "tile_row is 2; it must be a whole number from 0 to 1"),
        (("global load", 0, 0, 1.0), r"tile_column is 1\.0"),
    ],
)
def test_addresses_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        Plan(16, 16, Tile(8, 8, 8)).addresses(*arguments)
