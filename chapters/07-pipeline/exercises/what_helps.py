"""Four changes to the pipeline that figure 7.1 opens with, ordered by when all is done."""

from sim.pipeline import simulate
from widgets.lab import Order

TOTALS = {
    "A": simulate(4, 1.29, 0.28, 3).total_us,
    "B": simulate(4, 1.29, 0.14, 2).total_us,
    "C": simulate(4, 0.645, 0.28, 2).total_us,
    "D": simulate(4, 1.29, 0.0, 1).total_us,
}
KEYS = tuple(sorted(TOTALS, key=lambda key: TOTALS[key]))


def answer() -> Order:
    """Return the changes from the earliest end to the latest."""
    return Order(KEYS)


def mistakes() -> dict[str, tuple[str, ...]]:
    """Return faster arithmetic put first, one slot put last, and the order from its end."""
    return {
        "compute": ("D", "B", "C", "A"),
        "slots": (*(key for key in KEYS if key != "D"), "D"),
        "last_first": KEYS[::-1],
    }
