"""Softmax of long rows in three ways: how often each reads a row, and the time that follows from its bytes.

Three passes read a row for its maximum, for the sum and for the result; the online recurrence has maximum and sum
after one pass and needs a second for the result; a block that keeps the row reads it once. Each writes the result
once. If no cache helps and nothing but bytes takes time, the ways stand to each other as 4 : 3 : 2.

Source: M. Milakov, N. Gimelshein, arXiv 1805.02867 (four memory accesses an element with three passes, three with the
online recurrence).
Left out: caches that keep a row between passes, arithmetic, blocks that wait for each other.
"""

from typing import Literal, get_args

from sim.inputs import positive, whole

Way = Literal["three passes", "online", "one block"]
PASSES: dict[str, int] = {"three passes": 3, "online": 2, "one block": 1}
"""How often each way reads its row."""
MAX_ELEMENTS = 2**40
MAX_US = 1e9


def bytes_moved(way: Way, rows: int, columns: int, element_bytes: int = 4) -> int:
    """Bytes read and written; rows × columns at most 2^40, elements of 1 to 16 bytes. ValueError otherwise.

    >>> [bytes_moved(way, 1024, 1024) >> 20 for way in ("three passes", "online", "one block")]
    [16, 12, 8]
    """
    if way not in get_args(Way):
        raise ValueError(f"way is {way!r}; it must be one of {', '.join(get_args(Way))}")
    whole("rows", rows, 1, MAX_ELEMENTS)
    whole("columns", columns, 1, MAX_ELEMENTS // rows)
    whole("element_bytes", element_bytes, 1, 16)
    return (PASSES[way] + 1) * rows * columns * element_bytes


def from_three_passes(way: Way, three_passes_us: float) -> float:
    """Time in µs of a way, if three passes over the same rows take ``three_passes_us`` (0 to 1e9, 0 excluded).

    >>> from_three_passes("online", 100.0), from_three_passes("one block", 100.0)
    (75.0, 50.0)
    """
    positive("three_passes_us", three_passes_us, "µs", MAX_US)
    return three_passes_us * bytes_moved(way, 1, 1) / bytes_moved("three passes", 1, 1)
