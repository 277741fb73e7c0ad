"""A chapter's page: what its template is given beside what every page is."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from bookbuild import values
from bookbuild.chapter import Source
from bookbuild.contents import Contents
from bookbuild.facts import Reported
from bookbuild.links import Resolver
from bookbuild.manuscript import Manuscript
from bookbuild.markdown import plain, read
from bookbuild.render import Chapter
from bookbuild.rooms import Rooms
from bookbuild.typography import tied
from widgets.words import Words

WARP_LANES = 32
LANE_BITS = 5


@dataclass(frozen=True, slots=True)
class SectionLink:
    """A section in a chapter's rail; a figure that is not written yet stands there without an anchor."""

    number: str
    title: str
    anchor: str | None
    written: bool


def context(
    source: Source, manuscript: Manuscript, rooms: Rooms, contents: Contents, address: Callable[[Path], str]
) -> dict[str, Any]:
    """Return what the template is given; `address` gives a file of the chapter its address."""
    entry, words = source.chapter, contents.words
    html = Chapter(Resolver(source, manuscript, rooms, words), address)
    part = contents.parts()[manuscript.book.part_of(entry).number - 1]
    links = contents.chapters()
    position = entry.number - 1
    chapter = {
        "number": entry.number,
        "title": entry.title[source.lang],
        "slug": entry.slug,
        "part_label": part.label,
        "part_title": part.title,
        "question": html.question(),
        "lead": html.inline(source.lead),
        "needs": [link for link in links if link.slug in source.needs],
        "learn": [html.inline(prose) for prose in source.learn],
        "figure_count": len(source.figures),
        "exercise_count": len(source.exercises),
        "body": html.body() + _sources(source, manuscript, html, words),
    }
    return {
        "chapter": chapter,
        "band": band(entry.number),
        "sections": sections(source),
        "previous": links[position - 1] if position else None,
        "next": links[position + 1] if position + 1 < len(links) else None,
    }


def sections(source: Source) -> list[SectionLink]:
    """Return the sections in order, and among them, by their numbers, the figures that are to come."""
    numbers = {figure.key: figure.number for figure in source.chapter.figures}
    placed = {use.key for use in source.figures}
    waiting = [figure for figure in source.chapter.figures if figure.key not in placed]
    order = list(numbers)
    links: list[SectionLink] = []
    last = max((i for i, section in enumerate(source.sections) if section.figure), default=-1)

    def come(before: int) -> None:
        while waiting and order.index(waiting[0].key) < before:
            figure = waiting.pop(0)
            links.append(SectionLink(figure.number, figure.title[source.lang], None, False))

    for index, section in enumerate(source.sections):
        if section.figure:
            come(order.index(section.figure))
        elif index > last:
            come(len(order))
        title = tied(plain(section.title.tokens))
        links.append(SectionLink(numbers.get(section.figure, ""), title, section.anchor, True))
    come(len(order))
    return links


def _sources(source: Source, manuscript: Manuscript, html: Chapter, words: Words) -> Markup:
    """Return who reported the numbers that somebody reported, in order of their use."""
    facts = manuscript.facts.get(source.chapter.slug, {})
    items = []
    for key in dict.fromkeys(values.facts_used(source)):
        fact = facts[key]
        if fact and isinstance(fact.origin, Reported):
            number = f"{values.printed(fact, fact.origin.value, words)}\u00a0{fact.unit}".strip()
            said = html.inline(read(fact.origin.source_in(source.lang), inline=True))
            items.append(Markup('<li id="source-{}"><b>{}</b> {}</li>').format(key, number, said))
    if not items:
        return Markup("")
    section = Markup('<section class="sources"><h2>{}</h2><ul>{}</ul></section>')
    return section.format(words("Who measured this"), Markup("").join(items))


def band(number: int) -> Markup:
    """Return a chapter's cloth: lane numbers 0 to 31 in binary, each exclusive-or the chapter's number."""
    dashes = []
    for lane in range(WARP_LANES):
        for bit in range(LANE_BITS):
            kind = "on" if (lane ^ number) >> (LANE_BITS - 1 - bit) & 1 else "off"
            dashes.append(f'<rect x="{lane * 28}" y="{bit * 7.5:g}" width="25" height="3" class="{kind}"/>')
    frame = '<svg class="band" viewBox="0 0 893 33" preserveAspectRatio="none" aria-hidden="true">{}</svg>'
    return Markup(frame).format(Markup("".join(dashes)))
