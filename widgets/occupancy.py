"""Figure 3.4: how many blocks of a kernel one SM holds at a time, what limits them, and what one more would cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import param
from bokeh.models import Plot

from sim import occupancy as model
from sim.gpus import compute_capabilities
from sim.occupancy_curve import curve, one_more
from sim.sm_shelves import fill
from widgets import marks, occupancy_readings, occupancy_stairs, occupancy_words, sm_drawing
from widgets.figure import Figure
from widgets.occupancy_readings import Recorded
from widgets.occupancy_words import Kernel
from widgets.parts import Choice, Comparison, Prediction, Preset, Range, Reading, Readout, Table, Value
from widgets.sm_layout import INNER, LEFT, RIGHT, Shown
from widgets.theme import Roles
from widgets.words import N_, Words

KIB = 1024


class Occupancy(Figure):
    """Resident blocks of one kernel on one SM."""

    cc = param.Selector(default="9.0", objects=list(compute_capabilities()), doc="Compute capability.")
    threads = param.Integer(256, bounds=(1, 1024), doc="Threads a block.")
    registers = param.Integer(64, bounds=(1, 255), doc="Registers a thread, as the compiler reports them.")
    kib = param.Integer(0, bounds=(0, 228), doc="Shared memory that a block asks for, in KiB.")
    bytes = param.Integer(0, bounds=(0, KIB - 1), doc="And so many bytes more.")
    axis = param.Selector(
        default="registers", objects=["threads", "registers", "shared_memory"], doc="The input that the curve is over."
    )

    controls = (
        Choice(
            "cc", N_("Compute capability"), style="list",
            options=(
                ("7.0", "7.0 · V100"), ("7.5", "7.5 · T4"), ("8.0", "8.0 · A100"),
                ("8.6", "8.6 · RTX 3090"), ("8.9", "8.9 · L4, RTX 4090"), ("9.0", "9.0 · H100, H200"),
                ("10.0", "10.0 · B200"), ("12.0", "12.0 · RTX 5090, RTX PRO 6000"),
            ),
        ),
        Range("threads", N_("Threads a block")),
        Range("registers", N_("Registers a thread")),
        Range("kib", N_("Shared memory a block"), N_("KiB")),
        Range("bytes", N_("and on top of it"), N_("bytes"), one=N_("byte")),
        Choice(
            "axis", N_("Curve over"),
            (("threads", N_("threads")), ("registers", N_("registers")), ("shared_memory", N_("shared memory"))),
        ),
    )  # fmt: skip
    presets = (
        Preset("registers_64", N_("64 registers")),
        Preset("registers_32", N_("32 registers"), {"registers": 32}),
        Preset("registers_33", N_("33 registers"), {"registers": 33}),
        Preset("registers_65", N_("65 registers"), {"registers": 65}),
        Preset("odd_block", N_("224 × 92"), {"threads": 224, "registers": 92}),
        Preset("partitions", N_("64 × 88"), {"threads": 64, "registers": 88}),
        Preset("kib_114", N_("114 KiB"), {"kib": 114, "axis": "shared_memory"}),
        Preset("kib_113", N_("113 KiB"), {"kib": 113, "axis": "shared_memory"}),
        Preset("threads_96", N_("96 threads"), {"threads": 96, "registers": 32, "axis": "threads"}),
        Preset("threads_33", N_("33 threads"), {"threads": 33, "registers": 32, "axis": "threads"}),
        Preset("too_large", N_("1,024 × 65"), {"threads": 1024, "registers": 65}),
    )
    # Not about 33 registers: the state with 32 says what one more costs.
    prediction = Prediction(
        N_(
            "Blocks of 224 threads need 92 registers a thread. 65,536 ÷ (224 × 92) is a little over 3. "
            "How many blocks fit an SM of compute capability 9.0?"
        ),
        "odd_block", "blocks", unit=N_("blocks"),
        reveal=N_(
            "{answer} fit, not {naive_blocks}: a warp is given {registers_granted} registers a thread, "
            "and each quarter of the SM holds whole warps only."
        ),
    )  # fmt: skip
    left_out = (
        N_(
            "How busy the warps are. Occupancy counts those that are there; figure 3.5 asks how many a kernel needs."
        ),
        N_("A smaller share of the store for shared memory, chosen for a larger L1 cache: here it is the largest."),
        N_("Clusters of blocks, and kernels with more than one named barrier a block."),
        N_(
            "Which partition hardware gives a warp, which is not published. They are dealt in turn here; "
            "the number of blocks does not depend on it."
        ),
    )  # fmt: skip
    inspect_hint = N_("Point at a block, a warp, a shelf or a step, or walk through them with the arrow keys.")
    recordings = ("occupancy", "blocks_per_sm")
    experiment = "blocks_per_sm"
    live_columns = occupancy_readings.ROW
    height, phone_height = INNER + 12, 480

    # ------------------------------------------------------------------------------ state

    def __init__(self, words: Words | None = None, readings: Sequence[Reading] = (), **state: Value) -> None:
        self._recorded = occupancy_readings.read(readings)
        super().__init__(words, readings, **state)

    def simulate(self) -> Kernel:
        """Place the kernel's blocks; what is merely too large has 0 of them."""
        fits = model.occupancy(self.cc, self.threads, self.registers, KIB * self.kib + self.bytes)
        return Kernel(fits, one_more(fits), fill(fits), self.axis, curve(self.axis, fits))

    def values(self) -> dict[str, float]:
        """What fits by each resource, what is left, what one more makes of it, and what the wrong rules say."""
        kernel = self.trace
        fits, sm, more = kernel.fits, kernel.sm, kernel.more
        told: dict[str, float | None] = {
            "blocks": fits.blocks_per_sm, "warps": fits.warps_per_sm, "warp_slots": sm["warps"].capacity,
            "occupancy_percent": 100 * fits.occupancy, "warps_per_block": fits.warps_per_block,
            "registers_per_warp": fits.registers_per_warp, "registers_granted": fits.registers_per_warp // 32,
            "registers_per_block": sm["registers"].block, "registers_used": sm["registers"].used,
            "registers_left": sm["registers"].left, "sm_registers": sm["registers"].capacity,
            "shared_bytes": fits.shared_bytes_per_block, "shared_allocated": fits.shared_bytes_allocated,
            "shared_left": sm["shared_memory"].left, "sm_shared_bytes": sm["shared_memory"].capacity,
            "block_slots": sm["blocks"].capacity,
            **{f"blocks_by_{shelf.name}": shelf.fits for shelf in sm.shelves[:3]},
            "blocks_by_slots": sm["blocks"].fits, "limiters": len(fits.limiters),
            "one_more_thread": more.thread and more.thread.blocks_per_sm,
            "one_more_register": more.register and more.register.blocks_per_sm,
            "one_more_byte": more.byte.blocks_per_sm,
            "naive_blocks": sm.naive_blocks_by_registers, "naive_shared_blocks": sm.naive_blocks_by_shared_memory,
            "lanes": sm.lanes, "idle_lanes": sm.idle_lanes,
            "idle_lanes_per_block": 32 * fits.warps_per_block - fits.threads_per_block,
            "recorded": self._recorded.blocks(fits), "readings": self._recorded.rows or None,
        }  # fmt: skip
        return {name: value for name, value in told.items() if value is not None}

    # ---------------------------------------------------------------------------- drawing

    def build(self) -> Plot:
        """Draw the SM and, below it, the stairs."""
        plot, roles = marks.canvas((LEFT, RIGHT), (0, INNER)), Roles()
        sm_drawing.build(plot, self, roles)
        occupancy_stairs.build(plot, self, roles)
        marks.cursor(plot, self.source("cursor"))
        marks.inspected(plot, self.source("marks"))
        return plot

    def columns(self) -> Mapping[str, Mapping[str, Sequence[Any]]]:
        """Return the sources of both; until the guess, one block shows what it takes, and no more."""
        kernel, words, veiled = self.trace, self.words, self.veiled
        shown = Shown(1, words("your guess first")) if veiled else Shown(kernel.fits.blocks_per_sm)
        told = [*sm_drawing.says(kernel, shown, words), *(() if veiled else occupancy_stairs.says(kernel, words))]
        x, y, say = zip(*told, strict=True)
        return {
            **sm_drawing.columns(kernel, shown, words),
            **occupancy_stairs.columns(kernel, veiled, words),
            "marks": {"x": x, "y": y, "say": say},
        }

    # ------------------------------------------------------------------------------ words

    def readouts(self) -> Sequence[Readout]:
        """Blocks, warps, occupancy, and the blocks with one more of the curve's input."""
        words, kernel, hidden = self.words, self.trace, self.veiled
        fits, num = kernel.fits, words.num
        first = words("your guess first")
        one = {
            "threads": N_("One more thread"),
            "registers": N_("One more register"),
            "shared_memory": N_("One more byte"),
        }
        label = words(one[kernel.axis])
        if hidden:
            return tuple(
                Readout(text, "?", sub=first, secret=True)
                for text in (words("Blocks on the SM"), words("Resident warps"), words("Occupancy"), label)
            )
        launched, limit = fits.blocks_per_sm > 0, occupancy_words.limit(fits, words)
        each = words("{warps} each", warps=occupancy_words.warps(fits.warps_per_block, words))
        sub = each if launched else words("cannot be launched")
        return (
            Readout(words("Blocks on the SM"), num(fits.blocks_per_sm), sub=sub),
            Readout(
                words("Resident warps"), num(fits.warps_per_sm), role="compute" if launched else "",
                sub=words("of {n} slots", n=kernel.sm["warps"].capacity),
            ),
            Readout(words("Occupancy"), occupancy_words.percent(fits, words), "%", limit),
            self._one_more(label),
        )  # fmt: skip

    def _one_more(self, label: str) -> Readout:
        """Tell the blocks after one more of the curve's input, and after one more of each other input."""
        words, kernel = self.words, self.trace
        after = kernel.one_more
        more = {"threads": kernel.more.thread, "registers": kernel.more.register, "shared_memory": kernel.more.byte}
        names = {"threads": N_("thread: {n}"), "registers": N_("register: {n}"), "shared_memory": N_("byte: {n}")}
        others = [
            words(names[axis], n=other.blocks_per_sm)
            for axis, other in more.items()
            if axis != kernel.axis and other is not None
        ]
        sub = words(", ").join(others)
        if after is None:
            return Readout(label, "–", sub=words("there is none"))
        lost = after.blocks_per_sm < kernel.fits.blocks_per_sm
        unit = words.plural("block", "blocks", after.blocks_per_sm)
        return Readout(label, words.num(after.blocks_per_sm), unit, sub, role="cost" if lost else "")

    def summary(self) -> str:
        """Say what the kernel asks for and what fits."""
        words = self.words
        asked = occupancy_words.asked(self.trace.fits, words)
        if self.veiled:
            return asked + words.space + words("How many blocks fit is yours to guess first.")
        return asked + words.space + occupancy_words.result(self.trace, words)

    def table(self) -> Table:
        """One row a resource."""
        return occupancy_words.table(self.trace, self.veiled, self.words)

    def comparison(self) -> Comparison:
        """The blocks of the model beside what the CUDA runtime said for the same launch, which must be equal."""
        return occupancy_readings.comparison(self._recorded, self.measured, self.trace.fits, self.words)

    def read_live(self, record: Reading) -> Recorded:
        """Index a live run by launch shape."""
        return occupancy_readings.read((record,))
