"""How many turns of a column are extra."""

from widgets.lab import Number


def answer() -> Number:
    """32 columns, 31 extra turns each."""
    return Number(32 * 31, "turns")


def mistakes() -> dict[str, int]:
    """All turns."""
    return {"all": 32 * 32}
