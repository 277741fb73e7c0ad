"""Everything that was written, loaded: the order, the chapters in each language, facts and terms."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bookbuild import book, chapter, facts, terms
from bookbuild.book import Book, ChapterEntry, FigureEntry
from bookbuild.chapter import Source
from bookbuild.facts import Facts
from bookbuild.places import Places
from bookbuild.problems import Problem
from bookbuild.terms import Terms

CHAPTER_FOLDER = re.compile(r"\d+-.*")


@dataclass(frozen=True, slots=True)
class Manuscript:
    """The book as written."""

    places: Places
    book: Book
    sources: Mapping[tuple[str, str], Source]
    """By slug and language."""
    facts: Mapping[str, Facts]
    """By slug; a chapter whose file cannot be read is not there."""
    terms: Terms | None
    strays: tuple[Path, ...]
    """Chapter folders that the order does not name."""

    @property
    def written(self) -> tuple[ChapterEntry, ...]:
        """The chapters that have a folder, in order."""
        return tuple(entry for entry in self.book.chapters if self.folder(entry).is_dir())

    def folder(self, entry: ChapterEntry) -> Path:
        """Return where a chapter lies, or would."""
        return self.places.chapters / entry.folder

    def source(self, entry: ChapterEntry, lang: str) -> Source | None:
        """Return a chapter's text in a language."""
        return self.sources.get((entry.slug, lang))

    def placed(self, lang: str) -> dict[str, tuple[Source, FigureEntry]]:
        """Return the figures that a fence places, by key, with the chapter they stand in."""
        return {
            figure.key: (source, figure)
            for (_, source_lang), source in self.sources.items()
            if source_lang == lang
            for figure in source.chapter.figures
            if figure.key in {use.key for use in source.figures}
        }

    def exercise_file(self, source: Source, name: str) -> Path:
        """Return where an exercise's answer is computed."""
        return source.folder / "exercises" / f"{name}.py"


def load(places: Places, problems: list[Problem]) -> Manuscript:
    """Read everything; what could not be read is left out and among `problems`."""
    order = book.load(places)
    sources: dict[tuple[str, str], Source] = {}
    known: dict[str, Facts] = {}
    for entry in order.chapters:
        folder = places.chapters / entry.folder
        if not folder.is_dir():
            continue
        found = facts.load(places, entry, order.languages, problems)
        if found is not None:
            known[entry.slug] = found
        for lang in order.languages:
            if (folder / f"{lang}.md").is_file():
                source = chapter.load(places, order, entry, lang, problems)
                if source:
                    sources[entry.slug, lang] = source
    folders = {entry.folder for entry in order.chapters}
    strays = tuple(
        path
        for path in sorted(places.chapters.iterdir())
        if path.is_dir() and CHAPTER_FOLDER.fullmatch(path.name) and path.name not in folders
    )
    return Manuscript(places, order, sources, known, terms.load(places, order.languages, problems), strays)
