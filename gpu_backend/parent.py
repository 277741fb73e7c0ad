"""The other end of `gpu_backend.child`: start it, ask it, end it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from types import TracebackType
from typing import Any

Event = dict[str, Any]


class ChildGone(RuntimeError):
    """The process that does the GPU work has ended."""


class Child:
    """A running child process. Use as a context manager: leaving it ends the process."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "gpu_backend.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self.machine: dict[str, str | None] = self._next()["machine"]

    def __enter__(self) -> "Child":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.end()

    def run(self, experiment: str, inputs: dict[str, Any]) -> Iterator[Event]:
        """Ask for one experiment; yield its events up to "done" or "failed". `ChildGone` if the process ends."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"experiment": experiment, "inputs": inputs}) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError as gone:
            raise self._gone() from gone
        while True:
            event = self._next()
            yield event
            if event["event"] in ("done", "failed"):
                return

    def _next(self) -> Event:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise self._gone()
        event: Event = json.loads(line)
        return event

    def _gone(self) -> ChildGone:
        self._close()
        return ChildGone(f"the process that does the GPU work ended with status {self._process.wait(10)}")

    def end(self) -> None:
        """End the process: its input is closed, and what does not leave in two seconds is killed."""
        self._close()
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()
