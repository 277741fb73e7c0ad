"""Figure 4.1: 128 threads that need the same values, each warp for itself or staged once in shared memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, reduce
from typing import Any

import param
from bokeh.models import Plot

from sim.reuse import DEFAULT_SHARED_LIMIT_BYTES
from sim.reuse_walk import Walk, simulate
from widgets import reuse_columns, reuse_drawing, reuse_words
from widgets.figure import Figure
from widgets.parts import Choice, Prediction, Preset, Range, Readout, Stepper, Table
from widgets.reuse_halves import WORDS, Half
from widgets.words import N_

THREADS, ELEMENT_BYTES = WORDS, 4


@lru_cache(maxsize=64)
def _walk(values: int, readers: int) -> Walk:
    return simulate(THREADS, values, ELEMENT_BYTES, readers)


class ReuseInBlock(Figure):
    """Two ways to hand the same values to all threads of a block."""

    each = param.Integer(128, bounds=(1, 128), doc="How many floats each of the 128 threads needs.")
    readers = param.Selector(
        default=128, objects=[128, 32, 8, 1], doc="How many successive threads need the same values."
    )
    cache = param.Selector(
        default="none", objects=["none", "hits"], doc="Whether a cache happens to hold whatever was read before."
    )
    step = param.Integer(
        None, bounds=(1, None), allow_None=True, doc="The instruction shown, from 1; None: all are over."
    )

    controls = (
        Range("each", N_("Values a thread needs")),
        Choice("readers", N_("Same values for"), reuse_words.READERS, "list"),
        Choice("cache", N_("A cache on the way"), (("none", N_("none")), ("hits", N_("always hits")))),
        Stepper("step", N_("Instruction of each warp")),
    )
    presets = (
        Preset("same", N_("The same 128 values")),
        Preset("cache", N_("A cache that hits"), {"cache": "hits"}),
        Preset("few", N_("The same 8"), {"each": 8}),
        Preset("warp", N_("32 values a warp"), {"each": 32, "readers": 32}),
        Preset("own", N_("4 of one’s own"), {"each": 4, "readers": 1}),
        Preset("too_large", N_("Does not fit"), {"readers": 1}),
    )
    prediction = Prediction(
        N_(
            "Now no two threads share a value: each of the 128 needs 4 of its own. Loaded straight, that takes 16 "
            "requests. If the block stages them all the same, how many requests go to both memories together?"
        ),
        "own",
        "staged_all_requests",
        unit=N_("requests"),
        reveal=N_(
            "{answer}: every value is loaded, stored and read again, three requests in place of one, and not a byte "
            "is saved."
        ),
    )
    left_out = (
        N_(
            "Time. An instruction is not a cycle: a load from device memory takes far longer than a read from shared "
            "memory, and a warp may have several under way."
        ),
        N_(
            "What else lives in the cache. Real traffic lies between the two counts: repeats hit as long as nothing "
            "has pushed the lines out."
        ),
        N_(
            "Registers. A staged value passes through a register on its way to shared memory, and a thread keeps there "
            "what it has read."
        ),
        N_("Bank conflicts: here all lanes of a warp read one word, or words side by side, and neither has any."),
    )
    inspect_hint = N_("Point at a sector, a warp or a thread, or walk through them with the arrow keys.")
    height, phone_height = reuse_drawing.HEIGHT, reuse_drawing.PHONE_HEIGHT

    # ------------------------------------------------------------------------------ state

    def simulate(self) -> Walk:
        """Walk both ways; ValueError in the reader's language."""
        if self.veiled and self.step is not None:
            raise ValueError(self.words("your guess first; then the instructions can be stepped through"))
        return _walk(self.each, self.readers)

    @property
    def steps(self) -> int:
        """Instructions of the way that has more of them; 0 while their number is asked for."""
        if self.veiled:
            return 0
        return len(self.trace.staged if self.trace.totals.fits else self.trace.direct)

    @property
    def at(self) -> int:
        """The instruction shown."""
        return 0 if self.veiled else super().at

    def active(self, name: str) -> bool:
        """Say that nothing can be stepped through while its length is asked for."""
        return name != "step" or not self.veiled

    def values(self) -> dict[str, float]:
        """Both ways' counts; `direct_bytes` and `staged_bytes` follow the cache that is set."""
        totals = self.trace.totals
        direct, staged = totals.direct, totals.staged
        told: dict[str, float] = {
            "threads": THREADS, "warps": len(self.trace.direct[0].requests), "each": self.each,
            "readers": self.readers, "distinct_values": self.trace.distinct,
            "loads_ratio": direct.element_loads / staged.element_loads,
            "moved_times": direct.bytes_uncached / direct.bytes_cached,
            "shared_bytes": staged.shared_bytes, "shared_limit": DEFAULT_SHARED_LIMIT_BYTES, "fits": int(totals.fits),
            "shared_stores": staged.shared_stores, "shared_loads": staged.shared_loads,
            "shared_requests": staged.shared_requests, "barriers": staged.barriers,
            "saved_bytes": totals.saved_bytes(self._cached),
        }  # fmt: skip
        for name, way in (("direct", direct), ("staged", staged)):
            told |= {
                f"{name}_loads": way.element_loads, f"{name}_requests": way.warp_requests,
                f"{name}_bytes": way.bytes_moved(self._cached), f"{name}_bytes_uncached": way.bytes_uncached,
                f"{name}_bytes_cached": way.bytes_cached, f"{name}_all_requests": way.all_requests,
            }  # fmt: skip
        return told

    @property
    def _cached(self) -> bool:
        return bool(self.cache == "hits")

    # ---------------------------------------------------------------------------- drawing

    def build(self) -> Plot:
        """Draw both halves."""
        return reuse_drawing.build(self)

    def columns(self) -> Mapping[str, Mapping[str, Sequence[Any]]]:
        """Return the drawing's sources."""
        walk, stepping, note = self.trace, self.step is not None and not self.veiled, self._note()
        upper = Half(walk, walk.direct, self.at or len(walk.direct), stepping, self._cached)
        lower = Half(walk, walk.staged, 0 if note else self.at, stepping, self._cached)
        price = reuse_words.price(walk.totals, self.words)
        return {
            **reuse_columns.columns(upper, lower, note, price, self.words),
            "marks": reuse_words.marks(upper, lower, bool(note), self.words),
        }

    def _note(self) -> str:
        """Say why the staged half is empty, if it is."""
        if self.veiled:
            return self.words("your guess first")
        totals = self.trace.totals
        if totals.fits:
            return ""
        need, room = self.words.num(totals.staged.shared_bytes), self.words.num(DEFAULT_SHARED_LIMIT_BYTES)
        return self.words("{need} B do not fit into the {room} B of shared memory", need=need, room=room)

    # ------------------------------------------------------------------------------ words

    def readouts(self) -> Sequence[Readout]:
        """Element loads, requests and bytes of each warp for itself, and beside them those of the staged way."""
        words, num, totals = self.words, self.words.num, self.trace.totals
        direct, staged, cached = totals.direct, totals.staged, self._cached

        def sub(n: int) -> str:
            return words("staged: {n}", n=num(n)) if totals.fits else words("staged: does not fit")

        again = direct.bytes_moved(cached) > direct.bytes_cached
        return (
            Readout(words("Element loads"), num(direct.element_loads), sub=sub(staged.element_loads)),
            Readout(words("Warp requests"), num(direct.warp_requests), sub=sub(staged.warp_requests)),
            Readout(
                words("Bytes moved"), num(direct.bytes_moved(cached)), "B", sub(staged.bytes_moved(cached)),
                "cost" if again else "move",
            ),
            Readout(
                words("Shared memory too"), num(direct.all_requests), sub=sub(staged.all_requests),
                secret=self.veiled,
            ),
        )  # fmt: skip

    def summary(self) -> str:
        """Say who needs what, and what each way takes."""
        words, num, totals = self.words, self.words.num, self.trace.totals
        told = [reuse_words.needs(self.each, self.readers, words)]
        told.append(
            words(
                "Each warp for itself: {loads} element loads, {requests} requests to device memory, {bytes} bytes.",
                loads=num(totals.direct.element_loads), requests=num(totals.direct.warp_requests),
                bytes=num(totals.direct.bytes_moved(self._cached)),
            )
        )  # fmt: skip
        if self.veiled:
            told.append(words("What staging takes shows after your guess."))
        else:
            staged = totals.staged
            told.append(
                words(
                    "Staged once: {loads}, {requests} and {bytes}, for {shared} bytes of shared memory, a barrier and "
                    "{more} requests to shared memory.",
                    loads=num(staged.element_loads), requests=num(staged.warp_requests),
                    bytes=num(staged.bytes_moved(self._cached)), shared=num(staged.shared_bytes),
                    more=num(staged.shared_requests),
                )
            )  # fmt: skip
        if not self.veiled and not totals.fits:
            told.append(words("That does not fit: a block has {n} bytes.", n=num(DEFAULT_SHARED_LIMIT_BYTES)))
        return reduce(lambda first, second: words("{first} {second}", first=first, second=second), told)

    def table(self) -> Table:
        """One row a count, the two ways beside each other."""
        return reuse_words.table(self.trace.totals, self.words("your guess first") if self.veiled else "", self.words)
