"""One column of a tile whose rows start 56 words apart: 56 leaves 24, which shares the factor 8 with 32 banks."""

from sim.bank_conflicts import BANKS, simulate
from sim.tile_addresses import Tile
from widgets.lab import Number

PITCH = 56
ACCESS = simulate(Tile(32, 32, PITCH).column(0))


def answer() -> Number:
    """Return the wavefronts of the request."""
    return Number(ACCESS.wavefronts, "wavefronts")


def mistakes() -> dict[str, int]:
    """Return the banks that are asked, the banks from one row to the next, and the extra wavefronts alone."""
    return {
        "banks": len({bank for service in ACCESS.served for bank in service.banks}),
        "step": PITCH % BANKS,
        "extra": ACCESS.extra_wavefronts,
    }
