"""The box with the real child, on the interpreter (or on the GPU): what it streams is what the command line gives."""

import json
import subprocess
import sys

import boxes
import pytest
from client import Stream, ask, get, run, wait_for

from gpu_backend import experiments, machine

SUMS = {"n": 64, "runs": 2}


@pytest.fixture(scope="module")
def box():
    with boxes.box(child=boxes.REAL) as running:
        yield running


def printed(name, **inputs):
    """Events that `gpubook-box run` prints."""
    pairs = [part for key, value in inputs.items() for part in ("--set", f"{key}={value}")]
    command = [sys.executable, "-m", "gpu_backend", "run", name, *pairs]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_run_through_the_box_gives_what_the_command_line_gives(box):
    head, begin, *rows, done = printed("sum_order", **SUMS)
    events = run(box, "sum_order", **SUMS)
    assert [kind for kind, _ in events] == ["queued", "started", *["row"] * len(rows), "done"]
    started, record = events[1][1], events[-1][1]["record"]
    assert started["machine"] == head["machine"] == machine.describe()
    assert started["points"] == begin["points"] == len(rows) == 14
    assert record["rows"] == [data["row"] for kind, data in events if kind == "row"] == [row["row"] for row in rows]
    assert record["inputs"] == done["inputs"]
    assert record["method"] == experiments.load("sum_order").method


def test_a_timed_run_has_the_same_columns(box):
    _, _, *rows, _ = printed("vector_add", smallest=10, largest=10)
    record = run(box, "vector_add", smallest=10, largest=10)[-1][1]["record"]
    assert [set(row) for row in record["rows"]] == [set(row["row"]) for row in rows]
    assert all(row["us"] > 0 for row in record["rows"])


def test_the_box_offers_every_experiment_and_says_which_cannot_run_here(box):
    told = {entry["name"]: entry for entry in get(box, "/experiments")["experiments"]}
    assert set(told) == set(experiments.names())
    for name, entry in told.items():
        assert entry["available"] == (machine.has_gpu() or not experiments.load(name).needs_gpu)
        assert entry["schema"] == experiments.load(name).inputs.model_json_schema()


@pytest.mark.skipif(machine.has_gpu(), reason="there is one")
def test_what_needs_a_gpu_says_so(box):
    assert run(box, "fooled")[-1] == (
        "failed",
        {"code": "needs_gpu", "why": "fooled needs a CUDA GPU; there is none here"},
    )


def test_what_only_the_experiment_knows_is_refused_in_the_stream(box):
    kind, failed = run(box, "roofline", gpu="h20")[-1]
    assert (kind, failed["code"]) == ("failed", "refused")
    assert failed["why"].startswith("there is no GPU 'h20' in the table")


def test_a_run_is_cancelled_between_rows_and_the_child_stays(box):
    stream = Stream(box, "sum_order", n=64, runs=20)
    stream.until("row")
    assert ask(box, "DELETE", f"/runs/{get(box, '/health')['running']}")[0] == 204
    assert stream.until("failed")["code"] == "cancelled"
    wait_for(lambda: get(box, "/health")["state"] == "idle")
    assert Stream(box, "sum_order", **SUMS).until("started")["fresh"] is False
