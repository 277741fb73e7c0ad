"""A graph and its input: eager, as a graph with the input copied into place, as a graph with it written in place.

The step is eight small kernels on the first 65,536 elements; the input to be copied may be far larger. A graph that is
given a new input at another address answers for the old one: `stale_gives_old` says that it did. Model:
`sim.graph_inputs`.
"""

from collections.abc import Callable, Iterator
from time import perf_counter

import torch
from pydantic import Field

from gpu_backend import timing
from gpu_backend.checking import WrongResult, verify
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import fma_sweep as kernel
from sim.gpus import gpu
from sim.graph_inputs import compare
from sim.spread import quantile

USED = 1 << 16
FMAS = 64
STEPS = 8


class Chosen(Inputs):
    """Input sizes: powers of four of bytes."""

    smallest: int = Field(18, ge=18, le=28, description="log2 of the smallest input in bytes")
    largest: int = Field(28, ge=18, le=28, description="log2 of the largest")
    samples: int = Field(50, ge=3, le=500, description="samples of which the median counts")
    gpu: str = Field("h200", pattern=r"^[a-z0-9_]{1,20}$", description="this GPU's key in sim/gpus.toml, for the model")


def _logs(chosen: Chosen) -> range:
    return range(chosen.smallest, chosen.largest + 1, 2)


def rows(chosen: Chosen) -> Iterator[Row]:
    """One row a size."""
    bandwidth = gpu(chosen.gpu).quantities["bandwidth"].value * 1e9
    wait_us = prepare_us = compute_us = 0.0
    for log in _logs(chosen):
        n = 1 << log - 2
        (held,), (given,) = (kernel.make_input(chosen.seed + i, n, "cuda") for i in (0, 1))
        out = [torch.empty(USED, device="cuda") for _ in range(STEPS)]

        def step(x: torch.Tensor, out: list[torch.Tensor] = out) -> None:
            for i in range(STEPS):
                kernel.run(x[:USED] if i == 0 else out[i - 1], FMAS, out[i])

        step(held)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step(held)
        new, old = kernel.reference(given[:USED], FMAS * STEPS), kernel.reference(held[:USED], FMAS * STEPS)
        graph.replay()
        stale = verify(out[-1], old) < 1e-5
        if not stale:
            raise WrongResult("a graph gave another answer than for the input it was captured with")
        eager_us = _sample(lambda: step(given), chosen.samples)
        verify(out[-1], new)

        def copied() -> None:
            held.copy_(given)
            graph.replay()

        copied_us = _sample(copied, chosen.samples)
        error = verify(out[-1], new)
        in_place_us = _sample(graph.replay, chosen.samples)
        if not compute_us:  # once: the step is the same at every size
            compute_us = timing.time(lambda _: step(given)).median
            wait_us, prepare_us = max(0.0, eager_us - compute_us), max(0.0, in_place_us - compute_us)
        model = compare(4 * n, bandwidth, wait_us=wait_us, prepare_us=prepare_us, compute_us=compute_us)
        yield {
            "bytes": 4 * n, "eager_us": eager_us, "graph_copy_us": copied_us, "graph_in_place_us": in_place_us,
            "compute_us": compute_us, "copy_us": timing.time(lambda _: held.copy_(given)).median,
            "model_eager_us": model.eager_us, "model_graph_us": model.graph_us, "model_tie_bytes": model.tie_bytes,
            "stale_gives_old": stale, "count": chosen.samples, "kernel": "_sweep", "error": error,
        }  # fmt: skip


def _sample(once: Callable[[], object], samples: int) -> float:
    seen = []
    for _ in range(samples + 5):
        torch.cuda.synchronize()
        begin = perf_counter()
        once()
        torch.cuda.synchronize()
        seen.append((perf_counter() - begin) * 1e6)
    return quantile(sorted(seen[5:]), 0.5)


EXPERIMENT = Experiment(
    "graph_inputs", "graph_inputs",
    "the host's clock from an idle GPU until all has run, medians of `count`; compute_us, copy_us: device time, many "
    "in a graph; "
    "outputs checked against float64", Chosen, rows, needs_gpu=True,
    points=lambda chosen: len(_logs(chosen)),
)  # fmt: skip
