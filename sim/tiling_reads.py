"""Tiling: how often a matrix product reads each element of A and B when a block stages t × t tiles.

C = A·B, all n × n. One block computes one t × t tile of C. For each tile of the inner dimension it loads a tile of A
and a tile of B, once each, and then multiplies from the staged copies. Each element of A is loaded once for every
tile column of C, each element of B once for every tile row: 2n³/t loads when t divides n, 2n²·⌈n/t⌉ in general
(elements outside the matrix are not loaded). With t = 1 nothing is shared: the naive product. The n³ multiplications
and their order in each sum stay the same.

Source: CUDA C++ Best Practices Guide, "Shared Memory in Matrix Multiplication"; the counts are of a loop that runs.
Left out: sectors, caches and what really crosses the memory bus: this is an ideal count of logical reads, not a
promise about traffic; where the staged tiles live and whether they fit; writing C.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sim.inputs import whole

MAX_N = 16  # a trace to read, not a workload
MAX_VALUE = 1e100  # leaves the sums far from float64's overflow

Number = int | float
Matrix = tuple[tuple[Number, ...], ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One block loads one tile of A and one of B and adds their product to its tile of C."""

    block: tuple[int, int]
    """Row and column of the tile of C, in tiles."""
    inner: int
    """Which tile of the inner dimension."""
    a_loads: tuple[tuple[int, int], ...]
    """(row, column) of each element of A loaded, in the order of the loop."""
    b_loads: tuple[tuple[int, int], ...]
    multiplications: int
    sums: Matrix
    """The block's tile of C after this step."""

    @property
    def loads(self) -> int:
        """Elements loaded in this step."""
        return len(self.a_loads) + len(self.b_loads)


@dataclass(frozen=True, slots=True)
class TiledProduct:
    """The whole trace of one product."""

    tile: int
    steps: tuple[Step, ...]
    product: Matrix

    @property
    def loads(self) -> int:
        """Element loads of A and B together."""
        return sum(step.loads for step in self.steps)

    @property
    def multiplications(self) -> int:
        """Scalar multiplications."""
        return sum(step.multiplications for step in self.steps)


def simulate(a: Sequence[Sequence[Number]], b: Sequence[Sequence[Number]], tile: int) -> TiledProduct:
    """Multiply two n × n matrices tile by tile, counting each load as it happens.

    Args:
        a, b: rows of numbers, n × n with n in 1..16.
        tile: side t of a tile, 1..n; 1 is the naive product, n stages both matrices whole.

    Raises:
        ValueError: matrices that are not n × n, a number that is not finite or is beyond ±1e100, a tile outside 1..n.

    >>> a, b = [[1, 2], [3, 4]], [[5, 6], [7, 8]]
    >>> naive, staged = simulate(a, b, tile=1), simulate(a, b, tile=2)
    >>> staged.product
    ((19, 22), (43, 50))
    >>> naive.loads, staged.loads, naive.multiplications, staged.multiplications
    (16, 8, 8, 8)
    """
    n = len(a)
    _check(a, b, tile)
    steps: list[Step] = []
    product: list[list[Number]] = [[0] * n for _ in range(n)]
    starts = range(0, n, tile)
    for i0 in starts:
        for j0 in starts:
            rows, columns = range(i0, min(i0 + tile, n)), range(j0, min(j0 + tile, n))
            sums: list[list[Number]] = [[0] * len(columns) for _ in rows]
            for k0 in starts:
                inner = range(k0, min(k0 + tile, n))
                a_staged: dict[tuple[int, int], Number] = {}
                b_staged: dict[tuple[int, int], Number] = {}
                for i in rows:
                    for k in inner:
                        a_staged[i, k] = a[i][k]
                for k in inner:
                    for j in columns:
                        b_staged[k, j] = b[k][j]
                multiplications = 0
                for i in rows:
                    for j in columns:
                        for k in inner:
                            sums[i - i0][j - j0] += a_staged[i, k] * b_staged[k, j]
                            multiplications += 1
                block = i0 // tile, j0 // tile
                so_far = _frozen(sums)
                steps.append(Step(block, k0 // tile, tuple(a_staged), tuple(b_staged), multiplications, so_far))
            for i in rows:
                product[i][j0 : j0 + len(columns)] = sums[i - i0]
    return TiledProduct(tile, tuple(steps), _frozen(product))


def loads(n: int, tile: int) -> int:
    """Element loads of an n × n product in tiles of any size: 2n²·⌈n/t⌉, which is 2n³/t when t divides n.

    Raises:
        ValueError: n or tile is not a whole number, n < 1, or tile outside 1..n.

    >>> [loads(4, tile) for tile in (1, 2, 4)]
    [128, 64, 32]
    """
    whole("n", n, 1)
    whole("tile", tile, 1, n)
    return 2 * n**2 * -(-n // tile)


def _frozen(rows: Sequence[Sequence[Number]]) -> Matrix:
    return tuple(tuple(row) for row in rows)


def _check(a: Sequence[Sequence[Number]], b: Sequence[Sequence[Number]], tile: int) -> None:
    n = len(a)
    if not 1 <= n <= MAX_N:
        raise ValueError(f"a has {n} rows; 1..{MAX_N} are allowed")
    for name, matrix in (("a", a), ("b", b)):
        if len(matrix) != n:
            raise ValueError(f"{name} has {len(matrix)} rows; both matrices must be {n} × {n}")
        for i, row in enumerate(matrix):
            if len(row) != n:
                raise ValueError(f"row {i} of {name} has {len(row)} numbers; both matrices must be {n} × {n}")
            for j, value in enumerate(row):
                if type(value) not in (int, float) or not abs(value) <= MAX_VALUE:
                    raise ValueError(f"{name}[{i}][{j}] is {value!r}; it must be a number within ±{MAX_VALUE:g}")
    whole("tile", tile, 1, n)
