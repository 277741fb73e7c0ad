"""A warp's load from device memory in words: what each lane asks for, what each sector holds, and the rows."""

from __future__ import annotations

from collections.abc import Iterator

from sim.coalescing import INACTIVE, LINE_BYTES, SECTOR_BYTES, GlobalAccess, Line, Sector
from widgets.bank_words import ranges
from widgets.parts import Table
from widgets.words import N_, Words

ORDERS = (("forward", N_("in order")), ("reversed", N_("reversed")), ("shuffled", N_("shuffled")))
LANES = (
    ("all", N_("All 32")),
    ("even", N_("Even lanes only")),
    ("low", N_("Lanes 0–15 only")),
    ("one", N_("Lane 0 alone")),
)
_ORDERED = {
    "forward": N_("The elements follow each other at a stride of {stride} from byte {start} on, lane by lane."),
    "reversed": N_("The elements follow each other at a stride of {stride} from byte {start} on, from lane 31 down."),
    "shuffled": N_("The elements follow each other at a stride of {stride} from byte {start} on, lanes shuffled."),
}


def asked_for(stride: int, start: int, order: str, words: Words) -> str:
    """Say which elements the lanes take, where the pattern is a stride."""
    return words(_ORDERED[order], stride=words.num(stride), start=words.num(start))


def lane_says(access: GlobalAccess, words: Words, secret: bool) -> Iterator[str]:
    """Yield what each of the 32 lanes asks for and where that lies; a secret leaves out the sector."""
    sectors = {lane: sector for sector in access.sectors_touched for lane in sector.lanes}
    for lane, address in enumerate(access.addresses):
        if address == INACTIVE:
            yield words("Lane {lane} is switched off.", lane=lane)
            continue
        asks = words("Lane {lane} asks for {bytes}", lane=lane, bytes=_bytes(address, access.width_bytes, words))
        if secret:
            yield asks
            continue
        sector = sectors[lane]
        line = sector.address // LINE_BYTES * LINE_BYTES
        asks += " · " + words("sector at {a}, line at {b}", a=words.num(sector.address), b=words.num(line))
        if others := len(sector.lanes) - 1:
            asks += " · " + words.plural("shares it with {n} other lane", "shares it with {n} other lanes", others)
        yield asks


def _bytes(address: int, width: int, words: Words) -> str:
    first, last = words.num(address), words.num(address + width - 1)
    return words("byte {n}", n=first) if width == 1 else words("bytes {a}–{b}", a=first, b=last)


def sector_says(access: GlobalAccess, words: Words) -> Iterator[str]:
    """Yield all four sectors of every touched line, moved or not."""
    before: Line | None = None
    for line in access.lines_touched:
        touched = {sector.address: sector for sector in line.sectors}
        for address in range(line.address, line.address + LINE_BYTES, SECTOR_BYTES):
            where = words("Sector at {a}, line at {b}", a=words.num(address), b=words.num(line.address))
            if sector := touched.get(address):
                said = where + " · " + _moved(sector, words)
            else:
                said = where + " · " + words("not touched, not moved")
            if before and address == line.address and (left_out := _between(before, line)):
                said += " · " + words.plural(
                    "{n} line before it is not drawn: not touched", "{n} lines before it are not drawn: not touched",
                    left_out,
                )  # fmt: skip
            yield said
        before = line


def _moved(sector: Sector, words: Words) -> str:
    asked = _lanes(sector, words)
    return words("asked for by {lanes} · {n} of 32 bytes used", lanes=asked, n=sector.bytes_used)


def _lanes(sector: Sector, words: Words) -> str:
    lanes = sector.lanes
    return words("lane {n}", n=lanes[0]) if len(lanes) == 1 else words("lanes {list}", list=ranges(lanes, words(", ")))


def _between(before: Line, line: Line) -> int:
    """Return how many lines lie between two of those drawn."""
    return (line.address - before.address) // LINE_BYTES - 1


def table(access: GlobalAccess, secret: str, words: Words) -> Table:
    """Return one row a sector moved, or one that says why there is none."""
    head = (words("Sector at byte"), words("Line at byte"), words("Lanes"), words("Bytes used"), words("Bytes moved"))
    if secret:
        return Table(head, (("?", "?", secret, "?", "?"),))
    rows = tuple(
        (
            words.num(sector.address), words.num(line.address), ranges(sector.lanes, words(", ")),
            words.num(sector.bytes_used), words.num(SECTOR_BYTES),
        )
        for line in access.lines_touched
        for sector in line.sectors
    )  # fmt: skip
    return Table(head, rows or ((words("none"), words("none"), words("none"), words.num(0), words.num(0)),))
