"""Any number of dependent fused multiply-adds on each element: one kernel that walks along the roofline.

x, out: f32[n]. out = x, `fmas` times over: out = out·a + b, in FP32, with a = -1 and b = 1 that the compiler does not
know. Traffic: 8·n bytes, 2·fmas·n FLOP: intensity fmas / 4 FLOP/B.

Source: S. Williams, A. Waterman, D. Patterson, "Roofline", CACM 52(4), 2009; the sweep is the usual microbenchmark.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

from sim.inputs import whole

BOUNDS = {"n": (1, 1 << 28), "fmas": (0, 4096)}
A, B = -1.0, 1.0
BLOCK = 1024
UNROLLED = 64


def make_input(seed: int, n: int = 3000, device: str = "cpu") -> tuple[Tensor]:
    """Numbers from 0 to 1, which 1 - x keeps there, with a single rounding; ValueError outside BOUNDS."""
    whole("n", n, *BOUNDS["n"])
    draw = torch.Generator(device).manual_seed(seed)
    return (torch.rand(n, generator=draw, device=device),)


def reference(x: Tensor, fmas: int) -> Tensor:
    """In closed form, in float64: a^k·x + b·(1 + a + … + a^(k-1))."""
    return x.double() * A**fmas + B * sum(A**k for k in range(fmas))


def bytes_moved(n: int) -> int:
    """Each element read once and written once."""
    return 8 * n


def flops(n: int, fmas: int) -> int:
    """Two a fused multiply-add."""
    return 2 * fmas * n


def run(x: Tensor, fmas: int, out: Tensor | None = None) -> Tensor:
    """Apply 0 to 4096 FMAs: whole loops of 64, and the rest unrolled."""
    whole("fmas", fmas, *BOUNDS["fmas"])
    out = torch.empty_like(x) if out is None else out
    grid = (triton.cdiv(x.numel(), BLOCK),)
    loops, rest = divmod(fmas, UNROLLED)
    _sweep[grid](x, out, x.numel(), A, B, loops, rest, UNROLLED, BLOCK, num_warps=4)
    return out


@triton.jit
def _sweep(x, out, n, a, b, loops, rest: tl.constexpr, unrolled: tl.constexpr, block: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * block + tl.arange(0, block)
    value = tl.load(x + at, mask=at < n)
    for _ in range(loops):
        for _ in tl.static_range(unrolled):
            value = value * a + b
    for _ in tl.static_range(rest):
        value = value * a + b
    tl.store(out + at, value, mask=at < n)
