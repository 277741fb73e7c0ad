"""Transpose a matrix tile by tile.

x: f32[rows, columns], out: f32[columns, rows]. out[c, r] = x[r, c].
Traffic: 8·rows·columns bytes.

Triton lays out shared memory itself, so padding and swizzle are not ours to choose here: `padded_transpose` chooses.

Source: M. Harris, "An Efficient Matrix Transpose in CUDA C/C++", NVIDIA blog, 2013.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

from sim.inputs import whole

BOUNDS = {"rows": (1, 1 << 15), "columns": (1, 1 << 15), "tile": (4, 128)}


def make_input(seed: int, rows: int = 70, columns: int = 45, device: str = "cpu") -> tuple[Tensor]:
    """A matrix of standard normal numbers; ValueError outside BOUNDS."""
    whole("rows", rows, *BOUNDS["rows"])
    whole("columns", columns, *BOUNDS["columns"])
    draw = torch.Generator(device).manual_seed(seed)
    return (torch.randn(rows, columns, generator=draw, device=device),)


def reference(x: Tensor) -> Tensor:
    """The transpose in float64."""
    return x.double().T


def bytes_moved(rows: int, columns: int) -> int:
    """Each element read once and written once."""
    return 8 * rows * columns


def flops(rows: int, columns: int) -> int:
    """None: it copies."""
    return 0


def run(x: Tensor, out: Tensor | None = None, tile: int = 32) -> Tensor:
    """Transpose in square tiles, a power of two from 4 to 128 wide."""
    whole("tile", tile, *BOUNDS["tile"])
    rows, columns = x.shape
    out = torch.empty(columns, rows, device=x.device) if out is None else out
    grid = (triton.cdiv(columns, tile), triton.cdiv(rows, tile))
    _transpose[grid](x, out, rows, columns, tile, num_warps=8 if tile >= 64 else 4 if tile >= 16 else 2)
    return out


@triton.jit
def _transpose(x, out, rows, columns, tile: tl.constexpr):
    r = tl.program_id(1) * tile + tl.arange(0, tile)
    c = tl.program_id(0) * tile + tl.arange(0, tile)
    part = tl.load(x + r[:, None] * columns + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < columns))
    tl.store(out + c[:, None] * rows + r[None, :], tl.trans(part), mask=(c[:, None] < columns) & (r[None, :] < rows))
