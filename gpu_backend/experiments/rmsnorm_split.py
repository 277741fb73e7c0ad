"""RMSNorm with rows split over more tasks: what it costs with many rows and gains with one.

Model: `sim.reductions.split` with this GPU's SMs and the bandwidth it is sold with.
"""

from collections.abc import Iterator

import torch
from pydantic import Field

from gpu_backend import machine, timing
from gpu_backend.experiments.common import GRAPH_METHOD, measured
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import rms_norm as kernel
from sim.gpus import gpu
from sim.reductions import split

ROWS = (1, 8, 64, 132, 1024, 8192)
SEGMENTS = (1, 2, 4, 8, 16, 32, 64)


class Chosen(Inputs):
    """Width of a row."""

    width: int = Field(4096, ge=512, le=16384, multiple_of=512, description="columns, BF16")
    most_rows: int = Field(8192, ge=1, le=8192, description="more rows are left out")
    gpu: str = Field("h200", pattern=r"^[a-z0-9_]{1,20}$", description="this GPU's key in sim/gpus.toml, for the model")


def rows(chosen: Chosen) -> Iterator[Row]:
    """One row a number of rows and segments."""
    bandwidth = gpu(chosen.gpu).quantities["bandwidth"].value * 1e9
    for count in (count for count in ROWS if count <= chosen.most_rows):
        sets = min(64, timing.sets_for_cold_l2(kernel.bytes_moved(count, chosen.width)))
        data = [
            kernel.make_input(chosen.seed + i, count, chosen.width, machine.device(), machine.half())
            for i in range(sets)
        ]
        out = [torch.empty_like(x) for x, _ in data]
        expected = kernel.reference(*data[-1])
        for segments in SEGMENTS:
            model = split(count, chosen.width, segments, sms=machine.sms(), bandwidth_byte_per_s=bandwidth)
            row = measured(lambda i: kernel.run(*data[i], out[i], segments), out, lambda: expected)
            yield {
                "rows": count, "width": chosen.width, "segments": segments, "model_tasks": model.tasks,
                "model_bytes": model.traffic_bytes, "model_us": model.time_us,
            } | row  # fmt: skip


EXPERIMENT = Experiment(
    "rmsnorm_split", "rmsnorm_split",
    GRAPH_METHOD + "; up to 64 sets take turns, so that many rows find a cold L2; one row stays in it", Chosen, rows,
    points=lambda chosen: len(SEGMENTS) * sum(count <= chosen.most_rows for count in ROWS),
)  # fmt: skip
