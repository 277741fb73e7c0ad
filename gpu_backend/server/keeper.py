"""Keeps a child at hand: one is started with the box, and a fresh one as soon as one is no more of use.

A child that never gets ready is not started again until somebody asks for it.
"""

import asyncio
from typing import Any

from gpu_backend.server.catalogue import Catalogue
from gpu_backend.server.settings import Settings
from gpu_backend.server.waiting import drop
from gpu_backend.server.worker import WHO, Gone, Worker


class Keeper:
    """The child, or why there is none."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.worker: Worker | None = None
        self.catalogue: Catalogue | None = None
        self.machine: dict[str, Any] | None = None
        self.why: str | None = None
        self._start: asyncio.Task[Worker] | None = None

    @property
    def starting(self) -> bool:
        """Whether a child is on its way."""
        return self._start is not None and not self._start.done()

    @property
    def alive(self) -> bool:
        """Whether a child is there."""
        return self.worker is not None and not self.worker.ended

    def begin(self) -> asyncio.Task[Worker]:
        """Start a child unless one is on its way."""
        if self._start is None or self._start.done():
            self._start = asyncio.create_task(self._fresh())
            self._start.add_done_callback(lambda task: task.cancelled() or task.exception())  # it stands in `why`
        return self._start

    async def ready(self) -> Worker:
        """Return the child, started if need be. `Gone` if it does not get ready."""
        if self.worker is not None and not self.worker.ended:
            return self.worker
        return await asyncio.shield(self.begin())

    async def known(self) -> Catalogue:
        """Return what can be run; the first time, wait for the child to tell. `Gone` if it does not."""
        if self.catalogue is None:
            await self.ready()
        assert self.catalogue is not None
        return self.catalogue

    async def change(self) -> None:
        """Wait until a child has come or gone; one that went by itself is replaced.

        One that had not run anything is not: it would go again, and again.
        """
        worker = self.worker
        if self.starting:
            await asyncio.wait((self.begin(),))
        elif worker is None or worker.ended:
            await asyncio.Event().wait()  # for ever: somebody has to ask for one
        else:
            await worker.died()
            self.why = f"{WHO} ended while it had nothing to do"
            self.worker = None
            if worker.runs:
                self.begin()

    async def replace(self, worker: Worker) -> None:
        """End a child, and start a fresh one."""
        await worker.kill()
        self.worker = None
        self.begin()

    async def end(self) -> None:
        """End the child, and one that is on its way."""
        if self._start is not None:
            await drop(self._start)
        if self.worker is not None:
            await self.worker.end()

    async def _fresh(self) -> Worker:
        try:
            worker = await Worker.start(self._settings.child, self._settings.ready_s)
            if self.catalogue is None:
                self.catalogue = await self._describe(worker)
        except Gone as gone:
            self.why = str(gone)
            raise
        self.worker, self.machine, self.why = worker, worker.machine, None
        return worker

    async def _describe(self, worker: Worker) -> Catalogue:
        known = False
        try:
            async with asyncio.timeout(self._settings.ready_s):
                await worker.ask({"describe": True})
                event = await worker.event()
            catalogue = Catalogue(event["experiments"])
            known = True
        except (TimeoutError, KeyError, TypeError, ValueError, AttributeError) as broken:
            raise Gone(f"{WHO} did not describe its experiments: {broken!r}") from broken
        finally:
            if not known:
                await worker.kill()
        return catalogue
