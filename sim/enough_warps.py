"""The warps of one SM against two latencies: of results, which its schedulers wait for, and of memory.

The same warps hide both. Of each scheduler they use a share, sim/latency_hiding.py; of the memory's bandwidth they
reach a share, sim/littles_law.py. Both shares grow in proportion to the warps up to a corner and then stay at 1, so
more warps help up to the corner only.

Source: those two; the GPU's bandwidth, SMs and warp slots, and its memory latency in cycles at the clock of the
table, sim/gpus.toml.
Left out: what those leave out; that the latencies of the table were measured with clocks that moved.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sim.gpus import gpu
from sim.inputs import whole
from sim.latency_hiding import Timeline, knee, period, steady_share
from sim.latency_hiding import simulate as run
from sim.littles_law import InFlight, in_flight

MAX_CYCLES = 60
"""The timeline shows whole periods, and no more cycles than this."""

Doing = Literal["issue", "wait", "queue"]


@dataclass(frozen=True, slots=True)
class Span:
    """What a warp does from cycle ``start`` (from 0) up to ``end``: issue, wait for a result, or queue though ready."""

    warp: int
    doing: Doing
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Ramp:
    """A share that grows in proportion to the warps of an SM and is 1 from ``corner`` on, which need not be whole."""

    corner: float

    def share(self, warps: float) -> float:
        """The share that so many warps reach, 0 to 1."""
        return min(1.0, warps / self.corner)


@dataclass(frozen=True, slots=True)
class EnoughWarps:
    """One SM's warps, what they keep busy, and how many would be enough."""

    timeline: Timeline
    """Of one scheduler, whole periods."""
    spans: tuple[Span, ...]
    """Of its warps, by warp and start."""
    period: int
    """Cycles from a warp's turn to its next, if it does not queue."""
    busy_share: float
    """Of the scheduler's cycles."""
    scheduler_knee: int
    """The fewest warps a scheduler that keep it busy all the time."""
    schedulers: int
    sm_warps: int
    slots: int
    """Warps that an SM holds."""
    latency_ns: float
    """Of memory."""
    peak_gb_per_s: float
    memory: InFlight
    busy: Ramp
    bandwidth: Ramp

    @property
    def issuing(self) -> tuple[int | None, ...]:
        """For each cycle of the timeline the warp that issues, None if none does."""
        cycles: list[int | None] = [None] * self.timeline.cycles
        for issue in self.timeline.issues:
            cycles[issue.start : issue.end] = [issue.warp] * (issue.end - issue.start)
        return tuple(cycles)


def table_latency_ns(key: str) -> float | None:
    """Memory latency of a GPU of the table in ns, None if it has none there.

    >>> round(table_latency_ns("h100"), 1), table_latency_ns("t4")
    (353.5, None)
    """
    chip = gpu(key)
    cycles = chip.quantities.get("latency.memory")
    return None if cycles is None else cycles.value / chip["clock"].value


def simulate(
    key: str,
    *,
    warps_per_scheduler: int,
    issue_cycles: int,
    latency_cycles: int,
    bytes_per_load: int = 4,
    loads_per_thread: int = 1,
    memory_ns: float | None = None,
) -> EnoughWarps:
    """Give every scheduler of the GPU ``key`` so many warps, 1 to the SM's warp slots over its schedulers.

    ``issue_cycles`` and ``latency_cycles`` as in `sim.latency_hiding`, a period of them at most `MAX_CYCLES`;
    ``bytes_per_load`` and ``loads_per_thread`` as in `sim.littles_law`. ``memory_ns``: latency of memory, None for
    the table's. Raises ValueError for anything else, and for a GPU without a latency in the table.

    >>> h100 = simulate("h100", warps_per_scheduler=8, issue_cycles=2, latency_cycles=29)
    >>> f"{h100.busy_share:.1%}", h100.scheduler_knee, f"{h100.memory.peak_share:.1%}", h100.memory.knee_warps
    ('53.3%', 15, '45.7%', 71)
    """
    chip = gpu(key)
    sm = chip.sm
    whole("warps_per_scheduler", warps_per_scheduler, 1, sm.warps // sm.partitions)
    once = period(issue_cycles, latency_cycles)
    if once > MAX_CYCLES:
        raise ValueError(f"a period is {once} cycles; issue_cycles - 1 + latency_cycles may be {MAX_CYCLES} at most")
    latency_ns = table_latency_ns(key) if memory_ns is None else memory_ns
    if latency_ns is None:
        raise ValueError(f"{chip.name} has no memory latency in the table; give memory_ns")
    timeline = run(warps_per_scheduler, issue_cycles, latency_cycles, MAX_CYCLES // once * once)
    sm_warps, peak = sm.partitions * warps_per_scheduler, chip["bandwidth"].value
    memory = in_flight(
        peak_gb_per_s=peak, latency_ns=latency_ns, sms=chip.sms, warps_per_sm=sm_warps,
        bytes_per_load=bytes_per_load, loads_per_thread=loads_per_thread,
    )  # fmt: skip
    warp_bytes = memory.bytes_in_flight_per_sm // sm_warps
    return EnoughWarps(
        timeline, tuple(_spans(timeline)), once, steady_share(warps_per_scheduler, issue_cycles, latency_cycles),
        knee(issue_cycles, latency_cycles), sm.partitions, sm_warps, sm.warps, latency_ns, peak, memory,
        Ramp(sm.partitions * once / issue_cycles), Ramp(memory.bytes_needed_per_sm / warp_bytes),
    )  # fmt: skip


def _spans(timeline: Timeline) -> Iterator[Span]:
    """What each warp does in every cycle of the timeline."""
    for warp in range(timeline.warps):
        at = 0
        for issue in (issue for issue in timeline.issues if issue.warp == warp):
            yield from _span(warp, "wait", at, issue.ready)
            yield from _span(warp, "queue", issue.ready, issue.start)
            yield Span(warp, "issue", issue.start, issue.end)
            at = issue.end
        ready = min(at - 1 + timeline.latency_cycles if at else 0, timeline.cycles)
        yield from _span(warp, "wait", at, ready)
        yield from _span(warp, "queue", max(at, ready), timeline.cycles)


def _span(warp: int, doing: Doing, start: int, end: int) -> Iterator[Span]:
    if start < end:
        yield Span(warp, doing, start, end)
