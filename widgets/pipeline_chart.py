"""How a pipeline's run is drawn on a time line, and the sentence for each of its marks."""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum

from sim.pipeline import Kind, Pipeline, Step
from sim.slots import SlotInterval
from widgets import timeline
from widgets.timeline import Arrow, Bar, Chart, Clash, Hold, Look, Row
from widgets.words import Words

SLOT_ROWS = 4  # drawn whether used or not, so that the drawing keeps its shape
_MOVE, _COMPUTE = "move", "compute"


def rows_of(kind: Kind) -> str:
    """Return the row in which a step of that kind is done: the computer synchronises as well."""
    return _MOVE if kind == "move" else _COMPUTE


def waits(run: Pipeline, row: str) -> list[Step]:
    """Return the steps of the mover ("move") or the computer ("compute") that had to wait."""
    return [step for step in run.steps if step.waited_for and rows_of(step.kind) == row]


def waited_us(run: Pipeline, row: str) -> float:
    """Return how long the mover or the computer waited in all."""
    return fsum(step.start_us - step.ready_us for step in waits(run, row))


class PipelineChart:
    """The marks of one run. The axis has room for `one_us`, the time with one slot, so that what slots save shows.

    `hidden` leaves out all that tells a time.
    """

    def __init__(self, run: Pipeline, slots: int, words: Words, hidden: bool, one_us: float) -> None:
        self.run, self.slots, self.words, self.hidden, self.one_us = run, slots, words, hidden, one_us

    def chart(self) -> Chart:
        """Return everything to draw."""
        hidden = self.hidden
        return Chart(
            rows=tuple(self._rows()),
            bars=() if hidden else (*self._steps(), *self._contents()),
            span=timeline.span_of(self.one_us),
            end=None if hidden else self.run.total_us,
            holds=() if hidden else tuple(self._waits()),
            arrows=() if hidden else (*self._filled(), *self._free()),
            clashes=() if hidden else tuple(self._syncs()),
            unit=self.words("µs"),
            digits=2,
            other=None if hidden or self.slots == 1 else (self.one_us, self.words("one slot")),
        )

    def us(self, us: float) -> str:
        """Print a time."""
        return self.words.num(us, 2)

    def _rows(self) -> Iterator[Row]:
        words = self.words
        guess = words("your guess first") if self.hidden else ""
        yield Row(_MOVE, words("moving"), 0, guess)
        yield Row(_COMPUTE, words("computing"), 34, guess)
        for n in range(SLOT_ROWS):
            note = words("not used") if n >= self.slots else ""
            yield Row(_slot(n), words("slot {n}", n=n), 18 if n else 26, note)

    def _steps(self) -> Iterator[Bar]:
        for step in self.run.steps:
            if step.kind != "sync":
                texts = (self._name(step.kind, step.item), self.words.num(step.item))
                yield Bar(rows_of(step.kind), step.start_us, step.end_us, step.kind, texts, self._say(step))

    def _syncs(self) -> Iterator[Clash]:
        """Yield what synchronisation takes: drawn as cost, like all that is extra."""
        for step in self.run.steps:
            if step.kind == "sync":
                yield Clash(_COMPUTE, step.start_us, step.end_us, (self.words("sync"),), self._say(step))

    def _say(self, step: Step) -> str:
        """Say "Compute 2 · waits for item 2 until 3.87 µs · slot 0 · ends at 4.15 µs"."""
        words, slot = self.words, self.words("slot {n}", n=step.slot)
        parts = [self._title(step)]
        if step.waited_for:
            what = slot if step.kind == "move" else words("item {n}", n=step.item)
            parts.append(words("waits for {what} until {t} µs", what=what, t=self.us(step.start_us)))
        else:
            parts.append(words("starts at {t} µs", t=self.us(step.start_us)))
        if not (step.kind == "move" and step.waited_for):
            parts.append(slot)
        return " · ".join([*parts, words("ends at {t} µs", t=self.us(step.end_us))])

    def _title(self, step: Step) -> str:
        if step.kind == "sync":
            return self.words("Synchronisation {n}", n=step.item)
        return self.words("Move {n}", n=step.item) if step.kind == "move" else self.words("Compute {n}", n=step.item)

    def _name(self, kind: Kind, item: int) -> str:
        return self.words("move {n}", n=item) if kind == "move" else self.words("compute {n}", n=item)

    def _waits(self) -> Iterator[Hold]:
        words = self.words
        for row in (_MOVE, _COMPUTE):
            for step in waits(self.run, row):
                us = self.us(step.start_us - step.ready_us)
                if row == _MOVE:
                    say = words("The mover waits {us} µs for slot {n}", us=us, n=step.slot)
                else:
                    say = words("Compute waits {us} µs for item {n}", us=us, n=step.item)
                say = self._from_to(say, step.ready_us, step.start_us)
                yield Hold(row, step.ready_us, step.start_us, (words("waits {us}", us=us), us), row == _MOVE, say)

    def _filled(self) -> Iterator[Arrow]:
        """Yield what the mover tells the computer: an item is in its slot."""
        words = self.words
        for step in self.run.steps:
            if step.kind == "move":
                us = self.us(step.end_us)
                say = words("Slot {slot} is filled with item {item} at {t} µs", slot=step.slot, item=step.item, t=us)
                yield Arrow(_MOVE, _COMPUTE, step.end_us, (words("filled {n}", n=step.slot),), say=say)

    def _free(self) -> Iterator[Arrow]:
        """Yield what the computer tells the mover, if another item needs the slot: it is free."""
        words = self.words
        items = sum(step.kind == "move" for step in self.run.steps)
        for step in self.run.steps:
            then = step.item + self.slots
            if step.kind == "compute" and then < items:
                us = self.us(step.end_us)
                say = words("Slot {slot} is free for item {item} at {t} µs", slot=step.slot, item=then, t=us)
                yield Arrow(_COMPUTE, _MOVE, step.end_us, (words("free {n}", n=step.slot),), dashed=True, say=say)

    def _contents(self) -> Iterator[Bar]:
        for use in self.run.slots:
            look, texts, what = self._content(use)
            say = self._from_to(what, use.start_us, use.end_us)
            yield Bar(_slot(use.slot), use.start_us, use.end_us, look, texts, say)

    def _content(self, use: SlotInterval) -> tuple[Look, tuple[str, ...], str]:
        words, n, slot = self.words, use.item, use.slot
        number, item = words.num(n), words("item {n}", n=n)
        if use.state == "filling":
            texts = (words("item {n}, filling", n=n), words("filling"), number)
            return "filling", texts, words("Slot {slot}: item {item} is being moved in", slot=slot, item=n)
        if use.state == "full":
            texts = (words("item {n}, full", n=n), words("full"), number)
            return "full", texts, words("Slot {slot}: full, item {item} waits to be read", slot=slot, item=n)
        texts = (words("item {n}, being read", n=n), item, number)
        return "reading", texts, words("Slot {slot}: item {item} is being read", slot=slot, item=n)

    def _from_to(self, what: str, start_us: float, end_us: float) -> str:
        return self.words("{what} · {start} to {end} µs", what=what, start=self.us(start_us), end=self.us(end_us))


def _slot(n: int) -> str:
    return f"slot {n}"
