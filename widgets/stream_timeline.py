"""Figure 8.3: two streams, their slots and the events between them, as the semantics of streams give them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from typing import Any

import param
from bokeh.models import Plot

from sim.streams import Enqueue, Step, Sync, Timeline, double_buffer, parse, simulate, to_text
from widgets import buffer_readings, stream_readings, stream_told, stream_words, timeline
from widgets.buffer_readings import Runs
from widgets.figure import Figure
from widgets.parts import Choice, Comparison, Prediction, Preset, Range, Reading, Readout, Role, Table, Text
from widgets.stream_chart import StreamChart, capital, slots, streams
from widgets.words import N_, Words

MOST_STREAMS, MOST_SLOTS = 4, 4  # rows that can still be read at the drawing's height
_BUILT = double_buffer(4, 40, 55, slots=2)
# The compute stream's wait comes before the copy's record: each batch's six steps in another order.
_TURNS = [_BUILT[turn : turn + 6] for turn in range(0, len(_BUILT) - 1, 6)]
_EARLY = [*(turn[step] for turn in _TURNS for step in (0, 3, 1, 2, 4, 5)), _BUILT[-1]]


@dataclass(frozen=True, slots=True)
class Trace:
    """The program's run, and how long the same work takes in one stream."""

    line: Timeline
    serial_us: float


@lru_cache(maxsize=256)
def _total_us(batches: int, copy_us: float, kernel_us: float, slots: int) -> float:
    return simulate(double_buffer(batches, copy_us, kernel_us, slots)).total_us


class StreamTimeline(Figure):
    """A copy stream, a compute stream and the events between them; the reader may write the program."""

    copy_us = param.Integer(40, bounds=(5, 100), doc="Time of one copy alone, in µs.")
    kernel_us = param.Integer(55, bounds=(5, 100), doc="Time of one kernel alone, in µs.")
    batches = param.Integer(4, bounds=(1, 8), doc="How many batches are copied and used.")
    slots = param.Selector(default=2, objects=[1, 2, 3], doc="How many buffers the batches take in turn.")
    leave_out = param.Selector(
        default="nothing", objects=["nothing", "free", "filled"], doc="Event neither recorded nor awaited."
    )
    mode = param.Selector(default="built", objects=["built", "own"], doc="The double buffer, or `program`.")
    program = param.String(to_text(_BUILT), doc="A program in the notation of `sim.stream_text`.")

    controls = (
        Range("copy_us", N_("Copy a batch"), N_("µs"), step=5),
        Range("kernel_us", N_("Kernel a batch"), N_("µs"), step=5),
        Range("batches", N_("Batches")),
        Choice("slots", N_("Slots"), ((1, "1"), (2, "2"), (3, "3"))),
        Choice(
            "leave_out",
            N_("Leave out"),
            (
                ("nothing", N_("Nothing")),
                ("free", N_("The wait for “free”")),
                ("filled", N_("The wait for “filled”")),
            ),
            style="list",
        ),
        Choice("mode", N_("Program"), (("built", N_("as set")), ("own", N_("your own")))),
        Text(
            "program",
            N_("Your program"),
            N_(
                "A step a line: enqueue STREAM NAME µs, then “reads slot N” or “writes slot N” if it does;"
                " record STREAM EVENT; wait STREAM EVENT; sync"
            ),
            rows=8,
        ),
    )
    presets = (
        Preset("two_slots", N_("Two slots")),
        Preset("one_slot", N_("One slot"), {"slots": 1}),
        Preset("three_slots", N_("Three slots"), {"slots": 3}),
        Preset("copy_longer", N_("Copy is the longer half"), {"copy_us": 60, "kernel_us": 40}),
        Preset("forget_free", N_("Forget “free”"), {"leave_out": "free"}),
        Preset("early_wait", N_("Wait before the record"), {"mode": "own", "program": to_text(_EARLY)}),
    )
    prediction = Prediction(
        N_(
            "With two slots, events hold the copy stream back twice; with a third slot, never."
            " How much sooner are the four batches done?"
        ),
        preset="three_slots",
        value="third_slot_saves",
        unit=N_("µs"),
        reveal=N_(
            "{answer} µs sooner. The last copy ends earlier; the kernels, the longer half,"
            " already run back to back with two slots."
        ),
    )
    left_out = (
        N_(
            "Streams that share a copy engine, a link, memory bandwidth or SMs slow each other down."
            " Here all work takes as long as it does alone."
        ),
        N_(
            "Handing over a copy or a kernel takes the host 5 µs, a record or a wait no time."
            " Work starts the moment it may: neither a submission nor an event takes time to arrive."
        ),
        N_(
            "A copy from pageable memory holds the host while it is staged, and so does a full launch queue."
            " Here only sync holds it."
        ),
    )
    inspect_hint = N_("Point at a bar, a gap or an arrow, or walk through them with the arrow keys.")
    recordings = ("double_buffer", "stream_timeline")
    experiment = "double_buffer"
    live_columns = buffer_readings.ROW
    height = phone_height = timeline.HEIGHT

    # ------------------------------------------------------------------------------ state

    def simulate(self) -> Trace:
        """Run the program that is set; ValueError in the reader's language."""
        try:
            line = simulate(self._program())
        except ValueError as refused:
            raise ValueError(stream_words.refusal(str(refused), self.words)) from refused
        work = [replace(step, stream="one") for step in line.program if isinstance(step, Enqueue)]
        if not work:
            message = N_("the program enqueues no work; add a line such as: enqueue compute kernel 40")
            raise ValueError(self.words(message))
        for count, most, message in (
            (len(streams(line)), MOST_STREAMS, N_("{n} streams; the drawing has room for {most}")),
            (len(slots(line)), MOST_SLOTS, N_("{n} slots; the drawing has room for {most}")),
        ):
            if count > most:
                raise ValueError(self.words(message, n=count, most=most))
        return Trace(line, simulate([*work, Sync()]).total_us)

    def _program(self) -> Sequence[Step]:
        if self.mode == "own":
            return parse(self.program)
        left_out = None if self.leave_out == "nothing" else self.leave_out
        return double_buffer(self.batches, self.copy_us, self.kernel_us, self.slots, left_out)

    def active(self, name: str) -> bool:
        """Say that the settings act on the built program and the text on the reader's."""
        return name == "mode" or (name == "program") == (self.mode == "own")

    def _third_slot_saves(self) -> float:
        two, three = (_total_us(self.batches, self.copy_us, self.kernel_us, n) for n in (2, 3))
        return two - three

    def values(self) -> dict[str, float]:
        """Return times in µs, counts and races; as set, each batch's times; with a reading, the comparison in ms."""
        line, first = self.trace.line, streams(self.trace.line)[0]
        calls = [call for call in line.host if isinstance(line.program[call.step], Enqueue)]
        told: dict[str, float] = {
            "total_us": line.total_us,
            "serial_us": self.trace.serial_us,
            "saved_us": self.trace.serial_us - line.total_us,
            "copy_waits_us": line.waited_us(first),
            "copy_waits": sum(1 for work in line.works if work.stream == first and work.waited_for),
            "host_done_us": calls[-1].end_us,
            "steps": len(line.program),
            "races": len(line.races),
            "overlaps": sum(race.overlap_us is not None for race in line.races),
        }
        if self.mode == "built":
            told["third_slot_saves"] = self._third_slot_saves()
            for work in line.works:
                key = work.name.replace(" ", "_")
                told[f"{key}_ready_us"] = work.ready_us
                told[f"{key}_start_us"], told[f"{key}_end_us"] = work.start_us, work.end_us
        if (both := self.comparison()) and both.recorded:
            told["model_ms"], told["recorded_ms"] = both.model, both.recorded
            told["difference_percent"] = 100 * (both.model / both.recorded - 1)
            told["recorded_whole_ms"] = stream_readings.whole_ms(self.recorded("stream_timeline"))
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

    def _drawn(self) -> StreamChart:
        line, hidden = self.trace.line, self.veiled
        told_us = _total_us(self.batches, self.copy_us, self.kernel_us, 2) if hidden else line.total_us
        return StreamChart(line, self.words, hidden, told_us)

    # ------------------------------------------------------------------- words and numbers

    def readouts(self) -> Sequence[Readout]:
        """Return the end, the same work in one stream, waiting, and what a third slot saves or the races."""
        words, line, hidden = self.words, self.trace.line, self.veiled
        first, us = streams(line)[0], words("µs")
        asked = words.plural("{n} batch", "{n} batches", self.batches)
        if self.mode == "own":
            asked = words.plural("{n} piece of work", "{n} pieces of work", len(line.works))
        waits = words("{stream} waits", stream=capital(stream_words.stream(first, words)))
        told = [
            Readout(words("Finished after"), words.num(line.total_us), us, asked, secret=hidden),
            Readout(words("One after the other"), words.num(self.trace.serial_us), us, words("in one stream")),
            Readout(waits, words.num(line.waited_us(first)), us, stream_told.held(line, first, words), secret=hidden),
        ]
        if line.races or self.mode == "own":
            met = sum(race.overlap_us is not None for race in line.races)
            sub = words("{n} at the same time", n=words.num(met)) if line.races else words("every use has its turn")
            role: Role = "cost" if line.races else ""
            return [*told, Readout(words("Races"), words.num(len(line.races)), sub=sub, role=role)]
        saves = Readout(
            words("A third slot saves"), words.num(self._third_slot_saves()), us, words("over two slots"), secret=True
        )
        return [*told, saves]

    def summary(self) -> str:
        """Say what the streams are given, when all is done, what waits, and which uses race."""
        words, line, num = self.words, self.trace.line, self.words.num
        if self.mode == "own":
            works, steps = num(len(line.works)), num(len(line.program))
            said = [words("A program of your own: {steps} steps, {works} pieces of work.", steps=steps, works=works)]
        else:
            said = [
                words(
                    "{batches} through {slots}: each copy takes {copy} µs, each kernel {kernel} µs.",
                    batches=words.plural("{n} batch", "{n} batches", self.batches),
                    slots=words.plural("{n} slot", "{n} slots", self.slots),
                    copy=num(self.copy_us),
                    kernel=num(self.kernel_us),
                )
            ]
            if self.leave_out != "nothing":
                said.append(words("The event “{event}” is left out.", event=self.leave_out))
        if self.veiled:
            return _together([*said, words("When the kernels run is told after your guess.")], words)
        said.append(stream_told.ran(line, self.trace.serial_us, words))
        races = [words("{sentence}.", sentence=say) for say in self._drawn().races()]
        return _together([*said, *(races or [words("No two uses of a slot race.")])], words)

    def table(self) -> Table:
        """Return one row for each piece of work, in the program's order."""
        return stream_told.table(self.trace.line, self.veiled, self.words)

    # --------------------------------------------------------------------------- hardware

    def comparison(self) -> Comparison | None:
        """Return the recorded run in pieces beside the model's; None without a reading."""
        return stream_readings.compare(self.recorded("stream_timeline"), self.words)

    def comparisons(self) -> Sequence[Comparison]:
        """Above the run in pieces, a double buffer that was run: of those with the state's slots the most like it."""
        pieces = self.comparison()
        some = [buffer_readings.recorded(reading) for reading in self.recorded("double_buffer")[:1]]
        return *map(self._buffered, some), *(() if pieces is None else (pieces,))

    def _buffered(self, runs: Runs) -> Comparison:
        as_recorded = self.mode == "built" and self.leave_out == "nothing"
        key = runs.nearest(self.slots, self.kernel_us / (self.copy_us + self.kernel_us)) if as_recorded else None
        if key is None:
            return buffer_readings.unread(self.trace.line.total_us, self.words)
        return buffer_readings.comparison(runs, self.measured, key, self.words)

    def read_live(self, record: Reading) -> Runs:
        """Gather a live run's rows into runs."""
        buffer_readings.check(record, self.words)
        return buffer_readings.read(record)


def _together(sentences: Iterable[str], words: Words) -> str:
    """Put sentences one behind the other, as the language does."""
    return reduce(lambda first, second: words("{first} {second}", first=first, second=second), sentences)
