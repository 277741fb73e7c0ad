"""What the controls of figure 4.3 ask for: a request to shared memory, and the tile that it is a row or a column of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sim.bank_conflicts import WARP_LANES, WORD_BYTES, Op, SharedAccess, simulate
from sim.tile_addresses import TMA_ROW_BYTES, Swizzle, Tile, TileTotals, parse_pattern
from widgets import pattern_words
from widgets.words import N_, Words

TILES = {"32x32": (32, 32), "64x64": (64, 64), "32x16": (32, 16), "32x8": (32, 8), "16x16": (16, 16), "32x1": (32, 1)}
"""Rows and columns on offer; columns are powers of two, which the XOR layout needs."""


@dataclass(frozen=True, slots=True)
class Trace:
    """One request and, where it is a row or a column, its tile and the totals over all its rows or columns."""

    access: SharedAccess
    tile: Tile | None = None
    whole: TileTotals | None = None


@lru_cache(maxsize=512)
def _whole(tile: Tile, by: str, op: Op) -> TileTotals:
    return tile.by_rows(op) if by == "row" else tile.by_columns(op)


def typed(pattern: str, width: int, op: Op, words: Words) -> Trace:
    """Trace a typed request; ValueError in the reader's language."""
    try:
        addresses = parse_pattern(pattern, width)
    except ValueError as refused:
        raise ValueError(pattern_words.refusal(str(refused), words)) from refused
    return Trace(simulate(addresses, width, op))


def of_tile(tile: Tile, reads: str, index: int, op: Op) -> Trace:
    """Trace a row, a column or one word of a tile."""
    if reads == "word":
        return Trace(simulate([tile.address(0, index)] * WARP_LANES, tile.width_bytes, op))
    addresses = tile.row(index) if reads == "row" else tile.column(index)
    return Trace(simulate(addresses, tile.width_bytes, op), tile, _whole(tile, reads, op))


def tile(name: str, reads: str, index: int, pitch: int, width: int, swizzle: Swizzle, words: Words) -> Tile:
    """Return the tile that is set; ValueError where rows overlap or the row or column is not there."""
    rows, columns = TILES[name]
    if row_bytes := TMA_ROW_BYTES.get(swizzle):
        columns = pitch = row_bytes // width
    elif pitch < columns:
        message = N_("a pitch of {pitch} is less than a row of {columns} elements; it must be at least {columns}")
        raise ValueError(words(message, pitch=pitch, columns=columns))
    size, message = (
        (rows, N_("there is no row {n}; the tile has rows 0 to {last}"))
        if reads == "row"
        else (columns, N_("there is no column {n}; the tile has columns 0 to {last}"))
    )
    if index >= size:
        raise ValueError(words(message, n=index, last=size - 1))
    return Tile(rows, columns, pitch * width // WORD_BYTES, width, swizzle)
