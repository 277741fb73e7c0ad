"""Times of launches: device events around many of them, the host's clock beside, clocks of the GPU sampled meanwhile.

A sample is one event pair around `launches` launches, replayed from a CUDA graph unless said otherwise, so that neither
the events nor the host are in the number; its time is divided by the launches. Before samples, warm-up: compilation,
caches, clocks. Launch i works on data set i mod `sets`; as many sets as exceed the L2 keep it cold. An empty kernel
timed the same way tells what launching costs. Without a GPU (Triton's interpreter) the host's clock times each launch.

Source: METHODS of NVIDIA's nvbench and of `triton.testing.do_bench`, less their averages: medians and quantiles here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import torch

from gpu_backend import machine
from sim.spread import quantile

Launch = Callable[[int], object]
"""Launch the kernel (or kernels) once on the data set of this number."""

SAMPLES = 30
WARM_MS = 20.0  # an idle H200 is at its full clock after some milliseconds of work
SAMPLE_MS = 1.0  # events resolve half a microsecond: 0.05 %
MAX_LAUNCHES = 400
COLD_FACTOR = 3  # data of all sets against the size of the L2


@dataclass(frozen=True, slots=True)
class Times:
    """Microseconds of one launch, in `count` samples of `launches` launches."""

    us: tuple[float, ...]
    launches: int
    wall_us: float
    """The host's clock over all samples, a launch: an upper bound that includes what events leave out."""
    sm_mhz: int | None
    """Clock of the SMs, sampled while the last launches ran; None if it cannot be read."""

    @property
    def median(self) -> float:
        """The median."""
        return self.at(0.5)

    def at(self, share: float) -> float:
        """The time that a share of the samples lies below."""
        return quantile(sorted(self.us), share)

    def row(self, name: str = "us") -> dict[str, float | int | None]:
        """The columns of a record: median, 20th and 80th percentile, samples, launches in each, wall and SM clock."""
        return {
            name: self.median,
            f"{name}_p20": self.at(0.2),
            f"{name}_p80": self.at(0.8),
            "count": len(self.us),
            "launches": self.launches,
            "wall_us": self.wall_us,
            "sm_mhz": self.sm_mhz,
        }


def sets_for_cold_l2(set_bytes: int) -> int:
    """Data sets that together are three times the L2: launches in turn then find nothing of theirs in it."""
    l2 = machine.l2_bytes()
    return 1 if l2 is None else max(1, -(-COLD_FACTOR * l2 // max(1, set_bytes)))


def time(
    launch: Launch,
    *,
    sets: int = 1,
    samples: int = SAMPLES,
    sample_ms: float = SAMPLE_MS,
    launches: int | None = None,
    graph: bool = True,
) -> Times:
    """Time a launch; `launches` a sample are chosen so that it takes `sample_ms`, in whole rounds of all sets."""
    for i in range(sets):
        launch(i)
    if not machine.has_gpu():
        return _on_host(launch, sets, min(samples, 5))
    torch.cuda.synchronize()
    if launches is None:
        few = max(10, sets)
        estimate_ms = min(_events_ms(_repeated(launch, sets, few, graph), 3)) / few
        launches = min(MAX_LAUNCHES, max(1, round(sample_ms / max(estimate_ms, 1e-4))))
    launches = -(-launches // sets) * sets
    once = _repeated(launch, sets, launches, graph)
    warm = perf_counter()
    while (perf_counter() - warm) * 1e3 < WARM_MS:
        once()
        torch.cuda.synchronize()
    begin = perf_counter()
    times, mhz = _timed(once, samples)
    wall_us = (perf_counter() - begin) * 1e6 / (samples * launches)
    return Times(tuple(1e3 * ms / launches for ms in times), launches, wall_us, mhz)


def _repeated(launch: Launch, sets: int, launches: int, graph: bool) -> Callable[[], None]:
    """What does so many launches, sets in turn, as a graph if so wished."""

    def direct() -> None:
        for i in range(launches):
            launch(i % sets)

    if not graph:
        return direct
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        direct()
    replay: Callable[[], None] = captured.replay
    return replay


def _timed(once: Callable[[], object], samples: int) -> tuple[list[float], int | None]:
    pairs = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(samples)]
    for begin, end in pairs:
        begin.record()
        once()
        end.record()
    pairs[samples // 2][1].synchronize()
    mhz = machine.sm_mhz()  # half way: the GPU is at work on what was handed over
    torch.cuda.synchronize()
    return [begin.elapsed_time(end) for begin, end in pairs], mhz


def _events_ms(once: Callable[[], object], samples: int) -> list[float]:
    return _timed(once, samples)[0]


def _on_host(launch: Launch, sets: int, samples: int) -> Times:
    times = []
    for sample in range(samples):
        begin = perf_counter()
        launch(sample % sets)
        times.append((perf_counter() - begin) * 1e6)
    return Times(tuple(times), 1, sum(times) / samples, None)


def kernels_of(launch: Launch) -> list[tuple[str, float]]:
    """Name and device time in µs of each kernel of one launch, from PyTorch's profiler (CUPTI); none without a GPU."""
    if not machine.has_gpu():
        return []
    from torch.profiler import ProfilerActivity, profile

    launch(0)
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA], acc_events=True) as seen:
        launch(0)
        torch.cuda.synchronize()
    found = [event for event in seen.events() if event.device_type == torch.autograd.DeviceType.CUDA]
    found.sort(key=lambda event: event.time_range.start)
    return [(event.name, float(event.device_time)) for event in found]
