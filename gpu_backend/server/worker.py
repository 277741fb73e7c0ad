"""The process that does the GPU work, seen from the event loop: start it, ask it, read its events, end it.

Protocol: `gpu_backend.child`. Whatever the process does wrong (it ends, prints what is no event, never gets ready) is
`Gone`, with a sentence; it is then not used again.
"""

import asyncio
import json
import os
import signal
from asyncio.subprocess import Process, SubprocessStreamProtocol
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from gpu_backend.server import strict_json
from gpu_backend.server.waiting import drop

Event = dict[str, Any]

LONGEST_LINE = 1 << 20
END_S = 2.0
"""How long a process may take to leave once its input is closed."""
KILL_S = 10.0
LAST_WORDS_S = 1.0
"""How long after its end what a process had written is waited for: another that it started may hold its output open."""
WHO = "the process that does the GPU work"


class Gone(Exception):
    """The process is of no more use; the message says why."""


class _Pipes(SubprocessStreamProtocol):
    """asyncio's pipes to a process, and its end itself: `Process.wait` may wait until its pipes are closed too."""

    def __init__(self) -> None:
        super().__init__(limit=LONGEST_LINE, loop=asyncio.get_running_loop())
        self.exited = asyncio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.exited.set()


async def _spawn(command: Sequence[str]) -> "Worker":
    transport, pipes = await asyncio.get_running_loop().subprocess_exec(
        _Pipes,
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=None,
        start_new_session=True,  # Ctrl+C is the server's; and its compilers end with it
    )
    return Worker(Process(transport, pipes, asyncio.get_running_loop()), pipes.exited)


class Worker:
    """A running child process that has said that it is ready."""

    def __init__(self, process: Process, exited: asyncio.Event) -> None:
        self._process = process
        self._exited = exited
        self.machine: dict[str, Any] = {}
        self.runs = 0
        """Runs that it was asked for."""

    @classmethod
    async def start(cls, command: Sequence[str], ready_s: float) -> "Worker":
        """Start one and wait until it is ready. `Gone` if it does not get so far."""
        spawning = asyncio.ensure_future(_spawn(command))
        try:
            worker = await asyncio.shield(spawning)  # asyncio (CPython 3.11) hangs if it is cancelled half way
        except OSError as broken:
            raise Gone(f"{WHO} cannot be started: {broken}") from broken
        except asyncio.CancelledError:
            await (await spawning).kill()
            raise
        ready = False
        try:
            async with asyncio.timeout(ready_s):
                event = await worker.event()
            if event["event"] != "ready" or not isinstance(event.get("machine"), dict):
                raise Gone(f"{WHO} sent {event['event']!r} before it was ready")
            worker.machine = event["machine"]
            ready = True
        except TimeoutError:
            raise Gone(f"{WHO} was not ready after {ready_s:g} s") from None
        finally:
            if not ready:
                await worker.kill()
        return worker

    async def ask(self, request: Mapping[str, Any]) -> None:
        """Send one request. `Gone` if nobody reads."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError) as gone:
            raise await self._gone() from gone

    async def event(self) -> Event:
        """Return the next event. `Gone` if there is none, or what comes is none."""
        try:
            line = await self._line()
        except ValueError as long:
            raise Gone(f"{WHO} sent a line of more than {LONGEST_LINE:,} bytes") from long
        if not line.endswith(b"\n"):
            raise await self._gone()
        try:
            event = strict_json.loads(line)
        except strict_json.NotJson as rubbish:
            raise Gone(f"{WHO} sent what is no event: {line[:60]!r}") from rubbish
        if not isinstance(event, dict) or not isinstance(event.get("event"), str):
            raise Gone(f"{WHO} sent what is no event: {line[:60]!r}")
        return event

    async def _line(self) -> bytes:
        assert self._process.stdout is not None
        reading = asyncio.ensure_future(self._process.stdout.readline())
        ended = asyncio.ensure_future(self._exited.wait())
        try:
            await asyncio.wait((reading, ended), return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                await asyncio.wait((reading,), timeout=LAST_WORDS_S)
            if not reading.done():
                raise await self._gone()
            return reading.result()
        finally:
            await drop(reading, ended)

    async def died(self) -> None:
        """Wait until the process has ended, even if others hold its output open."""
        await self._exited.wait()

    @property
    def ended(self) -> bool:
        """Whether it has."""
        return self._process.returncode is not None

    async def _gone(self) -> Gone:
        try:
            async with asyncio.timeout(END_S):
                await self._exited.wait()
        except TimeoutError:
            return Gone(f"{WHO} closed its output")
        status = self._process.returncode
        assert status is not None
        if status < 0:
            return Gone(f"{WHO} was ended by {signal.Signals(-status).name}")
        return Gone(f"{WHO} ended with status {status}")

    async def end(self) -> None:
        """End it: its input is closed, and what has not left in two seconds is killed."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(END_S):
                await self._exited.wait()
        await self.kill()

    async def kill(self) -> None:
        """Kill it, with what it started. One that even that does not end (a hung driver) is left to itself."""
        if not self.ended or not await self._emptied(LAST_WORDS_S):
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            await self._emptied(KILL_S)

    async def _emptied(self, within_s: float) -> bool:
        """Read its output to the end (a full pipe keeps asyncio from seeing it); False if others hold that open."""
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(within_s):
                while await self._process.stdout.read(LONGEST_LINE):
                    pass
                await self._process.wait()
        except (TimeoutError, ValueError):
            return False
        return True
