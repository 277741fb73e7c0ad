"""One number of a key head for 32 tokens, one token a lane: what moves for each byte that is used."""

from fractions import Fraction

from sim.coalescing import simulate, strided
from widgets.lab import Number

KEY_HEADS, HEAD_NUMBERS, BF16_BYTES = 8, 128, 2  # Qwen3-8B, config.json
TOKENS_APART = KEY_HEADS * HEAD_NUMBERS  # in BF16 numbers
COLUMN = simulate(strided(BF16_BYTES, TOKENS_APART), BF16_BYTES)
FLOATS = simulate(strided(4, TOKENS_APART), 4)


def answer() -> Number:
    """Return the bytes moved for each byte used."""
    return Number(Fraction(COLUMN.bytes_moved, COLUMN.bytes_used))


def mistakes() -> dict[str, Fraction | int]:
    """Return the ratio for floats, the sectors, and all bytes moved."""
    return {
        "floats": Fraction(FLOATS.bytes_moved, FLOATS.bytes_used),
        "sectors": COLUMN.sectors,
        "moved": COLUMN.bytes_moved,
    }
