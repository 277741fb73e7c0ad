"""One transfer in pieces, each used as soon as it is there: copies on one stream, a kernel a piece on another.

Launched call by call (`overlap_ms`), and as one CUDA graph (`graph_ms`), where the host does not set the pace. Model:
`sim.chunks` with the copy and the kernel of the whole as measured alone, and the fixed cost of a piece fitted to the
copies.
"""

from collections.abc import Callable, Iterator
from time import perf_counter

import torch
from pydantic import Field

from gpu_backend.checking import verify
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import fma_sweep as kernel
from sim.chunks import Workload, simulate
from sim.spread import quantile

PIECES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Chosen(Inputs):
    """The transfer and the work on it."""

    mib: int = Field(64, ge=1, le=256, description="MiB from pinned host memory")
    fmas: int = Field(1024, ge=0, le=4096, description="fused multiply-adds the kernel does on each FP32 element")
    samples: int = Field(20, ge=3, le=100, description="samples of which the median counts")


def rows(chosen: Chosen) -> Iterator[Row]:
    """One row a number of pieces."""
    n = chosen.mib << 18
    (host,) = kernel.make_input(chosen.seed, n)
    host = host.pin_memory()
    device, out = torch.empty(n, device="cuda"), torch.empty(n, device="cuda")
    expected = kernel.reference(host.cuda(), chosen.fmas)
    second = torch.cuda.Stream()

    def copies(pieces: int) -> None:
        for part, to in zip(host.chunk(pieces), device.chunk(pieces), strict=True):
            to.copy_(part, non_blocking=True)

    def kernels(pieces: int) -> None:
        for part, to in zip(device.chunk(pieces), out.chunk(pieces), strict=True):
            kernel.run(part, chosen.fmas, to)

    def overlapped(pieces: int) -> None:
        here = torch.cuda.current_stream()
        second.wait_stream(here)
        for part, middle, to in zip(host.chunk(pieces), device.chunk(pieces), out.chunk(pieces), strict=True):
            middle.copy_(part, non_blocking=True)
            there = torch.cuda.Event()
            there.record(here)
            second.wait_event(there)
            with torch.cuda.stream(second):
                kernel.run(middle, chosen.fmas, to)
        here.wait_stream(second)

    whole: dict[str, float] = {}
    for pieces in PIECES:
        row: Row = {"pieces": pieces, "bytes": 4 * n, "kernel": "_sweep", "count": chosen.samples}
        for name, work in (("h2d", copies), ("kernels", kernels)):
            row[f"{name}_ms"] = _ms(lambda work=work: work(pieces), chosen.samples, graph=True)[0]
            whole.setdefault(name, row[f"{name}_ms"])
        out.fill_(float("nan"))
        row["graph_ms"], row["graph_ms_p20"], row["graph_ms_p80"] = _ms(
            lambda: overlapped(pieces), chosen.samples, graph=True
        )
        row["error"] = verify(out, expected)
        out.fill_(float("nan"))
        row["overlap_ms"], row["overlap_ms_p20"], row["overlap_ms_p80"] = _ms(
            lambda: overlapped(pieces),
            chosen.samples,
            graph=False,
        )
        verify(out, expected)
        fixed_us = max(0.0, (row["h2d_ms"] - whole["h2d"]) * 1e3 / max(1, pieces - 1))
        load = Workload(
            4 * n, link_gb_per_s=4 * n / whole["h2d"] / 1e6, fixed_us=fixed_us, kernel_us=whole["kernels"] * 1e3,
            launch_us=max(0.0, (row["kernels_ms"] - whole["kernels"]) * 1e3 / max(1, pieces - 1)),
        )  # fmt: skip
        yield row | {"model_ms": simulate(pieces, load)[-1].kernel_end_us / 1e3}


def _ms(work: Callable[[], None], samples: int, graph: bool) -> tuple[float, float, float]:
    """Median, 20th and 80th percentile of the time between two events."""
    work()
    torch.cuda.synchronize()
    once: Callable[[], object] = work
    if graph:
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured):
            work()
        once = captured.replay
    until = perf_counter() + 0.02
    while perf_counter() < until:
        once()
        torch.cuda.synchronize()
    seen = []
    for _ in range(samples):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        once()
        end.record()
        end.synchronize()
        seen.append(begin.elapsed_time(end))
    seen.sort()
    return quantile(seen, 0.5), quantile(seen, 0.2), quantile(seen, 0.8)


EXPERIMENT = Experiment(
    "chunks", "chunks",
    "time between two CUDA events, each sample alone, medians of `count`; h2d_ms, kernels_ms: copies alone and "
    "kernels alone, "
    "as a graph; graph_ms: both as one graph; overlap_ms: call by call; outputs checked against float64", Chosen, rows,
    needs_gpu=True, points=lambda _: len(PIECES),
)  # fmt: skip
