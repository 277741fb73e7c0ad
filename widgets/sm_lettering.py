"""The words at one SM's shelves: their names, what is used, and how many blocks each has room for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from widgets import occupancy_words
from widgets.occupancy_words import NAMES, Kernel
from widgets.sm_layout import HEADER, INNER, PHONE_PX, SHELF, TITLE, TORN, WIDE_PX, Shown
from widgets.timeline_columns import width_px
from widgets.words import Words

_DETAIL = 0.155  # x of the words beside a shelf's name


def names(kernel: Kernel, words: Words) -> Iterator[tuple[Any, ...]]:
    """Over the SM and over each shelf: its name."""
    cc = kernel.fits.compute_capability
    yield -0.014, INNER - TITLE, words("One SM of compute capability {cc}", cc=cc), words("SM, {cc}", cc=cc), "ink"
    for name, (top, _) in SHELF.items():
        text = words(NAMES[name])
        yield 0, INNER - top + HEADER, text, text, "ink"


def fits(kernel: Kernel, shown: Shown, words: Words) -> Iterator[tuple[Any, ...]]:
    """At the right above each shelf: how many blocks it has room for; red where that is the limit."""
    if shown.secret:
        yield 1, INNER - TITLE, shown.secret, shown.secret, "rest"
        return
    text = words("the next block")
    yield TORN, INNER - TITLE, text, text, "cost"
    for shelf in kernel.sm.shelves:
        y = INNER - SHELF[shelf.name][0] + HEADER
        if shelf.fits is None:
            yield 1, y, words("any number of blocks"), words("any number"), "rest"
            continue
        room = occupancy_words.blocks(shelf.fits, words)
        if shelf.limits:
            yield (
                1,
                y,
                words("room for {blocks}: the limit", blocks=room),
                words("limit: {blocks}", blocks=room),
                "cost",
            )
        else:
            yield 1, y, words("room for {blocks}", blocks=room), room, "rest"


def details(kernel: Kernel, shown: Shown, words: Words) -> Iterator[tuple[Any, ...]]:
    """Beside each shelf's name, on wide pages: what a block takes and what is used."""
    if shown.secret:
        return
    fits, num = kernel.fits, words.num
    for shelf in kernel.sm.shelves:
        y = INNER - SHELF[shelf.name][0] + HEADER
        used = {"used": num(shelf.used), "all": num(shelf.capacity)}
        if shelf.name == "warps":
            text = words("{n} a block · {used} of {all} used", n=fits.warps_per_block, **used)
        elif shelf.name == "registers":
            each = {"n": num(fits.registers_per_thread), "given": num(fits.registers_per_warp)}
            text = words("{n} a thread, {given} a warp · {used} of {all} used", **each, **used)
        elif shelf.name == "shared_memory":
            text = words.plural(
                "{n} byte asked, {given} given a block · {used} of {all} used",
                "{n} bytes asked, {given} given a block · {used} of {all} used",
                fits.shared_bytes_per_block, given=num(shelf.block), **used,
            )  # fmt: skip
        else:
            text = words("{used} of {all} used", **used)
        yield _DETAIL, y, text, "rest"


def block_names(kernel: Kernel, shown: Shown, words: Words) -> Iterator[tuple[Any, ...]]:
    """In the frames: "block 0" where it fits, else the number, else nothing; the same in all frames of a width."""
    slots, each = kernel.sm["warps"].capacity, kernel.fits.warps_per_block
    longest = words("block {n}", n=max(shown.blocks - 1, 0))

    def name(block: int, px: float) -> str:
        room = px * each / slots - 8
        if width_px(longest) <= room:
            return words("block {n}", n=block)
        return str(block) if width_px(str(shown.blocks - 1)) <= room + 3 else ""

    for block in range(shown.blocks):
        x = (block * each + 0.03) / slots + 4 / WIDE_PX
        yield x, INNER - SHELF["warps"][0] - 8, name(block, WIDE_PX), name(block, PHONE_PX), "ink"
