"""A full queue stops whoever fills it, and then whoever feeds that one.

A block has a queue of slots and a reorder space in shared memory; what its SM leaves to each block decides
how many slots there are. Upstream makes items and hands each to the mover when that one is free. The mover
waits for a free slot and moves the item in; the consumer takes items in order and frees a slot when it has
done with it. With one slot, moving and consuming take turns; upstream, one item ahead, waits with them.

Source: 102,400 B of shared memory an SM, 101,376 B a block, 1,024 B reserved a block, in units of 128 B:
compute capability 8.6, 8.9, 12.0 (CUDA Programming Guide, "Compute Capabilities"; cuda_occupancy.h).
Left out: blocks that slow each other; other limits on blocks an SM; the reordering (only its space counts).
"""

from dataclasses import dataclass
from math import fsum
from random import Random
from typing import Literal

from sim import inputs
from sim.events import Task, run
from sim.inputs import whole
from sim.slots import Access, SlotInterval, intervals

MAX_ITEMS = 250
MAX_SLOTS = 64
MAX_BLOCKS = 32  # no SM holds more
MAX_BYTES = 1 << 20
MAX_US = 1e9
UNIT_BYTES = 128  # in which an SM's shared memory is given out, from compute capability 8.0 on

Stage = Literal["upstream", "mover", "consumer"]


@dataclass(frozen=True, slots=True)
class Budget:
    """What one block gets: ``block_bytes`` for its reorder space and as many ``slots`` as fit beside it."""

    block_bytes: int
    slots: int
    used_bytes: int


@dataclass(frozen=True, slots=True)
class Step:
    """One stage with one item: free from ``ready_us`` on, it waited until ``start_us``.

    ``stalled_us``: how long the next stage kept it waiting. Upstream: after ``end_us``, until the mover
    took the item. The mover: from ``ready_us``, when it had the item, for a free slot. The consumer: 0.
    """

    stage: Stage
    item: int
    ready_us: float
    start_us: float
    end_us: float
    stalled_us: float


@dataclass(frozen=True, slots=True)
class Backpressure:
    """The whole trace: ``steps`` by stage and item, ``slots`` by slot and time."""

    steps: tuple[Step, ...]
    slots: tuple[SlotInterval, ...]
    total_us: float

    def stalls(self, stage: Stage) -> int:
        """How many times ``stage`` was stalled by the one after it."""
        return sum(step.stage == stage and step.stalled_us > 0 for step in self.steps)

    def stalled_us(self, stage: Stage) -> float:
        """How long ``stage`` was stalled by the one after it, in µs."""
        return fsum(step.stalled_us for step in self.steps if step.stage == stage)


def budget(
    blocks_per_sm: int,
    *,
    wanted_slots: int = 3,
    slot_bytes: int = 16 * 1024,
    reorder_bytes: int = 32 * 1024,
    sm_bytes: int = 102_400,
    reserved_bytes: int = 1_024,
) -> Budget:
    """Slots that each of 1 to 32 blocks an SM can have, at most the 1 to 64 wanted; 0: it cannot run.

    Sizes are from 1 byte (reorder space and reserve: 0) to 1 MiB. Raises ValueError for anything else.

    >>> for blocks in (1, 2, 3):
    ...     print(budget(blocks))
    Budget(block_bytes=101376, slots=3, used_bytes=81920)
    Budget(block_bytes=50176, slots=1, used_bytes=49152)
    Budget(block_bytes=33024, slots=0, used_bytes=32768)
    """
    whole("blocks_per_sm", blocks_per_sm, 1, MAX_BLOCKS)
    whole("wanted_slots", wanted_slots, 1, MAX_SLOTS)
    for name, size, least in (
        ("slot_bytes", slot_bytes, 1),
        ("reorder_bytes", reorder_bytes, 0),
        ("sm_bytes", sm_bytes, 1),
        ("reserved_bytes", reserved_bytes, 0),
    ):
        whole(name, size, least, MAX_BYTES)
    share = sm_bytes // blocks_per_sm // UNIT_BYTES * UNIT_BYTES - reserved_bytes
    block_bytes = max(0, share)  # of a block that is alone, the most that any can have
    slots = max(0, min(wanted_slots, (block_bytes - reorder_bytes) // slot_bytes))
    return Budget(block_bytes, slots, slots * slot_bytes + reorder_bytes)


def simulate(
    items: int,
    slots: int,
    *,
    upstream_us: float,
    move_us: float,
    consume_us: float,
    jitter: float = 0.0,
    seed: int = 0,
) -> Backpressure:
    """Send 1 to 250 items through 1 to 64 slots; times are µs an item, from 0 to 1e9.

    ``jitter`` in [0, 1) multiplies each time of each item by a factor of its own, uniform in 1 ± jitter,
    which follows from ``seed``, stage and item alone. Raises ValueError for anything else.

    >>> for slots in (3, 1):
    ...     trace = simulate(8, slots, upstream_us=1.0, move_us=1.0, consume_us=1.0)
    ...     print(trace.total_us, trace.stalls("mover"), trace.stalls("upstream"))
    10.0 0 0
    17.0 7 6
    """
    whole("items", items, 1, MAX_ITEMS)
    whole("slots", slots, 1, MAX_SLOTS)
    for name, us in (("upstream_us", upstream_us), ("move_us", move_us), ("consume_us", consume_us)):
        inputs.number(name, us, 0, MAX_US, "µs")
    inputs.jitter(jitter)
    factor = Random(seed)
    tasks: list[Task] = []
    for i in range(items):
        made, moved, used = (us * factor.uniform(1 - jitter, 1 + jitter) for us in (upstream_us, move_us, consume_us))
        freed = (("consumer", i - slots),) if i >= slots else ()
        tasks += (
            Task(("upstream", i), "upstream", made, (("take", i - 1),) if i else ()),
            Task(("take", i), "mover", 0.0, (("upstream", i),)),
            Task(("mover", i), "mover", moved, freed),
            Task(("consumer", i), "consumer", used, (("mover", i),)),
        )
    plan = run(tasks)
    steps = []
    uses = []
    for stage in ("upstream", "mover", "consumer"):
        for i in range(items):
            span = plan.spans[stage, i]
            if stage == "upstream":  # how long the finished item waits to be taken
                stalled_us = plan.spans["take", i].start_us - span.end_us
            else:
                stalled_us = span.start_us - span.ready_us if stage == "mover" else 0.0
            steps.append(Step(stage, i, span.ready_us, span.start_us, span.end_us, stalled_us))
            if stage != "upstream":
                uses.append(Access(i % slots, stage == "mover", i, (stage, i), span.start_us, span.end_us))
    return Backpressure(tuple(steps), intervals(uses), plan.total_us)
