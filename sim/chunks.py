"""One transfer in c pieces, each used as soon as it is there: overlap against a fixed cost a piece.

Copy i takes fixed + copy/c, kernel i launch + kernel/c; copies follow one another, kernels too, and kernel i
needs copy i. So T(c) = C + (c - 1)·max(C, K) + K with C = fixed + copy/c and K = launch + kernel/c: more
pieces shorten what does not overlap, the first copy or the last kernel, and each costs its fixed part. If
copying is the longer half, the best c is near √(kernel/fixed), otherwise near √(copy/launch).

Source: CUDA C++ Best Practices Guide, "Asynchronous and Overlapping Transfers with Computation". 55 GB/s:
pinned copies over PCIe 5.0 x16 (nvbandwidth: 55 to 57). 2.7 µs a piece and 285.5 µs of kernels: this
project's readings of an H200, 64 MiB in 1 to 64 pieces.
Left out: the host that submits (it bounds the readings from 16 pieces on); kernels slower on small pieces.
"""

from dataclasses import dataclass
from math import inf, sqrt

from sim.events import Task, run
from sim.inputs import number, whole

MAX_PIECES = 256
MAX_BYTES = 1 << 40
MIN_RATE, MAX_RATE = 1e-3, 1e6  # GB/s
MAX_US = 1e9
MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Piece:
    """When one piece was copied and used, in µs."""

    copy_start_us: float
    copy_end_us: float
    kernel_start_us: float
    kernel_end_us: float


@dataclass(frozen=True, slots=True)
class Workload:
    """What there is to do.

    ``size_bytes`` from 1 to 2^40; ``link_gb_per_s`` from 0.001 to 1e6 (1e9 bytes a second); µs from 0 to
    1e9: ``fixed_us`` a copy, ``kernel_us`` for all kernels, ``launch_us`` a kernel. ValueError otherwise.
    """

    size_bytes: int = 64 * MIB
    link_gb_per_s: float = 55.0
    fixed_us: float = 2.7
    kernel_us: float = 285.5
    launch_us: float = 0.0

    def __post_init__(self) -> None:
        whole("size_bytes", self.size_bytes, 1, MAX_BYTES)
        number("link_gb_per_s", self.link_gb_per_s, MIN_RATE, MAX_RATE, "GB/s")
        number("fixed_us", self.fixed_us, 0, MAX_US, "µs")
        number("kernel_us", self.kernel_us, 0, MAX_US, "µs")
        number("launch_us", self.launch_us, 0, MAX_US, "µs")

    @property
    def copy_us(self) -> float:
        """The bytes alone, in µs, without a fixed cost."""
        return self.size_bytes / (self.link_gb_per_s * 1e3)

    def piece_us(self, pieces: int) -> tuple[float, float]:
        """One copy and one kernel of ``pieces`` equal ones, in µs."""
        whole("pieces", pieces, 1, MAX_PIECES)
        return self.fixed_us + self.copy_us / pieces, self.launch_us + self.kernel_us / pieces

    def formula_us(self, pieces: int) -> float:
        """T(c) in µs, for 1 to 256 pieces."""
        copy_us, kernel_us = self.piece_us(pieces)
        return copy_us + (pieces - 1) * max(copy_us, kernel_us) + kernel_us

    @property
    def best_pieces(self) -> int:
        """The number of pieces, 1 to 256, with the least T; of equal ones the smallest."""
        return min(range(1, MAX_PIECES + 1), key=self.formula_us)

    @property
    def rule_of_thumb(self) -> float:
        """√(kernel/fixed) if copying is the longer half, else √(copy/launch); inf if a piece costs nothing."""
        gain, cost = (self.kernel_us, self.fixed_us)
        if self.copy_us < self.kernel_us:
            gain, cost = (self.copy_us, self.launch_us)
        return sqrt(gain / cost) if cost else inf


def simulate(pieces: int, workload: Workload) -> tuple[Piece, ...]:
    """Copy and use 1 to 256 pieces in order; the last ``kernel_end_us`` is the total.

    >>> workload = Workload()
    >>> for pieces in (1, 4, workload.best_pieces):
    ...     print(pieces, round(simulate(pieces, workload)[-1].kernel_end_us))
    1 1508
    4 1302
    10 1276
    """
    copy_us, kernel_us = workload.piece_us(pieces)
    tasks = []
    for i in range(pieces):
        tasks.append(Task(("copy", i), "copy", copy_us))
        tasks.append(Task(("kernel", i), "compute", kernel_us, (("copy", i),)))
    spans = run(tasks).spans
    both = ((spans["copy", i], spans["kernel", i]) for i in range(pieces))
    return tuple(Piece(c.start_us, c.end_us, k.start_us, k.end_us) for c, k in both)
