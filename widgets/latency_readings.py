"""Recorded bandwidth of loads on their way, beside what Little's law makes of the same GPU's own latency.

A reading (`chapters/recorded/*/loads_in_flight.json`) has, for each row, the bytes a load, the loads that a thread has
on their way and the warps on an SM; its chains of dependent loads give the latency. All of it is of one GPU, which need
not be the one that the figure shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sim.gpus import gpu
from sim.littles_law import in_flight
from widgets import latency_words
from widgets.parts import Comparison, Reading
from widgets.words import N_, Words

REFUSED = N_("its registers do not fit an SM so many times")
"""Why a row has no time. The reading says it itself; this is here to be translated."""
_SHAPE = ("width_bytes", "loads", "warps_per_sm")

Shape = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Shapes:
    """One reading: its rows by bytes a load, loads a thread and warps an SM, and its chain through device memory."""

    reading: Reading
    rows: dict[Shape, tuple[Reading, Reading]]
    """The row and the same one of the second recording."""
    chain: Reading
    """The longest chain: the one that is surely in no cache."""

    def model_gb_per_s(self, shape: Shape) -> float:
        """Little's law on the GPU of the reading, with the latency of its chain."""
        chip = gpu(self.reading["inputs"]["gpu"])
        size, loads, warps = shape
        return in_flight(
            peak_gb_per_s=chip["bandwidth"].value, latency_ns=self.chain["ns"], sms=chip.sms, warps_per_sm=warps,
            bytes_per_load=size, loads_per_thread=loads,
        ).bandwidth_gb_per_s  # fmt: skip


def read(readings: Sequence[Reading]) -> Shapes | None:
    """Index the first reading; None without one."""
    if not readings:
        return None
    reading = readings[0]
    pairs = list(zip(reading["rows"], reading["again"], strict=True))
    chains = [row for row, _ in pairs if row["chain_bytes"]]
    rows = {_shape(row): (row, again) for row, again in pairs if not row["chain_bytes"]}
    return Shapes(reading, rows, max(chains, key=lambda row: row["chain_bytes"]))


def comparison(shapes: Shapes, shape: Shape, words: Words) -> Comparison:
    """Return the strip: the law's bandwidth beside the one recorded, or why there is none."""
    device = shapes.reading["gpu"].removeprefix("NVIDIA ")
    size, loads, warps = shape
    what = words(
        "{bytes}-byte loads, {loads} a thread, {warps} an SM, on the {gpu}",
        bytes=size, loads=loads, warps=latency_words.warps(warps, words), gpu=device,
    )  # fmt: skip
    model, found = shapes.model_gb_per_s(shape), shapes.rows.get(shape)
    if found is None:
        return Comparison(what, model, None, "GB/s", provenance=_others(shapes, device, words))
    row, again = found
    if row["us"] is None:
        why = words("The kernel was not run so on the {gpu}: {why}.", gpu=device, why=words(row["why"]))
        return Comparison(what, model, None, "GB/s", provenance=why)
    told = words.space.join((_source(shapes.reading, row, again, words), _taken(shapes, words)))
    return Comparison(what, model, row["gb_per_s"], "GB/s", device=device, provenance=told)


def _shape(row: Reading) -> Any:
    return tuple(row[key] for key in _SHAPE)


def _others(shapes: Shapes, device: str, words: Words) -> str:
    """Say which shapes were recorded."""
    sizes, loads, warps = (
        words(", ").join(map(str, sorted({shape[n] for shape in shapes.rows}))) for n in range(len(_SHAPE))
    )
    return words(
        "The {gpu} has readings of other loads. Bytes a load: {sizes}; loads a thread: {loads}; warps an SM: {warps}.",
        gpu=device, sizes=sizes, loads=loads, warps=warps,
    )  # fmt: skip


def _source(reading: Reading, row: Reading, again: Reading, words: Words) -> str:
    return words(
        "One {gpu}, {date}, driver {driver}, CUDA {cuda}, events around a graph replay, median of {n}; "
        "a second recording: {again} GB/s.",
        n=row["count"], again=latency_words.rate(again["gb_per_s"], words),
        **{key: reading[key] for key in ("gpu", "date", "driver", "cuda")},
    )  # fmt: skip


def _taken(shapes: Shapes, words: Words) -> str:
    chip = gpu(shapes.reading["inputs"]["gpu"])
    return words(
        "Model: bytes in flight over {ns} ns, as a chain of loads through {mib} MiB took there, at most {peak} GB/s.",
        ns=words.num(shapes.chain["ns"], 1), mib=words.num(shapes.chain["chain_bytes"] / 2**20),
        peak=words.num(chip["bandwidth"].value),
    )  # fmt: skip
