"""How long a matrix product takes with one tile: a model in which no tile is best everywhere.

C = A·B, M×K by K×N, one block an SM. The m×n tiles of C run in ⌈tiles / SMs⌉ waves (with a causal mask only tiles
that reach the diagonal or lie below it run). A tile walks along K in ⌈K/k⌉ steps of m×k of A and k×n of B. A step
computes for 2mnk / (peak / SMs) and loads its bytes at the SM's bandwidth, which is its share of the GPU's or, with
few bytes on their way, bytes in flight / latency; rows come in whole 32-byte sectors. With two or more stages, stages
− 1 steps are in flight, and loads and computation overlap but for the first load and the last computation; with one,
or without asynchronous copies, a step loads and then computes. Asynchronous copies need a compiler that issues them
and rows of B that start at multiples of 16 bytes. Every step ends at a barrier. A tile that sticks out of C costs what
a whole one does.

Source: sim/gpus.toml; waves, overlap and Little's law as in sim/block_scheduler.py, sim/pipeline.py and
sim/littles_law.py; 16 bytes: CUDA Programming Guide, "Tensor Memory Access" (strides). In cycles at 1.755 GHz, for
every GPU: 656 for a load on an H100 that misses every cache (W. Luo et al., arXiv 2501.12084, second-hand), 29 for
one from shared memory (the same, arXiv 2402.13499, H800), taken for the barrier.
Left out: several blocks an SM; L2, which serves most second readings; registers other than the accumulators.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from sim.gpus import gpu
from sim.inputs import whole

LATENCY_US = 656 / 1755  # cycles / (cycles a µs)
BARRIER_US = 29 / 1755
ROW_ALIGNMENT_BYTES = 16
SECTOR_BYTES = 32
MAX_SIDE = 1 << 20
MAX_TILE = 1024
MAX_STAGES = 8
MAX_ACCUMULATORS = 32_768  # half of an SM's registers, so that a thread's 255 suffice with 256 threads
ELEMENT_BYTES = {"bf16": 2, "fp8": 1}
OUTPUT_BYTES = 2  # BF16

Mask = Literal["none", "causal"]
Version = Literal["synchronous", "asynchronous"]


@dataclass(frozen=True, slots=True)
class Problem:
    """What a tile is chosen for. ``gpu`` and ``dtype`` as in sim.gpus ("h100", …; "bf16", "fp8").

    ``shape``: M, N, K. ``stride``: elements from one row of B to the next, N or more. ``mask``: of C, whose row i
    then keeps columns 0 to i. ``version``: of the compiler, one that copies to shared memory asynchronously or an
    older one that does not.
    """

    gpu: str
    dtype: str
    shape: tuple[int, int, int]
    stride: int
    mask: Mask = "none"
    version: Version = "asynchronous"


@dataclass(frozen=True, slots=True)
class Tile:
    """m×n of C, k deep, ``stages`` of it resident."""

    m: int
    n: int
    k: int
    stages: int


@dataclass(frozen=True, slots=True)
class Model:
    """The model for one problem, from `model`."""

    problem: Problem
    sms: int
    shared_limit_bytes: int
    """Of a block."""
    share_byte_per_us: float
    """An SM's share of the bandwidth."""
    share_flop_per_us: float
    element_bytes: int
    asynchronous: bool
    """Whether copies can overlap with computing at all."""

    def unfit(self, tile: Tile) -> str | None:
        """Why the tile cannot run on that GPU, or None if it can."""
        asked = self.element_bytes * tile.stages * tile.k * (tile.m + tile.n)
        if asked > self.shared_limit_bytes:
            limit = self.shared_limit_bytes
            return f"{asked} bytes of shared memory; a block on {gpu(self.problem.gpu).name} has at most {limit}"
        if tile.m * tile.n > MAX_ACCUMULATORS:
            return f"{tile.m * tile.n} accumulators; registers hold at most {MAX_ACCUMULATORS}"
        return None

    def time_us(self, tile: Tile) -> float:
        """The model's time in µs; ValueError for a tile with a side not from 1 to 1024, more than 8 stages, or unfit.

        >>> decode, prefill = (model(Problem("h100", "bf16", (rows, 12288, 4096), 12288)) for rows in (16, 4096))
        >>> small, large = Tile(16, 64, 128, 4), Tile(128, 256, 64, 4)
        >>> decode.time_us(small) < decode.time_us(large), prefill.time_us(small) < prefill.time_us(large)
        (True, False)
        """
        m, n, k, stages = tile.m, tile.n, tile.k, tile.stages
        for name, side in (("m", m), ("n", n), ("k", k)):
            whole(name, side, 1, MAX_TILE)
        whole("stages", stages, 1, MAX_STAGES)
        if reason := self.unfit(tile):
            raise ValueError(f"{tile} cannot run: {reason}")
        overlap = stages > 1 and self.asynchronous
        step_bytes = m * _sectors(k * self.element_bytes) + k * _sectors(n * self.element_bytes)
        in_flight = step_bytes * (stages - 1 if overlap else 1)
        load_us = step_bytes / min(self.share_byte_per_us, in_flight / LATENCY_US)
        compute_us = 2 * m * n * k / self.share_flop_per_us
        store_us = m * _sectors(n * OUTPUT_BYTES) / self.share_byte_per_us
        turn_us = max(load_us, compute_us) if overlap else load_us + compute_us
        steps, waves = -(-self.problem.shape[2] // k), -(-running_tiles(self.problem, tile) // self.sms)
        return waves * (load_us + (steps - 1) * turn_us + compute_us + steps * BARRIER_US + store_us)


def model(problem: Problem) -> Model:
    """The model; ValueError for an unknown GPU, precision, mask or version, a side not from 1 to 2^20, or a stride < N.

    >>> model(Problem("h100", "bf16", (1024, 12288, 4096), 12289)).asynchronous
    False
    """
    card = gpu(problem.gpu)
    if problem.dtype not in ELEMENT_BYTES:
        raise ValueError(f"dtype is {problem.dtype!r}; it must be one of {', '.join(ELEMENT_BYTES)}")
    peak = card.peak(problem.dtype).value
    if len(problem.shape) != 3:
        raise ValueError(f"shape is {problem.shape!r}; it must be M, N, K")
    for name, side in zip("MNK", problem.shape, strict=True):
        whole(name, side, 1, MAX_SIDE)
    whole("stride", problem.stride, problem.shape[1], 2 * MAX_SIDE)
    for name, value, allowed in (("mask", problem.mask, Mask), ("version", problem.version, Version)):
        if value not in get_args(allowed):
            raise ValueError(f"{name} is {value!r}; it must be one of {', '.join(get_args(allowed))}")
    element = ELEMENT_BYTES[problem.dtype]
    return Model(
        problem,
        sms=card.sms,
        shared_limit_bytes=card.sm.block_shared_bytes,
        share_byte_per_us=card["bandwidth"].value * 1e3 / card.sms,  # GB/s → B/µs
        share_flop_per_us=peak * 1e6 / card.sms,  # TFLOP/s → FLOP/µs
        element_bytes=element,
        asynchronous=problem.version == "asynchronous" and problem.stride * element % ROW_ALIGNMENT_BYTES == 0,
    )


def running_tiles(problem: Problem, tile: Tile) -> int:
    """Tiles of C that run: with a causal mask, those with an element in a column up to its row.

    >>> running_tiles(Problem("h100", "bf16", (256, 256, 64), 256, mask="causal"), Tile(64, 128, 64, 2))
    6
    """
    rows, columns = problem.shape[:2]
    across = -(-columns // tile.n)
    if problem.mask == "none":
        return -(-rows // tile.m) * across
    last_rows = (min(top + tile.m, rows) - 1 for top in range(0, rows, tile.m))
    return sum(min(across, last // tile.n + 1) for last in last_rows)


def _sectors(row_bytes: int) -> int:
    """Bytes moved for one row."""
    return -(-row_bytes // SECTOR_BYTES) * SECTOR_BYTES
