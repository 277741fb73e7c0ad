"""Where lines of memory lie in a drawing: four a row, each a frame around four sectors of eight words.

A lane's width is 1 in x, y counts px of a wide page. A slot is the place of a line: 0, 1, 2 … from the top left.
"""

from __future__ import annotations

from functools import cache

from sim.coalescing import LINE_BYTES, SECTOR_BYTES, WARP_LANES

PER_ROW, ROWS = 4, 8
"""Room for 32 lines: as many as a warp can touch."""
WORD_BYTES = 4
SECTORS, WORDS = LINE_BYTES // SECTOR_BYTES, SECTOR_BYTES // WORD_BYTES
TOP, PITCH, HEIGHT = -112.0, 40.0, 17.0
"""y of the first row, from row to row, and of a line."""
GAP = 0.7
"""Between two lines of a row."""

_LEFT = (GAP - 1) / 2  # of a line, from its first lane's middle
_PAD, _SECTOR_GAP, _WORD_GAP = 0.16, 0.09, 0.035
_INSET = 3  # px between a frame and its words

Box = tuple[float, float, float, float]
"""left, right, bottom, top"""


@cache
def frame(slot: int) -> Box:
    """Return the frame of the line in a slot."""
    row, column = divmod(slot, PER_ROW)
    width = WARP_LANES / PER_ROW
    left, top = width * column + _LEFT, TOP - PITCH * row
    return left, left + width - GAP, top - HEIGHT, top


@cache
def middle(slot: int, sector: int) -> float:
    """Return the x in which a thread to that sector ends."""
    first, last = word(slot, sector, 0), word(slot, sector, WORDS - 1)
    return (first[0] + last[1]) / 2


@cache
def word(slot: int, sector: int, number: int) -> Box:
    """Return the box of one of a sector's eight words."""
    left, right, bottom, top = frame(slot)
    sector_width = (right - left - 2 * _PAD - (SECTORS - 1) * _SECTOR_GAP) / SECTORS
    width = (sector_width - (WORDS - 1) * _WORD_GAP) / WORDS
    start = left + _PAD + sector * (sector_width + _SECTOR_GAP) + number * (width + _WORD_GAP)
    return start, start + width, bottom + _INSET, top - _INSET


def part(slot: int, sector: int, first: int, end: int) -> Box:
    """Return the box of a sector's bytes `first` … `end` − 1, all of one word."""
    number = first // WORD_BYTES
    left, right, bottom, top = word(slot, sector, number)
    byte = (right - left) / WORD_BYTES
    start = number * WORD_BYTES
    return left + byte * (first - start), left + byte * (end - start), bottom, top


@cache
def sector_words(slot: int, sector: int) -> tuple[Box, ...]:
    """Return the boxes of a sector's words."""
    return tuple(word(slot, sector, number) for number in range(WORDS))
