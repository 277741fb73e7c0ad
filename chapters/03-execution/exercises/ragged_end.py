"""The last block of a launch: warps with work, the one that is split, and those that leave at once."""

from sim.launch_index import launch
from widgets.lab import Number

LAUNCH = launch(5_000, 256)


def answer() -> Number:
    """Return the warps without an element."""
    return Number(LAUNCH.idle_warps, "warps")


def mistakes() -> dict[str, int]:
    """Return them with the split one, the threads without an element, none, and the last block's threads with one."""
    return {
        "split": LAUNCH.idle_warps + int(LAUNCH.divergent is not None),
        "lanes": LAUNCH.threads - LAUNCH.elements,
        "none": 0,
        "live": LAUNCH.live_in_last_block,
    }
