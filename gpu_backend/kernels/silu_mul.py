"""The activation of a gated MLP and its quantization: in three kernels, two, or one.

gate, up: bf16[rows, width] (or f16); out: the same = SiLU(gate)·up; quantized: fp8e4m3[rows, width] = out / scale,
saturated at ±448. FP32 inside; between kernels values are rounded to BF16, and fused kernels round there too, so
that every way gives the same bits' worth of error.
Traffic in bytes an element: SiLU 4, product 6, quantize 3; SiLU·mul in one kernel 6; all in one 5.

Source: N. Shazeer, "GLU Variants Improve Transformer", arXiv 2002.05202; OCP 8-bit Floating Point Specification (E4M3).
"""

from typing import Literal, get_args

import torch
import triton
import triton.language as tl
from torch import Tensor

from gpu_backend.machine import interpreted
from sim.inputs import whole

Way = Literal["unfused", "fused", "unfused fp8", "fused fp8"]
WAYS: tuple[Way, ...] = get_args(Way)
BYTES = {"unfused": 10, "fused": 6, "unfused fp8": 13, "fused fp8": 5}
KERNELS = {"unfused": 2, "fused": 1, "unfused fp8": 3, "fused fp8": 1}
BOUNDS = {"rows": (1, 1 << 16), "width": (1, 1 << 15)}
MAX_E4M3 = 448.0
SCALE = 1 / 64
BLOCK = 2048


def make_input(
    seed: int, rows: int = 3, width: int = 1000, device: str = "cpu", dtype: torch.dtype = torch.bfloat16
) -> tuple[Tensor, Tensor]:
    """Standard normal gate and up; ValueError outside BOUNDS."""
    whole("rows", rows, *BOUNDS["rows"])
    whole("width", width, *BOUNDS["width"])
    draw = torch.Generator(device).manual_seed(seed)
    gate, up = (torch.randn(rows, width, generator=draw, device=device).to(dtype) for _ in range(2))
    return gate, up


def reference(gate: Tensor, up: Tensor) -> Tensor:
    """SiLU(gate)·up in float64."""
    return torch.nn.functional.silu(gate.double()) * up.double()


def reference_fp8(gate: Tensor, up: Tensor) -> Tensor:
    """What the quantized values stand for before rounding, saturated, in float64."""
    return (reference(gate, up) / SCALE).clamp(-MAX_E4M3, MAX_E4M3)


def bytes_moved(rows: int, width: int, way: Way) -> int:
    """Bytes each kernel of this way reads and writes, added up."""
    return BYTES[way] * rows * width


def flops(rows: int, width: int) -> int:
    """Negation, sum, quotient and product an element; the exponential is not counted."""
    return 4 * rows * width


def empty_output(gate: Tensor, way: Way) -> Tensor:
    """An output of the way's type, unwritten."""
    return torch.empty_like(gate, dtype=torch.float8_e4m3fn if way.endswith("fp8") else gate.dtype)


def run(
    gate: Tensor,
    up: Tensor,
    way: Way = "fused",
    out: Tensor | None = None,
    between: tuple[Tensor, Tensor] | None = None,
) -> Tensor:
    """Compute in one of the four ways; `between` holds intermediates like `gate`: unfused ways use one or two."""
    if way not in WAYS:
        raise ValueError(f"way is {way!r}; it must be one of {', '.join(WAYS)}")
    out = empty_output(gate, way) if out is None else out
    n = gate.numel()
    grid = (triton.cdiv(n, BLOCK),)
    if way == "fused":
        silu_mul_kernel[grid](gate, up, out, n, BLOCK, num_warps=8)
    elif way == "fused fp8":
        _silu_mul_quantize[grid](gate, up, out, n, 1 / SCALE, MAX_E4M3, interpreted(), BLOCK, num_warps=8)
    else:
        activated, product = between or (torch.empty_like(gate), torch.empty_like(gate))
        product = out if way == "unfused" else product
        silu_kernel[grid](gate, activated, n, BLOCK, num_warps=8)
        mul_kernel[grid](activated, up, product, n, BLOCK, num_warps=8)
        if way == "unfused fp8":
            _quantize[grid](product, out, n, 1 / SCALE, MAX_E4M3, interpreted(), BLOCK, num_warps=8)
    return out


@triton.jit
def silu_kernel(gate, out, n, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    g = tl.load(gate + at, mask=at < n).to(tl.float32)
    tl.store(out + at, (g / (1 + tl.exp(-g))).to(out.dtype.element_ty), mask=at < n)


@triton.jit
def mul_kernel(a, b, out, n, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    product = tl.load(a + at, mask=at < n).to(tl.float32) * tl.load(b + at, mask=at < n).to(tl.float32)
    tl.store(out + at, product.to(out.dtype.element_ty), mask=at < n)


@triton.jit
def _to_e4m3(x, most, interpreted: tl.constexpr):
    """Saturate, and round to the nearest E4M3 number, ties to even.

    A GPU's cast rounds. That of Triton's interpreter (3.6, 3.7) loses the carry of a significand that rounds up to the
    next power of two where the exponent is odd: 127.9 becomes 64, and it cuts off below 2⁻⁶. So there, and there alone,
    FP32's own rounding goes before it: the ulp of x + magic is the step of E4M3 at x, which is 2^(exponent − 3), and
    2⁻⁹ at least. What the cast is then given it need not round.
    """
    x = tl.minimum(tl.maximum(x, -most), most)
    if interpreted:
        exponent = tl.maximum((x.to(tl.int32, bitcast=True) >> 23) & 0xFF, 127 - 6)
        magic = 1.5 * ((exponent + 23 - 3) << 23).to(tl.float32, bitcast=True)
        x = (x + magic) - magic
    return x.to(tl.float8e4nv)


@triton.jit
def _quantize(x, out, n, inverse_scale, most, interpreted: tl.constexpr, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    scaled = tl.load(x + at, mask=at < n).to(tl.float32) * inverse_scale
    tl.store(out + at, _to_e4m3(scaled, most, interpreted), mask=at < n)


@triton.jit
def _silu_mul_quantize(gate, up, out, n, inverse_scale, most, interpreted: tl.constexpr, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    g = tl.load(gate + at, mask=at < n).to(tl.float32)
    u = tl.load(up + at, mask=at < n).to(tl.float32)
    activated = (g / (1 + tl.exp(-g))).to(gate.dtype.element_ty).to(tl.float32)
    scaled = (activated * u).to(gate.dtype.element_ty).to(tl.float32) * inverse_scale
    tl.store(out + at, _to_e4m3(scaled, most, interpreted), mask=at < n)


@triton.jit
def silu_mul_kernel(gate, up, out, n, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    g = tl.load(gate + at, mask=at < n).to(tl.float32)
    u = tl.load(up + at, mask=at < n).to(tl.float32)
    activated = (g / (1 + tl.exp(-g))).to(gate.dtype.element_ty).to(tl.float32)
    tl.store(out + at, (activated * u).to(out.dtype.element_ty), mask=at < n)
