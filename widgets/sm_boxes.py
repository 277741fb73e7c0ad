"""The boxes on one SM's shelves: resident blocks and their warps, what is unused, and the next block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sim.occupancy import WARP_LANES
from widgets.occupancy_words import Kernel
from widgets.sm_layout import BOX, TORN, Columns, Rows, Shown, bar_ends, level, strip, table

_SEAM = 0.0013  # half the gap between neighbours on a shelf


def unused(kernel: Kernel, shown: Shown) -> Iterator[tuple[Any, ...]]:
    """Everything that nobody uses, as the empty shelf that it is."""
    slots = kernel.sm["warps"].capacity
    bottom, top = bar_ends()
    for slot in range(shown.blocks * kernel.fits.warps_per_block, slots):
        yield (slot + 0.16) / slots, (slot + 0.84) / slots, bottom, top, "cell"
    for number in range(len(kernel.sm.partitions)):
        top, bottom = strip(number)
        yield 0, 1, bottom, top, "cell"
    yield (0, 1, *level("shared_memory"), "cell")
    count = kernel.sm["blocks"].capacity
    bottom, top = level("blocks")
    for slot in range(shown.blocks, count):
        yield (slot + 0.06) / count, (slot + 0.94) / count, bottom, top, "cell"


def _lit(kernel: Kernel) -> float:
    """Return how much of a block's last warp has threads."""
    fits = kernel.fits
    return (fits.threads_per_block - WARP_LANES * (fits.warps_per_block - 1)) / WARP_LANES


def bars(kernel: Kernel, shown: Shown) -> Iterator[tuple[Any, ...]]:
    """One bar a warp, as high as it has threads."""
    slots, each = kernel.sm["warps"].capacity, kernel.fits.warps_per_block
    bottom, top = bar_ends()
    last = bottom + (top - bottom) * _lit(kernel)
    for warp in range(shown.blocks * each):
        yield (warp + 0.16) / slots, (warp + 0.84) / slots, bottom, top if (warp + 1) % each else last, "compute"


def no_threads(kernel: Kernel, shown: Shown) -> Iterator[tuple[Any, ...]]:
    """The lanes of a last warp that have no thread."""
    slots, each = kernel.sm["warps"].capacity, kernel.fits.warps_per_block
    bottom, top = bar_ends()
    if (lit := _lit(kernel)) < 1:
        for warp in range(each - 1, shown.blocks * each, each):
            yield (warp + 0.16) / slots, (warp + 0.84) / slots, bottom + (top - bottom) * lit, top, "idle"


def frames(kernel: Kernel, shown: Shown) -> Iterator[tuple[Any, ...]]:
    """The blocks around their warps."""
    slots, each = kernel.sm["warps"].capacity, kernel.fits.warps_per_block
    for block in range(shown.blocks):
        yield ((block * each + 0.03) / slots, ((block + 1) * each - 0.03) / slots, *level("warps"), "rest")


def shares(kernel: Kernel, shown: Shown) -> Iterator[tuple[Any, ...]]:
    """What the blocks take of registers, warp by warp, of shared memory and of block slots."""
    each = kernel.fits.registers_per_warp / kernel.sm.partitions[0].registers
    mine = shown.blocks * kernel.fits.warps_per_block
    partitions = len(kernel.sm.partitions)
    for number in range(partitions):
        top, bottom = strip(number)
        for at in range(len(range(number, mine, partitions)) if each else 0):
            yield *_inset(at * each, (at + 1) * each), bottom, top, "compute"
    shelf = kernel.sm["shared_memory"]
    if asked := kernel.fits.shared_bytes_per_block:
        for block in range(shown.blocks):
            left = block * shelf.block / shelf.capacity
            yield (*_inset(left, left + asked / shelf.capacity), *level("shared_memory"), "compute")
    count = kernel.sm["blocks"].capacity
    for block in range(shown.blocks):
        yield ((block + 0.06) / count, (block + 0.94) / count, *level("blocks"), "compute")


def _inset(left: float, right: float) -> tuple[float, float]:
    """Leave a gap between neighbours on a shelf."""
    gap = min(_SEAM, 0.15 * (right - left))
    return left + gap, right - gap


def reserve(kernel: Kernel, shown: Shown) -> Iterator[tuple[Any, ...]]:
    """What a block is given of shared memory beyond what it asks for."""
    shelf, asked = kernel.sm["shared_memory"], kernel.fits.shared_bytes_per_block
    if shelf.block > asked:
        for block in range(shown.blocks):
            left = (block * shelf.block + asked) / shelf.capacity
            ends = _inset(left, (block + 1) * shelf.block / shelf.capacity)
            yield (*ends, *level("shared_memory"), "idle")


def next_block(kernel: Kernel, shown: Shown) -> dict[str, Columns]:
    """The next block where it has no room: its outline, and the part of it that lies beyond the SM."""
    outline: Rows = []
    if not shown.secret:
        for name in kernel.fits.limiters:
            if name == "registers":
                outline += _next_registers(kernel)
                continue
            shelf = kernel.sm[name]
            ends = shelf.used / shelf.capacity, (shelf.used + shelf.block) / shelf.capacity
            outline.append((*ends, *level(name)))
    inside = [(left, min(right, 1.0), bottom, top, "cost") for left, right, bottom, top in outline if left < 1 - 1e-9]
    past = [
        (max(left, 1.0), min(right, TORN), bottom, top, "cost")
        for left, right, bottom, top in outline
        if left < TORN and right > 1 + 1e-9
    ]
    return {"next": table(inside, BOX), "beyond": table(past, BOX)}


def _next_registers(kernel: Kernel) -> Iterator[tuple[Any, ...]]:
    each = kernel.fits.registers_per_warp / kernel.sm.partitions[0].registers
    for number, part in enumerate(kernel.sm.partitions):
        top, bottom = strip(number)
        for at in range(len(part.warps), len(part.warps) + len(part.next_warps)):
            yield at * each, (at + 1) * each, bottom, top
