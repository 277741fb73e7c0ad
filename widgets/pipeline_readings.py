"""A recorded software pipeline, beside `sim.pipeline` given its moves and its arithmetic, each recorded alone.

A reading (`chapters/recorded/*/pipeline_slots.json`) has three kinds of rows: `move` (items only move), `work`
(items are only computed) and `both`, the pipeline. Times are µs for `items` items, `item_us` µs an item. `fmas`,
multiply-adds a thread adds to each item, sets how long computing takes. No row has a state's own times, so a state
stands beside the recorded amount of arithmetic whose ratio of computing to moving is nearest to its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sim.pipeline import MAX_ITEMS, MAX_SLOTS, MAX_US, simulate
from widgets.live import COUNT, between, once, one_of, other_inputs, whole
from widgets.parts import Comparison, Reading
from widgets.words import Words

KIB = 1024


ROW = {
    "what": one_of("move", "work", "both"), "slots": whole(1, MAX_SLOTS), "fmas": COUNT.or_null,
    "items": whole(1, MAX_ITEMS), "item_bytes": COUNT, "item_us": between(0, MAX_US), "us": between(0, MAX_US),
    "count": COUNT,
}  # fmt: skip
Key = tuple[str, int, int | None]


@dataclass(frozen=True, slots=True)
class Rows:
    """One reading: its rows by kind, slots and amount of arithmetic, and those of a second recording."""

    reading: Reading
    rows: Mapping[Key, Reading]
    again: Mapping[Key, Reading]

    def works(self, slots: int) -> list[Reading]:
        """Return the rows of arithmetic alone which have a pipeline of so many slots beside them."""
        rows = self.rows
        return [row for (what, _, _), row in rows.items() if what == "work" and ("both", slots, row["fmas"]) in rows]

    def pipeline(self, slots: int, fmas: int | None) -> Recorded | None:
        """Return one pipeline with its parts; None while a part is missing."""
        rows = self.rows
        keys: list[Key] = [("both", slots, fmas), ("move", 1, None), ("work", 1, fmas), ("move", slots, None)]
        if not all(key in rows for key in keys):
            return None
        both, move, work, through = (rows[key] for key in keys)
        if move["items"] != both["items"]:
            return None
        amounts = len(self.works(slots))
        return Recorded(self.reading, both, move["item_us"], work["item_us"], through["item_us"], amounts)


@dataclass(frozen=True, slots=True)
class Recorded:
    """One pipeline that was run; times in µs."""

    reading: Reading
    both: Reading
    """The pipeline's row."""
    move_us: float
    """An item's move alone, through one slot: one move after the other, as the model's mover works."""
    compute_us: float
    """An item's arithmetic alone."""
    slots_move_us: float
    """An item's move alone, through the pipeline's own number of slots."""
    amounts: int
    """From how many recorded amounts of arithmetic this one was chosen."""

    @property
    def model_us(self) -> float:
        """What the simulator says for the items, from moves and arithmetic alone."""
        return _model_us(self.both["items"], self.move_us, self.compute_us, self.both["slots"])

    @property
    def recorded_us(self) -> float:
        """What was read for all items."""
        return float(self.both["us"])

    @property
    def difference_percent(self) -> float:
        """How far the model is from the reading, in percent of the reading."""
        return 100 * (self.model_us / self.recorded_us - 1)

    @property
    def unmodelled_us(self) -> float:
        """What the reading takes beyond the model, µs an item; below 0 where it takes less."""
        return (self.recorded_us - self.model_us) / float(self.both["items"])


@lru_cache(maxsize=128)  # every control's move asks again, and a reading has no more pipelines than this
def _model_us(items: int, move_us: float, compute_us: float, slots: int) -> float:
    return simulate(items, move_us, compute_us, slots).total_us


def read(reading: Reading) -> Rows:
    """Index a reading, or a live run."""
    rows, again = (
        {(row["what"], row["slots"], row["fmas"]): row for row in some}
        for some in (reading["rows"], reading.get("again") or ())
    )
    return Rows(reading, rows, again)


recorded = once(read)


def find(readings: Sequence[Reading], slots: int, move_us: float, compute_us: float) -> Recorded | None:
    """Return the recorded pipeline with so many slots that is nearest to a state; None without one.

    ``move_us`` (more than 0) and ``compute_us`` are the state's, µs an item. Ratios are compared as computing's share
    of both times: that has a place for arithmetic in no time, and half as long is as far off as twice as long.
    """
    share = _share(move_us, compute_us)
    for reading in readings:
        rows = recorded(reading)
        if works := rows.works(slots):
            alone = float(rows.rows["move", 1, None]["item_us"])
            work = min(works, key=lambda row: abs(_share(alone, row["item_us"]) - share))
            return rows.pipeline(slots, work["fmas"])
    return None


def _share(move_us: float, compute_us: float) -> float:
    return compute_us / (move_us + compute_us)


def comparison(found: Recorded, live: Rows | None, words: Words) -> Comparison:
    """Return the strip: the recorded pipeline beside the model's and a live one, and where each time comes from."""
    both, reading, num = found.both, found.reading, words.num
    slots, fmas = both["slots"], both["fmas"]
    source = words(
        "One {gpu}, {date}, driver {driver}, CUDA {cuda}: one block an SM moves with cp.async, median of {count};"
        " recorded again: {again} µs.",
        count=num(both["count"]), again=num(recorded(reading).again["both", slots, fmas]["us"], 2),
        **{key: reading[key] for key in ("gpu", "date", "driver", "cuda")},
    )  # fmt: skip
    model = words(
        "Model: {move} µs to move an item (recorded alone, one slot), {compute} µs to compute it (recorded alone).",
        move=num(found.move_us, 2), compute=num(found.compute_us, 2),
    )  # fmt: skip
    chosen = words(
        "Of {n} amounts of arithmetic recorded, this one’s ratio is nearest to the state’s; all items are alike.",
        n=num(found.amounts),
    )  # fmt: skip
    source = words("{first} {second}", first=source, second=model)
    now = live.rows.get(("both", slots, fmas)) if live else None
    why = ""
    if now and (now["items"], now["item_bytes"]) != (both["items"], both["item_bytes"]):
        took = words("{n} items of {size} KiB", n=num(now["items"]), size=num(now["item_bytes"] / KIB))
        why = other_inputs(took, words)
        now = None
    alone = live.pipeline(slots, fmas) if live and now else None
    return Comparison(
        what=words(
            "{n} items of {size} KiB on each SM, {slots}; computing takes {ratio} times as long as moving",
            n=num(both["items"]), size=num(both["item_bytes"] // KIB), ratio=num(found.compute_us / found.move_us, 2),
            slots=words.plural("{n} slot", "{n} slots", slots),
        ),
        model=found.model_us,
        recorded=found.recorded_us,
        unit=words("µs"),
        digits=2,
        device=reading["gpu"],
        provenance=words("{first} {second}", first=source, second=chosen),
        live=now["us"] if now else None,
        live_model=alone.model_us if alone else None,
        live_why=why,
    )  # fmt: skip
