"""The readings that figures get are what the converter makes of the tables, and the tables are as they were taken."""

import csv
import json
import shutil
from pathlib import Path

import pytest

from bookbuild import readings
from bookbuild.problems import Broken

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "chapters" / "recorded"
TABLES = RECORDED / "tables" / "h200"
# Not those of tables/, which lie one folder deeper, nor the GPU box's own, which it took twice (test_recorded.py).
READINGS = [path for path in sorted(RECORDED.glob("*/*.json")) if "again" not in json.loads(path.read_text("utf-8"))]
KEYS = ["gpu", "driver", "cuda", "torch", "triton", "date", "method", "inputs", "rows"]


def read(name):
    return json.loads((RECORDED / "h200" / f"{name}.json").read_text("utf-8"))


@pytest.fixture
def copy(tmp_path):
    """A book that has nothing but the tables."""
    shutil.copytree(RECORDED / "tables", tmp_path / "chapters" / "recorded" / "tables")
    return tmp_path


def test_the_committed_readings_are_what_the_converter_makes(copy):
    written = readings.convert(copy)
    assert {path.relative_to(copy) for path in written} == {path.relative_to(ROOT) for path in READINGS}
    for path in written:
        committed = ROOT / path.relative_to(copy)
        assert path.read_bytes() == committed.read_bytes(), f"{committed}: run `gpubook readings`"


def test_there_are_readings_of_one_h200():
    names = {"bank_conflicts", "divergence", "global_loads", "occupancy", "stream_timeline"}
    assert names <= {path.stem for path in READINGS if path.parent.name == "h200"}


@pytest.mark.parametrize("path", [pytest.param(path, id=f"{path.parent.name}-{path.stem}") for path in READINGS])
def test_a_reading_says_where_it_comes_from(path):
    reading = json.loads(path.read_text("utf-8"))
    assert list(reading) == KEYS
    assert reading["rows"]
    assert all(reading[key] for key in ("gpu", "driver", "cuda", "date", "method", "inputs"))


@pytest.mark.parametrize("name", ["bank_conflicts", "divergence", "global_loads", "occupancy", "stream_timeline"])
def test_the_first_readings_are_of_one_day(name):
    reading = read(name)
    assert (reading["gpu"], reading["driver"], reading["cuda"]) == ("NVIDIA H200", "580.159.04", "13.0")
    assert (reading["date"], reading["torch"], reading["triton"]) == ("2026-11-29", None, None)


def test_every_request_of_the_table_is_there_lane_by_lane():
    rows = read("bank_conflicts")["rows"]
    with (TABLES / "shared_memory.csv").open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert len(rows) == len(table) == 304
    for row, cells in zip(rows, table, strict=True):
        assert list(row) == ["case", "op", "width_bytes", "wavefronts", "bank_conflicts", "lanes"]
        assert [str(row[key]) for key in row if key != "lanes"] == list(cells.values())[:5]
        assert row["lanes"] == [int(cells[f"lane{lane}"]) for lane in range(32)]


def test_every_global_load_is_there_lane_by_lane():
    rows = read("global_loads")["rows"]
    with (TABLES / "global_loads.csv").open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert len(rows) == len(table) == 195
    for row, cells in zip(rows, table, strict=True):
        assert list(row) == ["case", "width_bytes", "sectors", "requests", "lanes"]
        assert [str(row[key]) for key in row if key != "lanes"] == list(cells.values())[:4]
        assert row["lanes"] == [int(cells[f"lane{lane}"]) for lane in range(32)]


def test_each_operation_names_its_counter():
    counters = read("bank_conflicts")["inputs"]["counters"]
    assert counters["load"] == "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
    assert counters["store"] == "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"


KERNELS = {  # as the kernels' source has them
    "P0": lambda i: 0, "P1": lambda i: 0 if i < 16 else 1, "P2": lambda i: i % 2, "P3": lambda i: i % 4,
    "P4": lambda i: 0 if i < 1 else 1, "P5": lambda i: i // 8, "P6": lambda i: i % 3,
    "P7": lambda i: 0 if i < 8 else 1 if i < 24 else 2, "P8": lambda i: 1, "P9": lambda i: 3,
    "T0": lambda i: 1000, "T1": lambda i: (i + 1) * 100, "T2": lambda i: 5000 if i == 31 else 10,
    "T3": lambda i: 2000 if i % 2 else 1000,
}  # fmt: skip


def test_the_patterns_are_those_of_the_kernels():
    inputs = read("divergence")["inputs"]
    assert inputs["patterns"] == {name: [lane(i) for i in range(32)] for name, lane in KERNELS.items()}
    assert inputs["lengths"]["L2"] == [2000, 1000, 500, 250]


def test_an_empty_cell_is_null_and_every_name_is_explained():
    reading = read("divergence")
    assert len(reading["rows"]) == 44
    for row in reading["rows"]:
        assert (row["lengths"] is None) == (row["kernel"] == "trip")
        assert row["lengths"] is None or row["lengths"] in reading["inputs"]["lengths"]
        assert row["pattern"] in reading["inputs"]["patterns"]


def test_only_what_the_gpu_bounds_leaves_the_timeline_table():
    table = json.loads((TABLES / "timeline.json").read_text("utf-8"))
    rows = read("stream_timeline")["rows"]
    assert {row["pieces"]: row["h2d_ms"] for row in rows} == {int(n): v for n, v in table["h2d_by_chunk_ms"].items()}
    overlap = {row["pieces"]: row["overlap_ms"] for row in rows if row["overlap_ms"] is not None}
    assert overlap == {n: table["overlap_ms"][str(n)] for n in (1, 2, 4, 8)}
    assert [row["kernel_ms"] for row in rows] == [table["kernel_ms"]] + [None] * 6
    left_out = [*table["transpose_us"].values(), *table["silu_mul_fused_us"].values(), table["overlap_ms"]["16"]]
    text = (RECORDED / "h200" / "stream_timeline.json").read_text("utf-8")
    assert not any(str(value) in text for value in left_out)


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("tables.toml", 'gpu = "NVIDIA H200"\n', "", "the list of tables has no 'gpu'"),
        ("tables.toml", 'date = "2026-11-29"', "date = 2026-11-29", "'date' of the list of tables is"),
        (
            "tables.toml",
            '"divergence.csv"',
            '"divergnce.csv"',
            "tables.toml:21: there is no 'divergnce.csv'; there are",
        ),
        ("tables.toml", '"i // 8"', '"i / 8"', 'divergence.csv cannot be read: "/" at position 3 is unknown'),
        (
            "tables.toml",
            '"kernel_ms", at',
            '"kernel_us", at',
            "read: it has no 'kernel_us'; it has d2h_pinned_ms, gpu,",
        ),
        ("tables.toml", '"kernel_ms", at = 1', '"kernel_ms"', "'kernel_ms' is one number, 0.285504013299942; say with"),
        ("tables.toml", "4, 8]", "4, 9]", "'overlap_ms' has nothing at 9; it has 1, 16, 2, 4, 8"),
        ("tables.toml", 'key = "pieces"\n', "", "the table 'stream_timeline' has no 'key'"),
        ("tables.toml", 'table = "divergence.csv"', 'table = "timeline.json"', "'divergence' has no 'columns'"),
        ("shared_memory.csv", ",lane31", ",lane32", "the head has lane0 and not lane31; a warp has 32 lanes"),
        ("tables.toml", "only = [1", "just = [1", "'columns' of the table 'stream_timeline' is"),
        ("tables.toml", "[divergence]", "[divergence", "TOML that cannot be read"),
        ("divergence.csv", "path,L0,P0,4875", "path,L0,P0", "divergence.csv cannot be read: line 2 has another number"),
        ("divergence.csv", "path,L0,P0,4875", "path,L0,P0,4875,1", "line 2 has another number of cells than the head"),
        ("divergence.csv", "path,L0,P0,4875", 'path,"L0"P0,4875', "divergence.csv cannot be read"),
        ("timeline.json", '"kernel_ms": 0', '"kernel_ms": ', "timeline.json cannot be read"),
    ],
)
def test_a_table_that_cannot_be_read_is_named_and_nothing_is_written(copy, file, old, new, says):
    path = copy / "chapters" / "recorded" / "tables" / "h200" / file
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")
    with pytest.raises(Broken) as broken:
        readings.convert(copy)
    assert says in str(broken.value)
    assert str(broken.value).startswith("chapters/recorded/tables/h200/tables.toml:")
    assert not (copy / "chapters" / "recorded" / "h200").exists()
