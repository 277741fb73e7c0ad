from fractions import Fraction

import pytest

from widgets.lab_numerals import LARGEST, MAX_POWER, Unreadable, clean, quote, read, readings
from widgets.words import Words

WORDS = Words("en")
DECIDED = {  # the module's table, case by case
    "1024": [1024], "1 024": [1024], "1'024": [1024], "1_024": [1024], "1,024,000": [1024000],
    "1.024.000": [1024000], "1 024 000": [1024000], "007": [7],
    "1,024": [1024, "1.024"], "12,345": [12345, "12.345"],
    "1.024": ["1.024"], "1,5": ["1.5"], "1,0242": ["1.0242"], "0,125": ["0.125"], "1024,5": ["1024.5"],
    "1234,567": ["1234.567"], ".5": ["0.5"], "5.": [5],
    "1.024,5": ["1024.5"], "1,024.5": ["1024.5"], "1 024,5": ["1024.5"], "1'024.50": ["1024.5"],
    "1,024.500": ["1024.5"], "1.024,500": ["1024.5"],
    "12,34,5": [], "1,02.5": [], "1 02": [], "0,123,456": [], "1,024 000": [], "1.2.3": [], "12 34": [],
}  # fmt: skip


@pytest.mark.parametrize(("body", "meant"), DECIDED.items())
def test_marks_are_read_as_decided(body, meant):
    assert readings(body) == tuple(map(Fraction, meant))


@pytest.mark.parametrize(
    ("text", "value", "rest"),
    [
        ("1.5e3", 1500, ""), ("1.5E+3 B", 1500, "B"), ("1,5e-3", "0.0015", ""), ("1.5 × 10^3", 1500, ""),
        ("1.5×10³", 1500, ""), ("1.5·10⁻³ s", "0.0015", "s"), ("2x10^4", 20000, ""), ("10^6", 10**6, ""),
        ("10⁶", 10**6, ""), ("2**10", 1024, ""), ("2⁻²⁴", Fraction(1, 2**24), ""), ("-2^2", -4, ""),
        ("1/3", "1/3", ""), ("−1 ⁄ 3 ms", "-1/3", "ms"), ("½", "1/2", ""), ("¾ KiB", "3/4", "KiB"),
        ("1 024/3", "1024/3", ""), ("百分之31", 31, "%"), ("约 5", 5, ""), ("≈5 GB/s.", 5, "GB/s"),
        ("= 32 warps", 32, "warps"), ("+ 7", 7, ""), ("－７．５％", "-7.5", "%"), ("٣٢", 32, ""),
        ("0。5", "0.5", ""), ("1\u200b024", 1024, ""), ("3 KiB", 3, "KiB"), ("5 /s", 5, "/s"),
        ("1½", "3/2", ""), ("3 6/7 slots", "27/7", "slots"), ("-1 1/2", "-3/2", ""), ("27÷7", "27/7", ""),
    ],
)  # fmt: skip
def test_a_number_and_what_follows(text, value, rest):
    numeral = read(clean(text), WORDS)
    assert (numeral.values, numeral.rest) == ((Fraction(value),), rest)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("abc", "no number"), ("∞", "no number"), ("-inf", "no number"), ("nan", "no number"),
        ("+", "no number"),
        ("--5", "does not begin"), ("it is 5", "does not begin"), ("$5", "does not begin"),
        ("±5", "does not begin"),
        ("12 34", "more than one"), ("3-5", "more than one"), ("1, 024", "more than one"),
        ("1 7/2", "more than one"), ("12 34/7 5", "more than one"),
        ("16 x 16", "more than one"), ("0x400", "more than one"),
        ("1/3/5", "more than one"), ("5①", "more than one"),
        ("1/0", "by zero"), ("0^-1", "by zero"), ("5/0.0", "by zero"),
        ("1e999", "out of range"), ("1e-99", "out of range"), ("9^99", "out of range"),
        ("9" * 99, "out of range"),
        ("10^-31", "out of range"), ("1e" + "9" * 300, "out of range"),
    ],
)  # fmt: skip
def test_what_is_no_number_says_what_it_is(text, why):
    with pytest.raises(Unreadable, match=why):
        read(clean(text), WORDS)


def test_bounds_of_the_range_are_readable():
    assert read("1e30", WORDS).values == (LARGEST,)
    assert read("1e-30", WORDS).values == (Fraction(1, LARGEST),)
    assert read(f"1^{MAX_POWER}", WORDS).values == (1,)


@pytest.mark.parametrize(
    ("text", "decimals", "plain", "dotted"),
    [
        ("1024", 0, True, False), ("1.50", 2, True, False), ("1.024", 3, True, True),
        ("0.125", 3, True, False),
        ("1,024", 0, False, False), ("1,50", 2, False, False), ("1,024,000.5", 1, True, False),
        ("1e3", None, False, False), ("1/8", None, False, False), ("1.024e3", None, False, False),
    ],
)  # fmt: skip
def test_how_it_was_written(text, decimals, plain, dotted):
    numeral = read(text, WORDS)
    assert (numeral.decimals, numeral.plain, numeral.dotted) == (decimals, plain, dotted)


def test_what_is_quoted_is_short_and_printable():
    assert quote("a\x00b\ud800") == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}"
    assert quote("a" * 99) == "a" * 39 + "…"
    assert quote(clean("2 × 3")) == "2 × 3"
