"""Flash attention under a shared-memory budget: more rows of Q at a time, or more rows of K and V?

A block holds, for a rows of Q against b rows of K or V with head size d: Q (a·d) and K or V, one after the other in
one buffer (b·d), as elements; scores (a·b) and output (a·d) in FP32; three FP32 numbers a row, the maximum, the
denominator and the factor. With elements of 2 bytes: 2ad + 2bd + 4ab + 4ad + 12a. Every block of a rows scans all of
K and V, so K and V are read ⌈L/a⌉ times: fewer rows of K and V at a time leave room for more rows of Q and fewer
scans, but each update of the running softmax then does less, and its matrix products get a thin side.

Source: T. Dao, arXiv 2307.08691 (Q in the outer loop, K and V scanned inside); sizes of instructions as in
sim/mma_pieces.py.
Left out: the causal mask; scans of L that L2 serves; registers in place of shared memory; occupancy; rounding a up
or down to whole instructions.
"""

from dataclasses import dataclass

from sim.inputs import whole
from sim.mma_pieces import BF16

FP32_BYTES = 4
ROW_STATE_BYTES = 3 * FP32_BYTES  # maximum, denominator, factor
MAX_SHARED_BYTES = 2**24
MAX_HEAD_DIM = 1024
MAX_KV_ROWS = 2**16
MAX_SLOTS = 16
MAX_LENGTH = 2**24


@dataclass(frozen=True, slots=True)
class Plan:
    """One choice of b for one head; bytes are those of one block unless they say otherwise."""

    q_rows: int
    """a: the most that fit."""
    kv_rows: int
    """b."""
    scans: int
    """How often K and V are read whole: blocks of Q, ⌈L/a⌉."""
    kv_blocks: int
    """Blocks of K and V in a scan, ⌈L/b⌉."""
    q_bytes: int
    kv_bytes: int
    """The buffer of K or V and the prefetch slots."""
    score_bytes: int
    output_bytes: int
    state_bytes: int
    kv_read_bytes: int
    """Of K and V, by all blocks."""

    @property
    def shared_bytes(self) -> int:
        """All that a block holds."""
        return self.q_bytes + self.kv_bytes + self.score_bytes + self.output_bytes + self.state_bytes

    @property
    def updates(self) -> int:
        """Pairs of a Q block and a K/V block: each computes scores, rescales and adds to the output."""
        return self.scans * self.kv_blocks

    @property
    def scores_share(self) -> float:
        """Useful share of Q·Kᵀ along b, which whole instructions cover in steps of 8."""
        return self.kv_rows / _rounded_up(self.kv_rows, BF16[1])

    @property
    def values_share(self) -> float:
        """Useful share of P·V along b, which whole instructions cover in steps of 16."""
        return self.kv_rows / _rounded_up(self.kv_rows, BF16[2])


def largest_q_rows(
    shared_bytes: int, head_dim: int, kv_rows: int, prefetch_slots: int = 0, element_bytes: int = 2
) -> int:
    """The most rows a of Q that fit; 0 if not one does.

    Args:
        shared_bytes: the budget, 0 to 2²⁴.
        head_dim: d, 1 to 1024.
        kv_rows: b, 1 to 65,536.
        prefetch_slots: further buffers of b·d elements for what is needed next, 0 to 16.
        element_bytes: of Q, K and V, 1 to 8.

    Raises:
        ValueError: anything else.

    >>> largest_q_rows(101_376, 128, 64), largest_q_rows(101_376, 128, 1)
    (82, 128)
    """
    whole("shared_bytes", shared_bytes, 0, MAX_SHARED_BYTES)
    whole("head_dim", head_dim, 1, MAX_HEAD_DIM)
    whole("kv_rows", kv_rows, 1, MAX_KV_ROWS)
    whole("prefetch_slots", prefetch_slots, 0, MAX_SLOTS)
    whole("element_bytes", element_bytes, 1, 8)
    left = shared_bytes - (1 + prefetch_slots) * element_bytes * kv_rows * head_dim
    row = element_bytes * head_dim + FP32_BYTES * (kv_rows + head_dim) + ROW_STATE_BYTES
    return max(left // row, 0)


def plan(
    length: int,
    shared_bytes: int,
    head_dim: int,
    kv_rows: int,
    prefetch_slots: int = 0,
    element_bytes: int = 2,
) -> Plan:
    """All of one head with L = ``length`` (1 to 2²⁴) queries and as many keys, the rest as in `largest_q_rows`.

    Raises ValueError also when not a single row of Q fits.

    >>> wide, thin = plan(8192, 101_376, 128, 64), plan(8192, 101_376, 128, 1)
    >>> wide.scans, thin.scans, (wide.kv_read_bytes - thin.kv_read_bytes) >> 20, round(thin.updates / wide.updates)
    (100, 64, 144, 41)
    """
    whole("length", length, 1, MAX_LENGTH)
    rows = largest_q_rows(shared_bytes, head_dim, kv_rows, prefetch_slots, element_bytes)
    kv_bytes = (1 + prefetch_slots) * element_bytes * kv_rows * head_dim
    if not rows:
        advice = f"use fewer than {kv_rows} rows of K and V" if kv_rows > 1 else "give more shared memory"
        raise ValueError(f"not one row of Q fits in {shared_bytes} bytes, {kv_bytes} of them for K or V; {advice}")
    scans = -(-length // rows)
    return Plan(
        q_rows=rows,
        kv_rows=kv_rows,
        scans=scans,
        kv_blocks=-(-length // kv_rows),
        q_bytes=element_bytes * rows * head_dim,
        kv_bytes=kv_bytes,
        score_bytes=FP32_BYTES * rows * kv_rows,
        output_bytes=FP32_BYTES * rows * head_dim,
        state_bytes=ROW_STATE_BYTES * rows,
        kv_read_bytes=scans * 2 * element_bytes * length * head_dim,
    )


def _rounded_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
