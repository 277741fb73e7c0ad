"""Gather every stride-th element: the same useful bytes from ever more sectors.

x: f32[(n - 1)·stride + 1 + offset], out: f32[n]. out[i] = x[offset + i·stride].
Traffic: 4·n bytes written; read are the 32-byte sectors that hold an element, min(stride, 8) · 4·n bytes for large n.

Source: CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory" (offset and stride copies).
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

from sim.inputs import whole

BOUNDS = {"n": (1, 1 << 26), "stride": (1, 64), "offset": (0, 31)}
SECTOR_ELEMENTS = 8
BLOCK = 256
WARPS = 8
"""One element a thread and load: with more, a thread takes neighbours of the result, and a request strides farther."""
LOADS = 4
"""Loads that a thread has on their way; with one, the bytes in flight would bound the short strides."""


def make_input(
    seed: int, n: int = 3000, stride: int = 2, offset: int = 0, device: str = "cpu"
) -> tuple[Tensor, int, int]:
    """Standard normal numbers, then stride and offset; ValueError outside BOUNDS."""
    for name, value in (("n", n), ("stride", stride), ("offset", offset)):
        whole(name, value, *BOUNDS[name])
    draw = torch.Generator(device).manual_seed(seed)
    return torch.randn((n - 1) * stride + 1 + offset, generator=draw, device=device), stride, offset


def reference(x: Tensor, stride: int, offset: int) -> Tensor:
    """The gathered elements in float64."""
    return x[offset::stride].double()


def bytes_moved(n: int, stride: int, offset: int = 0) -> int:
    """Bytes of the sectors read and of the elements written."""
    first, last = offset // SECTOR_ELEMENTS, (offset + (n - 1) * stride) // SECTOR_ELEMENTS
    return 32 * (n if stride >= SECTOR_ELEMENTS else last - first + 1) + 4 * n


def flops(n: int) -> int:
    """None: it copies."""
    return 0


def run(x: Tensor, stride: int, offset: int, out: Tensor | None = None) -> Tensor:
    """Gather; lane i of a request takes the element i strides on."""
    n = (x.numel() - offset - 1) // stride + 1
    out = torch.empty(n, device=x.device) if out is None else out
    _gather[(triton.cdiv(n, LOADS * BLOCK),)](x, out, n, stride, offset, BLOCK, num_warps=WARPS)
    return out


@triton.jit(do_not_specialize=["stride", "offset"])
def _gather(x, out, n, stride, offset, block: tl.constexpr):
    # stride and offset are not specialised: the compiler would else fold stride 1 into wide loads of another pattern
    first = tl.program_id(0) * 4 * block + tl.arange(0, block)
    second, third, fourth = first + block, first + 2 * block, first + 3 * block
    x += offset
    a = tl.load(x + first.to(tl.int64) * stride, mask=first < n)
    b = tl.load(x + second.to(tl.int64) * stride, mask=second < n)
    c = tl.load(x + third.to(tl.int64) * stride, mask=third < n)
    d = tl.load(x + fourth.to(tl.int64) * stride, mask=fourth < n)
    tl.store(out + first, a, mask=first < n)
    tl.store(out + second, b, mask=second < n)
    tl.store(out + third, c, mask=third < n)
    tl.store(out + fourth, d, mask=fourth < n)
