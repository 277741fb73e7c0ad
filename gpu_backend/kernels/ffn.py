"""The six kernels of one gated FFN, or five with SiLU and product fused: norm, gate, up, SiLU, multiply, down.

x: bf16[rows, H]; gate, up: bf16[H, F]; down: bf16[F, H]; out: bf16[rows, H] = (SiLU(n·gate) ⊙ (n·up))·down, n =
RMSNorm(x). Traffic: 6·H·F bytes of weights, once, and the activations between the kernels.

Source: N. Shazeer, "GLU Variants Improve Transformer", arXiv 2002.05202; the kernels are the others of this folder.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from gpu_backend.kernels import matmul, rms_norm, silu_mul
from gpu_backend.kernels.matmul import Config
from sim.inputs import whole

BOUNDS = {"rows": (1, 4096), "hidden": (64, 8192), "inner": (64, 16384)}
SMALL = Config(16, 64, 64, 4, 3, tma=False)


@dataclass(frozen=True, slots=True)
class Ffn:
    """Weights, and room for everything between the kernels."""

    weight: Tensor
    gate: Tensor
    up: Tensor
    down: Tensor
    norm: Tensor
    between: tuple[Tensor, Tensor, Tensor, Tensor]


def make_input(
    seed: int,
    rows: int = 16,
    hidden: int = 64,
    inner: int = 128,
    device: str = "cpu",
    dtype: torch.dtype = torch.bfloat16,
) -> tuple[Tensor, Ffn]:
    """Standard normal x and weights scaled so that activations stay about 1; ValueError outside BOUNDS."""
    for name, value in (("rows", rows), ("hidden", hidden), ("inner", inner)):
        whole(name, value, *BOUNDS[name])
    draw = torch.Generator(device).manual_seed(seed)

    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, generator=draw, device=device)

    x, weight = normal(rows, hidden).to(dtype), (1 + 0.1 * normal(hidden)).to(dtype)
    gate, up = ((normal(hidden, inner) / hidden**0.5).to(dtype) for _ in range(2))
    down = (normal(inner, hidden) / inner**0.5).to(dtype)
    room = [torch.empty(rows, inner, device=device, dtype=dtype) for _ in range(4)]
    return x, Ffn(weight, gate, up, down, torch.empty_like(x), (room[0], room[1], room[2], room[3]))


def reference(x: Tensor, ffn: Ffn) -> Tensor:
    """The FFN in float64."""
    n = rms_norm.reference(x, ffn.weight)
    return (torch.nn.functional.silu(n @ ffn.gate.double()) * (n @ ffn.up.double())) @ ffn.down.double()


def bytes_moved(rows: int, hidden: int, inner: int) -> int:
    """Weights once; x, the norm and the result once each; the four activations written and read."""
    return 6 * hidden * inner + 2 * (4 * rows * hidden + 8 * rows * inner)


def flops(rows: int, hidden: int, inner: int) -> int:
    """Of the three products."""
    return 6 * rows * hidden * inner


def steps(x: Tensor, ffn: Ffn, out: Tensor, fused: bool) -> list[Callable[[], object]]:
    """The launches of one FFN, in order: six, or five."""
    g, u, activated, product = ffn.between
    n = g.numel()
    grid = (-(-n // silu_mul.BLOCK),)
    joined: list[Callable[[], object]] = (
        [lambda: silu_mul.run(g, u, "fused", product)]
        if fused
        else [
            lambda: silu_mul.silu_kernel[grid](g, activated, n, silu_mul.BLOCK, num_warps=8),
            lambda: silu_mul.mul_kernel[grid](activated, u, product, n, silu_mul.BLOCK, num_warps=8),
        ]
    )
    return [
        lambda: rms_norm.run(x, ffn.weight, ffn.norm),
        lambda: matmul.launch(ffn.norm, ffn.gate, g, SMALL),
        lambda: matmul.launch(ffn.norm, ffn.up, u, SMALL),
        *joined,
        lambda: matmul.launch(product, ffn.down, out, SMALL),
    ]


def run(x: Tensor, ffn: Ffn, out: Tensor | None = None, fused: bool = False) -> Tensor:
    """Run the FFN."""
    out = torch.empty_like(x) if out is None else out
    for step in steps(x, ffn, out, fused):
        step()
    return out
