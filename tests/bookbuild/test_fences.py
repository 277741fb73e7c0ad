"""Exercises are numbered by the figure they ask about, wherever they stand."""

from typing import TYPE_CHECKING

from bookbuild import manuscript

if TYPE_CHECKING:
    from conftest import TinyBook


def test_an_exercise_at_the_end_has_the_number_of_its_figure(book: "TinyBook") -> None:
    for lang in ("en", "zh"):
        book.edit(f"chapters/01-first/{lang}.md", "```exercise pick\n", '```exercise pick\nfigure = "bars"\n')
    source = manuscript.load(book.places, []).sources["first", "en"]
    assert [(use.name, use.number) for use in source.exercises] == [("count", "1.3 a"), ("pick", "1.1 a")]
