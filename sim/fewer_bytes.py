"""Two tiles of one product, each bound by memory at the bandwidth it achieves: the one with fewer bytes may be slower.

T = V/B for each, so T₁/T₂ = V₁/V₂ · B₂/B₁, and the first is faster only while B₁/B₂ > V₁/V₂. A larger tile moves
fewer bytes V, but fewer blocks of it fit on an SM, so fewer loads are in flight, and B = min(peak, in flight/latency).
A block has at most one K step in flight: it has one buffer.

Source: V as in sim/tiles.py, blocks as in sim/occupancy.py, B as in sim/littles_law.py.
Left out: time in which a block computes and loads nothing; caches; latency that grows with load; the last wave.
"""

from dataclasses import dataclass

from sim.inputs import positive, whole
from sim.littles_law import bandwidth
from sim.occupancy import occupancy
from sim.tiles import traffic

MAX_LOADS = 64

Sizes = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Memory:
    """A GPU as this model sees it: SMs, the peak of its memory, the latency of a load."""

    compute_capability: str
    sms: int
    peak_gb_per_s: float
    latency_ns: float


@dataclass(frozen=True, slots=True)
class Block:
    """How a block loads: threads, registers and bytes a load (4, 8 or 16), loads in flight, each for one thread."""

    threads: int = 256
    registers: int = 64
    load_bytes: int = 4
    loads: int = 1


@dataclass(frozen=True, slots=True)
class Contender:
    """One tile of m×n×k and what comes of it."""

    tile: Sizes
    moved_bytes: int
    """V: what the whole product moves."""
    blocks_per_sm: int
    in_flight_bytes: int
    """On the whole GPU."""
    bandwidth_gb_per_s: float
    """B, which is bytes a ns."""

    @property
    def time_us(self) -> float:
        """V/B."""
        return self.moved_bytes / self.bandwidth_gb_per_s / 1000


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two tiles side by side."""

    first: Contender
    second: Contender

    @property
    def time_ratio(self) -> float:
        """T₁/T₂; below 1 the first is faster."""
        return self.first.time_us / self.second.time_us

    @property
    def bandwidth_ratio(self) -> float:
        """B₁/B₂."""
        return self.first.bandwidth_gb_per_s / self.second.bandwidth_gb_per_s

    @property
    def break_even(self) -> float:
        """V₁/V₂: the first is faster while B₁/B₂ is greater."""
        return break_even(self.first.moved_bytes, self.second.moved_bytes)


def time_ratio(first_bytes: float, second_bytes: float, first_gb_per_s: float, second_gb_per_s: float) -> float:
    """T₁/T₂ = V₁/V₂ · B₂/B₁, all four greater than 0; ValueError otherwise.

    >>> f"{time_ratio(1560, 3096, 900, 1800):.3f}"
    '1.008'
    """
    positive("first_gb_per_s", first_gb_per_s, "GB/s")
    positive("second_gb_per_s", second_gb_per_s, "GB/s")
    return break_even(first_bytes, second_bytes) * second_gb_per_s / first_gb_per_s


def break_even(first_bytes: float, second_bytes: float) -> float:
    """The share B₁/B₂ of the second's bandwidth above which the first is faster; ValueError unless both are > 0.

    >>> f"{break_even(1560, 3096):.3f}"
    '0.504'
    """
    positive("first_bytes", first_bytes, "B")
    positive("second_bytes", second_bytes, "B")
    return first_bytes / second_bytes


def compare(sizes: Sizes, first: Sizes, second: Sizes, memory: Memory, block: Block = Block()) -> Comparison:
    """The product of M, N, K = ``sizes`` in two tiles of m, n, k, elements of 2 bytes, accumulators of 4.

    Raises ValueError for a tile of which no block fits, for loads outside 1 to 64 of 4, 8 or 16 bytes, and for sizes
    and limits that `sim.tiles`, `sim.occupancy` and `sim.littles_law` refuse.

    >>> card = Memory("12.0", 188, 1792, 330)
    >>> duel = compare((1024, 12288, 4096), (128, 128, 32), (64, 64, 32), card)
    >>> duel.first.blocks_per_sm, duel.second.blocks_per_sm, f"{duel.bandwidth_ratio:.3f} {duel.time_ratio:.2f}"
    (1, 4, '0.326 1.55')
    >>> f"{compare((1024, 12288, 4096), (128, 128, 32), (64, 64, 32), card, Block(load_bytes=16)).time_ratio:.3f}"
    '0.504'
    """
    whole("sms", memory.sms, 1, 1024)
    whole("loads", block.loads, 1, MAX_LOADS)
    if type(block.load_bytes) is not int or block.load_bytes not in (4, 8, 16):
        raise ValueError(f"load_bytes is {block.load_bytes!r}; it must be 4, 8 or 16")
    return Comparison(_contender(sizes, first, memory, block), _contender(sizes, second, memory, block))


def _contender(sizes: Sizes, tile: Sizes, memory: Memory, block: Block) -> Contender:
    moved = traffic(*sizes, *tile)
    fits = occupancy(memory.compute_capability, block.threads, block.registers, moved.storage_bytes)
    if not fits.blocks_per_sm:
        raise ValueError(f"no block of a {'×'.join(map(str, tile))} tile fits on an SM: {fits.reason}")
    m, n, k = tile
    step_bytes = 2 * (m * k + k * n)
    resident = min(memory.sms * fits.blocks_per_sm, moved.output_tiles)
    in_flight = resident * min(block.threads * block.loads * block.load_bytes, step_bytes)
    reached = bandwidth(memory.peak_gb_per_s, memory.latency_ns, in_flight)
    return Contender(tile, moved.total_bytes, fits.blocks_per_sm, in_flight, reached)
