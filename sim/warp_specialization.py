"""Warps that only fill slots, warps that only read them, and the barriers in between.

Item i, one K step, goes through slot i mod slots. Its producer waits for the slot's *empty* barrier, fills
the slot and arrives at *full*; every consumer waits for full, reads the slot and arrives at empty, whose
phase is complete when the last of them is in. A slot's first fill waits for nobody. Producers take items in
turn; every consumer reads every item, for its own part of the tile. After a tile's last item the consumers
run the epilogue themselves, or hand the accumulator to epilogue warps through a second pair of barriers.

Source: PTX ISA, "mbarrier"; NVIDIA CUTLASS, "Efficient GEMM in CUDA", "Warp Specialization", and its
Blackwell kernels for the accumulator's own barriers. Barriers cost nothing: put their cost into the times.
Left out: fills that share a bandwidth; the parity bit of a phase (`sim.warp_program`).
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import cast, get_args

from sim import inputs
from sim.events import Schedule, Task, cycles, run
from sim.inputs import whole
from sim.slots import Access, intervals, races
from sim.warp_program import Barrier, Fault, Hand, Shape, Turn
from sim.warp_trace import Arrival, Hold, Pass, Phase, Step, WarpTrace

MAX_TURNS = 400  # fills, reads and epilogues of all warps: a trace to read, well within 50 ms
MAX_FAULTY_TURNS = 160  # races grow with the square: 3,000 of them here
MAX_US = 1e9
MOST = {
    "tiles": 64, "k_steps": 128, "slots": 16, "producers": 8, "consumers": 8, "epilogue_warps": 8, "accumulators": 4,
}  # fmt: skip


def simulate(
    tiles: int,
    k_steps: int,
    slots: int,
    *,
    fill_us: float,
    consume_us: float,
    epilogue_us: float = 0.0,
    producers: int = 1,
    consumers: int = 2,
    epilogue_warps: int = 0,
    accumulators: int = 1,
    jitter: float = 0.0,
    seed: int = 0,
    fault: Fault | None = None,
) -> WarpTrace:
    """Run ``tiles`` (1 to 64) of ``k_steps`` (1 to 128) items each through 1 to 16 slots.

    1 to 8 producers and consumers, 0 to 8 epilogue warps, 1 to 4 accumulators; 400 turns of warps in all,
    160 with a fault. Times, of one warp with one item (``epilogue_us``: one tile), are from 0 to 1e9 µs.
    ``jitter`` in [0, 1) multiplies each of them by a factor of its own, uniform in 1 ± jitter, from
    ``seed``. ``fault`` leaves out the waits for one barrier; or, of the warps that arrive at it, the
    arrivals of the last one; or ("start phase") lets a slot's first fill wait like all others. Raises
    ValueError for anything else.

    >>> trace = simulate(1, 8, 2, fill_us=1.0, consume_us=3.0)
    >>> trace.total_us, trace.bound_by, trace.waited_us("producer 0", "empty"), trace.stuck
    (25.0, ('consumer',), 12.0, ())
    >>> trace = simulate(1, 8, 2, fill_us=1.0, consume_us=3.0, fault="arrive empty")
    >>> warp, phase = trace.stuck[0]
    >>> warp, phase.barrier, phase.slot, phase.number, phase.silent
    ('producer 0', 'empty', 0, 0, 'consumer 1')
    """
    shape = Shape(tiles, k_steps, slots, producers, consumers, epilogue_warps, accumulators)
    _check(shape, {"fill_us": fill_us, "consume_us": consume_us, "epilogue_us": epilogue_us}, jitter, fault)
    hands = list(shape.hands(fault))
    causes: dict[Turn, list[Hashable]] = {}
    for hand in hands:
        for turn in hand.wait:
            arrivals = (("never", a) if a.warp == hand.silent else a for a in hand.arrive)
            causes.setdefault(turn, []).extend(arrivals)
    factor = Random(seed)
    cost_us = {"fill": fill_us, "consume": consume_us, "epilogue": epilogue_us}
    tasks = []
    for turn in shape.turns():
        us = cost_us[turn.kind] * factor.uniform(1 - jitter, 1 + jitter)
        tasks.append(Task(turn, turn.warp, us, tuple(causes.get(turn, ()))))
    return _trace(shape, hands, run(tasks))


def _trace(shape: Shape, hands: Sequence[Hand], plan: Schedule) -> WarpTrace:
    held_at: dict[tuple[Hashable, Hashable], Barrier] = {}
    for hand in hands:
        held_at.update({(turn, cause): hand.barrier for turn in hand.wait for cause in hand.arrive})
    steps = []
    uses: list[Access] = []
    parts: list[Access] = []  # of accumulators: every consumer has its own part of each
    for n, span in enumerate(sorted(plan.spans.values(), key=lambda span: (span.start_us, span.index))):
        turn, times = cast(Turn, span.task.key), (span.start_us, span.end_us)
        barrier = None if span.waited_for is None else held_at[turn, span.waited_for]
        steps.append(Step(turn.warp, turn.kind, turn.item, span.ready_us, *times, barrier))
        if turn.kind != "epilogue":
            uses.append(Access(turn.item % shape.slots, turn.kind == "fill", n, turn, *times))
        if turn.kind != "fill" and shape.epilogue_warps:
            tile, mine = turn.item, range(shape.consumers)
            if turn.kind == "consume":
                tile, mine = turn.item // shape.k_steps, range(c := int(turn.warp.split()[1]), c + 1)
            first = tile % shape.accumulators * shape.consumers
            parts += [Access(first + part, turn.kind == "consume", n, turn, *times) for part in mine]
    phases = tuple(_phases(hands, plan))
    return WarpTrace(
        steps=tuple(steps),
        phases=phases,
        holds=tuple(_holds(shape.slots, phases, plan.total_us)),
        slots=intervals(uses),
        races=tuple(races(uses, plan)),
        accumulator_races=tuple(replace(r, slot=r.slot // shape.consumers) for r in races(parts, plan)),
        cycles=tuple(tuple(cast(Turn, turn).warp for turn in circle) for circle in cycles(plan.blocked())),
        total_us=plan.total_us,
    )


def _phases(hands: Sequence[Hand], plan: Schedule) -> Iterator[Phase]:
    free_us: dict[str, float] = {}
    for span in plan.spans.values():
        free_us[span.task.row] = span.end_us
    came_us = {key: span.ready_us for key, span in plan.spans.items()}
    came_us |= {each.task.key: free_us.get(each.task.row, 0.0) for each in plan.blocked()}
    for hand in hands:
        done = [plan.spans[turn].end_us if turn in plan.spans else None for turn in hand.arrive]
        arrivals = [
            Arrival(turn.warp, None if turn.warp == hand.silent else at_us)
            for turn, at_us in zip(hand.arrive, done, strict=True)
        ]
        times = [arrival.at_us for arrival in arrivals if arrival.at_us is not None]
        complete_us = max(times) if len(times) == len(arrivals) else None
        passes = []
        for turn in hand.wait:
            from_us = came_us.get(turn)
            until_us = None if from_us is None or complete_us is None else max(from_us, complete_us)
            passes.append(Pass(turn.warp, from_us, until_us))
        yield Phase(*hand[:4], tuple(arrivals), tuple(passes), complete_us, hand.silent)


def _holds(slots: int, phases: Sequence[Phase], total_us: float) -> Iterator[Hold]:
    given: dict[int, list[Phase]] = {slot: [] for slot in range(slots)}
    for phase in phases:
        if phase.barrier in ("full", "empty"):
            given[phase.slot].append(phase)
    for slot, turns in given.items():
        since = 0.0
        for phase in turns:  # full, empty, full, empty, …
            until = total_us if phase.complete_us is None else phase.complete_us
            if since < until:
                yield Hold(slot, "producers" if phase.barrier == "full" else "consumers", since, until)
            since = max(since, until)
        if since < total_us:
            yield Hold(slot, "producers", since, total_us)


def _check(shape: Shape, costs_us: Mapping[str, float], jitter: float, fault: Fault | None) -> None:
    for name, most in MOST.items():
        whole(name, getattr(shape, name), 0 if name == "epilogue_warps" else 1, most)
    turns = shape.tiles * (shape.k_steps * (1 + shape.consumers) + (shape.epilogue_warps or shape.consumers))
    most = MAX_FAULTY_TURNS if fault else MAX_TURNS
    if turns > most:
        raise ValueError(f"these are {turns} turns of warps; give at most {most}: fewer tiles, K steps or warps")
    for name, us in costs_us.items():
        inputs.number(name, us, 0, MAX_US, "µs")
    inputs.jitter(jitter)
    if fault is not None and fault not in get_args(Fault):
        raise ValueError(f"fault is {fault!r}; it must be None or one of {', '.join(get_args(Fault))}")
    if fault is not None and "accumulator" in fault and not shape.epilogue_warps:
        raise ValueError(f"fault is {fault!r}, but there are no epilogue warps; give epilogue_warps 1 or more")
