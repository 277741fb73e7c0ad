"""One kernel from memory-bound to compute-bound: FLOP/s by fused multiply-adds an element.

Model: `sim.roofline.attainable` with the FP32 peak and the bandwidth that the GPU is sold with.
"""

from collections.abc import Iterator

import torch
from pydantic import Field

from gpu_backend import machine, timing
from gpu_backend.experiments.common import GRAPH_METHOD, gb_per_s, measured, tflop_per_s
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import fma_sweep as kernel
from sim.gpus import gpu
from sim.roofline import attainable

FMAS = (1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256, 512, 1024)


class Chosen(Inputs):
    """Size of the vector."""

    log2_n: int = Field(27, ge=8, le=28, description="log2 of the FP32 elements")
    gpu: str = Field("h200", pattern=r"^[a-z0-9_]{1,20}$", description="this GPU's key in sim/gpus.toml, for the model")


def rows(chosen: Chosen) -> Iterator[Row]:
    """One row a number of FMAs."""
    n = 1 << chosen.log2_n
    sold = gpu(chosen.gpu).quantities
    peak, bandwidth = sold["dense.fp32"].value * 1e12, sold["bandwidth"].value * 1e9
    size = kernel.bytes_moved(n)
    data = [kernel.make_input(chosen.seed + i, n, machine.device())[0] for i in range(timing.sets_for_cold_l2(size))]
    out = [torch.empty_like(x) for x in data]
    for fmas in FMAS:
        row = measured(lambda i: kernel.run(data[i], fmas, out[i]), out, lambda: kernel.reference(data[-1], fmas))
        flop = kernel.flops(n, fmas)
        yield {
            "fmas": fmas, "n": n, "flop": flop, "bytes": size, "flop_per_byte": flop / size,
            "model_tflop_per_s": attainable(peak, bandwidth, flop / size) / 1e12,
            "tflop_per_s": tflop_per_s(flop, row["us"]), "gb_per_s": gb_per_s(size, row["us"]),
        } | row  # fmt: skip


EXPERIMENT = Experiment("roofline", "roofline", GRAPH_METHOD, Chosen, rows, points=lambda _: len(FMAS))
