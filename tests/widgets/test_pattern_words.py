"""Every sentence with which a typed pattern is refused has its words."""

import re

import pytest

from sim.address_pattern import parse_pattern
from widgets import pattern_words
from widgets.words import Words

REFUSED = {  # what is typed, and what the reader is told
    "i" * 1001: "the pattern has 1,001 characters; at most 1,000 are allowed",
    " ": "the pattern is empty; type 32 numbers, or an expression in i such as i*4",
    "-2": "lane 0: -2; it must be ≥ 0, or -1 for a lane that is switched off",
    "i,,i": "a number is missing at the comma at position 2; a list has 32",
    "1 2": "2 numbers given; a list has 32, one a lane",
    ",".join(["1"] * 31 + ["x"]): "“x” at position 63 is not a whole number; a list has 32 of them",
    "j": "“j” at position 1 is unknown; allowed are whole numbers, i, parentheses and + - * // % ^ & | << >>",
    "-" * 30 + "1": "“-” at position 21 is nested too deep; 20 levels are allowed",
    "1%(i-3)": "lane 3, “%” at position 2: division by 0; the divisor must not be 0",
    "1<<40": "lane 0, “<<” at position 2: shift by 40; it must be from 0 to 31",
    "99999999999": "“99999999999” at position 1: the number is too large; at most 2,147,483,647 is allowed",
    "i*2147483647": "lane 2, “*” at position 2: the number is too large; at most 2,147,483,647 is allowed",
    "i*4 +": "the pattern ends at position 6, where a whole number, i, - or ( is allowed",
    "(i*4": "the pattern ends at position 5, where an operator or the ) of ( at position 1 is allowed",
    "i)": "“)” at position 2 is unexpected; an operator or the end is allowed there",
}


class Marked(Words):
    """Words that mark what they were asked for."""

    def __call__(self, message, /, **values):
        """Translate into brackets."""
        return f"«{super().__call__(message, **values)}»"


def refused(text: str, unit_bytes: int = 1) -> str:
    with pytest.raises(ValueError, match=r"[a-z]") as error:
        parse_pattern(text, unit_bytes)
    return str(error.value)


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:12].strip() or "empty")
def test_a_refusal_is_told_in_words(text):
    assert pattern_words.refusal(refused(text), Words()) == REFUSED[text]
    marked = pattern_words.refusal(refused(text), Marked())
    assert re.sub("[«»]", "", marked) == REFUSED[text]
    assert marked.startswith("«")
    assert marked.count("«") == 1 + (" is allowed" in REFUSED[text] and "too large" not in REFUSED[text])


def test_a_lane_of_wide_units_has_its_words():
    told = pattern_words.refusal(refused("200000000", 16), Words())
    assert re.fullmatch(r"lane \d+: the number is too large; at most 2,147,483,647 is allowed", told)


def test_an_unknown_sentence_is_passed_on():
    assert pattern_words.refusal("a sentence of tomorrow", Words()) == "a sentence of tomorrow"
