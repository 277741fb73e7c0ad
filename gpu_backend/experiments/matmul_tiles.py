"""The running example's product by tile, warps and stages, beside cuBLAS; registers, spills, shared bytes as compiled.

Model: blocks an SM by `sim.occupancy` from what was compiled; traffic by `sim.tiles`.
"""

from collections.abc import Iterator

import torch
from pydantic import Field
from triton.runtime.errors import OutOfResources

from gpu_backend import machine, timing
from gpu_backend.experiments.common import GRAPH_METHOD, compiled_facts, measured, tflop_per_s
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import matmul as kernel
from gpu_backend.kernels.matmul import Config
from sim.occupancy import occupancy
from sim.tiles import traffic

CONFIGS = (
    Config(64, 64, 32, 4, 2, tma=False),
    Config(64, 64, 32, 4, 3, tma=False),
    Config(64, 64, 64, 4, 3, tma=False),
    Config(128, 64, 64, 4, 3, tma=False),
    Config(64, 128, 64, 4, 3, tma=False),
    Config(128, 128, 32, 4, 3, tma=False),
    Config(128, 128, 64, 4, 3, tma=False),
    Config(128, 128, 64, 8, 3, tma=False),
    Config(128, 256, 64, 8, 3, tma=False),
    Config(64, 64, 64, 4, 4),
    Config(128, 128, 64, 4, 3),
    Config(128, 128, 64, 4, 4),
    Config(128, 128, 64, 8, 3),
    Config(128, 128, 64, 8, 4),
    Config(128, 128, 128, 8, 2),
    Config(128, 128, 128, 8, 3),
    Config(64, 256, 64, 4, 3),
    Config(64, 256, 64, 4, 4),
    Config(128, 256, 64, 8, 2),
    Config(128, 256, 64, 8, 3),
    Config(128, 256, 64, 8, 4),
    Config(256, 128, 64, 8, 3),
    Config(256, 128, 64, 8, 4),
)


class Chosen(Inputs):
    """The sizes; the defaults are the book's running example."""

    m: int = Field(1024, ge=64, le=8192, description="rows, tokens")
    k: int = Field(4096, ge=64, le=16384, multiple_of=8, description="inner size")
    n: int = Field(12288, ge=64, le=16384, multiple_of=8, description="columns")


def rows(chosen: Chosen) -> Iterator[Row]:
    """cuBLAS first and last, then one row a configuration."""
    m, n, k = chosen.m, chosen.n, chosen.k
    flop = kernel.flops(m, n, k)
    sets = timing.sets_for_cold_l2(kernel.bytes_moved(m, n, k))
    data = [kernel.make_input(chosen.seed + i, m, n, k, machine.device(), machine.half()) for i in range(sets)]
    out = [torch.empty(m, n, device=machine.device(), dtype=machine.half()) for _ in data]
    expected = kernel.reference(*data[-1])

    def row(way: str, launch: timing.Launch) -> Row:
        got = measured(launch, out, lambda: expected, sample_ms=4.0, samples=20)
        return {"way": way, "flop": flop, "tflop_per_s": tflop_per_s(flop, got["us"])} | got

    blank = dict.fromkeys(
        ("tile_m", "tile_n", "tile_k", "warps", "stages", "tma", "registers", "spills", "shared_bytes")
    )
    yield blank | row("cuBLAS", lambda i: torch.mm(*data[i], out=out[i]))
    for config in CONFIGS:
        try:
            compiled = compiled_facts(kernel.launch(*data[0], out[0], config))
        except OutOfResources:  # more shared memory than this GPU has
            continue
        yield {
            "tile_m": config.m, "tile_n": config.n, "tile_k": config.k, "warps": config.warps, "stages": config.stages,
            "tma": config.tma, **compiled, "model_blocks_per_sm": _blocks(config, compiled),
            "model_traffic_bytes": traffic(m, n, k, config.m, config.n, config.k).total_bytes,
        } | row("Triton", lambda i: kernel.launch(*data[i], out[i], config))  # fmt: skip
    yield blank | row("cuBLAS", lambda i: torch.mm(*data[i], out=out[i]))


def _blocks(config: Config, compiled: Row) -> int | None:
    cc = machine.compute_capability()
    if cc is None or compiled["registers"] is None:
        return None
    return occupancy(cc, 32 * config.warps, compiled["registers"], compiled["shared_bytes"]).blocks_per_sm


EXPERIMENT = Experiment("matmul_tiles", "tile_traffic", GRAPH_METHOD + "; cold L2: sets take turns", Chosen, rows)
