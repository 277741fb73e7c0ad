"""Cycles of a shared-memory request by stride, padding, swizzle and width, against the wavefronts of the simulator.

Many warps of one block ask for the same addresses again and again, so the pipe is never idle. Model: a wavefront a
cycle.
"""

from collections.abc import Iterator, Sequence
from statistics import median

import torch
from pydantic import Field

from gpu_backend.checking import WrongResult
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import bank_cycles as kernel
from sim.tile_addresses import column, row

STRIDES = {4: (1, 2, 3, 4, 5, 6, 8, 12, 16, 17, 24, 32, 33), 8: (1, 2, 3, 4, 6, 8, 16), 16: (1, 2, 3, 4, 8)}


def cases() -> Iterator[tuple[str, int, str, Sequence[int]]]:
    """Name, width in bytes, load or store, and the byte offset of each lane."""
    for width, strides in STRIDES.items():
        for stride in strides:
            for op in ("load", "store"):
                yield f"stride {stride}", width, op, [width * stride * lane for lane in range(32)]
    for op in ("load", "store"):
        for pitch in (32, 33, 34, 36, 40, 48):
            yield f"column, pitch {pitch}", 4, op, column(32, 32, 3, pitch)
        yield "column, xor", 4, op, column(32, 32, 3, 32, swizzle="xor")
        yield "row, xor", 4, op, row(32, 32, 3, 32, swizzle="xor")
        for words, name in ((32, "none"), (32, "tma128"), (16, "tma64"), (8, "tma32")):
            yield f"column of 16-byte chunks, {name}", 16, op, column(32, words // 4, 1, words, 16, name)  # type: ignore[arg-type]
    yield "one word", 4, "load", [128] * 32
    yield "two words of a bank", 4, "load", [128 * (lane % 2) for lane in range(32)]
    yield "16 lanes, stride 32", 4, "load", [128 * lane if lane % 2 else -1 for lane in range(32)]


class Chosen(Inputs):
    """How long each request is repeated."""

    rounds: int = Field(64, ge=1, le=1024, description="rounds of 16 requests a warp")
    warps: int = Field(16, ge=1, le=32, description="warps of the block")
    repeats: int = Field(5, ge=1, le=20, description="runs, of which the median counts; one more goes ahead")


def rows(chosen: Chosen) -> Iterator[Row]:
    """One row a request."""
    for name, width, op, lanes in cases():
        offsets = torch.tensor(lanes, dtype=torch.int32, device="cuda")
        words = kernel.shared_words(list(lanes), width)
        expected = kernel.reference(list(lanes), width, op, chosen.rounds, words)
        seen = []
        for _ in range(chosen.repeats + 1):
            cycles, got = kernel.run(offsets, width, op, chosen.rounds, chosen.warps)
            if not kernel.right(got, expected, op, words):
                raise WrongResult(f"{op} of {width} bytes, {name}: shared memory or its sums are not what they must be")
            seen.append(cycles)
        wavefronts, ideal = kernel.wavefronts(list(lanes), width, op)
        yield {
            "case": name, "op": op, "width_bytes": width, "wavefronts": wavefronts, "ideal_wavefronts": ideal,
            "model_cycles": float(wavefronts), "cycles": median(seen[1:]), "cycles_least": min(seen[1:]),
            "cycles_most": max(seen[1:]), "count": chosen.repeats, "kernel": "bank_cycles", "lanes": list(lanes),
        }  # fmt: skip


EXPERIMENT = Experiment(
    "bank_conflict_cycles", "bank_conflicts",
    "clock64() in each warp, first begin to last end, over all requests of the block; median of `count` runs; every "
    "sum of "
    "loaded words, or the memory after the stores, checked exactly", Chosen, rows, needs_gpu=True,
    points=lambda _: len(list(cases())),
)  # fmt: skip
