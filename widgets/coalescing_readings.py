"""What hardware says about one load of a warp: the profiler's sectors, and how long a gather of such loads takes.

Sectors (`chapters/recorded/*/global_loads.json`) are counts of single loads and must be equal. Times are of gathers
of many floats by stride and start (`strided_copy.json`, or a live run of it). The model of a time takes one constant
from the same recording or run, the time in a row: everything else is bytes moved (`sim.gather_time`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sim.coalescing import GlobalAccess, simulate, strided
from sim.gather_time import gather_us
from widgets.live import COUNT, between, once, other_inputs, whole
from widgets.parts import Comparison, Reading
from widgets.words import Words

WIDTH = 4
"""Bytes of an element that is gathered."""
ROW = {"stride": whole(0, 4096), "offset": whole(0, 4096), "n": COUNT, "us": between(0, 1e9)}
COUNTED = ("aligned", "stride_2", "column")
TIMED = ("aligned", "stride_2", "column")
"""States with a count, and with a time."""

Lanes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Gathers:
    """One recording or live run: its rows by the addresses of a warp."""

    reading: Reading
    rows: Mapping[Lanes, Reading]

    def of(self, access: GlobalAccess) -> Reading | None:
        """Return the row of these very addresses."""
        return self.rows.get(access.addresses) if access.width_bytes == WIDTH else None

    def model_us(self, access: GlobalAccess) -> float | None:
        """Return the time that bytes make of the gather in a row; None while that is not there, or lanes are off."""
        row = self.rows.get(strided(WIDTH))
        whole_warp = access.width_bytes == WIDTH and min(access.addresses) >= 0
        return gather_us(access, simulate(strided(WIDTH)), row["us"]) if row and whole_warp else None


def read(reading: Reading) -> Gathers:
    """Index the rows of a recording, or of a live run."""
    return Gathers(reading, {strided(WIDTH, row["stride"], WIDTH * row["offset"]): row for row in reading["rows"]})


@once
def recorded(reading: Reading) -> Gathers:
    """Index a recording, once."""
    return read(reading)


@once
def counted(reading: Reading) -> Mapping[Lanes, Reading]:
    """Index recorded counts by width and addresses, once."""
    return {(row["width_bytes"], *row["lanes"]): row for row in reading["rows"]}


def count(readings: Sequence[Reading], access: GlobalAccess) -> tuple[Reading, Reading] | None:
    """Return the reading and the row of these very addresses and this width, if there is one."""
    key = (access.width_bytes, *access.addresses)
    return next(((reading, counted(reading)[key]) for reading in readings if key in counted(reading)), None)


def sectors(readings: Sequence[Reading], access: GlobalAccess, words: Words) -> Comparison:
    """Return the sectors of the model beside the profiler's, which must be equal."""
    both = Comparison(
        words("Sectors of this load"), access.sectors, None, exact=True, presets=COUNTED, by_box=False,
        provenance=words(
            "These addresses have not been run under the profiler yet. Strides and offsets have, at every width."
        ),
    )  # fmt: skip
    if (found := count(readings, access)) is None:
        return both
    reading, row = found
    provenance = words(
        "One {gpu}, {date}, driver {driver}, CUDA {cuda}, Nsight Compute counter {counter}",
        counter=reading["inputs"]["counters"]["sectors"],
        **{key: reading[key] for key in ("gpu", "date", "driver", "cuda")},
    )
    device = reading["gpu"].removeprefix("NVIDIA ")
    return replace(both, recorded=row["sectors"], device=device, provenance=provenance)


def times(gathers: Gathers, live: Gathers | None, access: GlobalAccess, words: Words) -> Comparison:
    """Return the time of a gather of such loads beside the recorded and the live one, or why there is none."""
    reading, row, model = gathers.reading, gathers.of(access), gathers.model_us(access)
    base = gathers.rows[strided(WIDTH)]
    n = words.num(base["n"])
    if model is None or row is None:
        told = words("Timed are gathers of floats, all lanes in order, by stride and start.")
        if model is None:
            what = words("Gathering {n} floats in a row; this load is not one of floats by all lanes", n=n)
            return Comparison(what, base["us"], None, words("µs"), 1, provenance=told, presets=TIMED)
        return Comparison(_what(n, words), model, None, words("µs"), 1, provenance=told, presets=TIMED)
    source = words(
        "One {gpu}, {date}, driver {driver}, CUDA {cuda}, events around a graph replay, cold L2, median of {count}.",
        count=words.num(row["count"]), **{key: reading[key] for key in ("gpu", "date", "driver", "cuda")},
    )  # fmt: skip
    taken = words(
        "Model: bytes moved, at the rate of floats in a row, which took {us} µs.", us=words.num(base["us"], 1)
    )
    now, why = live.of(access) if live else None, ""
    if now and now["n"] != row["n"]:
        why = other_inputs(words("{n} floats", n=words.num(now["n"])), words)
        now = None
    return Comparison(
        _what(n, words), model, row["us"], words("µs"), 1, device=reading["gpu"].removeprefix("NVIDIA "),
        provenance=words("{first} {second}", first=source, second=taken), presets=TIMED, live_why=why,
        live=now["us"] if now else None, live_model=live.model_us(access) if live and now else None,
    )  # fmt: skip


def _what(n: str, words: Words) -> str:
    return words("Gathering {n} floats with such loads, and storing them in a row", n=n)
