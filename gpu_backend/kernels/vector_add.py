"""Add two vectors, or copy one: kernels that only move bytes.

x, y, out: f32[n]. out = x + y, or out = x.
Traffic: 12·n bytes to add, 8·n to copy; n FLOP to add.

Source: Triton tutorials, "Vector Addition".
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

from sim.inputs import whole

BOUNDS = {"n": (1, 1 << 30)}
BLOCK = 2048
WARPS = 8


def make_input(seed: int, n: int = 4000, device: str = "cpu") -> tuple[Tensor, Tensor]:
    """Two vectors of standard normal numbers; ValueError outside BOUNDS."""
    whole("n", n, *BOUNDS["n"])
    draw = torch.Generator(device).manual_seed(seed)
    return torch.randn(n, generator=draw, device=device), torch.randn(n, generator=draw, device=device)


def reference(x: Tensor, y: Tensor) -> Tensor:
    """The sum in float64."""
    return x.double() + y.double()


def bytes_moved(n: int, copy: bool = False) -> int:
    """Bytes read and written once each."""
    return (8 if copy else 12) * n


def flops(n: int) -> int:
    """One addition an element."""
    return n


def run(x: Tensor, y: Tensor, out: Tensor | None = None) -> Tensor:
    """Add."""
    out = torch.empty_like(x) if out is None else out
    _add[(triton.cdiv(x.numel(), BLOCK),)](x, y, out, x.numel(), BLOCK, num_warps=WARPS)
    return out


def copy(x: Tensor, out: Tensor | None = None) -> Tensor:
    """Copy."""
    out = torch.empty_like(x) if out is None else out
    _copy[(triton.cdiv(x.numel(), BLOCK),)](x, out, x.numel(), BLOCK, num_warps=WARPS)
    return out


@triton.jit
def _copy(x, out, n, block: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * block + tl.arange(0, block)
    tl.store(out + at, tl.load(x + at, mask=at < n), mask=at < n)


@triton.jit
def _add(x, y, out, n, block: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * block + tl.arange(0, block)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)
