"""One warp's divergence in words: what each lane needs, what is issued when, what the whole comes to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sim.divergence import INACTIVE, WARP_LANES, Divergence, Phase
from widgets.parts import Table
from widgets.words import Words

NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef"
"""Of the paths; as many as a warp has lanes."""
SAID = 6  # phases that the summary tells one by one


@dataclass(frozen=True, slots=True)
class Warp:
    """Path of each lane, or its trip count where `lengths` is empty, and the trace that follows."""

    lanes: tuple[int, ...]
    lengths: tuple[int, ...]
    trace: Divergence

    @property
    def taken(self) -> tuple[int, ...]:
        """The paths, or the trip counts, that occur."""
        return tuple(sorted(set(self.lanes) - {INACTIVE}))

    def on(self, need: int) -> int:
        """The lanes with a path or trip count, as a mask."""
        return sum(1 << lane for lane, other in enumerate(self.lanes) if other == need)

    @property
    def present(self) -> int:
        """The lanes that are not switched off, as a mask."""
        return (1 << WARP_LANES) - 1 - self.on(INACTIVE)


def needs(warp: Warp, words: Words) -> tuple[str, ...]:
    """Return what stands under each lane: its path's letter or its trip count."""
    return tuple("–" if need == INACTIVE else NAMES[need] if warp.lengths else words.num(need) for need in warp.lanes)


def lane_says(warp: Warp, lane: int, veiled: bool, words: Words) -> str:
    """Say what a lane needs and, unless that is still to be guessed, how long it waits."""
    need = warp.lanes[lane]
    if need == INACTIVE:
        return words("Lane {lane} · switched off", lane=lane)
    if warp.lengths:
        does = words("path {name}", name=NAMES[need])
    else:
        does = words.plural("{n} iteration", "{n} iterations", need)
    if veiled:
        return words("Lane {lane} · {does}", lane=lane, does=does)
    on = sum(phase.length for phase in warp.trace.phases if phase.mask >> lane & 1)
    return words.plural(
        "Lane {lane} · {does} · active in {n} slot, masked in {off}",
        "Lane {lane} · {does} · active in {n} slots, masked in {off}",
        on, lane=lane, does=does, off=words.num(warp.trace.issue_slots - on),
    )  # fmt: skip


def cell_says(warp: Warp, slot: int, words: Words) -> Iterator[str]:
    """Say of each lane what it does in a slot."""
    mask = warp.trace.phase_at(slot).mask
    for lane, need in enumerate(warp.lanes):
        if need == INACTIVE:
            yield words("Lane {lane} · switched off", lane=lane)
        elif mask >> lane & 1:
            yield words("Issue slot {n} · lane {lane} · active", n=slot, lane=lane)
        else:
            yield words("Issue slot {n} · lane {lane} · masked", n=slot, lane=lane)


def issued(warp: Warp, phase: Phase, words: Words) -> str:
    """Return what a phase issues."""
    if phase.path is None:
        return words("All lanes together")
    return words("Path {name}", name=NAMES[phase.path]) if warp.lengths else words("Loop body")


def slots(phase: Phase, words: Words) -> str:
    """Return when a phase is issued."""
    first, last = phase.first_slot, phase.first_slot + phase.length - 1
    if first == last:
        return words("issue slot {n}", n=first)
    return words("issue slots {first} to {last}", first=first, last=last)


def phase_says(warp: Warp, phase: Phase, words: Words) -> str:
    """Say what a phase issues, when, and for how many lanes."""
    n = len(phase.lanes)
    return words(
        "{what} · {slots} · {n} active, {rest} masked",
        what=issued(warp, phase, words), slots=slots(phase, words), n=words.plural("{n} lane", "{n} lanes", n),
        rest=words.num(warp.present.bit_count() - n),
    )  # fmt: skip


def label(warp: Warp, phase: Phase, words: Words) -> tuple[str, str]:
    """Return a phase's name and lanes as they stand beside it, on a wide page and on a phone."""
    n = len(phase.lanes)
    lanes = words.plural("{n} lane", "{n} lanes", n)
    if phase.path is not None and not warp.lengths:
        return lanes, str(n)
    name = words("all") if phase.path is None else NAMES[phase.path]
    return words("{name} · {lanes}", name=name, lanes=lanes), f"{name} {n}"


def percent(warp: Warp, words: Words) -> str:
    """Print the efficiency: eighths of a percent exactly, as nested halves need them, else one digit."""
    share = warp.trace.efficiency
    return words.percent(share, 3 if (800 * share).is_integer() else 1)


def total(warp: Warp, common: int, words: Words) -> str:
    """Tell the slots as the sum that the rule makes them."""
    if not warp.lengths:
        return words("a loop, as long as its longest lane")
    terms = [common] * (common > 0) + [warp.lengths[path] for path in warp.taken]
    if len(terms) > 5:
        told = [f"{n} × {length}" if n > 1 else f"{length}" for length, n in Counter(terms).items()]
    else:
        told = [words.num(length) for length in terms]
    return words("{sum} slots", sum=" + ".join(told))


def told(warp: Warp, veiled: bool, words: Words) -> Iterator[str]:
    """Yield the sentences of the summary."""
    if veiled:
        for path in warp.taken:
            lanes = words.plural("{n} lane", "{n} lanes", warp.on(path).bit_count())
            length = words.num(warp.lengths[path])
            yield words("Path {name}: {lanes}, {n} instructions.", name=NAMES[path], lanes=lanes, n=length)
        yield words("How many slots that takes is yours to guess first.")
        return
    phases = warp.trace.phases
    if len(phases) <= SAID:
        for phase in phases:
            yield words("{what}.", what=phase_says(warp, phase, words))
    else:
        counts = [len(phase.lanes) for phase in phases]
        fields = {"n": words.num(len(phases)), "most": words.plural("{n} lane", "{n} lanes", max(counts))}
        if min(counts) == max(counts):
            yield words("{n} active masks follow one another, each with {most}.", **fields)
        else:
            least = words.num(min(counts))
            yield words("{n} active masks follow one another, with {least} to {most}.", least=least, **fields)
    yield words.plural(
        "The warp takes {n} issue slot; of its {all} lane slots {used} do work, {percent} %.",
        "The warp takes {n} issue slots; of their {all} lane slots {used} do work, {percent} %.",
        warp.trace.issue_slots, all=words.num(WARP_LANES * warp.trace.issue_slots),
        used=words.num(warp.trace.lane_slots), percent=percent(warp, words),
    )  # fmt: skip


def table(warp: Warp, veiled: bool, words: Words) -> Table:
    """Return one row for each active mask; while `veiled`, one for each path."""
    head = (words("Issued"), words("Issue slots"), words("Lanes active"), words("Active mask"))
    if veiled:
        some = [(words("Path {name}", name=NAMES[path]), "?", warp.on(path)) for path in warp.taken]
    else:
        some = [(issued(warp, phase, words), slots(phase, words), phase.mask) for phase in warp.trace.phases]
    rows = tuple((what, slot, words.num(mask.bit_count()), f"0x{mask:08x}") for what, slot, mask in some)
    return Table(head, rows)
