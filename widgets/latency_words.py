"""Latency hiding in words: what each cycle and each warp does, what the warps reach, and the rows of the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sim.enough_warps import EnoughWarps, Span
from widgets.parts import Table
from widgets.words import Words


def warps(n: int, words: Words) -> str:
    """Return "1 warp", "8 warps"."""
    return words.plural("{n} warp", "{n} warps", n)


def cycles(n: int, words: Words) -> str:
    """Return "1 cycle", "29 cycles"."""
    return words.plural("{n} cycle", "{n} cycles", n)


def rate(gb_per_s: float, words: Words) -> str:
    """Print a bandwidth in whole GB/s."""
    return words.num(gb_per_s, 0)


def cycle_says(trace: EnoughWarps, words: Words) -> Iterator[str]:
    """Say of each cycle of the timeline what the scheduler does in it."""
    for cycle, warp in enumerate(trace.issuing, 1):
        if warp is None:
            yield words("Cycle {n} · no warp is ready, nothing is issued", n=cycle)
        else:
            yield words("Cycle {n} · warp {warp} issues", n=cycle, warp=warp)


def _when(span: Span, words: Words) -> str:
    if span.end - span.start == 1:
        return words("cycle {n}", n=span.end)
    return words("cycles {first} to {last}", first=span.start + 1, last=span.end)


def span_says(span: Span, words: Words) -> str:
    """Say what a warp does in a span."""
    when = _when(span, words)
    if span.doing == "issue":
        return words("Warp {warp} · {when} · issues", warp=span.warp, when=when)
    if span.doing == "wait":
        return words("Warp {warp} · {when} · waits for its result", warp=span.warp, when=when)
    return words("Warp {warp} · {when} · ready, but another warp issues", warp=span.warp, when=when)


def point_says(trace: EnoughWarps, sm_warps: int, secret: bool, words: Words) -> str:
    """Say what so many warps on an SM reach."""
    busy = words.percent(trace.busy.share(sm_warps))
    if secret:
        return words("{warps} on the SM · schedulers {busy} % busy", warps=warps(sm_warps, words), busy=busy)
    share = trace.bandwidth.share(sm_warps)
    return words(
        "{warps} on the SM · schedulers {busy} % busy · memory at {share} % of its peak, {rate} GB/s",
        warps=warps(sm_warps, words), busy=busy, share=words.percent(share),
        rate=rate(share * trace.peak_gb_per_s, words),
    )  # fmt: skip


def summary(
    trace: EnoughWarps, name: str, loads: int, size: int, secret: bool, read: Sequence[str], words: Words
) -> str:
    """Say what the warps keep busy and how many would be enough; `read` names the readings that are drawn."""
    line, num = trace.timeline, words.num
    said = [
        words(
            "{warps} on one scheduler, {issue} in a row for each, then {latency} until the result: "
            "the scheduler issues in {busy} % of the cycles. {knee} would keep it busy.",
            warps=warps(line.warps, words),
            issue=words.plural("{n} instruction", "{n} instructions", line.issue_cycles),
            latency=cycles(line.latency_cycles, words), busy=words.percent(trace.busy_share),
            knee=warps(trace.scheduler_knee, words),
        ),
        words(
            "The {gpu}: {warps} on each SM, {loads} of {bytes} a thread on their way, memory latency {ns} ns.",
            gpu=name, warps=warps(trace.sm_warps, words), loads=words.plural("{n} load", "{n} loads", loads),
            bytes=words.plural("{n} byte", "{n} bytes", size), ns=num(trace.latency_ns, 1),
        ),
    ]  # fmt: skip
    if secret:
        said.append(words("How many warps such loads need for the peak is yours to guess first."))
    else:
        said.append(
            words(
                "That is {bytes} bytes in flight for each SM of {needed} needed: {rate} GB/s, {share} % of the peak of "
                "{peak}. {knee} on an SM would reach it; the SM has slots for {slots}.",
                bytes=num(trace.memory.bytes_in_flight_per_sm), needed=num(trace.memory.bytes_needed_per_sm, 0),
                rate=rate(trace.memory.bandwidth_gb_per_s, words), share=words.percent(trace.memory.peak_share),
                peak=num(trace.peak_gb_per_s), knee=warps(trace.memory.knee_warps, words), slots=trace.slots,
            )
        )  # fmt: skip
    if read:
        said.append(words("Diamonds beside the memory’s line are readings: {names}.", names=words(", ").join(read)))
    return words.space.join(said)


def table(trace: EnoughWarps, secret: bool, read: Mapping[str, Mapping[int, float]], words: Words) -> Table:
    """Return one row for each number of warps, as many as the SM has slots for.

    `read`: what was read on hardware, by name and warps, in GB/s; each has a column.
    """
    head = (
        words("Warps a scheduler"), words("Warps on the SM"), words("Scheduler busy"), words("Bandwidth"),
        words("Share of the peak"), *(words("Bandwidth, {name}", name=name) for name in read),
    )  # fmt: skip
    rows = []
    for each in range(1, trace.slots // trace.schedulers + 1):
        on = each * trace.schedulers
        share = trace.bandwidth.share(on)
        reached = words("{n} GB/s", n=rate(share * trace.peak_gb_per_s, words))
        rows.append(
            (
                words.num(each), words.num(on), words("{n} %", n=words.percent(trace.busy.share(on))),
                "?" if secret else reached, "?" if secret else words("{n} %", n=words.percent(share)),
                *(words("{n} GB/s", n=rate(some[on], words)) if on in some else "–" for some in read.values()),
            )
        )  # fmt: skip
    return Table(head, tuple(rows))
