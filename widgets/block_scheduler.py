"""Figure 3.3: blocks flow to the SMs as slots free up: waves, the tail, and the share of slots that is busy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, reduce
from typing import Any

import param
from bokeh.models import Plot

from sim.block_moments import Moment, instants, moments
from sim.block_scheduler import equal, ramp, simulate, skewed
from widgets import scheduler_drawing, scheduler_words
from widgets.figure import Figure
from widgets.parts import Choice, Prediction, Preset, Range, Readout, Stepper, Table
from widgets.scheduler_words import EQUAL, LONG_FIRST, LONG_LAST, RANDOM, TIMES, Kernel
from widgets.words import N_

MOMENTS = 40
"""Instants that can be stepped through at most: ten seconds of play."""


@lru_cache(maxsize=32)
def _kernel(blocks: int, times: str, block_us: float, spread: float, seed: int, sms: int, per_sm: int) -> Kernel:
    """Schedule the blocks; kept, since stepping through a run does not change it."""
    durations = {
        EQUAL: lambda: equal(blocks, block_us),
        RANDOM: lambda: skewed(blocks, block_us, spread, seed),
        LONG_LAST: lambda: ramp(blocks, block_us * (1 - spread), block_us * (1 + spread)),
        LONG_FIRST: lambda: ramp(blocks, block_us * (1 + spread), block_us * (1 - spread)),
    }[times]()
    schedule = simulate(durations, sms, per_sm)
    shown = moments(schedule, instants(schedule, MOMENTS))
    return Kernel(schedule, sms, per_sm, times, min(durations), max(durations), shown)


class BlockScheduler(Figure):
    """A queue of blocks, the slots of the SMs, and time."""

    blocks = param.Integer(265, bounds=(1, 2700), doc="Blocks of the launch.")
    times = param.Selector(default=EQUAL, objects=[name for name, _ in TIMES], doc="How long the blocks take.")
    block_us = param.Integer(10, bounds=(1, 100), doc="Mean time of a block, in µs.")
    spread = param.Integer(80, bounds=(10, 90), doc="How far times lie from the mean at most, in % of it.")
    seed = param.Integer(1, bounds=(1, 20), doc="Which random times.")
    sms = param.Integer(132, bounds=(1, 192), doc="SMs of the GPU.")
    per_sm = param.Integer(2, bounds=(1, 8), doc="Blocks that an SM holds at a time.")
    moment = param.Integer(None, allow_None=True, doc="The moment shown, from 1; None for the last.")

    controls = (
        Range("blocks", N_("Blocks")),
        Range("sms", N_("SMs")),
        Range("per_sm", N_("Blocks an SM holds")),
        Range("block_us", N_("Time of a block"), N_("µs")),
        Choice("times", N_("Times"), TIMES, "list"),
        Range("spread", N_("Spread, ±"), "%", step=10),
        Range("seed", N_("Draw number")),
        Stepper("moment", N_("Moment")),
    )
    presets = (
        Preset("one_more", N_("265 blocks")),
        Preset("exact", N_("264 blocks"), {"blocks": 264}),
        Preset("two_waves", N_("528 blocks"), {"blocks": 528}),
        Preset("finer", N_("Ten times finer"), {"blocks": 2650, "block_us": 1}),
        Preset("few", N_("66 blocks"), {"blocks": 66}),
        Preset("random", N_("Uneven"), {"blocks": 528, "times": RANDOM}),
        Preset("long_last", N_("Long last"), {"blocks": 528, "times": LONG_LAST}),
        Preset("long_first", N_("Long first"), {"blocks": 528, "times": LONG_FIRST}),
    )
    prediction = Prediction(
        N_(
            "265 blocks of 10 µs take 20 µs, since the last one runs alone. Cut the same work ten times finer, "
            "into 2,650 blocks of 1 µs. How long does the kernel take?"
        ),
        "finer", "total_us", unit=N_("µs"),
        reveal=N_("{answer} µs, in {waves} waves: the last is nearly empty again, but it lasts only 1 µs."),
    )  # fmt: skip
    left_out = (
        N_("The order in which hardware picks SMs. It is not published; here each gets one block before any gets two."),
        N_("What blocks on one SM take from each other. Here a block takes as long beside others as alone."),
        N_("The time to start a block, other kernels that fill the empty places, and clusters of blocks."),
    )
    inspect_hint = N_("Point at a place or at the curve, or walk through them with the arrow keys.")
    height, phone_height = scheduler_drawing.HEIGHT, scheduler_drawing.PHONE_HEIGHT

    # ------------------------------------------------------------------------------ state

    def simulate(self) -> Kernel:
        """Schedule all blocks."""
        return _kernel(
            self.blocks, self.times, float(self.block_us), self.spread / 100, self.seed, self.sms, self.per_sm
        )

    @property
    def steps(self) -> int:
        """The moments; none to walk while the run is to be guessed."""
        return 0 if self.veiled else len(self.trace.moments)

    @property
    def at(self) -> int:
        """The moment shown; 0 while the run is to be guessed."""
        return 0 if self.veiled else super().at

    @property
    def shown(self) -> Moment | None:
        """The moment shown; None while the run is to be guessed."""
        moment: Moment | None = self.trace.moments[self.at - 1] if self.at else None
        return moment

    def active(self, name: str) -> bool:
        """Say whether a control acts: a spread needs uneven times, a draw random ones."""
        if name == "spread":
            return bool(self.times != EQUAL)
        if name == "seed":
            return bool(self.times == RANDOM)
        return name != "moment" or not self.veiled

    def values(self) -> dict[str, float]:
        """The schedule's totals, and the counts at the moment shown."""
        kernel = self.trace
        run = kernel.schedule
        at = kernel.moments[-1] if self.shown is None else self.shown
        return {
            "blocks": run.blocks, "sms": kernel.sms, "blocks_per_sm": kernel.per_sm, "slots": run.slots,
            "waves": run.waves, "last_wave": run.last_wave, "total_us": run.total_us, "work_us": run.work_us,
            "ideal_us": run.ideal_us, "lost_us": run.total_us - run.ideal_us, "tail_start_us": run.tail_us,
            "tail_us": run.tail_length_us, "busy_percent": 100 * run.busy_share,
            "shortest_us": kernel.shortest_us, "longest_us": kernel.longest_us,
            "at_us": at.at_us, "running": at.running, "waiting": at.waiting, "ended": at.ended,
            "busy_now_percent": 100 * at.running / run.slots,
        }  # fmt: skip

    # ---------------------------------------------------------------------------- drawing

    def build(self) -> Plot:
        """Draw the blocks, the SMs and the busy curve."""
        return scheduler_drawing.build(self)

    def columns(self) -> Mapping[str, Mapping[str, Sequence[Any]]]:
        """Return the drawing's sources."""
        return scheduler_drawing.columns(self.trace, self.shown, self.words)

    # ------------------------------------------------------------------------------ words

    def readouts(self) -> Sequence[Readout]:
        """Time, waves, busy share and tail."""
        words, kernel, hidden = self.words, self.trace, self.veiled
        run, num = kernel.schedule, self.words.num
        total, tail = kernel.us(run.total_us, words), kernel.us(run.tail_length_us, words)
        if kernel.times == EQUAL:
            held = num(run.last_wave)
            last = words.plural("last: {held} of {n} place", "last: {held} of {n} places", run.slots, held=held)
        else:
            last = words("blurred, times differ")
        ideal = words("at least {us}", us=scheduler_words.ideal(kernel, words))
        together = words("all end together")
        begins = together if tail == "0" else words("begins at {us} µs", us=kernel.us(run.tail_us, words))
        share = words.percent(run.busy_share)
        of = words.plural("of {n} place × {us} µs", "of {n} places × {us} µs", run.slots, us=total)
        return (
            Readout(words("Kernel takes"), total, words("µs"), ideal, secret=hidden),
            Readout(words("Waves"), num(run.waves), sub=last, secret=hidden),
            Readout(words("Busy share"), share, "%", of, role="compute", secret=hidden),
            Readout(words("Tail"), tail, words("µs"), begins, role="idle", secret=hidden),
        )

    def summary(self) -> str:
        """Say how the blocks run, and what the moment shows."""
        told = scheduler_words.told(self.trace, self.shown, self.words)
        return reduce(lambda one, next_: self.words("{first} {second}", first=one, second=next_), told)

    def table(self) -> Table:
        """One row a moment."""
        return scheduler_words.table(self.trace, self.veiled, self.words)
