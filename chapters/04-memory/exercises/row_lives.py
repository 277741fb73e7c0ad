"""How many lines a cache needs so that the row of A lives from one output to the next."""

from sim.row_reuse import RowReuse, simulate
from widgets.lab import Number

COLUMNS, DEPTH, LINE = 4, 12, 4


def walk(cache_lines: int) -> RowReuse:
    """Walk the outputs of one row of C in the order i, j, k."""
    return simulate(COLUMNS, DEPTH, cache_lines, "ijk", line_elements=LINE)


ALL_LINES = sum(walk(1).first_misses.values())


def answer() -> Number:
    """Return the fewest lines with which A misses only what cannot be avoided."""
    return Number(next(lines for lines in range(1, ALL_LINES + 1) if walk(lines).row_survives), "lines")


def mistakes() -> dict[str, int]:
    """Return the lines of A's row, those of a column of B, and those of everything touched."""
    first = walk(1).first_misses
    return {"row": first["A"], "column": first["B"], "everything": ALL_LINES}
