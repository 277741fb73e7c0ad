"""Figure 3.1: which block, warp and lane has an element, and which warps the bounds check divides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import param
from bokeh.models import Plot

from sim.launch_index import MAX_BLOCK_THREADS, launch
from widgets import index_drawing, index_words
from widgets.figure import Figure
from widgets.index_words import Launched
from widgets.parts import Prediction, Preset, Range, Readout, Table, Text
from widgets.words import N_


class IndexExplorer(Figure):
    """A launch of one dimension, from the grid down to one lane."""

    elements = param.String("1000", doc="Number of elements n, 1 to 2,147,483,647; as it is typed.")
    block = param.Integer(128, bounds=(1, MAX_BLOCK_THREADS), doc="Threads of a block.")
    element = param.String("n-1", doc="The element chosen: a number from 0, or n-1 for the last, n-2 …")

    controls = (
        Text("elements", N_("Elements n"), N_("1 to 2,147,483,647")),
        Range("block", N_("Block size"), N_("threads"), one=N_("thread")),
        Text("element", N_("Element i"), N_("from 0 to n-1; n-1 is the last")),
    )
    presets = (
        Preset("thousand", N_("1,000 elements")),
        Preset("hundred", N_("100"), {"elements": "100"}),
        Preset("million", N_("A million"), {"elements": "1000000"}),
        Preset("million_and_one", N_("A million and one"), {"elements": "1000001"}),
        Preset("million_1024", N_("A million by 1,024"), {"elements": "1000000", "block": 1024}),
        Preset("one_warp", N_("Blocks of 32"), {"block": 32}),
        Preset("block_100", N_("Blocks of 100"), {"block": 100}),
        Preset("exact", N_("1,024"), {"elements": "1024"}),
    )
    prediction = Prediction(
        N_(
            "A million elements in blocks of 128 need 7,813 blocks, and 64 threads of the last one have no element. "
            "How many warps diverge at the check i < n?"
        ),
        "million", "divergent_warps", unit=N_("warps"),
        reveal=N_("{answer}: the {whole_warps} warps with elements are full, the other {idle_warps} fail as a whole."),
    )  # fmt: skip
    left_out = (
        N_(
            "Grids and blocks of two and three dimensions. Their threads are numbered with x running fastest, "
            "and warps are cut from that order."
        ),
        N_("Loops in which one thread works on several elements; then fewer blocks than these will do."),
        N_(
            "Time. A warp whose lanes all fail the check still has to be started and to compute i; "
            "it costs a few instructions, not nothing."
        ),
        N_("Grids so large that an index needs 64 bits."),
    )
    inspect_hint = N_("Point at a block, a warp or a lane, or walk through them with the arrow keys.")
    height, phone_height = index_drawing.HEIGHT, index_drawing.PHONE_HEIGHT

    # ------------------------------------------------------------------------------ state

    def simulate(self) -> Launched:
        """Cover the elements with blocks and find the one chosen; ValueError in the reader's language."""
        words = self.words
        try:
            n = index_words.elements(self.elements, words)
        except ValueError as refused:
            raise ValueError(words("{label}: {why}", label=words("Elements n"), why=refused.args[0])) from refused
        try:
            i = index_words.element(self.element, n, words)
        except ValueError as refused:
            raise ValueError(words("{label}: {why}", label=words("Element i"), why=refused.args[0])) from refused
        grid = launch(n, self.block)
        return Launched(grid, grid.locate(i))

    def values(self) -> dict[str, float]:
        """The launch's counts and the element's place."""
        grid, place, split = self.trace.launch, self.trace.place, self.trace.launch.divergent
        return {
            "elements": grid.elements, "block_threads": grid.block_threads, "blocks": grid.blocks,
            "threads": grid.threads, "spare_threads": grid.threads - grid.elements,
            "live_in_last_block": grid.live_in_last_block,
            "spare_in_last_block": grid.block_threads - grid.live_in_last_block,
            "warps_per_block": grid.warps_per_block, "warps": grid.warps, "whole_warps": grid.whole_warps,
            "working_warps": grid.working_warps, "idle_warps": grid.idle_warps,
            "divergent_warps": 1 if split else 0, "divergent_live": split.live if split else 0,
            "divergent_spare": split.threads - split.live if split else 0,
            "divergent_percent": 100 * (split is not None) / grid.warps, "empty_lanes": grid.empty_lanes,
            "element": place.element, "block": place.block, "thread": place.thread, "warp": place.warp,
            "lane": place.lane,
        }  # fmt: skip

    # ---------------------------------------------------------------------------- drawing

    def build(self) -> Plot:
        """Draw grid, block, warp and lane."""
        return index_drawing.build(self)

    def columns(self) -> Mapping[str, Mapping[str, Sequence[Any]]]:
        """Return the drawing's sources."""
        return index_drawing.columns(self.trace, self._secret(), self.words)

    def _secret(self) -> str:
        return self.words("your guess first") if self.veiled else ""

    # ------------------------------------------------------------------------------ words

    def readouts(self) -> Sequence[Readout]:
        """Blocks, whole warps, warps that diverge, and the element's lane."""
        words, num, grid, place = self.words, self.words.num, self.trace.launch, self.trace.place
        split, hidden = grid.divergent, self.veiled
        if split:
            why = words("i < n in {live} of {all} lanes", live=split.live, all=split.threads)
        elif grid.idle_warps:
            why = words.plural("{n} warp fails whole", "{n} warps fail whole", grid.idle_warps)
        elif grid.empty_lanes:
            why = words("{n} lanes empty", n=num(grid.empty_lanes))
        else:
            why = words("no thread is spare")
        last = {"live": num(grid.live_in_last_block), "all": num(grid.block_threads)}
        of = words("of {n}", n=num(grid.warps))
        where = words("warp {warp} of block {block}", warp=place.warp, block=num(place.block))
        return (
            Readout(words("Blocks"), num(grid.blocks), sub=words("last: {live} of {all} used", **last)),
            Readout(words("Warps that pass whole"), num(grid.whole_warps), sub=of, role="compute", secret=hidden),
            Readout(words("Warps that diverge"), "1" if split else "0", sub=why, role="cost", secret=hidden),
            Readout(words("Lane of element i"), str(place.lane), sub=where, secret=hidden),
        )

    def summary(self) -> str:
        """Say how the elements are shared out."""
        told = index_words.told(self.trace, self.veiled, self.words)
        return reduce(lambda one, next_: self.words("{first} {second}", first=one, second=next_), told)

    def table(self) -> Table:
        """One row a warp of the block shown."""
        return index_words.table(self.trace, self.veiled, self.words)
