"""A condition with a period of 64 threads in a block of four warps: which warps diverge?"""

from sim.divergence import WARP_LANES, simulate
from widgets.lab import ValueSet

WARPS = range(4)
PERIOD, BORDER = 64, 40


def diverges(warp: int) -> bool:
    """Say whether the lanes of a warp take both sides."""
    threads = range(WARP_LANES * warp, WARP_LANES * (warp + 1))
    return simulate([int(thread % PERIOD >= BORDER) for thread in threads], lengths=(1, 1)).paths_taken > 1


def answer() -> ValueSet:
    """Return the warps that diverge."""
    return ValueSet(tuple(warp for warp in WARPS if diverges(warp)))


def mistakes() -> dict[str, list[int]]:
    """Return the first of them, all warps, and those that agree."""
    both = [warp for warp in WARPS if diverges(warp)]
    return {"first": both[:1], "every": list(WARPS), "agree": [warp for warp in WARPS if warp not in both]}
