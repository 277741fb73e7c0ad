"""The resources of one SM, filled block by block: what is used, what is left, and where the next block does not fit.

Each of the four resources is a shelf on which every resident block takes the same share. Registers lie in four
partitions of a quarter each, and a warp's registers lie in one of them; warps are dealt to the partitions in turn.
Dealt so, a partition overflows with the next block exactly when registers limit: of n warps the fullest partition
has ⌈n / 4⌉, and it has room for ⌊quarter / registers of a warp⌋.

Source: sim/occupancy.py.
Left out: what it leaves out; which partition hardware gives a warp, which is not published.
"""

from dataclasses import dataclass
from typing import get_args

from sim.gpus import multiprocessor
from sim.occupancy import WARP_LANES, Limiter, Occupancy


@dataclass(frozen=True, slots=True)
class Shelf:
    """One resource, in warps, registers, bytes or blocks."""

    name: Limiter
    capacity: int
    """Of the SM."""
    block: int
    """What one block takes."""
    used: int
    """By all resident blocks."""
    fits: int | None
    """Blocks that this resource alone allows; None: any number."""
    limits: bool

    @property
    def left(self) -> int:
        """What no resident block takes."""
        return self.capacity - self.used


@dataclass(frozen=True, slots=True)
class Partition:
    """A quarter of the registers; warps are numbered over the SM, block by block."""

    registers: int
    room: int | None
    """Warps that it can hold; None: any number."""
    warps: tuple[int, ...]
    """Those of the resident blocks."""
    next_warps: tuple[int, ...]
    """Those that one more block would bring."""

    @property
    def overflow(self) -> int:
        """How many of the next block's warps find no registers here."""
        return 0 if self.room is None else max(0, len(self.warps) + len(self.next_warps) - self.room)


@dataclass(frozen=True, slots=True)
class SmShelves:
    """One SM with its resident blocks; shelves in the order warps, registers, shared memory, blocks."""

    shelves: tuple[Shelf, ...]
    partitions: tuple[Partition, ...]
    lanes: int
    """Lanes of all resident warps."""
    idle_lanes: int
    """Those of them that have no thread, since a block's last warp is not full."""
    naive_blocks_by_registers: int | None
    """The wrong rule: registers of the SM over threads × registers of a thread, rounded down. None: no registers."""
    naive_blocks_by_shared_memory: int | None
    """The wrong rule: bytes of the SM over bytes that a block asks for, rounded down. None: it asks for none."""

    def __getitem__(self, name: Limiter) -> Shelf:
        """The shelf of a resource."""
        return self.shelves[get_args(Limiter).index(name)]


def fill(kernel: Occupancy) -> SmShelves:
    """Put the blocks of `sim.occupancy.occupancy`'s result on one SM.

    >>> from sim.occupancy import occupancy
    >>> sm = fill(occupancy("9.0", 224, 92, 0))  # 7 warps × 3,072 registers; 5 such warps fit a partition
    >>> [(len(p.warps), p.room, len(p.next_warps), p.overflow) for p in sm.partitions]
    [(4, 5, 2, 1), (4, 5, 1, 0), (3, 5, 2, 0), (3, 5, 2, 0)]
    >>> sm["registers"].used, sm["registers"].left, sm.naive_blocks_by_registers
    (43008, 22528, 3)
    """
    sm, blocks, warps = multiprocessor(kernel.compute_capability), kernel.blocks_per_sm, kernel.warps_per_block
    names = get_args(Limiter)
    capacities = (sm.warps, sm.registers, sm.shared_bytes, sm.blocks)
    takes = (warps, warps * kernel.registers_per_warp, kernel.shared_bytes_allocated, 1)
    fits = (kernel.blocks_by_warps, kernel.blocks_by_registers, kernel.blocks_by_shared_memory, kernel.blocks_by_slots)
    limiters = kernel.limiters
    shelves = tuple(
        Shelf(name, capacity, block, blocks * block, fit, name in limiters)
        for name, capacity, block, fit in zip(names, capacities, takes, fits, strict=True)
    )
    resident = blocks * warps
    quarter = sm.registers // sm.partitions
    room = quarter // kernel.registers_per_warp if kernel.registers_per_warp else None
    partitions = tuple(
        Partition(
            quarter, room, tuple(range(number, resident, sm.partitions)),
            tuple(range(resident + (number - resident) % sm.partitions, resident + warps, sm.partitions)),
        )
        for number in range(sm.partitions)
    )  # fmt: skip
    threads, asked = kernel.threads_per_block, kernel.shared_bytes_per_block
    by_hand = threads * kernel.registers_per_thread
    return SmShelves(
        shelves, partitions, resident * WARP_LANES, resident * WARP_LANES - blocks * threads,
        sm.registers // by_hand if by_hand else None, sm.shared_bytes // asked if asked else None,
    )  # fmt: skip
