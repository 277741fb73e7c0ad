"""A 64 × 64 tile read by columns: two requests a column, and in each as many lanes a bank as 72 and 32 share."""

from sim.tile_addresses import Tile
from widgets.lab import Number

WHOLE = Tile(64, 64, 72).by_columns()


def answer() -> Number:
    """Return the extra wavefronts of the whole tile."""
    return Number(WHOLE.extra_wavefronts, "wavefronts")


def mistakes() -> dict[str, int]:
    """Return all wavefronts, those that the width needs, and the extra ones of one request a column."""
    return {
        "all": WHOLE.wavefronts,
        "needed": WHOLE.ideal_wavefronts,
        "once": WHOLE.extra_wavefronts // 2,
    }
