"""Six items through two slots, synchronised each time: computing is the longer side and sets the pace."""

from sim.pipeline import simulate
from widgets.lab import Number

ITEMS, MOVE_US, COMPUTE_US, SYNC_US = 6, 0.9, 1.2, 0.1


def answer() -> Number:
    """Return when the last item is done."""
    return Number(simulate(ITEMS, MOVE_US, COMPUTE_US, 2, sync_us=SYNC_US).total_us, "µs", digits=1)


def mistakes() -> dict[str, float]:
    """Return the end without synchronisation, with one, without overlap, and with moves that set the pace."""
    no_sync = simulate(ITEMS, MOVE_US, COMPUTE_US, 2).total_us
    serial = simulate(ITEMS, MOVE_US, COMPUTE_US, 1, sync_us=SYNC_US).total_us
    return {
        "no_sync": round(no_sync, 1),
        "once": round(no_sync + SYNC_US, 1),
        "serial": round(serial, 1),
        "moves": round(ITEMS * MOVE_US + SYNC_US + COMPUTE_US, 1),
    }
