"""Recorded bandwidth of loads on their way, beside what Little's law makes of the same GPU's own latency.

A reading (`chapters/recorded/*/loads_in_flight.json`) has, for each row, the bytes a load, the loads that a thread has
on their way and the warps on an SM; its chains of dependent loads give the latency. All of it is of one GPU, which need
not be the one that the figure shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from sim.gpus import gpu, names
from sim.littles_law import in_flight
from widgets import latency_words
from widgets.live import COUNT, POSITIVE, between, once
from widgets.parts import Comparison, Reading
from widgets.words import N_, Words

REFUSED = N_("its registers do not fit an SM so many times")
"""Why a row has no time. The reading says it itself; this is here to be translated."""
_SHAPE = ("width_bytes", "loads", "warps_per_sm")
ROW = {
    "width_bytes": COUNT, "loads": COUNT.or_null, "warps_per_sm": COUNT.or_null, "chain_bytes": COUNT.or_null,
    "ns": between(0, 1e6).or_null, "us": POSITIVE.or_null, "gb_per_s": POSITIVE.or_null,
    "us_p20": POSITIVE.or_null, "us_p80": POSITIVE.or_null, "bytes": POSITIVE.or_null, "count": COUNT.or_null,
}  # fmt: skip
PRESETS = ("shared_load", "one_warp", "all_warps")
"""States whose loads were recorded."""

Shape = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Shapes:
    """One reading: its rows by bytes a load, loads a thread and warps an SM, and its chain through device memory."""

    reading: Reading
    rows: dict[Shape, Reading]
    again: dict[Shape, Reading]
    """The same rows of a second recording; a live run has none."""
    chain: Reading | None
    """The longest chain: the one that is surely in no cache. None where there is none yet."""

    @property
    def gpu(self) -> str:
        """The key in `sim.gpus` of the GPU whose peak the model takes."""
        return str(self.reading["inputs"].get("gpu"))

    def model_gb_per_s(self, shape: Shape) -> float | None:
        """Little's law on the GPU of the reading, with the latency of its chain; None where either is not known."""
        if self.chain is None or self.gpu not in names():
            return None
        chip = gpu(self.gpu)
        size, loads, warps = shape
        return in_flight(
            peak_gb_per_s=chip["bandwidth"].value, latency_ns=self.chain["ns"], sms=chip.sms, warps_per_sm=warps,
            bytes_per_load=size, loads_per_thread=loads,
        ).bandwidth_gb_per_s  # fmt: skip

    def points(self, size: int, loads: int) -> Iterator[tuple[int, float, float, float]]:
        """Yield warps an SM with the GB/s read, and those at the 80th and at the 20th percentile of the time."""
        for (width, each, warps), row in self.rows.items():
            if (width, each) == (size, loads) and row.get("gb_per_s"):
                ends = (row.get(name) for name in ("us_p80", "us_p20"))
                low, high = (row["gb_per_s"] * row["us"] / us if us else row["gb_per_s"] for us in ends)
                yield warps, row["gb_per_s"], low, high


def read(reading: Reading) -> Shapes:
    """Index a reading's rows, or a live run's."""
    chains = [row for row in reading["rows"] if row["chain_bytes"]]
    rows, again = (
        {_shape(row): row for row in some if not row["chain_bytes"]}
        for some in (reading["rows"], reading.get("again") or ())
    )
    return Shapes(reading, rows, again, max(chains, key=lambda row: row["chain_bytes"], default=None))


recorded = once(read)


def check(record: Reading, words: Words) -> None:
    """Refuse a live run whose rows are neither chains nor streams: a ValueError in the reader's language."""
    for number, row in enumerate(record["rows"], 1):
        stream = None not in _shape(row) and (row.get("us") is None or row.get("gb_per_s") is not None)
        if not (row.get("ns") is not None if row.get("chain_bytes") else stream):
            n = words.num(number)
            raise ValueError(
                words("the live run cannot be read: row {n} is neither a chain nor a stream of loads", n=n)
            )


def comparison(shapes: Shapes, live: Shapes | None, shape: Shape, words: Words) -> Comparison:
    """Return the strip: the law's bandwidth beside the one recorded and the live one, or why there is none."""
    device = shapes.reading["gpu"].removeprefix("NVIDIA ")
    size, loads, warps = shape
    what = words(
        "{bytes}-byte loads, {loads} a thread, {warps} an SM, on the {gpu}",
        bytes=size, loads=loads, warps=latency_words.warps(warps, words), gpu=device,
    )  # fmt: skip
    model, row = shapes.model_gb_per_s(shape), shapes.rows.get(shape)
    assert model is not None  # a recording is whole
    now = live.rows.get(shape, {}).get("gb_per_s") if live else None
    both = Comparison(
        what, model, None, "GB/s", presets=PRESETS, live=now, live_model=live.model_gb_per_s(shape) if live else None
    )
    if row is None:
        return replace(both, provenance=_others(shapes, device, words))
    if row["us"] is None:
        why = words("The kernel was not run so on the {gpu}: {why}.", gpu=device, why=words(row["why"]))
        return replace(both, provenance=why)
    told = words.space.join((_source(shapes, shape, words), _taken(shapes, words)))
    return replace(both, recorded=row["gb_per_s"], device=device, provenance=told)


def _shape(row: Reading) -> Any:
    return tuple(row.get(key) for key in _SHAPE)


def _others(shapes: Shapes, device: str, words: Words) -> str:
    """Say which shapes were recorded."""
    sizes, loads, warps = (
        words(", ").join(map(str, sorted({shape[n] for shape in shapes.rows}))) for n in range(len(_SHAPE))
    )
    return words(
        "The {gpu} has readings of other loads. Bytes a load: {sizes}; loads a thread: {loads}; warps an SM: {warps}.",
        gpu=device, sizes=sizes, loads=loads, warps=warps,
    )  # fmt: skip


def _source(shapes: Shapes, shape: Shape, words: Words) -> str:
    return words(
        "One {gpu}, {date}, driver {driver}, CUDA {cuda}, events around a graph replay, median of {n}; "
        "a second recording: {again} GB/s.",
        n=shapes.rows[shape]["count"], again=latency_words.rate(shapes.again[shape]["gb_per_s"], words),
        **{key: shapes.reading[key] for key in ("gpu", "date", "driver", "cuda")},
    )  # fmt: skip


def _taken(shapes: Shapes, words: Words) -> str:
    chip, chain = gpu(shapes.gpu), shapes.chain
    assert chain is not None
    return words(
        "Model: bytes in flight over {ns} ns, as a chain of loads through {mib} MiB took there, at most {peak} GB/s.",
        ns=words.num(chain["ns"], 1), mib=words.num(chain["chain_bytes"] / 2**20),
        peak=words.num(chip["bandwidth"].value),
    )  # fmt: skip
