"""Chapters and the order of the book."""

from collections.abc import Iterator

from bookbuild.manuscript import Manuscript
from bookbuild.problems import Problem, listed
from bookbuild.rooms import Rooms


def folder_not_in_order(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find a chapter's folder that `book.toml` does not name, or names with another number."""
    places = manuscript.places
    for folder in manuscript.strays:
        slug = folder.name.partition("-")[2]
        entry = manuscript.book.chapter(slug)
        right = f"its number there makes it {entry.folder}" if entry else "list it there, or take the folder away"
        yield Problem(places.name(folder), 1, f"the chapter folder {folder.name!r} is not in book.toml", right)


def chapter_without_a_language(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find a written chapter that lacks a language's file."""
    for entry in manuscript.written:
        for lang in manuscript.book.languages:
            file = manuscript.folder(entry) / f"{lang}.md"
            if not file.is_file():
                name = manuscript.places.name(file)
                yield Problem(
                    name,
                    1,
                    f"the chapter {entry.slug!r} has no {lang}.md",
                    "each is written in every language",
                )


def unknown_need(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find a chapter that builds on one that is not in the book, or on itself or a later one."""
    for source in manuscript.sources.values():
        for slug in source.needs:
            entry = manuscript.book.chapter(slug)
            line = source.front.line("needs")
            if entry is None:
                known = listed(chapter.slug for chapter in manuscript.book.chapters)
                yield source.problem(line, f"it needs an unknown chapter {slug!r}", f"book.toml has {known}")
            elif entry.number >= source.chapter.number:
                wrong = f"it needs chapter {entry.number}, {slug!r}, which does not come before it"
                yield source.problem(line, wrong, f"it is chapter {source.chapter.number}")


CHECKS = (folder_not_in_order, chapter_without_a_language, unknown_need)
