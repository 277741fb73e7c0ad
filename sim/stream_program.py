"""What a host asks of CUDA streams, step by step, and the double-buffered loop as such a program.

Source: CUDA Runtime API, "Stream Management" and "Event Management": a step stands for a kernel launch or
cudaMemcpyAsync, cudaEventRecord, cudaStreamWaitEvent, cuda{Device,Stream,Event}Synchronize.
Left out: copies that read a slot, kernels that fill one, the default stream, priorities, callbacks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

MAX_STEPS = 400  # a program to read; `double_buffer` of 64 batches has 385 steps
MAX_STREAMS = 8
MAX_SLOTS = 16
MAX_BATCHES = 64
MAX_US = 1e6  # one second a piece of work
MAX_NAME = 40  # characters

Kind = Literal["move", "compute"]


@dataclass(frozen=True, slots=True)
class Enqueue:
    """Work for a stream, ``duration_us`` in [0, 1e6]. A move fills its slot (0 to 15), a compute reads it."""

    stream: str
    name: str
    duration_us: float
    kind: Kind = "compute"
    slot: int | None = None

    def __post_init__(self) -> None:
        _check_name("stream", self.stream)
        _check_name("name", self.name)
        if not 0 <= self.duration_us <= MAX_US:
            raise ValueError(f"a duration of {self.duration_us} µs; it must be from 0 to {MAX_US:g}")
        if self.kind not in ("move", "compute"):
            raise ValueError(f"kind {self.kind!r}; it must be 'move' or 'compute'")
        if self.slot is None and self.kind == "move":
            raise ValueError(f"the move {self.name!r} has no slot; say which one it fills")
        if self.slot is not None and not 0 <= self.slot < MAX_SLOTS:
            raise ValueError(f"slot {self.slot}; it must be from 0 to {MAX_SLOTS - 1}")


@dataclass(frozen=True, slots=True)
class Record:
    """The event comes when all that the stream was given before has ended."""

    stream: str
    event: str

    def __post_init__(self) -> None:
        _check_name("stream", self.stream)
        _check_name("event", self.event)


@dataclass(frozen=True, slots=True)
class Wait:
    """What the stream is given after this starts no sooner than the event's most recent record came."""

    stream: str
    event: str

    def __post_init__(self) -> None:
        _check_name("stream", self.stream)
        _check_name("event", self.event)


@dataclass(frozen=True, slots=True)
class Sync:
    """The host waits for a stream, for an event's most recent record or (neither named) for everything."""

    stream: str | None = None
    event: str | None = None

    def __post_init__(self) -> None:
        if self.stream is not None and self.event is not None:
            raise ValueError("sync names a stream and an event; name one of them, or neither")
        for what, name in (("stream", self.stream), ("event", self.event)):
            if name is not None:
                _check_name(what, name)


Step = Enqueue | Record | Wait | Sync


def check(program: Sequence[Step]) -> None:
    """Raise ValueError unless there are 1 to 400 steps, at most 8 streams, and a stream to every sync."""
    if not 1 <= len(program) <= MAX_STEPS:
        raise ValueError(f"the program has {len(program)} steps; give it 1 to {MAX_STEPS}")
    streams = {step.stream for step in program if not isinstance(step, Sync)}
    if len(streams) > MAX_STREAMS:
        raise ValueError(f"the program has {len(streams)} streams; use at most {MAX_STREAMS}")
    for step in program:
        if isinstance(step, Sync) and step.stream is not None and step.stream not in streams:
            known = ", ".join(sorted(streams)) or "none"
            raise ValueError(f"sync on the stream {step.stream!r}, which no other step names; known: {known}")


def double_buffer(
    batches: int,
    copy_us: float,
    kernel_us: float,
    slots: int,
    leave_out: Literal["free", "filled"] | None = None,
) -> tuple[Step, ...]:
    """Program that copies 1 to 64 batches through 1 to 16 slots in turn and runs a kernel on each.

    Streams ``copy`` and ``compute``, events ``filledN`` and ``freeN`` for slot N; ``leave_out`` drops the
    records of one of the two and the waits for it. Raises ValueError outside these ranges.

    >>> for step in double_buffer(1, 40, 55, 2, leave_out="free"):
    ...     print(step)
    Enqueue(stream='copy', name='copy 0', duration_us=40, kind='move', slot=0)
    Record(stream='copy', event='filled0')
    Wait(stream='compute', event='filled0')
    Enqueue(stream='compute', name='kernel 0', duration_us=55, kind='compute', slot=0)
    Sync(stream=None, event=None)
    """
    for name, count, most in (("batches", batches, MAX_BATCHES), ("slots", slots, MAX_SLOTS)):
        if not isinstance(count, int) or not 1 <= count <= most:
            raise ValueError(f"{name} is {count!r}; it must be a whole number from 1 to {most}")
    if leave_out not in ("free", "filled", None):
        raise ValueError(f"leave_out is {leave_out!r}; it must be 'free', 'filled' or None")
    program: list[Step] = []
    for batch in range(batches):
        slot = batch % slots
        steps: tuple[Enqueue | Record | Wait, ...] = (
            Wait("copy", f"free{slot}"),
            Enqueue("copy", f"copy {batch}", copy_us, "move", slot),
            Record("copy", f"filled{slot}"),
            Wait("compute", f"filled{slot}"),
            Enqueue("compute", f"kernel {batch}", kernel_us, "compute", slot),
            Record("compute", f"free{slot}"),
        )
        program += [step for step in steps if isinstance(step, Enqueue) or step.event != f"{leave_out}{slot}"]
    return (*program, Sync())


def _check_name(what: str, name: str) -> None:
    if not 1 <= len(name) <= MAX_NAME or not name.isprintable() or '"' in name:
        raise ValueError(f'the {what} {name[:MAX_NAME]!r}; use 1 to {MAX_NAME} printable characters, no "')
