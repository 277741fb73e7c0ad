"""The process that does the GPU work, the real one: its events, its refusals, its end."""

import io
import json
import sys

import pytest

from gpu_backend import child, machine
from gpu_backend.parent import Child, ChildGone

SMALL = {"smallest": 10, "largest": 10}


@pytest.fixture(scope="module")
def running():
    with Child() as started:
        yield started


def test_it_says_what_it_runs_on(running):
    assert running.machine == machine.describe()
    assert set(running.machine) == {"gpu", "driver", "cuda", "torch", "triton"}


def test_rows_come_one_by_one_and_then_done(running):
    events = list(running.run("vector_add", SMALL))
    assert {event["event"] for event in events[:-1]} == {"row"}
    assert len(events) == 5  # four ways and the end
    assert events[-1] == {"event": "done", "inputs": {"seed": 1, **SMALL}}


@pytest.mark.parametrize(
    ("name", "inputs", "says"),
    [
        ("nothing", {}, "no experiment 'nothing'; there are"),
        ("vector_add", {"smallest": 99}, "smallest: Input should be less than or equal to 28, not 99"),
        ("vector_add", {"smallest": 10, "path": "/etc"}, "path: Extra inputs are not permitted, not '/etc'"),
        ("roofline", {"gpu": "../x"}, "gpu: String should match pattern"),
        ("roofline", {"gpu": "h20"}, "there is no GPU 'h20' in the table"),
    ],
)
def test_what_it_refuses_it_refuses_with_a_sentence_and_lives_on(running, name, inputs, says):
    (event,) = running.run(name, inputs)
    assert event["event"] == "failed"
    assert event["why"].startswith(says)
    assert event["fatal"] is False
    assert len(list(running.run("vector_add", SMALL))) == 5


@pytest.mark.skipif(machine.has_gpu(), reason="there is one")
def test_what_needs_a_gpu_is_refused_without_one(running):
    (event,) = running.run("bank_conflict_cycles", {})
    assert event["why"] == "bank_conflict_cycles needs a CUDA GPU; there is none here"


def test_what_is_not_json_is_refused(running):
    events = io.StringIO()
    child.serve(io.StringIO("{not json\n[1]\n"), events)
    lines = [json.loads(line) for line in events.getvalue().splitlines()]
    assert [line["event"] for line in lines] == ["ready", "failed", "failed"]


def test_a_killed_child_is_noticed_and_a_fresh_one_works():
    with Child() as dying:
        dying._process.kill()
        with pytest.raises(ChildGone, match="ended with status -9"):
            list(dying.run("vector_add", SMALL))
    with Child() as fresh:
        assert len(list(fresh.run("vector_add", SMALL))) == 5


def test_what_libraries_print_does_not_end_up_between_events(tmp_path):
    """Standard output of the child is the events' alone; prints go to standard error."""
    import subprocess

    noisy = tmp_path / "noisy.py"
    noisy.write_text(
        "import os, sys\nfrom gpu_backend import child, experiments\n"
        "def loud(name):\n    print('hello'); os.write(1, b'raw\\n'); raise ValueError('so loud')\n"
        "experiments.load = loud\nchild.main()\n"
    )
    done = subprocess.run(
        [sys.executable, str(noisy)], input='{"experiment": "x"}\n', capture_output=True, text=True, check=True
    )
    assert [json.loads(line)["event"] for line in done.stdout.splitlines()] == ["ready", "failed"]
    assert "hello" in done.stderr
    assert "raw" in done.stderr
