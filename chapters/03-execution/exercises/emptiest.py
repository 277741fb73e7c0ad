"""Four launches of equal blocks, ordered by the busy share of their places."""

from sim.block_scheduler import Schedule, equal, simulate
from widgets.lab import Order

SMS = 132
LAUNCHES: dict[str, Schedule] = {
    key: simulate(equal(blocks, 10.0), SMS, per_sm)
    for key, (blocks, per_sm) in {"A": (265, 1), "B": (400, 2), "C": (300, 4), "D": (265, 2)}.items()
}
KEYS = tuple(sorted(LAUNCHES, key=lambda key: LAUNCHES[key].busy_share))


def answer() -> Order:
    """Return the launches from the lowest share to the highest."""
    return Order(KEYS)


def mistakes() -> dict[str, tuple[str, ...]]:
    """Return most waves first, the launch of one wave put last, and the order from its end."""
    single = [key for key in KEYS if LAUNCHES[key].waves == 1]
    return {
        "by_waves": tuple(sorted(KEYS, key=lambda key: -LAUNCHES[key].waves)),
        "no_tail": (*(key for key in KEYS if key not in single), *single),
        "reversed": KEYS[::-1],
    }
