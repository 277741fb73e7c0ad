"""Cycles around a branch whose lanes take up to four loops, and around a loop with its own trip count a lane.

The cases are those of the recorded readings (`chapters/recorded/tables/h200`), so that the two can be compared. Model:
the line of `sim.divergence_fit` through all rows of a kernel.
"""

from collections.abc import Iterator

from pydantic import Field

from gpu_backend.checking import verify
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import divergent_paths as kernel
from sim.address_pattern import parse_pattern
from sim.divergence import Divergence, loop, simulate

LENGTHS = {
    "L0": (1000, 1000, 1000, 1000),
    "L1": (1000, 100, 100, 100),
    "L2": (2000, 1000, 500, 250),
    "L3": (100, 4000, 100, 100),
}
PATTERNS = {
    "P0": "0", "P1": "i // 16", "P2": "i % 2", "P3": "i % 4", "P4": "(i + 31) // 32", "P5": "i // 8", "P6": "i % 3",
    "P7": "(i + 8) // 16", "P8": "1", "P9": "3",
    "T0": "1000", "T1": "(i + 1) * 100", "T2": "10 + (i + 1) // 32 * 4990", "T3": "1000 + i % 2 * 1000",
}  # fmt: skip
LANES = {name: list(parse_pattern(text)) for name, text in PATTERNS.items()}


class Chosen(Inputs):
    """How often each branch is taken."""

    repeats: int = Field(3, ge=1, le=50, description="runs, of which the last counts")


def rows(chosen: Chosen) -> Iterator[Row]:
    """One row a branch."""
    for kind, lengths, pattern in _cases():
        yield _row(kind, lengths, pattern, chosen.repeats)


def _cases() -> Iterator[tuple[str, str | None, str]]:
    """Kind, name of the lengths and of the pattern."""
    for lengths in LENGTHS:
        yield from (("path", lengths, pattern) for pattern in PATTERNS if pattern.startswith("P"))
    yield from (("trip", None, pattern) for pattern in PATTERNS if pattern.startswith("T"))


def _row(kind: str, lengths: str | None, pattern: str, repeats: int) -> Row:
    lanes, sizes = LANES[pattern], LENGTHS[lengths] if lengths else None
    cycles, out = kernel.run(lanes, sizes, repeats)
    verify(out, kernel.reference(lanes, sizes).to(out.device), limit=0.0)
    trace: Divergence = simulate(lanes, sizes) if sizes else loop(lanes)
    return {
        "kernel": kind, "lengths": lengths, "pattern": pattern, "cycles": cycles,
        "model_slots": trace.issue_slots, "model_efficiency": trace.efficiency, "error": 0.0,
    }  # fmt: skip


EXPERIMENT = Experiment(
    "divergence_cycles", "divergence",
    "clock64() around the branch in one warp, the last of `repeats` runs; what each lane counted checked exactly",
    Chosen, rows, needs_gpu=True, points=lambda _: len(list(_cases())),
    setup={
        "path": "lane i takes path patterns[i], a loop of lengths[path] dependent fused multiply-adds",
        "trip": "one loop of dependent fused multiply-adds, patterns[i] iterations in lane i",
        "lengths": {name: list(sizes) for name, sizes in LENGTHS.items()},
        "patterns": LANES,
    },
)  # fmt: skip
