"""Coalescing: the sectors and lines of global memory that one warp's load, or store, touches.

Global memory is moved in sectors, 32 bytes each, that start at a multiple of 32; four of them make a line. One
instruction of a warp is one request. It touches every sector that holds a byte of an active lane, once, however
many lanes ask for it and in whatever order; the whole sector is moved even when one byte of it is used.

Accesses are aligned and at most 16 bytes wide, so a lane never reaches into a second sector.

Source: Nsight Compute Profiling Guide, 2.3.7 and 2.11.2 (request, sector, line, tag); CUDA C++ Best Practices Guide,
"Coalesced Access to Global Memory" (distinct 32-byte segments); readings of an NVIDIA H200 taken with Nsight
Compute (chapters/recorded/tables/h200/), of which this rule gives every count.
Left out: wavefronts and latency; which sectors hit in L1 or L2; atomics; sectors that the hardware fetches ahead.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sim.inputs import whole

WARP_LANES = 32
INACTIVE = -1
SECTOR_BYTES = 32
LINE_BYTES = 128
WIDTHS_BYTES = (1, 2, 4, 8, 16)


@dataclass(frozen=True, slots=True)
class Sector:
    """One sector that is moved."""

    address: int
    """Byte address of its start, a multiple of 32."""
    lanes: tuple[int, ...]
    """The lanes that ask for a part of it, ascending."""
    bytes_used: int
    """Distinct bytes of it that lanes ask for, 1..32."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line whose tag is looked up."""

    address: int
    """Byte address of its start, a multiple of 128."""
    sectors: tuple[Sector, ...]
    """Those of its four sectors that are touched, ascending."""


@dataclass(frozen=True, slots=True)
class GlobalAccess:
    """The whole trace of one request of one warp."""

    addresses: tuple[int, ...]
    width_bytes: int
    lines_touched: tuple[Line, ...]
    """Ascending."""

    @property
    def sectors_touched(self) -> tuple[Sector, ...]:
        """All sectors, ascending."""
        return tuple(sector for line in self.lines_touched for sector in line.sectors)

    @property
    def active_lanes(self) -> int:
        """Lanes that ask for something."""
        return sum(address != INACTIVE for address in self.addresses)

    @property
    def requests(self) -> int:
        """1, or 0 without an active lane: the profiler's `l1tex__t_requests_pipe_lsu_mem_global_op_ld`."""
        return min(1, len(self.lines_touched))

    @property
    def sectors(self) -> int:
        """Sectors moved: the profiler's `l1tex__t_sectors_pipe_lsu_mem_global_op_ld`."""
        return sum(len(line.sectors) for line in self.lines_touched)

    @property
    def lines(self) -> int:
        """Lines touched, each a tag to look up."""
        return len(self.lines_touched)

    @property
    def bytes_used(self) -> int:
        """Distinct bytes that lanes ask for."""
        return sum(sector.bytes_used for line in self.lines_touched for sector in line.sectors)

    @property
    def bytes_moved(self) -> int:
        """Bytes of all sectors moved."""
        return self.sectors * SECTOR_BYTES

    @property
    def bytes_unused(self) -> int:
        """Bytes moved that no lane asks for."""
        return self.bytes_moved - self.bytes_used

    @property
    def span_bytes(self) -> int:
        """Bytes from the first one asked for to the last one; 0 without an active lane."""
        asked = [address for address in self.addresses if address != INACTIVE]
        return max(asked) + self.width_bytes - min(asked) if asked else 0

    @property
    def sectors_needed(self) -> int:
        """The fewest sectors that hold as many bytes as the lanes ask for."""
        return -(-self.bytes_used // SECTOR_BYTES)

    @property
    def efficiency(self) -> float:
        """Bytes used / bytes moved, in (0, 1]; 0.0 by agreement when nothing is moved."""
        return self.bytes_used / self.bytes_moved if self.lines_touched else 0.0


def simulate(addresses: Sequence[int], width_bytes: int = 4) -> GlobalAccess:
    """Trace one request of one warp to global memory.

    Args:
        addresses: one byte address for each of the 32 lanes, a multiple of `width_bytes`; -1: inactive.
        width_bytes: bytes a lane: 1, 2, 4, 8 or 16.

    Raises:
        ValueError: not 32 addresses, an address that is not a whole number ≥ -1 or is misaligned (hardware
            faults on it), another width.

    32 floats in a row, then 16 bytes further on, then one float of each 12-byte struct:

    >>> simulate(strided(4)).sectors, simulate(strided(4, offset_bytes=16)).sectors
    (4, 5)
    >>> struct = simulate(strided(4, stride=3))
    >>> struct.sectors, struct.lines, struct.bytes_used, struct.bytes_moved, round(struct.efficiency, 3)
    (12, 3, 128, 384, 0.333)
    """
    _check(addresses, width_bytes)
    lanes_of: dict[int, list[int]] = {}  # sector number → lanes
    for lane, address in enumerate(addresses):
        if address != INACTIVE:
            lanes_of.setdefault(address // SECTOR_BYTES, []).append(lane)
    lines: dict[int, list[Sector]] = {}
    for number, lanes in sorted(lanes_of.items()):
        used = width_bytes * len({addresses[lane] for lane in lanes})  # aligned: two lanes share all bytes or none
        sector = Sector(number * SECTOR_BYTES, tuple(lanes), used)
        lines.setdefault(sector.address // LINE_BYTES, []).append(sector)
    touched = tuple(Line(number * LINE_BYTES, tuple(sectors)) for number, sectors in lines.items())
    return GlobalAccess(tuple(addresses), width_bytes, touched)


def strided(width_bytes: int, stride: int = 1, offset_bytes: int = 0) -> tuple[int, ...]:
    """Addresses of 32 lanes, lane i at `offset_bytes` + i × `stride` × `width_bytes`; the stride may be ≤ 0.

    Raises:
        ValueError: a width that no access has, a value that is not a whole number, an address below 0.

    >>> strided(4, stride=-1, offset_bytes=124)[:3]
    (124, 120, 116)
    """
    _check_width(width_bytes)
    if type(stride) is not int:
        raise ValueError(f"stride is {stride!r}; it must be a whole number of elements")
    whole("offset_bytes", offset_bytes, 0)
    if (last := offset_bytes + (WARP_LANES - 1) * stride * width_bytes) < 0:
        raise ValueError(f"lane 31 would be at address {last}; raise offset_bytes until it is ≥ 0")
    return tuple(offset_bytes + lane * stride * width_bytes for lane in range(WARP_LANES))


def _check_width(width_bytes: int) -> None:
    if type(width_bytes) is not int or width_bytes not in WIDTHS_BYTES:
        raise ValueError(f"width_bytes is {width_bytes!r}; a lane loads or stores 1, 2, 4, 8 or 16 bytes")


def _check(addresses: Sequence[int], width_bytes: int) -> None:
    _check_width(width_bytes)
    if len(addresses) != WARP_LANES:
        raise ValueError(f"{len(addresses)} addresses given; a warp has {WARP_LANES} lanes, so {WARP_LANES}")
    for lane, address in enumerate(addresses):
        if type(address) is not int or address < INACTIVE:  # `type`: a bool is an int, but no address
            raise ValueError(
                f"lane {lane}: address {address!r}; it must be a whole number of bytes ≥ 0, "
                f"or {INACTIVE} for an inactive lane"
            )
        if address != INACTIVE and address % width_bytes:
            raise ValueError(
                f"lane {lane}: address {address} is misaligned; "
                f"an access of {width_bytes} bytes needs a multiple of {width_bytes}"
            )
