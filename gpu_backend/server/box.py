"""The box: a queue, one run at a time, and the child that does it."""

import asyncio
from collections import deque
from typing import Any

from gpu_backend import records
from gpu_backend.server.keeper import Keeper
from gpu_backend.server.runs import Run
from gpu_backend.server.settings import Settings
from gpu_backend.server.waiting import Stopped, drop, first, unless
from gpu_backend.server.worker import WHO, Event, Gone, Worker

MOST_ROWS = 10_000
MOST_ROW_BYTES = 4 << 20
"""A run that yields more than this is none of ours: its process is ended."""


class QueueFull(Exception):
    """As many runs wait as may."""


class Box:
    """Queue, child and state."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.child = Keeper(settings)
        self.running: Run | None = None
        self.queue: deque[Run] = deque()
        self.closing = False
        self._more = asyncio.Event()
        self._work: asyncio.Task[None] | None = None

    @property
    def state(self) -> str:
        """idle, running, starting, restarting or failed."""
        if self.child.starting:
            return "restarting" if self.child.machine else "starting"
        if not self.child.alive:
            return "failed" if self.child.why else "starting"
        return "running" if self.running else "idle"

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

    def start(self) -> asyncio.Task[None]:
        """Start the child, and work on what is queued; the task never ends by itself."""
        self.child.begin()
        self._work = asyncio.create_task(self._loop())
        return self._work

    async def stop(self) -> None:
        """End all runs, each with a last event, and the child."""
        self.closing = True
        for run in (self.running, *self.queue):
            if run is not None:
                run.fail("shutting_down", "the box is being stopped")
        self.queue.clear()
        if self._work is not None and not self._work.done():
            await drop(self._work)
        await self.child.end()

    async def _loop(self) -> None:
        while True:
            while not self.queue:
                self._more.clear()
                await first(self._more.wait(), self.child.change())
            self.running = self.queue.popleft()
            self._places()
            await self._do(self.running)
            self.running = None

    async def _do(self, run: Run) -> None:
        """Do one run to its last event."""
        try:
            worker = await unless(run.stop, self.child.ready())
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
            await self.child.replace(worker)

    async def _drive(self, worker: Worker, run: Run) -> bool:
        """Pass the child's events on; whether it can be used again."""
        rows: list[dict[str, Any]] = []
        left = MOST_ROW_BYTES
        await worker.ask({"id": run.id, "experiment": run.experiment, "inputs": run.inputs})
        while True:
            event = await unless(run.stop, worker.event())
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
        assert self.child.catalogue is not None
        about = self.child.catalogue.entries[run.experiment]
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
