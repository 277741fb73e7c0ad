"""A number as it was typed: 0.1 is one tenth, not the binary fraction next to it.

Ties and thresholds ("from which call on is this way cheaper?") are decided exactly, so 100 ms against 1 ms a call is
a tie at call 100 and not one call earlier or later by rounding.

Source: Python's `repr` of a float is the shortest decimal that reads back as that float.
Left out: numbers that are meant to be binary; they are taken for their shortest decimal.
"""

from fractions import Fraction


def check(name: str, value: float | Fraction, unit: str, least: float, most: float, *, above: bool = False) -> None:
    """Refuse anything but an int, float or Fraction from ``least`` (``above``: more than it) to ``most``.

    True, NaN, infinities, text and numbers outside are a ValueError with the value and the range.

    >>> check("run_ms", 0.0, "ms", 0, 1000, above=True)
    Traceback (most recent call last):
    ValueError: run_ms is 0.0; it must be a number greater than 0 and at most 1000 ms
    """
    number = isinstance(value, int | float | Fraction) and not isinstance(value, bool)
    if not number or not least <= value <= most or (above and value == least):  # NaN compares as False
        allowed = f"greater than {least:g} and at most" if above else f"from {least:g} to"
        raise ValueError(f"{name} is {value!r}; it must be a number {allowed} {most:g} {unit}".rstrip())


def decimal(
    name: str, value: float | Fraction, unit: str, least: float, most: float, *, above: bool = False
) -> Fraction:
    """The exact decimal of a number that `check` lets pass.

    >>> decimal("run_ms", 0.1, "ms", 0, 1000)
    Fraction(1, 10)
    """
    check(name, value, unit, least, most, above=above)
    return Fraction(repr(float(value))) if isinstance(value, float) else Fraction(value)
