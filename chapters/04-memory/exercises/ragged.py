"""A 6 × 6 product in tiles of 4 × 4: the tile does not divide, so n / t is rounded up."""

from sim.tiling_reads import loads
from widgets.lab import Number

N, TILE = 6, 4


def answer() -> Number:
    """Return the element loads of A and B."""
    return Number(loads(N, TILE), "loads")


def mistakes() -> dict[str, int]:
    """Return 2n³/t as if t divided n, and the loads of whole staging and of none."""
    return {"divided": 2 * N**3 // TILE, "whole": loads(N, N), "naive": loads(N, 1)}
