"""The contents as pages show them: every part, chapter and figure, with a link where it is written."""

from dataclasses import dataclass

from bookbuild import speech
from bookbuild.book import ChapterEntry
from bookbuild.manuscript import Manuscript
from bookbuild.markdown import plain
from bookbuild.typography import tied
from widgets.words import Words


@dataclass(frozen=True, slots=True)
class FigureLink:
    """A figure in the contents."""

    number: str
    key: str
    title: str
    href: str | None
    """None while it is not written."""


@dataclass(frozen=True, slots=True)
class ChapterLink:
    """A chapter in the contents."""

    number: int
    title: str
    slug: str
    href: str | None
    question: str
    """As plain text, "" while it is not written."""
    figures: tuple[FigureLink, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A part in the contents."""

    label: str
    title: str
    chapters: tuple[ChapterLink, ...]


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents in one language, for a page whose way to the site's root is `root`."""

    manuscript: Manuscript
    words: Words
    lang: str
    root: str

    def parts(self) -> list[Part]:
        """Return the parts in order."""
        return [
            Part(
                self.words(speech.PARTS[part.number - 1]),
                part.title[self.lang],
                tuple(self.chapter(entry) for entry in part.chapters),
            )
            for part in self.manuscript.book.parts
        ]

    def chapters(self) -> list[ChapterLink]:
        """Return the chapters of all parts in order."""
        return [chapter for part in self.parts() for chapter in part.chapters]

    def chapter(self, entry: ChapterEntry) -> ChapterLink:
        """Return one chapter."""
        source = self.manuscript.source(entry, self.lang)
        href = f"{self.root}{self.lang}/{entry.slug}/" if source else None
        placed = {use.key for use in source.figures} if source else set()
        question = tied(plain(source.question.tokens)) if source else ""
        figures = tuple(
            FigureLink(
                figure.number,
                figure.key,
                figure.title[self.lang],
                f"{href}#{figure.key}" if figure.key in placed else None,
            )
            for figure in entry.figures
        )
        return ChapterLink(entry.number, entry.title[self.lang], entry.slug, href, question, figures)
