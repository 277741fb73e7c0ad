"""Transpose through a tile of shared memory with padded rows or swizzled columns.

x: f32[rows, columns], out: f32[columns, rows]. out[c, r] = x[r, c].
Traffic: 8·rows·columns bytes.

Source: M. Harris, "An Efficient Matrix Transpose in CUDA C/C++", NVIDIA blog, 2013; addresses as in
`sim.transpose_addresses`.
"""

import torch
from torch import Tensor

from gpu_backend.kernels import sources
from gpu_backend.kernels.transpose import bytes_moved, flops, reference
from sim.inputs import whole

__all__ = ["BOUNDS", "bytes_moved", "flops", "make_input", "reference", "run"]

BOUNDS = {"rows": (1, 1 << 15), "columns": (1, 1 << 15), "padding": (0, 32)}
TILES = (8, 16, 32, 64)


def make_input(seed: int, rows: int = 1000, columns: int = 1500, device: str = "cuda") -> tuple[Tensor]:
    """A matrix of standard normal numbers; ValueError outside BOUNDS."""
    whole("rows", rows, *BOUNDS["rows"])
    whole("columns", columns, *BOUNDS["columns"])
    draw = torch.Generator(device).manual_seed(seed)
    return (torch.randn(rows, columns, generator=draw, device=device),)


def run(x: Tensor, out: Tensor, tile: int = 32, padding: int = 0, swizzle: bool = False) -> Tensor:
    """Transpose in tiles of 8, 16, 32 or 64 a side."""
    whole("padding", padding, *BOUNDS["padding"])
    if tile not in TILES:
        raise ValueError(f"tile is {tile}; it must be one of {', '.join(map(str, TILES))}")
    rows, columns = x.shape
    threads = min(256, tile * tile)
    kernel = sources.compiled("padded_transpose", TILE=tile, PADDING=padding, SWIZZLE=int(swizzle), THREADS=threads)
    kernel.launch((-(-columns // tile), -(-rows // tile)), threads, x, out, rows, columns)
    return out
