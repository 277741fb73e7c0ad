"""Figure 4.3: the lanes of a warp, the banks of shared memory they ask, and the wavefronts that this takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import param
from bokeh.models import Plot

from sim.bank_conflicts import BANKS, WORD_BYTES
from sim.tile_addresses import TMA_ROW_BYTES
from widgets import bank_drawing, bank_readings, bank_requests, bank_words
from widgets.bank_drawing import Shown
from widgets.bank_readings import Requests
from widgets.bank_requests import TILES, Trace
from widgets.figure import Figure
from widgets.parts import Choice, Comparison, Prediction, Preset, Range, Reading, Readout, Stepper, Table, Text
from widgets.words import N_


class BankConflicts(Figure):
    """A warp's request to shared memory, wavefront by wavefront."""

    reads = param.Selector(
        default="column",
        objects=["row", "column", "word", "typed"],
        doc="What the 32 lanes touch: a row, a column or one word of the tile, or what `pattern` says.",
    )
    width = param.Selector(
        default=4, objects=[4, 8, 16], doc="Size of an element, which is what a lane asks for, in bytes."
    )
    op = param.Selector(default="load", objects=["load", "store"], doc="Whether the warp loads or stores.")
    tile = param.Selector(default="32x32", objects=list(TILES), doc="Rows × columns of the tile, in elements.")
    pitch = param.Integer(36, bounds=(1, 72), doc="Distance from one row's start to the next one's, in elements.")
    swizzle = param.Selector(
        default="none",
        objects=["none", "xor", *TMA_ROW_BYTES],
        doc="How elements change places inside a row; the TMA layouts also fix the row's size and the pitch.",
    )
    index = param.Integer(0, bounds=(0, 31), doc="Which row, or which column, the lanes touch; counted from 0.")
    pattern = param.String(
        "i*2", doc="For reads=typed: the element of lane i, in the notation of `sim.address_pattern`."
    )
    wavefront = param.Integer(
        None, bounds=(1, None), allow_None=True, doc="The wavefront shown, from 1; None: the last."
    )

    controls = (
        Choice(
            "reads",
            N_("The lanes touch"),
            (("row", N_("a row")), ("column", N_("a column")), ("word", N_("one word")), ("typed", N_("typed"))),
        ),
        Choice("width", N_("Bytes a lane"), ((4, "4"), (8, "8"), (16, "16"))),
        Choice("op", N_("The warp"), (("load", N_("loads")), ("store", N_("stores")))),
        Choice("tile", N_("Tile, rows × columns"), tuple((name, name.replace("x", " × ")) for name in TILES), "list"),
        Range("pitch", N_("Row pitch"), N_("elements"), one=N_("element")),
        Choice("swizzle", N_("Swizzle"), bank_words.SWIZZLES, "list"),
        Range("index", N_("Row or column")),
        Text(
            "pattern",
            N_("Typed: the element of lane i"),
            N_("In elements: an expression in i, such as i*33 or i^1, or 32 numbers. -1 switches a lane off."),
        ),
        Stepper("wavefront", N_("Wavefront")),
    )
    presets = (
        Preset("column_36", N_("Column, pitch 36")),
        Preset("column_32", N_("Column, pitch 32"), {"pitch": 32}),
        Preset("column_33", N_("Column, pitch 33"), {"pitch": 33}),
        Preset("column_xor", N_("Column, XOR swizzle"), {"pitch": 32, "swizzle": "xor", "index": 11}),
        Preset(
            "column_tma",
            N_("16-byte column, TMA swizzle"),
            {"width": 16, "tile": "32x8", "pitch": 8, "swizzle": "tma128"},
        ),
        Preset("row", N_("By rows"), {"reads": "row", "pitch": 32}),
        Preset("row_16", N_("By rows, 16 bytes"), {"reads": "row", "pitch": 32, "width": 16}),
        Preset("word", N_("One word for all"), {"reads": "word", "pitch": 32}),
        Preset("stride_2", N_("Every second word"), {"reads": "typed"}),
    )
    prediction = Prediction(
        N_(
            "A tile has 32 rows of 32 floats, stored one after the other without a gap. Lane i of a warp loads the "
            "first float of row i. How many wavefronts does that take?"
        ),
        "column_32",
        "wavefronts",
        unit=N_("wavefronts"),
        reveal=N_(
            "It takes {answer}: all {lanes} words lie in bank {first_bank}, and a bank hands over one word a turn."
        ),
    )
    left_out = (
        N_(
            "Time. While the wavefronts of one request queue, other warps go on with other work, so the time of a "
            "kernel does not grow with their number in proportion."
        ),
        N_(
            "The order in which a bank serves the words that queue there, and which lane’s value stays when "
            "several lanes store to one word."
        ),
        N_(
            "Elements of 1 and 2 bytes, atomics and ldmatrix. Of the unit that moves tiles (TMA), "
            "only the layout it leaves behind is here."
        ),
        N_("Tiles that do not start where the swizzle’s own pattern does: here every tile starts at byte 0."),
    )
    inspect_hint = N_("Point at a lane or a cell, or walk through them with the arrow keys.")
    recordings = ("bank_conflicts", "bank_conflict_cycles")
    experiment = "bank_conflict_cycles"
    live_columns = bank_readings.ROW
    height = bank_drawing.HEIGHT
    phone_height = bank_drawing.PHONE_HEIGHT

    # ------------------------------------------------------------------------------ state

    def simulate(self) -> Trace:
        """Trace the request; ValueError in the reader's language."""
        if self.veiled and self.wavefront is not None:
            raise ValueError(self.words("your guess first; then the wavefronts can be stepped through"))
        if self.reads == "typed":
            return bank_requests.typed(self.pattern, self.width, self.op, self.words)
        tile = bank_requests.tile(self.tile, self.reads, self.index, self.pitch, self.width, self.swizzle, self.words)
        return bank_requests.of_tile(tile, self.reads, self.index, self.op)

    def active(self, name: str) -> bool:
        """Say whether a control acts: the pattern replaces the tile, and a TMA layout its pitch."""
        fixed = self.swizzle in TMA_ROW_BYTES
        in_tile = ("tile", "swizzle", "index", *(() if fixed else ("pitch",)))
        of = {"row": in_tile, "column": in_tile, "word": ("index",), "typed": ("pattern",)}
        stepper = () if self.veiled else ("wavefront",)
        return name in ("reads", "width", "op", *of[str(self.reads)], *stepper)

    @property
    def steps(self) -> int:
        """The wavefronts of the request; none to walk while their number is asked for."""
        return 0 if self.veiled else self.trace.access.wavefronts

    @property
    def at(self) -> int:
        """The wavefront shown."""
        return 0 if self.veiled else super().at

    def values(self) -> dict[str, float]:
        """The request's counts, its tile's, and the recorded wavefronts where there is a reading."""
        access, tile, whole = self.trace.access, self.trace.tile, self.trace.whole
        used = sum(len(step.cells) for step in access.steps)
        told: dict[str, float] = {
            "wavefronts": access.wavefronts, "ideal": access.ideal_wavefronts, "extra": access.extra_wavefronts,
            "lanes": len(access.served), "banks_used": len({bank for step in access.steps for bank, _ in step.cells}),
            "degree": max(part.wavefronts for part in access.parts),
            "turns": access.wavefronts * BANKS, "turns_used": used,
            "turns_percent": 100 * used / (access.wavefronts * BANKS) if used else 0,
        }  # fmt: skip
        if access.served:
            told["first_bank"] = access.served[0].banks[0]
        if tile and whole:
            told |= {
                "row_bytes": tile.pitch_words * WORD_BYTES, "tile_bytes": tile.rows * tile.pitch_words * WORD_BYTES,
                "tile_requests": whole.requests, "tile_wavefronts": whole.wavefronts,
                "tile_ideal": whole.ideal_wavefronts, "tile_extra": whole.extra_wavefronts,
            }  # fmt: skip
        counts = self.recorded("bank_conflicts")
        if found := bank_readings.count(counts, access):
            told["recorded"] = found[1]["wavefronts"]
        if counts:
            told["readings"] = sum(len(reading["rows"]) for reading in counts)
        return told

    # ---------------------------------------------------------------------------- drawing

    def build(self) -> Plot:
        """Draw lanes, threads, banks and wavefronts."""
        return bank_drawing.build(self)

    def columns(self) -> Mapping[str, Mapping[str, Sequence[Any]]]:
        """Return the drawing's sources; marks are the lanes, then the cells of the wavefronts shown."""
        access, words = self.trace.access, self.words
        drawn = bank_drawing.columns(access, Shown(self.at, self.wavefront is not None, self._secret()), words)
        lanes, cells = drawn["lanes"], drawn["cells"]
        says = [*bank_words.lane_says(access, words, self.veiled), *bank_words.cell_says(access, self.at, words)]
        return {**drawn, "marks": {"x": lanes["x"] + cells["x"], "y": lanes["y"] + cells["y"], "say": says}}

    # ------------------------------------------------------------------------------ words

    def readouts(self) -> Sequence[Readout]:
        """Wavefronts, those that the width needs, those added, and the turns of banks that were used."""
        words, num, veiled = self.words, self.words.num, self.veiled
        told, access, whole = self.values(), self.trace.access, self.trace.whole
        by_width = N_("{n} bytes a lane, parts merged") if access.merged_by else N_("{n} bytes a lane")
        return (
            Readout(
                words("Wavefronts"), num(told["wavefronts"]), secret=veiled,
                sub=words("whole tile: {n}", n=num(whole.wavefronts)) if whole else words("for this request"),
            ),
            Readout(words("Needed by the width"), num(told["ideal"]), role="move", sub=words(by_width, n=self.width)),
            Readout(
                words("Extra"), num(told["extra"]), role="cost", secret=veiled,
                sub=words("whole tile: {n}", n=num(whole.extra_wavefronts)) if whole else words("added by conflicts"),
            ),
            Readout(
                words("Bank turns used"), words.percent(told["turns_percent"] / 100), "%", secret=veiled,
                sub=words("{n} of {all}", n=num(told["turns_used"]), all=num(told["turns"])),
            ),
        )  # fmt: skip

    def summary(self) -> str:
        """Say what the lanes ask for and how many wavefronts that takes."""
        words, told = self.words, self.values()
        does = N_("A warp loads {n} bytes a lane.") if self.op == "load" else N_("A warp stores {n} bytes a lane.")
        said = words(does, n=self.width), self._asked_for()
        if self.veiled:
            return words.space.join((*said, words("How many wavefronts that takes shows after your guess.")))
        counted = words(
            "Lanes that ask: {lanes}. Banks that work: {banks_used} of 32. "
            "Wavefronts: {wavefronts}; {ideal} needed by the width, {extra} extra.",
            **{name: words.num(told[name]) for name in ("lanes", "banks_used", "wavefronts", "ideal", "extra")},
        )
        return words.space.join((*said, counted))

    def _asked_for(self) -> str:
        if self.reads == "typed":
            return self.words("Lane i takes element {pattern}.", pattern=self.pattern)
        if self.trace.tile is None:
            return self.words("All lanes take the same element.")
        return bank_words.asked_for(self.trace.tile, self.reads, self.index, self.words)

    def table(self) -> Table:
        """One row a wavefront."""
        return bank_words.table(self.trace.access, self._secret(), self.words)

    def _secret(self) -> str:
        return self.words("your guess first") if self.veiled else ""

    # --------------------------------------------------------------------------- hardware

    def comparison(self) -> Comparison:
        """The wavefronts of the model beside the profiler's, which must be equal."""
        return bank_readings.wavefronts(self.recorded("bank_conflicts"), self.trace.access, self.words)

    def comparisons(self) -> Sequence[Comparison]:
        """Below the wavefronts, the cycles of such a request."""
        some = [bank_readings.recorded(reading) for reading in self.recorded("bank_conflict_cycles")[:1]]
        timed = (bank_readings.cycles(one, self.measured, self.trace.access, self.words) for one in some)
        return self.comparison(), *timed

    def read_live(self, record: Reading) -> Requests:
        """Index a live run by addresses."""
        return bank_readings.read(record)
