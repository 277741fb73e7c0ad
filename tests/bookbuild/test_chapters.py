"""What every finished chapter of the book keeps to: a chapter is finished when it places all its figures."""

import re
from pathlib import Path

import pytest

from bookbuild import manuscript, markdown
from bookbuild.chapter import Source
from bookbuild.places import Places
from bookbuild.problems import Problem

PROBLEMS: list[Problem] = []
BOOK = manuscript.load(Places.of(Path(__file__).parents[2]), PROBLEMS)
FINISHED = [
    pytest.param(source, id=f"{slug}-{lang}")
    for (slug, lang), source in sorted(BOOK.sources.items())
    if len(source.figures) == len(source.chapter.figures)
]


def _headings(source: Source) -> list[tuple[int, str]]:
    return [(line, inline.content) for level, line, inline in markdown.headings(source.body) if level == 2]


def _prose(source: Source) -> str:
    return "\n".join(markdown.plain(block.children or []) for block in source.body.tokens)


def test_there_are_finished_chapters() -> None:
    assert not PROBLEMS
    assert any("execution" in str(param.id) for param in FINISHED)


@pytest.mark.parametrize("source", FINISHED)
def test_a_section_has_the_name_that_the_contents_give_its_figure(source: Source) -> None:
    titles = {figure.key: figure.title[source.lang] for figure in source.chapter.figures}
    for use in source.figures:
        above = [heading for line, heading in _headings(source) if line < use.line]
        assert above[-1] == titles[use.key]


@pytest.mark.parametrize("source", FINISHED)
def test_a_chapter_has_room_to_explain_and_no_more(source: Source) -> None:
    prose = _prose(source)
    if source.lang == "zh":
        assert 3000 <= len(re.findall(r"[\u4e00-\u9fff]", prose)) <= 6000
    else:
        assert 2000 <= len(re.findall(r"[\w’.,%-]*\w[\w’.,%-]*", prose)) <= 3500


@pytest.mark.parametrize("source", FINISHED)
def test_a_chapter_ends_with_one_takeaway_and_four_exercises_at_least(source: Source) -> None:
    kept = [index for index, kind in markdown.callouts(source.body) if kind == "IMPORTANT"]
    assert len(kept) == 1
    after = source.body.tokens[kept[0] :]
    assert not [token for token in after if token.type == "fence" and token.info.startswith("figure")]
    assert len(source.exercises) >= 4
