"""Attention's bytes: what it needs, and what the two matrices of scores add when they are written out.

Needed are Q, K, V and O, L·d elements a head each. Computed operator by operator, the scores S and the weights P,
L×L a head, are written and read once each: four more moves of L² scores. Their share grows with L/d.
Computed in blocks that stay on the chip, K and V are read again for each block instead.

Source: T. Dao et al., arXiv 2205.14135, theorem 2 and algorithm 1 (block sizes, reads of Q and O for every block of
K and V); operator by operator: 4·L·d + 4·L² elements.
Left out: the causal mask; dropout; what the framework copies or keeps (sim/flash_measured.py); the backward pass.
"""

from dataclasses import dataclass

from sim.inputs import whole

MAX_LENGTH = 2**24
MAX_HEAD_DIM = 1024
MAX_HEADS = 1024
SCORE_MOVES = 4  # S written and read, P written and read


@dataclass(frozen=True, slots=True)
class AttentionMemory:
    """Bytes of all heads together."""

    q_bytes: int
    k_bytes: int
    v_bytes: int
    o_bytes: int
    score_bytes: int
    """One of the two matrices, S or P."""

    @property
    def needed_bytes(self) -> int:
        """Q, K, V and O, once each."""
        return self.q_bytes + self.k_bytes + self.v_bytes + self.o_bytes

    @property
    def moved_score_bytes(self) -> int:
        """S and P, each written and read."""
        return SCORE_MOVES * self.score_bytes

    @property
    def ratio(self) -> float:
        """How many times the needed bytes S and P move on top of them."""
        return self.moved_score_bytes / self.needed_bytes


@dataclass(frozen=True, slots=True)
class FlashBlocks:
    """One head in blocks: their sizes and the elements that move."""

    kv_rows: int
    """B_c = ⌈M/4d⌉."""
    q_rows: int
    """B_r = min(⌈M/4d⌉, d)."""
    passes: int
    """T_c: how often Q and O are gone through, ⌈L/B_c⌉."""
    elements: int
    """K and V once, Q read and O written once a pass."""
    unfused_elements: int
    """Operator by operator."""

    @property
    def saving(self) -> float:
        """How many times fewer elements move."""
        return self.unfused_elements / self.elements


def attention_memory(
    length: int,
    head_dim: int,
    heads: int = 1,
    kv_heads: int | None = None,
    element_bytes: int = 2,
    score_bytes: int = 4,
) -> AttentionMemory:
    """Self-attention over L = ``length`` tokens (1 to 2²⁴), head size 1 to 1024, 1 to 1024 heads.

    ``kv_heads`` divides ``heads`` (None: as many). ``element_bytes`` of Q, K, V and O and ``score_bytes`` of S and P
    are 1 to 8. Raises ValueError for anything else.

    >>> one = attention_memory(8192, 128)
    >>> one.needed_bytes >> 20, one.score_bytes >> 20, one.moved_score_bytes >> 30, one.ratio
    (8, 256, 1, 128.0)
    """
    whole("length", length, 1, MAX_LENGTH)
    whole("head_dim", head_dim, 1, MAX_HEAD_DIM)
    whole("heads", heads, 1, MAX_HEADS)
    kv_heads = heads if kv_heads is None else kv_heads
    whole("kv_heads", kv_heads, 1, heads)
    if heads % kv_heads:
        raise ValueError(f"kv_heads is {kv_heads}; it must divide heads, which is {heads}")
    whole("element_bytes", element_bytes, 1, 8)
    whole("score_bytes", score_bytes, 1, 8)
    row = length * head_dim * element_bytes
    return AttentionMemory(heads * row, kv_heads * row, kv_heads * row, heads * row, heads * length**2 * score_bytes)


def flash_blocks(length: int, head_dim: int, sram_elements: int) -> FlashBlocks:
    """One head with M = ``sram_elements`` on the chip, from d to L·d as the theorem asks; ValueError outside.

    >>> blocks = flash_blocks(4096, 64, 51_200)
    >>> blocks.kv_rows, blocks.q_rows, blocks.passes, f"{blocks.elements / 1e6:.1f} {blocks.saving:.1f}"
    (200, 64, 21, '11.5 5.9')
    """
    whole("length", length, 1, MAX_LENGTH)
    whole("head_dim", head_dim, 1, MAX_HEAD_DIM)
    whole("sram_elements", sram_elements, head_dim, length * head_dim)
    kv_rows = -(-sram_elements // (4 * head_dim))
    passes = -(-length // kv_rows)
    matrix = length * head_dim
    return FlashBlocks(
        kv_rows, min(kv_rows, head_dim), passes, 2 * matrix * (1 + passes), 4 * matrix + SCORE_MOVES * length**2
    )
