"""Occupancy: how many blocks of a kernel one SM holds at a time, and what limits them.

A block is placed whole or not at all. Each of four resources of the SM allows a number of blocks; the least is
what fits, and every resource that allows no more is a limiter:

- warps: warp slots, ⌈threads / 32⌉ for each block;
- registers: a warp takes a multiple of 256 (so 8 a thread); each of the four partitions has a quarter of the
  file and holds whole warps. A block whose warps, rounded up to a multiple of 4, need more than one block may
  have is not launched: the four partitions could not hold it either;
- shared memory: what the block asks for, and the driver's reserve on top (1 KiB from 8.0 on), in whole units of
  256 bytes (7.x) or 128; a block that asks for more than a block may have is not launched;
- blocks: block slots.

Occupancy is resident warps over warp slots. It says nothing about how busy they are.

Source: NVIDIA's occupancy calculator for programs, CUDA 13.0, reimplemented (its text is not used); CUDA
Programming Guide 13, 5.1 (limits, in sim/gpus.toml); 1,880 readings of an NVIDIA H200
(chapters/recorded/tables/h200/), of which this rule gives every one.
Left out: shared memory given up for a larger L1; more than one named barrier a block; clusters; what a kernel
does with its warps.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from sim.gpus import multiprocessor
from sim.inputs import whole

WARP_LANES = 32
MAX_THREADS = 1024
MAX_REGISTERS = 255

Limiter = Literal["warps", "registers", "shared_memory", "blocks"]


@dataclass(frozen=True, slots=True)
class Occupancy:
    """One kernel on one SM: what a block takes, how many each resource allows (None: any number), what fits."""

    compute_capability: str
    threads_per_block: int
    registers_per_thread: int
    shared_bytes_per_block: int
    warps_per_block: int
    registers_per_warp: int
    """What a warp is given."""
    shared_bytes_allocated: int
    """What a block is given, the reserve included."""
    blocks_by_warps: int
    blocks_by_registers: int | None
    blocks_by_shared_memory: int | None
    blocks_by_slots: int
    blocks_per_sm: int
    """0 when the kernel cannot be launched; then `reason` says why."""
    reason: str | None

    @property
    def warps_per_sm(self) -> int:
        """Resident warps."""
        return self.blocks_per_sm * self.warps_per_block

    @property
    def occupancy(self) -> float:
        """Resident warps over warp slots, 0 to 1."""
        return self.warps_per_sm / multiprocessor(self.compute_capability).warps

    @property
    def limiters(self) -> tuple[Limiter, ...]:
        """Every resource that allows no more blocks than fit; of a kernel that cannot be launched, what forbids it."""
        allowed = (self.blocks_by_warps, self.blocks_by_registers, self.blocks_by_shared_memory, self.blocks_by_slots)
        return tuple(
            name for name, blocks in zip(get_args(Limiter), allowed, strict=True) if blocks == self.blocks_per_sm
        )


def occupancy(
    compute_capability: str, threads_per_block: int, registers_per_thread: int, shared_bytes_per_block: int
) -> Occupancy:
    """How many blocks fit, for one of the eight compute capabilities of `sim.gpus`.

    Args:
        compute_capability: "7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0" or "12.0".
        threads_per_block: 1 to 1024.
        registers_per_thread: 0 to 255, as the compiler reports them.
        shared_bytes_per_block: static and dynamic together, ≥ 0, without the driver's reserve; the opt-in is
            taken as given.

    Raises:
        ValueError: anything else. A kernel that is merely too large is no error: it has 0 blocks and a reason.

    >>> kernel = occupancy("9.0", 256, 64, 0)
    >>> kernel.blocks_per_sm, kernel.warps_per_sm, kernel.occupancy, kernel.limiters
    (4, 32, 0.5, ('registers',))
    >>> occupancy("9.0", 672, 96, 0).reason
    'registers: 24 warps (21, rounded up to a multiple of 4) × 3072 = 73728; a block may have 65536'
    """
    sm = multiprocessor(compute_capability)
    whole("threads_per_block", threads_per_block, 1, MAX_THREADS)
    whole("registers_per_thread", registers_per_thread, 0, MAX_REGISTERS)
    whole("shared_bytes_per_block", shared_bytes_per_block, 0)
    warps = -(-threads_per_block // WARP_LANES)
    warp_registers = _round_up(WARP_LANES * registers_per_thread, sm.register_unit)
    shared = _round_up(shared_bytes_per_block + sm.reserved_shared_bytes, sm.shared_unit_bytes)
    by_registers, by_shared, reasons = None, None, []
    if (launched := _round_up(warps, sm.partitions)) * warp_registers > sm.registers:
        by_registers = 0
        rounded = "" if launched == warps else f" ({warps}, rounded up to a multiple of {sm.partitions})"
        total = f"{launched} warps{rounded} × {warp_registers} = {launched * warp_registers}"
        reasons.append(f"registers: {total}; a block may have {sm.registers}")
    elif warp_registers:
        by_registers = sm.registers // sm.partitions // warp_registers * sm.partitions // warps
    if shared_bytes_per_block > sm.block_shared_bytes:
        by_shared = 0
        asked = f"{shared_bytes_per_block} bytes"
        reasons.append(f"shared memory: {asked}; a block may have {sm.block_shared_bytes}")
    elif shared:
        by_shared = sm.shared_bytes // shared
    by_warps, by_slots = sm.warps // warps, sm.blocks
    blocks = min(limit for limit in (by_warps, by_registers, by_shared, by_slots) if limit is not None)
    return Occupancy(
        compute_capability, threads_per_block, registers_per_thread, shared_bytes_per_block,
        warps, warp_registers, shared, by_warps, by_registers, by_shared, by_slots,
        blocks, "; ".join(reasons) or None,
    )  # fmt: skip


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
