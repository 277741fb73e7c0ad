"""Figure 7.1: items that are moved into slots and computed from them, and how much of both overlaps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import param
from bokeh.models import Plot

from sim.pipeline import Pipeline, simulate
from widgets import pipeline_readings, timeline
from widgets.figure import Figure
from widgets.parts import Choice, Comparison, Prediction, Preset, Range, Reading, Readout, Table
from widgets.pipeline_chart import PipelineChart, waited_us, waits
from widgets.pipeline_readings import Recorded, Rows
from widgets.words import N_

MOVE_US, COMPUTE_US = 1.29, 0.28
"""One 32 KiB block on one of 132 SMs of an H100: 3.35 TB/s of memory, 989 TFLOP/s of dense BF16 (figure 5.5)."""
_TILE = {"items": 2, "move_us": 1.94, "compute_us": 0.56}  # 256 × 128 in place of two 128 × 128: 1.5 and 2 times
_EVEN = {"items": 6, "move_us": 1.0, "compute_us": 1.0}
_VARY = {**_EVEN, "jitter": 50, "seed": 1}


@dataclass(frozen=True, slots=True)
class Trace:
    """The run, the same work with one slot, and with one slot more than is set."""

    run: Pipeline
    one: Pipeline
    more: Pipeline


class PipelineSlots(Figure):
    """A mover, a computer and the slots between them."""

    items = param.Integer(4, bounds=(1, 12), doc="How many items pass through.")
    move_us = param.Number(MOVE_US, bounds=(0.01, 3), doc="Time to move an item into its slot, in µs.")
    compute_us = param.Number(COMPUTE_US, bounds=(0, 3), doc="Time to compute on an item, in µs.")
    slots = param.Selector(default=2, objects=[1, 2, 3, 4], doc="How many items there is room for.")
    sync_us = param.Number(0, bounds=(0, 1), doc="Synchronisation before each computation, in µs.")
    jitter = param.Integer(0, bounds=(0, 90), doc="Each time is multiplied by a factor within 1 ± this, in percent.")
    seed = param.Integer(1, bounds=(0, 99), doc="Seed from which the factors follow.")

    controls = (
        Range("items", N_("Items")),
        Range("move_us", N_("Move an item"), N_("µs"), step=0.005),
        Range("compute_us", N_("Compute an item"), N_("µs"), step=0.01, digits=2),
        Choice("slots", N_("Slots"), ((1, "1"), (2, "2"), (3, "3"), (4, "4"))),
        Range("sync_us", N_("Synchronise an item"), N_("µs"), step=0.01, digits=2),
        Range("jitter", N_("Times vary by ±"), "%", step=5),
        Range("seed", N_("Seed")),
    )
    presets = (
        Preset("two_slots", N_("Two slots")),
        Preset("one_slot", N_("One slot"), {"slots": 1}),
        Preset("three_slots", N_("Three slots"), {"slots": 3}),
        Preset("instant", N_("Compute in no time"), {"compute_us": 0.0}),
        Preset("half_bytes", N_("Half the bytes"), {"move_us": 0.645}),
        Preset("larger_tile", N_("Larger tile"), _TILE),
        Preset("even", N_("Equal halves"), _EVEN),
        Preset("varying", N_("Times that vary"), _VARY),
        Preset("varying_three", N_("They vary, three slots"), {**_VARY, "slots": 3}),
    )
    prediction = Prediction(
        N_("Computing an item takes 0.28 µs. Suppose it took no time at all: when would the four items be done?"),
        preset="instant",
        value="total_us",
        unit=N_("µs"),
        digits=2,
        reveal=N_(
            "After {answer} µs: four moves, one behind the other. Only the last item’s arithmetic is saved;"
            " the rest had been hidden behind moves anyway."
        ),
    )
    left_out = (
        N_(
            "Latency. Here the mover finishes one item before it begins the next. A GPU keeps many loads under way,"
            " and then more slots also hide more of the latency of each."
        ),
        N_(
            "What a slot costs. Each takes shared memory, 32 KiB in the built state, that a second block on the SM"
            " could have used. That block’s arithmetic can fill the gaps as well."
        ),
        N_("What comes before the first move and after the last item: the launch, and writing the result back."),
    )
    inspect_hint = N_("Point at a bar, a gap or an arrow, or walk through them with the arrow keys.")
    recordings = ("pipeline_slots",)
    experiment = "pipeline_slots"
    live_columns = pipeline_readings.ROW
    height = phone_height = timeline.HEIGHT

    # ------------------------------------------------------------------------------ state

    def simulate(self) -> Trace:
        """Run the items through the slots that are set, through one, and through one more."""
        return Trace(self._run(self.slots), self._run(1), self._run(self.slots + 1))

    def _run(self, slots: int) -> Pipeline:
        return simulate(
            self.items, self.move_us, self.compute_us, slots,
            sync_us=self.sync_us, jitter=self.jitter / 100, seed=self.seed,
        )  # fmt: skip

    def active(self, name: str) -> bool:
        """Say that the seed has an effect only where times vary."""
        return name != "seed" or self.jitter > 0

    def values(self) -> dict[str, float]:
        """Return times in µs, shares in percent, when each step starts and ends; with a reading, its pipeline's."""
        run, one_us, total_us = self.trace.run, self.trace.one.total_us, self.trace.run.total_us
        told: dict[str, float] = {
            "move_us": self.move_us, "compute_us": self.compute_us, "sync_us": self.sync_us,
            "total_us": total_us, "serial_us": one_us,
            "saved_us": one_us - total_us, "saved_percent": 100 * (1 - total_us / one_us),
            "compute_busy_percent": 100 * run.compute_busy, "compute_busy_us": run.compute_busy * total_us,
            "move_busy_percent": 100 * run.move_busy, "move_busy_us": run.move_busy * total_us,
            "compute_waits_us": waited_us(run, "compute"), "move_waits_us": waited_us(run, "move"),
            "move_waits": len(waits(run, "move")),
            "one_more_slot_saves_us": total_us - self.trace.more.total_us,
        }  # fmt: skip
        if self.compute_us:
            told["moves_per_compute"] = self.move_us / self.compute_us
        for step in run.steps:
            for when, us in (("ready", step.ready_us), ("start", step.start_us), ("end", step.end_us)):
                told[f"{step.kind}_{step.item}_{when}_us"] = us
        if found := self._recorded():
            told |= {
                "recorded_us": found.recorded_us, "recorded_model_us": found.model_us,
                "difference_percent": found.difference_percent,
                "recorded_computes_per_move": found.compute_us / found.move_us,
                "recorded_move_us": found.slots_move_us, "recorded_unmodelled_us": found.unmodelled_us,
            }  # fmt: skip
        return told

    # ---------------------------------------------------------------------------- drawing

    def build(self) -> Plot:
        """Draw the time line."""
        return timeline.build(self)

    def columns(self) -> Mapping[str, Mapping[str, Sequence[Any]]]:
        """Return the time line's sources."""
        return timeline.columns(self._drawn().chart(), self.words)

    def adjust(self, plot: Plot) -> None:
        """Fit the axis and the rows' names."""
        timeline.adjust(plot, self._drawn().chart())

    def _drawn(self) -> PipelineChart:
        one_us = self.items * (MOVE_US + COMPUTE_US) if self.veiled else self.trace.one.total_us
        return PipelineChart(self.trace.run, self.slots, self.words, self.veiled, one_us)

    # ------------------------------------------------------------------- words and numbers

    def readouts(self) -> Sequence[Readout]:
        """Return the end, the end with one slot, what is saved, and how busy the computer is."""
        words, told, us = self.words, self.values(), self.words("µs")
        if self.veiled:
            guess = words("your guess first")
            labels = (words("Finished after"), words("With one slot"), words("Saved"), words("Compute busy"))
            return tuple(Readout(label, "?", sub=guess, secret=True) for label in labels)
        total, serial, saved, more, busy = (
            words.num(told[name], 2)
            for name in ("total_us", "serial_us", "saved_us", "one_more_slot_saves_us", "compute_busy_us")
        )
        slot = words("one more slot saves {us} µs", us=more)
        if more == words.num(0, 2):
            slot = words("one more slot saves nothing")
        of = words("{us} of {total} µs", us=saved, total=serial)
        busy = words("{us} of {total} µs", us=busy, total=total)
        return (
            Readout(words("Finished after"), total, us, slot),
            Readout(words("With one slot"), serial, us, words("nothing overlaps")),
            Readout(words("Saved"), words.num(told["saved_percent"], 0), "%", of),
            Readout(words("Compute busy"), words.num(told["compute_busy_percent"], 0), "%", busy, role="compute"),
        )

    def _said(self) -> Iterator[str]:
        words, told, us = self.words, self.values(), self._drawn().us
        items = words.plural("{n} item", "{n} items", self.items)
        slots = words.plural("{n} slot", "{n} slots", self.slots)
        yield words(
            "{items} through {slots}: moving one takes {move} µs, computing it {compute} µs.",
            items=items, slots=slots, move=us(self.move_us), compute=us(self.compute_us),
        )  # fmt: skip
        if self.sync_us:
            yield words("Before each computation, synchronisation takes {us} µs.", us=us(self.sync_us))
        if self.jitter:
            yield words(
                "Times vary by up to {percent} % either way, by seed {seed}.",
                percent=words.num(self.jitter), seed=words.num(self.seed),
            )  # fmt: skip
        if self.veiled:
            yield words("When they are done is told after your guess.")
            return
        yield words(
            "All is done after {total} µs; with one slot it would be {serial} µs, so {percent} % is saved.",
            total=us(told["total_us"]), serial=us(told["serial_us"]), percent=words.num(told["saved_percent"], 0),
        )  # fmt: skip
        yield words(
            "Something is computed for {compute} % of the time and moved for {move} %.",
            compute=words.num(told["compute_busy_percent"], 0), move=words.num(told["move_busy_percent"], 0),
        )  # fmt: skip
        held = len(waits(self.trace.run, "move"))
        if held:
            yield words(
                "The mover waits {times} for a slot, {us} µs in all.",
                times=words.plural("{n} time", "{n} times", held), us=us(told["move_waits_us"]),
            )  # fmt: skip
        else:
            yield words("The mover never waits for a slot.")

    def summary(self) -> str:
        """Say what passes through, when all is done, and who waits."""
        return reduce(lambda first, second: self.words("{first} {second}", first=first, second=second), self._said())

    def table(self) -> Table:
        """Return one row for each item."""
        words, us = self.words, self._drawn().us
        head = (
            words("Item"), words("Slot"), words("Move starts, µs"), words("Move ends, µs"), words("Compute starts, µs"),
            words("Compute ends, µs"), words("Mover waited, µs"), words("Compute waited, µs"),
        )  # fmt: skip
        steps = {(step.kind, step.item): step for step in self.trace.run.steps}
        rows = []
        for item in range(self.items):
            move, compute = steps["move", item], steps["compute", item]
            first = steps.get(("sync", item), compute)
            times = (
                move.start_us, move.end_us, compute.start_us, compute.end_us,
                move.start_us - move.ready_us, first.start_us - first.ready_us,
            )  # fmt: skip
            shown = ("?",) * len(times) if self.veiled else tuple(map(us, times))
            rows.append((words.num(item), words.num(move.slot), *shown))
        return Table(head, tuple(rows))

    # --------------------------------------------------------------------------- hardware

    def _recorded(self) -> Recorded | None:
        return pipeline_readings.find(self.readings, self.slots, self.move_us, self.sync_us + self.compute_us)

    def comparison(self) -> Comparison | None:
        """Return the recorded pipeline nearest to the state beside the model's; None without a reading."""
        found = self._recorded()
        return pipeline_readings.comparison(found, self.measured, self.words) if found else None

    def read_live(self, record: Reading) -> Rows:
        """Index a live run."""
        return pipeline_readings.read(record)
