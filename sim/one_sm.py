"""One tile on one SM: what it occupies, how long a K step takes to arrive, how long to compute.

The SM's share of memory bandwidth and of the tensor peak is the GPU's over its SMs. A step brings m×k of A and k×n of
B and multiplies them once. Accumulators lie in shared memory (4·m·n bytes of it) or in the threads' registers.

Source: peaks and bandwidth over SMs, as in S. Williams, A. Waterman, D. Patterson, CACM 52(4), 2009; blocks as in
sim/occupancy.py, registers as in sim/mma_pieces.py.
Left out: bytes that L2 serves; resident blocks sharing the SM's bandwidth and units; overlap (sim/pipeline.py);
reading shared memory and adding up there; a second stage.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from sim.inputs import positive, whole
from sim.mma_pieces import WARP_LANES, pieces
from sim.occupancy import MAX_REGISTERS, Occupancy, occupancy

ELEMENT_BYTES = 2  # BF16

Place = Literal["shared memory", "registers"]


@dataclass(frozen=True, slots=True)
class OneSm:
    """One block of the tile on its SM."""

    a_bytes: int
    """m×k of A in shared memory."""
    b_bytes: int
    """k×n of B in shared memory."""
    accumulator_shared_bytes: int
    """0 if they are in registers."""
    accumulator_registers: int
    """A thread's; 0 if they are in shared memory."""
    flops: int
    """One K step's."""
    blocks: Occupancy
    bandwidth_byte_per_s: float
    """The SM's share."""
    peak_flop_per_s: float
    """The SM's share."""

    @property
    def shared_bytes(self) -> int:
        """What a block asks for."""
        return self.a_bytes + self.b_bytes + self.accumulator_shared_bytes

    @property
    def step_bytes(self) -> int:
        """What a K step brings from memory."""
        return self.a_bytes + self.b_bytes

    @property
    def fetch_s(self) -> float:
        """For one K step to arrive."""
        return self.step_bytes / self.bandwidth_byte_per_s

    @property
    def compute_s(self) -> float:
        """For one K step at the peak."""
        return self.flops / self.peak_flop_per_s

    @property
    def fetch_over_compute(self) -> float:
        """How many times longer a step takes to arrive than to compute; above 1 the tile is bound by memory."""
        return self.fetch_s / self.compute_s

    @property
    def intensity(self) -> float:
        """FLOP for each byte that arrives."""
        return self.flops / self.step_bytes

    @property
    def ridge(self) -> float:
        """Intensity at which both would take the same time."""
        return self.peak_flop_per_s / self.bandwidth_byte_per_s


def simulate(
    m: int,
    n: int,
    k: int,
    *,
    threads: int,
    accumulators: Place,
    compute_capability: str,
    sms: int,
    bandwidth_byte_per_s: float,
    peak_flop_per_s: float,
    other_registers: int = 32,
) -> OneSm:
    """An m×n×k tile (sides 1 to 512, BF16 with FP32 accumulators) in blocks of whole warps, 32 to 1024 threads.

    ``bandwidth_byte_per_s`` and ``peak_flop_per_s`` (of the tensor cores, dense) are the whole GPU's, for ``sms``
    SMs. ``other_registers``: a thread's registers for all but accumulators, 0 to 255; a thread that needs more than
    255 in all is refused, since it would spill. Raises ValueError for anything else.

    >>> h100 = {"compute_capability": "9.0", "sms": 132, "bandwidth_byte_per_s": 3.35e12, "peak_flop_per_s": 989.4e12}
    >>> tile = simulate(128, 128, 64, threads=256, accumulators="shared memory", **h100)
    >>> tile.shared_bytes >> 10, tile.blocks.blocks_per_sm, tile.blocks.warps_per_sm, tile.intensity
    (96, 2, 16, 64.0)
    >>> f"{tile.fetch_s * 1e6:.2f} {tile.compute_s * 1e6:.2f} {tile.fetch_over_compute:.1f} {tile.ridge:.0f}"
    '1.29 0.28 4.6 295'
    """
    whole("threads", threads, WARP_LANES, 1024)
    if threads % WARP_LANES:
        raise ValueError(f"threads is {threads}; it must be a multiple of {WARP_LANES}, since whole warps multiply")
    if accumulators not in get_args(Place):
        raise ValueError(f"accumulators is {accumulators!r}; it must be one of {', '.join(get_args(Place))}")
    whole("other_registers", other_registers, 0, MAX_REGISTERS)
    whole("sms", sms, 1, 1024)
    positive("bandwidth_byte_per_s", bandwidth_byte_per_s, "B/s")
    positive("peak_flop_per_s", peak_flop_per_s, "FLOP/s")
    tile = pieces(m, n, k, threads // WARP_LANES)
    in_registers = accumulators == "registers"
    registers = other_registers + tile.accumulator_registers * in_registers
    if registers > MAX_REGISTERS:
        raise ValueError(
            f"a thread needs {registers} registers, {tile.accumulator_registers} of them for accumulators; "
            f"more than {MAX_REGISTERS} spill, so use more threads or a smaller tile"
        )
    accumulator_bytes = 0 if in_registers else 4 * m * n
    a_bytes, b_bytes = ELEMENT_BYTES * m * k, ELEMENT_BYTES * k * n
    fits = occupancy(compute_capability, threads, registers, a_bytes + b_bytes + accumulator_bytes)
    return OneSm(
        a_bytes, b_bytes, accumulator_bytes, tile.accumulator_registers * in_registers, tile.useful_flops,
        fits, bandwidth_byte_per_s / sms, peak_flop_per_s / sms,
    )  # fmt: skip
