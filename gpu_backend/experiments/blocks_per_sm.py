"""How many blocks the driver says one SM holds, by threads, registers and shared memory, beside the simulator's rule.

The kernel is compiled for each number of registers; nothing is launched. Model: `sim.occupancy`, which must be equal.
"""

from collections.abc import Iterator

from pydantic import Field

from gpu_backend import machine
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import sources
from sim.gpus import multiprocessor
from sim.occupancy import occupancy

KIB = 1024
FEWEST_REGISTERS = 24
"""Below, the kernel needs more to run at all."""
REGISTERS = (32, 33, 64, 65, 92, 255)
THREADS = (33, 96, 224, 256, 1024)
SHARED = (0, 31 * KIB, 32 * KIB, 113 * KIB, 114 * KIB)
"""Bytes; 113 KiB and 1 KiB of the driver's reserve go into an SM of 228 KiB twice, 114 KiB once."""


class Chosen(Inputs):
    """A launch of the reader's own, asked first; then the set, up to so many registers."""

    threads: int = Field(256, ge=1, le=1024, description="threads a block of your own launch")
    registers: int = Field(64, ge=FEWEST_REGISTERS, le=255, description="registers a thread of your own launch")
    shared_bytes: int = Field(0, ge=0, le=227 * KIB, description="bytes of dynamic shared memory of your own launch")
    most_registers: int = Field(255, ge=FEWEST_REGISTERS, le=255, description="the set leaves out shapes with more")


def shapes(chosen: Chosen) -> list[tuple[int, int, int]]:
    """Threads, registers and bytes of every launch asked about; the reader's own first, none twice."""
    own = (chosen.threads, chosen.registers, chosen.shared_bytes)
    cc = machine.compute_capability()
    most = multiprocessor(cc).block_shared_bytes if cc else SHARED[-1]
    every = (
        (threads, registers, size)
        for registers in REGISTERS
        if registers <= chosen.most_registers
        for threads in THREADS
        for size in SHARED
        if size <= most
    )
    return [own, *(shape for shape in every if shape != own)]


def rows(chosen: Chosen) -> Iterator[Row]:
    """One row a launch."""
    cc = machine.compute_capability() or ""
    for threads, registers, size in shapes(chosen):
        kernel = sources.compiled("held_values", registers=registers, HELD=registers)
        yield {
            "threads_per_block": threads, "registers_per_thread": kernel.registers, "dynamic_shared_bytes": size,
            "blocks_per_sm": kernel.blocks_per_sm(threads, size),
            "model_blocks_per_sm": occupancy(cc, threads, kernel.registers, size).blocks_per_sm,
            "kernel": kernel.name,
        }  # fmt: skip


EXPERIMENT = Experiment(
    "blocks_per_sm", "occupancy",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor; the kernel compiled for at most so many registers, which are those "
    "that the driver reports; static shared memory is 0", Chosen, rows, needs_gpu=True,
    points=lambda chosen: len(shapes(chosen)),
)  # fmt: skip
