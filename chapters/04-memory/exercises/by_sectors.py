"""Five requests of a warp, by the sectors that they touch, whatever the order of the lanes."""

from sim.coalescing import simulate, strided
from widgets.lab import Order

WEIGHT_COLUMNS = 12_288
SECTORS = {
    "a": simulate(strided(4, stride=2), 4).sectors,  # every second float
    "b": simulate(strided(4, stride=-1, offset_bytes=124), 4).sectors,  # a row, from its end to its start
    "c": simulate(strided(4, stride=WEIGHT_COLUMNS), 4).sectors,  # a column of the weight
    "d": simulate(strided(2), 2).sectors,  # a row of BF16
    "e": simulate(strided(4, offset_bytes=4), 4).sectors,  # a row, one float late
}


def answer() -> Order:
    """Return the requests, fewest sectors first."""
    if len(set(SECTORS.values())) < len(SECTORS):
        raise ValueError(f"two requests touch as many sectors: {SECTORS}; an order needs all different")
    return Order(tuple(sorted(SECTORS, key=SECTORS.__getitem__)))


def mistakes() -> dict[str, list[str]]:
    """Return the orders with backwards as costly as a stride, with a stride for free, and with the widest first."""
    right = list(answer().keys)
    rest = [key for key in right if key not in ("b", "a")]
    return {
        "backwards": [*(key for key in right if key not in ("b", "c")), "b", "c"],
        "stride": [rest[0], "a", "b", *rest[1:]],
        "most_first": right[::-1],
    }
