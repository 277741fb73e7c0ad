"""How long softmax of long rows takes in three ways, beside what their bytes make of the first one's time.

A reading (`chapters/recorded/*/online_softmax.json`, or a live run) has a row for each way and number of columns. The
figure's rows are far too short to be timed, so a state stands beside long ones folded as it folds its own: block by
block, or whole in one block. The model is given the time of three passes over the same rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sim.softmax_passes import PASSES, Way, from_three_passes
from widgets.live import COUNT, TEXT, between, once, other_inputs, whole
from widgets.parts import Comparison, Reading
from widgets.words import N_, Words

ROW = {"way": TEXT, "rows": whole(1, 2**40), "columns": whole(1, 2**40), "us": between(0, 1e9), "count": COUNT}
_BASE: Way = "three passes"
_SAY = {
    "online": N_("Online softmax, block by block: {rows} rows of {columns} floats"),
    "one block": N_("Softmax with each row in one block: {rows} rows of {columns} floats"),
}

Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Ways:
    """One reading: its rows by way and columns."""

    reading: Reading
    rows: Mapping[Key, Reading]

    @property
    def columns(self) -> int | None:
        """The longest rows that all three ways were run with; None if there are none."""
        of = {way: {columns for name, columns in self.rows if name == way} for way in PASSES}
        return max(set.intersection(*of.values()), default=None)

    def model_us(self, way: Way, columns: int) -> float | None:
        """Return what bytes make of the three passes' time; None while that is not there."""
        base = self.rows.get((_BASE, columns))
        return from_three_passes(way, base["us"]) if base else None


def read(reading: Reading) -> Ways:
    """Index a reading, or a live run."""
    return Ways(reading, {(row["way"], row["columns"]): row for row in reading["rows"]})


@once
def recorded(reading: Reading) -> Ways:
    """Index a recording, once."""
    return read(reading)


def comparison(ways: Ways, live: Ways | None, blocks: int, words: Words) -> Comparison:
    """Return the strip: the state's way of folding, timed on long rows, beside the model's time and a live one."""
    way: Way = "online" if blocks > 1 else "one block"
    columns, reading, num = ways.columns, ways.reading, words.num
    assert columns is not None  # a recording is whole
    row, base = ways.rows[way, columns], ways.rows[_BASE, columns]
    source = words(
        "One {gpu}, {date}, driver {driver}, CUDA {cuda}, events around a graph replay, median of {count}.",
        count=num(row["count"]), **{key: reading[key] for key in ("gpu", "date", "driver", "cuda")},
    )  # fmt: skip
    model = words(
        "Model: three passes read a row three times and took {us} µs; this way reads it {times} and writes as much, "
        "so {n} of 4 parts of that.",
        us=num(base["us"], 0), n=num(PASSES[way] + 1),
        times=words.plural("{n} time", "{n} times", PASSES[way]),
    )  # fmt: skip
    now, why = live.rows.get((way, columns)) if live else None, ""
    if now and now["rows"] != row["rows"]:
        why = other_inputs(words("{n} rows", n=num(now["rows"])), words)
        now = None
    us = from_three_passes(way, base["us"])
    return Comparison(
        words(_SAY[way], rows=num(row["rows"]), columns=num(columns)), us, row["us"], words("µs"),
        device=reading["gpu"].removeprefix("NVIDIA "), provenance=words("{first} {second}", first=source, second=model),
        live=now["us"] if now else None, live_model=live.model_us(way, columns) if live and now else None, live_why=why,
    )  # fmt: skip
