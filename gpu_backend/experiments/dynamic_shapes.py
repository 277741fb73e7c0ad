"""Calls with different numbers of rows in three ways: one general program, padded buckets, a program for each size.

The call is the up projection of the running example. General: one tile for any rows, launched from Python. Buckets: the
best tile of a few for 512 and for 2048 rows, each captured as a graph; calls are padded. Specialised: the same for each
size of the group. Model: `sim.dynamic_shapes`, whose rows executed follow; its times are replaced by those read here.
"""

from collections.abc import Iterator, Sequence
from tempfile import TemporaryDirectory
from time import perf_counter

import torch
import triton
from pydantic import Field

from gpu_backend import machine, timing
from gpu_backend.checking import verify
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import matmul as kernel
from gpu_backend.kernels.matmul import Config
from sim.dynamic_shapes import BUCKETS, GROUP
from sim.spread import quantile

GENERAL = Config(64, 128, 64, 4, 3, tma=False)
CANDIDATES = (
    Config(64, 256, 64, 4, 4),
    Config(128, 128, 64, 8, 4),
    Config(128, 256, 64, 8, 3),
    Config(128, 256, 64, 8, 4),
)
WAYS: dict[str, tuple[int, ...]] = {
    "general": (),
    "buckets": tuple(BUCKETS.buckets),
    "specialised": tuple(sorted(set(GROUP))),
}
"""Name of a way, and the sizes it has programs for."""


class Chosen(Inputs):
    """Sizes of the projection."""

    k: int = Field(4096, ge=64, le=8192, multiple_of=8, description="inner size")
    n: int = Field(12288, ge=64, le=16384, multiple_of=8, description="columns")
    samples: int = Field(15, ge=3, le=100, description="groups of which the median counts")


def rows(chosen: Chosen) -> Iterator[Row]:
    """One row a way."""
    data = {
        m: kernel.make_input(chosen.seed + m, m, chosen.n, chosen.k, "cuda")[0]
        for m in sorted({*GROUP, *BUCKETS.buckets})
    }
    _, w = kernel.make_input(chosen.seed, 1, chosen.n, chosen.k, "cuda")
    out = {m: torch.empty(m, chosen.n, device="cuda", dtype=torch.bfloat16) for m in data}
    for way, sizes in WAYS.items():
        with TemporaryDirectory() as folder, triton.knobs.cache.scope():
            triton.knobs.cache.dir = folder
            for jit in (kernel.pointer_kernel, kernel.descriptor_kernel):
                for device in jit.device_caches.values():
                    device[0].clear()
            torch.cuda.synchronize()
            begin = perf_counter()
            graphs = {m: _ready(data[m], w, out[m]) for m in sizes}
            if not sizes:
                kernel.launch(data[GROUP[0]], w, out[GROUP[0]], GENERAL)
            torch.cuda.synchronize()
            ready_ms = (perf_counter() - begin) * 1e3

        def call(m: int, graphs: dict[int, torch.cuda.CUDAGraph] = graphs, sizes: Sequence[int] = sizes) -> int:
            if not sizes:
                kernel.launch(data[m], w, out[m], GENERAL)
                return m
            fit = next(size for size in sizes if size >= m)
            if fit != m:
                data[fit][:m].copy_(data[m])  # the graph reads its own buffer
            graphs[fit].replay()
            return fit

        group_ms = _group_ms(call, chosen.samples)
        worst = 0.0
        for m in sorted(set(GROUP)):
            out[max(data)].fill_(float("nan"))
            got = out[call(m)][:m]
            worst = max(worst, verify(got, kernel.reference(data[m], w)))
        executed = sum(next((s for s in sizes if s >= m), m) for m in GROUP)
        yield {
            "way": way, "programs": max(1, len(sizes)), "ready_ms": ready_ms, "group_ms": group_ms,
            "useful_rows": sum(GROUP),
            "executed_rows": executed, "flop_per_row": 2 * chosen.k * chosen.n, "count": chosen.samples, "error": worst,
            "kernel": "pointer_kernel" if not sizes else "descriptor_kernel", "sm_mhz": machine.sm_mhz(),
        }  # fmt: skip


def _ready(a: torch.Tensor, w: torch.Tensor, out: torch.Tensor) -> torch.cuda.CUDAGraph:
    """Compile and time every candidate; capture the best."""
    best = min(
        CANDIDATES,
        key=lambda c: timing.time(lambda _: kernel.launch(a, w, out, c), samples=5, sample_ms=1.0).median,
    )
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kernel.launch(a, w, out, best)
    return graph


def _group_ms(call, samples: int) -> float:  # type: ignore[no-untyped-def]
    seen = []
    for _ in range(samples + 3):
        torch.cuda.synchronize()
        begin = perf_counter()
        for m in GROUP:
            call(m)
        torch.cuda.synchronize()
        seen.append((perf_counter() - begin) * 1e3)
    return quantile(sorted(seen[3:]), 0.5)


EXPERIMENT = Experiment(
    "dynamic_shapes",
    "dynamic_shapes",
    "the host's clock; ready_ms: compile with an empty cache, time the candidates, capture; group_ms: ten calls until "
    "all have run, median of `count`, padding copied where there is any; outputs checked against float64",
    Chosen,
    rows,
    needs_gpu=True,
    points=lambda _: len(WAYS),
)
