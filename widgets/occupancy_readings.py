"""Recorded launch shapes: the blocks that the CUDA runtime says fit, and the row that a state repeats exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sim.gpus import device_capability
from sim.occupancy import Occupancy
from widgets.live import COUNT
from widgets.parts import Comparison, Reading
from widgets.words import Words

ROW = {
    "threads_per_block": COUNT, "registers_per_thread": COUNT, "dynamic_shared_bytes": COUNT, "blocks_per_sm": COUNT,
}  # fmt: skip
PRESETS = ("registers_64", "kib_114", "kib_113")
"""States that were recorded."""

Shape = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Recorded:
    """Blocks by threads, registers and bytes, with the reading that has them; several kernels may share a shape."""

    shapes: Mapping[Shape, Sequence[tuple[int, Reading]]]
    rows: int
    calls: Sequence[str]
    """What was asked, the runtime or the driver: the name of its function."""

    def of(self, kernel: Occupancy) -> Sequence[tuple[int, Reading]]:
        """Return what was read for exactly this launch, nothing for another one or another SM."""
        shape = kernel.threads_per_block, kernel.registers_per_thread, kernel.shared_bytes_per_block
        found = self.shapes.get(shape, ())
        return [one for one in found if device_capability(one[1]["gpu"]) == kernel.compute_capability]

    def blocks(self, kernel: Occupancy) -> int | None:
        """Return the blocks read, None without a reading; of readings that disagree the farthest from the model."""
        found = [blocks for blocks, _ in self.of(kernel)]
        return max(found, key=lambda blocks: abs(blocks - kernel.blocks_per_sm)) if found else None


def read(readings: Sequence[Reading]) -> Recorded:
    """Index the rows by launch shape."""
    shapes: dict[Shape, list[tuple[int, Reading]]] = {}
    for reading in readings:
        for row in reading["rows"]:
            shape = row["threads_per_block"], row["registers_per_thread"], row["dynamic_shared_bytes"]
            shapes.setdefault(shape, []).append((row["blocks_per_sm"], reading))
    calls = dict.fromkeys(map(_call, readings))
    return Recorded(shapes, sum(len(reading["rows"]) for reading in readings), tuple(calls))


def _call(reading: Reading) -> str:
    return str(reading["method"]).partition(";")[0]


def comparison(recorded: Recorded, live: Recorded | None, kernel: Occupancy, words: Words) -> Comparison:
    """Return the strip: blocks of the model beside those recorded and those of a live run."""
    found, blocks = recorded.of(kernel), recorded.blocks(kernel)
    both = Comparison(
        words("Blocks of this kernel on one SM"), kernel.blocks_per_sm, blocks, exact=True, presets=PRESETS,
        live=live.blocks(kernel) if live else None, live_why=_why(live, kernel, words),
    )  # fmt: skip
    if blocks is None:
        why = words(
            "The {n} readings are of other launches, on one H200: {call}.",
            n=words.num(recorded.rows), call=words(", ").join(recorded.calls),
        )  # fmt: skip
        return replace(both, provenance=why)
    reading = next(reading for value, reading in found if value == blocks)
    provenance = words(
        "One {gpu}, {date}, driver {driver}, CUDA {cuda}: {call}.",
        call=_call(reading),
        **{key: reading[key] for key in ("gpu", "date", "driver", "cuda")},
    )
    return replace(both, device=reading["gpu"].removeprefix("NVIDIA "), provenance=provenance)


def _why(live: Recorded | None, kernel: Occupancy, words: Words) -> str:
    """Say why a live run has no such launch: its GPU's SMs may be others."""
    devices = {reading["gpu"] for some in live.shapes.values() for _, reading in some} if live else set()
    for device in devices:
        capability = device_capability(device)
        if capability is None:
            return words("The compute capability of the live run’s {gpu} is not known here.", gpu=device)
        if capability != kernel.compute_capability:
            return words(
                "The live run’s {gpu} has compute capability {one}; this state asks about {other}.",
                gpu=device, one=capability, other=kernel.compute_capability,
            )  # fmt: skip
    return ""
