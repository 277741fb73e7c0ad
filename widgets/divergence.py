"""Figure 3.2: the issue slots of one warp whose lanes take different paths, or a loop a different number of times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import param
from bokeh.models import Plot

from sim import divergence as model
from sim.address_pattern import parse_pattern
from sim.divergence import INACTIVE, WARP_LANES, Phase
from widgets import divergence_readings, divergence_words, lane_grid, pattern_words
from widgets.divergence_readings import Readings, Twin
from widgets.divergence_words import NAMES, Warp
from widgets.figure import Figure
from widgets.lane_grid import ROWS, Band, Grid
from widgets.parts import Choice, Comparison, Prediction, Preset, Range, Reading, Readout, Stepper, Table, Text, Value
from widgets.words import N_, Words

OWN, LOOP = "own", "loop"
PATTERNS = {  # path of lane i
    "halves": "i//16", "odd_even": "i%2", "one": "(i+31)//32", "four": "i//8", "eight": "i//4", "sixteen": "i//2",
    "each": "i", "together": "0",
}  # fmt: skip


class WarpDivergence(Figure):
    """32 lanes on up to 32 paths, slot by slot."""

    pattern = param.Selector(
        default="halves", objects=[*PATTERNS, OWN, LOOP], doc="Which lane takes which path, or a loop."
    )
    paths = param.String("i%3", doc="Path of each lane (0 is A, −1 switches it off): 32 numbers or an expression in i.")
    trips = param.String("i+1", doc="Iterations of each lane's loop: 32 numbers or an expression in i.")
    common = param.Integer(0, bounds=(0, 4), doc="Slots that all lanes are issued together, before.")
    a = param.Integer(10, bounds=(0, 10), doc="Length of path A in issue slots.")
    b = param.Integer(10, bounds=(0, 10), doc="Length of path B in issue slots.")
    c = param.Integer(10, bounds=(0, 10), doc="Length of path C in issue slots.")
    d = param.Integer(10, bounds=(0, 10), doc="Length of path D in issue slots.")
    slot = param.Integer(None, allow_None=True, doc="The slot shown, from 1; None for the last.")

    controls = (
        Choice(
            "pattern", N_("The branch"), style="list",
            options=(
                ("halves", N_("Lower half and upper half")), ("odd_even", N_("Even lanes and odd lanes")),
                ("one", N_("One lane and the rest")), ("four", N_("Four ways")), ("eight", N_("Eight ways")),
                ("sixteen", N_("Sixteen ways")), ("each", N_("Each lane its own way")),
                ("together", N_("All lanes one way")), (OWN, N_("Paths as typed")), (LOOP, N_("A loop")),
            ),
        ),
        Text("paths", N_("Path of lane i"), N_("0 to 3 are A to D; with any beyond 3, every path is 1 slot")),
        Text("trips", N_("Iterations of lane i"), N_("of the loop, 1 slot each")),
        Range("a", N_("Path A"), N_("slots"), one=N_("slot")),
        Range("b", N_("Path B"), N_("slots"), one=N_("slot")),
        Range("c", N_("Path C"), N_("slots"), one=N_("slot")),
        Range("d", N_("Path D"), N_("slots"), one=N_("slot")),
        Range("common", N_("Together, before"), N_("slots"), one=N_("slot")),
        Stepper("slot", N_("Issue slot")),
    )  # fmt: skip
    presets = (
        Preset("halves", N_("Half and half")),
        Preset("odd_even", N_("Even and odd"), {"pattern": "odd_even"}),
        Preset("one_lane", N_("One lane"), {"pattern": "one"}),
        Preset("long_lane", N_("One long lane"), {"pattern": "one", "b": 1}),
        Preset("four_ways", N_("Four ways"), {"pattern": "four"}),
        Preset("each", N_("32 ways"), {"pattern": "each"}),
        Preset("loop", N_("Loop"), {"pattern": LOOP}),
        Preset("together", N_("One way"), {"pattern": "together"}),
    )
    prediction = Prediction(
        N_(
            "Half and half takes 20 slots. Now lane 0 alone takes path A, and the other 31 take path B; "
            "each path is 10 instructions long. How many issue slots?"
        ),
        "one_lane", "issue_slots", unit=N_("slots"),
        reveal=N_("{answer}, as with half and half. A path is issued whole, for one lane as for sixteen."),
    )  # fmt: skip
    left_out = (
        N_(
            "The order. Since compute capability 7.0 each lane has its own program counter, and the scheduler may run "
            "the paths in another order or in pieces. The number of slots stays the same."
        ),
        N_(
            "The instructions that part the lanes and bring them together again: a fixed cost for each path, seen in "
            "the recorded cycles. The compiler may also replace a short branch by predicated instructions."
        ),
        N_(
            "Time. A slot is one instruction of this warp. While the warp waits, its scheduler issues others, "
            "but none of them can use this warp’s masked lanes."
        ),
    )
    inspect_hint = N_("Point at a lane or at the bar beside a path, or walk through them with the arrow keys.")
    recordings = ("divergence_cycles",)
    experiment = "divergence_cycles"
    live_columns = divergence_readings.ROW
    height, phone_height = lane_grid.HEIGHT, lane_grid.PHONE_HEIGHT

    # ------------------------------------------------------------------------------ state

    def __init__(self, words: Words | None = None, readings: Sequence[Reading] = (), **state: Value) -> None:
        super().__init__(words, readings, **state)
        self._recorded = divergence_readings.recorded(readings[0]) if readings else None

    def simulate(self) -> Warp:
        """Trace the warp that is set; ValueError in the reader's language."""
        loops = self.pattern == LOOP
        text = self.trips if loops else PATTERNS.get(self.pattern, self.paths)
        try:
            lanes = parse_pattern(text)
        except ValueError as refused:
            raise ValueError(pattern_words.refusal(str(refused), self.words)) from refused
        if max(lanes) == INACTIVE:
            raise ValueError(self.words("all 32 lanes are switched off; leave one of them on"))
        lengths = () if loops else self._lengths(lanes)
        try:
            trace = model.loop(lanes, self.common) if loops else model.simulate(lanes, lengths, self.common)
        except ValueError as refused:  # the one thing left to refuse
            raise ValueError(
                self.words("nothing to issue: every path taken is 0 slots long; make one of them longer")
            ) from refused
        if trace.issue_slots > ROWS:
            n, most = self.words.num(trace.issue_slots), self.words.num(ROWS)
            raise ValueError(self.words("this takes {n} issue slots; the drawing has room for {most}", n=n, most=most))
        return Warp(lanes, lengths, trace)

    def _lengths(self, lanes: Sequence[int]) -> tuple[int, ...]:
        for lane, path in enumerate(lanes):
            if path >= len(NAMES):
                told = {"lane": lane, "path": self.words.num(path), "last": len(NAMES) - 1}
                raise ValueError(
                    self.words("lane {lane}: path {path}; paths are numbered from 0, which is A, to {last}", **told)
                )
        return (self.a, self.b, self.c, self.d) if max(lanes) < 4 else (1,) * len(NAMES)

    @property
    def steps(self) -> int:
        """The issue slots; 0 while they are to be guessed."""
        return 0 if self.veiled else self.trace.trace.issue_slots

    @property
    def at(self) -> int:
        """The slot shown; 0 while they are to be guessed."""
        return 0 if self.veiled else super().at

    def active(self, name: str) -> bool:
        """Only what the pattern uses has an effect."""
        if name in ("paths", "trips"):
            return bool(self.pattern == {"paths": OWN, "trips": LOOP}[name])
        if name == "slot":
            return not self.veiled
        four = bool(self.trace.lengths) and max(self.trace.lanes) < 4
        return name not in "abcd" or (four and "abcd".index(name) in self.trace.taken)

    def values(self) -> dict[str, float]:
        """Slots, lane slots and their shares; with a reading of the same warp, its cycles beside the model's."""
        trace = self.trace.trace
        told: dict[str, float] = {
            "issue_slots": trace.issue_slots, "common_slots": self.common, "paths_taken": trace.paths_taken,
            "lane_slots": trace.lane_slots, "all_lane_slots": WARP_LANES * trace.issue_slots,
            "idle_lane_slots": WARP_LANES * trace.issue_slots - trace.lane_slots,
            "efficiency_percent": 100 * trace.efficiency, "mean_lanes": WARP_LANES * trace.efficiency,
            "undivided_slots": trace.lane_slots / WARP_LANES,
        }  # fmt: skip
        if (twin := self._twin()) and (line := twin.line):
            model_cycles = line.cycles(twin.row.trace)
            told |= {
                "recorded_cycles": twin.cycles, "model_cycles": model_cycles,
                "difference_percent": 100 * (model_cycles / twin.cycles - 1),
                "recorded_slots": twin.slots, "cycles_per_slot": line.cycles_per_slot,
                "cycles_per_path": line.cycles_per_path, "fixed_cycles": line.fixed_cycles,
            }  # fmt: skip
        return told

    # ---------------------------------------------------------------------------- drawing

    def build(self) -> Plot:
        """Draw the grid of lanes and slots."""
        return lane_grid.build(self)

    def columns(self) -> Mapping[str, Mapping[str, Sequence[Any]]]:
        """Return the grid's sources."""
        return lane_grid.columns(self._grid())

    def adjust(self, plot: Plot) -> None:
        """Name the rows."""
        lane_grid.adjust(plot, self._grid())

    def _grid(self) -> Grid:
        warp, words, hidden = self.trace, self.words, self.veiled
        return Grid(
            bands=() if hidden else tuple(map(self._band, warp.trace.phases)),
            at=self.at,
            present=warp.present,
            needs=divergence_words.needs(warp, words),
            row=(words("lane"), words("path") if warp.lengths else words("trips"), words("issue slot")),
            lanes_say=tuple(divergence_words.lane_says(warp, lane, hidden, words) for lane in range(WARP_LANES)),
            cells_say=() if hidden else tuple(divergence_words.cell_says(warp, self.at, words)),
            note=words("your guess first") if hidden else "",
        )

    def _band(self, phase: Phase) -> Band:
        warp, words = self.trace, self.words
        last = phase.first_slot + phase.length - 1
        text, short = divergence_words.label(warp, phase, words)
        return Band(phase.first_slot, last, phase.mask, text, short, divergence_words.phase_says(warp, phase, words))

    # ------------------------------------------------------------------------------ words

    def readouts(self) -> Sequence[Readout]:
        """Slots, lane slots, efficiency, paths."""
        words, trace, hidden = self.words, self.trace.trace, self.veiled
        used = Readout(words("Lane slots used"), words.num(trace.lane_slots), role="compute")
        taken = Readout(words("Paths taken"), words.num(trace.paths_taken))
        if hidden:
            first = words("your guess first")
            return (
                Readout(words("Issue slots"), "?", sub=first, secret=True), used,
                Readout(words("Efficiency"), "?", sub=first, secret=True), taken,
            )  # fmt: skip
        undivided = words("{n} if no lane ever waited", n=_short(words, trace.lane_slots / WARP_LANES, 2))
        mean = words("{n} of 32 lanes on average", n=_short(words, WARP_LANES * trace.efficiency, 1))
        total = words("of {n}", n=words.num(WARP_LANES * trace.issue_slots))
        return (
            Readout(words("Issue slots"), words.num(trace.issue_slots), sub=undivided),
            Readout(used.label, used.value, sub=total, role=used.role),
            Readout(words("Efficiency"), divergence_words.percent(self.trace, words), "%", mean),
            Readout(taken.label, taken.value, sub=divergence_words.total(self.trace, self.common, words)),
        )  # fmt: skip

    def summary(self) -> str:
        """Say which lanes are active when."""
        told = divergence_words.told(self.trace, self.veiled, self.words)
        return reduce(lambda one, next_: self.words("{first} {second}", first=one, second=next_), told)

    def table(self) -> Table:
        """One row for each active mask; while the slots are to be guessed, one for each path."""
        return divergence_words.table(self.trace, self.veiled, self.words)

    # --------------------------------------------------------------------------- hardware

    def _twin(self) -> Twin | None:
        warp = self.trace
        return self._recorded.twin(warp.lanes, warp.lengths) if self._recorded and not self.common else None

    def comparison(self) -> Comparison:
        """Compare cycles recorded for the same warp on a larger scale with the line through all of its kind."""
        words, twin = self.words, self._twin()
        if twin is None:
            what = words("Issue slots of this warp; no recorded kernel divides its lanes in this way")
            why = words("Recorded are paths and trip counts as in the presets, on longer loops.")
            return Comparison(
                what, self.trace.trace.issue_slots, None, words("slots"), provenance=why,
                presets=divergence_readings.PRESETS,
            )  # fmt: skip
        return divergence_readings.comparison(twin, self.measured, self.readings[0], words)

    def read_live(self, record: Reading) -> Readings:
        """Trace a live run's rows."""
        divergence_readings.check(record, self.words)
        return divergence_readings.read(record)


def _short(words: Words, x: float, digits: int) -> str:
    """Print a number with at most so many digits, without zeros at the end."""
    text = words.num(x, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text
