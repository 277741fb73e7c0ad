"""Kernels with one planted fault each, for the checker to reject."""

import torch
import triton
import triton.language as tl


@triton.jit
def no_tail(x, y, out, n, block: tl.constexpr):
    """The last block, which is not full, is forgotten."""
    at = tl.program_id(0) * block + tl.arange(0, block)
    whole = tl.program_id(0) * block + block <= n
    tl.store(out + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=(at < n) & whole)


@triton.jit
def one_off(x, y, out, n, block: tl.constexpr):
    """Adds the neighbour of y."""
    at = tl.program_id(0) * block + tl.arange(0, block)
    tl.store(out + at, tl.load(x + at, mask=at < n) + tl.load(y + at + 1, mask=at + 1 < n, other=0.0), mask=at < n)


@triton.jit
def one_wrong_element(x, y, out, n, block: tl.constexpr):
    """One element of all is wrong."""
    at = tl.program_id(0) * block + tl.arange(0, block)
    total = tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n)
    tl.store(out + at, tl.where(at == 7, total + 0.01, total), mask=at < n)


@triton.jit
def half_precision(x, y, out, n, block: tl.constexpr):
    """Adds in FP16."""
    at = tl.program_id(0) * block + tl.arange(0, block)
    total = tl.load(x + at, mask=at < n).to(tl.float16) + tl.load(y + at, mask=at < n).to(tl.float16)
    tl.store(out + at, total.to(tl.float32), mask=at < n)


@triton.jit
def nothing(x, y, out, n, block: tl.constexpr):
    """Writes nothing: what was there before stays."""
    pass


ALL = (no_tail, one_off, one_wrong_element, half_precision, nothing)


def run(kernel, x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Launch one of them."""
    kernel[(triton.cdiv(x.numel(), 256),)](x, y, out, x.numel(), 256)
    return out
