"""Time of a gather by the sectors that its loads move, all bytes at one rate.

Warps load elements at some pattern and store them in a row. A load moves its sectors whole, a store its elements:
time = (sectors × 32 + lanes × width) × warps / rate, where the rate is the one that the gather in a row reached.

Source: sectors as `sim.coalescing`; that time follows bytes where nothing else holds a kernel back is the roofline's
left half (S. Williams et al., CACM 52(4), 2009).
Left out: sectors that a neighbouring warp has brought into a cache already, pages and lookups of addresses that lie
far apart: with strides past a line, hardware takes longer than this.
"""

from sim.coalescing import SECTOR_BYTES, GlobalAccess
from sim.inputs import positive, whole

WARP_LANES = 32
MAX_ELEMENTS = 2**40
MAX_US = 1e9


def gather_bytes(access: GlobalAccess, elements: int) -> int:
    """Bytes that move for ``elements`` of them, a multiple of 32 up to 2^40, all lanes of ``access`` active.

    ValueError for anything else.

    >>> from sim.coalescing import simulate, strided
    >>> [gather_bytes(simulate(strided(4, stride)), 1 << 20) >> 20 for stride in (1, 2, 8)]
    [8, 12, 36]
    """
    whole("elements", elements, WARP_LANES, MAX_ELEMENTS)
    if elements % WARP_LANES:
        raise ValueError(f"elements is {elements}; it must be a multiple of {WARP_LANES}, a warp's lanes")
    if access.active_lanes != WARP_LANES:
        raise ValueError(f"{access.active_lanes} lanes load; all {WARP_LANES} of them must")
    return elements // WARP_LANES * (access.sectors * SECTOR_BYTES + WARP_LANES * access.width_bytes)


def gather_us(access: GlobalAccess, in_a_row: GlobalAccess, in_a_row_us: float) -> float:
    """Time in µs, if as many elements in a row take ``in_a_row_us``, in (0, 1e9]. ValueError otherwise.

    >>> from sim.coalescing import simulate, strided
    >>> gather_us(simulate(strided(4, 2)), simulate(strided(4, 1)), 10.0)
    15.0
    """
    positive("in_a_row_us", in_a_row_us, "µs", MAX_US)
    return in_a_row_us * gather_bytes(access, WARP_LANES) / gather_bytes(in_a_row, WARP_LANES)
