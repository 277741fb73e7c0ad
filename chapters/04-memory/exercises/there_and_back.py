"""A tile stored by rows and loaded by columns: even its wavefronts are not 32 times as many for a 32-way conflict."""

from fractions import Fraction

from sim.tile_addresses import Tile
from widgets.lab import Number

PLAIN, PADDED = Tile(32, 32, 32), Tile(32, 32, 33)


def both(tile: Tile) -> int:
    """Return the wavefronts of storing the tile by rows and loading it by columns."""
    return tile.by_rows("store").wavefronts + tile.by_columns("load").wavefronts


def answer() -> Number:
    """Return how many times as many wavefronts the tile takes without padding."""
    return Number(Fraction(both(PLAIN), both(PADDED)))


def mistakes() -> dict[str, Fraction | int]:
    """Return the factor of the loads alone, and the wavefronts before and after."""
    loads = Fraction(PLAIN.by_columns().wavefronts, PADDED.by_columns().wavefronts)
    return {"loads": loads, "before": both(PLAIN), "after": both(PADDED)}
