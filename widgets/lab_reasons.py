"""Why a number is not right yet, where its relation to the right one says so.

Each reason states a relation that holds; what it suggests is put as a question. The right value is
never named.
"""

from __future__ import annotations

import math
from fractions import Fraction

from widgets.answers import Number
from widgets.lab_numerals import Numeral, clean, quote
from widgets.lab_units import senses
from widgets.words import Words

ALIKE = Fraction(1, 500)  # tells a factor of 1,000 from 1,024 ten times over
CLOSE = Fraction(1, 50)
EXACT_DIGITS = 15  # of a float


def shown(value: Fraction, words: Words) -> str:
    """Format any number: exactly with up to six decimals, else four digits after "≈"; far out with powers."""
    for digits in range(7):
        if (value * 10**digits).denominator == 1 and abs(value * 10**digits) < 10**EXACT_DIGITS:
            return words.num(float(value), digits)
    size = math.floor(math.log10(abs(value)))
    if -4 <= size < EXACT_DIGITS:
        return "≈ " + words.num(float(value), max(0, 3 - size))
    power = str(size).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{shown(value / Fraction(10) ** size, words)} × 10{power}"


def reason(given: Fraction, numeral: Numeral, answer: Number, unit: str, said: str, words: Words) -> str:
    """Return one sentence about `given`, a wrong number in `unit`, which the reader sees as `said`."""
    if numeral.dotted and answer.accepts(given * 1000):
        return words("A dot is read as the decimal mark here: did you mean thousands?")
    related = _related(given, numeral, answer, unit, words) if given and answer.fraction else ""
    return (
        related
        or _rounded(given, numeral, answer, unit, said, words)
        or _direction(given, answer.fraction, said, words)
    )


def _related(given: Fraction, numeral: Numeral, answer: Number, unit: str, words: Words) -> str:
    """Name a relation between two numbers other than 0: sign, percent, prefix, reciprocal."""
    ratio = given / answer.fraction
    kind, factor = next(iter(senses(clean(unit))), ("", Fraction(1)))
    if answer.accepts(-given):
        return words("The size is right; look at the sign.")
    if (kind, factor) == ("share", Fraction(1, 100)) and answer.accepts(given * 100):
        return words("That is the share of 1; this answer is in percent.")
    if not unit and not numeral.rest and answer.fraction.denominator > 1 and answer.accepts(given / 100):
        return words("That is the percentage; write % after it, or give the share of 1.")
    if kind in ("", "share") and _alike(given * answer.fraction, Fraction(1)):
        return words("That is the reciprocal: is it the other way round?")
    if kind in ("bytes", "bytes/s") and any(_is(ratio, Fraction(1024, 1000) ** n) for n in (1, 2, 3)):
        return words("Powers of 1,024 and powers of 1,000 may be mixed up: KiB or kB?")
    for size in (base**n for n in (1, 2, 3) for base in (1000, 1024)):
        if _is(ratio, Fraction(size)):
            factor_said = words.num(size)
            if kind:
                return words("You are off by a factor of {factor}: is the unit right?", factor=factor_said)
            return words("You are off by a factor of {factor}.", factor=factor_said)
    return ""


def _alike(a: Fraction, b: Fraction) -> bool:
    return abs(a - b) <= ALIKE * abs(b)


def _is(ratio: Fraction, size: Fraction) -> bool:
    return _alike(ratio, size) or _alike(ratio, 1 / size)


def _rounded(given: Fraction, numeral: Numeral, answer: Number, unit: str, said: str, words: Words) -> str:
    """Say so if the number is the right one, written with too few digits."""
    if numeral.decimals is None or not given:
        return ""
    factor = given / numeral.values[0]
    off = abs(given - answer.fraction)
    if off > abs(factor) / (2 * 10**numeral.decimals) or (factor != 1 and off > CLOSE * abs(answer.fraction)):
        return ""
    if factor != 1 and unit:
        return words("“{text}” is rounded: give the answer in {unit}.", text=quote(numeral.text), unit=unit)
    if answer.digits is not None:
        return words.plural(
            "You said {said}: that is rounded too far; give {n} decimal place.",
            "You said {said}: that is rounded too far; give {n} decimal places.",
            answer.digits, said=said,
        )  # fmt: skip
    if answer.rel is not None:
        return words("You said {said}: that is rounded too far; give one digit more.", said=said)
    if answer.fraction.denominator > 1:
        return words("You said {said}: that is rounded; this answer is exact, a fraction will do.", said=said)
    return words("You said {said}: that is rounded; this answer is exact.", said=said)


def _direction(given: Fraction, right: Fraction, said: str, words: Words) -> str:
    if abs(given - right) <= CLOSE * abs(right):
        if given > right:
            return words("You said {said}: close, but a little too large.", said=said)
        return words("You said {said}: close, but a little too small.", said=said)
    if given > right:
        return words("You said {said}, which is too large.", said=said)
    return words("You said {said}, which is too small.", said=said)
