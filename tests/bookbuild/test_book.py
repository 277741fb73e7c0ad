"""Numbers follow from the order of the book; the real order lists what the book is to teach."""

from itertools import pairwise
from typing import TYPE_CHECKING

from bookbuild import book as books
from bookbuild import terms
from bookbuild.places import PROJECT, Places
from bookbuild.problems import Problem

if TYPE_CHECKING:
    from conftest import TinyBook


def test_chapters_count_through_the_parts_and_figures_in_their_chapter(book: "TinyBook") -> None:
    order = books.load(book.places)
    assert [(chapter.number, chapter.slug, chapter.folder) for chapter in order.chapters] == [
        (1, "first", "01-first"),
        (2, "second", "02-second"),
        (3, "third", "03-third"),
    ]
    assert [(figure.number, figure.key) for figure in order.chapters[0].figures] == [
        ("1.1", "bars"),
        ("1.2", "lines"),
        ("1.3", "dots"),
    ]
    assert [order.part_of(chapter).number for chapter in order.chapters] == [1, 2, 2]
    assert order.source == "en"


def test_no_two_figures_share_a_model_id() -> None:
    order = books.load(Places.of(PROJECT))
    starts = sorted(figure.ids for chapter in order.chapters for figure in chapter.figures)
    assert min(b - a for a, b in pairwise(starts)) >= 10_000


def test_the_figures_written_first_have_their_numbers() -> None:
    order = books.load(Places.of(PROJECT))
    numbers = {figure.key: figure.number for chapter in order.chapters for figure in chapter.figures}
    first = ("divergence", "bank_conflicts", "pipeline_slots", "stream_timeline", "online_softmax")
    assert [numbers[key] for key in first] == ["3.2", "4.3", "7.1", "8.3", "11.2"]
    assert len(order.parts) == 6
    assert len(order.chapters) == 15


def test_every_term_has_its_words_in_every_language() -> None:
    problems: list[Problem] = []
    found = terms.load(Places.of(PROJECT), ("en", "zh"), problems)
    assert problems == []
    assert found
    for term in found.values():
        assert term is not None
        assert term.means["en"].endswith(".")
        assert term.means["zh"].endswith("。")
