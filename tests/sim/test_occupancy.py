"""Occupancy against NVIDIA's calculator, an H200, worked cases and blocks placed warp by warp."""

import csv
import doctest
import random
from pathlib import Path

import pytest

import sim.occupancy
from sim.gpus import compute_capabilities, multiprocessor
from sim.occupancy import occupancy

HERE = Path(__file__).parent
TABLES = HERE.parents[1] / "chapters/recorded/tables/h200"


def rows(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


# (threads, registers that the kernel got, bytes, blocks) on an H200, and the same with capability and limiters
# for what NVIDIA's header computes.
READINGS = [tuple(map(int, row.values())) for row in rows(TABLES / "occupancy.csv")]
CALCULATED = [
    (row["compute_capability"], int(row["threads_per_block"]), int(row["registers_per_thread"]),
     int(row["shared_bytes_per_block"]), int(row["blocks_per_sm"]), tuple(row["limiters"].split("+")))
    for row in rows(HERE / "nvidia_occupancy_calculator.csv")
]  # fmt: skip


def test_docstring_examples_hold():
    result = doctest.testmod(sim.occupancy)
    assert result.attempted
    assert not result.failed


def test_every_reading_of_the_h200():
    assert len(READINGS) == 1880
    wrong = [row for row in READINGS if occupancy("9.0", *row[:3]).blocks_per_sm != row[3]]
    assert not wrong


def test_every_value_of_nvidias_calculator():
    assert len(CALCULATED) > 4000
    assert {row[0] for row in CALCULATED} == set(compute_capabilities())
    assert sum(row[4] == 0 for row in CALCULATED) > 1000
    wrong = []
    for capability, threads, registers, shared, blocks, limiters in CALCULATED:
        kernel = occupancy(capability, threads, registers, shared)
        if (kernel.blocks_per_sm, kernel.limiters) != (blocks, limiters):
            wrong.append((capability, threads, registers, shared, blocks, limiters, kernel))
    assert not wrong


# cc, threads, registers, bytes; registers a warp, bytes allocated, limits by warps, registers, shared, slots;
# blocks, warps, percent of occupancy as printed; limiters. Worked with NVIDIA's header.
W, R, S, K = "warps", "registers", "shared_memory", "blocks"
WORKED = [
    ("9.0", 256, 32, 0, 1024, 1024, 8, 8, 228, 32, 8, 64, "100", {W, R}),
    ("9.0", 256, 64, 0, 2048, 1024, 8, 4, 228, 32, 4, 32, "50", {R}),
    ("9.0", 256, 65, 0, 2304, 1024, 8, 3, 228, 32, 3, 24, "37.5", {R}),
    ("9.0", 64, 88, 0, 2816, 1024, 32, 10, 228, 32, 10, 20, "31.2", {R}),
    ("9.0", 384, 168, 229376, 5376, 230400, 5, 1, 1, 32, 1, 12, "18.8", {R, S}),
    ("9.0", 128, 32, 49152, 1024, 50176, 16, 16, 4, 32, 4, 16, "25", {S}),
    ("9.0", 32, 32, 0, 1024, 1024, 64, 64, 228, 32, 32, 32, "50", {K}),
    ("9.0", 1024, 64, 0, 2048, 1024, 2, 1, 228, 32, 1, 32, "50", {R}),
    ("9.0", 1024, 65, 0, 2304, 1024, 2, 0, 228, 32, 0, 0, "0", {R}),
    ("9.0", 672, 96, 0, 3072, 1024, 3, 0, 228, 32, 0, 0, "0", {R}),
    ("9.0", 100, 32, 0, 1024, 1024, 16, 16, 228, 32, 16, 64, "100", {W, R}),
    ("9.0", 64, 32, 6272, 1024, 7296, 32, 32, 32, 32, 32, 64, "100", {W, R, S, K}),
    ("9.0", 64, 32, 6273, 1024, 7424, 32, 32, 31, 32, 31, 62, "96.9", {S}),
    ("10.0", 192, 168, 100000, 5376, 101120, 10, 2, 2, 32, 2, 12, "18.8", {R, S}),
    ("10.0", 128, 255, 232448, 8192, 233472, 16, 2, 1, 32, 1, 4, "6.2", {S}),
    ("10.0", 128, 255, 232449, 8192, 233600, 16, 2, 0, 32, 0, 0, "0", {S}),
    ("8.0", 256, 128, 0, 4096, 1024, 8, 2, 164, 32, 2, 16, "25", {R}),
    ("8.0", 256, 32, 41984, 1024, 43008, 8, 8, 3, 32, 3, 24, "37.5", {S}),
    ("8.0", 192, 40, 0, 1280, 1024, 10, 8, 164, 32, 8, 48, "75", {R}),
    ("8.6", 1024, 37, 8192, 1280, 9216, 1, 1, 11, 16, 1, 32, "66.7", {W, R}),
    ("8.6", 64, 32, 0, 1024, 1024, 24, 32, 100, 16, 16, 32, "66.7", {K}),
    ("8.9", 64, 32, 0, 1024, 1024, 24, 32, 100, 24, 24, 48, "100", {W, K}),
    ("12.0", 64, 32, 0, 1024, 1024, 24, 32, 100, 24, 24, 48, "100", {W, K}),
    ("8.9", 256, 48, 24576, 1536, 25600, 6, 5, 4, 24, 4, 32, "66.7", {S}),
    ("8.9", 256, 48, 24577, 1536, 25728, 6, 5, 3, 24, 3, 24, "50", {S}),
    ("12.0", 256, 40, 0, 1280, 1024, 6, 6, 100, 24, 6, 48, "100", {W, R}),
    ("12.0", 128, 128, 32768, 4096, 33792, 12, 4, 3, 24, 3, 12, "25", {S}),
    ("12.0", 128, 64, 49152, 2048, 50176, 12, 8, 2, 24, 2, 8, "16.7", {S}),
    ("12.0", 256, 255, 98304, 8192, 99328, 6, 1, 1, 24, 1, 8, "16.7", {R, S}),
    ("12.0", 512, 32, 101376, 1024, 102400, 3, 4, 1, 24, 1, 16, "33.3", {S}),
    ("7.5", 256, 72, 16384, 2304, 16384, 4, 3, 4, 16, 3, 24, "75", {R}),
    ("7.5", 64, 32, 4096, 1024, 4096, 16, 32, 16, 16, 16, 32, "100", {W, S, K}),
    ("7.0", 128, 40, 24576, 1280, 24576, 16, 12, 4, 32, 4, 16, "25", {S}),
    ("7.0", 256, 32, 8193, 1024, 8448, 8, 8, 11, 32, 8, 64, "100", {W, R}),
]


@pytest.mark.parametrize("row", WORKED, ids=lambda row: "-".join(map(str, row[:4])))
def test_worked_cases(row):
    capability, threads, registers, shared, *expected, percent, limiters = row
    kernel = occupancy(capability, threads, registers, shared)
    assert [
        kernel.registers_per_warp, kernel.shared_bytes_allocated, kernel.blocks_by_warps, kernel.blocks_by_registers,
        kernel.blocks_by_shared_memory, kernel.blocks_by_slots, kernel.blocks_per_sm, kernel.warps_per_sm,
    ] == expected  # fmt: skip
    assert f"{kernel.occupancy * 100:.1f}".removesuffix(".0") == percent
    assert set(kernel.limiters) == limiters
    assert (kernel.reason is None) == (kernel.blocks_per_sm > 0)


def placed(
    capability,
    threads,
    registers,
    shared,
    *,
    whole_file=False,
    reserve=True,
    launch_rounds=True,
    warps_round_up=True,
    per_thread_unit=8,
    opt_in=True,
):
    """Blocks placed one at a time, each warp in the partition with the most registers left, until one fails.

    The keywords plant wrong rules.
    """
    sm = multiprocessor(capability)
    warps = (threads + 31) // 32 if warps_round_up else max(1, threads // 32)
    warp_registers = 32 * next(r for r in range(registers, 300) if r % per_thread_unit == 0)
    checked = warps
    while launch_rounds and checked % 4:
        checked += 1
    most = sm.block_shared_bytes if opt_in else 49152
    if checked * warp_registers > 65536 or shared > most:
        return 0
    shared += sm.reserved_shared_bytes if reserve else 0
    while shared % sm.shared_unit_bytes:
        shared += 1
    partitions = [65536] if whole_file else [16384] * 4
    slots, free_shared, blocks = sm.warps, sm.shared_bytes, 0
    while blocks < sm.blocks and free_shared >= shared:
        for _ in range(warps):
            here = max(range(len(partitions)), key=partitions.__getitem__)
            if partitions[here] < warp_registers or slots == 0:
                return blocks
            partitions[here] -= warp_registers
            slots -= 1
        free_shared -= shared
        blocks += 1
    return blocks


def programs(count, seed):
    rng = random.Random(seed)
    for _ in range(count):
        capability = rng.choice(compute_capabilities())
        sm = multiprocessor(capability)
        shared = rng.choice((0, rng.randint(0, 20_000), rng.randint(0, sm.shared_bytes + 300)))
        registers = rng.choice((rng.randint(0, 255), rng.randint(0, 64)))
        yield capability, rng.choice((rng.randint(1, 1024), 32 * rng.randint(1, 32))), registers, shared


def test_placing_warp_by_warp_gives_the_same_blocks():
    for program in programs(4000, seed=1):
        assert occupancy(*program).blocks_per_sm == placed(*program), program


WITNESSES = {
    "calculator": [(row[:4], row[4]) for row in CALCULATED],
    "worked": [(row[:4], row[10]) for row in WORKED],
    "h200": [(("9.0", *row[:3]), row[3]) for row in READINGS],
}


@pytest.mark.parametrize(
    ("wrong", "caught_by"),
    [
        ({"whole_file": True}, {"calculator", "worked", "h200"}),
        ({"reserve": False}, {"calculator", "worked", "h200"}),
        ({"whole_file": True, "launch_rounds": False}, {"calculator", "worked", "h200"}),
        ({"warps_round_up": False}, {"calculator", "worked"}),
        ({"per_thread_unit": 1}, {"calculator"}),
        ({"opt_in": False}, {"calculator", "worked", "h200"}),
    ],
    ids=lambda value: "-".join(sorted(value)),
)
def test_a_planted_wrong_rule_is_noticed(wrong, caught_by):
    for name in caught_by:
        assert any(placed(*program, **wrong) != blocks for program, blocks in WITNESSES[name]), name


def test_rounding_at_launch_is_what_whole_warps_in_four_partitions_come_to():
    """Without it the partitions refuse the same kernels; over the whole file case 10 would be launched."""
    for program in programs(2000, seed=2):
        assert placed(*program, launch_rounds=False) == placed(*program), program
    assert placed("9.0", 672, 96, 0, whole_file=True) == 0
    assert placed("9.0", 672, 96, 0, whole_file=True, launch_rounds=False) == 1


def test_a_kernel_without_registers_is_not_limited_by_them():
    kernel = occupancy("9.0", 1024, 0, 0)
    assert (kernel.blocks_by_registers, kernel.blocks_per_sm, kernel.limiters) == (None, 2, ("warps",))


def test_a_kernel_without_shared_memory_has_no_limit_where_nothing_is_reserved():
    assert occupancy("7.0", 32, 32, 0).blocks_by_shared_memory is None
    assert occupancy("8.0", 32, 32, 0).blocks_by_shared_memory == 164


@pytest.mark.parametrize(
    ("registers", "shared", "limiters", "reason"),
    [
        (65, 0, ("registers",), "registers: 32 warps × 2304 = 73728; a block may have 65536"),
        (64, 232449, ("shared_memory",), "shared memory: 232449 bytes; a block may have 232448"),
        (64, 10**30, ("shared_memory",), f"shared memory: {10**30} bytes; a block may have 232448"),
        (
            255,
            2**31,
            ("registers", "shared_memory"),
            "registers: 32 warps × 8192 = 262144; a block may have 65536; "
            "shared memory: 2147483648 bytes; a block may have 232448",
        ),
    ],
)
def test_a_kernel_that_cannot_be_launched_says_why(registers, shared, limiters, reason):
    kernel = occupancy("9.0", 1024, registers, shared)
    assert (kernel.blocks_per_sm, kernel.warps_per_sm, kernel.occupancy) == (0, 0, 0.0)
    assert (kernel.limiters, kernel.reason) == (limiters, reason)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("9.0", 0, 32, 0), "threads_per_block is 0; it must be a whole number from 1 to 1024"),
        (("9.0", 1025, 32, 0), "threads_per_block is 1025"),
        (("9.0", 64.0, 32, 0), r"threads_per_block is 64\.0"),
        (("9.0", True, 32, 0), "threads_per_block is True"),
        (("9.0", "64", 32, 0), "threads_per_block is '64'"),
        (("9.0", float("nan"), 32, 0), "threads_per_block is nan"),
        (("9.0", 64, -1, 0), "registers_per_thread is -1; it must be a whole number from 0 to 255"),
        (("9.0", 64, 256, 0), "registers_per_thread is 256"),
        (("9.0", 64, 32.5, 0), r"registers_per_thread is 32\.5"),
        (("9.0", 64, None, 0), "registers_per_thread is None"),
        (("9.0", 64, 32, -1), "shared_bytes_per_block is -1; it must be a whole number ≥ 0"),
        (("9.0", 64, 32, 1e3), r"shared_bytes_per_block is 1000\.0"),
        (("9.0", 64, 32, False), "shared_bytes_per_block is False"),
        (("6.1", 64, 32, 0), r"compute capability '6\.1' is not in the table; it has 7\.0, .*, 12\.0"),
        ((9.0, 64, 32, 0), r"compute capability 9\.0 is not in the table"),
    ],
)
def test_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        occupancy(*arguments)


def test_the_result_is_frozen():
    with pytest.raises(AttributeError):
        occupancy("9.0", 64, 32, 0).blocks_per_sm = 1
