"""How fast work can be handed over: launches from Python, from the framework, and as a CUDA graph, by kernels in a row.

Model: `sim.cpu_bound` with the host's time a launch and the device's time a kernel as read here.
"""

from collections.abc import Callable, Iterator
from time import perf_counter

import torch
from pydantic import Field

from gpu_backend import timing
from gpu_backend.checking import verify
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import empty, vector_add
from sim.cpu_bound import simulate
from sim.spread import quantile

KERNELS = (1, 5, 20, 100, 400)
WAYS = 5


class Chosen(Inputs):
    """The kernel launched again and again."""

    log2_n: int = Field(12, ge=8, le=26, description="log2 of the FP32 elements of each vector addition")
    samples: int = Field(20, ge=3, le=100, description="samples of which the median counts")


def rows(chosen: Chosen) -> Iterator[Row]:
    """One row a way of launching and number of kernels."""
    x, y = vector_add.make_input(chosen.seed, 1 << chosen.log2_n, "cuda")
    out = torch.empty_like(x)
    (nothing,) = empty.make_input(0, "cuda")
    expected = vector_add.reference(x, y)
    ways: dict[str, tuple[Callable[[], object], bool]] = {
        "Triton": (lambda: vector_add.run(x, y, out), False),
        "framework": (lambda: torch.add(x, y, out=out), False),
        "empty": (lambda: empty.run(nothing), False),
        "Triton, graph": (lambda: vector_add.run(x, y, out), True),
        "empty, graph": (lambda: empty.run(nothing), True),
    }
    for way, (launch, graph) in ways.items():
        kernel_us = timing.time(lambda _, launch=launch: launch()).median
        for kernels in KERNELS:
            out.fill_(float("nan"))
            submit, total = _sample(launch, kernels, graph, chosen.samples)
            if "empty" not in way:
                verify(out, expected)
            model = simulate(kernels, kernel_us, submit / kernels) if not graph else None
            yield {
                "way": way, "kernels": kernels, "kernel_us": kernel_us, "submit_us": submit,
                "submit_us_each": submit / kernels,
                "us": total, "us_each": total / kernels, "model_us": model.total_us if model else None,
                "count": chosen.samples, "error": 0.0,
            }  # fmt: skip


def _sample(launch: Callable[[], object], kernels: int, graph: bool, samples: int) -> tuple[float, float]:
    """Median µs of the host to hand over all, and until all are done, from an idle GPU."""

    def work() -> None:
        for _ in range(kernels):
            launch()

    work()
    torch.cuda.synchronize()
    once: Callable[[], object] = work
    if graph:
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured):
            work()
        once = captured.replay
    handed, done = [], []
    for _ in range(samples + 3):
        torch.cuda.synchronize()
        begin = perf_counter()
        once()
        handed.append((perf_counter() - begin) * 1e6)
        torch.cuda.synchronize()
        done.append((perf_counter() - begin) * 1e6)
    return quantile(sorted(handed[3:]), 0.5), quantile(sorted(done[3:]), 0.5)


EXPERIMENT = Experiment(
    "cpu_bound", "cpu_bound",
    "the host's clock from an idle GPU: submit_us until all launches are handed over, us until all have run; medians "
    "of "
    "`count`; kernel_us: device time of one in a long graph", Chosen, rows, needs_gpu=True,
    points=lambda _: WAYS * len(KERNELS),
)  # fmt: skip
