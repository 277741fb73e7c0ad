"""Experiments are bounded, say what they belong to, and run to the end in the interpreter where they can."""

import json
import tomllib
from pathlib import Path

import pytest
from pydantic import ValidationError

from gpu_backend import experiments, machine
from gpu_backend.experiments import activation_chain
from gpu_backend.experiments.common import named
from gpu_backend.records import rounded
from sim.gpus import gpu

ROOT = Path(__file__).parents[2]
FIGURES = {
    figure["key"]
    for part in tomllib.loads((ROOT / "chapters" / "book.toml").read_text("utf-8"))["part"]
    for chapter in part["chapter"]
    for figure in chapter["figure"]
}
SMALL = {
    "vector_add": {"smallest": 10, "largest": 10},
    "strided_copy": {"log2_n": 10},
    "transpose_tiles": {"side": 64},
    "roofline": {"log2_n": 8},
    "online_softmax": {"log2_elements": 11},
    "rmsnorm_split": {"width": 512, "most_rows": 1},
    "sum_order": {"n": 64, "runs": 2},
    "activation_chain": {"fewest": 1, "most": 1, "width": 64},
    "matmul_tiles": {"m": 64, "n": 64, "k": 64},
    "autotune": {"n": 64, "k": 64, "most_rows": 16},
    "flash_measured": {"longest": 128},
}
UNKNOWN_BEFORE = {"autotune", "flash_measured", "matmul_tiles"}
"""Configurations that need more shared memory than the GPU has are left out as they turn up."""


@pytest.mark.parametrize("name", experiments.names())
def test_an_experiment_belongs_to_a_figure_and_every_input_is_bounded(name):
    experiment = experiments.load(name)
    assert experiment.name == name
    assert experiment.figure in FIGURES
    assert experiment.method
    experiment.inputs()
    for field, about in experiment.inputs.model_json_schema()["properties"].items():
        assert "description" in about, field
        if about["type"] == "string":
            assert "pattern" in about, f"{field} is an unbounded text"
        else:
            assert {"minimum", "maximum"} <= about.keys(), f"{field} is an unbounded number"
    with pytest.raises(ValidationError):
        experiment.inputs(code="print()")


@pytest.mark.parametrize("name", experiments.names())
def test_the_rows_that_a_recording_has_are_those_foretold(name, monkeypatch):
    """On an H200 (its L2 decides about cold and warm) with a C compiler for `torch.compile`."""
    experiment = experiments.load(name)
    if experiment.points is None:
        assert name in UNKNOWN_BEFORE
        return
    file = ROOT / "chapters" / "recorded" / "h200" / f"{name}.json"
    record = json.loads(file.read_text("utf-8"))
    assert record["figure"] == experiment.figure
    monkeypatch.setattr(machine, "has_gpu", lambda: True)
    monkeypatch.setattr(machine, "l2_bytes", lambda: int(gpu("h200").quantities["l2"].value) << 20)
    monkeypatch.setattr(machine, "compute_capability", lambda: "9.0")
    monkeypatch.setattr(activation_chain, "which", lambda _: "/usr/bin/gcc")
    fields = experiment.inputs.model_fields
    inputs = experiment.inputs(**{key: value for key, value in record["inputs"].items() if key in fields})
    assert experiment.count(inputs) == len(record["rows"])


@pytest.mark.parametrize(
    ("name", "inputs", "points"),
    [
        ("vector_add", {"smallest": 16, "largest": 15}, 0),
        ("vector_add", {"smallest": 10, "largest": 13}, 8),  # 2^10 and 2^12, four ways
        ("activation_chain", {"fewest": 3, "most": 2}, 0),
        ("activation_chain", {"fewest": 3, "most": 11}, 10),  # 3 and 6 rows
        ("online_softmax", {"log2_elements": 12}, 8),  # 1,024 and 4,096 columns, three of ours and the framework's
        ("rmsnorm_split", {"most_rows": 7}, 7),
        ("double_buffer", {"slots": 1, "batches": 3}, 12),
        ("transpose_tiles", {}, 5),
    ],
)
@pytest.mark.skipif(machine.has_gpu(), reason="numbers without a GPU")
def test_rows_are_foretold_from_inputs(name, inputs, points):
    experiment = experiments.load(name)
    assert experiment.count(experiment.inputs(**inputs)) == points


def test_an_unknown_experiment_is_refused_with_those_that_there_are():
    with pytest.raises(ValueError, match="no experiment 'nothing'; there are activation_chain, "):
        experiments.load("nothing")


def test_those_without_small_inputs_here_need_a_gpu():
    assert {name for name in experiments.names() if not experiments.load(name).needs_gpu} == set(SMALL)


@pytest.mark.skipif(machine.has_gpu(), reason="the interpreter's sizes; make test-gpu runs them larger")
@pytest.mark.parametrize("name", SMALL)
def test_it_runs_and_its_rows_are_json(name):
    experiment = experiments.load(name)
    inputs = experiment.inputs(**SMALL[name])
    rows = list(experiment.rows(inputs))
    assert experiment.count(inputs) in (None, len(rows))
    if name == "flash_measured":
        assert rows == []  # its sequences are too long for an interpreter; test_kernels runs the kernel
        return
    assert rows
    assert json.loads(json.dumps(rounded(rows)))
    for row in rows:
        assert row.get("us", 1) > 0
        assert row.get("error", 0) < 1e-2 or "fp8" in row["way"]


@pytest.mark.skipif(machine.has_gpu(), reason="the interpreter's sizes")
def test_the_sums_of_the_book_have_the_simulators_bits():
    experiment = experiments.load("sum_order")
    rows = list(experiment.rows(experiment.inputs(n=64, runs=2)))
    fixed = [row for row in rows if row["order"] == "fixed"]
    assert all(row["different_results"] == 1 for row in fixed)
    assert all(row["error_ulp_least"] == row["model_error_ulp"] for row in fixed)


def test_a_kernels_name_is_told_without_its_types():
    seen = [
        ("void at::native::vectorized_elementwise_kernel<4, at::native::F<float>>(int, F)", 2.0),
        ("void (anonymous namespace)::softmax_warp_forward<float, 10>(float*)", 3.0),
        ("_add", 1.0),
    ]
    names = "at::native::vectorized_elementwise_kernel, softmax_warp_forward, _add"
    assert named(seen) == {"kernel": names, "profiler_us": 6.0}
    assert named([]) == {"kernel": None, "profiler_us": None}
