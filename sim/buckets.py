"""Which padded sizes to keep programs for: few pad, many must each be captured and kept.

A call is rounded up to the next bucket. With c buckets the best set is found over the sizes that calls have (another
size only pads), from small to large: the last bucket takes every call above the one before it. Then the ready time is
c × one program's, the memory c × one program's, and a group takes its executed rows times the time a row.

Source: R. Bellman, "Dynamic Programming", 1957 (the best set up to a bucket holds the best set up to the one before);
the padding of captured batch sizes as in vLLM, "CUDA Graphs". 200 ms a program is half of 400 ms for two buckets, and
12.4 ms for 8,192 rows the time a row (the example of sim/dynamic_shapes.py); 64 MiB a program is a choice.
Left out: programs that share memory; caches that many programs push each other out of; sizes that change by the hour.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sim.decimals import decimal
from sim.inputs import whole

MAX_CALLS = 1000  # of a group
MAX_ROWS = 1 << 20
MAX_SIZES = 32  # different ones
MAX_MS = 1e9
MAX_GROUPS = 10**9
PROGRAM_MS = 200.0
MS_PER_ROW = Fraction(124, 81920)
PROGRAM_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Choice:
    """The best set of so many buckets, and what it costs."""

    buckets: tuple[int, ...]
    executed_rows: int
    ready_ms: float
    group_ms: float
    total_ms: float
    memory_bytes: int


def executed_rows(calls: Sequence[int], buckets: Sequence[int] = ()) -> int:
    """Rows executed for 1 to 1000 calls of 1 to 2^20 rows, each rounded up to the next bucket, if there are any.

    Raises ValueError for other calls, buckets that do not rise, and a call that no bucket holds.

    >>> executed_rows([256, 600, 2048], [512, 2048])
    4608
    """
    whole("the number of calls", len(calls), 1, MAX_CALLS)
    for i, bucket in enumerate(buckets):
        whole(f"bucket {i}", bucket, 1, MAX_ROWS)
        if i and bucket <= buckets[i - 1]:
            raise ValueError(f"bucket {i} is {bucket}; it must be larger than the one before, {buckets[i - 1]}")
    for i, rows in enumerate(calls):
        whole(f"the rows of call {i}", rows, 1, MAX_ROWS)
        if buckets and rows > buckets[-1]:
            raise ValueError(f"call {i} has {rows} rows; the largest bucket holds {buckets[-1]}")
    return sum(buckets[bisect_left(buckets, rows)] if buckets else rows for rows in calls)


def best_buckets(calls: Sequence[int], count: int) -> tuple[int, ...]:
    """The ``count`` buckets that execute the fewest rows; of equals, the ones with the smallest sizes first.

    Raises ValueError for calls that `executed_rows` refuses, more than 32 different sizes, or a count that is not
    from 1 to the number of different sizes.

    >>> [best_buckets([256] * 8 + [1536, 2048], count) for count in (1, 2, 3)]
    [(2048,), (256, 2048), (256, 1536, 2048)]
    """
    return _sets(calls, count)[-1][1]


def sweep(
    calls: Sequence[int],
    groups: int,
    *,
    program_ms: float = PROGRAM_MS,
    ms_per_row: float | Fraction = MS_PER_ROW,
    program_bytes: int = PROGRAM_BYTES,
) -> tuple[Choice, ...]:
    """The best set of 1, 2, … buckets, one up to a bucket for each size, over 0 to 1e9 groups.

    Times from 0 to 1e9 ms, ``program_bytes`` from 0 to 2^40; ValueError for anything else, else as `best_buckets`.

    >>> [(choice.buckets, choice.executed_rows, choice.total_ms) for choice in sweep([256] * 8 + [2048], 100)]
    [((2048,), 18432, 2990.0), ((256, 2048), 4096, 1020.0)]
    """
    whole("groups", groups, 0, MAX_GROUPS)
    whole("program_bytes", program_bytes, 0, 1 << 40)
    program = decimal("program_ms", program_ms, "ms", 0, MAX_MS)
    row = decimal("ms_per_row", ms_per_row, "ms", 0, MAX_MS)
    choices = []
    for executed, buckets in _sets(calls, len(set(calls))):
        ready, group = len(buckets) * program, executed * row
        total = float(ready + groups * group)
        memory = len(buckets) * program_bytes
        choices.append(Choice(buckets, executed, float(ready), float(group), total, memory))
    return tuple(choices)


def _sets(calls: Sequence[int], most: int) -> list[tuple[int, tuple[int, ...]]]:
    """The best sets of 1 to ``most`` buckets, with the rows that they execute."""
    executed_rows(calls)  # refuses what no group can be
    counts = Counter(calls)
    sizes = sorted(counts)
    whole("the number of different sizes", len(sizes), 1, MAX_SIZES)
    whole("count", most, 1, len(sizes))
    upto = [0]  # calls of the i smallest sizes
    for size in sizes:
        upto.append(upto[-1] + counts[size])
    # row i: the fewest rows for the calls of the i + 1 smallest sizes, and the buckets, of which the last is size i
    table: list[tuple[int, tuple[int, ...]]] = [(size * upto[i + 1], (size,)) for i, size in enumerate(sizes)]
    found = [table[-1]]
    for chosen in range(1, most):
        longer = table[:chosen]  # too few sizes up to there: never looked at again
        for i in range(chosen, len(sizes)):
            size, held = sizes[i], upto[i + 1]
            rows = [table[j][0] + size * (held - upto[j + 1]) for j in range(chosen - 1, i)]
            least = min(rows)
            sets = [table[j][1] for j in range(chosen - 1, i) if rows[j - chosen + 1] == least]
            longer.append((least, (*min(sets), size)))
        table = longer
        found.append(table[-1])
    return found
