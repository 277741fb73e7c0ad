"""Softmax of rows in three ways: three passes, online in two, one pass with the row in registers.

x, out: f32[rows, columns]. out = exp(x - max) / Σ exp(x - max), along each row.
Traffic, if no cache helps: three passes 16·rows·columns bytes (maximum, sum, result, each reads the row), online
12·rows·columns, one block 8·rows·columns.

Source: M. Milakov, N. Gimelshein, "Online normalizer calculation for softmax", arXiv 1805.02867.
"""

from typing import Literal, get_args

import torch
import triton
import triton.language as tl
from torch import Tensor

from sim.inputs import whole

Way = Literal["three passes", "online", "one block"]
WAYS: tuple[Way, ...] = get_args(Way)
BOUNDS = {"rows": (1, 1 << 20), "columns": (1, 1 << 17)}
PASSES = {"three passes": 3, "online": 2, "one block": 1}
BLOCK = 2048
MOST_IN_ONE_BLOCK = 1 << 15
"""Elements of a row that 16 warps keep in registers: 64 a thread."""


def make_input(seed: int, rows: int = 3, columns: int = 300, device: str = "cpu") -> tuple[Tensor]:
    """Normal numbers of standard deviation 4, so that rows have a clear maximum; ValueError outside BOUNDS."""
    whole("rows", rows, *BOUNDS["rows"])
    whole("columns", columns, *BOUNDS["columns"])
    draw = torch.Generator(device).manual_seed(seed)
    return (4 * torch.randn(rows, columns, generator=draw, device=device),)


def reference(x: Tensor) -> Tensor:
    """Softmax in float64."""
    return torch.softmax(x.double(), -1)


def bytes_moved(rows: int, columns: int, way: Way) -> int:
    """Bytes read in each pass and written once."""
    return 4 * (PASSES[way] + 1) * rows * columns


def flops(rows: int, columns: int) -> int:
    """A difference, a sum and a product an element; exponentials are not counted."""
    return 3 * rows * columns


def run(x: Tensor, way: Way = "online", out: Tensor | None = None) -> Tensor:
    """Softmax in one of the three ways; one block takes at most 32,768 columns."""
    rows, columns = x.shape
    out = torch.empty_like(x) if out is None else out
    if way == "one block":
        whole("columns", columns, 1, MOST_IN_ONE_BLOCK)
        block = triton.next_power_of_2(columns)
        _one_block[(rows,)](x, out, columns, block, num_warps=16 if block > 8192 else 8 if block > 2048 else 4)
    elif way == "online":
        _online[(rows,)](x, out, columns, BLOCK, num_warps=8)
    elif way == "three passes":
        _three_passes[(rows,)](x, out, columns, BLOCK, num_warps=8)
    else:
        raise ValueError(f"way is {way!r}; it must be one of {', '.join(WAYS)}")
    return out


@triton.jit
def _three_passes(x, out, columns, block: tl.constexpr):
    x += tl.program_id(0).to(tl.int64) * columns
    out += tl.program_id(0).to(tl.int64) * columns
    at = tl.arange(0, block)
    high = tl.full((block,), float("-inf"), tl.float32)
    for start in range(0, columns, block):
        high = tl.maximum(high, tl.load(x + start + at, mask=start + at < columns, other=float("-inf")))
    top = tl.max(high, axis=0)
    weights = tl.zeros((block,), tl.float32)
    for start in range(0, columns, block):
        weights += tl.exp(tl.load(x + start + at, mask=start + at < columns, other=float("-inf")) - top)
    total = tl.sum(weights, axis=0)
    for start in range(0, columns, block):
        value = tl.load(x + start + at, mask=start + at < columns, other=float("-inf"))
        tl.store(out + start + at, tl.exp(value - top) / total, mask=start + at < columns)


@triton.jit
def _online(x, out, columns, block: tl.constexpr):
    x += tl.program_id(0).to(tl.int64) * columns
    out += tl.program_id(0).to(tl.int64) * columns
    at = tl.arange(0, block)
    top = -float("inf")
    total = 0.0
    for start in range(0, columns, block):
        value = tl.load(x + start + at, mask=start + at < columns, other=float("-inf"))
        higher = tl.maximum(top, tl.max(value, axis=0))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(value - higher), axis=0)
        top = higher
    for start in range(0, columns, block):
        value = tl.load(x + start + at, mask=start + at < columns, other=float("-inf"))
        tl.store(out + start + at, tl.exp(value - top) / total, mask=start + at < columns)


@triton.jit
def _one_block(x, out, columns, block: tl.constexpr):
    x += tl.program_id(0).to(tl.int64) * columns
    out += tl.program_id(0).to(tl.int64) * columns
    at = tl.arange(0, block)
    value = tl.load(x + at, mask=at < columns, other=float("-inf"))
    weight = tl.exp(value - tl.max(value, axis=0))
    tl.store(out + at, weight / tl.sum(weight, axis=0), mask=at < columns)
