"""Roofline: the most that a kernel of a given arithmetic intensity can reach.

Intensity = FLOP / bytes moved, in FLOP per byte. A machine that computes at most `peak` and moves at most `bandwidth`
lets it reach attainable = min(peak, intensity × bandwidth). Both limits meet at the ridge, peak / bandwidth: left of
it the bytes set the time, right of it the FLOP. FLOP is work, FLOP/s is a rate; one fused multiply-add is 2 FLOP.

Source: S. Williams, A. Waterman, D. Patterson, "Roofline: An Insightful Visual Performance Model for Multicore
Architectures", CACM 52(4), 2009, DOI 10.1145/1498765.1498785.
Left out: why a kernel stays below the roof (`sim.below_the_roof`); caches, each of which has a roof of its own;
overlap that is not perfect: the time is the longer of the two, not their sum.
"""

from dataclasses import dataclass
from sys import float_info
from typing import Literal

Side = Literal["memory", "ridge", "compute"]

MAX_POINTS = 1000


@dataclass(frozen=True, slots=True)
class Placement:
    """One kernel on one machine."""

    intensity_flop_per_byte: float
    ridge_flop_per_byte: float
    attainable_flop_per_s: float
    compute_s: float
    """Least time for the FLOP alone."""
    memory_s: float
    """Least time for the bytes alone."""

    @property
    def seconds(self) -> float:
        """Least time of the kernel."""
        return max(self.compute_s, self.memory_s)

    @property
    def side(self) -> Side:
        """Which limit sets the time; "ridge" when both do. It proves neither unit busy."""
        if self.compute_s == self.memory_s:
            return "ridge"
        return "compute" if self.compute_s > self.memory_s else "memory"


def attainable(peak_flop_per_s: float, bandwidth_byte_per_s: float, intensity_flop_per_byte: float) -> float:
    """The roof over an intensity, in FLOP/s.

    Args:
        peak_flop_per_s, bandwidth_byte_per_s: > 0.
        intensity_flop_per_byte: ≥ 0.

    Raises:
        ValueError: a value that is not a finite number in its range.

    >>> [attainable(20e12, 500e9, intensity) / 1e12 for intensity in (1, 10, 40, 100)]
    [0.5, 5.0, 20.0, 20.0]
    """
    _check_machine(peak_flop_per_s, bandwidth_byte_per_s)
    _check("intensity_flop_per_byte", intensity_flop_per_byte, zero=True)
    return min(float(peak_flop_per_s), float(intensity_flop_per_byte) * bandwidth_byte_per_s)


def ridge(peak_flop_per_s: float, bandwidth_byte_per_s: float) -> float:
    """The intensity, in FLOP per byte, from which the peak can be reached.

    Raises:
        ValueError: a value that is not a finite number > 0.

    >>> ridge(20e12, 500e9)
    40.0
    """
    _check_machine(peak_flop_per_s, bandwidth_byte_per_s)
    return peak_flop_per_s / bandwidth_byte_per_s


def intensity(flop: float, bytes_moved: float) -> float:
    """FLOP per byte.

    Raises:
        ValueError: FLOP < 0, bytes ≤ 0, or not finite numbers.

    The same 103 GFLOP, C = A·W with M, K, N = 1024, 4096, 12288, each matrix moved once or in tiles of 128 × 128:

    >>> [round(intensity(2 * 1024 * 4096 * 12288, mib * 2**20), 1) for mib in (128, 1560)]
    [768.0, 63.0]
    """
    _check("flop", flop, zero=True)
    _check("bytes_moved", bytes_moved)
    return flop / bytes_moved


def place(flop: float, bytes_moved: float, peak_flop_per_s: float, bandwidth_byte_per_s: float) -> Placement:
    """Where a kernel lies under a machine's roof, and the least time that its FLOP and its bytes take.

    Raises:
        ValueError: as `intensity` and `ridge`.

    >>> vector_add = place(flop=1e9, bytes_moved=12e9, peak_flop_per_s=20e12, bandwidth_byte_per_s=500e9)
    >>> vector_add.side, vector_add.seconds
    ('memory', 0.024)
    """
    found = intensity(flop, bytes_moved)
    roof = attainable(peak_flop_per_s, bandwidth_byte_per_s, found)
    at = ridge(peak_flop_per_s, bandwidth_byte_per_s)
    return Placement(found, at, roof, flop / peak_flop_per_s, bytes_moved / bandwidth_byte_per_s)


def roof(
    peak_flop_per_s: float, bandwidth_byte_per_s: float, lowest: float, highest: float, points: int = 50
) -> tuple[tuple[float, float], ...]:
    """(intensity, attainable) to draw, evenly spaced on a log axis from lowest to highest, the ridge among them.

    Raises:
        ValueError: a limit that is not a finite number > 0, limits out of order, points outside 2..1,000.

    >>> roof(20e12, 500e9, lowest=10, highest=1000, points=3)
    ((10.0, 5000000000000.0), (40.0, 20000000000000.0), (100.0, 20000000000000.0), (1000.0, 20000000000000.0))
    """
    at = ridge(peak_flop_per_s, bandwidth_byte_per_s)
    _check("lowest", lowest)
    _check("highest", highest)
    if lowest >= highest:
        raise ValueError(f"lowest is {lowest!r}; it must be less than highest, {highest!r}")
    if type(points) is not int or not 2 <= points <= MAX_POINTS:
        raise ValueError(f"points is {points!r}; it must be a whole number in 2..{MAX_POINTS:,}")
    inner = {lowest * (highest / lowest) ** (k / (points - 1)) for k in range(1, points - 1)}
    at_ridge = {at} if lowest < at < highest else set()
    spaced = sorted({float(lowest), float(highest)} | inner | at_ridge)
    return tuple((x, attainable(peak_flop_per_s, bandwidth_byte_per_s, x)) for x in spaced)


def _check_machine(peak_flop_per_s: float, bandwidth_byte_per_s: float) -> None:
    _check("peak_flop_per_s", peak_flop_per_s)
    _check("bandwidth_byte_per_s", bandwidth_byte_per_s)


def _check(name: str, value: float, zero: bool = False) -> None:
    number = type(value) in (int, float)  # a bool is an int, but no rate
    if not (number and (0 < value <= float_info.max or (zero and value == 0))):
        raise ValueError(f"{name} is {value!r}; it must be a finite number {'≥' if zero else '>'} 0")
