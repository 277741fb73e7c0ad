"""What `sim.barriers` returns: accesses, barriers and races, with their times in µs.

Source: none; these are records. Left out: nothing that the simulator knows.
"""

from dataclasses import dataclass
from typing import Literal

Switch = Literal["after store", "after load"]


@dataclass(frozen=True, slots=True)
class Access:
    """What ``warp`` does in ``step``: store its part of the tile, or load the parts of all warps.

    From ``ready_us`` to ``start_us`` it waited at a barrier. ``values``: the one that it stores, or those
    that it finds, by part; a part not stored yet is 0.
    """

    warp: int
    stores: bool
    step: int
    buffer: int
    ready_us: float
    start_us: float
    end_us: float
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Barrier:
    """One barrier of one step: when each warp arrives, and when they all go on."""

    switch: Switch
    step: int
    arrive_us: tuple[float, ...]
    passed_us: float


@dataclass(frozen=True, slots=True)
class Race:
    """``writer`` stores its part in ``write_step``, ``reader`` loads it in ``read_step``, in either order.

    ``overlap_us``: when both are at it, None if in this run they are not.
    """

    buffer: int
    writer: int
    write_step: int
    reader: int
    read_step: int
    overlap_us: tuple[float, float] | None

    @property
    def lacks(self) -> Switch:
        """The barrier that would order the two: the load needs this store, or must be gone before it."""
        return "after store" if self.write_step <= self.read_step else "after load"


@dataclass(frozen=True, slots=True)
class TiledLoop:
    """The whole trace: ``accesses`` by start, ``barriers`` and ``races`` by step.

    ``sums``: what each warp ends up with; ``right_sum``: what all should have.
    """

    accesses: tuple[Access, ...]
    barriers: tuple[Barrier, ...]
    races: tuple[Race, ...]
    sums: tuple[int, ...]
    right_sum: int
    total_us: float

    @property
    def right(self) -> bool:
        """Whether every sum came out right in this run, which a race does not rule out."""
        return all(each == self.right_sum for each in self.sums)
