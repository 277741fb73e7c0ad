"""Figure 3.5: how many warps hide a latency: of results, cycle by cycle on one scheduler, and of memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import param
from bokeh.models import Plot

from sim.enough_warps import MAX_CYCLES, EnoughWarps, simulate, table_latency_ns
from sim.gpus import gpu, names
from sim.littles_law import LOAD_BYTES
from widgets import cycle_rows, latency_readings, latency_words, marks, warp_ramps
from widgets.figure import Figure
from widgets.latency_readings import Shape, Shapes
from widgets.marks import PHONE, WIDE
from widgets.parts import Choice, Comparison, Prediction, Preset, Range, Reading, Readout, Stepper, Table, Value
from widgets.theme import Roles
from widgets.warp_ramps import Read
from widgets.words import N_, Words

TABLE, OWN = "table", "own"


def _offered() -> tuple[tuple[str, str], ...]:
    """Return the GPUs, each with the latency that the table has for it."""
    known = {key: table_latency_ns(key) for key in names()}
    return tuple((key, gpu(key).name if ns is None else f"{gpu(key).name} · {ns:.0f} ns") for key, ns in known.items())


class LatencyHiding(Figure):
    """The warps of one SM against the latency of results and of memory."""

    warps = param.Integer(8, bounds=(1, 16), doc="Warps on each scheduler of the SM.")
    issue = param.Integer(2, bounds=(1, 4), doc="Instructions that a warp issues in a row, one a cycle.")
    latency = param.Integer(29, bounds=(1, 56), doc="Cycles from the last of them until its result is there.")
    gpu = param.Selector(default="h100", objects=list(names()), doc="Key of `sim.gpus`.")
    bytes = param.Selector(default=4, objects=list(LOAD_BYTES), doc="Bytes that a lane loads at a time.")
    loads = param.Integer(1, bounds=(1, 8), doc="Independent loads that a thread has on their way.")
    memory = param.Selector(
        default=TABLE, objects=[TABLE, OWN], doc="Latency of memory: the table's for this GPU, or `memory_ns`."
    )
    memory_ns = param.Number(374.0, bounds=(50.0, 1500.0), doc="Latency of memory in ns, for memory=own.")
    cycle = param.Integer(None, allow_None=True, doc="The cycle shown, from 1; None for the last.")

    controls = (
        Range("warps", N_("Warps a scheduler"), N_("warps"), one=N_("warp")),
        Range("issue", N_("Issued in a row"), N_("instructions"), one=N_("instruction")),
        Range("latency", N_("Result after"), N_("cycles"), one=N_("cycle")),
        Choice("bytes", N_("Bytes a load"), tuple((n, str(n)) for n in LOAD_BYTES), "list"),
        Range("loads", N_("Loads a thread on their way")),
        Choice("gpu", N_("GPU and its memory’s latency"), _offered(), "list"),
        Choice("memory", N_("Memory latency"), ((TABLE, N_("the GPU’s")), (OWN, N_("my own")))),
        Range("memory_ns", N_("My own latency"), N_("ns"), step=0.1, digits=1),
        Stepper("cycle", N_("Cycle")),
    )
    presets = (
        Preset("shared_load", N_("8 warps")),
        Preset("one_warp", N_("1 warp"), {"warps": 1}),
        Preset("all_warps", N_("16 warps"), {"warps": 16}),
        Preset("multiply_adds", N_("Multiply-adds"), {"warps": 4, "issue": 1, "latency": 4}),
        Preset("wide_loads", N_("16-byte loads"), {"bytes": 16}),
        Preset("two_loads", N_("Two loads a thread"), {"warps": 16, "loads": 2}),
        Preset("few_warps", N_("1 warp, four 16-byte loads"), {"warps": 1, "bytes": 16, "loads": 4}),
        Preset("h200", N_("The H200 as recorded"), {"gpu": "h200"}),
    )
    prediction = Prediction(
        N_(
            "With one 4-byte load a thread on its way, this H100 needs 71 warps on an SM for its full bandwidth, and "
            "an SM has slots for 64. Now each load brings 16 bytes. How many warps on an SM are enough?"
        ),
        "wide_loads", "knee_warps", unit=N_("warps"),
        reveal=N_("{answer}. What counts is bytes in flight: a quarter of the warps, each with four times the bytes."),
    )  # fmt: skip
    left_out = (
        N_(
            "The order in which hardware picks ready warps, which is not published: here the one that has been ready "
            "longest. The busy share does not depend on it."
        ),
        N_("Instructions of one warp that do not need each other’s results: they hide latency as more warps do."),
        N_(
            "Latency that grows under load. The latencies are those of an idle memory, taken in cycles while clocks "
            "moved, so the bytes needed are the least there can be."
        ),
        N_("Caches, sectors fetched and not used, and the most loads that an SM can have on their way."),
        N_("T4, RTX 3090 and L4 have no latency in the table, since none could be sourced: set one yourself."),
    )  # fmt: skip
    inspect_hint = N_("Point at a cycle, at a warp’s row or at the curve, or walk through them with the arrow keys.")
    recordings = ("loads_in_flight",)
    experiment = "loads_in_flight"
    live_columns = latency_readings.ROW
    height, phone_height = cycle_rows.INNER + 12, 480

    # ------------------------------------------------------------------------------ state

    def __init__(self, words: Words | None = None, readings: Sequence[Reading] = (), **state: Value) -> None:
        super().__init__(words, readings, **state)
        self._recorded = latency_readings.recorded(readings[0]) if readings else None

    def simulate(self) -> EnoughWarps:
        """Run the scheduler and the memory; ValueError in the reader's language."""
        words, chip = self.words, gpu(self.gpu)
        most = chip.sm.warps // chip.sm.partitions
        if self.warps > most:
            raise ValueError(
                words(
                    "{n} warps are too many: an SM of the {gpu} holds {slots}, {most} on each scheduler",
                    n=self.warps, gpu=chip.name, slots=chip.sm.warps, most=most,
                )
            )  # fmt: skip
        own = self.memory == OWN
        if not own and table_latency_ns(self.gpu) is None:
            raise ValueError(
                words("no memory latency of the {gpu} could be sourced; set one of your own", gpu=chip.name)
            )
        return simulate(
            self.gpu, warps_per_scheduler=self.warps, issue_cycles=self.issue, latency_cycles=self.latency,
            bytes_per_load=self.bytes, loads_per_thread=self.loads, memory_ns=self.memory_ns if own else None,
        )  # fmt: skip

    def active(self, name: str) -> bool:
        """Only a latency as set is taken from its slider."""
        return name != "memory_ns" or self.memory == OWN

    @property
    def steps(self) -> int:
        """The cycles of the timeline: whole periods."""
        return int(self.trace.timeline.cycles)

    def values(self) -> dict[str, float]:
        """What the warps keep busy, what they have in flight, how many would be enough; GB/s of a reading."""
        trace, memory = self.trace, self.trace.memory
        told: dict[str, float] = {
            "warps": self.warps, "sm_warps": trace.sm_warps, "warp_slots": trace.slots,
            "occupancy_percent": 100 * trace.sm_warps / trace.slots, "busy_percent": 100 * trace.busy_share,
            "busy_cycles": trace.timeline.busy_cycles, "cycles": trace.timeline.cycles, "period": trace.period,
            "scheduler_knee": trace.scheduler_knee, "scheduler_knee_sm": trace.schedulers * trace.scheduler_knee,
            "latency_ns": trace.latency_ns, "peak_gb_per_s": trace.peak_gb_per_s,
            "bandwidth_gb_per_s": memory.bandwidth_gb_per_s, "bandwidth_percent": 100 * memory.peak_share,
            "bytes_in_flight": memory.bytes_in_flight, "bytes_in_flight_per_sm": memory.bytes_in_flight_per_sm,
            "bytes_needed": memory.bytes_needed, "bytes_needed_per_sm": memory.bytes_needed_per_sm,
            "kib_needed": memory.bytes_needed / 1024, "kib_needed_per_sm": memory.bytes_needed_per_sm / 1024,
            "lines_needed_per_sm": memory.lines_needed_per_sm, "knee_warps": memory.knee_warps,
        }  # fmt: skip
        if (both := self.comparison()).recorded:
            told["recorded_gb_per_s"], told["recorded_model_gb_per_s"] = both.recorded, both.model
            told["difference_percent"] = 100 * (both.model / both.recorded - 1)
        return told

    # ---------------------------------------------------------------------------- drawing

    def build(self) -> Plot:
        """Draw the cycles and, below them, the ramps."""
        plot, roles = marks.canvas((-0.4, MAX_CYCLES + 0.4), (0, cycle_rows.INNER)), Roles()
        cycle_rows.build(plot, self, roles)
        warp_ramps.build(plot, self, roles)
        rows, levels = cycle_rows.row_names(self.words), warp_ramps.level_names(self.words)
        marks.names(plot, "left", rows[WIDE] + levels[WIDE], [WIDE], standoff=8)
        marks.names(plot, "left", rows[PHONE] + levels[PHONE], [PHONE], size="11px", standoff=4)
        marks.cursor(plot, self.source("cursor"))
        marks.inspected(plot, self.source("marks"))
        return plot

    def columns(self) -> Mapping[str, Mapping[str, Sequence[Any]]]:
        """Return the sources of both; the memory's ramp waits for the guess."""
        trace, words = self.trace, self.words
        secret = words("your guess first") if self.veiled else ""
        read = self._drawn_readings()
        told = [*cycle_rows.says(trace, words), *warp_ramps.says(trace, self.veiled, words)]
        told += [mark for one in read for mark in one.says(trace.peak_gb_per_s, words)]
        x, y, say = zip(*told, strict=True)
        return {
            **cycle_rows.columns(trace, self.at, self.cycle is not None, words),
            **warp_ramps.columns(trace, secret, words),
            **warp_ramps.read_columns(trace, read, words),
            "marks": {"x": x, "y": y, "say": say},
        }

    def _drawn_readings(self) -> list[Read]:
        """What was recorded and read live of such loads, where it was on the GPU that is shown."""
        words, some = self.words, ((self._recorded, False), (self.measured, True))
        return [
            Read(tuple(shapes.points(self.bytes, self.loads)), words("live") if live else words("recorded"), live)
            for shapes, live in some
            if shapes is not None and shapes.gpu == self.gpu and not self.veiled
        ]

    # ------------------------------------------------------------------------------ words

    def readouts(self) -> Sequence[Readout]:
        """Busy share, warps that hide the results' latency, bandwidth, warps that hide the memory's."""
        words, trace, hidden = self.words, self.trace, self.veiled
        knee = trace.schedulers * trace.scheduler_knee
        busy = (
            Readout(
                words("Scheduler busy"), words.percent(trace.busy_share), "%", role="compute",
                sub=words.plural(
                    "{busy} of {n} cycle", "{busy} of {n} cycles", trace.timeline.cycles,
                    busy=trace.timeline.busy_cycles,
                ),
            ),
            Readout(
                words("Warps that fill it"), words.num(trace.scheduler_knee),
                sub=words("{n} on an SM", n=words.num(knee)),
            ),
        )  # fmt: skip
        if hidden:
            first = words("your guess first")
            secret = (words("Bandwidth"), words("Warps for the peak"))
            return *busy, *(Readout(label, "?", sub=first, secret=True) for label in secret)
        share, peak = words.percent(trace.memory.peak_share), words.num(trace.peak_gb_per_s)
        return (
            *busy,
            Readout(
                words("Bandwidth"), latency_words.rate(trace.memory.bandwidth_gb_per_s, words), "GB/s", role="move",
                sub=words("{share} % of {peak}", share=share, peak=peak),
            ),
            Readout(
                words("Warps for the peak"), words.num(trace.memory.knee_warps),
                sub=words("on an SM of {slots} slots", slots=trace.slots),
            ),
        )  # fmt: skip

    def summary(self) -> str:
        """Say what is busy and what would be enough."""
        name = gpu(self.gpu).name
        read = [one.name for one in self._drawn_readings() if one.points]
        return latency_words.summary(self.trace, name, self.loads, self.bytes, self.veiled, read, self.words)

    def table(self) -> Table:
        """One row for each number of warps."""
        read = {
            one.name: {warps: rate for warps, rate, *_ in one.points} for one in self._drawn_readings() if one.points
        }
        return latency_words.table(self.trace, self.veiled, read, self.words)

    def comparison(self) -> Comparison:
        """Little's law beside the bandwidth recorded for such loads and warps, on the GPU of the reading."""
        words, shapes = self.words, self._recorded
        if shapes is None:
            what, why = words("Bandwidth of these loads"), words("Not measured for this book yet.")
            return Comparison(what, self.trace.memory.bandwidth_gb_per_s, None, "GB/s", provenance=why)
        return latency_readings.comparison(shapes, self.measured, self._shape(), words)

    def _shape(self) -> Shape:
        return self.bytes, self.loads, self.trace.sm_warps

    def read_live(self, record: Reading) -> Shapes:
        """Index a live run's rows."""
        latency_readings.check(record, self.words)
        return latency_readings.read(record)
