"""Coalescing against the profiler's counters, worked values and an independent second simulator."""

import csv
import doctest
import random
from pathlib import Path

import pytest

import sim.coalescing
from sim.address_pattern import parse_pattern
from sim.coalescing import simulate, strided

with (Path(__file__).parents[2] / "chapters/recorded/tables/h200" / "global_loads.csv").open(encoding="utf-8") as file:
    READINGS = [
        (
            f"{row['case']}-{row['width_bytes']}",
            tuple(int(row[f"lane{lane}"]) for lane in range(32)),
            int(row["width_bytes"]),
            int(row["sectors"]),
            int(row["requests"]),
        )
        for row in csv.DictReader(file)
    ]


def naive(addresses, width_bytes, *, sector=32, share=True, span=False, by_half=False):
    """(sectors, lines, bytes used, bytes moved), byte by byte, from one bitmap of memory.

    The keywords plant wrong rules: another sector size, no sharing between lanes, everything from the lowest to the
    highest address moved, half-warps served apart.
    """
    marks = set()
    for lane, address in enumerate(addresses):
        if address >= 0:
            who = None if share else lane
            who = (who, lane // 16) if by_half else (who, 0)
            marks |= {(address + byte, who) for byte in range(width_bytes)}
    used = {byte for byte, _ in marks}
    sectors = {(byte // sector, who) for byte, who in marks}
    if span and used:
        sectors = set(range(min(used) // sector, max(used) // sector + 1))
    return len(sectors), len({byte // 128 for byte in used}), len(used), sector * len(sectors)


def counts(access):
    return access.sectors, access.lines, access.bytes_used, access.bytes_moved


def random_access(rng):
    """One access; shared sectors, scattered lanes, inactive lanes and empty warps all come up often."""
    width_bytes = rng.choice((1, 2, 4, 8, 16))
    span = rng.choice((1, 8, 32, 64, 512, 4096))
    base = rng.randrange(1024)
    if rng.random() < 0.3:
        stride = rng.randrange(1, 40)
        addresses = [(base + lane * stride) * width_bytes for lane in range(32)]
    else:
        addresses = [(base + rng.randrange(span)) * width_bytes for _ in range(32)]
    off = rng.choice((0, 0, 0.1, 0.5, 0.9, 1))
    return tuple(-1 if rng.random() < off else address for address in addresses), width_bytes


def test_docstring_examples_hold():
    result = doctest.testmod(sim.coalescing)
    assert result.attempted
    assert not result.failed


def test_readings_hold_every_kind_of_access():
    assert len(READINGS) == 195
    assert {width for _, _, width, _, _ in READINGS} == {1, 2, 4, 8, 16}
    assert any(-1 in addresses for _, addresses, *_ in READINGS)


@pytest.mark.parametrize(
    ("addresses", "width", "sectors", "requests"), [r[1:] for r in READINGS], ids=[r[0] for r in READINGS]
)
def test_equals_the_profiler(addresses, width, sectors, requests):
    access = simulate(addresses, width)
    assert (access.sectors, access.requests) == (sectors, requests)


@pytest.mark.parametrize(
    "wrong",
    [{"sector": 64}, {"sector": 128}, {"sector": 16}, {"share": False}, {"span": True}, {"by_half": True}],
    ids=str,
)
def test_the_readings_refute_other_rules(wrong):
    def misses(**rule):
        return sum(naive(addresses, width, **rule)[0] != sectors for _, addresses, width, sectors, _ in READINGS)

    assert misses() == 0
    assert misses(**wrong) > 0


def test_agrees_with_a_second_simulator_on_random_accesses():
    rng = random.Random(2026)
    seen = {"inactive": 0, "empty": 0, "shared": 0, "scattered": 0, "wasteful": 0}
    for _ in range(10_000):
        addresses, width = random_access(rng)
        access = simulate(addresses, width)
        assert counts(access) == naive(addresses, width), (addresses, width)
        seen["inactive"] += -1 in addresses
        seen["empty"] += access.sectors == 0
        seen["shared"] += 0 < access.bytes_used < width * sum(address >= 0 for address in addresses)
        seen["scattered"] += access.sectors > 16
        seen["wasteful"] += 0 < access.efficiency < 0.5
    assert min(seen.values()) > 500, seen


# The worked values: name, addresses, bytes a lane, sectors, lines, efficiency in %.
WORKED = [
    ("float", strided(4), 4, 4, 1, 100),
    ("float, one element off", strided(4, offset_bytes=4), 4, 5, 2, 80),
    ("float, 16 bytes off", strided(4, offset_bytes=16), 4, 5, 2, 80),
    ("float, 32 bytes off", strided(4, offset_bytes=32), 4, 4, 2, 100),
    ("float, stride 2", strided(4, 2), 4, 8, 2, 50),
    ("float, stride 4", strided(4, 4), 4, 16, 4, 25),
    ("float, stride 8", strided(4, 8), 4, 32, 8, 12.5),
    ("float, stride 32", strided(4, 32), 4, 32, 32, 12.5),
    ("float, reversed", strided(4, -1, offset_bytes=124), 4, 4, 1, 100),
    ("one float", strided(4, 0, offset_bytes=64), 4, 1, 1, 12.5),
    ("half", strided(2), 2, 2, 1, 100),
    ("double", strided(8), 8, 8, 2, 100),
    ("float4", strided(16), 16, 16, 4, 100),
    ("float4, 16 bytes off", strided(16, offset_bytes=16), 16, 17, 5, 94.1),
    ("a float of a 12-byte struct", strided(4, 3), 4, 12, 3, 33.3),
    ("a float of a 24-byte struct", strided(4, 6), 4, 24, 6, 16.7),
    ("drawn: lanes in pairs", parse_pattern("i//2*4"), 4, 2, 1, 100),
]


@pytest.mark.parametrize(
    ("addresses", "width", "sectors", "lines", "percent"), [w[1:] for w in WORKED], ids=[w[0] for w in WORKED]
)
def test_worked_values(addresses, width, sectors, lines, percent):
    access = simulate(addresses, width)
    assert (access.sectors, access.lines) == (sectors, lines)
    assert access.bytes_moved == 32 * sectors
    assert round(100 * access.efficiency, 1) == percent


def test_from_a_stride_of_8_floats_every_lane_costs_a_sector():
    assert {simulate(strided(4, stride)).sectors for stride in range(8, 100)} == {32}


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16])
def test_sectors_of_a_run_are_those_between_its_ends(width):
    for first in range(0, 64, width):
        last = first + 32 * width - 1
        assert simulate(strided(width, offset_bytes=first), width).sectors == last // 32 - first // 32 + 1


@pytest.mark.parametrize("seed", range(60))
def test_the_trace_names_who_asks_for_what(seed):
    addresses, width = random_access(random.Random(seed))
    access = simulate(addresses, width)
    asked = {lane: sector.address for sector in access.sectors_touched for lane in sector.lanes}
    assert asked == {lane: address // 32 * 32 for lane, address in enumerate(addresses) if address >= 0}
    starts = [sector.address for sector in access.sectors_touched]
    assert starts == sorted(set(starts))
    for line in access.lines_touched:
        assert line.address % 128 == 0
        assert all(line.address <= sector.address < line.address + 128 for sector in line.sectors)
    for sector in access.sectors_touched:
        assert sector.lanes == tuple(sorted(sector.lanes))
        assert sector.bytes_used == len({addresses[lane] + b for lane in sector.lanes for b in range(width)})


@pytest.mark.parametrize("seed", range(40))
def test_what_is_unused_and_what_would_do(seed):
    addresses, width = random_access(random.Random(seed))
    access = simulate(addresses, width)
    asked = {address + byte for address in addresses if address >= 0 for byte in range(width)}
    around = {byte // 32 * 32 + k for byte in asked for k in range(32)}
    assert access.bytes_unused == len(around - asked)
    assert access.active_lanes == 32 - addresses.count(-1)
    assert 32 * access.sectors_needed - 32 < len(asked) <= 32 * access.sectors_needed
    assert access.span_bytes == (max(asked) - min(asked) + 1 if asked else 0)


def test_a_warp_with_no_active_lane_moves_nothing():
    access = simulate([-1] * 32, 8)
    assert (*counts(access), access.requests, access.efficiency) == (0, 0, 0, 0, 0, 0.0)
    assert access.sectors_touched == ()


def with_lane(lane, address):
    return [address if i == lane else 16 * i for i in range(32)]


@pytest.mark.parametrize(
    ("addresses", "width", "message"),
    [
        ([0] * 31, 4, "31 addresses given; a warp has 32 lanes"),
        ([0] * 33, 4, "33 addresses given"),
        ([], 4, "0 addresses given"),
        (with_lane(3, -2), 4, "lane 3: address -2; it must be a whole number of bytes ≥ 0, or -1"),
        (with_lane(3, True), 4, "lane 3: address True"),
        (with_lane(3, 4.0), 4, r"lane 3: address 4\.0"),
        (with_lane(3, float("nan")), 4, "lane 3: address nan"),
        (with_lane(3, "4"), 4, "lane 3: address '4'"),
        (with_lane(3, None), 4, "lane 3: address None"),
        (with_lane(31, 1), 2, "lane 31: address 1 is misaligned; an access of 2 bytes needs a multiple of 2"),
        (with_lane(31, 2), 4, "lane 31: address 2 is misaligned"),
        (with_lane(0, 4), 8, "lane 0: address 4 is misaligned; an access of 8 bytes"),
        (with_lane(0, 8), 16, "lane 0: address 8 is misaligned; an access of 16 bytes"),
        ([0] * 32, 32, "width_bytes is 32; a lane loads or stores 1, 2, 4, 8 or 16 bytes"),
        ([0] * 32, 3, "width_bytes is 3"),
        ([0] * 32, 0, "width_bytes is 0"),
        ([0] * 32, True, "width_bytes is True"),
        ([0] * 32, 4.0, r"width_bytes is 4\.0"),
    ],
)
def test_refuses(addresses, width, message):
    with pytest.raises(ValueError, match=message):
        simulate(addresses, width)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3,), "width_bytes is 3"),
        ((4, 1.0), r"stride is 1\.0; it must be a whole number"),
        ((4, True), "stride is True"),
        ((4, 1, -4), "offset_bytes is -4; it must be a whole number ≥ 0"),
        ((4, -1), "lane 31 would be at address -124; raise offset_bytes until it is ≥ 0"),
        ((1, -1, 30), "lane 31 would be at address -1"),  # not an inactive lane
    ],
)
def test_strided_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        strided(*arguments)


def test_the_trace_is_frozen():
    with pytest.raises(AttributeError):
        simulate([0] * 32).width_bytes = 8
