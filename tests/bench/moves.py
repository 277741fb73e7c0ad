"""What one move of a control asks of a simulator, where that is more than one call: trace, curve, table.

Runs in the readers' Python too, so it knows nothing but `sim`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

# isort: off
from sim import (
    address_pattern, bank_conflicts, batch_invariance, below_the_roof, block_moments, block_scheduler, coalescing,
    contention, critical_path, divergence, divergence_fit, flash_measured, gather_time, gpus, hang_program, lowering,
    occupancy, occupancy_curve, operators, paired, partitions, reductions, roofline, row_scale, spread, stream_program,
    streams, sum_order, tile_addresses, told_apart,
)  # fmt: skip

# isort: on
from sim.critical_path import Job
from sim.fusion_program import Operator, Read, Tensor
from sim.operator_chain import Chain, Stage

BIG = 2**20


def lowered(graph: operators.Graph, parts: int) -> object:
    """A graph in all four ways (1.2)."""
    return [lowering.lower(graph, way, parts) for way in get_args(lowering.Way)]


def fitted(loops: int) -> object:
    """A line through so many readings, made up on a line (3.2)."""
    traces = [divergence.loop([n + 2] * (n % 32) + [1] * (32 - n % 32)) for n in range(loops)]
    return divergence_fit.fit(
        traces, [4.0 * one.issue_slots + 20.0 * one.paths_taken + n for n, one in enumerate(traces)]
    )


def watched(blocks: int, block_us: float) -> object:
    """A launch, and the instants at which it is watched (3.3)."""
    schedule = block_scheduler.simulate(block_scheduler.equal(blocks, block_us), 132, 2)
    return block_moments.moments(schedule, block_moments.instants(schedule, 40))


def occupied(capability: str, shared_bytes: int) -> object:
    """A kernel, one more of everything, and the three curves (3.4)."""
    kernel = occupancy.occupancy(capability, 256, 64, shared_bytes)
    curves = [occupancy_curve.curve(axis, kernel) for axis in get_args(occupancy_curve.Axis)]
    return occupancy_curve.one_more(kernel), curves


def typed(text: str, width: int) -> object:
    """A typed pattern in global memory (4.2)."""
    return coalescing.simulate(address_pattern.parse_pattern(text, width), width)


def gathered(stride: int) -> object:
    """The time of a gather at a stride, from that in a row (4.2)."""
    access, row = (coalescing.simulate(coalescing.strided(4, one)) for one in (stride, 1))
    return gather_time.gather_us(access, row, 17.1571)


def tile(side: int, pitch: int, swizzle: tile_addresses.Swizzle = "none") -> object:
    """One column of a tile, and all columns and rows (4.3)."""
    layout = tile_addresses.Tile(side, side, pitch, swizzle=swizzle)
    return bank_conflicts.simulate(layout.column(0)), layout.by_columns(), layout.by_rows()


def numbers(n: int) -> list[list[int]]:
    """An n × n matrix (4.4)."""
    return [[n * row + column for column in range(n)] for row in range(n)]


def roofs(points: int) -> object:
    """The roofs of all GPUs, and a kernel below each (6.2)."""
    found = []
    for key in gpus.names():
        chosen = gpus.gpu(key)
        peak, bandwidth = chosen.peak("fp16").value * 1e12, chosen["bandwidth"].value * 1e9
        found.append((roofline.place(1e11, 1e9, peak, bandwidth), roofline.roof(peak, bandwidth, 0.1, 1e4, points)))
    return found


def below(reasons: Sequence[below_the_roof.Reason]) -> object:
    """A kernel on an H100 with these reasons on (6.3)."""
    machine = below_the_roof.Machine(989.4e12, 3.35e12, 132, 64, 374.0)
    paths = [lane % 8 for lane in range(32)]
    kernel = below_the_roof.Kernel(1e9, 1e9, coalescing.strided(4, 32), 4, 64, 1, paths, [10] * 8, 265, 2, 5.0)
    return below_the_roof.simulate(kernel, machine, reasons)


def buffered(batches: int, slots: int) -> object:
    """The double buffer (8.3)."""
    return streams.simulate(stream_program.double_buffer(batches, 40.0, 55.0, slots))


def clashing(steps: int, over: int) -> object:
    """Copies into one slot from several streams, no two in order: as many as 4,000 typed characters hold (8.3)."""
    return streams.simulate([stream_program.Enqueue("abcd"[i % over], "c", 1.0, "move", 0) for i in range(steps)])


def ring(hosts: int, rounds: int) -> hang_program.Program:
    """Hosts with 8 streams that hand each other events and meet in a collective; the last host leaves one out (8.4)."""
    steps: list[hang_program.Step] = []
    for i in range(rounds):
        here, there = f"s{i % 8}", f"s{(i + 1) % 8}"
        steps += [stream_program.Enqueue(here, f"k{i}", 10.0), stream_program.Record(here, f"e{i}")]
        steps += [stream_program.Wait(there, f"e{i}"), hang_program.Collective(there, "all-reduce", 5.0)]
    names = [f"rank {rank}" for rank in range(hosts)]
    return {name: tuple(steps[:-1] if name == names[-1] else steps) for name in names}


def chain(stages: int) -> Chain:
    """Element-wise operators, one after another (9.3)."""
    tensors = tuple(Tensor(f"t{i}", BIG) for i in range(stages + 1))
    made = [Operator(f"op {i}", (Read(f"t{i}"),), f"t{i + 1}") for i in range(stages)]
    return Chain(tensors, tuple(Stage(op, "element", True, 8) for op in made), 32)


def partitioned(given: Chain, *, every: bool = True) -> object:
    """All ways to cut with what each holds and moves, and the best (9.3)."""
    ways = partitions.every_partition(given) if every else ()
    told = [(way.traffic_bytes, way.peak_bytes, way.registers, way.shared_bytes, way.problems) for way in ways]
    return told, partitions.best_partition(given, 255, BIG)


def scaled(width: int, chunk: int) -> object:
    """A row quantized both ways, and where the bytes differ (9.4)."""
    run = row_scale.simulate(sum_order.bf16_row(width=width), chunk)
    return run.changed(run.streamed), run.changed(run.requantized), run.values(run.streamed)


def splits(width: int, most: int) -> object:
    """Every split of one row and the best of them (10.1)."""
    return [reductions.split(1, width, s) for s in range(1, most + 1)], reductions.best_split(1, width, most=most)


def split_sums(width: int, runs: int) -> object:
    """A row summed in 1 to 64 segments, and its partial sums in atomic order (10.2)."""
    squares = sum_order.squares(sum_order.bf16_row(width=width))
    sums = [sum_order.split_sum(squares, 1 << power) for power in range(7)]
    return [one.error_ulp for one in sums], sum_order.atomic_sums(sums[-1].partials, runs, seed=1)


def batches(width: int, rows: Sequence[int]) -> object:
    """One row in several batches (10.3)."""
    run = batch_invariance.simulate(sum_order.bf16_row(width=width), rows)
    return run.invariant, [run.changed_outputs(i) for i in range(len(rows))]


def attention(length: int) -> object:
    """Two readings of one attention (11.5)."""
    done = flash_measured.work(length, 128, mask="causal")
    plain, flash = (flash_measured.reading(done, s, b * 2**20) for s, b in ((2.6e-3, 848), (80e-6, 22)))
    return flash_measured.compare(plain, flash)


def jobs(count: int) -> list[Job]:
    """Jobs that each wait for the eight before (13.2)."""
    names = [f"j{i}" for i in range(count)]
    return [Job(name, 10.0 + i % 5, tuple(names[max(0, i - 8) : i])) for i, name in enumerate(names)]


def paths(given: Sequence[Job], name: str, points: int) -> object:
    """Slack, the switch of one job and its curve (13.2)."""
    times = [float(us) for us in range(points)]
    return critical_path.simulate(given), critical_path.switch(given, name), critical_path.sweep(given, name, times)


def contending(count: int) -> object:
    """Jobs side by side, all of which ask for much (13.2)."""
    side = [Job(f"j{i}", 10.0 + 0.37 * i) for i in range(count)]
    return contention.simulate(side, {job.name: 0.3 + 0.02 * i for i, job in enumerate(side)})


def resampled(pairs: int, resamples: int) -> object:
    """Synthetic pairs, and how far both summaries move (13.4)."""
    made = paired.synthetic(pairs=pairs, faster=pairs - 2)
    return paired.compare(made), paired.resample(made, 1, resamples)


def runs(count: int, sizes: Sequence[int]) -> object:
    """Runs of two versions, their summaries, and how many tell them apart (15.2)."""
    made = spread.synthetic(runs=count)
    return spread.summarise(made.old_us), spread.summarise(made.new_us), told_apart.told_apart(made, sizes=sizes)
