"""Attention forward, block by block, without a score matrix in memory.

q, k, v, out: bf16[heads, length, d] (or f16), d a power of two. out = softmax(q·kᵀ/√d + mask)·v, with FP32 scores,
maxima and sums. Traffic: 8·heads·length·d bytes at least (q, k, v, out once each); k and v are read again for every
block of queries, mostly from L2. FLOP: 4·d a visible pair (`sim.flash_measured.work`).

Blocks of keys wholly before the diagonal need no mask and come first; under a causal mask blocks behind it are skipped.
Scores are scaled by log2(e)/√d, so that exponentials are powers of two.

Source: T. Dao, "FlashAttention-2", arXiv 2307.08691; Triton tutorials, "Fused Attention".
"""

from dataclasses import dataclass
from math import e, log2

import torch
import triton
import triton.language as tl
from torch import Tensor
from triton.tools.tensor_descriptor import TensorDescriptor

from sim.flash_measured import work
from sim.inputs import whole

BOUNDS = {"heads": (1, 256), "length": (16, 1 << 16), "head_dim": (16, 256)}


@dataclass(frozen=True, slots=True)
class Config:
    """Queries and keys of a block, warps of a program, stages of its software pipeline."""

    queries: int = 128
    keys: int = 64
    warps: int = 8
    stages: int = 3


def make_input(
    seed: int,
    heads: int = 2,
    length: int = 128,
    head_dim: int = 16,
    device: str = "cpu",
    dtype: torch.dtype = torch.bfloat16,
) -> tuple[Tensor, Tensor, Tensor]:
    """Standard normal q, k, v; ValueError outside BOUNDS."""
    for name, value in (("heads", heads), ("length", length), ("head_dim", head_dim)):
        whole(name, value, *BOUNDS[name])
    draw = torch.Generator(device).manual_seed(seed)
    shape = (heads, length, head_dim)
    q, k, v = (torch.randn(shape, generator=draw, device=device).to(dtype) for _ in range(3))
    return q, k, v


def reference(q: Tensor, k: Tensor, v: Tensor, causal: bool = True) -> Tensor:
    """Attention in float64, head by head and in pieces of 1024 queries, so that its scores fit in memory."""
    out = torch.empty_like(q, dtype=torch.float64)
    length = q.shape[1]
    keys = torch.arange(length, device=q.device)
    for head in range(q.shape[0]):
        for start in range(0, length, 1024):
            rows = slice(start, min(start + 1024, length))
            scores = q[head, rows].double() @ k[head].double().T / q.shape[2] ** 0.5
            if causal:
                scores = scores.masked_fill(keys[None, :] > keys[rows][:, None], float("-inf"))
            out[head, rows] = torch.softmax(scores, -1) @ v[head].double()
    return out


def bytes_moved(heads: int, length: int, head_dim: int) -> int:
    """q, k, v and out once each."""
    return 8 * heads * length * head_dim


def flops(heads: int, length: int, head_dim: int, causal: bool = True) -> int:
    """Products of the visible pairs."""
    return work(length, head_dim, heads, "causal" if causal else "none").flops


def run(
    q: Tensor, k: Tensor, v: Tensor, out: Tensor | None = None, causal: bool = True, config: Config | None = None
) -> Tensor:
    """Attend; the length must be a multiple of both block sizes."""
    out = torch.empty_like(q) if out is None else out
    launch(q, k, v, out, causal, config or Config(queries=32, keys=32, warps=4))
    return out


def launch(q: Tensor, k: Tensor, v: Tensor, out: Tensor, causal: bool, config: Config):
    """Launch the kernel; return what was compiled (None in the interpreter)."""
    heads, length, d = q.shape
    if length % config.queries or length % config.keys or config.queries % config.keys:
        raise ValueError(
            f"length, queries, keys are {length}, {config.queries}, {config.keys}; each must be a multiple of the next"
        )
    rows = [
        TensorDescriptor.from_tensor(x.view(heads * length, d), [block, d])
        for x, block in ((q, config.queries), (k, config.keys), (v, config.keys), (out, config.queries))
    ]
    scale = log2(e) / d**0.5
    return _attend[(length // config.queries, heads)](
        *rows, scale, length, d, config.queries, config.keys, causal, num_warps=config.warps, num_stages=config.stages
    )


@triton.jit
def _blocks(q, k, v, total, weight, top, scale, base, start, stop, first, bq: tl.constexpr, bk: tl.constexpr,
            masked: tl.constexpr):  # fmt: skip
    """Fold the blocks of keys from start to stop into the running sums."""
    row, column = first + tl.arange(0, bq), tl.arange(0, bk)
    for at in range(start, stop, bk):
        scores = tl.dot(q, tl.trans(k.load([base + at, 0])))
        if masked:
            scores = tl.where(row[:, None] >= (at + column)[None, :], scores * scale, -1.0e6)
            higher = tl.maximum(top, tl.max(scores, 1))
            scores -= higher[:, None]
        else:
            higher = tl.maximum(top, tl.max(scores, 1) * scale)
            scores = scores * scale - higher[:, None]
        p = tl.math.exp2(scores)
        shrink = tl.math.exp2(top - higher)
        weight = weight * shrink + tl.sum(p, 1)
        total = total * shrink[:, None]
        total = tl.dot(p.to(q.dtype), v.load([base + at, 0]), total)
        top = higher
    return total, weight, top


@triton.jit
def _attend(q, k, v, out, scale, length, d: tl.constexpr, bq: tl.constexpr, bk: tl.constexpr, causal: tl.constexpr):
    # the longest rows start first, so that the last wave is short
    first = (tl.num_programs(0) - 1 - tl.program_id(0)) * bq
    base = tl.program_id(1) * length
    queries = q.load([base + first, 0])
    top = tl.full((bq,), float("-inf"), tl.float32)
    weight = tl.zeros((bq,), tl.float32)
    total = tl.zeros((bq, d), tl.float32)
    if causal:
        total, weight, top = _blocks(queries, k, v, total, weight, top, scale, base, 0, first, first, bq, bk, False)
        total, weight, top = _blocks(
            queries, k, v, total, weight, top, scale, base, first, first + bq, first, bq, bk, True
        )
    else:
        total, weight, top = _blocks(queries, k, v, total, weight, top, scale, base, 0, length, first, bq, bk, False)
    out.store([base + first, 0], (total / weight[:, None]).to(out.dtype))
