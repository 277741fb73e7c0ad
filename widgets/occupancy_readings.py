"""Recorded launch shapes: the blocks that the CUDA runtime says fit, and the row that a state repeats exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sim.occupancy import Occupancy
from widgets.parts import Comparison, Reading
from widgets.words import Words

RECORDED_ON = "9.0"
"""Compute capability of the GPU that the readings are from, an H200 (sim/gpus.toml)."""

_CALL = "cudaOccupancyMaxActiveBlocksPerMultiprocessor"

Shape = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Recorded:
    """Blocks by threads, registers and bytes, with the reading that has them; several kernels may share a shape."""

    shapes: Mapping[Shape, Sequence[tuple[int, Reading]]]
    rows: int

    def of(self, kernel: Occupancy) -> Sequence[tuple[int, Reading]]:
        """Return what was recorded for exactly this launch, nothing for another one or another SM."""
        if kernel.compute_capability != RECORDED_ON:
            return ()
        shape = kernel.threads_per_block, kernel.registers_per_thread, kernel.shared_bytes_per_block
        return self.shapes.get(shape, ())

    def blocks(self, kernel: Occupancy) -> int | None:
        """Return the recorded blocks, None without a reading; of readings that disagree the farthest from the model."""
        found = [blocks for blocks, _ in self.of(kernel)]
        return max(found, key=lambda blocks: abs(blocks - kernel.blocks_per_sm)) if found else None


def read(readings: Sequence[Reading]) -> Recorded:
    """Index the rows by launch shape."""
    shapes: dict[Shape, list[tuple[int, Reading]]] = {}
    for reading in readings:
        for row in reading["rows"]:
            shape = row["threads_per_block"], row["registers_per_thread"], row["dynamic_shared_bytes"]
            shapes.setdefault(shape, []).append((row["blocks_per_sm"], reading))
    return Recorded(shapes, sum(len(reading["rows"]) for reading in readings))


def comparison(recorded: Recorded, kernel: Occupancy, words: Words) -> Comparison:
    """Return the strip: blocks of the model beside those recorded."""
    what, found = words("Blocks of this kernel on one SM"), recorded.of(kernel)
    blocks = recorded.blocks(kernel)
    if blocks is None:
        why = words(
            "The {n} readings are of other launches, on one H200: {call}.", n=words.num(recorded.rows), call=_CALL
        )  # fmt: skip
        return Comparison(what, kernel.blocks_per_sm, None, exact=True, provenance=why)
    reading = next(reading for value, reading in found if value == blocks)
    provenance = words(
        "One {gpu}, {date}, driver {driver}, CUDA {cuda}: {call}.",
        call=_CALL,
        **{key: reading[key] for key in ("gpu", "date", "driver", "cuda")},
    )
    device = reading["gpu"].removeprefix("NVIDIA ")
    return Comparison(what, kernel.blocks_per_sm, blocks, exact=True, device=device, provenance=provenance)
