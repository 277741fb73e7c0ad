"""Sectors and wavefronts of a transposition against worked values and a count of every request."""

import doctest

import pytest

import sim.transpose
from sim import bank_conflicts, coalescing
from sim.tile_addresses import Tile
from sim.transpose import simulate


def sectors_of(addresses, size):
    return len({(address + byte) // 32 for address in addresses for byte in range(size)})


def wavefronts_of(addresses, size, load):
    """Degree of conflict of lanes whose words all differ, by parts of 128 bytes.

    Wide loads whose active lanes have no active neighbour, at a distance of 1 or of 2, take parts of 256 bytes.
    """
    active = {lane for lane, address in enumerate(addresses) if address >= 0}
    apart = any(not any(lane ^ distance in active for lane in active) for distance in (1, 2))
    lanes, total = (256 if load and size > 4 and apart else 128) // size, 0
    for start in range(0, 32, lanes):
        banks = [(a + b) // 4 % 32 for a in addresses[start : start + lanes] if a >= 0 for b in range(0, size, 4)]
        total += max(map(banks.count, banks), default=0)
    return total


def count_all(rows, columns, layout):
    """Every request of every tile, from element (r, c) to its places and no other code."""
    side, size = layout.rows, layout.width_bytes
    keys = ("global load", "shared store", "shared load", "global store", "direct store")
    requests, costs = dict.fromkeys(keys, 0), dict.fromkeys(keys, 0)
    for r0 in range(0, rows, side):
        for c0 in range(0, columns, side):
            for first in range(0, side * side, 32):
                lanes = dict.fromkeys(keys)
                for key in keys:
                    lanes[key] = []
                for cell in range(first, min(first + 32, side * side)):
                    y, x = divmod(cell, side)
                    if r0 + y < rows and c0 + x < columns:
                        lanes["global load"].append(((r0 + y) * columns + c0 + x) * size)
                        lanes["shared store"].append(layout.address(y, x))
                        lanes["direct store"].append(((c0 + x) * rows + r0 + y) * size)
                    else:
                        lanes["shared store"].append(-1)
                    if r0 + x < rows and c0 + y < columns:
                        lanes["shared load"].append(layout.address(x, y))
                        lanes["global store"].append(((c0 + y) * rows + r0 + x) * size)
                    else:
                        lanes["shared load"].append(-1)
                for key, addresses in lanes.items():
                    shared = key.startswith("shared")
                    cost = wavefronts_of(addresses, size, "load" in key) if shared else sectors_of(addresses, size)
                    requests[key] += cost > 0
                    costs[key] += cost
    return [(requests[key], costs[key]) for key in keys]


def totals(trace):
    return [
        (trace.global_loads.requests, trace.global_loads.sectors),
        (trace.shared_stores.requests, trace.shared_stores.wavefronts),
        (trace.shared_loads.requests, trace.shared_loads.wavefronts),
        (trace.global_stores.requests, trace.global_stores.sectors),
        (trace.direct_stores.requests, trace.direct_stores.sectors),
    ]


def test_docstring_examples_hold():
    result = doctest.testmod(sim.transpose)
    assert result.attempted
    assert not result.failed


# 1024 × 1024 floats. Tile, padding in words, swizzle → wavefronts a request of the shared stores and loads, sectors a
# request of global loads and stores, of direct stores. A column of the tile lies on 32 / pitch rows' worth of banks.
WORKED = [
    (8, 0, "none", 1, 2, 4, 8),
    (16, 0, "none", 1, 8, 4, 16),
    (32, 0, "none", 1, 32, 4, 32),
    (64, 0, "none", 1, 32, 4, 32),
    (32, 1, "none", 1, 1, 4, 32),
    (64, 1, "none", 1, 1, 4, 32),
    (32, 2, "none", 1, 2, 4, 32),
    (32, 0, "xor", 1, 1, 4, 32),
    (64, 0, "xor", 1, 1, 4, 32),
    (32, 0, "tma128", 1, 4, 4, 32),
]


@pytest.mark.parametrize(("tile", "padding", "swizzle", "stores", "loads", "sectors", "direct"), WORKED)
def test_worked_values(tile, padding, swizzle, stores, loads, sectors, direct):
    trace = simulate(1024, 1024, tile, padding, swizzle)
    requests = 1024 * 1024 // 32
    assert totals(trace) == [
        (requests, requests * sectors),
        (requests, requests * stores),
        (requests, requests * loads),
        (requests, requests * sectors),
        (requests, requests * direct),
    ]
    assert trace.global_loads.efficiency == trace.global_stores.efficiency == 1
    assert trace.direct_stores.efficiency == 4 / direct
    assert trace.direct_stores.sectors_per_request == direct


def test_a_32_by_32_tile_has_992_extra_wavefronts_or_none():
    tiles = 32 * 32
    assert simulate(padding_words=0).shared_loads.extra_wavefronts == 992 * tiles
    assert simulate(padding_words=1).shared_loads.extra_wavefronts == 0
    assert simulate(swizzle="xor").shared_loads.extra_wavefronts == 0
    assert simulate().plan.layout.by_columns().extra_wavefronts == 992


CASES = [
    (rows, columns, tile, padding, swizzle, size)
    for rows, columns in ((40, 40), (33, 50), (7, 65))
    for tile in (1, 2, 4, 8, 16, 32, 64)
    for padding, swizzle, size in ((0, "none", 4), (1, "none", 4), (0, "xor", 4), (2, "none", 8), (4, "none", 16))
    if tile * tile * size <= 65_536 and (tile > 2 or (rows == 33 and size != 8))
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_agrees_with_a_count_of_every_request(case):
    rows, columns, tile, padding, swizzle, size = case
    layout = Tile(tile, tile, tile * size // 4 + padding, size, swizzle)
    assert totals(simulate(*case)) == count_all(rows, columns, layout)


@pytest.mark.parametrize("case", CASES[::7], ids=str)
def test_totals_are_sums_of_the_other_simulators_over_the_plan(case):
    rows, columns, tile, *_, size = case
    trace = simulate(*case)
    places = [(r, c) for r in range(-(-rows // tile)) for c in range(-(-columns // tile))]

    def every(stage):
        return (trace.plan.addresses(stage, q, *place) for place in places for q in range(trace.plan.requests))

    for stage, got in (("global load", trace.global_loads), ("direct store", trace.direct_stores)):
        accesses = [coalescing.simulate(addresses, size) for addresses in every(stage)]
        assert sum(access.sectors for access in accesses) == got.sectors
        assert sum(access.bytes_used for access in accesses) == got.bytes_used == rows * columns * size
    for stage, op, got in (("shared store", "store", trace.shared_stores), ("shared load", "load", trace.shared_loads)):
        accesses = [bank_conflicts.simulate(addresses, size, op) for addresses in every(stage)]
        assert sum(access.wavefronts for access in accesses) == got.wavefronts
        assert sum(access.ideal_wavefronts for access in accesses) == got.ideal_wavefronts


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rows": 0}, "rows is 0"),
        ({"columns": float("nan")}, "columns is nan"),
        ({"tile": 24}, "tile is 24; it must be one of 1, 2, 4, 8, 16, 32, 64"),
        ({"tile": True}, "tile is True"),
        ({"tile": 32.0}, r"tile is 32\.0"),
        ({"padding_words": -1}, "padding_words is -1; it must be a whole number ≥ 0"),
        ({"padding_words": True}, "padding_words is True"),
        ({"element_bytes": 2}, "element_bytes is 2; it must be 4, 8 or 16"),
        ({"element_bytes": 8, "padding_words": 1}, "pitch_words is 65"),
        ({"swizzle": "tma64"}, "tma64 needs a multiple of 16, at most 64"),
        ({"swizzle": "zigzag"}, "swizzle is 'zigzag'"),
    ],
)
def test_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        simulate(**arguments)
