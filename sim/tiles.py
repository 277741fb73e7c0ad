"""A tile of a matrix product: what it keeps in shared memory and what it makes the whole product read.

A is M×K, B is K×N, C is M×N. A block owns one m×n tile of C and walks along K in steps of k. In each step it needs
m×k of A and k×n of B. Every tile of C reads its own strip of A and of B, so A is read ⌈N/n⌉ times in all and B
⌈M/m⌉ times; C is written once. A deeper k changes neither; more stages multiply what is resident, never what is read.
Where sizes do not divide, elements outside a matrix are not read.

Source: each count is the sum over the tiles; elementary, as in M. Lam, E. Rothberg, M. Wolf, ASPLOS 1991 (blocking).
Left out: caches that happen to hit; accumulators, C and padding in `ledger`; sectors only partly used; padded
FLOP (sim/mma_pieces.py); what limits an SM besides shared memory (sim/occupancy.py).
"""

from dataclasses import dataclass

from sim.inputs import whole
from sim.occupancy import occupancy

MAX_SIZE = 2**31 - 1  # of one side; what an int index in a kernel can hold
MAX_ELEMENT_BYTES = 16
MAX_STAGES = 64


@dataclass(frozen=True, slots=True)
class Ledger:
    """One K step of one tile. Bytes from memory and FLOP are those of the step, shared bytes those of all stages."""

    shared_bytes: int
    flops: int
    """2·m·n·k: a multiply and an add for each term."""
    memory_bytes: int
    shared_limit_bytes: int

    @property
    def intensity(self) -> float:
        """FLOP for each byte from memory."""
        return self.flops / self.memory_bytes

    @property
    def fits(self) -> bool:
        """Whether the stages fit in the limit given."""
        return self.shared_bytes <= self.shared_limit_bytes


@dataclass(frozen=True, slots=True)
class Traffic:
    """The whole product with one buffer level: bytes moved between memory and the tiles."""

    a_reads: int
    """How often A is read whole: columns of tiles, ⌈N/n⌉."""
    b_reads: int
    """How often B is read whole: rows of tiles, ⌈M/m⌉."""
    k_steps: int
    """Steps along K of each tile, ⌈K/k⌉."""
    a_bytes: int
    b_bytes: int
    c_bytes: int
    storage_bytes: int
    """Buffers of one tile: m×k of A, k×n of B and the accumulators of m×n."""
    flops: int
    """Useful ones, 2·M·N·K."""

    @property
    def output_tiles(self) -> int:
        """Tiles of C, each of them one block's work."""
        return self.a_reads * self.b_reads

    @property
    def total_bytes(self) -> int:
        """Bytes of A, B and C that move."""
        return self.a_bytes + self.b_bytes + self.c_bytes

    @property
    def intensity(self) -> float:
        """Useful FLOP for each byte that moves."""
        return self.flops / self.total_bytes


def ledger(m: int, n: int, k: int, element_bytes: int, stages: int, shared_limit_bytes: int) -> Ledger:
    """One K step of an m×n×k tile, sides in elements (1 to 2³¹ − 1), 1 to 16 bytes an element, 1 to 64 stages.

    Raises ValueError for anything else, and for a limit that is not a whole number of bytes ≥ 0.

    >>> step = ledger(64, 64, 32, element_bytes=2, stages=2, shared_limit_bytes=48 * 1024)
    >>> step.shared_bytes, step.flops, step.memory_bytes, step.intensity, step.fits
    (16384, 262144, 8192, 32.0, True)
    """
    check_sizes(m=m, n=n, k=k)
    whole("element_bytes", element_bytes, 1, MAX_ELEMENT_BYTES)
    whole("stages", stages, 1, MAX_STAGES)
    whole("shared_limit_bytes", shared_limit_bytes, 0)
    step_bytes = element_bytes * (m * k + k * n)
    return Ledger(stages * step_bytes, 2 * m * n * k, step_bytes, shared_limit_bytes)


def traffic(
    M: int, N: int, K: int, m: int, n: int, k: int, element_bytes: int = 2, accumulator_bytes: int = 4
) -> Traffic:
    """M×K by K×N in tiles of m×n, k deep; sides in elements (1 to 2³¹ − 1), 1 to 16 bytes each. Sides need not
    divide, and a tile may be larger than the matrix.

    Raises ValueError for anything else.

    >>> ffn = traffic(1024, 12288, 4096, 64, 64, 32)
    >>> [ffn.a_bytes >> 20, ffn.b_bytes >> 20, ffn.c_bytes >> 20, ffn.total_bytes >> 20, ffn.storage_bytes >> 10]
    [1536, 1536, 24, 3096, 24]
    """
    check_sizes(M=M, N=N, K=K, m=m, n=n, k=k)
    whole("element_bytes", element_bytes, 1, MAX_ELEMENT_BYTES)
    whole("accumulator_bytes", accumulator_bytes, 1, MAX_ELEMENT_BYTES)
    a_reads, b_reads = -(-N // n), -(-M // m)
    a_bytes, b_bytes = element_bytes * M * K * a_reads, element_bytes * K * N * b_reads
    storage_bytes = element_bytes * (m * k + k * n) + accumulator_bytes * m * n
    c_bytes, flops = element_bytes * M * N, 2 * M * N * K
    return Traffic(a_reads, b_reads, -(-K // k), a_bytes, b_bytes, c_bytes, storage_bytes, flops)


def resident_blocks(compute_capability: str, shared_bytes: int) -> int:
    """Blocks of so many shared bytes (≥ 1) on one SM, the driver's reserve on top of each; 0 if one does not fit.

    Shared memory alone limits here. Raises ValueError for another size or an unknown compute capability.

    >>> resident_blocks("12.0", 24 * 1024), resident_blocks("12.0", 80 * 1024)
    (4, 1)
    """
    whole("shared_bytes", shared_bytes, 1)
    blocks = occupancy(compute_capability, 32, 0, shared_bytes).blocks_by_shared_memory
    assert blocks is not None  # it is None for a block without a byte
    return blocks


def check_sizes(**sizes: int) -> None:
    """Refuse a side that is not a whole number of elements from 1 to 2³¹ − 1."""
    for name, size in sizes.items():
        whole(name, size, 1, MAX_SIZE)
