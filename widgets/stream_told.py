"""A run of streams told: what holds a stream back, when all is done, and one row for each piece of work."""

from __future__ import annotations

from sim.streams import Timeline
from widgets import stream_words
from widgets.parts import Table
from widgets.stream_chart import capital, streams
from widgets.words import Words


def held(line: Timeline, stream: str, words: Words) -> str:
    """Say how a stream's waits come about: "2 × 15, for “free”"."""
    waits = [work for work in line.works if work.stream == stream and work.waited_for]
    if not waits:
        return words("nothing holds it back")
    lengths = {work.start_us - work.ready_us for work in waits}
    events = {str(work.waited_for).rstrip("0123456789") for work in waits}
    what = words.plural("{n} wait", "{n} waits", len(waits))
    if len(lengths) == 1 < len(waits):
        what = words("{n} × {each}", n=words.num(len(waits)), each=words.num(lengths.pop()))
    return words("{what}, for “{event}”", what=what, event=events.pop()) if len(events) == 1 else what


def ran(line: Timeline, serial_us: float, words: Words) -> str:
    """Say when all is done, also in one stream, and how long events hold the first stream back."""
    first, num = streams(line)[0], words.num
    total, serial = num(line.total_us), num(serial_us)
    done = words("All is done after {total} µs, in one stream after {serial} µs.", total=total, serial=serial)
    stream, us = stream_words.stream(first, words), num(line.waited_us(first))
    kept = words("Events hold the {stream} back for {us} µs.", stream=stream, us=us)
    return words("{first} {second}", first=done, second=kept)


def table(line: Timeline, hidden: bool, words: Words) -> Table:
    """Return one row for each piece of work, in the program's order; `hidden` leaves out when kernels run."""
    num = words.num
    head = (
        words("Work"), words("Stream"), words("Slot"), words("Submitted, µs"), words("Ready, µs"),
        words("Held back by"), words("Starts, µs"), words("Ends, µs"),
    )  # fmt: skip
    rows = []
    for work in line.works:
        times = ("?",) * 4 if hidden and work.kind == "compute" else (
            num(work.ready_us), stream_words.event(work.waited_for or "–"), num(work.start_us), num(work.end_us),
        )  # fmt: skip
        slot = "–" if work.slot is None else num(work.slot)
        stream = stream_words.stream(work.stream, words)
        rows.append((capital(stream_words.work(work.name, words)), stream, slot, num(work.submitted_us), *times))
    return Table(head, tuple(rows))
