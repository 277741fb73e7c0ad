"""Some FFNs of six kernels, launched four ways: eager, fused, as graphs, fused and as graphs.

Model: `sim.graphs` with each kernel's device time, a launch's and a replay's host time as read here.
"""

from collections.abc import Callable, Iterator
from time import perf_counter

import torch
from pydantic import Field

from gpu_backend import timing
from gpu_backend.checking import verify
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import ffn as kernel
from sim.graphs import MODES, simulate
from sim.spread import quantile
from sim.submissions import Kernel

NAMES = ("norm", "gate", "up", "SiLU", "multiply", "down")


class Chosen(Inputs):
    """FFNs of a small model at a small batch, where launches matter; and how many in a row."""

    ffns: int = Field(3, ge=1, le=24, description="FFNs one after another")
    rows: int = Field(16, ge=1, le=1024, description="rows, tokens")
    hidden: int = Field(1024, ge=64, le=8192, multiple_of=64, description="hidden width")
    inner: int = Field(3072, ge=64, le=16384, multiple_of=64, description="inner width")
    samples: int = Field(50, ge=3, le=500, description="samples of which the median counts")


def rows(chosen: Chosen) -> Iterator[Row]:
    """One row a mode."""
    x, ffn = kernel.make_input(chosen.seed, chosen.rows, chosen.hidden, chosen.inner, "cuda")
    out = torch.empty_like(x)
    expected = kernel.reference(x, ffn)
    plain, fused = (kernel.steps(x, ffn, out, joined) for joined in (False, True))
    times = [timing.time(lambda _, step=step: step()).median for step in plain]
    joined_us = timing.time(lambda _: fused[3]()).median
    kernels = [Kernel(name, us) for name, us in zip(NAMES, times, strict=True)]
    launch_us = replay_us = 0.0
    for mode in MODES:
        steps = fused if "fused" in mode else plain
        once = _replay(steps) if "graph" in mode else _eager(steps)
        out.fill_(float("nan"))
        submit, done = _sample(once, chosen.ffns, chosen.samples)
        error = verify(out, expected, limit=2e-2)
        if mode == "eager":
            launch_us = submit / (chosen.ffns * len(steps))
        if mode == "graph":
            replay_us = submit / chosen.ffns
        seen = timing.kernels_of(lambda _, once=once: [once() for _ in range(chosen.ffns)])
        model = simulate(
            mode, chosen.ffns, kernels=kernels, fused=Kernel("SiLU and multiply", joined_us), launch_us=launch_us,
            replay_us=replay_us, replay_kernel_us=0.0,
        )  # fmt: skip
        yield {
            "mode": mode, "ffns": chosen.ffns, "submissions": chosen.ffns * (1 if "graph" in mode else len(steps)),
            "kernels": len(seen), "model_submissions": model.submissions, "model_kernels": model.kernels,
            "model_us": model.timeline.total_us, "us": done, "submit_us": submit,
            "busy_us": chosen.ffns * (sum(times) if "fused" not in mode else sum((*times[:3], joined_us, times[5]))),
            "kernel_us": [*times, joined_us], "kernel": ", ".join(sorted({name for name, _ in seen})),
            "count": chosen.samples, "error": error,
        }  # fmt: skip


def _eager(steps: list[Callable[[], object]]) -> Callable[[], object]:
    return lambda: [step() for step in steps]


def _replay(steps: list[Callable[[], object]]) -> Callable[[], object]:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for step in steps:
            step()
    replay: Callable[[], object] = graph.replay
    return replay


def _sample(once: Callable[[], object], ffns: int, samples: int) -> tuple[float, float]:
    handed, done = [], []
    for _ in range(samples + 5):
        torch.cuda.synchronize()
        begin = perf_counter()
        for _ in range(ffns):
            once()
        handed.append((perf_counter() - begin) * 1e6)
        torch.cuda.synchronize()
        done.append((perf_counter() - begin) * 1e6)
    return quantile(sorted(handed[5:]), 0.5), quantile(sorted(done[5:]), 0.5)


EXPERIMENT = Experiment(
    "graph_modes", "graph_modes",
    "the host's clock from an idle GPU: submit_us until all is handed over, us until all has run, medians of "
    "`count`; kernels: "
    "counted by the profiler; kernel_us: device time of norm, gate, up, SiLU, multiply, down, and SiLU·multiply fused",
    Chosen, rows, needs_gpu=True, points=lambda _: len(MODES),
)  # fmt: skip
