"""The box: a queue, one run at a time, and the child that does it.

A child is started with the box, and a fresh one as soon as one is no more of use, so that the next run begins at once.
A child that never gets ready is not started again until somebody asks for a run.
"""

import asyncio
from collections import deque
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from gpu_backend import records
from gpu_backend.server.catalogue import Catalogue
from gpu_backend.server.runs import Run
from gpu_backend.server.settings import Settings
from gpu_backend.server.worker import WHO, Event, Gone, Worker

T = TypeVar("T")

MOST_ROWS = 10_000
MOST_ROW_BYTES = 4 << 20
"""A run that yields more than this is none of ours: its process is ended."""


class QueueFull(Exception):
    """As many runs wait as may."""


class Stopped(Exception):
    """The run is to end before it is done."""


class Box:
    """Queue, child and state."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.running: Run | None = None
        self.queue: deque[Run] = deque()
        self.catalogue: Catalogue | None = None
        self.machine: dict[str, Any] | None = None
        self.why: str | None = None
        self.closing = False
        self._worker: Worker | None = None
        self._start: asyncio.Task[Worker] | None = None
        self._more = asyncio.Event()

    @property
    def state(self) -> str:
        """idle, running, starting, restarting or failed."""
        if self._start is not None and not self._start.done():
            return "restarting" if self.machine else "starting"
        if self._worker is None or self._worker.ended:
            return "failed" if self.why else "starting"
        return "running" if self.running else "idle"

    async def known(self) -> Catalogue:
        """Return what can be run; the first time, wait for the child to tell. `Gone` if it does not."""
        if self.catalogue is None:
            await self._ready()
        assert self.catalogue is not None
        return self.catalogue

    def submit(self, experiment: str, inputs: dict[str, Any]) -> Run:
        """Queue a run. `QueueFull` if too many wait."""
        if len(self.queue) >= self.settings.queue_limit:
            raise QueueFull
        run = Run(experiment, inputs, self.settings.buffer_bytes)
        self.queue.append(run)
        run.tell("queued", {"run": run.id, "place": len(self.queue) - 1})
        self._more.set()
        return run

    def cancel(self, name: str) -> bool:
        """Cancel a run that waits or runs; False if there is none of this name."""
        for run in (self.running, *self.queue):
            if run is not None and run.id == name and not run.over:
                run.fail("cancelled", "the run was cancelled")
                self.leave(run)
                return True
        return False

    def leave(self, run: Run) -> None:
        """Nobody reads this run any more: it need not begin, or is to end."""
        run.stop.set()
        if run in self.queue:
            self.queue.remove(run)
            self._places()

    def _places(self) -> None:
        for place, run in enumerate(self.queue):
            run.tell("queued", {"run": run.id, "place": place})

    async def work(self) -> None:
        """Do one run after another, for ever."""
        self._begin()
        while True:
            await self._wait()
            self.running = self.queue.popleft()
            self._places()
            await self._do(self.running)
            self.running = None

    async def _wait(self) -> None:
        """Wait for a run. A child that ends meanwhile is replaced; if it had not run anything, only by the next run."""
        while not self.queue:
            self._more.clear()
            waits: list[Coroutine[Any, Any, Any]] = [self._more.wait()]
            worker = self._worker
            if worker is not None and not worker.ended:
                waits.append(worker.died())
            await _first(*waits)
            if worker is not None and worker.ended and not self.closing:
                self.why = f"{WHO} ended while it had nothing to do"
                self._worker = None
                if worker.runs:
                    self._begin()

    def _begin(self) -> asyncio.Task[Worker]:
        """Start a child unless one is there or on its way."""
        if self._start is None or self._start.done():
            self._start = asyncio.create_task(self._fresh())
            self._start.add_done_callback(lambda task: task.cancelled() or task.exception())  # it stands in `why`
        return self._start

    async def _ready(self) -> Worker:
        if self._worker is not None and not self._worker.ended:
            return self._worker
        return await asyncio.shield(self._begin())

    async def _fresh(self) -> Worker:
        try:
            worker = await Worker.start(self.settings.child, self.settings.ready_s)
            if self.catalogue is None:
                self.catalogue = await self._describe(worker)
        except Gone as gone:
            self.why = str(gone)
            raise
        self._worker, self.machine, self.why = worker, worker.machine, None
        return worker

    async def _describe(self, worker: Worker) -> Catalogue:
        known = False
        try:
            async with asyncio.timeout(self.settings.ready_s):
                await worker.ask({"describe": True})
                event = await worker.event()
            catalogue = Catalogue(event["experiments"])
            known = True
        except (TimeoutError, KeyError, TypeError, ValueError) as broken:
            raise Gone(f"{WHO} did not describe its experiments: {broken!r}") from broken
        finally:
            if not known:
                await worker.kill()
        return catalogue

    async def _do(self, run: Run) -> None:
        """Do one run to its last event."""
        try:
            worker = await _unless(run.stop, self._ready())
        except Stopped:
            return
        except Gone as gone:
            run.fail("child_gone", f"{gone}; the next run tries again")
            return
        worker.runs += 1
        try:
            async with asyncio.timeout(self.settings.deadline_s):
                useful = await self._drive(worker, run)
        except TimeoutError:
            run.fail("deadline", f"the run took longer than {self.settings.deadline_s:g} s, so its process was ended")
            useful = False
        except Gone as gone:
            run.fail("child_gone", f"{gone} in the midst of the run; a fresh one is started")
            useful = False
        except Stopped:
            useful = await self._wind_down(worker, run)
        if not useful:
            await self._replace(worker)

    async def _drive(self, worker: Worker, run: Run) -> bool:
        """Pass the child's events on; whether it can be used again."""
        rows: list[dict[str, Any]] = []
        left = MOST_ROW_BYTES
        await worker.ask({"id": run.id, "experiment": run.experiment, "inputs": run.inputs})
        while True:
            event = await _unless(run.stop, worker.event())
            match event:
                case {"event": "begin"}:
                    run.tell("started", self._started(worker, run, event))
                case {"event": "row", "row": dict(row), "read_at": float() | int() as read_at}:
                    rows.append(row)
                    left -= len(str(row))
                    if len(rows) > MOST_ROWS or left < 0:
                        raise Gone(f"{WHO} sent more than {MOST_ROWS:,} rows or {MOST_ROW_BYTES:,} bytes of them")
                    run.tell("row", {"n": len(rows), "row": row, "read_at": read_at})
                case {"event": "done", "inputs": dict(inputs)}:
                    run.tell("done", {"record": self._record(worker, run, inputs, rows)})
                    return True
                case {"event": "failed", "why": str(why), "code": str(code)}:
                    run.fail(code, why)
                    return not event.get("fatal")
                case _:
                    raise Gone(f"{WHO} sent what is no event of a run: {str(event)[:60]}")

    def _started(self, worker: Worker, run: Run, event: Event) -> dict[str, Any]:
        return {
            "run": run.id,
            "machine": worker.machine,
            "points": event.get("points"),
            "deadline_s": self.settings.deadline_s,
            "fresh": worker.runs == 1,
        }

    def _record(self, worker: Worker, run: Run, inputs: dict[str, Any], rows: list[dict[str, Any]]) -> dict[str, Any]:
        assert self.catalogue is not None
        about = self.catalogue.entries[run.experiment]
        return records.record(worker.machine, about.method, inputs, about.figure, [rows])

    async def _wind_down(self, worker: Worker, run: Run) -> bool:
        """Ask the child to stop at the next row; whether it did."""
        try:
            async with asyncio.timeout(self.settings.grace_s):
                await worker.ask({"cancel": run.id})
                while (event := await worker.event())["event"] not in ("done", "failed"):
                    pass
        except (TimeoutError, Gone):
            return False
        return not event.get("fatal")

    async def _replace(self, worker: Worker) -> None:
        await worker.kill()
        self._worker = None
        if not self.closing:
            self._begin()

    async def stop(self) -> None:
        """End all runs, each with a last event, and the child."""
        self.closing = True
        for run in (self.running, *self.queue):
            if run is not None:
                run.fail("shutting_down", "the box is being stopped")
                run.stop.set()
        self.queue.clear()
        if self._start is not None and not self._start.done():
            self._start.cancel()
            with suppress(asyncio.CancelledError, Gone):
                await self._start
        if self._worker is not None:
            await self._worker.end()


async def _first(*waits: Coroutine[Any, Any, Any]) -> None:
    """Wait for one of several things; the others are not waited for any more."""
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await _drop(*tasks)


async def _unless(stop: asyncio.Event, work: Coroutine[Any, Any, T]) -> T:
    """Return what the work gives; `Stopped` if the event is set before."""
    task, stopped = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait((task, stopped), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise Stopped
        return task.result()
    finally:
        await _drop(task, stopped)


async def _drop(*tasks: asyncio.Future[Any]) -> None:
    """End tasks, and wait until they have: two may not read from one pipe."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
