"""The book's own server in a process of its own, with a count of what it sent."""

from __future__ import annotations

import asyncio
import multiprocessing
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from aiohttp import web

from bookbuild import serve


async def _serve(folder: Path, address: Connection, sent: Any) -> None:
    async def count(request: web.Request, response: web.StreamResponse) -> None:
        with sent.get_lock():
            sent.value += response.content_length or 0

    site = serve.application(folder)
    site.on_response_prepare.append(count)
    listening = serve.listen("127.0.0.1", 0, 0)
    runner = web.AppRunner(site, access_log=None)
    await runner.setup()
    await web.SockSite(runner, listening).start()
    address.send(f"http://127.0.0.1:{listening.getsockname()[1]}/")
    await asyncio.Event().wait()


def _run(folder: Path, address: Connection, sent: Any) -> None:
    asyncio.run(_serve(folder, address, sent))


class Server:
    """Serves a folder while its `with` block runs; `address` is its root."""

    def __init__(self, folder: Path) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._sent = spawn.Value("q", 0)
        self._address, theirs = spawn.Pipe(duplex=False)
        self._process = spawn.Process(target=_run, args=(folder, theirs, self._sent), daemon=True)
        self.address = ""

    def __enter__(self) -> Server:
        self._process.start()
        self.address = self._address.recv()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.join()

    def take(self) -> int:
        """Return the bytes of bodies sent since the last call, compressed as they were."""
        with self._sent.get_lock():
            sent, self._sent.value = self._sent.value, 0
        return int(sent)
