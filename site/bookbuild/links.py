"""Where a link of the prose leads: one function resolves it for the checks and for the page alike."""

from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from bookbuild import values
from bookbuild.chapter import Source
from bookbuild.facts import FromExercise, FromFigure, Reported
from bookbuild.manuscript import Manuscript
from bookbuild.markdown import Link
from bookbuild.problems import Problem, listed, near
from bookbuild.rooms import Rooms, state_of
from widgets.words import Words

ROLES = ("move", "compute", "host", "cost", "idle")


@dataclass(frozen=True, slots=True)
class Target:
    """Where a link leads, as the page writes it."""

    href: str
    """Relative to the page; "" for words that lead nowhere yet."""
    kind: str = ""
    """The CSS classes."""
    after: str = ""
    """Text behind the link's own."""


UNKNOWN = Target("")
"""For what cannot be said because a file cannot be read: that is a problem of the file, not of the link."""


@dataclass(frozen=True, slots=True)
class Resolver:
    """Resolves the links of one chapter in one language."""

    source: Source
    manuscript: Manuscript
    rooms: Rooms
    words: Words

    def resolve(self, link: Link) -> Target | Problem:
        """Return where a link leads, or what is wrong with it."""
        scheme, _, rest = link.href.partition(":")
        match scheme:
            case "fact":
                return self._fact(link, rest)
            case "term":
                return self._term(link, rest)
            case "chapter":
                return self._chapter(link, rest)
            case "http" | "https":
                return Target(link.href, "out")
        path, _, anchor = link.href.partition("#")
        if path:
            return self._other_file(link, path, unquote(anchor))
        return self._anchor(link, self.source, unquote(anchor), "")

    def _problem(self, link: Link, wrong: str, right: str) -> Problem:
        return self.source.problem(link.line, wrong, right)

    def _fact(self, link: Link, key: str) -> Target | Problem:
        facts = self.manuscript.facts.get(self.source.chapter.slug)
        if facts is None:
            return UNKNOWN
        if key not in facts:
            return self._problem(link, f"unknown fact {key!r}", f"facts.toml has {near(key, facts)}")
        if link.title and link.title not in ROLES:
            return self._problem(link, f"the fact {key!r} has the role {link.title!r}", f"roles are {listed(ROLES)}")
        fact = facts[key]
        if fact is None:
            return UNKNOWN
        number = values.value(fact, self.source.chapter.slug, self.manuscript, self.rooms)
        if isinstance(number, Problem):
            return number
        printed = values.printed(fact, number, self.words)
        if not values.holds(link.text, printed):
            return self._problem(link, f"the text {link.text!r} does not hold the fact {key!r}", f"it is {printed}")
        kind = f"fact w-{link.title}" if link.title else "fact"
        match fact.origin:
            case FromFigure(figure=figure, state=state):
                return Target(self._figure_address(figure, state_of(self.rooms, figure, state) or ""), kind)
            case FromExercise(exercise=name):
                return Target(f"#ex-{name}", kind)
            case Reported():
                return Target(f"#source-{key}", kind)

    def _figure_address(self, figure: str, fragment: str) -> str:
        anchor = f"#{figure}?{fragment}" if fragment else f"#{figure}"
        source, _ = self.manuscript.placed(self.source.lang).get(figure, (None, None))
        if source is None:
            return ""
        return anchor if source is self.source else f"../{source.chapter.slug}/{anchor}"

    def _term(self, link: Link, key: str) -> Target | Problem:
        terms = self.manuscript.terms
        if terms is None:
            return UNKNOWN
        if key not in terms:
            return self._problem(link, f"unknown term {key!r}", f"terms.toml has {near(key, terms)}")
        return Target(f"../glossary/#{key}", "term")

    def _chapter(self, link: Link, slug: str) -> Target | Problem:
        book = self.manuscript.book
        entry = book.chapter(slug)
        if entry is None:
            known = listed(chapter.slug for chapter in book.chapters)
            return self._problem(link, f"unknown chapter {slug!r}", f"book.toml has {known}")
        number = str(entry.number)
        after = "" if values.holds(link.text, number) else self.words(" (chapter {n})", n=number)
        return Target(f"../{slug}/" if self.manuscript.source(entry, self.source.lang) else "", "", after)

    def _other_file(self, link: Link, path: str, anchor: str) -> Target | Problem:
        if urlsplit(link.href).scheme:
            return self._problem(link, f"the link {link.href!r} has an unknown scheme", "https, fact, term or chapter")
        place = PurePosixPath(path)
        for (slug, lang), source in self.manuscript.sources.items():
            name = source.folder.name
            if place.parts in (
                ("..", name, f"{lang}.md"),
                (f"{lang}.md",) if source.folder == self.source.folder else (),
            ):
                if lang != self.source.lang:
                    right = f"a text in {self.source.lang} leads to {self.source.lang}.md"
                    return self._problem(link, f"the link {link.href!r} leads to another language", right)
                return self._anchor(link, source, anchor, f"../{slug}/") if anchor else Target(f"../{slug}/")
        folders = {entry.folder for entry in self.manuscript.written}
        if len(place.parts) == 3 and place.parts[1] in folders and place.stem in self.manuscript.book.languages:
            return UNKNOWN  # the file is not there or cannot be read
        right = "a written chapter is ../NN-slug/LANG.md, one that is not is chapter:SLUG"
        return self._problem(link, f"the link {link.href!r} leads nowhere", right)

    def _anchor(self, link: Link, source: Source, anchor: str, page: str) -> Target | Problem:
        name, asks, fragment = anchor.partition("?")
        figures = {use.key for use in source.figures}
        anchors = {section.anchor for section in source.sections} | {f"ex-{use.name}" for use in source.exercises}
        if name not in figures | anchors or (asks and name not in figures):
            return self._problem(
                link, f"the anchor {anchor!r} is not on that page", f"there are {near(name, figures | anchors)}"
            )
        if not asks:
            return Target(f"{page}#{anchor}", "act" if name in figures else "")
        if name in self.rooms.figures() and (refused := self.rooms.refusal(name, fragment)):
            return self._problem(link, f"{name} refuses the state {fragment!r}", refused)
        return Target(f"{page}#{name}?{fragment}", "act")
