"""A double buffer that was run: when every copy and kernel began and ended, beside the same program in the model.

A reading (`chapters/recorded/*/double_buffer.json`, or a live run) has a row for each copy and kernel of a few runs,
by `slots` and by `fmas`, which sets how long kernels take. The model runs the same batches through as many slots, with
the run's own median copy and kernel. What stands beside each other is one number: from the first copy's beginning to
the last kernel's end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from statistics import median

from sim.streams import double_buffer, simulate
from widgets.live import COUNT, between, once, one_of, other_inputs, whole
from widgets.parts import Comparison, Reading
from widgets.words import Words

MOST_US = 1e6
ROW = {
    "slots": whole(1, 16), "fmas": COUNT, "stream": one_of("copy", "compute"), "batch": whole(0, 63),
    "begin_us": between(-1, MOST_US), "end_us": between(0, MOST_US), "host_us": between(0, MOST_US), "count": COUNT,
}  # fmt: skip
PRESETS = ("two_slots", "one_slot", "copy_longer")
"""States beside a recorded run."""

Key = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Run:
    """One run: its copies and kernels in the order of their batches; times in µs."""

    slots: int
    copies: tuple[Reading, ...]
    kernels: tuple[Reading, ...]

    @property
    def whole(self) -> bool:
        """Whether every batch has its copy and its kernel."""
        batches = list(range(len(self.copies)))
        return bool(batches) and all([row["batch"] for row in some] == batches for some in (self.copies, self.kernels))

    @property
    def copy_us(self) -> float:
        """The median copy."""
        return _median_us(self.copies)

    @property
    def kernel_us(self) -> float:
        """The median kernel."""
        return _median_us(self.kernels)

    @property
    def share(self) -> float:
        """The kernel's share of copy and kernel."""
        return self.kernel_us / (self.copy_us + self.kernel_us)

    @property
    def took_us(self) -> float:
        """From the first copy's beginning to the last kernel's end."""
        return float(self.kernels[-1]["end_us"] - self.copies[0]["begin_us"])

    @property
    def model_us(self) -> float:
        """The same in the model, which is given the median copy and kernel and the host's time to enqueue all."""
        n = len(self.copies)
        return _model_us(n, self.copy_us, self.kernel_us, self.slots, self.copies[0]["host_us"] / (2 * n))


def _median_us(rows: tuple[Reading, ...]) -> float:
    return float(median(row["end_us"] - row["begin_us"] for row in rows))


@lru_cache(maxsize=64)  # every control's move asks again
def _model_us(batches: int, copy_us: float, kernel_us: float, slots: int, submit_us: float) -> float:
    line = simulate(double_buffer(batches, copy_us, kernel_us, slots), submit_us=submit_us)
    return line.total_us - line.works[0].start_us


@dataclass(frozen=True, slots=True)
class Runs:
    """One reading: its whole runs by slots and arithmetic."""

    reading: Reading
    runs: Mapping[Key, Run]

    def nearest(self, slots: int, share: float) -> Key | None:
        """Return the run with so many slots whose kernels have most nearly that share of copy and kernel."""
        some = [key for key in self.runs if key[0] == slots]
        return min(some, key=lambda key: abs(self.runs[key].share - share), default=None)


def read(reading: Reading) -> Runs:
    """Gather a reading's rows, or a live run's, into runs; those that are not whole yet are left out."""
    rows: dict[Key, dict[str, list[Reading]]] = {}
    for row in reading["rows"]:
        run = rows.setdefault((row["slots"], row["fmas"]), {"copy": [], "compute": []})
        run[row["stream"]].append(row)
    runs = {key: Run(key[0], tuple(run["copy"]), tuple(run["compute"])) for key, run in rows.items()}
    return Runs(reading, {key: run for key, run in runs.items() if run.whole})


@once
def recorded(reading: Reading) -> Runs:
    """Gather a recording's rows, once."""
    return read(reading)


def check(record: Reading, words: Words) -> None:
    """Refuse a live run in which something ends before it begins: a ValueError in the reader's language."""
    for number, row in enumerate(record["rows"], 1):
        if not row["end_us"] > row["begin_us"]:
            n = words.num(number)
            raise ValueError(words("the live run cannot be read: row {n} ends before it begins", n=n))


def comparison(runs: Runs, live: Runs | None, key: Key, words: Words) -> Comparison:
    """Return the strip's row: a recorded run, the model's and a live one."""
    run, reading, num = runs.runs[key], runs.reading, words.num
    ratio = num(run.kernel_us / run.copy_us, 2)
    source = words(
        "One {gpu}, {date}, driver {driver}, CUDA {cuda}, events around each copy and kernel, medians of {count}.",
        count=num(run.copies[0]["count"]), **{name: reading[name] for name in ("gpu", "date", "driver", "cuda")},
    )  # fmt: skip
    model = words(
        "Model: {n} copies of {copy} µs and kernels of {kernel} µs, the medians of the run. Recorded are two lengths of"
        " kernels; these stand to copies most nearly as the state’s do.",
        n=num(len(run.copies)), copy=num(run.copy_us, 0), kernel=num(run.kernel_us, 0),
    )  # fmt: skip
    now, why = live.runs.get(key) if live else None, ""
    if live and now and (len(now.copies) != len(run.copies) or _mib(live) != _mib(runs)):
        now, why = None, other_inputs(words("other batches"), words)
    return Comparison(
        words(
            "{n} batches of {mib} MiB, {slots}; a kernel takes {ratio} times as long as a copy",
            n=num(len(run.copies)), mib=_mib(runs), ratio=ratio,
            slots=words.plural("{n} slot", "{n} slots", run.slots),
        ),
        run.model_us, run.took_us, words("µs"), device=reading["gpu"], live_why=why,
        provenance=words("{first} {second}", first=source, second=model),
        live=now.took_us if now else None, live_model=now.model_us if now else None,
    )  # fmt: skip


def unread(model_us: float, words: Words) -> Comparison:
    """Return the row for a state that no run repeats."""
    why = words("Recorded are one slot and two, with every event in its place.")
    what = words("This program as a whole; no recorded run is like it")
    return Comparison(what, model_us, None, words("µs"), provenance=why, presets=PRESETS)


def _mib(runs: Runs) -> object:
    return runs.reading["inputs"].get("mib")
