"""One chapter in one language: its front matter, its body as tokens, and what its fences place."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from bookbuild import fences, markdown, shape, tables
from bookbuild.book import Book, ChapterEntry
from bookbuild.fences import ExerciseUse, FigureUse, ListingUse, Use
from bookbuild.markdown import Prose
from bookbuild.places import Places
from bookbuild.problems import Problem, text_of
from bookbuild.tables import Table

FENCE = "+++"


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of the chapter under a `##` heading."""

    line: int
    anchor: str
    figure: str
    """Key of its first figure, "" without."""
    title: Prose


@dataclass(frozen=True, slots=True)
class Source:
    """A chapter's file in one language."""

    path: str
    folder: Path
    chapter: ChapterEntry
    lang: str
    digest: str
    """What a translation names to say which text it translates."""
    front: Table
    question: Prose
    lead: Prose
    learn: tuple[Prose, ...]
    body: Prose
    uses: tuple[Use, ...]
    sections: tuple[Section, ...]

    @property
    def figures(self) -> tuple[FigureUse, ...]:
        """The figures placed, in order."""
        return tuple(use for use in self.uses if isinstance(use, FigureUse))

    @property
    def exercises(self) -> tuple[ExerciseUse, ...]:
        """The exercises, in order."""
        return tuple(use for use in self.uses if isinstance(use, ExerciseUse))

    @property
    def listings(self) -> tuple[ListingUse, ...]:
        """The listings, in order."""
        return tuple(use for use in self.uses if isinstance(use, ListingUse))

    @property
    def needs(self) -> tuple[str, ...]:
        """Slugs of the chapters it builds on."""
        return tuple(self.front.values.get("needs", ()))

    def prose(self) -> Iterator[Prose]:
        """Yield every text of the file that is Markdown."""
        yield self.question
        yield self.lead
        yield from self.learn
        yield self.body
        for exercise in self.exercises:
            yield exercise.question
            yield exercise.worked

    def use_at(self, line: int) -> Use | None:
        """Return what the fence on a line places."""
        return next((use for use in self.uses if use.line == line), None)

    def problem(self, line: int, wrong: str, right: str) -> Problem:
        """Return a problem of this file."""
        return Problem(self.path, line, wrong, right)


def digest(file: Path) -> str:
    """Return the short hash of a file by which a translation names its source."""
    return sha256(file.read_bytes()).hexdigest()[:16]


def load(places: Places, book: Book, chapter: ChapterEntry, lang: str, problems: list[Problem]) -> Source | None:
    """Read one file; None where a problem leaves nothing to go on with."""
    file = places.chapters / chapter.folder / f"{lang}.md"
    path = places.name(file)
    text = text_of(file, path)
    if isinstance(text, Problem):
        problems.append(text)
        return None
    lines = text.split("\n")
    if lines[0].strip() != FENCE or FENCE not in (line.strip() for line in lines[1:]):
        problems.append(
            Problem(path, 1, f"no front matter: the first line is {lines[0]!r}", f"TOML between two lines {FENCE}")
        )
        return None
    end = next(i for i, line in enumerate(lines) if i and line.strip() == FENCE)
    front = tables.parse("\n".join(lines[1:end]), path, first_line=2)
    if isinstance(front, Problem):
        problems.append(front)
        return None
    must = {"question": shape.TEXT, "lead": shape.TEXT}
    if lang != book.source:
        must["translates"] = shape.TEXT
    found = list(shape.misshapen(front, "the front matter", must, {"needs": shape.TEXTS, "learn": shape.TEXTS}))
    body = markdown.read("\n" * (end + 1) + "\n".join(lines[end + 1 :]))
    uses = fences.read(body, path, lines, found)
    problems += found
    if found:
        return None
    numbered = tuple(fences.numbered(chapter, uses))
    return Source(
        path=path,
        folder=file.parent,
        chapter=chapter,
        lang=lang,
        digest=digest(file),
        front=front,
        question=_inline(front, "question"),
        lead=_inline(front, "lead"),
        learn=tuple(markdown.read(text, front.line("learn"), inline=True) for text in front.values.get("learn", ())),
        body=body,
        uses=numbered,
        sections=tuple(_sections(body, numbered)),
    )


def _inline(table: Table, key: str) -> Prose:
    return markdown.read(table.values[key], table.line(key), inline=True)


def _sections(body: Prose, uses: tuple[Use, ...]) -> Iterator[Section]:
    heads = [(line, inline) for level, line, inline in markdown.headings(body) if level == 2]
    ends = [line for line, _ in heads[1:]] + [body.line + body.text.count("\n") + 2]
    for position, ((line, inline), end) in enumerate(zip(heads, ends, strict=True), 1):
        figure = next((use.key for use in uses if isinstance(use, FigureUse) and line < use.line < end), "")
        yield Section(line, f"s-{figure or position}", figure, markdown.read(inline.content, line, inline=True))
