"""What a simulator refuses at its door: a number of the wrong kind or outside its range.

Source: the house rule that bad input is refused with its value and the allowed range, and never clamped.
Left out: sequences and text, which each simulator checks for itself.
"""


def whole(name: str, value: int, least: int, most: int | None = None) -> None:
    """Refuse anything but an int from least to most (None: no upper limit); True and 3.0 are refused, too.

    >>> whole("stages", 2, 1, 64)
    >>> whole("stages", 2.0, 1, 64)
    Traceback (most recent call last):
    ValueError: stages is 2.0; it must be a whole number from 1 to 64
    """
    if type(value) is not int or value < least or (most is not None and value > most):
        allowed = f"≥ {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name} is {value!r}; it must be a whole number {allowed}")


def positive(name: str, value: float, unit: str, most: float = 1e30) -> None:
    """Refuse anything but a finite number greater than 0 and at most ``most``.

    >>> positive("bandwidth_byte_per_s", 0, "B/s")
    Traceback (most recent call last):
    ValueError: bandwidth_byte_per_s is 0; it must be a number of B/s greater than 0 and at most 1e+30
    """
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 < value <= most:  # false for NaN and infinity, too
        raise ValueError(f"{name} is {value!r}; it must be a number of {unit} greater than 0 and at most {most:g}")


def number(name: str, value: float, least: float, most: float, unit: str) -> None:
    """Refuse anything but an int or float from least to most; True, NaN and text are refused, too.

    >>> number("move_us", 0, 0, 1e9, "µs")
    >>> number("move_us", float("nan"), 0, 1e9, "µs")
    Traceback (most recent call last):
    ValueError: move_us is nan; it must be a number from 0 to 1e+09 µs
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise ValueError(f"{name} is {value!r}; it must be a number from {least:g} to {most:g} {unit}".rstrip())


def jitter(value: float) -> None:
    """Refuse anything but a number of at least 0 and less than 1.

    >>> jitter(1.0)
    Traceback (most recent call last):
    ValueError: jitter is 1.0; it must be a number of at least 0 and less than 1
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
        raise ValueError(f"jitter is {value!r}; it must be a number of at least 0 and less than 1")
