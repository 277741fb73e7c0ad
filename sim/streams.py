"""CUDA streams and events on a time line: the host runs ahead, each stream keeps its order.

The host takes the steps of a program in order. Handing over a piece of work takes it ``submit_us``, a
record or a wait ``event_us``, and the step takes effect in its stream when the host's call returns. A
stream does one thing at a time, in the order it was given. A record comes when all that its stream was
given before has ended; a wait is for the record most recent in the host's order, later records do not
move it, and for an event never recorded it is no wait at all. A sync holds the host, at no cost of its own.

Source: CUDA Runtime API, cudaEventRecord and cudaStreamWaitEvent (a wait uses "the most recently captured
state at the time of the API call"; before its first record an event is an empty set of work). 5 µs a
submission: the launch path takes about 4 to 6 µs on an RTX 5070 Ti, CUDA 13.0 (susun-blog.com,
"pegainfer-3-cuda-graph"); records and waits are set to cost nothing beside it.
Left out: streams that share a copy engine, bandwidth or SMs; the time from submission to start; a full
launch queue; copies from pageable memory, which hold the host.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite

from sim.events import Schedule, Task, run
from sim.slots import Access, Race, SlotInterval, intervals, races
from sim.stream_program import Enqueue, Record, Step, Sync, Wait, check, double_buffer
from sim.stream_text import parse, to_text
from sim.stream_trace import EventRecord, EventWait, HostCall, Timeline, Work

__all__ = [
    "Enqueue", "EventRecord", "EventWait", "HostCall", "Race", "Record", "SlotInterval", "Step", "Sync",
    "Timeline", "Wait", "Work", "double_buffer", "parse", "simulate", "to_text",
]  # fmt: skip

MAX_CALL_US = 1e6


def simulate(program: Sequence[Step], *, submit_us: float = 5.0, event_us: float = 0.0) -> Timeline:
    """Run a program of 1 to 400 steps; the host's costs are in [0, 1e6] µs a call.

    Raises ValueError for other costs and for what `sim.stream_program.check` refuses.

    >>> line = simulate(double_buffer(4, 40, 55, slots=2))
    >>> line.total_us, line.waited_us("copy"), simulate(double_buffer(4, 40, 55, slots=1)).total_us
    (265.0, 30.0, 385.0)
    >>> [(race.first, race.second) for race in simulate(parse('''
    ... enqueue copy    "copy 0"   40 writes slot 0
    ... enqueue compute "kernel 0" 55 reads  slot 0''')).races]
    [(0, 1)]
    """
    check(program)
    for name, us in (("submit_us", submit_us), ("event_us", event_us)):
        if not (isfinite(us) and 0 <= us <= MAX_CALL_US):
            raise ValueError(f"{name} is {us}; it must be from 0 to {MAX_CALL_US:g} µs")
    awaited = _awaited(program)
    plan = run(list(_tasks(program, awaited, submit_us, event_us)))
    host = [plan.spans["host", i] for i in range(len(program))]
    works = tuple(_works(program, plan, awaited))
    uses = [
        Access(work.slot, work.kind == "move", work.step, ("stream", work.step), work.start_us, work.end_us)
        for work in works
        if work.slot is not None
    ]
    return Timeline(
        program=tuple(program),
        host=tuple(HostCall(i, call.ready_us, call.end_us) for i, call in enumerate(host)),
        works=works,
        records=tuple(
            EventRecord(i, step.stream, step.event, plan.spans["stream", i].end_us)
            for i, step in enumerate(program)
            if isinstance(step, Record)
        ),
        waits=tuple(_waits(program, plan, awaited)),
        slots=intervals(uses),
        races=tuple(races(uses, plan)),
        total_us=plan.total_us,
    )


def _awaited(program: Sequence[Step]) -> dict[int, int | None]:
    """For each step that waits for an event, the step that recorded it last, None if none did."""
    newest: dict[str, int] = {}
    awaited: dict[int, int | None] = {}
    for i, step in enumerate(program):
        if isinstance(step, Record):
            newest[step.event] = i
        elif isinstance(step, Wait | Sync) and step.event is not None:
            awaited[i] = newest.get(step.event)
    return awaited


def _tasks(
    program: Sequence[Step], awaited: Mapping[int, int | None], submit_us: float, event_us: float
) -> Iterator[Task]:
    """The host's part of each step, ("host", step), and the stream's, ("stream", step)."""
    tail: dict[str, int] = {}  # stream -> the step it was given last
    for i, step in enumerate(program):
        record = awaited.get(i)
        causes: tuple[tuple[str, int], ...] = () if record is None else (("stream", record),)
        if isinstance(step, Sync):
            if step.event is None:
                causes = tuple(("stream", last) for name, last in tail.items() if step.stream in (None, name))
            yield Task(("host", i), "host", 0.0, causes)
        else:
            call_us, work_us = (submit_us, step.duration_us) if isinstance(step, Enqueue) else (event_us, 0.0)
            yield Task(("host", i), "host", call_us)
            yield Task(("stream", i), f"stream {step.stream}", work_us, (("host", i), *causes))
            tail[step.stream] = i


def _works(program: Sequence[Step], plan: Schedule, awaited: Mapping[int, int | None]) -> Iterator[Work]:
    """Work in the program's order, held back by the waits since the work before it in its stream."""
    free_us: dict[str, float] = {}
    pending: dict[str, list[tuple[float, str]]] = {}
    for i, step in enumerate(program):
        if isinstance(step, Wait) and (record := awaited[i]) is not None:
            came_us = plan.spans["stream", record].end_us
            pending.setdefault(step.stream, []).append((came_us, step.event))
        elif isinstance(step, Enqueue):
            span, submitted_us = plan.spans["stream", i], plan.spans["host", i].end_us
            ready_us = max(submitted_us, free_us.get(step.stream, 0.0))
            came_us, event = max(pending.pop(step.stream, []), default=(0.0, ""))
            yield Work(
                i, step.stream, step.name, step.kind, step.slot, submitted_us, ready_us,
                span.start_us, span.end_us, waited_for=event if came_us > ready_us else None,
            )  # fmt: skip
            free_us[step.stream] = span.end_us


def _waits(program: Sequence[Step], plan: Schedule, awaited: Mapping[int, int | None]) -> Iterator[EventWait]:
    for i, record in awaited.items():
        step = program[i]
        if isinstance(step, Wait):
            yield EventWait(i, step.stream, step.event, record, plan.spans["stream", i].end_us)
        elif isinstance(step, Sync) and step.event is not None:
            yield EventWait(i, None, step.event, record, plan.spans["host", i].end_us)
