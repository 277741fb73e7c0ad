"""Exact numbers: what a decimal text says, what a value prints as, and how either travels in JSON.

Numbers travel as text ("1/3", "0.1"), so that no reader of JSON in between can round them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from numbers import Rational
from typing import Any


def exact(value: object, where: str) -> Fraction:
    """Return a number as the fraction its decimal text says: 0.1 is 1/10. ValueError for anything else.

    >>> exact(0.1, "value"), exact("1/3", "value")
    (Fraction(1, 10), Fraction(1, 3))
    """
    if isinstance(value, bool) or not isinstance(value, (Rational, float, str)):
        raise ValueError(f"{where} is {value!r}; a number is needed")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{where} is {value!r}; a finite number is needed")
    try:
        if isinstance(value, Rational):
            return Fraction(int(value.numerator), int(value.denominator))  # of NumPy's integers too
        return Fraction(str(float(value)) if isinstance(value, float) else value)
    except (ValueError, ZeroDivisionError) as problem:
        raise ValueError(f"{where} is {value!r}; a number or a fraction like 1/3 is needed") from problem


def printed(value: Fraction, digits: int) -> set[int]:
    """Return what a value prints as, in units of the last of `digits` decimals; a tie prints either way.

    >>> printed(Fraction("2.57"), 1), sorted(printed(Fraction("2.25"), 1))
    ({26}, [22, 23])
    """
    scaled = value * 10**digits
    return {math.floor(scaled + Fraction(1, 2)), math.ceil(scaled - Fraction(1, 2))}


def encode(value: Any) -> Any:
    """Return a value (of an answer or a known mistake) as JSON: numbers as text, collections as lists."""
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, str) or not isinstance(value, Iterable):
        return str(value)
    return sorted(map(encode, value)) if isinstance(value, (set, frozenset)) else [*map(encode, value)]
