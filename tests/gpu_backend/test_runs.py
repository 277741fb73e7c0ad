"""Runs of a box with a fake child: their events, the queue, and every way in which a run can end."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic, sleep, time

import boxes
import pytest
from client import PATIENCE_S, Stream, ask, get, run, wait_for

from gpu_backend.server.worker import Worker

RECORDED = Path(__file__).parents[2] / "chapters" / "recorded" / "h200"
SLOW = {"rows": 10_000, "pace_s": 0.05}


@pytest.fixture(scope="module")
def box():
    with boxes.box(grace_s=1.0) as running:
        yield running


def idle(box):
    """Wait until nothing runs and a child is there."""
    return wait_for(lambda: (health := get(box, "/health"))["state"] == "idle" and health)


def pid(box):
    """The child's process."""
    return dict(run(box, "fake_pid"))["row"]["row"]["pid"]


def alive(process):
    try:
        status = Path(f"/proc/{process}/stat").read_text("utf-8")
    except (FileNotFoundError, ProcessLookupError):  # it is gone, or goes while it is read
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def test_a_run_is_told_from_its_place_to_its_record(box):
    idle(box)
    stream = Stream(box, "fake_rows", rows=3)
    assert stream.answer.status == 200
    assert stream.answer.headers["content-type"].startswith("text/event-stream")
    assert stream.answer.headers["cache-control"] == "no-store"
    events = list(stream)
    assert [kind for kind, _ in events] == ["queued", "started", "row", "row", "row", "done"]
    assert stream.ids == [1, 2, 3, 4, 5, 6]
    queued, started, *rows, done = (data for _, data in events)
    assert queued["place"] == 0
    assert started["run"] == queued["run"]
    assert started["points"] == 3
    assert started["deadline_s"] == 120.0
    assert started["machine"]["gpu"] == "a fake of NVIDIA H200"
    assert [row["n"] for row in rows] == [1, 2, 3]
    assert all(abs(time() - row["read_at"]) < PATIENCE_S for row in rows)
    assert done["record"]["rows"] == [row["row"] for row in rows]


def test_a_record_has_the_shape_of_a_recording(box):
    """With the rows of one, the record differs from it in what this run says of itself alone."""
    kept = json.loads((RECORDED / "three_stopwatches.json").read_text("utf-8"))
    record = run(box, "three_stopwatches", samples=20)[-1][1]["record"]
    assert set(record) == set(kept)
    assert record["rows"] == kept["rows"]
    assert record["figure"] == kept["figure"]
    assert record["method"] == kept["method"]
    assert record["inputs"] == kept["inputs"] | {"samples": 20}
    assert record["again"] is None
    assert record["spread"] is None


def test_inputs_left_out_have_their_defaults(box):
    assert dict(run(box, "fake_rows"))["done"]["record"]["inputs"] == {"rows": 10, "pace_s": 0.01, "bytes": 1}


def test_a_run_of_no_rows_is_done(box):
    assert [kind for kind, _ in run(box, "fake_nothing")] == ["queued", "started", "done"]


def test_the_first_run_on_a_child_is_fresh_and_the_next_is_not():
    with boxes.box() as box:
        assert [Stream(box, "fake_nothing").until("started")["fresh"] for _ in range(2)] == [True, False]


def test_runs_wait_their_turn_and_are_told_their_place(box):
    idle(box)
    first = Stream(box, "fake_rows", **SLOW)
    first.until("started")
    second, third = Stream(box, "fake_nothing"), Stream(box, "fake_nothing")
    assert second.until("queued")["place"] == 0
    assert third.until("queued")["place"] == 1
    assert get(box, "/health")["queued"] == 2
    first.leave()
    assert [kind for kind, _ in second] == ["started", "done"]
    assert third.until("queued")["place"] == 0
    third.until("done")


def test_a_run_that_waits_is_given_up_with_its_stream_and_the_others_move_up(box):
    idle(box)
    first = Stream(box, "fake_rows", **SLOW)
    first.until("started")
    second, third = Stream(box, "fake_nothing"), Stream(box, "fake_nothing")
    assert third.until("queued")["place"] == 1
    second.leave()
    assert third.until("queued")["place"] == 0
    assert get(box, "/health")["queued"] == 1
    first.leave()
    third.until("done")


def test_the_queue_is_bounded():
    with boxes.box(queue_limit=2) as box:
        first = Stream(box, "fake_rows", **SLOW)
        first.until("started")
        waiting = [Stream(box, "fake_nothing") for _ in range(2)]
        status, headers, raw = ask(box, "POST", "/runs", {"experiment": "fake_nothing"})
        assert (status, json.loads(raw)["code"]) == (503, "queue_full")
        assert json.loads(raw)["why"].startswith("2 runs wait")
        assert int(headers["retry-after"]) > 0
        first.leave()
        for stream in waiting:
            stream.until("done")


def test_a_stream_that_is_left_cancels_its_run_and_keeps_the_child(box):
    idle(box)
    before = pid(box)
    stream = Stream(box, "fake_rows", **SLOW)
    stream.until("row")
    assert get(box, "/health")["state"] == "running"
    stream.leave()
    idle(box)
    assert pid(box) == before


def test_a_run_is_cancelled_by_name(box):
    idle(box)
    stream = Stream(box, "fake_rows", **SLOW)
    name = stream.until("started")["run"]
    assert get(box, "/health")["running"] == name
    assert ask(box, "DELETE", f"/runs/{name}")[0] == 204
    assert stream.until("failed")["code"] == "cancelled"
    assert list(stream) == []
    for over in (name, "0123456789abcdef"):
        status, _, raw = ask(box, "DELETE", f"/runs/{over}")
        assert (status, json.loads(raw)["code"]) == (404, "no_run")


def test_a_run_that_waits_is_cancelled_by_name(box):
    idle(box)
    first = Stream(box, "fake_rows", **SLOW)
    first.until("started")
    second = Stream(box, "fake_nothing")
    assert ask(box, "DELETE", f"/runs/{second.until('queued')['run']}")[0] == 204
    assert second.until("failed")["code"] == "cancelled"
    first.leave()


def test_a_child_that_does_not_stop_is_ended(box):
    idle(box)
    before = pid(box)
    stream = Stream(box, "fake_hang")
    stream.until("row")
    stream.leave()
    idle(box)
    assert not alive(before)
    assert pid(box) != before


def test_a_run_has_a_deadline():
    with boxes.box(deadline_s=1.0) as box:
        before = pid(box)
        begin = monotonic()
        failed = run(box, "fake_hang")[-1]
        assert failed[0] == "failed"
        assert failed[1]["code"] == "deadline"
        assert "longer than 1 s" in failed[1]["why"]
        assert monotonic() - begin >= 1.0
        wait_for(lambda: not alive(before))
        assert run(box, "fake_rows", rows=1)[-1][0] == "done"


@pytest.mark.parametrize(
    ("experiment", "code", "says"),
    [
        ("fake_die", "child_gone", "ended with status 7"),
        ("fake_rubbish", "child_gone", "sent what is no event: b'Segmentation fault"),
        ("fake_strange", "child_gone", "sent what is no event"),
        ("fake_long_line", "child_gone", "a line of more than"),
        ("fake_poison", "kernel", "illegal memory access"),
    ],
)
def test_a_child_that_is_of_no_more_use_is_replaced(box, experiment, code, says):
    idle(box)
    before = pid(box)
    kind, failed = run(box, experiment)[-1]
    assert (kind, failed["code"]) == ("failed", code)
    assert says in failed["why"]
    assert Stream(box, "fake_rows", rows=1).until("started")["fresh"]
    wait_for(lambda: not alive(before))


def test_the_end_of_a_child_is_noticed_though_another_process_holds_its_output_open(box):
    """Long before the deadline, with what it had said; and what it left behind is ended."""
    idle(box)
    events = run(box, "fake_orphan")
    assert [kind for kind, _ in events[-2:]] == ["row", "failed"]
    left, failed = events[-2][1]["row"]["pid"], events[-1][1]
    assert failed["code"] == "child_gone"
    assert "ended with status 7" in failed["why"]
    wait_for(lambda: not alive(left))
    assert Stream(box, "fake_rows", rows=1).until("started")["fresh"]


def test_a_child_that_is_killed_is_replaced_in_the_midst_of_a_run_and_between_runs(box):
    idle(box)
    before = pid(box)
    stream = Stream(box, "fake_rows", **SLOW)
    stream.until("row")
    os.kill(before, signal.SIGKILL)
    failed = stream.until("failed")
    assert failed["code"] == "child_gone"
    assert "SIGKILL" in failed["why"]
    between = pid(box)
    os.kill(between, signal.SIGKILL)
    wait_for(lambda: not alive(between))
    idle(box)
    assert pid(box) not in (before, between)


def test_a_child_that_ends_before_it_ran_anything_is_noticed_and_the_next_run_has_another():
    with boxes.box() as box:
        idle(box)
        children = Path(f"/proc/{box.process.pid}/task/{box.process.pid}/children").read_text("utf-8").split()
        os.kill(int(children[0]), signal.SIGKILL)
        failed = wait_for(lambda: (health := get(box, "/health"))["state"] == "failed" and health)
        assert "ended while it had nothing to do" in failed["why"]
        assert run(box, "fake_rows", rows=1)[-1][0] == "done"
        assert get(box, "/health")["state"] == "idle"


def test_what_the_child_refuses_is_passed_on_and_the_child_is_kept(box):
    idle(box)
    before = pid(box)
    kind, failed = run(box, "fake_refuse")[-1]
    assert (kind, failed) == ("failed", {"code": "refused", "why": "there is no GPU 'h20' in the table"})
    assert pid(box) == before


def test_more_rows_than_any_experiment_has_end_the_child(box):
    idle(box)
    kind, failed = run(box, "fake_flood")[-1]
    assert (kind, failed["code"]) == ("failed", "child_gone")
    assert "rows" in failed["why"]


@pytest.mark.parametrize("start", ["never", "rubbish", "dies"])
def test_a_child_that_never_gets_ready_is_a_sentence_and_is_tried_again(start, tmp_path):
    once = boxes.fake(start=start, once=tmp_path / "tried")
    with boxes.box(child=once, ready_s=2.0) as box:
        failed = wait_for(lambda: (health := get(box, "/health"))["state"] == "failed" and health)
        assert failed["why"].startswith("the process that does the GPU work")
        assert failed["machine"] is None
        assert run(box, "fake_rows", rows=1)[-1][0] == "done"
        assert get(box, "/health")["why"] is None


def test_a_run_on_a_box_whose_child_cannot_start_is_refused_with_a_sentence():
    with boxes.box(child=("/nonexistent/python",)) as box:
        wait_for(lambda: get(box, "/health")["state"] == "failed")
        status, _, raw = ask(box, "POST", "/runs", {"experiment": "fake_rows"})
        assert (status, json.loads(raw)["code"]) == (503, "child_gone")
        assert "cannot be started" in json.loads(raw)["why"]


def test_fifty_clients_at_once_are_all_served_one_at_a_time_in_order():
    with boxes.box() as box, ThreadPoolExecutor(50) as pool:
        first = Stream(box, "fake_rows", **SLOW)
        first.until("started")
        streams = [Stream(box, "fake_rows", rows=3, pace_s=0.001) for _ in range(50)]
        assert get(box, "/health")["queued"] == 50
        read = [pool.submit(list, stream) for stream in streams]
        first.leave()
        runs = [future.result(PATIENCE_S) for future in read]
        assert [events[-1][0] for events in runs] == ["done"] * 50
        read_at = [data["read_at"] for events in runs for kind, data in events if kind == "row"]
        assert len(read_at) == 150
        assert read_at == sorted(read_at)  # the first client's three rows, then the second's, …


def test_eight_tabs_at_once_all_end_well(box):
    idle(box)
    with ThreadPoolExecutor(8) as pool:
        for events in pool.map(lambda _: run(box, "fake_rows", rows=3, pace_s=0.01), range(8)):
            assert [kind for kind, _ in events if kind != "queued"] == ["started", "row", "row", "row", "done"]


def test_silence_is_broken_every_second(box):
    idle(box)
    stream = Stream(box, "fake_hang")
    stream.until("row")
    before = monotonic()
    for line in stream.lines():
        stream.beats += line == ": beat"
        if stream.beats == 3:
            break
    assert 1.0 < monotonic() - before < 10.0  # 0.75 s apart, on a machine that has other work
    stream.leave()


def test_a_box_that_is_stopped_falls_silent_and_goes_on_without_a_loss(box):
    idle(box)
    stream = Stream(box, "fake_rows", rows=60, pace_s=0.05)
    stream.until("row")
    box.pause()
    sleep(2.5)
    box.resume()
    rest = list(stream)
    assert rest[-1][0] == "done"
    assert [data["n"] for kind, data in rest if kind == "row"] == list(range(2, 61))


def test_a_box_that_was_killed_can_be_started_again_at_its_port():
    with boxes.box() as box:
        child = pid(box)
        stream = Stream(box, "fake_rows", **SLOW)
        stream.until("row")
        box.kill()
        with pytest.raises((ConnectionError, AssertionError, OSError)):
            stream.until("done")
        wait_for(lambda: not alive(child))
        with boxes.box(port=box.port) as again:
            assert run(again, "fake_rows", rows=1)[-1][0] == "done"


@pytest.mark.parametrize("experiment", ["fake_rows", "fake_hang", "fake_deaf"])
def test_a_box_that_is_ended_tells_every_stream_and_leaves_no_child(experiment):
    with boxes.box() as box:
        child = pid(box)
        first = Stream(box, experiment, **(SLOW if experiment == "fake_rows" else {}))
        first.until("started")
        second = Stream(box, "fake_nothing")
        second.until("queued")
        box.process.send_signal(signal.SIGINT)
        assert first.until("failed")["code"] == "shutting_down"
        assert second.until("failed")["code"] == "shutting_down"
        box.process.wait(PATIENCE_S)
        assert not alive(child)


def test_a_port_that_is_taken_is_a_sentence():
    with boxes.box() as box:
        command = [sys.executable, "-m", "gpu_backend", "serve", "--port", str(box.port)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert done.returncode == 1
    assert done.stderr == f"gpubook-box: port {box.port} is taken; free it, or take any with --port 0\n"


SLOW_CHILD = (sys.executable, "-c", "import time; time.sleep(600)")


@pytest.mark.parametrize("after_s", [0.0, 0.001, 0.005, 0.02, 0.1])
def test_a_start_that_is_given_up_at_any_moment_ends_and_leaves_no_process(after_s):
    async def give_up():
        start = asyncio.create_task(Worker.start(SLOW_CHILD, 600))
        await asyncio.sleep(after_s)
        start.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(start, PATIENCE_S)

    asyncio.run(give_up())
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text("utf-8").split()
    assert not [child for child in children if alive(child) and "sleep(600)" in command_of(child)]


@pytest.mark.parametrize("after_s", [0.0, 0.1, 0.3, 0.6, 1.0])
def test_ctrl_c_while_it_starts_ends_it(after_s):
    """Before the interpreter is up, Python itself ends; from then on, everything is taken down."""
    command = [sys.executable, "-m", "gpu_backend", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            sleep(after_s)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()  # a signal that is lost ends the test, not the suite


def command_of(process):
    return Path(f"/proc/{process}/cmdline").read_text("utf-8")
