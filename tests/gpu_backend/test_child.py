"""The process that does the GPU work, the real one: its events, its refusals, its end."""

import io
import json
import sys
from dataclasses import replace
from threading import Event
from time import time

import pytest

from gpu_backend import child, experiments, machine
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
    assert events[0] == {"event": "begin", "points": 4}
    assert {event["event"] for event in events[1:-1]} == {"row"}
    assert len(events) == 6  # the beginning, four ways and the end
    assert 0 <= time() - events[1]["read_at"] < 3600
    assert events[-1] == {"event": "done", "inputs": {"seed": 1, **SMALL}}


@pytest.mark.parametrize(
    ("name", "inputs", "says"),
    [
        ("nothing", {}, "no experiment 'nothing'; there are"),
        ("vector_add", {"smallest": 99}, "smallest is 99; right is a whole number from 10 to 28"),
        (
            "vector_add",
            {"smallest": 16, "largest": 10},
            "nothing is left to measure with seed=1 smallest=16",
        ),
        ("vector_add", {"smallest": 10, "path": "/etc"}, "there is no input 'path'; there are seed, smallest"),
        ("roofline", {"gpu": "../x"}, "gpu is '../x'; right is a text like ^"),
        ("roofline", {"log2_n": "8"}, "log2_n is '8'; right is a whole number from"),
        ("roofline", {"log2_n": True}, "log2_n is True; right is a whole number from"),
    ],
)
def test_what_it_refuses_it_refuses_with_a_sentence_and_lives_on(running, name, inputs, says):
    (event,) = running.run(name, inputs)
    assert event["event"] == "failed"
    assert event["code"] == "refused"
    assert event["why"].startswith(says)
    assert event["fatal"] is False
    assert len(list(running.run("vector_add", SMALL))) == 6


def test_what_only_the_experiment_knows_is_refused_by_it(running):
    begin, event = running.run("roofline", {"gpu": "h20"})
    assert begin["event"] == "begin"
    assert event["code"] == "refused"
    assert event["why"].startswith("there is no GPU 'h20' in the table")


def test_a_request_is_cancelled_before_its_next_row_and_the_next_request_is_done(monkeypatch):
    begun, read = Event(), Event()

    def rows(_):
        yield {"us": 1.0}
        begun.set()
        assert read.wait(60)
        yield {"us": 2.0}

    def lines():
        yield '{"id": "a", "experiment": "fooled"}\n'
        assert begun.wait(60)
        yield '{"cancel": "a"}\n'
        read.set()
        yield '{"id": "b", "experiment": "fooled"}\n'

    fooled = replace(experiments.load("fooled"), rows=rows, needs_gpu=False)
    monkeypatch.setattr(experiments, "load", lambda _: fooled)
    told = io.StringIO()
    child.serve(lines(), told)
    _, *events = map(json.loads, told.getvalue().splitlines())
    assert [event["event"] for event in events] == ["begin", "row", "failed", "begin", "row", "row", "done"]
    assert events[2] == {"event": "failed", "code": "cancelled", "why": "the run was cancelled", "fatal": False}


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
        assert len(list(fresh.run("vector_add", SMALL))) == 6


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
