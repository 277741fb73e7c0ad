"""What hardware says about one request to shared memory: its wavefronts, and the cycles that they take.

Wavefronts (`chapters/recorded/*/bank_conflicts.json`) are a profiler's counts of single requests and must be equal.
Cycles (`bank_conflict_cycles.json`, or a live run) are of many requests that queue, by each of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sim.bank_conflicts import SharedAccess
from widgets.live import LANES, between, once, one_of, whole
from widgets.parts import Comparison, Reading
from widgets.words import N_, Words

ROW = {"op": one_of("load", "store"), "width_bytes": whole(4, 16), "lanes": LANES, "cycles": between(0, 1e9)}
COUNTED = ("column_36", "column_32", "column_33")
TIMED = ("column_36", "column_32", "column_33")
"""States with a count, and with a time."""

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Requests:
    """One recording or live run: its rows by operation, width and addresses."""

    reading: Reading
    rows: Mapping[Key, Reading]

    def of(self, access: SharedAccess) -> Reading | None:
        """Return the row of these addresses, or of the same ones moved by whole words, which turns the banks."""
        return self.rows.get(_key(access.op, access.width_bytes, access.addresses))


def _key(op: str, width: int, lanes: Sequence[int]) -> Key:
    least = min((lane for lane in lanes if lane >= 0), default=0)
    return op, width, *(lane - least if lane >= 0 else -1 for lane in lanes)


def read(reading: Reading) -> Requests:
    """Index the rows of a recording, or of a live run."""
    return Requests(reading, {_key(row["op"], row["width_bytes"], row["lanes"]): row for row in reading["rows"]})


@once
def recorded(reading: Reading) -> Requests:
    """Index a recording, once."""
    return read(reading)


@once
def counted(reading: Reading) -> Mapping[Key, Reading]:
    """Index recorded counts by operation, width and addresses as they are, once."""
    return {(row["op"], row["width_bytes"], *row["lanes"]): row for row in reading["rows"]}


def count(readings: Sequence[Reading], access: SharedAccess) -> tuple[Reading, Reading] | None:
    """Return the reading and the row of these very addresses, this width and operation, if there is one."""
    key = (access.op, access.width_bytes, *access.addresses)
    return next(((reading, counted(reading)[key]) for reading in readings if key in counted(reading)), None)


def wavefronts(readings: Sequence[Reading], access: SharedAccess, words: Words) -> Comparison:
    """Return the wavefronts of the model beside the profiler's, which must be equal."""
    what = words("Wavefronts for this load") if access.op == "load" else words("Wavefronts for this store")
    both = Comparison(
        what, access.wavefronts, None, exact=True, presets=COUNTED, by_box=False,
        provenance=words(
            "These addresses have not been run under the profiler yet. "
            "Row 0 and column 0 of a tile have readings at many pitches."
        ),
    )  # fmt: skip
    if (found := count(readings, access)) is None:
        return both
    reading, row = found
    provenance = words(
        "One {gpu}, {date}, driver {driver}, CUDA {cuda}, Nsight Compute counter {counter}",
        counter=reading["inputs"]["counters"][access.op],
        **{key: reading[key] for key in ("gpu", "date", "driver", "cuda")},
    )
    device = reading["gpu"].removeprefix("NVIDIA ")
    return replace(both, recorded=row["wavefronts"], device=device, provenance=provenance)


def cycles(requests: Requests, live: Requests | None, access: SharedAccess, words: Words) -> Comparison:
    """Return the cycles that such a request keeps the data path busy, beside the recorded and the live ones."""
    reading, row = requests.reading, requests.of(access)
    what = (
        N_("Cycles each, when such loads queue") if access.op == "load" else N_("Cycles each, when such stores queue")
    )
    both = Comparison(words(what), access.pipe_cycles, None, words("cycles"), 2, presets=TIMED)
    now = live.of(access) if live else None
    if now:
        both = replace(both, live=now["cycles"])
    if row is None:
        why = words("Timed are strides and some columns, whole words further on as well, but not these addresses.")
        return replace(both, provenance=why)
    provenance = words(
        "One {gpu}, {date}, driver {driver}, CUDA {cuda}, clock64() around {n} requests that {warps} warps queue. "
        "Model: one wavefront a cycle.",
        n=words.num(16 * reading["inputs"]["rounds"]), warps=reading["inputs"]["warps"],
        **{key: reading[key] for key in ("gpu", "date", "driver", "cuda")},
    )  # fmt: skip
    device = reading["gpu"].removeprefix("NVIDIA ")
    return replace(both, recorded=row["cycles"], device=device, provenance=provenance)
