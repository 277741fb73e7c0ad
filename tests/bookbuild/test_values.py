"""A fact's value in a text, and an exercise's numbers in its sentences."""

import pytest

from bookbuild.exercises import filled
from bookbuild.values import holds
from widgets.words import Words


@pytest.mark.parametrize(
    ("text", "number", "held"),
    [
        ("992 are extra", "992", True),
        ("the other 992.", "992", True),
        ("992, of 1,024", "992", True),
        ("多余的992个", "992", True),
        ("1,992", "992", False),
        ("992,000", "992", False),
        ("9921", "992", False),
        ("992.5", "992", False),
        ("−992", "992", False),
        ("−992", "−992", True),
        ("nine hundred", "992", False),
    ],
)
def test_a_text_holds_a_number_only_whole(text: str, number: str, held: bool) -> None:
    assert holds(text, number) is held


NUMBER = {"type": "number", "value": "1024", "unit": "", "digits": None, "rel": None}


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (NUMBER, "1,024"),
        ({**NUMBER, "value": "1/3", "digits": 2}, "0.33"),
        ({**NUMBER, "value": "-0.5"}, "−0.5"),
        ({"type": "choice", "key": "padding", "options": ["padding", "luck"]}, "padding"),
        ({"type": "set", "values": ["1", "2048"]}, "1, 2,048"),
        ({"type": "order", "keys": ["b", "a"]}, "b, a"),
    ],
)
def test_an_answer_is_printed_as_the_language_prints_numbers(answer: dict[str, object], shown: str) -> None:
    assert filled("It is {answer}.", {"answer": answer, "mistakes": {}}, Words()) == f"It is {shown}."


def test_mistakes_are_printed_and_unknown_names_are_not_passed_over() -> None:
    exercise = {"answer": NUMBER, "mistakes": {"all": "32768", "both": ["1", "2"]}}
    assert filled("{all} or {both}", exercise, Words()) == "32,768 or 1, 2"
    with pytest.raises(LookupError, match="none"):
        filled("{none}", exercise, Words())
