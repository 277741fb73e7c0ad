"""How a run of streams is drawn on a time line, and the sentence for each of its marks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sim.slots import Race, SlotInterval
from sim.streams import Enqueue, EventWait, Sync, Timeline, Work
from widgets import stream_words, timeline
from widgets.stream_words import event
from widgets.timeline import Arrow, Bar, Chart, Clash, Hold, Row
from widgets.words import Words

SLOT_ROWS = 3  # drawn whether used or not, so that the drawing keeps its shape


def streams(line: Timeline) -> list[str]:
    """Return the program's streams in the order in which it names them."""
    return list(dict.fromkeys(step.stream for step in line.program if not isinstance(step, Sync)))


def slots(line: Timeline) -> list[int]:
    """Return the slots that the program's work uses, in order."""
    return sorted({work.slot for work in line.works if work.slot is not None})


def capital(text: str) -> str:
    """Return a sentence with a capital at its start."""
    return text[:1].upper() + text[1:]


class StreamChart:
    """The marks of one run. `hidden` leaves out all that tells when the kernels run; the axis is for `told_us`."""

    def __init__(self, line: Timeline, words: Words, hidden: bool, told_us: float) -> None:
        self.line, self.words, self.hidden, self.told_us = line, words, hidden, told_us
        self.streams, self.slots = streams(line), slots(line)
        self.works = {step: work for step, work in enumerate(line.program) if isinstance(work, Enqueue)}

    def chart(self) -> Chart:
        """Return everything to draw."""
        return Chart(
            rows=tuple(self._rows()),
            bars=(*self._calls(), *self._works(), *self._contents()),
            span=timeline.span_of(self.told_us),
            end=None if self.hidden else self.line.total_us,
            holds=(*self._syncs(), *self._held(), *self._asked_too_early()),
            arrows=tuple(self._arrows()),
            clashes=() if self.hidden else tuple(self._clash(race) for race in self.line.races),
            unit=self.words("µs"),
        )

    def races(self) -> list[str]:
        """Return a sentence for each race."""
        return [self._clash(race).say for race in self.line.races]

    def _rows(self) -> Iterator[Row]:
        words = self.words
        yield Row(_stream(None), words("host"), 0)
        for n, name in enumerate(self.streams):
            note = words("your guess first") if self.hidden and name == "compute" else ""
            names = stream_words.stream(name, words), stream_words.short_stream(name, words)
            yield Row(_stream(name), names[0], 36 if n else 32, note, names[1])
        spare = [n for n in range(SLOT_ROWS) if n not in self.slots][: max(0, SLOT_ROWS - len(self.slots))]
        for n, slot in enumerate(sorted(self.slots + spare)):
            yield Row(_slot(slot), self._slot(slot), 18 if n else 26, words("not used") if slot in spare else "")

    def _calls(self) -> Iterator[Bar]:
        for call in self.line.host:
            if call.step in self.works:
                say = self.words("The host submits {work}", work=self._work(call.step))
                say = self._from_to(say, call.start_us, call.end_us)
                yield Bar(_stream(None), call.start_us, call.end_us, "host", say=say)

    def _syncs(self) -> Iterator[Hold]:
        for call in self.line.host:
            step = self.line.program[call.step]
            if isinstance(step, Sync) and not self.hidden:
                text = self.words("waits for all streams")
                if what := step.stream or event(step.event or ""):
                    text = self.words("waits for {what}", what=what)
                say = self._from_to(self.words("The host {waits}", waits=text), call.start_us, call.end_us)
                yield Hold(_stream(None), call.start_us, call.end_us, (text,), say=say)

    def _told(self) -> Iterator[Work]:
        return (work for work in self.line.works if not (self.hidden and work.kind == "compute"))

    def _works(self) -> Iterator[Bar]:
        for work in self._told():
            texts = (self._work(work.step), _number(work.name))
            yield Bar(_stream(work.stream), work.start_us, work.end_us, work.kind, texts, self._say(work))

    def _say(self, work: Work) -> str:
        """Say "Copy 2 · ready at 85 µs · waits for free 0 until 100 µs · slot 0 · ends at 140 µs"."""
        words, num = self.words, self.words.num
        parts = [capital(self._work(work.step)), words("ready at {t} µs", t=num(work.ready_us))]
        if work.waited_for:
            until = num(work.start_us)
            parts.append(words("waits for {event} until {t} µs", event=event(work.waited_for), t=until))
        if work.slot is not None:
            parts.append(self._slot(work.slot))
        return " · ".join([*parts, words("ends at {t} µs", t=num(work.end_us))])

    def _held(self) -> Iterator[Hold]:
        words = self.words
        for work in self._told():
            if work.waited_for:
                us, stream = words.num(work.start_us - work.ready_us), stream_words.stream(work.stream, words)
                say = words("{stream} waits {us} µs for {event}", stream=stream, us=us, event=event(work.waited_for))
                say = self._from_to(say, work.ready_us, work.start_us)
                texts, above = (words("waits {us}", us=us), us), work.stream == self.streams[0]
                yield Hold(_stream(work.stream), work.ready_us, work.start_us, texts, above, say)

    def _asked_too_early(self) -> Iterator[Hold]:
        """Yield the waits that are none: drawn as nothing, but said."""
        for wait in self.line.waits:
            if wait.record is None and not (self.hidden and wait.stream == "compute"):
                say = self.words("Wait for {event} · nothing has recorded it yet: no wait", event=event(wait.event))
                yield Hold(_stream(wait.stream), wait.passed_us, wait.passed_us, say=say)

    def _contents(self) -> Iterator[Bar]:
        for use in self.line.slots:
            if use.state == "filling" or not self.hidden:
                look, texts, what = self._content(use)
                say = self._from_to(what, use.start_us, use.end_us)
                yield Bar(_slot(use.slot), use.start_us, use.end_us, look, texts, say)

    def _content(self, use: SlotInterval) -> tuple[timeline.Look, tuple[str, ...], str]:
        words, slot, work = self.words, self._slot(use.slot), self._work(use.item)
        if use.state == "filling":
            return "filling", (words("filling"),), words("{slot}: {work} fills it", slot=slot, work=work)
        if use.state == "full":
            return "full", (words("full"),), words("{slot}: full, by {work}, not read yet", slot=slot, work=work)
        n = _number(self.works[use.item].name)
        texts = (words("batch {n}, being read", n=n), words("batch {n}", n=n), n) if n else (words("being read"),)
        return "reading", texts, words("{slot}: {work} reads it", slot=slot, work=work)

    def _arrows(self) -> Iterator[Arrow]:
        """Yield an arrow for each wait for a record; dashed where the record says that a kernel has ended."""
        records = {record.step: record for record in self.line.records}
        drawn: set[tuple[int, str]] = set()
        for wait in self.line.waits:
            record, to = records.get(-1 if wait.record is None else wait.record), _stream(wait.stream)
            if record is None or record.stream == wait.stream or (record.step, to) in drawn:
                continue
            drawn.add((record.step, to))
            dashed = self._after_kernel(record.step, record.stream)
            if not (self.hidden and dashed):
                texts, say = (event(record.event),), self._sent(wait, record.done_us)
                yield Arrow(_stream(record.stream), to, record.done_us, texts, dashed, say)

    def _after_kernel(self, step: int, stream: str) -> bool:
        before = [work for i, work in self.works.items() if i < step and work.stream == stream]
        return bool(before) and before[-1].kind == "compute"

    def _sent(self, wait: EventWait, at_us: float) -> str:
        words = self.words
        head = words("Event {event} · comes at {t} µs", event=event(wait.event), t=words.num(at_us))
        if self.hidden:
            return head
        to = words("host") if wait.stream is None else stream_words.stream(wait.stream, words)
        return words("{head} · {row} passes its wait at {t} µs", head=head, row=to, t=words.num(wait.passed_us))

    def _clash(self, race: Race) -> Clash:
        words, slot = self.words, self._slot(race.slot)
        first, second = self._work(race.first), self._work(race.second)
        if race.overlap_us is None:
            start = end = next(work.start_us for work in self.line.works if work.step == race.second)
            names = {"slot": slot, "first": first, "second": second}
            say = words("Race in {slot}: nothing orders {first} and {second}; here they do not meet", **names)
            return Clash(_slot(race.slot), start, end, say=say)
        start, end = race.overlap_us
        if self.works[race.first].kind == self.works[race.second].kind:
            text = words("{first} and {second} both write", first=first, second=second)
        else:
            writes = self.works[race.first].kind == "move"
            writer, reader = (first, second) if writes else (second, first)
            text = words("{writer} writes while {reader} reads", writer=writer, reader=reader)
        say = self._from_to(words("Race in {slot}: {what}", slot=slot, what=text), start, end)
        return Clash(_slot(race.slot), start, end, (text, words("{a} and {b}", a=first, b=second)), say)

    def _work(self, step: int) -> str:
        return stream_words.work(self.works[step].name, self.words)

    def _slot(self, n: int) -> str:
        return self.words("slot {n}", n=n)

    def _from_to(self, what: str, start_us: float, end_us: float) -> str:
        start, end = self.words.num(start_us), self.words.num(end_us)
        return self.words("{what} · {start} to {end} µs", what=capital(what), start=start, end=end)


def _stream(name: str | None) -> str:
    """Return the key of a stream's row, of the host's for None."""
    return "host" if name is None else f"stream {name}"


def _slot(n: int) -> str:
    return f"slot {n}"


def _number(name: str) -> str:
    """Return the number at the end of a name, for where the whole has no room."""
    found = re.search(r"\d+$", name)
    return found[0] if found else ""
