"""A recorded software pipeline, beside `sim.pipeline` given its moves and its arithmetic, each recorded alone.

A reading (`chapters/recorded/*/pipeline_slots.json`) has three kinds of rows: `move` (items only move), `work`
(items are only computed) and `both`, the pipeline. Times are µs for `items` items, `item_us` µs an item. `fmas`,
multiply-adds a thread adds to each item, sets how long computing takes. No row has a state's own times, so a state
stands beside the recorded amount of arithmetic whose ratio of computing to moving is nearest to its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from sim.pipeline import simulate
from widgets.parts import Comparison, Reading
from widgets.words import Words

KIB = 1024


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recorded pipeline; times in µs."""

    reading: Reading
    both: Reading
    """The pipeline's row."""
    again_us: float
    """The same pipeline, recorded by a second process."""
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
        """What the simulator says for the recorded items, from moves and arithmetic alone."""
        return _model_us(self.both["items"], self.move_us, self.compute_us, self.both["slots"])

    @property
    def recorded_us(self) -> float:
        """What was recorded for all items."""
        return float(self.both["us"])

    @property
    def difference_percent(self) -> float:
        """How far the model is from the reading, in percent of the reading."""
        return 100 * (self.model_us / self.recorded_us - 1)

    @property
    def unmodelled_us(self) -> float:
        """What the reading takes beyond the model, µs an item; below 0 where it takes less."""
        return (self.recorded_us - self.model_us) / float(self.both["items"])


@lru_cache(maxsize=64)  # every control's move asks again, and a reading has no more pipelines than this
def _model_us(items: int, move_us: float, compute_us: float, slots: int) -> float:
    return simulate(items, move_us, compute_us, slots).total_us


def find(readings: Sequence[Reading], slots: int, move_us: float, compute_us: float) -> Recorded | None:
    """Return the recorded pipeline with so many slots that is nearest to a state; None without one.

    ``move_us`` (more than 0) and ``compute_us`` are the state's, µs an item. Ratios are compared as computing's share
    of both times: that has a place for arithmetic in no time, and half as long is as far off as twice as long.
    """
    share = _share(move_us, compute_us)
    for reading in readings:
        rows, again = (_keyed(reading[recording]) for recording in ("rows", "again"))
        works = [row for (what, _, _), row in rows.items() if what == "work" and ("both", slots, row["fmas"]) in rows]
        if not works:
            continue
        alone = float(rows["move", 1, None]["item_us"])
        work = min(works, key=lambda row: abs(_share(alone, row["item_us"]) - share))
        key = "both", slots, work["fmas"]
        through = float(rows["move", slots, None]["item_us"])
        return Recorded(reading, rows[key], again[key]["us"], alone, work["item_us"], through, len(works))
    return None


def _keyed(rows: Sequence[Reading]) -> dict[tuple[str, int, int | None], Reading]:
    return {(row["what"], row["slots"], row["fmas"]): row for row in rows}


def _share(move_us: float, compute_us: float) -> float:
    return compute_us / (move_us + compute_us)


def comparison(found: Recorded, words: Words) -> Comparison:
    """Return the strip: the recorded pipeline beside the model's, and where each time comes from."""
    both, reading, num = found.both, found.reading, words.num
    source = words(
        "One {gpu}, {date}, driver {driver}, CUDA {cuda}: one block an SM moves with cp.async, median of {count};"
        " recorded again: {again} µs.",
        count=num(both["count"]), again=num(found.again_us, 2),
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
    return Comparison(
        what=words(
            "{n} items of {size} KiB on each SM, {slots}; computing takes {ratio} times as long as moving",
            n=num(both["items"]), size=num(both["item_bytes"] // KIB), ratio=num(found.compute_us / found.move_us, 2),
            slots=words.plural("{n} slot", "{n} slots", both["slots"]),
        ),
        model=found.model_us,
        recorded=found.recorded_us,
        unit=words("µs"),
        digits=2,
        device=reading["gpu"],
        provenance=words("{first} {second}", first=source, second=chosen),
    )  # fmt: skip
