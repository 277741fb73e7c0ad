"""A site served for a test: what was asked of it, and what the test does to its answers."""

from __future__ import annotations

import asyncio
import http.server
import io
import re
import threading
import zipfile
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from aiohttp import web

from bookbuild import bundle, serve

T = TypeVar("T")
Edit = Callable[[bytes], bytes]

HOST = "127.0.0.1"
BROWSERS_OWN = (".google.com", ".googleapis.com", ".gvt1.com")
"""Hosts that Chromium asks on its own behalf, whatever page is open; what pages ask is seen as well by `Watch`."""


def swap(old: str, new: str) -> Edit:
    """Return an edit that replaces a text standing exactly once."""

    def edit(content: bytes) -> bytes:
        text = content.decode("utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in what was to be edited"
        return text.replace(old, new).encode()

    return edit


def within(member: str, edit: Edit) -> Edit:
    """Return an edit of one file of a served archive."""

    def edited(content: bytes) -> bytes:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        files[member] = edit(files[member])
        return bundle.archive(files)

    return edited


def only(*keys: str) -> Edit:
    """Return an edit of a chapter's page that leaves these figures on it, for tests to which the others do nothing."""

    def edit(page: bytes) -> bytes:
        found = re.findall(rb'<figure class="fig .*?</figure>', page, re.DOTALL)
        for figure in found:
            if not re.search(rb'data-figure="(%s)"' % b"|".join(key.encode() for key in keys), figure):
                page = page.replace(figure, b"")
        return page

    return edit


class Loop:
    """An event loop in a thread of its own, for servers beside a test."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="servers")
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(timeout=60)

    def call(self, function: Callable[[], object]) -> None:
        self.loop.call_soon_threadsafe(function)

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


class Site:
    """One deployment at one address: the book's own server, with a test between it and the browser."""

    def __init__(self, loop: Loop, folder: Path) -> None:
        self.folder = folder
        self.asked: list[str] = []
        """Paths, in the order they were asked for."""
        self.edits: dict[str, Edit] = {}
        """What to do to the files whose path matches a pattern."""
        self.refused = ""
        """Pattern of the paths that are answered with 503."""
        self.cached = True
        """Whether browsers may keep what they got."""
        self._loop = loop
        self._held, self._open = "", asyncio.Event()
        self._runner = loop.run(self._start())
        self.url = f"http://{HOST}:{self._runner.addresses[0][1]}/"

    async def _start(self) -> web.AppRunner:
        app = serve.application(self.folder)
        app.middlewares.append(self._between)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, HOST, 0).start()
        return runner

    @web.middleware
    async def _between(self, request: web.Request, handler: Any) -> web.StreamResponse:
        path = request.path
        self.asked.append(path)
        if self._held and re.search(self._held, path):
            await self._open.wait()
        if self.refused and re.search(self.refused, path):
            return web.Response(status=503, headers={"Cache-Control": "no-store"})
        for pattern, edit in self.edits.items():
            if re.search(pattern, path):
                file = self.folder / path.lstrip("/")
                file = file / "index.html" if path.endswith("/") else file
                headers = {"Content-Type": serve.TYPES[file.suffix], "Cache-Control": "no-store"}
                content = edit(file.read_bytes())
                return web.Response(body=content, headers=headers)
        answer: web.StreamResponse = await handler(request)
        if not self.cached:
            answer.headers["Cache-Control"] = "no-store"
        return answer

    def count(self, pattern: str) -> int:
        """How often a path matching the pattern was asked for."""
        return sum(1 for path in self.asked if re.search(pattern, path))

    def hold(self, pattern: str) -> None:
        """Let requests for these paths wait for `release`."""
        self._held = pattern

    def release(self) -> None:
        self._held = ""
        self._loop.call(self._open.set)

    def close(self) -> None:
        self.release()
        self._loop.run(self._runner.cleanup())


class Elsewhere:
    """A proxy for every other host: it lets nothing through and remembers who was asked for."""

    def __init__(self, loop: Loop) -> None:
        self.hosts: list[str] = []
        self._loop = loop
        self._server = loop.run(asyncio.start_server(self._refuse, HOST, 0))
        self.url = f"http://{HOST}:{self._server.sockets[0].getsockname()[1]}"

    async def _refuse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = (await reader.readline()).decode("latin-1")
        if (found := re.match(r"\w+ (?:\w+://)?([^:/\s]+)", line)) and not found[1].endswith(BROWSERS_OWN):
            self.hosts.append(found[1])
        writer.close()

    async def _stop(self) -> None:
        self._server.close()
        await self._server.wait_closed()

    def close(self) -> None:
        self._loop.run(self._stop())


class _Plain(http.server.SimpleHTTPRequestHandler):
    """Python's own file server under a prefix: no compression, no validators worth the name, no headers of ours."""

    prefix = "/books/warp"

    def __init__(self, *args: Any, asked: list[str], **kwargs: Any) -> None:
        self.asked = asked
        super().__init__(*args, **kwargs)

    def translate_path(self, path: str) -> str:
        self.asked.append(path)
        return super().translate_path(path.removeprefix(self.prefix) if path.startswith(self.prefix) else "/nothing")

    def log_message(self, *args: Any) -> None:
        pass


@contextmanager
def plain_host(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Serve a folder as the dumbest of hosts does, under a sub-path: its address and the paths asked for."""
    asked: list[str] = []
    server = http.server.ThreadingHTTPServer((HOST, 0), partial(_Plain, asked=asked, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, name="plain host")
    thread.start()
    try:
        yield f"http://{HOST}:{server.server_port}{_Plain.prefix}/", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
