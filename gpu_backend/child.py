"""The process that does the GPU work: one JSON request a line on standard input, JSON events on standard output.

A request is {"experiment": name, "inputs": {…}}. Events, one a line: {"event": "ready", "machine": {…}} once; then for
each request {"event": "row", "row": {…}} for every measured point as it is there, and {"event": "done"} or {"event":
"failed", "why": sentence}. Whatever else prints goes to standard error. The parent ends the process to cancel, and
starts a fresh one after a failure that may have poisoned the CUDA context ("fatal": true).
"""

import json
import os
import sys
import traceback
from collections.abc import Iterator
from typing import Any, TextIO

from pydantic import ValidationError

Event = dict[str, Any]


def answer(request: dict[str, Any]) -> Iterator[Event]:
    """Do one request; yield its events."""
    from gpu_backend import experiments, machine
    from gpu_backend.records import rounded

    try:
        experiment = experiments.load(request["experiment"])
        inputs = experiment.inputs.model_validate(request.get("inputs", {}))
    except (ValueError, KeyError) as refused:  # ValidationError is a ValueError
        yield {"event": "failed", "why": sentence(refused), "fatal": False}
        return
    if experiment.needs_gpu and not machine.has_gpu():
        yield {"event": "failed", "why": f"{experiment.name} needs a CUDA GPU; there is none here", "fatal": False}
        return
    try:
        for row in experiment.rows(inputs):
            yield {"event": "row", "row": rounded(row)}
    except (ValueError, RuntimeError) as broken:  # CUDA's errors are RuntimeErrors and outlive their launch
        traceback.print_exc()  # for whoever runs the box; the asker gets a sentence
        yield {"event": "failed", "why": sentence(broken), "fatal": isinstance(broken, RuntimeError)}
        return
    yield {"event": "done", "inputs": inputs.model_dump(mode="json") | experiment.setup}


def sentence(error: Exception) -> str:
    """What went wrong, in one line."""
    if isinstance(error, ValidationError):
        return "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}, not {e['input']!r}" for e in error.errors())
    first = (str(error).strip() or "no message").splitlines()[0]
    return first if isinstance(error, ValueError) else f"{type(error).__name__}: {first}"


def serve(requests: TextIO, events: TextIO) -> None:
    """Answer requests until standard input ends."""
    from gpu_backend import machine

    def send(event: Event) -> None:
        events.write(json.dumps(event, ensure_ascii=False) + "\n")
        events.flush()

    send({"event": "ready", "machine": machine.describe()})
    for line in requests:
        try:
            request = json.loads(line)
        except json.JSONDecodeError as broken:
            send({"event": "failed", "why": f"a request must be one line of JSON: {broken}", "fatal": False})
            continue
        if not isinstance(request, dict):
            send({"event": "failed", "why": f"a request must be an object, not {request!r}", "fatal": False})
            continue
        for event in answer(request):
            send(event)


def main() -> None:
    """Run as `python -m gpu_backend.child`."""
    events = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print must not end up between events
    serve(sys.stdin, events)


if __name__ == "__main__":
    main()
