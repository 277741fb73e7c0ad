"""Every simulator that a figure computes with: what a move costs at the figure's default size, and at the largest.

The largest is the largest, or slowest, that the module's stated limits let a control ask for; None where no control
changes how much there is to do. Runs in the readers' Python too, so it knows nothing but `sim`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from math import log
from typing import get_args

# isort: off
from sim import (
    activation_chain, amdahl, attention_memory, autotune, backpressure, barriers, block_scheduler, buckets, bug_hunt,
    bug_kernels, call_mix, chip, chunks, compile_amortized, contention, contract_card, cpu_bound, critical_path, cuts,
    divergence, dynamic_shapes, enough_warps, fewer_bytes, ffn_chain, footprint, fusion, fusion_gemm, graph_inputs,
    graphs, hang_doctor, hang_program, host_paths, illegal_moves, kv_blocks, kv_sharing, latency_hiding, launch_index,
    layers, littles_law, loop_transforms, masked_blocks, memory_ladder, mma_pieces, occupancy, one_request, one_sm,
    online_softmax, operators, persistent, pipeline, plan_and_run, plan_cost, reuse, reuse_walk, row_reuse,
    serving_step, sm_shelves, softmax_passes, stopwatches, tile_time, tiles, tiling_reads, tiling_walk, transpose,
    two_engines, warp_specialization, worth_it,
)  # fmt: skip

# isort: on
from tests.bench import moves
from tests.bench.moves import BIG


@dataclass(frozen=True, slots=True)
class Simulator:
    """One simulator of one figure."""

    figure: str
    module: str
    default: Callable[[], object]
    largest: Callable[[], object] | None = None


QWEN = (1024, 12288, 4096)  # M, N, K of the running example
H100 = {"compute_capability": "9.0", "sms": 132, "bandwidth_byte_per_s": 3.35e12, "peak_flop_per_s": 989.4e12}
TILED = "split i 64; split j 64; split k 32; reorder i0 j0 k0 i1 j1 k1; stage A k0; stage W k0; compute_at j0"
SPLITS = "; ".join(f"split {axis}{'1' * n} 2" for n in range(3) for axis in "ijk")
SCORES = [log(x) for x in (1, 2, 1, 2, 8, 2)]
TOLD = one_request.Measured(36, 32, (11.22, 11.24), (2.37, 0.92), request_ms=849, first_token_ms=436)


def _tuned(rows: range | tuple[int, ...]) -> object:
    return autotune.simulate([tile_time.Problem("h100", "bf16", (m, 12288, 4096), 12288) for m in rows])


def _block() -> operators.Graph:
    return operators.decoder_block(scale_in_product=False)


S = Simulator
ALL: tuple[Simulator, ...] = (
    S("1.1", "layers", lambda: layers.simulate(operators.attention()), lambda: layers.simulate(_block(), "split", 64)),
    S("1.2", "lowering", lambda: moves.lowered(operators.attention(), 2), lambda: moves.lowered(_block(), 64)),
    S("2.1", "chip", lambda: chip.products("h100")),
    S("2.2", "two_engines", lambda: (
        two_engines.matrix_product("h100", *QWEN, other_share=0.1),
        two_engines.attention_exponentials("h100", 8192, 8192, 128))),
    S("2.3", "memory_ladder", lambda: (memory_ladder.ladder("h100"), memory_ladder.nearest("h100", BIG))),
    S("3.1", "launch_index", lambda: (made := launch_index.launch(1_000_000, 128), made.block(7812), made.locate(99)),
      lambda: (made := launch_index.launch(2**40, 1024), made.block(9), made.locate(99))),
    S("3.2", "divergence", lambda: divergence.simulate([0] * 16 + [1] * 16, [10, 10]),
      lambda: divergence.loop(list(range(1, 33)), 4)),
    S("3.2", "divergence_fit", lambda: moves.fitted(30)),
    S("3.3", "block_scheduler", lambda: block_scheduler.simulate(block_scheduler.equal(265, 1.0), 132, 2),
      lambda: block_scheduler.simulate(block_scheduler.skewed(4096, 1.0, 0.5, 1), 132, 2)),
    S("3.3", "block_scheduler", lambda: block_scheduler.simulate(block_scheduler.equal(4097, 1.0), 132, 2),
      lambda: block_scheduler.simulate(block_scheduler.skewed(16384, 1.0, 0.5, 1), 1024, 16)),
    S("3.3", "block_moments", lambda: moves.watched(265, 10.0), lambda: moves.watched(2700, 1.0)),
    S("3.4", "occupancy", lambda: occupancy.occupancy("9.0", 256, 64, 0)),
    S("3.4", "occupancy_curve", lambda: moves.occupied("9.0", 0), lambda: moves.occupied("12.0", 1)),
    S("3.4", "sm_shelves", lambda: sm_shelves.fill(occupancy.occupancy("9.0", 256, 64, 0))),
    S("3.5", "latency_hiding", lambda: latency_hiding.simulate(8, 2, 31, 256),
      lambda: latency_hiding.simulate(64, 1, 32, 4096, jitter=0.5)),
    S("3.5", "littles_law", lambda: [
        littles_law.in_flight(peak_gb_per_s=3350, latency_ns=374, sms=132, warps_per_sm=w) for w in range(1, 65)]),
    S("3.5", "enough_warps", lambda: enough_warps.simulate(
        "h100", warps_per_scheduler=8, issue_cycles=2, latency_cycles=29),
      lambda: enough_warps.simulate("h100", warps_per_scheduler=16, issue_cycles=1, latency_cycles=1)),
    S("4.1", "reuse", reuse.simulate, lambda: reuse.simulate(1024, 128, 16, 1)),
    S("4.1", "reuse_walk", reuse_walk.simulate, lambda: reuse_walk.simulate(1024, 128, 16, 1)),
    S("4.2", "coalescing", lambda: moves.typed("i*2", 4),
      lambda: moves.typed("+".join(["i"] * 500), 1)),
    S("4.2", "gather_time", lambda: moves.gathered(2)),
    S("4.3", "bank_conflicts", lambda: moves.tile(32, 36), lambda: moves.tile(64, 72)),
    S("4.4", "tiling_reads", lambda: tiling_reads.simulate(moves.numbers(4), moves.numbers(4), 2),
      lambda: tiling_reads.simulate(moves.numbers(16), moves.numbers(16), 1)),
    S("4.4", "tiling_walk", lambda: tiling_walk.walk(*tiling_walk.example(2), 1),
      lambda: tiling_walk.walk(*tiling_walk.example(16), 1)),
    S("4.5", "row_reuse", lambda: row_reuse.simulate(8, 16, 4), lambda: row_reuse.simulate(16, 16, 24, "kij", 8, 1)),
    S("5.1", "tiles", lambda: tiles.ledger(64, 64, 32, 2, 2, 49152)),
    S("5.2", "tiles", lambda: (tiles.traffic(*QWEN, 64, 64, 32), tiles.resident_blocks("12.0", 24 * 1024))),
    S("5.2", "cuts", lambda: [cuts.cut(*QWEN, axis, 4) for axis in ("M", "N", "K")]),
    S("5.3", "fewer_bytes", lambda: fewer_bytes.compare(
        QWEN, (128, 128, 32), (64, 64, 32), fewer_bytes.Memory("12.0", 188, 1792, 330))),
    S("5.4", "mma_pieces", lambda: (mma_pieces.pieces(128, 128, 64), mma_pieces.cover(*QWEN, 128, 128, 64)),
      lambda: (mma_pieces.pieces(512, 512, 512, 32), mma_pieces.cover(999, 999, 999, 512, 512, 512))),
    S("5.5", "one_sm", lambda: one_sm.simulate(128, 128, 64, threads=256, accumulators="shared memory", **H100)),
    S("5.6", "loop_transforms", lambda: loop_transforms.transform(TILED, *QWEN),
      lambda: loop_transforms.transform(SPLITS + "; stage A k111" * 31, BIG, BIG, BIG)),
    S("5.7", "transpose", transpose.simulate, lambda: transpose.simulate(65535, 65535, 64, 0, "xor", 4)),
    S("5.8", "footprint", lambda: footprint.footprint("C[i, j] += A[i, k] * W[k, j]", {"i": 64, "j": 64, "k": 32}),
      lambda: footprint.footprint(" * ".join(["X[i + 1000*j + 700*k]"] * 8), dict.fromkeys("ijk", 1000))),
    S("6.2", "roofline", lambda: moves.roofs(50), lambda: moves.roofs(200)),
    S("6.3", "below_the_roof", lambda: moves.below(["reads", "tail"]),
      lambda: moves.below(["reads", "occupancy", "divergence", "tail", "launch gap"])),
    S("7.1", "pipeline", lambda: pipeline.simulate(4, 1.29, 0.28, 2),
      lambda: pipeline.simulate(1000, 1.29, 1.2, 3, sync_us=0.1, jitter=0.5)),
    S("7.2", "warp_specialization", lambda: warp_specialization.simulate(1, 8, 2, fill_us=1.0, consume_us=3.0),
      lambda: warp_specialization.simulate(1, 43, 4, fill_us=1.0, consume_us=3.0, consumers=8, jitter=0.5)),
    S("7.3", "backpressure", lambda: (backpressure.budget(2), backpressure.simulate(
        8, 1, upstream_us=1.0, move_us=1.0, consume_us=1.0)),
      lambda: backpressure.simulate(250, 3, upstream_us=1.0, move_us=1.0, consume_us=1.1, jitter=0.5)),
    S("7.4", "barriers", lambda: barriers.simulate(4, 4, after_store=False),
      lambda: barriers.simulate(8, 8, after_store=False, after_load=False, jitter=0.5)),
    S("8.1", "host_paths", lambda: [host_paths.simulate(64 * BIG, way) for way in get_args(host_paths.Path)],
      lambda: host_paths.simulate(1024 * BIG, "h2d pageable")),
    S("8.2", "chunks", lambda: (load := chunks.Workload(), load.best_pieces, chunks.simulate(10, load)),
      lambda: (load := chunks.Workload(), load.best_pieces, chunks.simulate(256, load))),
    S("8.3", "streams", lambda: moves.buffered(4, 2), lambda: moves.clashing(142, 4)),
    S("8.4", "hang_doctor", lambda: hang_doctor.examine(hang_program.cases()["two streams"]),
      lambda: hang_doctor.examine(moves.ring(8, 12))),
    S("8.5", "stopwatches", stopwatches.simulate, lambda: stopwatches.simulate(calls=256)),
    S("9.1", "activation_chain", lambda: [
        fusion.execute(activation_chain.program(), cut) for cut in ((1, 1, 1), (2, 1), (1, 2), (3,))]),
    S("9.2", "fusion_gemm", fusion_gemm.compare),
    S("9.3", "partitions", lambda: moves.partitioned(ffn_chain.ffn_chain()),
      lambda: moves.partitioned(moves.chain(10))),
    S("9.3", "partitions", lambda: moves.partitioned(moves.chain(11), every=False),
      lambda: moves.partitioned(moves.chain(16), every=False)),
    S("9.4", "row_scale", lambda: moves.scaled(256, 32), lambda: moves.scaled(16384, 4)),
    S("9.5", "illegal_moves", illegal_moves.smallest_inputs, lambda: (
        illegal_moves.dropped_rounding([1.0] * 1024, -1.0), illegal_moves.activation_before_sum([1.0] * 1024),
        illegal_moves.softmax_without_statistics([1.0] * 1024, [1.0] * 1024, 1))),
    S("10.1", "reductions", lambda: moves.splits(4096, 132), lambda: moves.splits(BIG, 1024)),
    S("10.2", "sum_order", lambda: moves.split_sums(4096, 64), lambda: moves.split_sums(32768, 256)),
    S("10.3", "batch_invariance", lambda: moves.batches(4096, (1, 2, 8, 64, 132, 1024)),
      lambda: moves.batches(32768, range(1, 17))),
    S("11.1", "attention_memory", lambda: (
        attention_memory.attention_memory(8192, 128), attention_memory.flash_blocks(8192, 128, 51_200))),
    S("11.2", "online_softmax", lambda: online_softmax.simulate(SCORES, range(1, 7), 2),
      lambda: online_softmax.simulate([0.01 * i for i in range(1024)], [1.0] * 1024, 1)),
    S("11.2", "softmax_passes", lambda: [
        softmax_passes.from_three_passes(way, 1024.32) for way in get_args(softmax_passes.Way)]),
    S("11.3", "masked_blocks", lambda: masked_blocks.compare([-2e4, 0.0], [1, 100], [False, True], 1),
      lambda: masked_blocks.compare([0.01 * i for i in range(256)], [1.0] * 256, [False, True] * 128, 1)),
    S("11.4", "kv_blocks", lambda: [kv_blocks.plan(8192, 101_376, 128, 1 << power) for power in range(8)],
      lambda: [kv_blocks.plan(2**24, 101_376, 128, b) for b in range(1, 193)]),
    S("11.5", "flash_measured", lambda: moves.attention(8192), lambda: moves.attention(2**24)),
    S("12.1", "cpu_bound", lambda: (cpu_bound.simulate(100, 2.0), cpu_bound.faster_gpus(100, 2.0)),
      lambda: (cpu_bound.simulate(1000, 2.0, queue=4), cpu_bound.faster_gpus(1000, 2.0))),
    S("12.1", "serving_step", serving_step.simulate,
      lambda: serving_step.simulate(200, server_apart=True, steps_per_schedule=10, output_async=True)),
    S("12.2", "compile_amortized", lambda: [compile_amortized.simulate(calls) for calls in range(1, 101)]),
    S("12.3", "graphs", lambda: graphs.compare(3), lambda: graphs.compare(166)),
    S("12.4", "graph_inputs", lambda: (
        graph_inputs.compare(2 * BIG, 1792e9), graph_inputs.replay([[1.0, 2.0], [3.0, 4.0]], "stale address")),
      lambda: graph_inputs.replay([[float(i + j) for j in range(64)] for i in range(16)], "copy")),
    S("12.5", "dynamic_shapes", lambda: dynamic_shapes.best(dynamic_shapes.ways()),
      lambda: dynamic_shapes.best(dynamic_shapes.ways([1 + i % 2048 for i in range(1000)]))),
    S("12.5", "buckets", lambda: buckets.sweep(dynamic_shapes.GROUP, 70),
      lambda: buckets.sweep([1 + 37 * (i % 32) for i in range(1000)], 70)),
    S("12.6", "autotune", lambda: _tuned((16, 128, 1024)), lambda: _tuned(range(16, 16 * 33, 16))),
    S("12.7", "plan_and_run", lambda: plan_and_run.simulate([4, 6, 9], [5, 7, 2]),
      lambda: plan_and_run.simulate([63] * 8, [64, 2] * 4, page_rows=1, head_dim=8)),
    S("12.7", "plan_cost", lambda: (plan_cost.count(36, once=True), plan_cost.split(36, 2.0, 0.72))),
    S("12.8", "persistent", persistent.simulate, lambda: persistent.simulate([[2.0] * 62] * 16, flags=False)),
    S("13.1", "amdahl", lambda: amdahl.curve(0.6, range(1, 101)), lambda: amdahl.curve(0.6, range(1, 401))),
    S("13.2", "critical_path", lambda: moves.paths(critical_path.EXAMPLE, "A", 60),
      lambda: moves.paths(moves.jobs(64), "j9", 1000)),
    S("13.2", "contention", contention.simulate, lambda: moves.contending(32)),
    S("13.3", "kv_sharing", lambda: (
        kv_sharing.count(38, 4, 0.5), kv_sharing.change(27.455, 6.953, 12.556, 11.375),
        kv_sharing.read_us(12.556, 1792e9), kv_sharing.caches_that_fit(1024, 6.953))),
    S("13.4", "one_request", lambda: one_request.simulate(TOLD, 127)),
    S("13.4", "paired", lambda: moves.resampled(11, 200), lambda: moves.resampled(11, 2000)),
    S("13.5", "call_mix", lambda: (call_mix.simulate(2, 1), call_mix.reaches(), call_mix.overtakes())),
    S("14.1", "bug_hunt", lambda: bug_hunt.simulate(inputs=["random_normal"]), bug_hunt.simulate),
    S("14.2", "contract_card", lambda: contract_card.check(partial(bug_kernels.run, "correct"))),
    S("14.3", "worth_it", lambda: worth_it.decide(0.2, 3.0, 1e6, 20.0, 5.0)),
    S("15.2", "spread", lambda: moves.runs(100, (1,)), lambda: moves.runs(400, (1,))),
    S("15.2", "told_apart", lambda: moves.runs(100, (1, 3, 5, 7, 11, 15, 21, 31)),
      lambda: moves.runs(400, range(71, 102, 2))),
)  # fmt: skip


def of(figures: Collection[str] | None) -> list[Simulator]:
    """Return the simulators of some figures ("4.3"), of all of them for None; LookupError for one that has none."""
    if unknown := sorted(set(figures or ()) - {one.figure for one in ALL}):
        raise LookupError(f"no simulator of figure {unknown[0]} is listed; see tests/bench/simulators.py")
    return [one for one in ALL if figures is None or one.figure in figures]
