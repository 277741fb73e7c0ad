"""Two languages are one chapter: a translation names the text it translates and has its structure."""

from collections.abc import Callable, Iterator

from bookbuild import markdown, values
from bookbuild.chapter import Source
from bookbuild.manuscript import Manuscript
from bookbuild.problems import Problem
from bookbuild.rooms import Rooms


def _pairs(manuscript: Manuscript) -> Iterator[tuple[Source, Source]]:
    book = manuscript.book
    for entry in manuscript.written:
        first = manuscript.source(entry, book.source)
        for lang in book.languages[1:]:
            second = manuscript.source(entry, lang)
            if first and second:
                yield first, second


def stale_translation(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find a translation of an older text than the source's."""
    for source, other in _pairs(manuscript):
        named = other.front.values["translates"]
        if named != source.digest:
            wrong = f"it translates {named!r}, but {source.path} is now {source.digest!r}"
            yield other.problem(other.front.line("translates"), wrong, "look it through, then run gpubook stamp")


def _differs(
    of: Callable[[Source], list[tuple[int, str]]], what: str
) -> Callable[[Manuscript, Rooms], Iterator[Problem]]:
    def check(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
        for source, other in _pairs(manuscript):
            ours, theirs = of(source), of(other)
            if [name for _, name in ours] == [name for _, name in theirs]:
                continue
            both = zip([*ours, (0, "none")], [*theirs, (0, "none")], strict=False)
            (_, wanted), (line, found) = next((a, b) for a, b in both if a[1] != b[1])
            line = line or (theirs[-1][0] if theirs else 1)
            yield other.problem(line, f"{what} differ: {found} stands here", f"{source.path} has {wanted}")

    check.__doc__ = f"Find a translation whose {what} differ from the source's."
    return check


def _figures(source: Source) -> list[tuple[int, str]]:
    return [(use.line, f"{use.key} ({use.preset})") for use in source.figures]


def _exercises(source: Source) -> list[tuple[int, str]]:
    return [(use.line, f"{use.name} (on {use.figure})" if use.figure else use.name) for use in source.exercises]


def _listings(source: Source) -> list[tuple[int, str]]:
    return [(use.line, f"{use.file}#{use.name}") for use in source.listings]


def _headings(source: Source) -> list[tuple[int, str]]:
    return [(line, f"a heading of level {level}") for level, line, _ in markdown.headings(source.body)]


def _needs(source: Source) -> list[tuple[int, str]]:
    return [(source.front.line("needs"), slug) for slug in source.needs]


def _learn(source: Source) -> list[tuple[int, str]]:
    return [(prose.line, f"point {number}") for number, prose in enumerate(source.learn, 1)]


def other_facts(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find a translation that links to another fact, or to one of them another number of times."""
    for source, other in _pairs(manuscript):
        ours, theirs = values.facts_used(source), values.facts_used(other)
        for key in dict.fromkeys([*ours, *theirs]):
            wanted, found = ours.count(key), theirs.count(key)
            if wanted != found:
                wrong = f"links to the fact {key!r} here: {found}"
                yield other.problem(other.body.line, wrong, f"{source.path} has {wanted}")


CHECKS = (
    stale_translation,
    _differs(_figures, "figures"),
    _differs(_exercises, "exercises"),
    _differs(_listings, "listings"),
    _differs(_headings, "headings"),
    _differs(_needs, "needed chapters"),
    _differs(_learn, "learning points"),
    other_facts,
)
