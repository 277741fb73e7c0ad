"""Distances between floating-point numbers, counted in ULP (units in the last place).

One ULP at x is the spacing of a format near x: 2^(E - f) where 2^E <= |x| < 2^(E+1) and f is the number of
fraction bits; below the smallest normal number it no longer shrinks. An error in ULP is a real number; the
distance between two numbers of the format is the whole number of steps from one to the next.

Source: D. Goldberg, "What Every Computer Scientist Should Know About Floating-Point Arithmetic", ACM
Computing Surveys 23(1), 1991, 1.2 (errors in ulps, against a real number).
Left out: distances to infinity and NaN.
"""

from math import frexp, isfinite

from sim.formats import FP32, Format, decode, encode


def ulp(value: float, fmt: Format = FP32) -> float:
    """Spacing of ``fmt`` at a finite ``value``: 2^(E - fraction_bits); at 0 the smallest number."""
    if not isfinite(value):
        raise ValueError(f"value is {value}; only a finite number has neighbours")
    exponent = max(frexp(value)[1] - 1, fmt.min_exponent) if value else fmt.min_exponent
    return 2.0 ** (exponent - fmt.fraction_bits)


def error_in_ulp(computed: float, exact: float, fmt: Format = FP32) -> float:
    """(computed - exact) in ULP of ``fmt`` at ``exact``: signed, not a whole number in general."""
    return (computed - exact) / ulp(exact, fmt)


def ulp_distance(a: float, b: float, fmt: Format = FP32) -> int:
    """How many steps from one number of ``fmt`` to the next lead from ``a`` to ``b``, >= 0.

    Raises ValueError for a value that is not a finite number of ``fmt``.

    >>> ulp_distance(1.0, 1 + 2**-23), ulp_distance(-(2.0**-149), 2.0**-149), ulp_distance(0.0, -0.0)
    (1, 2, 0)
    """
    given = (float(a), float(b))
    codes: list[int] = encode(given, fmt).tolist()
    for value, back in zip(given, decode(codes, fmt).tolist(), strict=True):
        if not isfinite(value) or value != back:
            raise ValueError(f"{value!r} is not a finite number of {fmt.name}; round it first")
    sign = 1 << (fmt.bits - 1)
    first, second = (code if code < sign else sign - code for code in codes)
    return abs(first - second)
