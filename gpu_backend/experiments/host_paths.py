"""Copies between host and device, pinned and pageable, and on the device, by size.

Model: `sim.host_paths` with the raw rate of the link.
"""

from collections.abc import Iterator

import torch
from pydantic import Field

from gpu_backend import timing
from gpu_backend.checking import WrongResult
from gpu_backend.experiments.common import gb_per_s
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from sim.gpus import gpu
from sim.host_paths import Path, Rates, simulate

PATHS: tuple[Path, ...] = ("h2d pinned", "h2d pageable", "d2h pinned", "d2h pageable", "d2d")


class Chosen(Inputs):
    """Sizes from 2^smallest to 2^largest bytes, every second power of two."""

    smallest: int = Field(12, ge=10, le=30, description="log2 of the fewest bytes")
    largest: int = Field(28, ge=10, le=30, description="log2 of the most bytes")
    gpu: str = Field(
        "h200", pattern=r"^[a-z0-9_]{1,20}$", description="this GPU's key in sim/gpus.toml, for the model's rates"
    )


def _logs(chosen: Chosen) -> range:
    return range(chosen.smallest, chosen.largest + 1, 2)


def rows(chosen: Chosen) -> Iterator[Row]:
    """One row a path and size."""
    sold = gpu(chosen.gpu).quantities
    rates = Rates(link_gb_per_s=sold["pcie"].value, device_gb_per_s=sold["bandwidth"].value)
    for log in _logs(chosen):
        size = 1 << log
        draw = torch.Generator("cuda").manual_seed(chosen.seed)
        device = torch.randint(256, (size,), dtype=torch.uint8, generator=draw, device="cuda")
        host = device.cpu()
        ends = {
            "h2d pinned": (host.pin_memory(), torch.empty_like(device)),
            "h2d pageable": (host, torch.empty_like(device)),
            "d2h pinned": (device, torch.empty(size, dtype=torch.uint8, pin_memory=True)),
            "d2h pageable": (device, torch.empty(size, dtype=torch.uint8)),
            "d2d": (device, torch.empty_like(device)),
        }
        for path in PATHS:
            source, target = ends[path]
            target.zero_()
            pageable = "pageable" in path
            times = timing.time(
                lambda _: target.copy_(source, non_blocking=not pageable),
                samples=20, launches=1 if pageable or size > 1 << 22 else 16, graph=not pageable,
            )  # fmt: skip
            if not torch.equal(target.cpu(), host):
                raise WrongResult(f"{path}, {size:,} bytes: the copy differs from its source")
            yield {
                "path": path, "bytes": size, "model_us": simulate(size, path, rates).total_us,
                "gb_per_s": gb_per_s(size * (2 if path == "d2d" else 1), times.median), "error": 0.0,
            } | times.row()  # fmt: skip


EXPERIMENT = Experiment(
    "host_paths", "host_paths",
    "CUDA events around `launches` copies (pinned and on the device: a graph replay; pageable: one call), divided by "
    "them; "
    "medians of `count` with 20th and 80th percentiles; every copy compared with its source. d2d counts bytes read "
    "and written",
    Chosen, rows, needs_gpu=True,
    points=lambda chosen: len(_logs(chosen)) * len(PATHS),
)  # fmt: skip
