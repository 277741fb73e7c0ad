"""How much a whole gains when a part of it gets faster: 1/((1 − f) + f/s), never more than 1/(1 − f).

f is the share of the time before that is spent in the part, s how many times as fast the part becomes.

Source: G. M. Amdahl, "Validity of the single processor approach to achieving large scale computing capabilities",
AFIPS 1967, in the form that is usual since.
Left out: parts that overlap, so that a share says little (sim/critical_path.py); a part that slows another down.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from sim.decimals import decimal
from sim.inputs import whole

MAX_FACTOR = 1e9
MAX_POINTS = 400
MAX_MS = 1e12


@dataclass(frozen=True, slots=True)
class Gain:
    """One part, one factor."""

    fraction: float
    factor: float
    speedup: float
    limit: float
    """With a part that takes no time at all; inf if the part is everything."""

    @property
    def saved_share(self) -> float:
        """Of the time before, what is gone: 1 − 1/speedup."""
        return 1 - 1 / self.speedup


def gain(fraction: float, factor: float) -> Gain:
    """The law for ``fraction`` in [0, 1] and ``factor`` in (0, 1e9], below 1 if the part slows; ValueError otherwise.

    >>> gain(0.5, 2.0)
    Gain(fraction=0.5, factor=2.0, speedup=1.3333333333333333, limit=2.0)
    """
    f = decimal("fraction", fraction, "", 0, 1)
    s = decimal("factor", factor, "", 0, MAX_FACTOR, above=True)
    # (1 − f) + f/s over one denominator: few fractions to reduce
    return Gain(float(f), float(s), float(s / (s - f * s + f)), float(1 / (1 - f)) if f < 1 else inf)


def from_times(part_before_ms: float, part_after_ms: float, whole_before_ms: float) -> Gain:
    """Where a measured part sits, by its times before and after and the whole's before, all in (0, 1e12] ms.

    Raises ValueError for other times, and for a whole that is shorter than its part.

    >>> kernel = from_times(40.0, 10.0, 100.0)
    >>> kernel.fraction, kernel.factor, f"{kernel.speedup:.3f}", f"{kernel.limit:.3f}"
    (0.4, 4.0, '1.429', '1.667')
    """
    before = decimal("part_before_ms", part_before_ms, "ms", 0, MAX_MS, above=True)
    after = decimal("part_after_ms", part_after_ms, "ms", 0, MAX_MS, above=True)
    total = decimal("whole_before_ms", whole_before_ms, "ms", float(before), MAX_MS)
    limit = float(total / (total - before)) if total > before else inf
    return Gain(float(before / total), float(before / after), float(total / (total - before + after)), limit)


def curve(fraction: float, factors: Sequence[float]) -> tuple[Gain, ...]:
    """`gain` at 1 to 400 factors; ValueError as there."""
    whole("the number of factors", len(factors), 1, MAX_POINTS)
    return tuple(gain(fraction, factor) for factor in factors)


def factor_for(fraction: float, speedup: float) -> float | None:
    """How many times as fast the part must become for the whole to gain ``speedup`` (1 to 1e9); None: it cannot.

    >>> factor_for(0.5, 1.5), factor_for(0.5, 2.0)
    (3.0, None)
    """
    f, wanted = decimal("fraction", fraction, "", 0, 1), decimal("speedup", speedup, "", 1, MAX_FACTOR)
    left = 1 / wanted - (1 - f)  # of the time before, what the part may take
    if wanted == 1:
        return 1.0
    return float(f / left) if left > 0 else None
