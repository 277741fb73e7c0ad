"""Figure 4.2: one load of a warp from device memory, the sectors it moves and the lines they lie in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import param
from bokeh.models import Plot

from sim.address_pattern import parse_pattern
from sim.coalescing import GlobalAccess, simulate, strided
from sim.lane_choice import LANES, ORDERS, in_order, switched
from widgets import coalescing_drawing, coalescing_readings, coalescing_words, pattern_words
from widgets.coalescing_readings import Gathers
from widgets.figure import Figure
from widgets.parts import Choice, Comparison, Prediction, Preset, Range, Reading, Readout, Table, Text
from widgets.words import N_


class Coalescing(Figure):
    """32 addresses and what is moved for them."""

    reads = param.Selector(
        default="strided", objects=["strided", "typed"], doc="Elements at a stride, or what `pattern` says."
    )
    width = param.Selector(
        default=4, objects=[1, 2, 4, 8, 16], doc="Size of an element, which is what a lane asks for, in bytes."
    )
    stride = param.Integer(3, bounds=(0, 64), doc="From one lane's element to the next one's, in elements.")
    offset = param.Integer(0, bounds=(0, 64), doc="Where the first element lies after a line's start, in elements.")
    order = param.Selector(default="forward", objects=list(ORDERS), doc="Which lane takes which of the elements.")
    lanes = param.Selector(default="all", objects=list(LANES), doc="Which lanes are switched on.")
    pattern = param.String(
        "i//8*64+i%8", doc="For reads=typed: the element of lane i, in the notation of `sim.address_pattern`."
    )

    controls = (
        Choice("reads", N_("Elements"), (("strided", N_("at a stride")), ("typed", N_("typed")))),
        Choice("width", N_("Bytes a lane"), ((1, "1"), (2, "2"), (4, "4"), (8, "8"), (16, "16")), "list"),
        Range("stride", N_("Stride"), N_("elements"), one=N_("element")),
        Range("offset", N_("Start offset"), N_("elements"), one=N_("element")),
        Choice("order", N_("Lanes take them"), coalescing_words.ORDERS, "list"),
        Choice("lanes", N_("Lanes switched on"), coalescing_words.LANES, "list"),
        Text(
            "pattern",
            N_("Typed: the element of lane i"),
            N_("In elements: an expression in i, such as i*33 or i^1, or 32 numbers. -1 switches a lane off."),
        ),
    )
    presets = (
        Preset("struct", N_("12-byte structs")),
        Preset("aligned", N_("In a row"), {"stride": 1}),
        Preset("offset_16", N_("Start at byte 16"), {"stride": 1, "offset": 4}),
        Preset("offset_32", N_("Start at byte 32"), {"stride": 1, "offset": 8}),
        Preset("stride_2", N_("Every second float"), {"stride": 2}),
        Preset("stride_8", N_("Every eighth float"), {"stride": 8}),
        Preset("column", N_("A column, 32 wide"), {"stride": 32}),
        Preset("reversed", N_("Reversed"), {"stride": 1, "order": "reversed"}),
        Preset("shuffled", N_("Shuffled"), {"stride": 1, "order": "shuffled"}),
        Preset("one_address", N_("One address"), {"stride": 0, "offset": 16}),
        Preset("float4", "float4", {"width": 16, "stride": 1}),
        Preset("odd_off", N_("Odd lanes off"), {"stride": 1, "lanes": "even"}),
        Preset("pieces", N_("Four far pieces"), {"reads": "typed"}),
    )
    prediction = Prediction(
        N_(
            "32 floats in a row lie in 4 sectors. Now every second float is left out: lane i loads float 2i. "
            "How many sectors does the load move?"
        ),
        "stride_2",
        "sectors",
        unit=N_("sectors"),
        reveal=N_("{answer}: the lanes reach over {span_bytes} bytes, and a sector is moved whole, asked for or not."),
    )
    left_out = (
        N_(
            "Where the sectors come from. Some may be found in L1 or L2, and only the rest are read from "
            "device memory; the request looks them up all the same."
        ),
        N_(
            "Time. A sector count is not a duration: how long the load takes also depends on the caches, "
            "on other warps, and on what the warp does meanwhile."
        ),
        N_("What the hardware fetches on its own account, beside the sectors that were asked for."),
        N_(
            "Stores and atomics. And no address here is misaligned: an element starts at a multiple of its size, "
            "or the hardware reports a fault."
        ),
    )
    inspect_hint = N_("Point at a lane or a sector, or walk through them with the arrow keys.")
    recordings = ("global_loads", "strided_copy")
    experiment = "strided_copy"
    live_columns = coalescing_readings.ROW
    height, phone_height = coalescing_drawing.HEIGHT, coalescing_drawing.PHONE_HEIGHT

    # ------------------------------------------------------------------------------ state

    def simulate(self) -> GlobalAccess:
        """Trace the load; ValueError in the reader's language."""
        if self.reads == "typed":
            try:
                addresses = parse_pattern(self.pattern, self.width)
            except ValueError as refused:
                raise ValueError(pattern_words.refusal(str(refused), self.words)) from refused
        else:
            addresses = in_order(strided(self.width, self.stride, self.offset * self.width), self.order)
        return simulate(switched(addresses, self.lanes), self.width)

    def active(self, name: str) -> bool:
        """Say whether a control acts: the pattern replaces stride, start and order."""
        of = {"strided": ("stride", "offset", "order"), "typed": ("pattern",)}
        return name in ("reads", "width", "lanes", *of[str(self.reads)])

    def values(self) -> dict[str, float]:
        """The load's counts, and the recorded sectors where these addresses have a reading."""
        access = self.trace
        told: dict[str, float] = {
            "requests": access.requests, "sectors": access.sectors, "sectors_needed": access.sectors_needed,
            "extra_sectors": access.sectors - access.sectors_needed, "lines": access.lines,
            "bytes_used": access.bytes_used, "bytes_moved": access.bytes_moved, "bytes_unused": access.bytes_unused,
            "efficiency_percent": 100 * access.efficiency, "lanes": access.active_lanes, "width": self.width,
            "span_bytes": access.span_bytes,
        }  # fmt: skip
        counts = self.recorded("global_loads")
        if found := coalescing_readings.count(counts, access):
            told["recorded"] = found[1]["sectors"]
        if counts:
            told["readings"] = sum(len(reading["rows"]) for reading in counts)
        return told

    # ---------------------------------------------------------------------------- drawing

    def build(self) -> Plot:
        """Draw lanes, threads, lines and the bar of bytes."""
        return coalescing_drawing.build(self)

    def columns(self) -> Mapping[str, Mapping[str, Sequence[Any]]]:
        """Return the drawing's sources; marks are the lanes, then the sectors of every touched line."""
        access, words, veiled = self.trace, self.words, self.veiled
        x, y = coalescing_drawing.places(access, veiled)
        says = [*coalescing_words.lane_says(access, words, veiled)]
        says += () if veiled else coalescing_words.sector_says(access, words)
        return {
            **coalescing_drawing.columns(access, self._secret(), words),
            "marks": {"x": x, "y": y, "say": says},
        }

    def _secret(self) -> str:
        return self.words("your guess first") if self.veiled else ""

    # ------------------------------------------------------------------------------ words

    def readouts(self) -> Sequence[Readout]:
        """Sectors, lines, bytes nobody asked for, and the share of the bytes that was asked for."""
        words, num, veiled, access = self.words, self.words.num, self.veiled, self.trace
        needed = words("{n} would hold the bytes used", n=num(access.sectors_needed))
        share = words("{used} of {moved} bytes", used=num(access.bytes_used), moved=num(access.bytes_moved))
        return (
            Readout(words("Sectors per request"), num(access.sectors), sub=needed, secret=veiled),
            Readout(words("Lines touched"), num(access.lines), sub=words("of 128 bytes each"), secret=veiled),
            Readout(
                words("Moved, not used"), num(access.bytes_unused), "B", role="cost", secret=veiled,
                sub=words("of {n} bytes moved", n=num(access.bytes_moved)),
            ),
            Readout(
                words("Bytes used / moved"), words.percent(access.efficiency), "%", sub=share, role="move",
                secret=veiled,
            ),
        )  # fmt: skip

    def summary(self) -> str:
        """Say what the lanes ask for and what is moved."""
        words, access = self.words, self.trace
        told = [words.plural("A warp loads {n} byte a lane.", "A warp loads {n} bytes a lane.", self.width)]
        if self.reads == "typed":
            told.append(words("Lane i takes element {pattern}.", pattern=self.pattern))
        else:
            told.append(coalescing_words.asked_for(self.stride, self.offset * self.width, self.order, words))
        told.append(words.plural("{n} lane asks.", "{n} lanes ask.", access.active_lanes))
        if self.veiled:
            told.append(words("What that moves shows after your guess."))
        else:
            sectors = words.plural("{n} sector", "{n} sectors", access.sectors)
            lines = words.plural("{n} line", "{n} lines", access.lines)
            told.append(
                words.plural(
                    "That moves {sectors}, lying in {lines}. Of {moved} bytes moved, {n} is used: {percent} %.",
                    "That moves {sectors}, lying in {lines}. Of {moved} bytes moved, {n} are used: {percent} %.",
                    access.bytes_used, sectors=sectors, lines=lines, moved=words.num(access.bytes_moved),
                    percent=words.percent(access.efficiency),
                )
            )  # fmt: skip
        return reduce(lambda first, second: words("{first} {second}", first=first, second=second), told)

    def table(self) -> Table:
        """One row a sector."""
        return coalescing_words.table(self.trace, self._secret(), self.words)

    # --------------------------------------------------------------------------- hardware

    def comparison(self) -> Comparison:
        """The sectors of the model beside the profiler's, which must be equal."""
        return coalescing_readings.sectors(self.recorded("global_loads"), self.trace, self.words)

    def comparisons(self) -> Sequence[Comparison]:
        """Below the sectors, the time of a gather of such loads."""
        gathers = [coalescing_readings.recorded(reading) for reading in self.recorded("strided_copy")[:1]]
        timed = (coalescing_readings.times(one, self.measured, self.trace, self.words) for one in gathers)
        return self.comparison(), *timed

    def read_live(self, record: Reading) -> Gathers:
        """Index a live run by addresses."""
        return coalescing_readings.read(record)
