"""Byte addresses that a warp issues for a row or a column of a tile in shared memory.

Element (r, c) of a tile lies at r × pitch + c × width bytes. A layout may permute the elements of a row so
that a column spreads over the banks:
- "none": as it stands; a pitch above the row's own size is padding;
- "xor": element c of row r takes the place of element c XOR (r mod columns), for a power of two of columns;
- "tma32", "tma64", "tma128": the swizzles of the unit that moves tiles (TMA): 16-byte chunks change places
  inside rows of 32, 64 or 128 bytes. On a byte address, bit 4, 4-5 or 4-6 ^= bit 7, 7-8 or 7-9.

Source: CUDA C++ Programming Guide 13.0, TMA swizzle (table 25: chunk, widths; a narrower row still takes the
full swizzle width); comment on cuTensorMapEncodeTiled in cuda.h (inner dimension a multiple of 16 bytes).
A column of "xor" and of "tma128" is among the readings of an NVIDIA H200 (chapters/recorded/tables/h200/).
Left out: tiles that do not start where the swizzle's pattern does; the swizzles of 32- and 64-byte chunks.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from sim.address_pattern import parse_pattern
from sim.bank_conflicts import INACTIVE, PART_LANES, WARP_LANES, WORD_BYTES, Op, count

__all__ = ["Swizzle", "Tile", "TileTotals", "column", "parse_pattern", "row", "tma_swizzle"]

Swizzle = Literal["none", "xor", "tma32", "tma64", "tma128"]

TMA_ROW_BYTES = {"tma32": 32, "tma64": 64, "tma128": 128}
TMA_CHUNK_BYTES = 16
MAX_BLOCK_SHARED_BYTES = 232_448
"""227 KiB, the most for one block on compute capability 9.0 and 10.0 (CUDA Programming Guide, 5.1)."""


def tma_swizzle(address: int, row_bytes: int) -> int:
    """Where the TMA swizzle for rows of 32, 64 or 128 bytes puts the byte of this linear address.

    Raises:
        ValueError: a negative address, another row size.

    >>> [tma_swizzle(128 * row, 128) % 128 for row in range(9)]
    [0, 16, 32, 48, 64, 80, 96, 112, 0]
    """
    if type(row_bytes) is not int or row_bytes not in TMA_ROW_BYTES.values():
        raise ValueError(f"row_bytes is {row_bytes!r}; TMA swizzles rows of 32, 64 or 128 bytes")
    if type(address) is not int or address < 0:
        raise ValueError(f"address is {address!r}; it must be a whole number ≥ 0")
    line = address // 128  # the pattern counts 128-byte lines of shared memory, whatever the row's size
    return address ^ line % (row_bytes // TMA_CHUNK_BYTES) * TMA_CHUNK_BYTES


@dataclass(frozen=True, slots=True)
class TileTotals:
    """Totals over all requests that load, or store, each element of a tile once."""

    requests: int
    wavefronts: int
    ideal_wavefronts: int

    @property
    def extra_wavefronts(self) -> int:
        """Wavefronts added by bank conflicts."""
        return self.wavefronts - self.ideal_wavefronts


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile in shared memory, from byte 0 on.

    Raises:
        ValueError: a value outside the ranges below, rows that overlap or are misaligned, a swizzle that does
            not go with the tile, a tile larger than the shared memory of a block.

    >>> Tile(32, 32, pitch_words=33).column(0)[:4], Tile(32, 32, pitch_words=32, swizzle="xor").column(0)[:4]
    ((0, 132, 264, 396), (0, 132, 264, 396))
    """

    rows: int
    """≥ 1."""
    columns: int
    """Elements of a row, ≥ 1."""
    pitch_words: int
    """Distance of successive rows in 4-byte words, at least a row's own size."""
    width_bytes: int = 4
    """Bytes of an element: 4, 8 or 16."""
    swizzle: Swizzle = "none"

    def __post_init__(self) -> None:
        for name in ("rows", "columns", "pitch_words"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise ValueError(f"{name} is {value!r}; it must be a whole number ≥ 1")
        if type(self.width_bytes) is not int or self.width_bytes not in PART_LANES:
            raise ValueError(f"width_bytes is {self.width_bytes!r}; an element has 4, 8 or 16 bytes")
        if self.swizzle not in get_args(Swizzle):
            raise ValueError(f"swizzle is {self.swizzle!r}; it must be one of {', '.join(get_args(Swizzle))}")
        row_bytes, pitch_bytes = self.columns * self.width_bytes, self.pitch_words * WORD_BYTES
        if pitch_bytes < row_bytes:
            raise ValueError(
                f"pitch_words is {self.pitch_words}; a row of {self.columns} × {self.width_bytes} bytes "
                f"needs at least {row_bytes // WORD_BYTES}"
            )
        if pitch_bytes % self.width_bytes:
            raise ValueError(
                f"pitch_words is {self.pitch_words}; rows of {self.width_bytes}-byte elements stay aligned "
                f"only at a multiple of {self.width_bytes // WORD_BYTES}"
            )
        if self.rows * pitch_bytes > MAX_BLOCK_SHARED_BYTES:
            raise ValueError(
                f"{self.rows:,} rows of {pitch_bytes:,} bytes are {self.rows * pitch_bytes:,} bytes; "
                f"a block has at most {MAX_BLOCK_SHARED_BYTES:,}"
            )
        if self.swizzle == "xor" and self.columns & (self.columns - 1):
            raise ValueError(f"columns is {self.columns}; the xor layout needs a power of two")
        if tma := TMA_ROW_BYTES.get(self.swizzle):
            if row_bytes > tma or row_bytes % TMA_CHUNK_BYTES:
                raise ValueError(
                    f"columns is {self.columns}, so a row has {row_bytes} bytes; {self.swizzle} needs "
                    f"a multiple of {TMA_CHUNK_BYTES}, at most {tma}"
                )
            if pitch_bytes != tma:
                raise ValueError(
                    f"pitch_words is {self.pitch_words}; {self.swizzle} places rows every {tma} bytes, "
                    f"so it must be {tma // WORD_BYTES}"
                )

    def address(self, row: int, column: int) -> int:
        """Byte address of an element; ValueError outside the tile."""
        _check_index("row", row, self.rows)
        _check_index("column", column, self.columns)
        if self.swizzle == "xor":
            column ^= row % self.columns
        linear = row * self.pitch_words * WORD_BYTES + column * self.width_bytes
        return tma_swizzle(linear, tma) if (tma := TMA_ROW_BYTES.get(self.swizzle)) else linear

    def column(self, column: int, first_row: int = 0) -> tuple[int, ...]:
        """Lane i's address: row `first_row` + i of a column; -1 past the last row."""
        _check_index("first_row", first_row, self.rows)
        rows = range(first_row, first_row + WARP_LANES)
        return tuple(self.address(row, column) if row < self.rows else INACTIVE for row in rows)

    def row(self, row: int, first_column: int = 0) -> tuple[int, ...]:
        """Lane i's address: column `first_column` + i of a row; -1 past the last column."""
        _check_index("first_column", first_column, self.columns)
        columns = range(first_column, first_column + WARP_LANES)
        return tuple(self.address(row, column) if column < self.columns else INACTIVE for column in columns)

    def by_columns(self, op: Op = "load") -> TileTotals:
        """Totals when warps go through the tile column by column, up to 32 rows a request.

        >>> [Tile(32, 32, pitch).by_columns().extra_wavefronts for pitch in (32, 33)]
        [992, 0]
        """
        starts = range(0, self.rows, WARP_LANES)
        return self._totals((self.column(c, start) for c in range(self.columns) for start in starts), op)

    def by_rows(self, op: Op = "load") -> TileTotals:
        """Totals when warps go through the tile row by row, up to 32 columns a request."""
        starts = range(0, self.columns, WARP_LANES)
        return self._totals((self.row(r, start) for r in range(self.rows) for start in starts), op)

    def _totals(self, requests: Iterable[tuple[int, ...]], op: Op) -> TileTotals:
        counts = [count(addresses, self.width_bytes, op) for addresses in requests]
        wavefronts, ideal = zip(*counts, strict=True)
        return TileTotals(len(counts), sum(wavefronts), sum(ideal))


def column(
    rows: int, columns: int, column: int, pitch_words: int, width_bytes: int = 4, swizzle: Swizzle = "none"
) -> tuple[int, ...]:
    """Addresses of a warp on rows 0..31 of one column of such a `Tile`.

    >>> column(8, 8, column=0, pitch_words=32, width_bytes=16, swizzle="tma128")[6:10]
    (864, 1008, -1, -1)
    """
    return Tile(rows, columns, pitch_words, width_bytes, swizzle).column(column)


def row(
    rows: int, columns: int, row: int, pitch_words: int, width_bytes: int = 4, swizzle: Swizzle = "none"
) -> tuple[int, ...]:
    """Addresses of a warp on columns 0..31 of one row of such a `Tile`.

    >>> row(32, 32, row=1, pitch_words=32, swizzle="xor")[:4]
    (132, 128, 140, 136)
    """
    return Tile(rows, columns, pitch_words, width_bytes, swizzle).row(row)


def _check_index(name: str, index: int, size: int) -> None:
    if type(index) is not int or not 0 <= index < size:
        raise ValueError(f"{name} is {index!r}; it must be a whole number in 0..{size - 1}")
