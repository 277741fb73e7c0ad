"""A launch and the place of one element in words: what is typed, what each block, warp and lane does at `i < n`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sim.launch_index import WARP_LANES, Launch, Place, Warp
from widgets.lab_numerals import Unreadable, clean, quote, read
from widgets.parts import Table
from widgets.timeline_columns import width_px
from widgets.words import Words

PHONE_TITLE = 280  # px of a title on a phone
MAX_ELEMENTS = 2**31 - 1  # what an index of 32 bits with a sign counts
_FROM_END = re.compile(r"n(?: ?- ?([0-9]{1,10}))?")


@dataclass(frozen=True, slots=True)
class Launched:
    """A launch and the place of the element chosen in it."""

    launch: Launch
    place: Place

    @property
    def chosen(self) -> Warp:
        """The warp of the element chosen."""
        return self.launch.warp(self.place.block, self.place.warp)


def elements(text: str, words: Words) -> int:
    """Read a number of elements; ValueError in the reader's language."""
    return _whole(text, 1, MAX_ELEMENTS, words)


def element(text: str, n: int, words: Words) -> int:
    """Read an element: its number from 0, or `n-1` and the like; ValueError in the reader's language."""
    told = clean(text)
    if from_end := _FROM_END.fullmatch(told.lower()):
        i = n - int(from_end[1] or 0)
        if not 0 <= i < n:
            fields = {"text": quote(told), "last": words.num(n - 1)}
            raise ValueError(words("“{text}” is no element; they are numbered from 0 to n-1, here {last}", **fields))
        return i
    return _whole(told, 0, n - 1, words)


def _whole(text: str, least: int, most: int, words: Words) -> int:
    told = clean(text)
    try:
        found = read(told, words)
        values = () if found.rest else found.values
    except Unreadable:
        values = ()
    # "1,000" may be a thousand or one: only whole numbers are meant here, so the first whole reading is.
    value = next((int(value) for value in values if value.denominator == 1), None)
    if value is None:
        raise ValueError(words("“{text}” is not a whole number", text=quote(told)))
    if not least <= value <= most:
        fields = {"value": words.num(value), "low": words.num(least), "high": words.num(most)}
        raise ValueError(words("{value} is outside {low} to {high}", **fields))
    return value


# ------------------------------------------------------------------------------------- marks


def block_says(launch: Launch, block: int, hidden: bool, words: Words) -> str:
    """Say which elements a block has and how many of its threads that keeps busy."""
    live, first = launch.live_in_block(block), block * launch.block_threads
    fields = {"block": words.num(block), "first": words.num(first)}
    if hidden:
        return words(
            "Block {block} · starts at element {first} · {all} threads", all=words.num(launch.block_threads), **fields
        )
    return words.plural(
        "Block {block} · elements {first} to {last} · for {live} of its {n} thread",
        "Block {block} · elements {first} to {last} · for {live} of its {n} threads",
        launch.block_threads, last=words.num(first + live - 1), live=words.num(live), **fields,
    )  # fmt: skip


def gap_says(launch: Launch, first: int, last: int, words: Words) -> str:
    """Say what the blocks that are not drawn have in common: only the last block can differ."""
    if first == last:
        return block_says(launch, first, False, words)
    fields = {"first": words.num(first), "last": words.num(last)}
    return words("Blocks {first} to {last} · an element for every thread", **fields)


def warp_says(warp: Warp, hidden: bool, words: Words) -> str:
    """Say how a warp leaves the bounds check."""
    fields = {"warp": warp.warp, "block": words.num(warp.block), "live": warp.live, "all": warp.threads}
    if hidden:
        return words("Warp {warp} of block {block}", **fields)
    if warp.diverges:
        return words("Warp {warp} of block {block} · i < n holds in {live} of {all} lanes: it diverges", **fields)
    if not warp.live:
        return words("Warp {warp} of block {block} · no lane passes i < n: it ends, undivided", **fields)
    if warp.threads < WARP_LANES:
        empty = WARP_LANES - warp.threads
        return words("Warp {warp} of block {block} · short: threads {all}, empty lanes {empty}", empty=empty, **fields)
    return words("Warp {warp} of block {block} · all {all} lanes pass i < n", **fields)


def lanes_say(launch: Launch, warp: Warp, hidden: bool, words: Words) -> Iterator[str]:
    """Say of each of 32 lanes which element it has, if any. Templates are fetched once: there may be 1,056 of them."""
    first = warp.block * launch.block_threads + warp.warp * WARP_LANES
    head = words("Block {block} · warp {warp} · lane", block=words.num(warp.block), warp=warp.warp)
    if hidden:
        passes = fails = words("{head} {lane} · i = {i}")
    else:
        passes, fails = words("{head} {lane} · element {i}"), words("{head} {lane} · i = {i}: no such element")
    empty = words("{head} {lane} · no thread: the block ends before it")
    for lane in range(WARP_LANES):
        text = passes if lane < warp.live else fails if lane < warp.threads else empty
        yield text.format(head=head, lane=lane, i=f"{first + lane:,}")


# ---------------------------------------------------------------------------- in the drawing


def grid_title(launch: Launch, words: Words) -> tuple[str, str]:
    """Name the uppermost scale, on a wide page and on a phone."""
    blocks = words.plural("{n} block", "{n} blocks", launch.blocks)
    threads = words.plural("{n} thread", "{n} threads", launch.block_threads)
    fields = {"blocks": blocks, "threads": threads, "n": words.num(launch.elements)}
    short = words("{blocks} of {threads}, n = {n}", **fields)
    if width_px(short, 11) > PHONE_TITLE:
        short = words("{blocks} of {threads}", **fields)
    return words("Grid: {blocks} of {threads} for n = {n}", **fields), short


def block_title(shown: Launched, hidden: bool, words: Words) -> tuple[str, str]:
    """Name the block shown, and how many of its threads have an element; on a wide page and on a phone."""
    block, launch = words.num(shown.place.block), shown.launch
    name = words("Block {n}", n=block)
    if hidden:
        return name, name
    full = words.plural(
        "Block {block}: elements for {live} of its {n} thread", "Block {block}: elements for {live} of its {n} threads",
        launch.block_threads, block=block, live=words.num(launch.live_in_block(shown.place.block)),
    )  # fmt: skip
    return full, full if width_px(full, 11) <= PHONE_TITLE else name


def warp_title(shown: Launched, words: Words) -> str:
    """Name the warp shown, and how it leaves the check."""
    warp = shown.chosen
    fields = {"n": warp.warp, "live": warp.live, "rest": warp.threads - warp.live, "all": warp.threads}
    if warp.diverges:
        return words("Warp {n} diverges: i < n in {live} of its {all} lanes", **fields)
    if warp.threads < WARP_LANES:
        return words("Warp {n} is short: threads {all}, all pass i < n", **fields)
    return words("Warp {n} stays whole: all {all} lanes pass i < n", **fields)


def sums(shown: Launched, words: Words) -> tuple[str, str]:
    """Return the two sums that lead to the element: its index, and its lane."""
    num, place, threads = words.num, shown.place, shown.launch.block_threads
    index = words(
        "i = {block} × {threads} + {thread} = {i}",
        block=num(place.block), threads=num(threads), thread=num(place.thread), i=num(place.element),
    )  # fmt: skip
    return index, words(
        "thread {thread} = {warp} × 32 + {lane}", thread=num(place.thread), warp=place.warp, lane=place.lane
    )


# ------------------------------------------------------------------------------ the whole


def told(shown: Launched, hidden: bool, words: Words) -> Iterator[str]:
    """Yield the sentences of the summary."""
    launch, place, num = shown.launch, shown.place, words.num
    fields = {"n": num(launch.elements), "blocks": words.plural("{n} block", "{n} blocks", launch.blocks)}
    fields["threads"] = words.plural("{n} thread", "{n} threads", launch.block_threads)
    yield words("Elements: {n}, in {blocks} of {threads} each.", **fields)
    if hidden:
        yield words("How many warps diverge at the bounds check is yours to guess first.")
        return
    live = num(launch.live_in_last_block)
    yield words("In the last block, threads with an element: {live}.", live=live)
    counts = {"all": num(launch.warps), "whole": num(launch.whole_warps), "idle": num(launch.idle_warps)}
    split = num(launch.divergent is not None)
    yield words(
        "Warps: {all}. Of these pass whole: {whole}; diverge at i < n: {split}; idle: {idle}.", split=split, **counts
    )
    where = {"i": num(place.element), "block": num(place.block), "warp": place.warp, "lane": place.lane}
    yield words("Element {i} belongs to block {block}, warp {warp}, lane {lane}.", **where)


def table(shown: Launched, hidden: bool, words: Words) -> Table:
    """Return one row a warp of the block shown."""
    head = (words("Warp"), words("First i"), words("Threads"), words("Pass i < n"), words("At the check"))
    launch, block, rows = shown.launch, shown.place.block, []
    for warp in launch.block(block):
        first = block * launch.block_threads + warp.warp * WARP_LANES
        verdict = words("diverges") if warp.diverges else words("passes whole") if warp.live else words("idle")
        seen = ("?", words("your guess first")) if hidden else (words.num(warp.live), verdict)
        name = words("block {block}, warp {warp}", block=words.num(block), warp=warp.warp)
        rows.append((name, words.num(first), words.num(warp.threads), *seen))
    return Table(head, tuple(rows))
