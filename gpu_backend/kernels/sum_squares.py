"""Sum of a row's squares in parts: added in a fixed order, or by atomics in the order of arrival.

x: bf16[n], out: f32[1]. Each of `segments` tasks adds its part strictly left to right; the partial sums are added in
order (fixed), or each task adds its own to the result (atomic).
Traffic: 2·n bytes, and 8·segments for the partial sums.

Source: IEEE 754 (addition is not associative); the book's row is `sim.sum_order.bf16_row`.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

from sim.inputs import whole
from sim.sum_order import bf16_row

BOUNDS = {"n": (1, 1 << 15), "segments": (1, 1024)}


def make_input(seed: int, n: int = 256, device: str = "cpu") -> tuple[Tensor]:
    """The book's row of that seed; ValueError outside BOUNDS."""
    whole("n", n, *BOUNDS["n"])
    return (torch.from_numpy(bf16_row(seed, n)).bfloat16().to(device),)


def reference(x: Tensor) -> Tensor:
    """The sum in float64, where it is exact for n up to 32,768."""
    return x.double().square().sum().reshape(1)


def bytes_moved(n: int, segments: int) -> int:
    """The row once, partial sums written and read."""
    return 2 * n + 8 * segments


def flops(n: int) -> int:
    """A product and an addition an element."""
    return 2 * n


def run(x: Tensor, segments: int = 8, atomic: bool = False, out: Tensor | None = None) -> Tensor:
    """Sum in 1 to 1024 segments that divide n; with atomics `out` is set to zero first."""
    whole("segments", segments, *BOUNDS["segments"])
    n = x.numel()
    if n % segments:
        raise ValueError(f"segments is {segments}; it must divide n, {n}")
    out = torch.empty(1, device=x.device) if out is None else out
    if atomic:
        out.zero_()
        _atomic[(segments,)](x, out, n // segments, num_warps=1)
    else:
        partial = torch.empty(segments, device=x.device)
        _partial[(segments,)](x, partial, n // segments, num_warps=1)
        _in_order[(1,)](partial, out, segments, num_warps=1)
    return out


@triton.jit
def _in_order(partial, out, n):
    total = 0.0
    for i in range(n):
        total += tl.load(partial + i)
    tl.store(out, total)


@triton.jit
def _partial(x, partial, part):
    total = 0.0
    for i in range(part):
        value = tl.load(x + tl.program_id(0) * part + i).to(tl.float32)
        total += value * value  # exact: a BF16 square fits FP32, so a fused multiply-add gives the same
    tl.store(partial + tl.program_id(0), total)


@triton.jit
def _atomic(x, out, part):
    total = 0.0
    for i in range(part):
        value = tl.load(x + tl.program_id(0) * part + i).to(tl.float32)
        total += value * value
    tl.atomic_add(out, total)
