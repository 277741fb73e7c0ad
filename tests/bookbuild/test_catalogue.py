"""Collecting interface strings and compiling their catalogues."""

import gettext
from typing import TYPE_CHECKING

from bookbuild import catalogue, exercises, speech

if TYPE_CHECKING:
    from conftest import TinyBook

CODE = """
words("plain")
self._words[lang]("by language", n=1)
f"{words('inside an f-string')}"
words.plural("{n} lane", "{n} lanes", n)
words(
    "in two "
    "pieces"
)
X = (N_("marked"), N_(""))
words(variable)
other("not ours")
"""


def test_strings_are_found_in_code() -> None:
    assert catalogue.in_code(CODE) == [
        (2, "plain"),
        (3, "by language"),
        (4, "inside an f-string"),
        (5, ("{n} lane", "{n} lanes")),
        (6, "in two pieces"),
        (10, "marked"),
    ]


def test_strings_are_found_in_templates() -> None:
    text = '<p title="{{ words("a") }}">\n{{ words.plural("one", "many", n) }} {{ other("no") }} {{ (words("b") | e) }}'
    assert set(catalogue.in_template(text)) == {(1, "a"), (2, "b"), (2, ("one", "many"))}


def test_update_keeps_translations_adds_strings_and_drops_those_of_nobody(book: "TinyBook") -> None:
    template = book.file("site/templates/start.html")
    template.write_text(template.read_text("utf-8") + '{{ words("New") }}', "utf-8")
    contents = book.file("site/templates/contents.html")
    contents.write_text(contents.read_text("utf-8").replace('words("to come")', '"soon"'), "utf-8")
    assert catalogue.update(book.places, "zh") == 1
    found = catalogue.read(catalogue.po_file(book.places, "zh"))
    assert found.get("Needs").string == "译Needs"
    assert found.get("New").string == ""
    assert found.get("to come") is None


def test_update_writes_the_same_file_each_time(book: "TinyBook") -> None:
    file = catalogue.po_file(book.places, "zh")
    catalogue.update(book.places, "zh")
    first = file.read_bytes()
    catalogue.update(book.places, "zh")
    assert file.read_bytes() == first
    assert b"-Date" not in first


def test_compiled_words_are_the_catalogues(book: "TinyBook") -> None:
    words = speech.learn(book.places, ("en", "zh"))
    assert words["en"]("Needs") == "Needs"
    assert words["zh"]("Needs") == "译Needs"
    assert words["zh"]("Exercise {n}", n="4.3 a") == "译Exercise 4.3 a"
    compiled = catalogue.po_file(book.places, "zh").with_suffix(".mo")
    with compiled.open("rb") as stream:
        assert gettext.GNUTranslations(stream).gettext("Needs") == "译Needs"


def test_chinese_leaves_no_space_between_sentences_and_lists_with_its_own_comma(book: "TinyBook") -> None:
    words = speech.learn(book.places, ("en", "zh"))
    assert (words["en"].space, words["zh"].space) == (" ", "")
    computed = {"answer": {"type": "set", "values": ["1", "3"]}, "mistakes": {"every": ["0", "1", "2"]}}
    told = {lang: exercises.filled("{answer}; {every}", computed, words[lang]) for lang in ("en", "zh")}
    assert told == {"en": "1, 3; 0, 1, 2", "zh": "1译, 3; 0译, 1译, 2"}


def test_a_changed_catalogue_is_compiled_again(book: "TinyBook") -> None:
    speech.learn(book.places, ("en", "zh"))
    book.translate(lambda english: f"新{english}")
    assert speech.learn(book.places, ("en", "zh"))["zh"]("Needs") == "新Needs"
