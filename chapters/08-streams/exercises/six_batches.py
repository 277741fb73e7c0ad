"""The end of six batches through two slots, kernels the longer half."""

from sim.streams import double_buffer, simulate
from widgets.lab import Number

BATCHES, COPY_US, KERNEL_US, SUBMIT_US = 6, 30, 70, 5
TOTAL_US = simulate(double_buffer(BATCHES, COPY_US, KERNEL_US, slots=2), submit_us=SUBMIT_US).total_us


def answer() -> Number:
    """Return the end of the last kernel."""
    return Number(TOTAL_US, "µs")


def mistakes() -> dict[str, float]:
    """Return what comes of one slot, of the wrong half, and of a host that takes no time."""
    one_slot = simulate(double_buffer(BATCHES, COPY_US, KERNEL_US, slots=1), submit_us=SUBMIT_US)
    return {
        "serial": one_slot.total_us,
        "copies": SUBMIT_US + BATCHES * COPY_US + KERNEL_US,
        "late": TOTAL_US - SUBMIT_US,
    }
