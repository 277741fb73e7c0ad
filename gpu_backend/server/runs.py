"""A run: what was asked for, and the events that wait for its reader.

The reader is a stream. What it has not taken yet is bounded: a reader that lags behind by more is dropped and its run
cancelled.
"""

import asyncio
import json
from collections import deque
from secrets import token_hex
from typing import Any

Failure = str
"""refused, needs_gpu, kernel, child_gone, deadline, shutting_down or cancelled."""


class Run:
    """One run, from its place in the queue to its last event."""

    def __init__(self, experiment: str, inputs: dict[str, Any], buffer_bytes: int) -> None:
        self.id = token_hex(8)
        self.experiment = experiment
        self.inputs = inputs
        self.stop = asyncio.Event()
        """Set when the run is to end before it is done."""
        self.over = False
        """Whether its last event has been told."""
        self.lagging = False
        """Whether its reader is too far behind."""
        self._limit = buffer_bytes
        self._frames: deque[tuple[str, int, bytes]] = deque()
        self._bytes = 0
        self._told = 0
        self._news = asyncio.Event()

    def tell(self, kind: str, data: dict[str, Any]) -> None:
        """Hand the reader an event; a place in the queue replaces one that was not taken."""
        if self.over or self.lagging:
            return
        if kind == "queued" and self._frames and self._frames[-1][0] == "queued":
            _, number, old = self._frames.pop()
            self._bytes -= len(old)
        else:
            self._told += 1
            number = self._told
        frame = f"event: {kind}\nid: {number}\ndata: {json.dumps(data, allow_nan=False)}\n\n".encode()
        self._frames.append((kind, number, frame))
        self._bytes += len(frame)
        if kind in ("done", "failed"):
            self.over = True
        elif self._bytes > self._limit:
            self.lagging = True
            self.stop.set()
        self._news.set()

    def fail(self, code: Failure, why: str) -> None:
        """Tell the last event of a run that is not done."""
        self.tell("failed", {"code": code, "why": why})

    def take(self) -> bytes:
        """Return all events that wait, in the stream's form; none: empty."""
        frames = b"".join(frame for _, _, frame in self._frames)
        self._frames.clear()
        self._bytes = 0
        self._news.clear()
        return frames

    async def news(self) -> None:
        """Wait until there is something to take."""
        await self._news.wait()
