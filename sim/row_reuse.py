"""Reuse of a row: whether the cache still holds a row of A when the next output needs it.

C = A·B with A rows × depth, B depth × columns, C rows × columns, all row-major, each row starting a new line. Three
loops i (rows), j (columns), k (depth) stand in the order given, outermost first. The innermost step reads A[i][k],
then B[k][j], then touches the sum C[i][j]; with k innermost the sum stays in a register and C[i][j] is touched once,
after the loop over k.

The cache holds `cache_lines` lines, any line anywhere, and evicts the least recently used. A touch of a line that is
not there is a miss, be it a read or a write. The first miss on a line cannot be avoided; later ones are evictions.

Source: R. Mattson et al., "Evaluation techniques for storage hierarchies", IBM Systems Journal 9(2), 1970 (LRU, stack
distance: an access hits exactly when fewer than `cache_lines` other lines were touched since its line was last used).
Left out: sets and associativity, the replacement a real GPU cache uses (not documented), other warps, writing back.
"""

from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, permutations, product, takewhile
from typing import Literal

from sim.inputs import whole

Array = Literal["A", "B", "C"]
Line = tuple[Array, int]

ORDERS = tuple("".join(order) for order in permutations("ijk"))
MAX_STEPS = 2048  # innermost steps: rows × columns × depth


@dataclass(frozen=True, slots=True)
class Access:
    """One touch of one element."""

    array: Array
    row: int
    column: int
    output: tuple[int, int]
    """(i, j) of the output being worked on."""
    line: int
    """Number of the line inside its array."""
    hit: bool
    first: bool
    """Whether the line had never been touched before."""
    evicted: Line | None
    """(array, line) that made room."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Cache and counts after some of the accesses."""

    held: tuple[Line, ...]
    """Lines in the cache, the least recently used first: the first one is the next to go."""
    first: dict[Line, int]
    """Access, counted from 1, that brought a line for the first time: a miss that no cache avoids."""
    extra: dict[Line, int]
    """How often a line had to come again, where it had to."""


@dataclass(frozen=True, slots=True)
class RowReuse:
    """The whole trace of one walk."""

    order: str
    cache_lines: int
    accesses: tuple[Access, ...]
    line_elements: int
    shapes: dict[Array, tuple[int, int]]
    """Rows and columns of A, B and C."""
    row_needs: int
    """Fewest lines of cache with which `row_survives`: the most lines in use from one use of A's to the next."""

    @property
    def touches(self) -> dict[str, int]:
        """Accesses to each array, hits and misses."""
        count: Counter[str] = Counter(access.array for access in self.accesses)
        return {array: count[array] for array in "ABC"}

    @property
    def misses(self) -> dict[str, int]:
        """Misses of each array."""
        count: Counter[str] = Counter(access.array for access in self.accesses if not access.hit)
        return {array: count[array] for array in "ABC"}

    @property
    def total_misses(self) -> int:
        """Misses of the three arrays."""
        return sum(self.misses.values())

    @property
    def first_misses(self) -> dict[str, int]:
        """Lines of each array that are touched at all: misses that no cache avoids."""
        count: Counter[str] = Counter(access.array for access in self.accesses if access.first)
        return {array: count[array] for array in "ABC"}

    @property
    def row_survives(self) -> bool:
        """Whether every later use of A still finds its line."""
        return self.misses["A"] == self.first_misses["A"]

    def after(self, count: int) -> Snapshot:
        """Return the cache and the misses of each line after `count` accesses.

        Raises:
            ValueError: not a whole number from 0 to the number of accesses.
        """
        whole("count", count, 0, len(self.accesses))
        held: dict[Line, None] = {}
        first: dict[Line, int] = {}
        extra: Counter[Line] = Counter()
        for number, access in enumerate(islice(self.accesses, count), 1):
            key: Line = (access.array, access.line)
            if access.hit:
                del held[key]
            elif access.first:
                first[key] = number
            else:
                extra[key] += 1
            if access.evicted:
                del held[access.evicted]
            held[key] = None
        return Snapshot(tuple(held), first, dict(extra))

    def place(self, line: Line) -> tuple[int, int, int]:
        """Return row, first and last column of a line's elements; a row's last line may have fewer.

        >>> simulate(columns=3, depth=8, cache_lines=4, line_elements=4).place(("A", 1))
        (0, 4, 7)
        """
        array, number = line
        width = self.shapes[array][1]
        row, part = divmod(number, -(-width // self.line_elements))
        start = part * self.line_elements
        return row, start, min(start + self.line_elements, width) - 1

    def row_misses(self) -> dict[tuple[int, int], int]:
        """Misses of A while each output was worked on, outputs in the order first visited."""
        count = {access.output: 0 for access in self.accesses}
        for access in self.accesses:
            count[access.output] += access.array == "A" and not access.hit
        return count


def simulate(
    columns: int, depth: int, cache_lines: int, order: str = "ijk", rows: int = 1, line_elements: int = 8
) -> RowReuse:
    """Walk the outputs and count what the cache misses.

    Args:
        columns, depth, rows: sizes of the product, ≥ 1; their product is at most 2,048 steps.
        cache_lines: lines that the cache holds, ≥ 1.
        order: the loops, outermost first: "ijk", "ikj", "jik", "jki", "kij" or "kji".
        line_elements: elements of a line, ≥ 1; 8 floats make a sector of 32 bytes.

    Raises:
        ValueError: a value that is not a whole number in its range, too many steps, another order.

    One row of A, 16 elements on two lines, for 4 outputs. A column of B takes 16 lines, so 19 hold everything:

    >>> [simulate(columns=4, depth=16, cache_lines=c).misses for c in (19, 12, 11)]
    [{'A': 2, 'B': 16, 'C': 1}, {'A': 2, 'B': 64, 'C': 4}, {'A': 8, 'B': 64, 'C': 4}]
    >>> simulate(columns=4, depth=16, cache_lines=3, order="ikj").misses
    {'A': 2, 'B': 16, 'C': 1}
    """
    sizes = {"columns": columns, "depth": depth, "cache_lines": cache_lines}
    for name, value in (sizes | {"rows": rows, "line_elements": line_elements}).items():
        whole(name, value, 1)
    if (steps := rows * columns * depth) > MAX_STEPS:
        raise ValueError(f"{rows} × {columns} × {depth} are {steps:,} steps; at most {MAX_STEPS:,} are allowed")
    if order not in ORDERS:
        raise ValueError(f"order is {order!r}; it must be one of {', '.join(ORDERS)}")
    row_lines = {"A": -(-depth // line_elements), "B": -(-columns // line_elements), "C": -(-columns // line_elements)}
    cache: OrderedDict[Line, None] = OrderedDict()  # least recently used first
    seen: set[Line] = set()
    accesses = []
    for array, row, column, output in _touches(rows, columns, depth, order):
        line = row * row_lines[array] + column // line_elements
        key: Line = (array, line)
        hit, evicted = key in cache, None
        if hit:
            cache.move_to_end(key)
        else:
            if len(cache) == cache_lines:
                evicted = cache.popitem(last=False)[0]
            cache[key] = None
        accesses.append(Access(array, row, column, output, line, hit, key not in seen, evicted))
        seen.add(key)
    shapes: dict[Array, tuple[int, int]] = {"A": (rows, depth), "B": (depth, columns), "C": (rows, columns)}
    return RowReuse(order, cache_lines, tuple(accesses), line_elements, shapes, _row_needs(accesses))


def _row_needs(accesses: Sequence[Access]) -> int:
    """Return the largest stack distance of A's lines, each line itself included."""
    recent: dict[Line, None] = {}  # least recently used first
    needs = 1
    for access in accesses:
        key: Line = (access.array, access.line)
        if key in recent:
            if access.array == "A":
                since = takewhile(key.__ne__, reversed(recent))
                needs = max(needs, 1 + sum(1 for _ in since))
            del recent[key]
        recent[key] = None
    return needs


def _touches(rows: int, columns: int, depth: int, order: str) -> Iterator[tuple[Array, int, int, tuple[int, int]]]:
    """(array, row, column, output) of each touch."""
    sizes = {"i": rows, "j": columns, "k": depth}
    for point in product(*(range(sizes[loop]) for loop in order)):
        i, j, k = (point[order.index(loop)] for loop in "ijk")
        yield "A", i, k, (i, j)
        yield "B", k, j, (i, j)
        if order[-1] != "k" or k == depth - 1:
            yield "C", i, j, (i, j)
