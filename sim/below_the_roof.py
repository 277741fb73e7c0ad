"""Why a kernel sits below the roofline: five reasons, each with its factor and the counter that shows it.

Start from the roof: t = max(FLOP / peak, bytes / bandwidth). Each reason that is switched on changes one term:

- reads: an access pattern that uses a share e of the bytes it moves (`sim.coalescing`): bytes / e are moved;
- occupancy: too few bytes on their way (`sim.littles_law`): bandwidth = min(peak bandwidth, in flight / latency), with
  SMs × warps × requests a warp has outstanding × bytes a request moves (lanes × width while "reads" is off) in flight;
- divergence: lanes that idle while others issue (`sim.divergence`): peak × share of lane slots used;
- tail: blocks that do not fill their last wave: t × ⌈blocks / slots⌉ × slots / blocks, slots = SMs × blocks an SM;
- launch gap: the GPU idles before the kernel: t + gap.

Reasons meet in this order. One may cost nothing alone: lanes that idle are free while the bytes set the time, and
badly coalesced requests carry more bytes in flight.

Source: S. Williams et al., CACM 52(4), 2009 (roof), and the modules named; metrics: Nsight Compute Profiling Guide.
Left out: reasons that meet inside the chip (a tail with fewer blocks also has fewer bytes in flight; idle lanes issue
fewer requests); caches; unequal blocks (`sim.block_scheduler`); anything measured.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sim import coalescing, divergence, littles_law, roofline
from sim.inputs import positive, whole

Reason = Literal["reads", "occupancy", "divergence", "tail", "launch gap"]

REASONS: tuple[Reason, ...] = ("reads", "occupancy", "divergence", "tail", "launch gap")
MAX_BLOCKS = 2**31 - 1  # of a grid
MAX_GAP_US = 1e6
COUNTERS: dict[Reason, str] = {
    "reads": "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
    "occupancy": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "divergence": "smsp__thread_inst_executed_per_inst_executed.ratio",
    "tail": "launch__waves_per_multiprocessor",
    "launch gap": "gpu__time_duration.sum",
}
"""Metric of Nsight Compute that shows each; the last is the kernel alone, in ns: on a timeline the gap comes on top."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A GPU; ValueError for a number outside its range."""

    peak_flop_per_s: float
    bandwidth_byte_per_s: float
    sms: int
    max_warps_per_sm: int
    """Warp slots of an SM."""
    latency_ns: float
    """From a request to device memory until its data arrive."""

    def __post_init__(self) -> None:
        positive("peak_flop_per_s", self.peak_flop_per_s, "FLOP/s")
        positive("bandwidth_byte_per_s", self.bandwidth_byte_per_s, "B/s", littles_law.MAX_GB_PER_S * 1e9)
        whole("sms", self.sms, 1, littles_law.MAX_SMS)
        whole("max_warps_per_sm", self.max_warps_per_sm, 1, littles_law.MAX_WARPS)
        positive("latency_ns", self.latency_ns, "ns", littles_law.MAX_NS)


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel and what each reason would do to it; ValueError for a value outside its range."""

    flop: float
    used_bytes: float
    """Bytes that it must move if none is moved in vain."""
    addresses: Sequence[int]
    """One warp's loads, as `sim.coalescing` takes them; at least one lane active."""
    width_bytes: int
    warps_per_sm: int
    """Resident warps."""
    requests_in_flight: int
    """Independent loads that a warp has outstanding, 1 to 64."""
    paths: Sequence[int]
    """One warp's branch, as `sim.divergence` takes it, on every instruction of the kernel."""
    path_lengths: Sequence[int]
    blocks: int
    blocks_per_sm: int
    gap_us: float

    def __post_init__(self) -> None:
        positive("flop", self.flop, "FLOP")
        positive("used_bytes", self.used_bytes, "bytes")
        whole("warps_per_sm", self.warps_per_sm, 1, littles_law.MAX_WARPS)
        whole("requests_in_flight", self.requests_in_flight, 1, littles_law.MAX_LOADS)
        whole("blocks", self.blocks, 1, MAX_BLOCKS)
        whole("blocks_per_sm", self.blocks_per_sm, 1, 32)
        if self.gap_us != 0 or isinstance(self.gap_us, bool):
            positive("gap_us", self.gap_us, "µs", MAX_GAP_US)


@dataclass(frozen=True, slots=True)
class Step:
    """One reason switched on."""

    reason: Reason
    factor: float
    """Of the term that it changes, in (0, 1]: efficiency e, bandwidth or lane slots left, share of waves or time."""
    alone_flop_per_s: float
    """With this reason only."""
    together_flop_per_s: float
    """With this and those switched on before it."""
    counter: str
    counter_value: float
    """What the counter would show."""


@dataclass(frozen=True, slots=True)
class Below:
    """The roof over the kernel, and the way down from it."""

    intensity_flop_per_byte: float
    roof_flop_per_s: float
    steps: tuple[Step, ...]

    @property
    def flop_per_s(self) -> float:
        """With all reasons that are switched on."""
        return self.steps[-1].together_flop_per_s if self.steps else self.roof_flop_per_s

    def drop(self, reason: Reason) -> float:
        """Share of the roof that this reason alone takes, in [0, 1); 0 if it is off."""
        return next((1 - s.alone_flop_per_s / self.roof_flop_per_s for s in self.steps if s.reason == reason), 0.0)


def simulate(kernel: Kernel, machine: Machine, on: Sequence[Reason]) -> Below:
    """Switch reasons on and see what is left.

    Raises:
        ValueError: an unknown reason; more warps than the machine's slots; what the simulators named refuse.

    >>> h100 = Machine(989.4e12, 3.35e12, sms=132, max_warps_per_sm=64, latency_ns=374)
    >>> kernel = Kernel(1e9, 1e9, coalescing.strided(4, 2), 4, 64, 1, [0] * 16 + [1] * 16, [10, 10], 265, 2, 5.0)
    >>> below = simulate(kernel, h100, ["reads", "divergence", "tail"])
    >>> [(step.reason, round(below.drop(step.reason), 3)) for step in below.steps]
    [('reads', 0.5), ('divergence', 0.0), ('tail', 0.498)]
    """
    for reason in on:
        if reason not in REASONS:
            raise ValueError(f"reason is {reason!r}; it must be one of {', '.join(REASONS)}")
    if kernel.warps_per_sm > machine.max_warps_per_sm:
        raise ValueError(
            f"warps_per_sm is {kernel.warps_per_sm}; the machine has {machine.max_warps_per_sm} warp slots"
        )
    loads = coalescing.simulate(kernel.addresses, kernel.width_bytes)
    if not loads.sectors:
        raise ValueError("all 32 lanes are inactive; one must load")
    branch = divergence.simulate(kernel.paths, kernel.path_lengths)
    top = roofline.place(kernel.flop, kernel.used_bytes, machine.peak_flop_per_s, machine.bandwidth_byte_per_s)
    slots = machine.sms * kernel.blocks_per_sm
    waves = -(-kernel.blocks // slots)

    def in_flight_share(reasons: set[Reason]) -> float:
        lanes = sum(address != coalescing.INACTIVE for address in kernel.addresses)
        request_bytes = loads.bytes_moved if "reads" in reasons else lanes * kernel.width_bytes
        flying = machine.sms * kernel.warps_per_sm * kernel.requests_in_flight * request_bytes
        peak = machine.bandwidth_byte_per_s / 1e9
        return littles_law.bandwidth(peak, machine.latency_ns, flying) / peak

    def seconds(reasons: set[Reason]) -> float:
        compute, memory = top.compute_s, top.memory_s
        if "reads" in reasons:
            memory /= loads.efficiency
        if "occupancy" in reasons:
            memory /= in_flight_share(reasons)
        if "divergence" in reasons:
            compute /= branch.efficiency
        total = max(compute, memory)
        if "tail" in reasons:
            total *= waves * slots / kernel.blocks
        return total + kernel.gap_us * 1e-6 if "launch gap" in reasons else total

    active: set[Reason] = set()
    steps = []
    for reason in (one for one in REASONS if one in on):
        before = seconds(active)
        active.add(reason)
        factor, value = {
            "reads": (loads.efficiency, float(loads.sectors)),
            "occupancy": (in_flight_share(active), 100 * kernel.warps_per_sm / machine.max_warps_per_sm),
            "divergence": (branch.efficiency, branch.lane_slots / branch.issue_slots),
            "tail": (kernel.blocks / (waves * slots), kernel.blocks / slots),
            "launch gap": (before / seconds(active), before * 1e9),
        }[reason]
        alone, together = kernel.flop / seconds({reason}), kernel.flop / seconds(active)
        steps.append(Step(reason, factor, alone, together, COUNTERS[reason], value))
    return Below(top.intensity_flop_per_byte, kernel.flop / top.seconds, tuple(steps))
