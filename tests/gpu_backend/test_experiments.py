"""Experiments are bounded, say what they belong to, and run to the end in the interpreter where they can."""

import json
import tomllib
from pathlib import Path

import pytest
from pydantic import ValidationError

from gpu_backend import experiments, machine
from gpu_backend.experiments.common import named
from gpu_backend.records import rounded

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


def test_an_unknown_experiment_is_refused_with_those_that_there_are():
    with pytest.raises(ValueError, match="no experiment 'nothing'; there are activation_chain, "):
        experiments.load("nothing")


def test_those_without_small_inputs_here_need_a_gpu():
    assert {name for name in experiments.names() if not experiments.load(name).needs_gpu} == set(SMALL)


@pytest.mark.skipif(machine.has_gpu(), reason="the interpreter's sizes; make test-gpu runs them larger")
@pytest.mark.parametrize("name", SMALL)
def test_it_runs_and_its_rows_are_json(name):
    experiment = experiments.load(name)
    rows = list(experiment.rows(experiment.inputs(**SMALL[name])))
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
