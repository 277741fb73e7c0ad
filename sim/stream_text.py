"""A stream program as text that a reader edits, one step a line.

A name is a word, or any words in double quotes; µs and N are numbers; # starts a comment::

    enqueue STREAM NAME µs                   a kernel that touches no slot
    enqueue STREAM NAME µs reads slot N      a kernel that reads slot N
    enqueue STREAM NAME µs writes slot N     a copy that fills slot N
    record STREAM EVENT                      the event comes when the stream has got this far
    wait STREAM EVENT                        the stream goes no further until the event's last record came
    sync                                     the host waits for all streams
    sync stream STREAM                       the host waits for one stream
    sync event EVENT                         the host waits for the event's last record

Source: this book's own notation for `sim.stream_program`.
Left out: loops and variables; the host's own work between two steps.
"""

import re
from collections.abc import Sequence

from sim.stream_program import Enqueue, Record, Step, Sync, Wait, check

MAX_TEXT = 40_000  # characters: MAX_STEPS lines of 100
SHOWN_ERRORS = 10

_TOKEN = re.compile(r'\s*(?:"(?P<quoted>[^"]*)"|(?P<word>[^\s"#]+)|(?P<comment>#.*)|(?P<stray>"))')
_FORMS = {
    "enqueue": 'enqueue STREAM NAME µs, which may end in "reads slot N" or "writes slot N"',
    "record": "record STREAM EVENT",
    "wait": "wait STREAM EVENT",
    "sync": "sync, sync stream STREAM or sync event EVENT",
}


def parse(text: str) -> tuple[Step, ...]:
    """Read a program of at most 40,000 characters.

    Raises ValueError: for each bad line (ten at most) its number, what is wrong and what would be right,
    or what `sim.stream_program.check` finds wrong with the whole.

    >>> parse('''
    ... enqueue copy "copy 0" 40 writes slot 0
    ... record copy filled0   # the batch is all there
    ... sync''')[1:]
    (Record(stream='copy', event='filled0'), Sync(stream=None, event=None))
    >>> parse("record copy\\nwiat copy filled0")
    Traceback (most recent call last):
    ValueError: line 1: cannot read 'record copy'; write record STREAM EVENT
    line 2: there is no step 'wiat'; use enqueue, record, wait or sync
    """
    if len(text) > MAX_TEXT:
        raise ValueError(f"the program has {len(text)} characters; use at most {MAX_TEXT}")
    steps: list[Step] = []
    errors: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            words = _words(line)
            if words:
                steps.append(_step(words, line))
        except ValueError as error:
            errors.append(f"line {number}: {error}")
    if errors:
        more = len(errors) - SHOWN_ERRORS
        raise ValueError("\n".join(errors[:SHOWN_ERRORS] + [f"and {more} more"] * (more > 0)))
    check(steps)
    return tuple(steps)


def to_text(program: Sequence[Step]) -> str:
    """The text that `parse` reads back as the same program.

    >>> print(to_text([Wait("copy", "free0"), Enqueue("copy", "copy 0", 40.0, "move", 0)]), end="")
    wait copy free0
    enqueue copy "copy 0" 40 writes slot 0
    """
    return "".join(_line(step) + "\n" for step in program)


def _words(line: str) -> list[str]:
    words = []
    for token in _TOKEN.finditer(line):
        if token["stray"]:
            raise ValueError(f'the quote before {line[token.end() :]!r} is never closed; add another "')
        if token["comment"] is None:
            words.append(token["word"] if token["quoted"] is None else token["quoted"])
    return words


def _step(words: list[str], line: str) -> Step:
    match words:
        case ["enqueue", stream, name, us]:
            return Enqueue(stream, name, _us(us))
        case ["enqueue", stream, name, us, "reads", "slot", slot]:
            return Enqueue(stream, name, _us(us), "compute", _slot(slot))
        case ["enqueue", stream, name, us, "writes", "slot", slot]:
            return Enqueue(stream, name, _us(us), "move", _slot(slot))
        case ["record", stream, event]:
            return Record(stream, event)
        case ["wait", stream, event]:
            return Wait(stream, event)
        case ["sync"]:
            return Sync()
        case ["sync", "stream", stream]:
            return Sync(stream=stream)
        case ["sync", "event", event]:
            return Sync(event=event)
    if words[0] in _FORMS:
        raise ValueError(f"cannot read {line.strip()!r}; write {_FORMS[words[0]]}")
    raise ValueError(f"there is no step {words[0]!r}; use enqueue, record, wait or sync")


def _us(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise ValueError(f"{word!r} is not a number of µs; write one without its unit, such as 40") from None


def _slot(word: str) -> int:
    if not word.isdecimal():
        raise ValueError(f"{word!r} is not the number of a slot; write a whole number, such as 0")
    return int(word)


def _line(step: Step) -> str:
    match step:
        case Enqueue(stream, name, us, kind, slot):
            use = "" if slot is None else f" {'writes' if kind == 'move' else 'reads'} slot {slot}"
            return f"enqueue {_name(stream)} {_name(name)} {float(us)!r}".removesuffix(".0") + use
        case Record(stream, event):
            return f"record {_name(stream)} {_name(event)}"
        case Wait(stream, event):
            return f"wait {_name(stream)} {_name(event)}"
        case Sync(None, None):
            return "sync"
        case Sync(None, str(event)):
            return f"sync event {_name(event)}"
        case Sync(stream):
            return f"sync stream {_name(str(stream))}"


def _name(name: str) -> str:
    return f'"{name}"' if re.search(r"[\s#]", name) else name
