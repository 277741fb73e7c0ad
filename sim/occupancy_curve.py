"""What one more thread, register or byte costs a kernel, and its occupancy over all values of one input.

Occupancy is a staircase in each input: threads matter by the warp, registers by eight, shared memory by the
number of blocks it still allows. So a curve is a list of steps, each exact from its first value to its last.

Source: sim/occupancy.py.
Left out: what it leaves out.
"""

from dataclasses import dataclass, replace
from typing import Literal, get_args

from sim.gpus import Multiprocessor, multiprocessor
from sim.occupancy import MAX_REGISTERS, MAX_THREADS, WARP_LANES, Occupancy, occupancy

Axis = Literal["threads", "registers", "shared_memory"]


@dataclass(frozen=True, slots=True)
class OneMore:
    """The same kernel with one more thread, register or byte of shared memory; None where there is no such kernel."""

    thread: Occupancy | None
    register: Occupancy | None
    byte: Occupancy


@dataclass(frozen=True, slots=True)
class Step:
    """Values ``first`` to ``last`` of one input, all of which give this number of blocks, warps and limiters."""

    first: int
    last: int
    at_first: Occupancy


def one_more(kernel: Occupancy) -> OneMore:
    """What one more thread, register or byte makes of it.

    >>> kernel = occupancy("12.0", 256, 40, 0)
    >>> more = one_more(kernel)
    >>> kernel.blocks_per_sm, more.thread.blocks_per_sm, more.register.blocks_per_sm, more.byte.blocks_per_sm
    (6, 5, 5, 6)
    """
    cc, threads = kernel.compute_capability, kernel.threads_per_block
    registers, shared = kernel.registers_per_thread, kernel.shared_bytes_per_block
    return OneMore(
        occupancy(cc, threads + 1, registers, shared) if threads < MAX_THREADS else None,
        occupancy(cc, threads, registers + 1, shared) if registers < MAX_REGISTERS else None,
        occupancy(cc, threads, registers, shared + 1),
    )


def curve(axis: Axis, kernel: Occupancy) -> tuple[Step, ...]:
    """Every value of one input, the others as in ``kernel``: threads 1 to 1024, registers 0 to 255, shared
    memory 0 to all bytes of an SM.

    >>> [(step.first, step.last, step.at_first.blocks_per_sm)
    ...  for step in curve("registers", occupancy("9.0", 256, 64, 0))][:4]
    [(0, 24, 8), (25, 32, 8), (33, 40, 6), (41, 48, 5)]
    """
    sm = multiprocessor(kernel.compute_capability)
    if axis == "threads":
        starts, last = list(range(1, MAX_THREADS + 1, WARP_LANES)), MAX_THREADS
    elif axis == "registers":
        starts, last = [0, *range(1, MAX_REGISTERS + 1, sm.register_unit // WARP_LANES)], MAX_REGISTERS
    elif axis == "shared_memory":
        starts, last = sorted({0, sm.block_shared_bytes + 1, *_shared_edges(sm)}), sm.shared_bytes
    else:
        raise ValueError(f"axis is {axis!r}; it must be one of {', '.join(get_args(Axis))}")
    field = {"threads": 0, "registers": 1, "shared_memory": 2}[axis]
    inputs = [kernel.threads_per_block, kernel.registers_per_thread, kernel.shared_bytes_per_block]
    steps: list[Step] = []
    for start in starts:
        if start <= last:
            inputs[field] = start
            here = occupancy(kernel.compute_capability, *inputs)
            if steps and _same(steps[-1].at_first, here):
                continue
            if steps:
                steps[-1] = replace(steps[-1], last=start - 1)
            steps.append(Step(start, last, here))
    return tuple(steps)


def _shared_edges(sm: Multiprocessor) -> list[int]:
    """The least bytes with which 1, 2, … blocks no longer fit, up to one more than there are slots."""
    fits = (sm.shared_bytes // blocks // sm.shared_unit_bytes for blocks in range(1, sm.blocks + 2))
    return [units * sm.shared_unit_bytes - sm.reserved_shared_bytes + 1 for units in fits]


def _same(a: Occupancy, b: Occupancy) -> bool:
    return (a.blocks_per_sm, a.warps_per_sm, a.limiters) == (b.blocks_per_sm, b.warps_per_sm, b.limiters)
