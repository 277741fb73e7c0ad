"""A block whose registers fit five times by division and four times by whole warps in partitions."""

from sim.gpus import multiprocessor
from sim.occupancy import occupancy
from widgets.lab import Number

CC, THREADS, REGISTERS, SHARED = "9.0", 160, 80, 32 * 1024
KERNEL = occupancy(CC, THREADS, REGISTERS, SHARED)
SM = multiprocessor(CC)


def answer() -> Number:
    """Return the blocks that fit."""
    return Number(KERNEL.blocks_per_sm, "blocks")


def mistakes() -> dict[str, int]:
    """Return registers divided as a whole, and what shared memory, with and without the reserve, and warps allow."""
    assert KERNEL.blocks_by_shared_memory is not None
    return {
        "whole_file": SM.registers // (THREADS * REGISTERS),
        "by_shared": KERNEL.blocks_by_shared_memory,
        "no_reserve": SM.shared_bytes // SHARED,
        "by_warps": KERNEL.blocks_by_warps,
    }
