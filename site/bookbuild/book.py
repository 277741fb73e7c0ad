"""The order of the book: parts, chapters and figures of `book.toml`, with the numbers that follow from it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bookbuild import shape, tables
from bookbuild.places import Places
from bookbuild.problems import Broken, Problem
from bookbuild.tables import Table

Titles = Mapping[str, str]

SLUG = re.compile(r"[a-z][a-z0-9-]*")
KEY = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class FigureEntry:
    """A figure of the book, written or not."""

    key: str
    number: str
    """`chapter.position`, as printed: "4.3"."""
    title: Titles
    ids: int
    """The first of its range of model ids, which no other figure shares."""


@dataclass(frozen=True, slots=True)
class ChapterEntry:
    """A chapter of the book, written or not."""

    number: int
    slug: str
    title: Titles
    figures: tuple[FigureEntry, ...]

    @property
    def folder(self) -> str:
        """The name of its folder in `chapters/`."""
        return f"{self.number:02}-{self.slug}"


@dataclass(frozen=True, slots=True)
class PartEntry:
    """A part of the book."""

    number: int
    title: Titles
    chapters: tuple[ChapterEntry, ...]


@dataclass(frozen=True, slots=True)
class Book:
    """The whole order."""

    path: str
    languages: tuple[str, ...]
    """The first is the source, the others are its translations."""
    title: Titles
    parts: tuple[PartEntry, ...]

    @property
    def source(self) -> str:
        """The language the book is written in first."""
        return self.languages[0]

    @property
    def chapters(self) -> tuple[ChapterEntry, ...]:
        """All chapters in order."""
        return tuple(chapter for part in self.parts for chapter in part.chapters)

    def chapter(self, slug: str) -> ChapterEntry | None:
        """Return a chapter by its slug."""
        return next((chapter for chapter in self.chapters if chapter.slug == slug), None)

    def part_of(self, chapter: ChapterEntry) -> PartEntry:
        """Return the part that holds a chapter."""
        return next(part for part in self.parts if chapter in part.chapters)


def load(places: Places) -> Book:
    """Read `book.toml`; `Broken` if it cannot be: without it no other file has a place."""
    file = places.chapters / "book.toml"
    name = places.name(file)
    if not file.is_file():
        raise Broken([Problem(name, 1, "there is no such file", "it lists the book's parts, chapters and figures")])
    table = tables.load(file, name)
    if isinstance(table, Problem):
        raise Broken([table])
    if problems := tuple(_problems(table)):
        raise Broken(problems)
    return _book(table)


def _problems(table: Table) -> Iterator[Problem]:
    found = list(
        shape.misshapen(
            table,
            "the book",
            {
                "languages": shape.TEXTS,
                "title": shape.Kind("a text for each language", lambda _: True),
                "part": shape.TABLES,
            },
        )
    )
    if found:
        yield from found
        return
    titles = shape.titles(tuple(table.values["languages"]))
    if not titles.holds(table.values["title"]):
        yield table.problem(f"'title' of the book is {table.values['title']!r}", f"it must be {titles.name}", "title")
    seen: set[tuple[str, str]] = set()
    for part in _each(table, "part"):
        yield from shape.misshapen(part, "a part", {"title": titles, "chapter": shape.TABLES})
        for chapter in _each(part, "chapter"):
            yield from shape.misshapen(
                chapter, "a chapter", {"slug": shape.TEXT, "title": titles}, {"figure": shape.TABLES}
            )
            yield from _named(chapter, "slug", SLUG, seen)
            for figure in _each(chapter, "figure"):
                yield from shape.misshapen(
                    figure, "a figure", {"key": shape.TEXT, "title": titles}, {"reading": shape.FLAG}
                )
                yield from _named(figure, "key", KEY, seen)


def _each(table: Table, key: str) -> Iterator[Table]:
    if shape.TABLES.holds(table.values.get(key)):
        for index in range(len(table.values[key])):
            yield table.inside(key, index)


def _named(table: Table, key: str, pattern: re.Pattern[str], seen: set[tuple[str, str]]) -> Iterator[Problem]:
    name = table.values.get(key)
    if not isinstance(name, str):
        return
    if not pattern.fullmatch(name):
        yield table.problem(f"{key} {name!r} cannot be an address", f"it must match {pattern.pattern}", key)
    if (key, name) in seen:
        yield table.problem(f"{key} {name!r} stands here a second time", "each is listed once", key)
    seen.add((key, name))


def _book(table: Table) -> Book:
    parts = []
    number = 0
    for part_number, part in enumerate(_each(table, "part"), 1):
        chapters = []
        for chapter in _each(part, "chapter"):
            number += 1
            figures = tuple(
                FigureEntry(
                    figure.values["key"],
                    f"{number}.{position}",
                    figure.values["title"],
                    ids=(number * 100 + position) * 10_000,
                )
                for position, figure in enumerate(_each(chapter, "figure"), 1)
            )
            chapters.append(ChapterEntry(number, chapter.values["slug"], chapter.values["title"], figures))
        parts.append(PartEntry(part_number, part.values["title"], tuple(chapters)))
    values = table.values
    return Book(table.path, tuple(values["languages"]), values["title"], tuple(parts))
