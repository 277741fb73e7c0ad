"""A client of the box for tests: requests with the token, and a run's events one by one."""

import http.client
import json
from collections.abc import Callable, Iterator
from time import monotonic, sleep
from typing import Any

from boxes import Running

Event = tuple[str, dict[str, Any]]
OPEN: list["Stream"] = []
"""Streams that tests have left open; `conftest` hangs up."""

PATIENCE_S = 60.0
"""Machines are shared and noisy; a test that waits so long has failed."""


def ask(box: Running, method: str, path: str, body: Any = None, token: str | None = "", **headers: str):
    """Status, headers in lower case, and the body. `token`: the box's own unless another or None is given."""
    sent = {"Authorization": f"Bearer {box.token if token == '' else token}"} if token is not None else {}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    if body is not None:
        sent.setdefault("Content-Type", "application/json")
    connection = http.client.HTTPConnection("127.0.0.1", box.port, timeout=PATIENCE_S)
    try:
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        raw = answer.read()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, raw
    finally:
        connection.close()


def get(box: Running, path: str) -> dict[str, Any]:
    status, _, raw = ask(box, "GET", path)
    assert status == 200, raw
    return json.loads(raw)


class Stream:
    """A run that is being read."""

    def __init__(self, box: Running, experiment: str, **inputs: Any) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", box.port, timeout=PATIENCE_S)
        body = json.dumps({"experiment": experiment, "inputs": inputs})
        headers = {"Authorization": f"Bearer {box.token}", "Content-Type": "application/json"}
        self._connection.request("POST", "/runs", body, headers)
        self.answer = self._connection.getresponse()
        OPEN.append(self)
        self.beats = 0
        self.ids: list[int] = []

    def lines(self) -> Iterator[str]:
        until = monotonic() + PATIENCE_S
        while line := self.answer.readline():
            assert monotonic() < until, "the stream goes on and on"
            yield line.decode().rstrip("\n")

    def __iter__(self) -> Iterator[Event]:
        """Events to the last; beats are counted."""
        kind, data = "", ""
        for line in self.lines():
            name, _, value = line.partition(": ")
            if line == ": beat":
                self.beats += 1
            elif name == "event":
                kind = value
            elif name == "data":
                data = value
            elif name == "id":
                self.ids.append(int(value))
            elif not line and kind:
                yield kind, json.loads(data)
                kind = ""

    def until(self, kind: str) -> dict[str, Any]:
        """Read on until an event of this kind; its data."""
        for seen, data in self:
            if seen == kind:
                return data
        raise AssertionError(f"the stream ended without {kind!r}")

    def leave(self) -> None:
        """Hang up, as a page that is closed does."""
        self.answer.close()
        self._connection.close()


def run(box: Running, experiment: str, **inputs: Any) -> list[Event]:
    """All events of a run."""
    return list(Stream(box, experiment, **inputs))


def wait_for(what: Callable[[], Any]) -> Any:
    """Ask until the answer is true; return it."""
    until = monotonic() + PATIENCE_S
    while monotonic() < until:
        if found := what():
            return found
        sleep(0.02)
    raise AssertionError("it did not come to pass")
