"""Quantizing a matrix inside the product that reads it: one kernel less, and more bytes.

C = Q·W with Q [m, k], W [k, n] in FP8 and tiles of tile_m × tile_n of C: every column of tiles reads Q once,
every row of tiles reads W once. Quantizing A apart reads A, writes Q, and the product reads Q once a column
of tiles. Fused, the product reads A itself, twice as wide, once a column of tiles; and since the scale of a
row needs the whole row first, a pass over A comes before. With c columns of tiles, A of a bytes and Q of q:

    apart: a + q + c·q        fused: a + c·a  (c·a if the scale is given)

Source: traffic of a tiled product as in figure 5.2 of the book; E4M3 and its scales: OCP 8-bit Floating Point
Specification (OFP8) 1.0. The worked case is figure 9.2.
Left out: the scales themselves (4 bytes a row); L2, which may serve some of the repeated reads.
"""

from dataclasses import dataclass

from sim.inputs import whole

MAX_SIDE = 1 << 20


@dataclass(frozen=True, slots=True)
class Traffic:
    """Bytes of one way, by what they are for."""

    a_read: int
    """Readings of A, in its own width."""
    q_written: int
    q_read: int
    w_read: int
    c_written: int

    @property
    def activation_bytes(self) -> int:
        """What the two ways differ in: A and Q."""
        return self.a_read + self.q_written + self.q_read

    @property
    def common_bytes(self) -> int:
        """What they have in common: W and C."""
        return self.w_read + self.c_written

    @property
    def total_bytes(self) -> int:
        """All bytes."""
        return self.activation_bytes + self.common_bytes


@dataclass(frozen=True, slots=True)
class FusedQuantization:
    """Both ways over one product."""

    column_tiles: int
    row_tiles: int
    apart: Traffic
    fused: Traffic


def compare(
    m: int = 4096,
    k: int = 4096,
    n: int = 1536,
    *,
    tile_m: int = 128,
    tile_n: int = 128,
    a_element_bytes: int = 2,
    c_element_bytes: int = 2,
    scale_given: bool = False,
) -> FusedQuantization:
    """Traffic of A [m, k] quantized to one byte and multiplied by W [k, n], one byte, into C [m, n].

    Sides and tiles 1 to 2^20 (they need not divide), element bytes 1 to 8; ValueError otherwise.
    ``scale_given``: no pass over A before the fused product.

    >>> both = compare()
    >>> [way.total_bytes >> 20 for way in (both.apart, both.fused)]
    [444, 620]
    """
    for name, value in (("m", m), ("k", k), ("n", n), ("tile_m", tile_m), ("tile_n", tile_n)):
        whole(name, value, 1, MAX_SIDE)
    whole("a_element_bytes", a_element_bytes, 1, 8)
    whole("c_element_bytes", c_element_bytes, 1, 8)
    columns, rows = -(-n // tile_n), -(-m // tile_m)
    q, w, c = m * k, k * n * rows, m * n * c_element_bytes
    a = q * a_element_bytes
    apart = Traffic(a, q, columns * q, w, c)
    fused = Traffic((columns if scale_given else columns + 1) * a, 0, 0, w, c)
    return FusedQuantization(columns, rows, apart, fused)
