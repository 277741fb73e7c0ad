"""Programs that can stop for good: stream steps, plus waits that do not end by themselves.

A wait for a CUDA event that nobody recorded returns at once, so streams and events of one host cannot hang.
What can: a wait for a mark (a flag in memory, or an event's record) that somebody else has to make, and a
collective that starts when every rank has entered it. A host is a thread of one process or a rank.

Source: CUDA Driver API, cuStreamWaitValue32 and cuStreamWriteValue32 (a stream waits for a value in memory,
or writes one); a host that polls the same memory. NCCL User Guide, "Collective Operations": every rank has
to call a collective to make it complete; calls are matched here by name and number.
Left out: marks that are made twice or taken back; communicators of some ranks only; time-outs that abort.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sim import stream_program
from sim.stream_program import MAX_NAME, MAX_STEPS, MAX_STREAMS, MAX_US, Enqueue, Record, Sync, Wait

MAX_HOSTS = 8


@dataclass(frozen=True, slots=True)
class Signal:
    """Make a mark: the stream when it gets there, or (no stream) the host."""

    mark: str
    stream: str | None = None


@dataclass(frozen=True, slots=True)
class Await:
    """Go no further, the stream or (no stream) the host, until the mark is made or the event has come."""

    mark: str
    stream: str | None = None


@dataclass(frozen=True, slots=True)
class Collective:
    """Enter the next call of ``name``; when all hosts have entered theirs, it takes ``duration_us``."""

    stream: str
    name: str
    duration_us: float


Step = stream_program.Step | Signal | Await | Collective
Program = Mapping[str, Sequence[Step]]


class Place(NamedTuple):
    """A step of a host's program, where its stream does it or (no stream) the host itself."""

    host: str
    stream: str | None
    step: int


def check(program: Program) -> None:
    """Raise ValueError for what cannot be run.

    1 to 8 hosts, 1 to 400 steps and 8 streams a host at most; names of 1 to 40 printable characters; syncs
    of streams that the host has; at most one step that makes a mark which somebody awaits.
    """
    if not 1 <= len(program) <= MAX_HOSTS:
        raise ValueError(f"the program has {len(program)} hosts; give it 1 to {MAX_HOSTS}")
    total = sum(len(steps) for steps in program.values())
    if not 1 <= total <= MAX_STEPS:
        raise ValueError(f"the program has {total} steps; give it 1 to {MAX_STEPS}")
    for host, steps in program.items():
        _check_name("host", host)
        streams = {s.stream for s in steps if not isinstance(s, Sync) and s.stream is not None}
        if len(streams) > MAX_STREAMS:
            raise ValueError(f"{host} has {len(streams)} streams; use at most {MAX_STREAMS}")
        for i, step in enumerate(steps):
            if isinstance(step, Sync) and step.stream is not None and step.stream not in streams:
                raise ValueError(f"{host}, step {i}: sync on the stream {step.stream!r}, which no other step names")
            if isinstance(step, Signal | Await | Collective):
                _check_name("stream", step.stream if step.stream is not None else host)
                _check_name("name", step.name if isinstance(step, Collective) else step.mark)
            if isinstance(step, Collective) and not 0 <= step.duration_us <= MAX_US:
                raise ValueError(f"{host}, step {i}: {step.duration_us} µs; it must be from 0 to {MAX_US:g}")
    awaited = {step.mark for steps in program.values() for step in steps if isinstance(step, Await)}
    for mark, made in makers(program).items():
        if mark in awaited and len(made) > 1:
            raise ValueError(f"the mark {mark!r} is awaited and made {len(made)} times; make it once at most")


def places(program: Program) -> Iterator[Place]:
    """Where each step is done at last: by its stream or, a sync and what names no stream, by the host."""
    for host, steps in program.items():
        for i, step in enumerate(steps):
            yield Place(host, None if isinstance(step, Sync) else step.stream, i)


def makers(program: Program) -> Mapping[str, tuple[Place, ...]]:
    """The steps that make each mark: that signal it, or record an event of that name."""
    found: dict[str, tuple[Place, ...]] = {}
    for place in places(program):
        step = program[place.host][place.step]
        if isinstance(step, Signal | Record):
            mark = step.mark if isinstance(step, Signal) else step.event
            found[mark] = (*found.get(mark, ()), place)
    return found


def _check_name(what: str, name: str) -> None:
    if not 1 <= len(name) <= MAX_NAME or not name.isprintable():
        raise ValueError(f"the {what} {name[:MAX_NAME]!r}; use 1 to {MAX_NAME} printable characters")


def cases() -> Mapping[str, Program]:
    """Programs by name: three that hang, one that is slow, and one whose wait is for nothing.

    >>> sorted(cases())
    ['collective', 'collective order', 'never recorded', 'slow', 'two streams', 'waits for nothing']
    """
    copy, kernel = Enqueue("copy", "copy", 40.0, "move", 0), Enqueue("compute", "kernel", 55.0, "compute", 0)
    reduce, gather = Collective("comm", "all-reduce", 30.0), Collective("comm", "all-gather", 30.0)
    rank = (Enqueue("comm", "kernel", 20.0), reduce)
    return {
        # one thread hands over the copy and leaves the record out, the other one waits for it
        "never recorded": {"loader": (copy,), "trainer": (Await("filled0"), kernel, Sync())},
        "two streams": {
            "host": (
                Await("b done", "first"), Enqueue("first", "kernel a", 10.0), Signal("a done", "first"),
                Await("a done", "second"), Enqueue("second", "kernel b", 10.0), Signal("b done", "second"),
                Sync(),
            )
        },
        # rank 1 has one batch less
        "collective": {"rank 0": (*rank, *rank, Sync()), "rank 1": (*rank, Sync())},
        "collective order": {"rank 0": (reduce, gather, Sync()), "rank 1": (gather, reduce, Sync())},
        "slow": {"host": (copy, Record("copy", "filled0"), Wait("compute", "filled0"),
                          Enqueue("compute", "long kernel", 1e6, "compute", 0), Sync())},
        "waits for nothing": {"host": (copy, Wait("compute", "filled0"), kernel, Sync())},
    }  # fmt: skip
