"""What follows from a time and a memory reading of attention: speed by the work that the mask leaves, and bytes in
units of its matrices.

A visible pair of a query and a key costs 4·d FLOP (2·d for the score, 2·d for adding the value). A causal mask leaves
L·(L+1)/2 of L² pairs, a window of w keys that ends at the query less. Dividing by the visible pairs alone makes
kernels that skip masked blocks and kernels that compute them comparable: the latter only look slower, as they are.

Source: T. Dao, arXiv 2307.08691, 4.1 (FLOP divided by two for a causal mask; here the exact count).
Left out: exponentials; the backward pass; what in particular fills the extra memory.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from sim.attention_memory import MAX_HEAD_DIM, MAX_HEADS, MAX_LENGTH, attention_memory
from sim.inputs import positive, whole

Mask = Literal["none", "causal", "window"]


@dataclass(frozen=True, slots=True)
class Work:
    """One attention of L queries over as many keys, all heads; elements of 2 bytes, scores of 4."""

    pairs: int
    """Visible (query, key) pairs of a head."""
    flops: int
    """Useful ones, all heads."""
    all_flops: int
    """Without a mask."""
    output_bytes: int
    score_bytes: int
    """One L×L matrix in FP32, all heads."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One measurement and what follows from it."""

    work: Work
    time_s: float
    extra_bytes: float
    """Output and workspace, without Q, K and V."""

    @property
    def flop_per_s(self) -> float:
        """Useful FLOP in a second."""
        return self.work.flops / self.time_s

    @property
    def score_matrices(self) -> float:
        """Extra bytes in FP32 matrices of L×L scores: 1 or more, and scores were written out."""
        return self.extra_bytes / self.work.score_bytes

    @property
    def outputs(self) -> float:
        """Extra bytes in outputs, of which one is needed."""
        return self.extra_bytes / self.work.output_bytes

    def share(self, peak_flop_per_s: float) -> float:
        """Share of a peak that useful FLOP reach; ValueError unless the peak is > 0."""
        positive("peak_flop_per_s", peak_flop_per_s, "FLOP/s")
        return self.flop_per_s / peak_flop_per_s


@dataclass(frozen=True, slots=True)
class Comparison:
    """The same attention measured in two ways."""

    slow: Reading
    fast: Reading

    @property
    def speedup(self) -> float:
        """Times as fast."""
        return self.slow.time_s / self.fast.time_s

    @property
    def memory_ratio(self) -> float:
        """Times as much extra memory."""
        return self.slow.extra_bytes / self.fast.extra_bytes

    @property
    def saved_bytes(self) -> float:
        """Extra memory that is not needed any more."""
        return self.slow.extra_bytes - self.fast.extra_bytes


def work(length: int, head_dim: int, heads: int = 1, mask: Mask = "none", window: int | None = None) -> Work:
    """L = ``length`` queries and keys (1 to 2²⁴), head size 1 to 1024, 1 to 1024 heads.

    ``window``: keys that a query sees with the mask "window", itself included, 1 to L; None with another mask. Raises
    ValueError for anything else.

    >>> causal = work(8192, 128, mask="causal")
    >>> f"{causal.flops / 1e9:.2f} of {causal.all_flops / 1e9:.2f} GFLOP"
    '17.18 of 34.36 GFLOP'
    """
    whole("length", length, 1, MAX_LENGTH)
    whole("head_dim", head_dim, 1, MAX_HEAD_DIM)
    whole("heads", heads, 1, MAX_HEADS)
    if mask not in get_args(Mask):
        raise ValueError(f"mask is {mask!r}; it must be one of {', '.join(get_args(Mask))}")
    if mask == "window":
        if window is None:
            raise ValueError(f"window is None; the mask 'window' needs a whole number from 1 to {length}")
        whole("window", window, 1, length)
    elif window is not None:
        raise ValueError(f"window is {window!r}; the mask {mask!r} has none, so leave it out")
    seen = {"none": length, "causal": length, "window": window or 0}[mask]
    # the first `seen` queries of a causal mask see 1, 2, … keys, the others `seen` each
    pairs = length**2 if mask == "none" else seen * (seen + 1) // 2 + (length - seen) * seen
    memory = attention_memory(length, head_dim, heads)
    per_pair = 4 * head_dim * heads
    return Work(pairs, per_pair * pairs, per_pair * length**2, memory.o_bytes, memory.score_bytes)


def reading(done: Work, time_s: float, extra_bytes: float) -> Reading:
    """A time in s and output plus workspace in bytes, both > 0; ValueError otherwise.

    >>> flash = reading(work(8192, 128, mask="causal"), 80e-6, 22 * 2**20)
    >>> f"{flash.flop_per_s / 1e12:.0f} TFLOP/s, {flash.outputs:g} outputs, {flash.score_matrices:.2f} score matrices"
    '215 TFLOP/s, 11 outputs, 0.09 score matrices'
    """
    positive("time_s", time_s, "s")
    positive("extra_bytes", extra_bytes, "B")
    return Reading(done, time_s, extra_bytes)


def compare(slow: Reading, fast: Reading) -> Comparison:
    """Two readings of the same work; ValueError if the work differs.

    >>> causal = work(8192, 128, mask="causal")
    >>> both = compare(reading(causal, 2.6e-3, 848 * 2**20), reading(causal, 80e-6, 22 * 2**20))
    >>> f"{both.speedup:.1f} {both.memory_ratio:.1f}", both.saved_bytes / 2**20
    ('32.5 38.5', 826.0)
    """
    if slow.work != fast.work:
        raise ValueError("the two readings are of different work; a ratio needs the same lengths, heads and mask")
    return Comparison(slow, fast)
