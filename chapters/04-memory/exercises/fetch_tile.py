"""A kernel fetches a 32 × 32 tile of floats down the columns of the weight: four changes, and what each leaves."""

from collections.abc import Iterable

from sim.coalescing import WARP_LANES, simulate, strided
from widgets.lab import Choice

PITCH, SIDE = 12_288, 32  # of the weight and of the tile, in floats


def sectors(requests: Iterable[tuple[tuple[int, ...], int]]) -> int:
    """Return the sectors of requests, given as addresses and bytes a lane, without a cache."""
    return sum(simulate(addresses, width).sectors for addresses, width in requests)


def column(start: int, pitch: int) -> tuple[int, ...]:
    """Addresses of one float in each of 32 rows."""
    return strided(4, pitch, offset_bytes=4 * start)


SECTORS = {
    "a": sectors((column(c, PITCH)[::-1], 4) for c in range(SIDE)),  # lanes in reverse
    "b": sectors((column(c, PITCH + 1), 4) for c in range(SIDE)),  # one more float after each row
    "c": sectors((tuple(4 * PITCH * lane + 16 * part for lane in range(WARP_LANES)), 16) for part in range(SIDE // 4)),
    "d": sectors((strided(4, offset_bytes=4 * PITCH * row), 4) for row in range(SIDE)),  # lanes along the rows
}


def answer() -> Choice:
    """Return the repair that leaves the fewest sectors."""
    return Choice(min(SECTORS, key=SECTORS.__getitem__), tuple(SECTORS))
