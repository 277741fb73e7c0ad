"""A block whose 128 threads share 64 values: staging moves requests nearer, it does not make them fewer."""

from sim.reuse import simulate
from widgets.lab import Number

BLOCK = simulate(threads=128, values=64)


def answer() -> Number:
    """Return the requests of the staged way, to device and shared memory together."""
    return Number(BLOCK.staged.all_requests, "requests")


def mistakes() -> dict[str, int]:
    """Return those to device memory alone, those without the stores, and those of the direct way."""
    staged = BLOCK.staged
    return {
        "device": staged.warp_requests,
        "no_stores": staged.all_requests - staged.shared_stores,
        "direct": BLOCK.direct.all_requests,
    }
