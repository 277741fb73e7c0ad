"""Three unequal paths after a common part: slots are the sum, whatever the number of lanes."""

from fractions import Fraction

from sim.divergence import WARP_LANES, simulate
from widgets.lab import Number

COMMON = 6
LENGTHS = (12, 5, 11)
LANES = (4, 16, 12)
PATHS = [path for path, lanes in enumerate(LANES) for _ in range(lanes)]
TRACE = simulate(PATHS, LENGTHS, COMMON)


def answer() -> Number:
    """Return the issue slots."""
    return Number(TRACE.issue_slots, "slots")


def mistakes() -> dict[str, int | Fraction]:
    """Return what comes out of the longest path, without the common part, and of the mean lane."""
    return {
        "longest": COMMON + max(LENGTHS),
        "no_common": TRACE.issue_slots - COMMON,
        "mean": Fraction(TRACE.lane_slots, WARP_LANES),
    }
