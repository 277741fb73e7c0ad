"""uvicorn's HTTP/1.1 connection with two things that it lacks: a time limit for a request's head, and an abort.

Without the first, a client that never ends its request keeps a connection for good; without the second, so does one
that never reads (closing waits until all is sent).
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from gpu_backend.server.stream import ABORT


def within(request_s: float) -> "type[Connection]":
    """The class of a box's connections, which wait so long for a request's head (uvicorn makes them itself)."""
    return type("Connection", (Connection,), {"request_s": request_s})


class Connection(H11Protocol):
    """One connection."""

    request_s: float

    _impatience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """A client has come: its request is awaited."""
        super().connection_made(transport)
        self._await_request()

    def data_received(self, data: bytes) -> None:
        """Part of a request has come."""
        super().data_received(data)
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone."""
        self._calm()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Requests are taken from what came; each can end the connection."""
        super().handle_events()
        if self.scope is not None:
            self.scope.setdefault("extensions", {})[ABORT] = self.transport.abort  # type: ignore[typeddict-item]
        self._await_request()

    def _await_request(self) -> None:
        """Between requests the clock runs; it is not set back by bytes that trickle in."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._calm()
        elif self._impatience is None and not self.transport.is_closing():
            self._impatience = self.loop.call_later(self.request_s, self.transport.abort)

    def _calm(self) -> None:
        if self._impatience is not None:
            self._impatience.cancel()
            self._impatience = None
