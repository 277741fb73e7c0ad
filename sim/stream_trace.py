"""What `sim.streams` returns: host calls, work, events and slots, each with its times in µs.

Source: none; these are records. Left out: nothing that the simulator knows.
"""

from dataclasses import dataclass
from math import fsum

from sim.slots import Race, SlotInterval
from sim.stream_program import Kind, Step


@dataclass(frozen=True, slots=True)
class HostCall:
    """The host in one step of the program; a sync lasts as long as the host is held."""

    step: int
    start_us: float
    end_us: float


@dataclass(frozen=True, slots=True)
class Work:
    """One enqueued piece of work.

    Ready at ``ready_us``: submitted, and the work before it in its stream has ended. If it had to wait
    longer, for the event ``waited_for``, then until ``start_us``.
    """

    step: int
    stream: str
    name: str
    kind: Kind
    slot: int | None
    submitted_us: float
    ready_us: float
    start_us: float
    end_us: float
    waited_for: str | None


@dataclass(frozen=True, slots=True)
class EventRecord:
    """One record of an event: made by a step, come at ``done_us``."""

    step: int
    stream: str
    event: str
    done_us: float


@dataclass(frozen=True, slots=True)
class EventWait:
    """One wait, of a stream or (None) of the host, for the record made by step ``record``.

    ``record`` None: the event had not been recorded when the host got here, so this waits for nothing.
    ``passed_us``: when the stream or host went on.
    """

    step: int
    stream: str | None
    event: str
    record: int | None
    passed_us: float


@dataclass(frozen=True, slots=True)
class Timeline:
    """The whole trace. ``step`` is an index into ``program``; in ``slots`` and ``races`` items are steps.

    Host calls, work, records and waits are in the program's order. ``total_us``: host and streams have
    all ended.
    """

    program: tuple[Step, ...]
    host: tuple[HostCall, ...]
    works: tuple[Work, ...]
    records: tuple[EventRecord, ...]
    waits: tuple[EventWait, ...]
    slots: tuple[SlotInterval, ...]
    races: tuple[Race, ...]
    total_us: float

    def waited_us(self, stream: str) -> float:
        """How long work of ``stream`` was ready and held back by events, µs; 0 for an unused stream."""
        return fsum(work.start_us - work.ready_us for work in self.works if work.stream == stream)
