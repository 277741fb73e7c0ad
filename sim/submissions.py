"""A host hands work over; one GPU queue does it in that order: who waits for whom.

The host makes one call after another. A call hands over one kernel, or a graph of several, and takes effect when it
returns. The GPU does one kernel at a time: each starts when the one before has ended and its own call has returned.
``queue`` limits how many calls' work may be handed over and not yet done; when it is full, the host's next call
waits for the oldest. With 1 the host waits for every kernel.

Source: CUDA C++ Programming Guide, "Asynchronous Concurrent Execution" (launches return before the kernel has run;
CUDA_LAUNCH_BLOCKING=1 makes them wait; work in one stream runs in order).
Left out: the time from a call's return to the kernel's start; pauses between kernels that depend on each other
(about 2.1 µs in a graph on an H100, by a second-hand measurement: add it to the kernels' times); streams.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from sim.decimals import check
from sim.events import Schedule, Task, run
from sim.inputs import whole

MAX_CALLS = 1000
MAX_KERNELS = 1000  # of all calls: a trace that can still be drawn
MAX_US = 1e9


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel and its time on the GPU, 0 to 1e9 µs."""

    name: str
    us: float


@dataclass(frozen=True, slots=True)
class Submission:
    """One call of the host: it takes ``host_us`` (0 to 1e9 µs) and hands over 1 kernel or, as a graph, several."""

    host_us: float
    kernels: tuple[Kernel, ...]


@dataclass(frozen=True, slots=True)
class HostCall:
    """The host in one call; from ``ready_us`` to ``start_us`` it waited for a place in the queue."""

    submission: int
    ready_us: float
    start_us: float
    end_us: float


@dataclass(frozen=True, slots=True)
class KernelRun:
    """One kernel on the GPU, which was free from ``free_us`` on and idle until ``start_us``."""

    submission: int
    name: str
    submitted_us: float
    free_us: float
    start_us: float
    end_us: float

    @property
    def idle_us(self) -> float:
        """How long the GPU waited for the host before this kernel."""
        return self.start_us - self.free_us

    @property
    def queued_us(self) -> float:
        """How long this kernel waited for the GPU: how far ahead the host is."""
        return self.start_us - self.submitted_us


@dataclass(frozen=True, slots=True)
class Timeline:
    """The whole trace, calls and kernels in order. ``total_us``: the last kernel has ended."""

    calls: tuple[HostCall, ...]
    runs: tuple[KernelRun, ...]
    total_us: float

    @property
    def host_us(self) -> float:
        """When the host has handed everything over."""
        return self.calls[-1].end_us

    @property
    def gpu_busy_us(self) -> float:
        """Time of all kernels."""
        return fsum(run.end_us - run.start_us for run in self.runs)

    @property
    def gpu_idle_us(self) -> float:
        """How long the GPU waited for the host, the first call included."""
        return fsum(run.idle_us for run in self.runs)

    @property
    def gpu_busy(self) -> float:
        """Share of the total in which a kernel runs; 0 if nothing takes time."""
        return self.gpu_busy_us / self.total_us if self.total_us else 0.0

    @property
    def host_waits_us(self) -> float:
        """How long the host waited: for places in the queue, and at the end for the GPU."""
        queued = fsum(call.start_us - call.ready_us for call in self.calls)
        return queued + self.total_us - self.host_us


def simulate(submissions: Sequence[Submission], *, queue: int | None = None) -> Timeline:
    """Run 1 to 1000 submissions of at most 1000 kernels together; ``queue`` None (no limit) or 1 to 1000.

    Raises ValueError for anything else, and for a time that is not from 0 to 1e9 µs.

    >>> step = [Submission(5.0, (Kernel("add", 2.0),))] * 3
    >>> free, blocking = simulate(step), simulate(step, queue=1)
    >>> free.total_us, free.gpu_idle_us, free.host_us, blocking.total_us
    (17.0, 11.0, 15.0, 21.0)
    """
    whole("the number of submissions", len(submissions), 1, MAX_CALLS)
    whole("the number of kernels", sum(len(each.kernels) for each in submissions), 1, MAX_KERNELS)
    if queue is not None:
        whole("queue", queue, 1, MAX_CALLS)
    _check(submissions)
    tasks: list[Task] = []
    for i, each in enumerate(submissions):
        full = queue is not None and i >= queue
        done = (("gpu", i - queue, len(submissions[i - queue].kernels) - 1),) if full and queue else ()
        tasks.append(Task(("host", i), "host", each.host_us, done))
        for k, kernel in enumerate(each.kernels):
            tasks.append(Task(("gpu", i, k), "gpu", kernel.us, (("host", i),)))
    return _timeline(submissions, run(tasks))


def _check(submissions: Sequence[Submission]) -> None:
    known: set[int] = set()  # what is handed over again and again is looked at once
    for i, each in enumerate(submissions):
        if id(each) in known:
            continue
        known.add(id(each))
        check(f"host_us of submission {i}", each.host_us, "µs", 0, MAX_US)
        if not each.kernels:
            raise ValueError(f"submission {i} hands over no kernel; it must have at least one")
        for kernel in each.kernels:
            check(f"us of kernel {kernel.name!r} in submission {i}", kernel.us, "µs", 0, MAX_US)


def _timeline(submissions: Sequence[Submission], plan: Schedule) -> Timeline:
    calls, runs = [], []
    for i, each in enumerate(submissions):
        call = plan.spans["host", i]
        calls.append(HostCall(i, call.ready_us, call.start_us, call.end_us))
        for k, kernel in enumerate(each.kernels):
            span = plan.spans["gpu", i, k]
            runs.append(KernelRun(i, kernel.name, call.end_us, span.ready_us, span.start_us, span.end_us))
    return Timeline(tuple(calls), tuple(runs), plan.total_us)
