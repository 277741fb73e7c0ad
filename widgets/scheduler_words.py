"""A schedule of blocks in words: what each slot holds, how far the queue is, and what the whole comes to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sim.block_moments import Moment
from sim.block_scheduler import Run, Schedule
from widgets.parts import Table
from widgets.words import N_, Words

EQUAL, RANDOM, LONG_LAST, LONG_FIRST = "equal", "random", "long_last", "long_first"
TIMES = (
    (EQUAL, N_("all equal")),
    (RANDOM, N_("drawn at random")),
    (LONG_LAST, N_("long ones last")),
    (LONG_FIRST, N_("long ones first")),
)


@dataclass(frozen=True, slots=True)
class Kernel:
    """A schedule on SMs of `per_sm` slots each, and the moments that can be shown."""

    schedule: Schedule
    sms: int
    per_sm: int
    times: str
    shortest_us: float
    longest_us: float
    moments: tuple[Moment, ...]

    def us(self, us: float, words: Words) -> str:
        """Print a time of this kernel, without zeros behind the point."""
        return words.num(round(us, 2 if self.schedule.total_us < 10 else 1))


def block_times(kernel: Kernel, words: Words) -> str:
    """Tell how long the blocks take."""
    if kernel.times == EQUAL:
        return words("Each block takes {us} µs.", us=kernel.us(kernel.longest_us, words))
    fields = {"a": kernel.us(kernel.shortest_us, words), "b": kernel.us(kernel.longest_us, words)}
    return {
        RANDOM: words("A block takes {a} to {b} µs, drawn at random.", **fields),
        LONG_LAST: words("A block takes {a} to {b} µs, the longest are launched last.", **fields),
        LONG_FIRST: words("A block takes {a} to {b} µs, the longest are launched first.", **fields),
    }[kernel.times]


# ------------------------------------------------------------------------------- in the drawing


def queue_title(kernel: Kernel, moment: Moment | None, words: Words) -> str:
    """Count the blocks that ended, run and wait; only all of them while the run is to be guessed."""
    if moment is None:
        return words("Blocks: {n}", n=words.num(kernel.schedule.blocks))
    counts = {"a": words.num(moment.ended), "b": words.num(moment.running), "c": words.num(moment.waiting)}
    return words("Blocks: {a} ended · {b} running · {c} waiting", **counts)


def sms_title(kernel: Kernel, moment: Moment | None, words: Words) -> str:
    """Say when this is, and how many slots are taken."""
    slots = kernel.schedule.slots
    if moment is None:
        return words.plural("SMs: {n} place for blocks", "SMs: {n} places for blocks", slots)
    fields = {"taken": words.num(moment.running), "t": kernel.us(moment.at_us, words)}
    return words.plural(
        "SMs at {t} µs: {taken} of {n} place taken", "SMs at {t} µs: {taken} of {n} places taken", slots, **fields
    )


def slots_say(kernel: Kernel, held: dict[tuple[int, int], Run], hidden: bool, words: Words) -> Iterator[str]:
    """Say of each slot, SM by SM, which block it holds. Templates are fetched once: there may be 1,536 slots."""
    taken = words("SM {sm} · place {slot} · block {block} · {a} to {b} µs")
    free = (
        words("SM {sm} · place {slot}") if hidden else words("SM {sm} · place {slot} · empty: no block is left for it")
    )
    printed: dict[float, str] = {}
    for sm in range(kernel.sms):
        for slot in range(kernel.per_sm):
            if run := held.get((sm, slot)):
                for us in (run.start_us, run.end_us):
                    if us not in printed:
                        printed[us] = kernel.us(us, words)
                a, b = printed[run.start_us], printed[run.end_us]
                yield taken.format(sm=sm, slot=slot, block=words.num(run.block), a=a, b=b)
            else:
                yield free.format(sm=sm, slot=slot)


def moment_says(kernel: Kernel, moment: Moment, words: Words) -> str:
    """Say what an instant of the busy curve shows."""
    share = words.percent(moment.running / kernel.schedule.slots)
    fields = {"taken": words.num(moment.running), "t": kernel.us(moment.at_us, words), "percent": share}
    return words.plural(
        "At {t} µs · {taken} of {n} place taken, {percent} %",
        "At {t} µs · {taken} of {n} places taken, {percent} %",
        kernel.schedule.slots, **fields,
    )  # fmt: skip


# ----------------------------------------------------------------------------------- the whole


def told(kernel: Kernel, shown: Moment | None, words: Words) -> Iterator[str]:
    """Yield the sentences of the summary."""
    num, schedule = words.num, kernel.schedule
    fields = {"blocks": num(schedule.blocks), "sms": num(kernel.sms), "n": kernel.per_sm, "slots": num(schedule.slots)}
    yield words("Blocks: {blocks}. SMs: {sms}. Places for blocks: {n} on each SM, {slots} in all.", **fields)
    yield block_times(kernel, words)
    if shown is None:
        yield words("How long the kernel takes is yours to guess first.")
        return
    total, waves, last = kernel.us(schedule.total_us, words), num(schedule.waves), num(schedule.last_wave)
    if kernel.times == EQUAL:
        yield words("The kernel takes {us} µs. Waves: {n}; blocks in the last: {last}.", us=total, n=waves, last=last)
    else:
        least = ideal(kernel, words)
        yield words("The kernel takes {us} µs; {ideal} µs if no place were ever empty.", us=total, ideal=least)
    yield words("The places are busy {percent} % of the time.", percent=words.percent(schedule.busy_share))
    at = kernel.us(shown.at_us, words)
    counts = {"a": num(shown.ended), "b": num(shown.running), "c": num(shown.waiting)}
    yield words("Blocks at {t} µs: ended {a}, running {b}, waiting {c}.", t=at, **counts)


def ideal(kernel: Kernel, words: Words) -> str:
    """Print the time with no slot empty, with one digit more, as it is often close to a round number."""
    return words.num(round(kernel.schedule.ideal_us, 2))


def table(kernel: Kernel, hidden: bool, words: Words) -> Table:
    """Return one row a moment."""
    head = (words("At"), words("Blocks ended"), words("running"), words("waiting"), words("Places taken"))
    if hidden:
        return Table(head, (("?", "?", "?", "?", words("your guess first")),))
    num = words.num
    rows = tuple(
        (
            words("{t} µs", t=kernel.us(moment.at_us, words)), num(moment.ended), num(moment.running),
            num(moment.waiting), words("{n} %", n=words.percent(moment.running / kernel.schedule.slots)),
        )
        for moment in kernel.moments
    )  # fmt: skip
    return Table(head, rows)
