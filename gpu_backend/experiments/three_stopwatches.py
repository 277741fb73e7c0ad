"""Three stopwatches on one kernel: around the call, around the kernel on the device, and until the result is back.

Model: `sim.stopwatches` with the kernel's device time and the call's as read here.
"""

from collections.abc import Callable, Iterator
from time import perf_counter

import torch
from pydantic import Field

from gpu_backend import timing
from gpu_backend.checking import verify
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import fma_sweep as kernel
from sim.spread import quantile
from sim.stopwatches import simulate

FMAS = (0, 64, 256, 1024, 4096)


class Chosen(Inputs):
    """The vector that the kernel works on."""

    log2_n: int = Field(20, ge=10, le=24, description="log2 of the FP32 elements")
    samples: int = Field(200, ge=20, le=1000, description="samples of which the median counts")


def rows(chosen: Chosen) -> Iterator[Row]:
    """One row a kernel, from empty-handed to long."""
    (x,) = kernel.make_input(chosen.seed, 1 << chosen.log2_n, "cuda")
    out = torch.empty_like(x)
    for fmas in FMAS:
        kernel_us = timing.time(lambda _: kernel.run(x, fmas, out)).median
        out.fill_(float("nan"))
        read = [_sample(lambda: kernel.run(x, fmas, out), out) for _ in range(chosen.samples + 20)][20:]
        error = verify(out, kernel.reference(x, fmas))
        row: Row = {"fmas": fmas, "n": x.numel(), "kernel_us": kernel_us}
        for name, values in zip(("call_us", "events_us", "result_us"), zip(*read, strict=True), strict=True):
            ordered = sorted(values)
            row |= {
                name: quantile(ordered, 0.5),
                f"{name}_p20": quantile(ordered, 0.2),
                f"{name}_p80": quantile(ordered, 0.8),
            }
        model = simulate(kernel_us, submit_us=row["call_us"], idle_stream=True)
        yield row | {
            "model_events_us": model.events_us, "model_result_us": model.result_us, "count": chosen.samples,
            "kernel": "_sweep", "error": error,
        }  # fmt: skip


def _sample(call: Callable[[], object], out: torch.Tensor) -> tuple[float, float, float]:
    """µs by the host's clock around the call, by events around the kernel, by the host's until a result is back."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    begin.record()
    start = perf_counter()
    call()
    called = perf_counter()
    end.record()
    float(out[0])
    back = perf_counter()
    return (called - start) * 1e6, begin.elapsed_time(end) * 1e3, (back - start) * 1e6


EXPERIMENT = Experiment(
    "three_stopwatches", "three_stopwatches",
    "call_us, result_us: the host's clock around the launch from Python, and until one number of the result is on "
    "the host; "
    "events_us: two events around one launch on an idle stream; kernel_us: many launches in a graph; medians of "
    "`count`",
    Chosen, rows, needs_gpu=True, points=lambda _: len(FMAS),
)  # fmt: skip
