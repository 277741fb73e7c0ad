"""The process that does the GPU work: one JSON request a line on standard input, JSON events on standard output.

A request is {"experiment": name, "inputs": {…}}, with an "id" if it may be cancelled; {"cancel": id} ends that request
before its next row; {"describe": true} asks for all experiments. Events, one a line: {"event": "ready", "machine": {…}}
once; then for each request {"event": "begin", "points": rows to come, or null}, {"event": "row", "row": {…}, "read_at":
Unix seconds} for every measured point as it is there, and {"event": "done", "inputs": {…}} or {"event": "failed",
"code": …, "why": sentence}; to the question {"event": "experiments", "experiments": […]}. Whatever else prints goes to
standard error. The parent ends the process to cancel at once, and starts a fresh one after a failure that may have
poisoned the CUDA context ("fatal": true).
"""

import ctypes
import json
import os
import signal
import sys
import traceback
from collections.abc import Iterator
from queue import SimpleQueue
from threading import Thread
from time import time
from typing import Any, TextIO

from pydantic import ValidationError

from gpu_backend import wrong_inputs

Event = dict[str, Any]
PR_SET_PDEATHSIG = 1  # linux/prctl.h


class Requests:
    """What comes on standard input, read by a thread of its own so that a cancellation is seen between rows."""

    def __init__(self, lines: TextIO) -> None:
        self._lines = lines
        self._waiting: SimpleQueue[str | dict[str, Any] | None] = SimpleQueue()
        self._cancelled: str | None = None
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._lines:
            try:
                request = json.loads(line)
            except (ValueError, RecursionError) as broken:
                self._waiting.put(f"a request must be one line of JSON: {broken}")
                continue
            if not isinstance(request, dict):
                self._waiting.put(f"a request must be an object, not {request!r}")
            elif "cancel" in request:
                self._cancelled = request["cancel"]
            else:
                self._waiting.put(request)
        self._waiting.put(None)

    def __iter__(self) -> Iterator[str | dict[str, Any]]:
        """Requests, and sentences for lines that are none, until the input ends."""
        while (request := self._waiting.get()) is not None:
            yield request

    def cancelled(self, request: dict[str, Any]) -> bool:
        """Whether the request has been cancelled."""
        return "id" in request and self._cancelled == request["id"]


def answer(request: dict[str, Any]) -> Iterator[Event]:
    """Do one request; yield its events."""
    from gpu_backend import experiments, machine
    from gpu_backend.checking import WrongResult
    from gpu_backend.records import rounded

    try:
        experiment = experiments.load(request["experiment"])
        inputs = experiment.inputs.model_validate(request.get("inputs", {}))
    except ValidationError as refused:
        yield failed("refused", wrong_inputs.sentence(refused, experiment.inputs.model_json_schema()["properties"]))
        return
    except (ValueError, KeyError) as refused:
        yield failed("refused", sentence(refused))
        return
    if experiment.needs_gpu and not machine.has_gpu():
        yield failed("needs_gpu", f"{experiment.name} needs a CUDA GPU; there is none here")
        return
    points = experiment.count(inputs)
    if points == 0:
        why = f"nothing is left to measure with {inputs}; the first of two bounds may not be the greater"
        yield failed("refused", why)
        return
    yield {"event": "begin", "points": points}
    try:
        for row in experiment.rows(inputs):
            yield {"event": "row", "row": rounded(row), "read_at": time()}
    except (ValueError, RuntimeError) as broken:  # CUDA's errors are RuntimeErrors and outlive their launch
        traceback.print_exc()  # for whoever runs the box; the asker gets a sentence
        wrong = isinstance(broken, RuntimeError | WrongResult)
        yield failed("kernel" if wrong else "refused", sentence(broken), fatal=isinstance(broken, RuntimeError))
        return
    yield {"event": "done", "inputs": inputs.model_dump(mode="json") | experiment.setup}


def failed(code: str, why: str, fatal: bool = False) -> Event:
    """The last event of a request that is not done."""
    return {"event": "failed", "code": code, "why": why, "fatal": fatal}


def sentence(error: Exception) -> str:
    """What went wrong, in one line."""
    first = (str(error).strip() or "no message").splitlines()[0]
    return first if isinstance(error, ValueError) else f"{type(error).__name__}: {first}"


def describe() -> list[dict[str, Any]]:
    """All experiments: what each measures, the JSON schema of its inputs, rows with the default ones."""
    from gpu_backend import experiments, machine

    return [
        {
            "name": experiment.name,
            "figure": experiment.figure,
            "method": experiment.method,
            "needs_gpu": experiment.needs_gpu,
            "available": machine.has_gpu() or not experiment.needs_gpu,
            "schema": experiment.inputs.model_json_schema(),
            "points": experiment.count(experiment.inputs()),
        }
        for experiment in map(experiments.load, experiments.names())
    ]


def serve(lines: TextIO, events: TextIO) -> None:
    """Answer requests until standard input ends."""
    from gpu_backend import machine

    def send(event: Event) -> None:
        events.write(json.dumps(event, ensure_ascii=False) + "\n")
        events.flush()

    send({"event": "ready", "machine": machine.describe()})
    requests = Requests(lines)
    for request in requests:
        if isinstance(request, str):
            send(failed("refused", request))
        elif "describe" in request:
            send({"event": "experiments", "experiments": describe()})
        else:
            for event in answer(request):
                if requests.cancelled(request):
                    send(failed("cancelled", "the run was cancelled"))
                    break
                send(event)


def end_with_parent() -> None:
    """A parent that is killed takes this process along, even in the midst of a kernel (Linux: prctl(2))."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def main() -> None:
    """Run as `python -m gpu_backend.child`."""
    end_with_parent()
    events = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print must not end up between events
    serve(sys.stdin, events)


if __name__ == "__main__":
    main()
