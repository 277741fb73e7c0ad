"""Recorded branches and loops of one warp: the straight line through their cycles, and the one a state repeats.

A reading (`chapters/recorded/*/divergence_cycles.json`, or a live run) names, for each row, the path or the trip
count of every lane and, for a branch, the iterations of each path. The loops there are far longer than a drawing, so
a state repeats a row when its lanes are the same and its lengths are those of the row on another scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sim.divergence import Divergence, loop, simulate
from sim.divergence_fit import CycleFit, fit
from widgets.live import LANES, POSITIVE, TEXT, once, one_of
from widgets.parts import Comparison, Reading
from widgets.words import Words

PATH, TRIP = "path", "trip"
ROW = {"kernel": one_of(PATH, TRIP), "lengths": TEXT.or_null, "pattern": TEXT, "cycles": POSITIVE}
MOST_TRIPS = 10**6
PRESETS = ("halves", "four_ways", "together")
"""States that repeat a row."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One row of a reading: `lanes` are paths, or trip counts where `lengths` is empty."""

    lanes: tuple[int, ...]
    lengths: tuple[int, ...]
    trace: Divergence
    cycles: float


@dataclass(frozen=True, slots=True)
class Twin:
    """The row that a warp repeats on another scale, with the line through all rows of its kind."""

    row: Recorded
    line: CycleFit | None
    """None where the rows there are do not determine it: a live run's first ones."""
    rows: int
    """Through how many rows the line goes."""

    @property
    def cycles(self) -> float:
        """Cycles recorded."""
        return self.row.cycles

    @property
    def model_cycles(self) -> float | None:
        """Cycles on the line."""
        return None if self.line is None else self.line.cycles(self.row.trace)

    @property
    def slots(self) -> int:
        """Issue slots of the row."""
        return self.row.trace.issue_slots


@dataclass(frozen=True, slots=True)
class Readings:
    """All rows of one reading, by kernel, each kernel with its line."""

    rows: dict[str, tuple[Recorded, ...]]
    lines: dict[str, CycleFit | None]

    def twin(self, lanes: Sequence[int], lengths: Sequence[int] = ()) -> Twin | None:
        """Return the row that a warp repeats on another scale; of several one alike in unused paths too."""
        if lengths:
            taken = sorted(set(lanes))
            alike = [
                row
                for row in self.rows[PATH]
                if row.lanes == tuple(lanes)
                and _scale([lengths[path] for path in taken], [row.lengths[path] for path in taken])
            ]
            alike.sort(key=lambda row: not _scale(lengths, row.lengths))
        else:
            alike = [row for row in self.rows[TRIP] if _scale(lanes, row.lanes)]
        kernel = PATH if lengths else TRIP
        return Twin(alike[0], self.lines[kernel], len(self.rows[kernel])) if alike else None

    def same(self, row: Recorded) -> Twin | None:
        """Return this very row with the line through the rows here."""
        kernel = PATH if row.lengths else TRIP
        alike = [one for one in self.rows[kernel] if (one.lanes, one.lengths) == (row.lanes, row.lengths)]
        return Twin(alike[0], self.lines[kernel], len(self.rows[kernel])) if alike else None


def read(reading: Reading) -> Readings:
    """Trace every row of a reading anew and fit each kernel's line."""
    inputs = reading["inputs"]
    rows = {
        kernel: tuple(_row(row, inputs) for row in reading["rows"] if row["kernel"] == kernel)
        for kernel in (PATH, TRIP)
    }
    return Readings(rows, {kernel: _line(some) for kernel, some in rows.items()})


recorded = once(read)


def _line(rows: Sequence[Recorded]) -> CycleFit | None:
    try:
        return fit([row.trace for row in rows], [row.cycles for row in rows])
    except ValueError:  # the rows that are there do not determine it
        return None


def check(record: Reading, words: Words) -> None:
    """Refuse a live run whose inputs do not say what each lane does: a ValueError in the reader's language."""
    for row in record["rows"]:
        lanes, paths = _named(record, "patterns", row["pattern"]), _named(record, "lengths", row.get("lengths"))
        branch = row["kernel"] == PATH
        good = LANES.holds(lanes) and 0 <= max(lanes) <= (len(paths) - 1 if branch else MOST_TRIPS)
        if not good or (branch and not all(type(length) is int and 0 < length <= MOST_TRIPS for length in paths)):
            told = {"pattern": row["pattern"], "lengths": row.get("lengths")}
            raise ValueError(
                words("the live run cannot be read: its inputs do not say what {pattern} and {lengths} are", **told)
            )


def _named(record: Reading, what: str, name: str | None) -> list[Any]:
    """Return a list that the inputs name; empty if they do not."""
    lists = record["inputs"].get(what)
    found = lists.get(name) if isinstance(lists, dict) else None
    return found if isinstance(found, list) else []


def _row(row: Reading, inputs: Reading) -> Recorded:
    lanes: Any = tuple(inputs["patterns"][row["pattern"]])
    if row["kernel"] == TRIP:
        return Recorded(lanes, (), loop(lanes), row["cycles"])
    lengths = tuple(inputs["lengths"][row["lengths"]])
    return Recorded(lanes, lengths, simulate(lanes, lengths), row["cycles"])


def _scale(ours: Sequence[int], theirs: Sequence[int]) -> Fraction | None:
    """Return the one factor from our numbers to theirs, None if there is none."""
    if min(ours) < 1:
        return None
    factors = {Fraction(b, a) for a, b in zip(ours, theirs, strict=False)}
    return factors.pop() if len(factors) == 1 else None


def comparison(twin: Twin, live: Readings | None, reading: Reading, words: Words) -> Comparison:
    """Return the strip: the line's cycles beside the recorded ones, and beside those of a live run."""
    what = words("Cycles of this warp with longer loops on its paths: {n} slots in all", n=words.num(twin.slots))
    source = words(
        "One {gpu}, {date}, driver {driver}, CUDA {cuda}, clock64() around the branch, the last of {n} runs.",
        n=words.num(reading["inputs"]["repeats"]),
        **{key: reading[key] for key in ("gpu", "date", "driver", "cuda")},
    )
    line, n, now = twin.line, words.num(twin.rows), live.same(twin.row) if live else None
    assert line is not None  # a recording is whole
    slot, path, fixed = words.num(line.cycles_per_slot, 2), line.cycles_per_path, words.num(line.fixed_cycles, 0)
    if twin.row.lengths:
        told = words(
            "Model: {slot} cycles a slot, {path} a path taken, {fixed} once; fitted to all {n} branches recorded.",
            slot=slot, path=words.num(path, 0), fixed=fixed, n=n,
        )  # fmt: skip
    else:
        told = words(
            "Model: {slot} cycles a slot, {fixed} once; fitted to all {n} loops recorded.", slot=slot, fixed=fixed, n=n
        )
    return Comparison(
        what, line.cycles(twin.row.trace), twin.cycles, words("cycles"), device=reading["gpu"].removeprefix("NVIDIA "),
        provenance=words("{first} {second}", first=source, second=told),
        live=now.cycles if now else None, live_model=now.model_cycles if now else None,
    )  # fmt: skip
