"""What a search over tiles costs, and what the first shape's choice costs the others: every shape with every tile.

Rows are one shape and one tile each, with the time to compile the tile (once) and to run it; the best tile of a shape,
what another shape's best costs it, and the whole search follow from them.
"""

from collections.abc import Iterator
from tempfile import TemporaryDirectory
from time import perf_counter

import torch
import triton
from pydantic import Field
from triton.runtime.errors import OutOfResources

from gpu_backend import machine, timing
from gpu_backend.experiments.common import GRAPH_METHOD, measured, tflop_per_s
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import matmul as kernel
from gpu_backend.kernels.matmul import Config

SHAPES = (16, 64, 256, 1024, 4096)
TILES = (
    Config(16, 64, 128, 4, 4, tma=False),
    Config(16, 128, 128, 4, 3, tma=False),
    Config(64, 64, 64, 4, 4, tma=False),
    Config(64, 128, 64, 4, 4, tma=False),
    Config(64, 256, 64, 4, 3, tma=False),
    Config(128, 128, 64, 4, 4, tma=False),
    Config(128, 256, 64, 8, 3, tma=False),
    Config(256, 128, 64, 8, 3, tma=False),
)


class Chosen(Inputs):
    """Inner size and columns; rows are 16 to 4,096."""

    k: int = Field(4096, ge=64, le=8192, multiple_of=8, description="inner size")
    n: int = Field(4096, ge=64, le=8192, multiple_of=8, description="columns")
    most_rows: int = Field(4096, ge=16, le=4096, description="shapes with more rows are left out")


def rows(chosen: Chosen) -> Iterator[Row]:
    """One row a shape and tile."""
    compiled_ms: dict[Config, float] = {}
    _forget()
    for m in (m for m in SHAPES if m <= chosen.most_rows):
        size = kernel.bytes_moved(m, chosen.n, chosen.k)
        sets = timing.sets_for_cold_l2(size)
        data = [
            kernel.make_input(chosen.seed + i, m, chosen.n, chosen.k, machine.device(), machine.half())
            for i in range(sets)
        ]
        out = [torch.empty(m, chosen.n, device=machine.device(), dtype=machine.half()) for _ in data]
        expected = kernel.reference(*data[-1])
        for tile in TILES:
            try:
                if tile not in compiled_ms:
                    compiled_ms[tile] = _compile_ms(data[0], out[0], tile)
                row = measured(
                    lambda i: kernel.launch(*data[i], out[i], tile), out, lambda: expected, sample_ms=2.0, samples=15,
                    names=False,
                )  # fmt: skip
            except OutOfResources:
                continue
            yield {
                "m": m, "k": chosen.k, "n": chosen.n, "tile_m": tile.m, "tile_n": tile.n, "tile_k": tile.k,
                "warps": tile.warps,
                "stages": tile.stages, "compile_ms": compiled_ms[tile], "kernel": "pointer_kernel",
                "tflop_per_s": tflop_per_s(kernel.flops(m, chosen.n, chosen.k), row["us"]),
            } | row  # fmt: skip


def _forget() -> None:
    """Drop what earlier experiments compiled of this kernel in this process."""
    for device in kernel.pointer_kernel.device_caches.values() if machine.has_gpu() else ():
        device[0].clear()


def _compile_ms(data: tuple[torch.Tensor, torch.Tensor], out: torch.Tensor, tile: Config) -> float:
    """The first launch with an empty cache: compilation, loading and one run."""
    with TemporaryDirectory() as folder, triton.knobs.cache.scope():
        triton.knobs.cache.dir = folder
        begin = perf_counter()
        kernel.launch(*data, out, tile)
        if machine.has_gpu():
            torch.cuda.synchronize()
        return (perf_counter() - begin) * 1e3


EXPERIMENT = Experiment(
    "autotune", "autotune", GRAPH_METHOD + "; compile_ms: the first launch with an empty cache, by the host's clock",
    Chosen, rows,
)  # fmt: skip
