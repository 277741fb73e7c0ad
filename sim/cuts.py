"""A matrix product cut along one axis into parts that work apart: tiles of one GPU, or GPUs of one machine.

Cutting M or N gives whole results in different places; one operand is cut, the other is read by every part. Cutting
K cuts both operands, but each part then has a partial sum for every place of C, and those must be added.

Source: elementary; the same three cuts are the row- and column-parallel layers of M. Shoeybi et al., arXiv 1909.08053.
Left out: reading a part's operands more than once (sim/tiles.py); moving and adding partial sums after they are
written; cuts along two axes at once.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from sim.inputs import whole
from sim.tiles import MAX_ELEMENT_BYTES, check_sizes

Axis = Literal["M", "N", "K"]


@dataclass(frozen=True, slots=True)
class Cut:
    """One axis cut into parts. Bytes are summed over the parts."""

    a_bytes: int
    b_bytes: int
    c_bytes: int
    """Written: results as elements, or partial sums as accumulators."""
    partial_sums: bool
    """True: every part has a sum for every place of C; False: results for different places."""
    adds: int
    """Additions still to do before C is there."""


def cut(M: int, N: int, K: int, axis: Axis, parts: int, element_bytes: int = 2, accumulator_bytes: int = 4) -> Cut:
    """M×K by K×N cut along M, N or K into parts (1 to that side), each of which reads what it needs once.

    Sides in elements (1 to 2³¹ − 1), 1 to 16 bytes each; the side need not divide. Raises ValueError otherwise.

    >>> cut(1024, 12288, 4096, "N", 4)
    Cut(a_bytes=33554432, b_bytes=100663296, c_bytes=25165824, partial_sums=False, adds=0)
    >>> cut(1024, 12288, 4096, "K", 4)
    Cut(a_bytes=8388608, b_bytes=100663296, c_bytes=201326592, partial_sums=True, adds=37748736)
    """
    check_sizes(M=M, N=N, K=K)
    whole("element_bytes", element_bytes, 1, MAX_ELEMENT_BYTES)
    whole("accumulator_bytes", accumulator_bytes, 1, MAX_ELEMENT_BYTES)
    if axis not in get_args(Axis):
        raise ValueError(f"axis is {axis!r}; it must be one of {', '.join(get_args(Axis))}")
    whole("parts", parts, 1, {"M": M, "N": N, "K": K}[axis])
    sums = axis == "K" and parts > 1
    return Cut(
        a_bytes=element_bytes * M * K * (parts if axis == "N" else 1),
        b_bytes=element_bytes * K * N * (parts if axis == "M" else 1),
        c_bytes=M * N * (parts * accumulator_bytes if sums else element_bytes),
        partial_sums=sums,
        adds=M * N * (parts - 1) if sums else 0,
    )
