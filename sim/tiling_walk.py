"""A tiled product move by move: a block loads a pair of tiles, then all its outputs take one product each, k by k.

The t × t outputs of a block stand for its threads, which work side by side: one "load" move brings a tile of A and a
tile of B, and one "multiply" move for each k inside the tile adds a[i][k] · b[k][j] to each output (i, j) of the
block. Each sum takes its products in the order of k, as in `sim.tiling_reads`, whose steps these moves subdivide.

Source: CUDA C++ Programming Guide, "Shared Memory" (the product with and without shared memory): load, barrier, loop
over k. Left out: blocks that run at the same time (they come one after the other here), and how long a move takes.
"""

from dataclasses import dataclass
from itertools import islice
from typing import Literal

from sim.inputs import whole
from sim.tiling_reads import MAX_N, Matrix, Number, TiledProduct, simulate

Counts = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Move:
    """One move of a block, and the counts after it."""

    kind: Literal["load", "multiply"]
    step: int
    """Index of the step of the product that this belongs to."""
    k: int | None
    """Column of A and row of B that are multiplied; None for a load."""
    loads: int
    """Elements loaded so far."""
    multiplications: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The three matrices after a move, element by element."""

    a_loads: Counts
    b_loads: Counts
    terms: Counts
    """Products in each sum of C: 0 where its block has not begun, n where it is complete."""
    sums: Matrix
    before: Matrix
    """Each sum without its last product; 0 where there is none."""


@dataclass(frozen=True, slots=True)
class Walk:
    """A product and all its moves."""

    a: Matrix
    b: Matrix
    trace: TiledProduct
    moves: tuple[Move, ...]

    def after(self, count: int) -> Snapshot:
        """Return the matrices after `count` moves.

        Raises:
            ValueError: not a whole number from 0 to the number of moves.
        """
        whole("count", count, 0, len(self.moves))
        n = len(self.a)
        a_loads, b_loads, terms = ([[0] * n for _ in range(n)] for _ in range(3))
        sums: list[list[Number]] = [[0] * n for _ in range(n)]
        before: list[list[Number]] = [[0] * n for _ in range(n)]
        for move in islice(self.moves, count):
            step = self.trace.steps[move.step]
            if move.k is None:
                for i, k in step.a_loads:
                    a_loads[i][k] += 1
                for k, j in step.b_loads:
                    b_loads[k][j] += 1
            else:
                for i, j in self.outputs(move):
                    before[i][j] = sums[i][j]
                    sums[i][j] += self.a[i][move.k] * self.b[move.k][j]
                    terms[i][j] += 1
        counts = _frozen(a_loads), _frozen(b_loads), _frozen(terms)
        return Snapshot(*counts, tuple(map(tuple, sums)), tuple(map(tuple, before)))

    def outputs(self, move: Move) -> tuple[tuple[int, int], ...]:
        """Return (row, column) of each output of the block that makes this move."""
        step, n, t = self.trace.steps[move.step], len(self.a), self.trace.tile
        rows, columns = (range(at * t, min(at * t + t, n)) for at in step.block)
        return tuple((i, j) for i in rows for j in columns)


def walk(a: Matrix, b: Matrix, tile: int) -> Walk:
    """Multiply two n × n matrices tile by tile, move by move.

    Args and errors as `sim.tiling_reads.simulate`.

    >>> small = walk(*example(2), tile=2)
    >>> [(move.kind, move.k, move.loads, move.multiplications) for move in small.moves]
    [('load', None, 8, 0), ('multiply', 0, 8, 4), ('multiply', 1, 8, 8)]
    >>> small.after(2).sums, small.after(3).sums
    (((5, 6), (15, 18)), ((19, 22), (43, 50)))
    """
    trace = simulate(a, b, tile)
    moves, loads, multiplications = [], 0, 0
    for at, step in enumerate(trace.steps):
        loads += step.loads
        moves.append(Move("load", at, None, loads, multiplications))
        inner = sorted({k for _, k in step.a_loads})
        for k in inner:
            multiplications += step.multiplications // len(inner)
            moves.append(Move("multiply", at, k, loads, multiplications))
    return Walk(tuple(map(tuple, a)), tuple(map(tuple, b)), trace, tuple(moves))


def example(n: int) -> tuple[Matrix, Matrix]:
    """Return A and B, n × n, filled with 1 to 9 over and over: A row by row, then B.

    Raises:
        ValueError: n is not a whole number from 1 to 16.

    >>> example(2)
    (((1, 2), (3, 4)), ((5, 6), (7, 8)))
    """
    whole("n", n, 1, MAX_N)
    numbers = [i % 9 + 1 for i in range(2 * n * n)]
    rows = [tuple(numbers[at : at + n]) for at in range(0, 2 * n * n, n)]
    return tuple(rows[:n]), tuple(rows[n:])


def _frozen(rows: list[list[int]]) -> Counts:
    return tuple(map(tuple, rows))
