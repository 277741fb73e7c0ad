"""Little's law for memory: what is in flight = latency × bandwidth.

A memory answers after a latency, so to get bytes at a rate, rate × latency of them must be on their way at any
time. With fewer in flight the bandwidth is what is in flight over the latency; with more it is the peak:
min(peak, bytes in flight / latency). In flight are warps × 32 lanes × loads that a thread has outstanding × bytes
a load. From the knee on, more warps add nothing; wider or more loads a thread move the knee to fewer warps.

Source: J. D. C. Little, "A Proof for the Queuing Formula L = λW", 1961; for GPUs V. Volkov, "Better Performance at
Lower Occupancy", GTC 2010.
Left out: latency that grows with the load (the latencies given are those of an idle memory, so the bytes needed
are lower bounds); the most requests an SM can have outstanding; caches; sectors fetched and not used.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from sim.inputs import positive, whole

WARP_LANES = 32
LINE_BYTES = 128
LOAD_BYTES = (1, 2, 4, 8, 16)
MAX_WARPS = 64
MAX_LOADS = 64
MAX_SMS = 1024
MAX_GB_PER_S = 1e6
MAX_NS = 1e6
MAX_BYTES = 1e12


@dataclass(frozen=True, slots=True)
class InFlight:
    """One way to load on one GPU; bytes of the whole GPU unless said."""

    bytes_in_flight: int
    bytes_in_flight_per_sm: int
    bandwidth_gb_per_s: float
    peak_share: float
    """Of the peak, in (0, 1]."""
    bytes_needed: float
    """In flight for the peak: peak × latency."""
    bytes_needed_per_sm: float
    lines_needed_per_sm: float
    """The same in 128-byte lines: a warp with one 4-byte load in each lane has one in flight."""
    knee_warps: int
    """The fewest warps per SM that reach the peak with such loads; may be more than an SM holds."""


def bandwidth(peak_gb_per_s: float, latency_ns: float, bytes_in_flight: float) -> float:
    """min(peak, bytes in flight / latency) in GB/s, which are bytes a ns; at most 1e12 bytes, else as `in_flight`.

    >>> bandwidth(3350, 273, 132 * 64 * 128), bandwidth(3350, 273, 132 * 16 * 128)
    (3350.0, 990.2417582417582)
    """
    positive("peak_gb_per_s", peak_gb_per_s, "GB/s", MAX_GB_PER_S)
    positive("latency_ns", latency_ns, "ns", MAX_NS)
    if bytes_in_flight != 0 or isinstance(bytes_in_flight, bool):
        positive("bytes_in_flight", bytes_in_flight, "bytes", MAX_BYTES)
    return float(min(peak_gb_per_s, bytes_in_flight / latency_ns))


def in_flight(
    *,
    peak_gb_per_s: float,
    latency_ns: float,
    sms: int,
    warps_per_sm: int,
    bytes_per_load: int = 4,
    loads_per_thread: int = 1,
) -> InFlight:
    """The law for 1 to 1024 SMs with 1 to 64 warps each, all lanes loading.

    ``peak_gb_per_s`` and ``latency_ns`` in (0, 1e6]; ``bytes_per_load`` 1, 2, 4, 8 or 16; 1 to 64 independent
    ``loads_per_thread`` outstanding. Raises ValueError for anything else.

    >>> slow = in_flight(peak_gb_per_s=3350, latency_ns=656 / 1.755, sms=132, warps_per_sm=64)
    >>> slow.bytes_in_flight_per_sm, round(slow.bytes_needed_per_sm), slow.knee_warps, f"{slow.peak_share:.0%}"
    (8192, 9486, 75, '86%')
    """
    whole("sms", sms, 1, MAX_SMS)
    whole("warps_per_sm", warps_per_sm, 1, MAX_WARPS)
    whole("loads_per_thread", loads_per_thread, 1, MAX_LOADS)
    if type(bytes_per_load) is not int or bytes_per_load not in LOAD_BYTES:
        raise ValueError(f"bytes_per_load is {bytes_per_load!r}; a thread loads 1, 2, 4, 8 or 16 bytes")
    warp_bytes = WARP_LANES * bytes_per_load * loads_per_thread
    flying = sms * warps_per_sm * warp_bytes
    reached = bandwidth(peak_gb_per_s, latency_ns, flying)
    needed = Fraction(peak_gb_per_s) * Fraction(latency_ns)  # exact, so that ⌈ ⌉ is
    return InFlight(
        flying,
        warps_per_sm * warp_bytes,
        reached,
        reached / peak_gb_per_s,
        float(needed),
        float(needed / sms),
        float(needed / sms / LINE_BYTES),
        ceil(needed / (sms * warp_bytes)),
    )
