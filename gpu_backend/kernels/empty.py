"""A kernel that does nothing: what launching alone costs, timed as the others are.

unused: f32[1]. Traffic: none; the last program writes nothing either.

Source: the method of this project: a time means something once the same clock has timed nothing.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

BOUNDS: dict[str, tuple[int, int]] = {}


def make_input(seed: int, device: str = "cpu") -> tuple[Tensor]:
    """One number that the kernel leaves alone."""
    return (torch.full((1,), float(seed), device=device),)


def reference(x: Tensor) -> Tensor:
    """The same number."""
    return x.double()


def bytes_moved() -> int:
    """Nothing."""
    return 0


def flops() -> int:
    """Nothing."""
    return 0


def run(x: Tensor) -> Tensor:
    """Launch one program of four warps."""
    _empty[(1,)](x, 0)
    return x


@triton.jit
def _empty(x, n):
    if n > 0:  # never so: keeps the argument
        tl.store(x, 0.0)
