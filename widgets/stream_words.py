"""What `sim.streams` calls things and refuses, in the reader's language.

The simulator speaks English. Names that the book's own programs use are translated by their form,
refusals by their sentences; a sentence unknown here is passed on as it is, and a test knows them all.
"""

from __future__ import annotations

import re

from widgets.words import N_, Words

_FORMS = {
    'enqueue STREAM NAME µs, which may end in "reads slot N" or "writes slot N"':
        N_('enqueue STREAM NAME µs, which may end in "reads slot N" or "writes slot N"'),
    "record STREAM EVENT": N_("record STREAM EVENT"),
    "wait STREAM EVENT": N_("wait STREAM EVENT"),
    "sync, sync stream STREAM or sync event EVENT": N_("sync, sync stream STREAM or sync event EVENT"),
}  # fmt: skip
_KINDS = {"stream": N_("the stream"), "name": N_("the name"), "event": N_("the event")}
_REFUSALS = {
    r"cannot read (?P<text>.*); write (?P<form>.*)": N_("cannot read {text}; write {form}"),
    r"there is no step (?P<word>.*); use .*": N_("there is no step {word}; use enqueue, record, wait or sync"),
    r"the quote before (?P<text>.*) is never closed; .*": N_('the quote before {text} is never closed; add another "'),
    r"(?P<word>.*) is not a number of µs; .*": N_(
        "{word} is not a number of µs; write one without its unit, such as 40"
    ),
    r"(?P<word>.*) is not the number of a slot; .*": N_(
        "{word} is not the number of a slot; write a whole number, such as 0"
    ),
    r"a duration of (?P<us>\S+) µs; it must be from 0 to 1e\+06": N_(
        "a duration of {us} µs; it must be from 0 to 1,000,000"
    ),
    r"slot (?P<n>\S+); it must be from 0 to (?P<last>\d+)": N_("slot {n}; it must be from 0 to {last}"),
    r"the (?P<kind>stream|name|event) (?P<text>.*); use 1 to (?P<most>\d+) .*": N_(
        '{kind} {text}; use 1 to {most} printable characters, no "'
    ),
    r"the program has (?P<n>\d+) steps; give it 1 to (?P<most>\d+)": N_(
        "the program has {n} steps; give it 1 to {most}"
    ),
    r"the program has (?P<n>\d+) streams; use at most (?P<most>\d+)": N_(
        "the program has {n} streams; use at most {most}"
    ),
    r"sync on the stream (?P<name>.*), which no other step names; known: (?P<known>.*)": N_(
        "sync on the stream {name}, which no other step names; known: {known}"
    ),
    r"and (?P<n>\d+) more": N_("and {n} more"),
}


def refusal(sentence: str, words: Words) -> str:
    """Return a refusal of `sim.stream_text.parse` or `sim.streams.simulate` in the reader's language.

    >>> refusal("line 3: slot 16; it must be from 0 to 15", Words())
    'line 3: slot 16; it must be from 0 to 15'
    """
    return " · ".join(_line(line, words) for line in sentence.splitlines())


def _line(text: str, words: Words) -> str:
    numbered = re.fullmatch(r"line (\d+): (.*)", text)
    what = numbered[2] if numbered else text
    for pattern, message in _REFUSALS.items():
        if found := re.fullmatch(pattern, what):
            fields = dict(found.groupdict())
            if "form" in fields:
                fields["form"] = words(_FORMS[fields["form"]])
            if "kind" in fields:
                fields["kind"] = words(_KINDS[fields["kind"]])
            what = words(message, **fields)
            break
    return words("line {n}: {what}", n=numbered[1], what=what) if numbered else what


def stream(name: str, words: Words) -> str:
    """Return how a row of a stream is called."""
    known = {"copy": words("copy stream"), "compute": words("compute stream")}
    return known.get(name) or words("{name} stream", name=name)


def short_stream(name: str, words: Words) -> str:
    """Return how a row of a stream is called where there is little room."""
    known = {"copy": words("copy"), "compute": words("compute")}
    return known.get(name, name)


def work(name: str, words: Words) -> str:
    """Return how a piece of work is called: copies and kernels of the book's programs in its language."""
    found = re.fullmatch(r"(copy|kernel) (\d+)", name)
    if not found:
        return name
    return words("copy {n}", n=found[2]) if found[1] == "copy" else words("kernel {n}", n=found[2])


def event(name: str) -> str:
    """Return how an event is called: "filled 0" for filled0."""
    return re.sub(r"^(filled|free)(\d+)$", r"\1 \2", name)
