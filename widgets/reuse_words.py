"""Reuse in a block in words: what each sector, warp and thread has come to, and the two ways side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from sim.coalescing import WARP_LANES
from sim.reuse import Reuse
from sim.reuse_walk import Step
from widgets.parts import Table
from widgets.reuse_halves import (
    BAND,
    BARRIER,
    LOWER,
    MEMORY,
    MEMORY_END,
    NAMES,
    PER_SECTOR,
    SHARED,
    SHARED_END,
    UPPER,
    WARPS,
    WORDS,
    Half,
    middle_of_warp,
    place,
)  # fmt: skip
from widgets.words import N_, Words

READERS = (
    (128, N_("all 128 threads")),
    (32, N_("the 32 of a warp")),
    (8, N_("8 neighbours")),
    (1, N_("nobody else")),
)
_NEEDS = {
    128: N_("All 128 threads of a block need the same {values}."),
    32: N_("The 32 threads of each warp need the same {values}, every warp its own."),
    8: N_("8 neighbouring threads each need the same {values}, every 8 their own."),
    1: N_("Each of a block’s 128 threads needs {values} that no other thread needs."),
}
_DOES = {
    "load": N_("loads value {n} from device memory"),
    "store": N_("stores to shared memory"),
    "barrier": N_("waits at the barrier"),
    "read": N_("reads value {n} from shared memory"),
}
Mark = tuple[float, float, str]


def needs(each: int, readers: int, words: Words) -> str:
    """Say how many values a thread needs, and who needs the same."""
    return words(_NEEDS[readers], values=words.plural("{n} value", "{n} values", each))


def marks(upper: Half, lower: Half, hidden: bool, words: Words) -> dict[str, list[Any]]:
    """Return what can be inspected: sectors, shared memory, the barrier, warps, and every thread."""
    found = [*_sectors(upper, UPPER, words), *_warps(upper, UPPER, words)]
    if not hidden:
        found += _sectors(lower, LOWER, words)
        found += _shared(lower, words)
        found += _barrier(lower, words)
        found += _warps(lower, LOWER, words)
    return {"x": [x for x, _, _ in found], "y": [y for _, y, _ in found], "say": [say for _, _, say in found]}


def _sectors(half: Half, top: float, words: Words) -> Iterator[Mark]:
    for sector in half.sectors():
        left, right = half.x(sector)
        asked, moved = half.asked.get(sector, 0), half.moved(sector)
        said = words("Device memory, values {values}, one sector", values=_values(half, sector, words)) + " · "
        if not asked:
            said += words("not asked for yet")
        else:
            said += words.plural("{n} request asked for it", "{n} requests asked for it", asked) + " · "
            said += words.plural("moved {n} time", "moved {n} times", moved)
        yield (left + right) / 2, top + (MEMORY + MEMORY_END) / 2, said


def _values(half: Half, sector: int, words: Words) -> str:
    first = sector * PER_SECTOR
    last = min(first + PER_SECTOR, half.walk.distinct) - 1
    return words.num(first) if first == last else words("{a}–{b}", a=words.num(first), b=words.num(last))


def _shared(half: Half, words: Words) -> Iterator[Mark]:
    stored = half.count("store") * WORDS
    for sector in half.sectors():
        left, right = half.x(sector)
        full = sector * PER_SECTOR < stored
        said = (
            N_("Shared memory, values {values} · stored once, read from here")
            if full
            else N_("Shared memory, room for values {values} · nothing stored yet")
        )
        yield (left + right) / 2, LOWER + (SHARED + SHARED_END) / 2, words(said, values=_values(half, sector, words))


def _barrier(half: Half, words: Words) -> Iterator[Mark]:
    said = (
        words("Barrier · all 128 threads have arrived, so every value is there to be read")
        if half.count("barrier")
        else words("Barrier · no thread passes until all 128 have stored their part")
    )
    yield place(WORDS - 1), LOWER + sum(BARRIER) / 2, said


def _warps(half: Half, top: float, words: Words) -> Iterator[Mark]:
    """A warp at its name, then its threads at their ticks."""
    y, now, values = top + WARPS[top], half.now, half.walk.values
    had = half.count("load" if top == UPPER else "read")
    loads = Counter(request.warp for step in half.done if step.kind == "load" for request in step.requests)
    has = words.plural("has {had} of its {n} value", "has {had} of its {n} values", values, had=words.num(had))
    thread_says = words("Thread {n}, lane {lane} of warp {warp} · {has}")  # filled 128 times: looked up once
    for warp in range(half.walk.threads // WARP_LANES):
        asked = words.plural("{n} request to device memory", "{n} requests to device memory", loads[warp])
        yield middle_of_warp(warp), y - NAMES, words("Warp {warp} · {requests} so far", warp=warp, requests=asked)
        left = place(warp * WARP_LANES) + 0.5
        for lane in range(WARP_LANES):
            thread = warp * WARP_LANES + lane
            said = thread_says.format(n=thread, lane=lane, warp=warp, has=has)
            if now:
                said += " · " + _now(half, now, top == LOWER, had - 1, thread, words)
            yield left + lane, y - BAND / 2, said


def _now(half: Half, now: Step, staged: bool, value: int, thread: int, words: Words) -> str:
    """Say what a thread does in the instruction pointed out."""
    warp, lane = divmod(thread, WARP_LANES)
    own = next((request for request in now.requests if request.warp == warp), None)
    if now.kind == "barrier":
        return words(_DOES["barrier"])
    if own is None or lane >= own.loads:
        return words("has nothing to do in this one")
    by_lane = staged and now.kind != "read"
    element = own.elements[0] + lane if by_lane else half.walk.element(thread, value)
    return words(_DOES[now.kind], n=words.num(element))


def price(totals: Reuse, words: Words) -> tuple[str, str]:
    """Say what staging takes: room, a barrier, and requests to shared memory; in full and for a phone."""
    staged = totals.staged
    told = {"n": words.num(staged.shared_bytes), "requests": words.num(staged.shared_requests)}
    return (
        words("price: {n} B of shared memory, a barrier, {requests} requests to shared memory", **told),
        words("price: {n} B, a barrier, {requests} requests to it", **told),
    )


def table(totals: Reuse, secret: str, words: Words) -> Table:
    """Return a row a count, with both ways beside each other."""
    head = (words("Count"), words("Each warp for itself"), words("Staged once"))

    def row(name: str, of: Any) -> tuple[str, ...]:
        return name, words.num(of(totals.direct)), secret or words.num(of(totals.staged))

    return Table(
        head,
        (
            row(words("Element loads from device memory"), lambda way: way.element_loads),
            row(words("Requests to device memory"), lambda way: way.warp_requests),
            row(words("Bytes moved, without a cache"), lambda way: way.bytes_uncached),
            row(words("Bytes moved, if a cache hits"), lambda way: way.bytes_cached),
            row(words("Bytes of shared memory"), lambda way: way.shared_bytes),
            row(words("Requests that store to shared memory"), lambda way: way.shared_stores),
            row(words("Requests that read from shared memory"), lambda way: way.shared_loads),
            row(words("Barriers"), lambda way: way.barriers),
            row(words("Requests in all"), lambda way: way.all_requests),
        ),
    )
