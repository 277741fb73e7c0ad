"""Bandwidth by what is in flight, warps an SM × loads a thread × bytes a load; and one load after another.

Model: `sim.littles_law` with the latency that the chain through device memory shows, and the peak that the GPU is sold
with (none for a GPU that `sim.gpus` does not know).
"""

from collections.abc import Iterator

import torch
from pydantic import Field

from gpu_backend import machine, timing
from gpu_backend.checking import WrongResult
from gpu_backend.experiments.common import empty_times, gb_per_s
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import loads_in_flight as kernel
from sim.gpus import gpu
from sim.littles_law import in_flight

WARPS = (1, 2, 4, 8, 16, 32, 48, 64)
WIDTHS = (4, 16)
LOADS = (1, 2, 4, 8, 16)
CHAINS = (16 << 10, 64 << 10, 128 << 10, 1 << 20, 4 << 20, 16 << 20, 32 << 20, 256 << 20, 1 << 30)
IN_DEVICE_MEMORY = 256 << 20
"""The chain whose latency the model takes: several times the L2; longer chains miss in the TLB, too."""
STEPS = 4000
WARM_LINES = 300_000  # chains that a cache holds are walked once, whole, before they are timed


class Chosen(Inputs):
    """How much is streamed."""

    mib: int = Field(512, ge=256, le=4096, description="MiB read a launch; several times the L2")
    gpu: str = Field(
        "h200", pattern=r"^[a-z0-9_]{1,20}$", description="this GPU's key in sim/gpus.toml, for the model's peak"
    )


def rows(chosen: Chosen) -> Iterator[Row]:
    """First the chains, by size; then one row a shape."""
    latency_ns = 0.0
    for size in CHAINS:
        row = _chain(size, chosen.seed)
        latency_ns = row["ns"] if size == IN_DEVICE_MEMORY else latency_ns
        yield row
    peak = gpu(chosen.gpu).quantities["bandwidth"].value
    (x,) = kernel.make_input(chosen.seed, chosen.mib << 18)
    sums = torch.zeros(machine.sms() * 64 * 32, dtype=torch.int32, device="cuda")
    for width in WIDTHS:
        for loads in LOADS:
            for warps in WARPS:
                law = in_flight(
                    peak_gb_per_s=peak, latency_ns=latency_ns, sms=machine.sms(), warps_per_sm=warps,
                    bytes_per_load=width,
                    loads_per_thread=loads,
                )  # fmt: skip
                point: Row = {
                    "width_bytes": width, "loads": loads, "warps_per_sm": warps, "chain_bytes": None, "cycles": None,
                    "ns": None,
                    "bytes_in_flight_per_sm": law.bytes_in_flight_per_sm, "model_gb_per_s": law.bandwidth_gb_per_s,
                }  # fmt: skip
                if kernel.resident(warps, loads, width, machine.compute_capability() or ""):
                    yield point | _stream(x, sums, warps, loads, width)
                else:
                    yield point | {"us": None, "why": "its registers do not fit an SM so many times"}


def _chain(size: int, seed: int) -> Row:
    host = kernel.chain(size, seed)
    following = torch.from_numpy(host).cuda()
    lines = size // 128
    warm = lines if lines <= WARM_LINES else 20_000
    cycles, ns, last = kernel.follow(following, warm, STEPS)
    at = 0
    for _ in range(warm + STEPS):
        at = int(host[at])
    if at != last:
        raise WrongResult(f"the chain through {size:,} bytes ends at {last}; it must be {at}")
    return {
        "width_bytes": 4, "loads": None, "warps_per_sm": None, "chain_bytes": size, "cycles": cycles / STEPS,
        "ns": ns / STEPS, "count": STEPS, "kernel": "follow_chain", "error": 0.0, "sm_mhz": machine.sm_mhz(),
    }  # fmt: skip


def _stream(x: torch.Tensor, sums: torch.Tensor, warps: int, loads: int, width: int) -> Row:
    _, words = kernel.covered(x.numel(), machine.sms(), warps, loads, width)
    threads = machine.sms() * warps * 32
    times = timing.time(lambda _: kernel.run(x, sums, machine.sms(), warps, loads, width), samples=9, launches=1)
    got = int(sums[:threads].sum(dtype=torch.int64)) % 2**32
    if got != kernel.reference(x[:words]):
        raise WrongResult(f"{warps} warps, {loads} loads of {width} bytes: what was read does not add up")
    size = kernel.bytes_moved(words)
    return {
        "bytes": size, "gb_per_s": gb_per_s(size, times.median), "kernel": "stream_loads", "error": 0.0,
        "empty_us": empty_times().median,
    } | times.row()  # fmt: skip


EXPERIMENT = Experiment(
    "loads_in_flight", "latency_hiding",
    "chains: clock64() and the global timer around 4,000 dependent loads of one thread; streams: CUDA events around "
    "a graph "
    "replay of one launch, medians of `count`; sums of all words checked exactly", Chosen, rows, needs_gpu=True,
    points=lambda _: len(CHAINS) + len(WIDTHS) * len(LOADS) * len(WARPS),
)  # fmt: skip
