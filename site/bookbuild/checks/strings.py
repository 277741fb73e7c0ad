"""Interface strings: each has its words in every language."""

import string as strings
from collections.abc import Iterator

from babel.messages.catalog import Message

from bookbuild import catalogue
from bookbuild.manuscript import Manuscript
from bookbuild.problems import Problem
from bookbuild.rooms import Rooms

COLLECT = "run gpubook strings, then translate it"


def untranslated(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find a string that a catalogue lacks, has empty or marks as uncertain."""
    places = manuscript.places
    used = catalogue.used(places)
    for lang in manuscript.book.languages[1:]:
        file = catalogue.po_file(places, lang)
        if not file.is_file():
            yield Problem(places.name(file), 1, f"there is no catalogue for {lang!r}", COLLECT)
            continue
        known = catalogue.read(file)
        seen: set[catalogue.Id] = set()
        for string in used:
            if string.id in seen:
                continue
            seen.add(string.id)
            message = known.get(string.id)
            if message is None:
                yield Problem(string.path, string.line, f"{_shown(string.id)} has no words in {lang}", COLLECT)
            elif not catalogue.translated(message):
                state = "an uncertain (fuzzy) translation" if message.fuzzy else "no translation"
                yield Problem(
                    places.name(file),
                    message.lineno or 1,
                    f"{_shown(string.id)} has {state}",
                    "translate it there",
                )
            else:
                yield from _placeholders(places.name(file), message)


def _shown(id: catalogue.Id) -> str:
    return repr(id if isinstance(id, str) else id[0])


def _placeholders(path: str, message: Message) -> Iterator[Problem]:
    ids = [message.id] if isinstance(message.id, str) else list(message.id)
    texts = [message.string] if isinstance(message.string, str) else list(message.string or ())
    wanted = _fields(ids[-1])
    for text in texts:
        if _fields(text) != wanted:
            wrong = f"the translation of {_shown(ids[0])} has the places {sorted(_fields(text))}"
            yield Problem(path, message.lineno or 1, wrong, f"it must have {sorted(wanted)}")


def _fields(text: str) -> set[str]:
    return {name for _, name, _, _ in strings.Formatter().parse(text) if name is not None}


CHECKS = (untranslated,)
