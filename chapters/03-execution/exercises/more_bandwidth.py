"""Four ways to load on one H100: what is in flight decides, not the number of warps."""

from sim.gpus import gpu
from sim.littles_law import in_flight
from widgets.lab import Choice

H100 = gpu("h100")
LATENCY_NS = H100["latency.memory"].value / H100["clock"].value
VERSIONS = {"A": (64, 4, 1), "B": (16, 16, 1), "C": (24, 16, 1), "D": (32, 4, 2)}  # warps an SM, bytes, loads


def bandwidth(key: str) -> float:
    """Return the bandwidth of a version in GB/s."""
    warps, size, loads = VERSIONS[key]
    return in_flight(
        peak_gb_per_s=H100["bandwidth"].value,
        latency_ns=LATENCY_NS,
        sms=int(H100["sms"].value),
        warps_per_sm=warps,
        bytes_per_load=size,
        loads_per_thread=loads,
    ).bandwidth_gb_per_s


def answer() -> Choice:
    """Return the one version that reaches more than all others."""
    first, second = sorted(VERSIONS, key=bandwidth, reverse=True)[:2]
    assert bandwidth(first) > bandwidth(second)
    return Choice(first, tuple(VERSIONS))
