"""Typed patterns against Python's own reading of the same expressions, and every way to get one wrong."""

import random

import pytest

from sim.address_pattern import parse_pattern


def by_python(text, lane):
    return eval(text, {"__builtins__": {}}, {"i": lane})  # only texts written in this file


@pytest.mark.parametrize(
    "text",
    [
        "i",
        "i*4",
        "(i%4)*128 + i//4*4",
        "i*132",
        "31-i",
        "7",
        "i^1",
        "i<<2",
        "(i^i>>2)&31|64",
        "1+2*3<<1&7^i|8",
        "--i",
        "64 - -i",
        "-i*-4",
        "-i%5",
        "-(i+1)//7+5",
        "100-i-1",
        "100//(i+1)//2",
        "(((i)))",
        "\ti * 4\n",
    ],
)
def test_expressions_mean_what_python_means(text):
    assert parse_pattern(text) == tuple(by_python(text.strip(), lane) for lane in range(32))


def random_expression(rng, depth):
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(("i", str(rng.randrange(40))))
    kind = rng.random()
    if kind < 0.15:
        return "-" + random_expression(rng, depth - 1)
    if kind < 0.35:
        return "(" + random_expression(rng, depth - 1) + ")"
    operator = rng.choice(("+", "-", "*", "//", "%", "^", "&", "|", "<<", ">>"))
    space = rng.choice(("", " "))
    left, right = random_expression(rng, depth - 1), random_expression(rng, depth - 1)
    return f"{left}{space}{operator}{space}{right}"


def test_random_expressions_agree_with_python():
    rng = random.Random(7)
    agreed = refused = 0
    for _ in range(3000):
        text = random_expression(rng, 4)
        try:
            found = parse_pattern(text)
        except ValueError as error:
            message = str(error)
            refused += 1
            if "must be ≥ 0, or -1" in message:
                assert any(by_python(text, lane) < -1 for lane in range(32)), text
            else:  # what Python refuses too, or a number beyond the limits
                assert any(w in message for w in ("division by 0", "shift by", "too large")), (text, message)
        else:
            agreed += 1
            assert found == tuple(by_python(text, lane) for lane in range(32)), text
    assert agreed > 1000
    assert refused > 100


@pytest.mark.parametrize("separator", [",", ", ", " ", "\n", " , ", "，", "\t"])
def test_lists(separator):
    numbers = [4 * lane for lane in range(31)] + [-1]
    assert parse_pattern(separator.join(map(str, numbers))) == tuple(numbers)
    assert parse_pattern(separator.join(map(str, numbers)), unit_bytes=4) == (
        *(n * 4 for n in numbers[:-1]),
        -1,
    )


def test_units_scale_addresses_but_not_inactive_lanes():
    assert parse_pattern("i - 1", unit_bytes=16) == (-1, *range(0, 31 * 16, 16))
    assert parse_pattern("-1") == (-1,) * 32


def test_limits_are_inclusive():
    assert parse_pattern(str(2**31 - 1))[0] == 2**31 - 1
    assert parse_pattern("1<<30")[0] == 2**30
    assert parse_pattern("(" * 20 + "i" + ")" * 20) == tuple(range(32))
    assert parse_pattern("+".join(["(-(-i))"] * 30)) == tuple(range(0, 32 * 30, 30))  # side by side
    assert parse_pattern("i" + " " * 999) == tuple(range(32))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"the pattern is empty; type 32 numbers, or an expression in i such as i\*4$"),
        (" \n ", "the pattern is empty"),
        ("i" * 1001, "the pattern has 1,001 characters; at most 1,000 are allowed"),
        ("i*4 + j", '"j" at position 7 is unknown; allowed are whole numbers, i, parentheses and'),
        ("i**2", r'"\*\*" at position 2 is unknown'),
        ("i/2", '"/" at position 2 is unknown'),
        ("i<4", '"<" at position 2 is unknown'),
        ("~i", '"~" at position 1 is unknown'),
        ("0x10", '"x10" at position 2 is unknown'),
        ("1_000", '"_000" at position 2 is unknown'),
        ("1.5", r'"\." at position 2 is unknown'),
        ("i if i else 0", '"if" at position 3 is unknown'),
        ("__import__('os')", '"__import__" at position 1 is unknown'),
        ("i.real", r'"\." at position 2 is unknown'),
        ("²", '"²" at position 1 is unknown'),
        ("٣", '"٣" at position 1 is unknown'),
        ("ｉ*4", '"ｉ" at position 1 is unknown'),
        ("x" * 500, '"xxxxxxxxxxxxxxxxxxxx…" at position 1 is unknown'),
        ("4i", '"i" at position 2 is unexpected; an operator or the end is allowed there'),
        ("i i", '"i" at position 3 is unexpected'),
        ("i*", r"the pattern ends at position 3, where a whole number, i, - or \( is allowed"),
        ("*i", r'"\*" at position 1 is unexpected; a whole number, i, - or \( is allowed there'),
        ("i+*4", r'"\*" at position 3 is unexpected'),
        ("+i", r'"\+" at position 1 is unexpected'),
        ("()", r'"\)" at position 2 is unexpected'),
        ("i)", r'"\)" at position 2 is unexpected; an operator or the end'),
        (
            "(i*4",
            r'the pattern ends at position 5, where an operator or the "\)" of "\(" at position 1 is allowed',
        ),
        ("i*(4 i)", r'"i" at position 6 is unexpected; an operator or the "\)" of "\(" at position 3'),
        ("(" * 21 + "i" + ")" * 21, r'"\(" at position 21 is nested too deep; 20 levels are allowed'),
        ("-" * 900 + "i", '"-" at position 21 is nested too deep'),
        ("4//i", 'lane 0, "//" at position 2: division by 0'),
        ("4%(i-3)", 'lane 3, "%" at position 2: division by 0'),
        (
            "1<<(i+1)",
            'lane 30, "<<" at position 2: the number is too large; at most 2,147,483,647 is allowed',
        ),
        ("i<<32", 'lane 0, "<<" at position 2: shift by 32; it must be in 0..31'),
        ("i>>-1", 'lane 0, ">>" at position 2: shift by -1'),
        ("2147483648", '"2147483648" at position 1: the number is too large'),
        ("i*2147483647*0", r'lane 2, "\*" at position 2: the number is too large'),
        ("9" * 900, '"99999999999999999999…" at position 1: the number is too large'),
        ("i-3", r"lane 0: address -3; it must be ≥ 0, or -1 if inactive"),
        ("0 4 8", "3 numbers given; a list has 32, one a lane"),
        (", ".join("0" * 33), "33 numbers given; a list has 32"),
        ("0,4,i", '"i" at position 5 is not a whole number; a list has 32 of them'),
        ("0,4-1", '"4-1" at position 3 is not a whole number'),
        ("0,,4", "a number is missing at the comma at position 2"),
        (",4", "a number is missing at the comma at position 1"),
        ("0,4,", "a number is missing at the comma at position 4"),
        (",", "a number is missing at the comma at position 1"),
        ("0," * 31 + "2147483648", '"2147483648" at position 63: the number is too large'),
        ("0," * 31 + "-2", "lane 31: address -2; it must be ≥ 0"),
    ],
)
def test_refuses(text, message):
    with pytest.raises(ValueError, match=message):
        parse_pattern(text)


def test_refuses_an_address_that_its_unit_makes_too_large():
    with pytest.raises(ValueError, match="lane 0: the number is too large"):
        parse_pattern("1<<30", unit_bytes=4)


@pytest.mark.parametrize("unit", [0, 3, -4, 32, True, 4.0, "4", None])
def test_refuses_units(unit):
    with pytest.raises(ValueError, match=r"unit_bytes is .*; it must be one of \(1, 2, 4, 8, 16\)"):
        parse_pattern("i", unit_bytes=unit)
