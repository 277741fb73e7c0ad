"""RMSNorm, a task a row or each row split over several tasks.

x, out: bf16[rows, width], weight: bf16[width] (or f16). out = x / √(mean(x²) + ε) · weight, accumulated in FP32.
Traffic: 4·rows·width bytes as a task a row; split in s parts, rows are read twice: 6·rows·width, and 8·rows·s for the
partial sums.

Source: B. Zhang, R. Sennrich, "Root Mean Square Layer Normalization", arXiv 1910.07467; ε and width of Qwen3-8B.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

from sim.inputs import whole

BOUNDS = {"rows": (1, 1 << 16), "width": (16, 1 << 14), "segments": (1, 256)}
EPS = 1e-6


def make_input(
    seed: int, rows: int = 5, width: int = 512, device: str = "cpu", dtype: torch.dtype = torch.bfloat16
) -> tuple[Tensor, Tensor]:
    """Standard normal rows and weights about 1; ValueError outside BOUNDS."""
    whole("rows", rows, *BOUNDS["rows"])
    whole("width", width, *BOUNDS["width"])
    draw = torch.Generator(device).manual_seed(seed)
    x = torch.randn(rows, width, generator=draw, device=device).to(dtype)
    return x, (1 + 0.1 * torch.randn(width, generator=draw, device=device)).to(dtype)


def reference(x: Tensor, weight: Tensor) -> Tensor:
    """The norm in float64."""
    wide = x.double()
    return wide / (wide.square().mean(-1, keepdim=True) + EPS).sqrt() * weight.double()


def bytes_moved(rows: int, width: int, segments: int = 1) -> int:
    """Bytes of rows, of the result and, if split, of the partial sums (written and read once)."""
    return 4 * rows * width if segments == 1 else 6 * rows * width + 8 * rows * segments


def flops(rows: int, width: int) -> int:
    """A square, an addition and two products an element."""
    return 4 * rows * width


def run(x: Tensor, weight: Tensor, out: Tensor | None = None, segments: int = 1) -> Tensor:
    """Normalise; `segments` is a power of two that divides the width."""
    whole("segments", segments, *BOUNDS["segments"])
    rows, width = x.shape
    if width % segments:
        raise ValueError(f"segments is {segments}; it must divide the width, {width}")
    out = torch.empty_like(x) if out is None else out
    if segments == 1:
        _whole_row[(rows,)](x, weight, out, width, EPS, triton.next_power_of_2(width), num_warps=8)
        return out
    part = width // segments
    partial = torch.empty(rows, segments, device=x.device)
    block = triton.next_power_of_2(part)
    warps = max(1, min(8, block // 256))
    _partial[(rows, segments)](x, partial, width, part, segments, block, num_warps=warps)
    _normalise[(rows, segments)](x, weight, partial, out, width, part, EPS, segments, block, num_warps=warps)
    return out


@triton.jit
def _partial(x, partial, width, part, segments: tl.constexpr, block: tl.constexpr):
    row, segment, at = tl.program_id(0), tl.program_id(1), tl.arange(0, block)
    value = tl.load(x + row * width + segment * part + at, mask=at < part, other=0.0).to(tl.float32)
    tl.store(partial + row * segments + segment, tl.sum(value * value, axis=0))


@triton.jit
def _normalise(x, weight, partial, out, width, part, eps, segments: tl.constexpr, block: tl.constexpr):
    row, segment, at = tl.program_id(0), tl.program_id(1), tl.arange(0, block)
    total = tl.sum(tl.load(partial + row * segments + tl.arange(0, segments)), axis=0)
    here = segment * part + at
    value = tl.load(x + row * width + here, mask=at < part, other=0.0).to(tl.float32)
    scaled = value * tl.rsqrt(total / width + eps) * tl.load(weight + here, mask=at < part, other=0.0).to(tl.float32)
    tl.store(out + row * width + here, scaled, mask=at < part)


@triton.jit
def _whole_row(x, weight, out, width, eps, block: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, block)
    value = tl.load(x + row * width + at, mask=at < width, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(value * value, axis=0) / width + eps)
    scaled = value * scale * tl.load(weight + at, mask=at < width, other=0.0).to(tl.float32)
    tl.store(out + row * width + at, scaled, mask=at < width)
