"""Tiled matrix product, with or without SiLU behind it.

a: bf16[M, K], w: bf16[K, N], out: bf16[M, N] (or f16) = a·w, accumulated in FP32.
Traffic with tiles of m × n: 2·M·K·⌈N/n⌉ + 2·K·N·⌈M/m⌉ + 2·M·N bytes asked of the caches; 2·(MK + KN + MN) at least.
FLOP: 2·M·N·K.

Tiles are fetched by TMA descriptors (`tma`) or by pointers. Programs walk the tiles of a group of rows column by
column, so that those running at once share w in L2.

Source: Triton tutorials, "Matrix Multiplication" and "Persistent Matmul"; sizes of the book's running example.
"""

from dataclasses import dataclass

import torch
import triton
import triton.language as tl
from torch import Tensor
from triton.tools.tensor_descriptor import TensorDescriptor

from sim.inputs import whole

BOUNDS = {"m": (1, 1 << 14), "n": (8, 1 << 14), "k": (8, 1 << 14)}
GROUP = 8


@dataclass(frozen=True, slots=True)
class Config:
    """A tile of m × n, k deep, the warps of a program and the stages of its software pipeline."""

    m: int = 128
    n: int = 128
    k: int = 64
    warps: int = 8
    stages: int = 3
    tma: bool = True


def make_input(
    seed: int, m: int = 70, n: int = 72, k: int = 48, device: str = "cpu", dtype: torch.dtype = torch.bfloat16
) -> tuple[Tensor, Tensor]:
    """Standard normal matrices; ValueError outside BOUNDS. TMA needs rows of a multiple of 16 bytes: n and k of 8."""
    for name, value in (("m", m), ("n", n), ("k", k)):
        whole(name, value, *BOUNDS[name])
    draw = torch.Generator(device).manual_seed(seed)
    a = torch.randn(m, k, generator=draw, device=device).to(dtype)
    return a, torch.randn(k, n, generator=draw, device=device).to(dtype)


def reference(a: Tensor, w: Tensor, silu: bool = False) -> Tensor:
    """The product in float64."""
    product = a.double() @ w.double()
    return torch.nn.functional.silu(product) if silu else product


def bytes_moved(m: int, n: int, k: int) -> int:
    """Each matrix once."""
    return 2 * (m * k + k * n + m * n)


def flops(m: int, n: int, k: int) -> int:
    """Two a multiply-add."""
    return 2 * m * n * k


def run(a: Tensor, w: Tensor, out: Tensor | None = None, config: Config | None = None, silu: bool = False) -> Tensor:
    """Multiply."""
    out = torch.empty(a.shape[0], w.shape[1], device=a.device, dtype=a.dtype) if out is None else out
    launch(a, w, out, config or Config(), silu)
    return out


def launch(a: Tensor, w: Tensor, out: Tensor, config: Config, silu: bool = False):
    """Launch the kernel; return what was compiled (None in the interpreter)."""
    (m, k), n = a.shape, w.shape[1]
    grid = (triton.cdiv(m, config.m) * triton.cdiv(n, config.n),)
    tile = (config.m, config.n, config.k, GROUP, silu)
    if config.tma:
        if k % 8 or n % 8:
            raise ValueError(f"k, n are {k}, {n}; TMA needs multiples of 8 BF16 numbers a row")
        described = [
            TensorDescriptor.from_tensor(matrix, block)
            for matrix, block in (
                (a, [config.m, config.k]),
                (w, [config.k, config.n]),
                (out, [config.m, config.n]),
            )
        ]
        return descriptor_kernel[grid](*described, m, n, k, *tile, num_warps=config.warps, num_stages=config.stages)
    return pointer_kernel[grid](a, w, out, m, n, k, *tile, num_warps=config.warps, num_stages=config.stages)


@triton.jit
def _tile_of(program, m, n, bm: tl.constexpr, bn: tl.constexpr, group: tl.constexpr):
    """Row and column of a program's tile: down a group of rows, then one column on."""
    rows, columns = tl.cdiv(m, bm), tl.cdiv(n, bn)
    first = program // (group * columns) * group
    height = min(rows - first, group)
    inside = program % (group * columns)
    return first + inside % height, inside // height


@triton.jit
def descriptor_kernel(
    a, w, out, m, n, k, bm: tl.constexpr, bn: tl.constexpr, bk: tl.constexpr, group: tl.constexpr, silu: tl.constexpr
):
    row, column = _tile_of(tl.program_id(0), m, n, bm, bn, group)
    total = tl.zeros((bm, bn), tl.float32)
    for start in range(0, k, bk):
        total = tl.dot(a.load([row * bm, start]), w.load([start, column * bn]), total)
    if silu:
        total = total / (1 + tl.exp(-total))
    out.store([row * bm, column * bn], total.to(out.dtype))


@triton.jit
def pointer_kernel(
    a, w, out, m, n, k, bm: tl.constexpr, bn: tl.constexpr, bk: tl.constexpr, group: tl.constexpr, silu: tl.constexpr
):
    row, column = _tile_of(tl.program_id(0), m, n, bm, bn, group)
    r, c, d = row * bm + tl.arange(0, bm), column * bn + tl.arange(0, bn), tl.arange(0, bk)
    # rows and columns past the edge wrap round: what they give is not stored
    a += (r % m)[:, None] * k + d[None, :]
    w += d[:, None] * n + (c % n)[None, :]
    total = tl.zeros((bm, bn), tl.float32)
    for start in range(0, k, bk):
        left = k - start
        part = tl.load(a, mask=d[None, :] < left, other=0.0)
        total = tl.dot(part, tl.load(w, mask=d[:, None] < left, other=0.0), total)
        a += bk
        w += bk * n
    if silu:
        total = total / (1 + tl.exp(-total))
    tl.store(
        out + r[:, None] * n + c[None, :], total.to(out.dtype.element_ty), mask=(r[:, None] < m) & (c[None, :] < n)
    )
