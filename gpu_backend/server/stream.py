"""A run as server-sent events: the stream is the run, and when its reader goes, the run is cancelled.

Source: HTML standard, 9.2 Server-sent events (format, comments against silence).
"""

import asyncio
from collections.abc import Awaitable, Callable

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from gpu_backend.server.runs import Run
from gpu_backend.server.settings import Settings

ABORT = "gpubook.abort"
"""Extension of the scope: end the connection at once, whatever waits to be sent (`connection.py`)."""
BEAT = b": beat\n\n"


class Stream(Response):
    """Answer with a run's events until its last."""

    def __init__(self, run: Run, settings: Settings, leave: Callable[[Run], None]) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self.headers["content-type"] = "text/event-stream; charset=utf-8"
        self._run = run
        self._settings = settings
        self._leave = leave

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events as they come, and a comment when none does; end with the run or with the reader."""
        gone = asyncio.ensure_future(_until_gone(receive))
        sending = asyncio.ensure_future(self._send(send))
        try:
            await asyncio.wait((gone, sending), return_when=asyncio.FIRST_COMPLETED)
            if sending.done() and not sending.result():  # the reader takes nothing: what waits for it goes nowhere
                scope["extensions"][ABORT]()
                await gone
        finally:
            self._leave(self._run)
            gone.cancel()
            sending.cancel()

    async def _send(self, send: Send) -> bool:
        """Whether all was sent; False for a reader that does not read."""
        run = self._run
        try:
            await self._within(send({"type": "http.response.start", "status": 200, "headers": self.raw_headers}))
            while True:
                over = run.over
                frames = run.take()
                if run.lagging:
                    return False
                if frames:
                    await self._within(send({"type": "http.response.body", "body": frames, "more_body": not over}))
                if over:
                    return True
                try:
                    async with asyncio.timeout(self._settings.beat_s):
                        await run.news()
                except TimeoutError:
                    await self._within(send({"type": "http.response.body", "body": BEAT, "more_body": True}))
        except _Stalled:
            return False

    async def _within(self, sent: Awaitable[None]) -> None:
        try:
            async with asyncio.timeout(self._settings.stall_s):
                await sent
        except TimeoutError:
            raise _Stalled from None


class _Stalled(Exception):
    """The reader has taken nothing for too long."""


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
