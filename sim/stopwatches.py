"""Three stopwatches on the same calls: around the call, around the kernel, until the result is back.

The host hands over each call in ``submit_us`` and goes on. A kernel starts ``start_us`` after its call
returned, and after the kernel before it. ``back_us`` after the last one the host, which waits, has the
result. The CPU's clock is read when the last call returns (first stopwatch) and with the result (third);
the second is the time between two events, which the stream stamps as the first kernel starts and as the
last one ends. If the stream is idle when the first event is recorded, it is stamped before the call.

Source: CUDA C++ Best Practices Guide, "Timing": launches return at once, events are stamped by the device.
3, 20 and 35 µs are this book's example; beside it, a call of 2 to 4 µs and a start 1 µs later on 2019
hardware (L. Zhang, M. Wahib, S. Matsuoka, ICPP 2019). ``back_us`` is a small copy and the synchronisation.
Left out: what events cost, and their resolution of about 0.5 µs (cudaEventElapsedTime).
"""

from dataclasses import dataclass
from typing import Literal

from sim.events import Task, run
from sim.inputs import number, whole

MAX_CALLS = 256
MAX_US = 1e9

What = Literal["call", "start", "kernel", "back", "wait"]


@dataclass(frozen=True, slots=True)
class Interval:
    """What happens to call number ``call`` from ``start_us`` to ``end_us``; ``wait`` is the host's, for all."""

    what: What
    call: int
    start_us: float
    end_us: float


@dataclass(frozen=True, slots=True)
class Stopwatches:
    """The whole trace, and what each stopwatch shows, in µs."""

    intervals: tuple[Interval, ...]
    call_us: float
    events_us: float
    result_us: float

    def speedup_over(self, other: "Stopwatches") -> float:
        """How many times sooner than ``other`` the caller has the result."""
        return other.result_us / self.result_us


def simulate(
    kernel_us: float = 20.0,
    *,
    calls: int = 1,
    submit_us: float = 3.0,
    start_us: float = 2.0,
    back_us: float = 10.0,
    idle_stream: bool = False,
) -> Stopwatches:
    """Time 1 to 256 calls; µs from 0 to 1e9, of which ``submit_us`` is more than 0.

    ``idle_stream``: the first event is stamped ``start_us`` after it is recorded, right before the first
    call. Raises ValueError for anything else.

    >>> slow, fast = simulate(20.0), simulate(20.0 / 4)
    >>> slow.call_us, slow.events_us, slow.result_us, fast.result_us, fast.speedup_over(slow)
    (3.0, 20.0, 35.0, 20.0, 1.75)
    """
    whole("calls", calls, 1, MAX_CALLS)
    costs = {"kernel_us": kernel_us, "submit_us": submit_us, "start_us": start_us, "back_us": back_us}
    for name, us in costs.items():
        number(name, us, 0, MAX_US, "µs")
    if submit_us == 0:
        raise ValueError("submit_us is 0; it must be more than 0, since no call is free")
    if not isinstance(idle_stream, bool):
        raise ValueError(f"idle_stream is {idle_stream!r}; it must be True or False")
    tasks = []
    for i in range(calls):
        tasks.append(Task(("call", i), "host", submit_us))
        tasks.append(Task(("start", i), f"start {i}", start_us, (("call", i),)))
        tasks.append(Task(("kernel", i), "stream", kernel_us, (("start", i),)))
    tasks.append(Task(("back", calls - 1), "back", back_us, (("kernel", calls - 1),)))
    spans = run(tasks).spans
    whats: tuple[What, ...] = ("call", "start", "kernel", "back")
    found = [
        Interval(what, i, spans[what, i].start_us, spans[what, i].end_us)
        for i in range(calls)
        for what in whats
        if (what, i) in spans
    ]
    returned_us, result_us = spans["call", calls - 1].end_us, spans["back", calls - 1].end_us
    found.append(Interval("wait", calls - 1, returned_us, result_us))
    stamped_us = start_us if idle_stream else spans["kernel", 0].start_us
    return Stopwatches(tuple(found), returned_us, spans["kernel", calls - 1].end_us - stamped_us, result_us)
