"""What the GPU box recorded on an H200: provenance, and what its numbers must show: structure equal, times near."""

import json
from pathlib import Path

import numpy as np
import pytest

from sim.bank_conflicts import count
from sim.divergence import loop, simulate
from sim.divergence_fit import fit
from sim.sum_order import bf16_row, split_sum, squares

FOLDER = Path(__file__).parents[2] / "chapters" / "recorded" / "h200"
KEYS = ["gpu", "driver", "cuda", "torch", "triton", "date", "method", "inputs", "figure", "spread", "rows", "again"]
RECORDS = {
    path.stem: record
    for path in sorted(FOLDER.glob("*.json"))
    if "again" in (record := json.loads(path.read_text("utf-8")))  # the others are made from tables
}
TWICE = sorted(RECORDS.keys() - {"counters"})


def rows(name, take="rows", **wanted):
    """The rows of a recording that have these values."""
    return [row for row in RECORDS[name][take] if all(row[key] == value for key, value in wanted.items())]


def best(name, take, **wanted):
    """The least time among those rows."""
    return min(row["us"] for row in rows(name, take, **wanted) if row["us"] is not None)


BOTH = pytest.mark.parametrize("take", ["rows", "again"])


def test_there_are_records_of_the_box():
    assert len(TWICE) >= 26


@pytest.mark.parametrize("name", sorted(RECORDS))
def test_a_record_says_where_it_is_from(name):
    record = RECORDS[name]
    assert list(record) == KEYS
    assert record["gpu"] == "NVIDIA H200"
    assert all(record[key] for key in KEYS[:7])
    assert record["rows"]


@pytest.mark.parametrize("name", TWICE)
def test_two_recordings_measured_the_same_points(name):
    record = RECORDS[name]
    assert len(record["rows"]) == len(record["again"])
    for row, other in zip(record["rows"], record["again"], strict=True):
        assert list(row) == list(other)
        for key in ("way", "n", "rows", "fmas", "tile", "stride", "pieces", "case", "lengths", "pattern", "slots"):
            assert row.get(key) == other.get(key)


@pytest.mark.parametrize(
    "name", ["activation_chain", "flash_measured", "matmul_tiles", "online_softmax", "roofline", "strided_copy",
             "transpose_tiles", "vector_add"],
)  # fmt: skip
def test_an_empty_kernel_is_below_5_percent_of_five_points_or_more_and_kernels_are_named(name):
    timed = [row for row in rows(name) if row.get("us")]
    assert sum(row["empty_us"] < 0.05 * row["us"] for row in timed) >= 5
    assert all(row["kernel"] for row in timed)
    assert all(row["us_p20"] <= row["us"] <= row["us_p80"] and row["count"] >= 9 for row in timed)
    assert all(row["error"] < 0.03 for row in timed)


@BOTH
@pytest.mark.parametrize("width", [4, 8, 16])
@pytest.mark.parametrize("op", ["load", "store"])
def test_cycles_of_a_shared_memory_request_are_its_wavefronts(take, width, op):
    seen = rows("bank_conflict_cycles", take, width_bytes=width, op=op)
    wavefronts = [count(row["lanes"], width, op)[0] for row in seen]
    assert wavefronts == [row["wavefronts"] for row in seen]
    cycles = np.array([row["cycles"] for row in seen])
    slope, rest = np.polyfit(wavefronts, cycles, 1)
    left = cycles - slope * np.array(wavefronts) - rest
    assert 1 - (left**2).sum() / ((cycles - cycles.mean()) ** 2).sum() >= 0.99
    assert slope == pytest.approx(1, rel=0.01)


def test_the_profilers_counts_are_the_simulators():
    for row in RECORDS["counters"]["rows"]:
        for key in (
            "load_requests",
            "load_sectors",
            "store_sectors",
            "shared_load_wavefronts",
            "shared_store_wavefronts",
        ):
            if f"model_{key}" in row:
                assert row[key] == row[f"model_{key}"], (row["case"], key)
        if "model_active_lanes" in row:  # the whole kernel's; before and after the branch all lanes are active
            assert row["model_active_lanes"] <= row["active_lanes"] < row["model_active_lanes"] + 0.3


@BOTH
@pytest.mark.parametrize("kernel", ["path", "trip"])
def test_one_line_through_issue_slots_and_paths_gives_the_cycles_of_a_branch(take, kernel):
    inputs = RECORDS["divergence_cycles"]["inputs"]
    seen = rows("divergence_cycles", take, kernel=kernel)
    traces = [
        simulate(inputs["patterns"][row["pattern"]], inputs["lengths"][row["lengths"]])
        if kernel == "path"
        else loop(inputs["patterns"][row["pattern"]])
        for row in seen
    ]
    line = fit(traces, [row["cycles"] for row in seen])
    for trace, row in zip(traces, seen, strict=True):
        assert trace.issue_slots == row["model_slots"]
        assert line.cycles(trace) == pytest.approx(row["cycles"], rel=0.035)


@BOTH
def test_our_copy_reaches_85_percent_of_the_frameworks_best(take):
    ours = max(row["gb_per_s"] for row in rows("vector_add", take, way="copy", l2="cold"))
    theirs = max(row["gb_per_s"] for row in rows("vector_add", take, way="framework copy", l2="cold"))
    assert ours >= 0.85 * theirs


@BOTH
@pytest.mark.parametrize("count", [256, 512, 1024, 2048, 4096, 8192, 16384])
def test_our_silu_mul_is_as_fast_as_eager_and_as_the_compiler_within_5_percent(take, count):
    ours = best("activation_chain", take, way="fused", rows=count)
    assert ours <= best("activation_chain", take, way="eager", rows=count)
    assert ours <= 1.05 * best("activation_chain", take, way="compiled", rows=count)


@BOTH
@pytest.mark.parametrize("heads", [1, 32])
def test_our_attention_is_as_fast_as_the_frameworks_flash_backend(take, heads):
    point = {"length": 8192, "head_dim": 128, "causal": True, "heads": heads}
    assert best("flash_measured", take, way="Triton", **point) <= best("flash_measured", take, way="flash", **point)
    assert best("flash_measured", take, way="cuDNN", **point) > 0


@BOTH
def test_attention_by_plain_math_takes_848_mib_more(take):
    (row,) = rows("flash_measured", take, way="math", length=8192, heads=1)
    assert round(row["extra_bytes"] / 2**20) == 848


@BOTH
def test_our_best_tile_reaches_nine_tenths_of_cublas(take):
    assert best("matmul_tiles", take, way="Triton") <= best("matmul_tiles", take, way="cuBLAS") / 0.9


@BOTH
def test_submissions_and_kernels_of_three_ffns(take):
    counts = {row["mode"]: (row["submissions"], row["kernels"]) for row in RECORDS["graph_modes"][take]}
    assert counts == {"eager": (18, 18), "fused": (15, 15), "graph": (3, 18), "fused graph": (3, 15)}


@BOTH
def test_sums_in_a_fixed_order_have_the_simulators_bits(take):
    terms = squares(bf16_row(RECORDS["sum_order"]["inputs"]["seed"], RECORDS["sum_order"]["inputs"]["n"]))
    for row in rows("sum_order", take, order="fixed"):
        model = split_sum(terms, row["segments"]).error_ulp
        assert row["different_results"] == 1
        assert row["error_ulp_least"] == row["error_ulp_most"] == pytest.approx(model, abs=1e-3)


@BOTH
def test_half_the_rows_undone_is_faster_and_refused(take):
    half, whole = (row for row in sorted(rows("fooled", take, switch="verify"), key=lambda row: row["us"]))
    assert whole["refused"] is None
    assert "no finite numbers" in half["refused"]


@BOTH
def test_device_memory_is_read_64_bytes_at_a_time(take):
    """What the model of `strided_copy` leaves out: from a stride of 16 elements on, each 32-byte sector costs two."""
    read = {row["case"]: row["device_memory_read_bytes"] for row in RECORDS["counters"]["rows"]}
    n = RECORDS["counters"]["inputs"]["n"]
    assert read["stride 8, offset 0"] == pytest.approx(32 * n, rel=0.01)
    assert read["stride 16, offset 0"] == pytest.approx(64 * n, rel=0.01)
    slow, fast = (rows("strided_copy", take, stride=stride)[0]["us"] for stride in (16, 8))
    assert 1.7 < slow / fast < 2.1
