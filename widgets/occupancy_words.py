"""Blocks on an SM in words: what limits them, what each mark of the drawing holds, and the rows of the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sim.gpus import multiprocessor
from sim.occupancy import WARP_LANES, Limiter, Occupancy
from sim.occupancy_curve import Axis, OneMore, Step
from sim.sm_shelves import Shelf, SmShelves
from widgets.parts import Table
from widgets.words import N_, Words

RESOURCES: dict[Limiter, str] = {
    "warps": N_("warp slots"), "registers": N_("registers"), "shared_memory": N_("shared memory"),
    "blocks": N_("block slots"),
}  # fmt: skip
NAMES: dict[Limiter, str] = {
    "warps": N_("Warp slots"), "registers": N_("Registers"), "shared_memory": N_("Shared memory"),
    "blocks": N_("Block slots"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel on one SM: what fits, what one more would make of it, the shelves, and the curve of one input."""

    fits: Occupancy
    more: OneMore
    sm: SmShelves
    axis: Axis
    steps: tuple[Step, ...]

    @property
    def at(self) -> int:
        """Where on the curve's axis the kernel stands."""
        return {
            "threads": self.fits.threads_per_block, "registers": self.fits.registers_per_thread,
            "shared_memory": self.fits.shared_bytes_per_block,
        }[self.axis]  # fmt: skip

    @property
    def one_more(self) -> Occupancy | None:
        """The kernel one further on the curve's axis."""
        return {"threads": self.more.thread, "registers": self.more.register, "shared_memory": self.more.byte}[
            self.axis
        ]


def blocks(n: int, words: Words) -> str:
    """Return "1 block", "4 blocks"."""
    return words.plural("{n} block", "{n} blocks", n)


def warps(n: int, words: Words) -> str:
    """Return "1 warp", "8 warps"."""
    return words.plural("{n} warp", "{n} warps", n)


def joined(parts: Iterable[str], words: Words) -> str:
    """Return a list as the language writes it: "a", "a and b", "a, b and c"."""
    *first, last = parts
    return words("{first} and {last}", first=words(", ").join(first), last=last) if first else last


def percent(kernel: Occupancy, words: Words) -> str:
    """Print the occupancy without its sign."""
    return words.percent(kernel.occupancy)


def limited(kernel: Occupancy, words: Words) -> str:
    """Say what limits the blocks."""
    return words("limited by {what}", what=joined((words(RESOURCES[name]) for name in kernel.limiters), words))


def limit(kernel: Occupancy, words: Words) -> str:
    """Say it on the one short line of a readout."""
    first, *others = kernel.limiters
    if others:
        return words("{n} limits at once", n=len(others) + 1)
    return words("limit: {what}", what=words(RESOURCES[first]))


def refused(kernel: Kernel, words: Words) -> str:
    """Say why a kernel that cannot be launched cannot; "" of one that can."""
    if kernel.fits.blocks_per_sm:
        return ""
    sm, fits, said = multiprocessor(kernel.fits.compute_capability), kernel.fits, []
    if fits.blocks_by_registers == 0:
        quarter = kernel.sm.partitions[0]
        said.append(
            words(
                "One partition would have to hold {n} × {each} registers; it has {most}.",
                n=warps(len(quarter.next_warps), words), each=words.num(fits.registers_per_warp),
                most=words.num(quarter.registers),
            )
        )  # fmt: skip
    if fits.blocks_by_shared_memory == 0:
        asked, most = words.num(fits.shared_bytes_per_block), words.num(sm.block_shared_bytes)
        said.append(
            words("A block asks for {asked} bytes of shared memory; it may have {most}.", asked=asked, most=most)
        )
    return words.space.join(said)


# ------------------------------------------------------------------------------------------- marks


def block_says(kernel: Occupancy, block: int, secret: bool, words: Words) -> str:
    """Say what one resident block takes; a secret leaves out what it is given."""
    if secret:
        return words("Block {block} · {warps}", block=block, warps=warps(kernel.warps_per_block, words))
    return words(
        "Block {block} · {warps} · {registers} registers · {bytes} bytes of shared memory",
        block=block, warps=warps(kernel.warps_per_block, words), bytes=words.num(kernel.shared_bytes_allocated),
        registers=words.num(kernel.warps_per_block * kernel.registers_per_warp),
    )  # fmt: skip


def warp_says(kernel: Occupancy, shown: int, secret: bool, words: Words) -> Iterator[str]:
    """Say of each warp of the first blocks where it belongs, what it is given and how many threads it has."""
    each = kernel.warps_per_block
    last = kernel.threads_per_block - WARP_LANES * (each - 1)
    registers = words.num(kernel.registers_per_warp)
    full = words.plural("{n} thread", "{n} threads", WARP_LANES)
    rest = words.plural("{n} thread", "{n} threads", last)
    if last < WARP_LANES:
        rest = words("{threads}, {n} lanes idle", threads=rest, n=WARP_LANES - last)
    partitions = multiprocessor(kernel.compute_capability).partitions
    for warp in range(shown * each):
        if secret:
            told = {"warp": warp, "block": warp // each, "threads": full if (warp + 1) % each else rest}
            yield words("Warp {warp} · block {block} · {threads}", **told)
            continue
        yield words(
            "Warp {warp} · block {block} · partition {partition} · {registers} registers · {threads}",
            warp=warp, block=warp // each, partition=warp % partitions, registers=registers,
            threads=full if (warp + 1) % each else rest,
        )  # fmt: skip


def partition_says(kernel: Kernel, number: int, words: Words) -> str:
    """Say what a partition's registers hold."""
    part, each = kernel.sm.partitions[number], kernel.fits.registers_per_warp
    return words(
        "Partition {number} · {warps} × {each} registers · {left} of {all} left",
        number=number, warps=warps(len(part.warps), words), each=words.num(each), all=words.num(part.registers),
        left=words.num(part.registers - len(part.warps) * each),
    )  # fmt: skip


def shelf_says(shelf: Shelf, words: Words) -> str:
    """Say how much of a resource is used."""
    return words(
        "{name} · {used} of {all} used · {left} left",
        name=words(NAMES[shelf.name]), used=words.num(shelf.used), all=words.num(shelf.capacity),
        left=words.num(shelf.left),
    )  # fmt: skip


def next_says(kernel: Kernel, name: Limiter, words: Words) -> str:
    """Say why the next block finds no room on a shelf that limits."""
    shelf = kernel.sm[name]
    if name == "registers":
        return words(
            "The next block has {warps} of {each} registers; for {n} of them no partition has room.",
            warps=warps(kernel.fits.warps_per_block, words), each=words.num(kernel.fits.registers_per_warp),
            n=sum(part.overflow for part in kernel.sm.partitions),
        )  # fmt: skip
    if name == "warps":
        needs = words.plural("{n} warp slot", "{n} warp slots", shelf.block)
    elif name == "shared_memory":
        needs = words.plural("{n} byte of shared memory", "{n} bytes of shared memory", shelf.block)
    else:
        needs = words.plural("{n} block slot", "{n} block slots", shelf.block)
    return words.plural(
        "The next block needs {needs}; {n} is left.", "The next block needs {needs}; {n} are left.",
        shelf.left, needs=needs,
    )  # fmt: skip


def value(axis: Axis, n: int, words: Words) -> str:
    """Return a value on the curve's axis with its unit."""
    if axis == "threads":
        return words.plural("{n} thread", "{n} threads", n)
    if axis == "registers":
        return words.plural("{n} register", "{n} registers", n)
    return words.plural("{n} byte", "{n} bytes", n)


def step_says(axis: Axis, step: Step, words: Words) -> str:
    """Say what a step of the curve gives."""
    here = step.at_first
    last = value(axis, step.last, words)
    span = last if step.first == step.last else words("{first} to {last}", first=words.num(step.first), last=last)
    if not here.blocks_per_sm:
        return words("{span} · cannot be launched", span=span)
    return words(
        "{span} · {blocks}, {warps} · {percent} % · {limited}",
        span=span, blocks=blocks(here.blocks_per_sm, words), warps=warps(here.warps_per_sm, words),
        percent=percent(here, words), limited=limited(here, words),
    )  # fmt: skip


# ----------------------------------------------------------------------------------- whole figure


def asked(kernel: Occupancy, words: Words) -> str:
    """Say what the kernel asks for."""
    return words(
        "A block has {threads} in {warps}; a thread has {registers}; the block asks for {bytes} of shared memory.",
        threads=value("threads", kernel.threads_per_block, words), warps=warps(kernel.warps_per_block, words),
        registers=value("registers", kernel.registers_per_thread, words),
        bytes=value("shared_memory", kernel.shared_bytes_per_block, words),
    )  # fmt: skip


def result(kernel: Kernel, words: Words) -> str:
    """Say how many blocks fit, what limits them, and what one more of each input would make of it."""
    fits, more = kernel.fits, kernel.more
    if not fits.blocks_per_sm:
        return words("It cannot be launched.") + words.space + refused(kernel, words)
    sm = kernel.sm["warps"]
    said = [
        words(
            "An SM of compute capability {cc} holds {blocks}: {used} of {all} warp slots, "
            "{percent} % occupancy, {limited}.",
            blocks=blocks(fits.blocks_per_sm, words), cc=fits.compute_capability, used=sm.used, all=sm.capacity,
            percent=percent(fits, words), limited=limited(fits, words),
        )
    ]  # fmt: skip
    if kernel.sm.idle_lanes:
        n, of = words.num(kernel.sm.idle_lanes), words.num(kernel.sm.lanes)
        said.append(words("{n} of the {all} lanes of these warps have no thread.", n=n, all=of))
    if more.thread:
        said.append(words("With one more thread: {blocks}.", blocks=blocks(more.thread.blocks_per_sm, words)))
    if more.register:
        said.append(words("With one more register: {blocks}.", blocks=blocks(more.register.blocks_per_sm, words)))
    said.append(words("With one more byte: {blocks}.", blocks=blocks(more.byte.blocks_per_sm, words)))
    return words.space.join(said)


def table(kernel: Kernel, secret: bool, words: Words) -> Table:
    """Return one row a resource."""
    head = (
        words("Resource"), words("The SM has"), words("A block takes"), words("Used"), words("Left"),
        words("Blocks that fit"), words("Blocks with one more"),
    )  # fmt: skip
    num, more = words.num, kernel.more
    after: dict[Limiter, Occupancy | None] = {
        "warps": more.thread, "registers": more.register, "shared_memory": more.byte, "blocks": None,
    }  # fmt: skip
    one: dict[Limiter, str] = {
        "warps": N_("{n} with one more thread"), "registers": N_("{n} with one more register"),
        "shared_memory": N_("{n} with one more byte"), "blocks": "",
    }  # fmt: skip
    rows = []
    for shelf in kernel.sm.shelves:
        name, then = words(NAMES[shelf.name]), after[shelf.name]
        if secret:
            rows.append((name, num(shelf.capacity), *["?"] * 5))
            continue
        fits = words("any number") if shelf.fits is None else num(shelf.fits)
        rows.append(
            (
                name, num(shelf.capacity), num(shelf.block), num(shelf.used), num(shelf.left),
                words("{n}, the limit", n=fits) if shelf.limits else fits,
                "–" if then is None else words(one[shelf.name], n=num(then.blocks_per_sm)),
            )
        )  # fmt: skip
    return Table(head, tuple(rows))
