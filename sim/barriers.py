"""The tiled loop with its two barriers as switches: which accesses race without them, and what comes out.

In each step every warp of a block stores its own part of a tile to shared memory. After a barrier (the tile
is all there) it loads the parts of all warps and adds them up; after a second one (nobody still loads) the
next step stores over them. With several buffers, step s uses buffer s mod buffers. A store and a load of one
part race if nothing orders them, whatever the values that come out.

Source: CUDA C++ Programming Guide, "Synchronization Functions" (__syncthreads waits for every thread of the
block and makes what it accessed before visible to all after) and, for the loop, "Shared Memory"; C++
standard, [intro.races].
Left out: caches and store buffers (here a store lands at its end, a load looks at one part after the other,
evenly over its time, and of two at one instant the store is first); a barrier that only some warps reach.
"""

from collections.abc import Iterator
from random import Random
from typing import cast

from sim import slots
from sim.barrier_trace import Access, Barrier, Race, Switch, TiledLoop
from sim.events import Schedule, Task, run
from sim.inputs import number, whole

MAX_WARPS = 8
MAX_STEPS = 8
MAX_BUFFERS = 4
MIN_US, MAX_US = 1e-3, 1e6  # so that the end of an access can always be told from its start
MAX_JITTER = 0.9

_Key = tuple[str, int, int]  # "store" or "load", step, warp


def simulate(
    warps: int,
    steps: int,
    *,
    after_store: bool = True,
    after_load: bool = True,
    buffers: int = 1,
    store_us: float = 1.0,
    load_us: float = 1.0,
    jitter: float = 0.0,
    seed: int = 0,
) -> TiledLoop:
    """Run 1 to 8 steps of 1 to 8 warps with 1 to 4 buffers; part p of step s has the value s·warps + p + 1.

    Times are µs an access, from 0.001 to 1e6. ``jitter`` in [0, 0.9] multiplies each of them by a factor
    of its own, uniform in 1 ± jitter, which follows from ``seed``. Raises ValueError for anything else.

    >>> trace = simulate(2, 2, after_store=False)
    >>> for race in trace.races:
    ...     print(race.writer, race.write_step, race.reader, race.read_step, race.lacks)
    0 0 1 0 after store
    1 0 0 0 after store
    0 1 1 1 after store
    1 1 0 1 after store
    >>> trace.right, simulate(2, 2, after_store=False, jitter=0.5).right
    (True, False)
    """
    whole("warps", warps, 1, MAX_WARPS)
    whole("steps", steps, 1, MAX_STEPS)
    whole("buffers", buffers, 1, MAX_BUFFERS)
    for name, us in (("store_us", store_us), ("load_us", load_us)):
        number(name, us, MIN_US, MAX_US, "µs")
    number("jitter", jitter, 0, MAX_JITTER, "")
    for name, on in (("after_store", after_store), ("after_load", after_load)):
        if not isinstance(on, bool):
            raise ValueError(f"{name} is {on!r}; it must be True or False")
    factor = Random(seed)
    tasks: list[Task] = []
    for step in range(steps):
        for kind, us, before, behind in (
            ("store", store_us, ("after load", step - 1) if after_load and step else None, after_store),
            ("load", load_us, ("after store", step) if after_store else None, after_load),
        ):
            mine = [(kind, step, warp) for warp in range(warps)]
            for key in mine:
                drawn_us = us * factor.uniform(1 - jitter, 1 + jitter)
                tasks.append(Task(key, f"warp {key[2]}", drawn_us, (before,) if before else ()))
            if behind:
                tasks.append(Task((f"after {kind}", step), "barrier", 0.0, tuple(mine)))
    plan = run(tasks)
    found = _values(plan, warps, buffers)
    accesses = tuple(_accesses(plan, found, buffers))
    right_sum = sum(range(1, steps * warps + 1))
    return TiledLoop(
        accesses=accesses,
        barriers=tuple(_barriers(plan, warps)),
        races=tuple(_races(plan, warps, buffers)),
        sums=tuple(sum(sum(a.values) for a in accesses if a.warp == w and not a.stores) for w in range(warps)),
        right_sum=right_sum,
        total_us=plan.total_us,
    )


def _keys(plan: Schedule) -> list[_Key]:
    """The accesses, by start; at one instant in the loop's order."""
    spans = sorted(plan.spans.values(), key=lambda span: (span.start_us, span.index))
    return [cast(_Key, span.task.key) for span in spans if span.task.row != "barrier"]


def _values(plan: Schedule, warps: int, buffers: int) -> dict[_Key, tuple[int, ...]]:
    """What each access stores or finds."""
    shared = [[0] * warps for _ in range(buffers)]
    instants: list[tuple[float, bool, _Key, int]] = []
    for key in _keys(plan):
        span = plan.spans[key]
        if key[0] == "store":
            instants.append((span.end_us, False, key, key[2]))
        else:
            each_us = (span.end_us - span.start_us) / warps
            instants += [(span.start_us + part * each_us, True, key, part) for part in range(warps)]
    found: dict[_Key, tuple[int, ...]] = {}
    for _, loads, key, part in sorted(instants):
        _, step, warp = key
        if not loads:
            shared[step % buffers][part] = step * warps + warp + 1
        found[key] = (*found.get(key, ()), shared[step % buffers][part])
    return found


def _accesses(plan: Schedule, found: dict[_Key, tuple[int, ...]], buffers: int) -> Iterator[Access]:
    for key in _keys(plan):
        kind, step, warp = key
        span = plan.spans[key]
        times = (span.ready_us, span.start_us, span.end_us)
        yield Access(warp, kind == "store", step, step % buffers, *times, found[key])


def _barriers(plan: Schedule, warps: int) -> Iterator[Barrier]:
    for key, span in plan.spans.items():
        if span.task.row == "barrier":
            switch, step = cast(tuple[Switch, int], key)
            arrive_us = tuple(plan.spans[cause].end_us for cause in span.task.after)
            yield Barrier(switch, step, arrive_us, span.end_us)


def _races(plan: Schedule, warps: int, buffers: int) -> Iterator[Race]:
    """Let `sim.slots` look at every part of every buffer: slot = buffer · warps + part."""
    keys = _keys(plan)
    uses = []
    for n, key in enumerate(keys):
        kind, step, warp = key
        for part in range(warps) if kind == "load" else (warp,):
            slot = step % buffers * warps + part
            span = plan.spans[key]
            uses.append(slots.Access(slot, kind == "store", n, key, span.start_us, span.end_us))
    found = []
    for race in slots.races(uses, plan):
        (_, write_step, writer), (_, read_step, reader) = sorted(
            (keys[race.first], keys[race.second]), key=lambda key: key[0] == "load"
        )
        found.append(Race(race.slot // warps, writer, write_step, reader, read_step, race.overlap_us))
    yield from sorted(found, key=lambda race: (race.write_step, race.read_step, race.writer, race.reader))
