"""The text of a chapter: question, headings, callouts, images, formulas."""

import re
from collections.abc import Iterator

from bookbuild import markdown, maths
from bookbuild.manuscript import Manuscript
from bookbuild.problems import Problem
from bookbuild.rooms import Rooms


def question_without_a_number(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find a chapter whose question holds no number."""
    for source in manuscript.sources.values():
        if not re.search(r"\d", source.question.text):
            wrong = f"the question has no number: {source.question.text!r}"
            yield source.problem(source.question.line, wrong, "ask for something that can be counted or measured")


def wrong_heading(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find an H1 in a body, and a heading deeper than the one above it allows."""
    for source in manuscript.sources.values():
        above = 1
        for level, line, inline in markdown.headings(source.body):
            if level == 1:
                yield source.problem(
                    line,
                    f"an H1, {inline.content!r}",
                    "the page's one H1 is the title in book.toml; sections are ##",
                )
            elif level > above + 1:
                yield source.problem(
                    line,
                    f"a heading of level {level} below one of level {above}",
                    f"at most level {above + 1}",
                )
            above = level


def unknown_callout(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find a callout of unknown kind, and a note without the paragraph that it stands beside."""
    for source in manuscript.sources.values():
        for index, kind in markdown.callouts(source.body):
            tokens = source.body.tokens
            line = (tokens[index].map or [1])[0]
            if kind and kind not in ("NOTE", "IMPORTANT"):
                yield source.problem(
                    line,
                    f"a callout of unknown kind {kind!r}",
                    "[!NOTE] in the margin or [!IMPORTANT] to keep",
                )
            elif kind == "NOTE" and (index == 0 or tokens[index - 1].type != "paragraph_close"):
                yield source.problem(
                    line,
                    "a margin note with no paragraph before it",
                    "it follows the paragraph it belongs to",
                )


def image_without_words(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find an image without alternative text."""
    for source in manuscript.sources.values():
        for prose in source.prose():
            for link in markdown.links(prose):
                if link.image and not link.text.strip():
                    yield source.problem(
                        link.line,
                        f"the image {link.href!r} has no alternative text",
                        "![what it shows](file)",
                    )


def missing_image(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find an image whose file is not in the chapter's folder."""
    for source in manuscript.sources.values():
        for prose in source.prose():
            for link in markdown.links(prose):
                if link.image and not (source.folder / link.href).is_file():
                    yield source.problem(
                        link.line,
                        f"the image {link.href!r} does not exist",
                        "it lies in the chapter's folder",
                    )


def unreadable_formula(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find a formula that is not LaTeX."""
    for source in manuscript.sources.values():
        for prose in source.prose():
            for line, latex in markdown.formulas(prose):
                if wrong := maths.refusal(latex):
                    yield source.problem(line, f"the formula {latex.strip()!r} cannot be read", wrong)


CHECKS = (
    question_without_a_number,
    wrong_heading,
    unknown_callout,
    image_without_words,
    missing_image,
    unreadable_formula,
)
