"""Copy and compute streams with two slots: when every copy and kernel began and ended, by CUDA events.

Each copy is surrounded by two events on its stream, and so is each kernel. Model: `sim.streams` runs the same program
with the median durations read here.
"""

from collections.abc import Callable, Iterator
from statistics import median
from time import perf_counter

import torch
from pydantic import Field

from gpu_backend.checking import verify
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import fma_sweep as kernel
from sim.streams import double_buffer, simulate


class Chosen(Inputs):
    """Batches and the work on each."""

    batches: int = Field(8, ge=2, le=16, description="batches copied and used")
    mib: int = Field(16, ge=1, le=64, description="MiB a batch")
    slots: int = Field(2, ge=1, le=4, description="slots on the device")
    short_fmas: int = Field(512, ge=0, le=4096, description="FMAs an element: kernels shorter than a copy")
    long_fmas: int = Field(4096, ge=0, le=4096, description="FMAs an element: kernels as long as a copy, or longer")


def rows(chosen: Chosen) -> Iterator[Row]:
    """For one slot and for `slots`, short and long kernels: one row a copy or kernel, in the order enqueued."""
    n = chosen.mib << 18
    hosts = [kernel.make_input(chosen.seed + i, n)[0].pin_memory() for i in range(chosen.batches)]
    for slots in sorted({1, chosen.slots}):
        for fmas in (chosen.short_fmas, chosen.long_fmas):
            yield from _timeline(hosts, slots, fmas)


def _timeline(hosts: list[torch.Tensor], slots: int, fmas: int) -> Iterator[Row]:
    copy, compute = torch.cuda.Stream(), torch.cuda.Stream()
    device = [torch.empty_like(hosts[0], device="cuda") for _ in range(slots)]
    out = [torch.empty_like(device[0]) for _ in hosts]
    runs = [_run(hosts, device, out, copy, compute, fmas) for _ in range(7)][2:]
    for host, got in zip(hosts, out, strict=True):
        verify(got, kernel.reference(host.cuda(), fmas))
    works = [[median(run[i][edge] for run in runs) for edge in (0, 1)] for i in range(2 * len(hosts))]
    length = {kind: median(end - begin for begin, end in works[kind::2]) for kind in (0, 1)}
    host_us = median(run[-1][0] for run in runs)
    model = simulate(double_buffer(len(hosts), length[0], length[1], slots), submit_us=host_us / (2 * len(hosts)))
    for i, (begin, end) in enumerate(works):
        made = model.works[i]
        yield {
            "slots": slots, "fmas": fmas, "stream": "compute" if i % 2 else "copy", "batch": i // 2,
            "slot": i // 2 % slots,
            "begin_us": begin, "end_us": end, "us": end - begin, "model_begin_us": made.start_us,
            "model_end_us": made.end_us,
            "host_us": host_us, "count": len(runs), "kernel": "_sweep" if i % 2 else None, "error": 0.0,
        }  # fmt: skip


def _run(
    hosts: list[torch.Tensor],
    device: list[torch.Tensor],
    out: list[torch.Tensor],
    copy: torch.cuda.Stream,
    compute: torch.cuda.Stream,
    fmas: int,
) -> list[tuple[float, float]]:
    """Begin and end of every work in µs after the first event, in program order; last the host's time to enqueue."""
    torch.cuda.synchronize()
    free: list[torch.cuda.Event | None] = [None] * len(device)
    edges: list[tuple[torch.cuda.Event, torch.cuda.Event]] = []
    zero = torch.cuda.Event(enable_timing=True)
    zero.record(copy)
    begin = perf_counter()
    for batch, host in enumerate(hosts):
        slot = batch % len(device)
        waited = free[slot]
        if waited is not None:
            copy.wait_event(waited)
        filled = _between(copy, edges, lambda slot=slot, host=host: device[slot].copy_(host, non_blocking=True))
        compute.wait_event(filled)
        free[slot] = _between(compute, edges, lambda slot=slot, batch=batch: kernel.run(device[slot], fmas, out[batch]))
    host_us = (perf_counter() - begin) * 1e6
    torch.cuda.synchronize()
    return [(1e3 * zero.elapsed_time(a), 1e3 * zero.elapsed_time(b)) for a, b in edges] + [(host_us, 0.0)]


def _between(
    stream: torch.cuda.Stream,
    edges: list[tuple[torch.cuda.Event, torch.cuda.Event]],
    work: Callable[[], object],
) -> torch.cuda.Event:
    before, after = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    with torch.cuda.stream(stream):
        before.record(stream)
        work()
        after.record(stream)
    edges.append((before, after))
    return after


EXPERIMENT = Experiment(
    "double_buffer", "stream_timeline",
    "CUDA events before and after every copy and kernel on their streams, in µs after an event on the idle copy "
    "stream; "
    "medians of `count` runs, two more ahead; host_us: the host's time to enqueue all; outputs checked against float64",
    Chosen, rows, needs_gpu=True,
    points=lambda chosen: len({1, chosen.slots}) * 2 * 2 * chosen.batches,
)  # fmt: skip
