"""Renewing what a translation says it translates."""

from typing import TYPE_CHECKING

import pytest

from bookbuild import stamp
from bookbuild.problems import Broken

if TYPE_CHECKING:
    from conftest import TinyBook


def test_only_stale_translations_are_stamped(book: "TinyBook") -> None:
    assert stamp.stamp(book.places, []) == []
    source, other = book.file("chapters/02-second/en.md"), book.file("chapters/02-second/zh.md")
    source.write_text(source.read_text("utf-8") + "\nMore.\n", "utf-8")
    before = other.read_text("utf-8")
    assert stamp.stamp(book.places, ["first"]) == []
    assert stamp.stamp(book.places, ["second"]) == [other]
    lines = other.read_text("utf-8").splitlines()
    assert [line for line, old in zip(lines, before.splitlines(), strict=True) if line != old] == [lines[1]]
    assert book.problems() == []


def test_a_translation_without_a_stamp_gets_one(book: "TinyBook") -> None:
    file = book.file("chapters/02-second/zh.md")
    whole = file.read_text("utf-8")
    file.write_text("".join(line for line in whole.splitlines(keepends=True) if "translates" not in line), "utf-8")
    stamp.stamp(book.places, [])
    assert file.read_text("utf-8") == whole


def test_the_body_is_never_touched(book: "TinyBook") -> None:
    source, other = book.file("chapters/02-second/en.md"), book.file("chapters/02-second/zh.md")
    other.write_text(other.read_text("utf-8") + '\ntranslates = "of the body"\n', "utf-8")
    source.write_text(source.read_text("utf-8") + "\nMore.\n", "utf-8")
    stamp.stamp(book.places, [])
    assert other.read_text("utf-8").endswith('\ntranslates = "of the body"\n')


def test_an_unknown_chapter_is_refused(book: "TinyBook") -> None:
    with pytest.raises(Broken, match="there is no chapter 'fourth'; there are first, second, third"):
        stamp.stamp(book.places, ["fourth"])
