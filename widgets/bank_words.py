"""A warp's request to shared memory in words: what each lane asks for, what each bank hands over, and the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sim.bank_conflicts import WORD_BYTES, Service, SharedAccess
from sim.tile_addresses import Tile
from widgets.parts import Table
from widgets.words import N_, Words

SWIZZLES = (
    ("none", N_("None")),
    ("xor", N_("Column XOR row")),
    ("tma32", N_("TMA, 32 bytes")),
    ("tma64", N_("TMA, 64 bytes")),
    ("tma128", N_("TMA, 128 bytes")),
)


def asked_for(tile: Tile, by: str, index: int, words: Words) -> str:
    """Say which row or column of which tile the lanes take; `by` is "row" or "column"."""
    message = (
        N_("The lanes take row {index} of a tile of {rows} × {columns}; its rows start {bytes} bytes apart.")
        if by == "row"
        else N_("The lanes take column {index} of a tile of {rows} × {columns}; its rows start {bytes} bytes apart.")
    )
    size = {"rows": tile.rows, "columns": tile.columns, "bytes": words.num(tile.pitch_words * WORD_BYTES)}
    said = words(message, index=index, **size)
    if tile.swizzle == "none":
        return said
    name = words(dict(SWIZZLES)[tile.swizzle])
    return said + words.space + words("Swizzle: {name}.", name=name)


def table(access: SharedAccess, secret: str, words: Words) -> Table:
    """Return one row a wavefront, or one that says why there is none."""
    head = (words("Wavefront"), words("Counts as"), words("Banks that work"), words("Lanes served"))
    if secret:
        return Table(head, (("?", "?", "?", secret),))
    kinds = {False: words("needed by the width"), True: words("extra")}
    return Table(
        head,
        tuple(
            (words.num(step.number), kinds[step.extra], words.num(len(step.cells)), ranges(step.lanes))
            for step in access.steps
        ),
    )


def lane_says(access: SharedAccess, words: Words, secret: bool) -> Iterator[str]:
    """Yield what each of the 32 lanes asks for and when it gets it; a secret leaves out bank and turn."""
    first = {step.part: step.number for step in reversed(access.steps)}
    by_lane = {service.lane: service for service in access.served}
    for lane in range(len(access.addresses)):
        service = by_lane.get(lane)
        if service is None:
            yield words("Lane {lane} is switched off.", lane=lane)
        elif secret:
            yield words("Lane {lane} asks for {words}.", lane=lane, words=_words(service, words))
        else:
            yield _lane(service, first[service.part], words)


def _lane(service: Service, first: int, words: Words) -> str:
    asks = words(
        "Lane {lane} asks for {words} · {banks} · wavefront {n}",
        lane=service.lane,
        words=_words(service, words),
        banks=_banks(service.banks, words),
        n=service.wavefront,
    )
    queued, others = service.wavefront - first, len(service.broadcast) - 1
    if queued:
        asks += " · " + words.plural("after {n} turn in the queue", "after {n} turns in the queue", queued)
    if others:
        asks += " · " + words.plural("together with {n} other lane", "together with {n} other lanes", others)
    return asks


def _words(service: Service, words: Words) -> str:
    first, last = words.num(service.words[0]), words.num(service.words[-1])
    return words("word {n}", n=first) if first == last else words("words {a}–{b}", a=first, b=last)


def _banks(banks: Sequence[int], words: Words) -> str:
    one = len(banks) == 1
    return words("bank {n}", n=banks[0]) if one else words("banks {a}–{b}", a=banks[0], b=banks[-1])


def cell_says(access: SharedAccess, at: int, words: Words) -> Iterator[str]:
    """Yield what each working bank hands over in wavefronts 1 … `at`, in the order of their cells."""
    takers = {(service.wavefront, word): service.broadcast for service in access.served for word in service.words}
    for step in access.steps[:at]:
        for bank, word in step.cells:
            lanes = takers[step.number, word]
            to = words("lane {n}", n=lanes[0]) if len(lanes) == 1 else words("lanes {list}", list=ranges(lanes))
            yield words(
                "Wavefront {n} · bank {bank} hands word {word} to {lanes}",
                n=step.number, bank=bank, word=words.num(word), lanes=to,
            )  # fmt: skip


def ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers with runs of three and more as ranges.

    >>> ranges([0, 1, 2, 3, 8, 10, 11])
    '0–3, 8, 10, 11'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)
