import json
from fractions import Fraction

import numpy as np
import pytest

from widgets.answers import MISTAKE_REL, Choice, Number, Order, ValueSet, from_json
from widgets.lab_exact import encode

ANSWERS = [
    Number(1024, "wavefronts"), Number(-3), Number(2**60 + 1), Number(1.2904, "µs", digits=2),
    Number(1e-7, rel=0.01),
    Number(Fraction(1, 3)), Number(Fraction(155, 3), "%", digits=1), Number(7813.0), Number(0),
    Choice("both", ("hardware", "software", "both")),
    ValueSet((2, 1, Fraction(1, 2))), ValueSet(()), ValueSet(("b",), ("a", "b")),
    Order(("load", "sum", "store")),
]  # fmt: skip


@pytest.mark.parametrize("answer", ANSWERS, ids=repr)
def test_json_gives_the_answer_back(answer):
    assert from_json(json.loads(json.dumps(answer.to_json()))) == answer


def test_json_survives_a_reader_whose_numbers_are_doubles():
    text = json.dumps(Number(2**60 + 1, digits=0).to_json())
    assert from_json(json.loads(text, parse_int=float)).value == 2**60 + 1


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        (33, "33"), (0.1, "0.1"), (Fraction(1, 3), "1/3"), ("key", "key"),
        ([2, Fraction(1, 2)], ["2", "1/2"]),
        ({"b", "a"}, ["a", "b"]), (np.int64(33), "33"), (np.float64(0.5), "0.5"),
    ],
)  # fmt: skip
def test_mistakes_are_encoded_so_that_an_answer_takes_them_back(value, encoded):
    assert json.loads(json.dumps(encode(value))) == encoded


def test_like_takes_encoded_mistakes():
    assert Number(33).like(encode(Fraction(1, 3))).accepts(Fraction(1, 3))
    assert ValueSet((1, 2)).like(encode((1, Fraction(1, 2)))) == ValueSet((1, Fraction(1, 2)))
    assert Order(("a", "b")).like(["b", "a"]) == Order(("b", "a"))
    assert Choice("a", ("a", "b")).like("b") == Choice("b", ("a", "b"))


def test_numpy_numbers_become_pythons():
    assert type(Number(np.int64(33)).value) is int
    assert Number(np.float64(1.5), digits=1).accepts(1.5)


def test_whole_numbers_are_exact():
    assert Number(1024).accepts(1024)
    assert not Number(1024).accepts(Fraction(10241, 10))


def test_digits_compare_as_printed():
    answer = Number(1.2904, digits=2)
    assert all(answer.accepts(x) for x in (1.29, 1.285, 1.294, 1.2949))
    assert not any(answer.accepts(x) for x in (1.3, 1.28, 1.2951))


def test_a_tie_prints_either_way():
    assert Number(2.25, digits=1).accepts(2.2)
    assert Number(2.25, digits=1).accepts(2.3)
    assert Number(2.675, digits=2).accepts(2.68)  # though the nearest double is below the tie


def test_rel_is_a_share_of_the_value():
    answer = Number(3.35, rel=0.01)  # 3.3165 to 3.3835
    assert answer.accepts(3.3165)
    assert answer.accepts(3.3835)
    assert not answer.accepts(3.3164)
    assert not answer.accepts(3.3836)


def test_a_broken_mistake_of_an_exact_answer_is_matched_loosely():
    mistake = Number(32).like(15.4)
    assert mistake.rel == MISTAKE_REL
    assert mistake.accepts(15.45)
    assert not mistake.accepts(15.5)


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: Number(True), "True"), (lambda: Number("abc"), "abc"), (lambda: Number("1/0"), "1/0"),
        (lambda: Number(float("nan"), digits=1), "nan"), (lambda: Number(float("inf"), rel=0.1), "inf"),
        (lambda: Number(1.5), "1.5"), (lambda: Number(None), "None"),
        (lambda: Number(1, digits=-1), "-1"), (lambda: Number(1, digits=1, rel=0.1), "either"),
        (lambda: Number(1, rel=1.0), "1.0"), (lambda: Number(1, rel=0), "rel is 0"),
        (lambda: Choice("c", ("a", "b")), "'c'"), (lambda: Choice("a", ("a",)), "two or more"),
        (lambda: Choice("a", ("a", "A")), "different"), (lambda: Choice("a", ("a", "b c")), "b c"),
        (lambda: Order(("a", "a")), "different"), (lambda: Order(("a", "b>c")), "b>c"),
        (lambda: Order(("a", "")), "''"),
        (lambda: ValueSet(("a",)), "'a'"), (lambda: ValueSet(("c",), ("a", "b")), "'c'"),
        (lambda: ValueSet((float("inf"),)), "inf"),
        (lambda: from_json({"type": "essay"}), "essay"), (lambda: from_json({"value": "3"}), "to_json"),
        (lambda: from_json({"type": "number", "value": "3"}), "to_json"),
        (lambda: from_json({"type": "set", "values": 3, "options": []}), "to_json"),
    ],
)  # fmt: skip
def test_bad_answers_are_refused_with_the_value(make, what):
    with pytest.raises(ValueError, match=what):
        make()
