"""Serve a built site: right types, compressed siblings, validators, and names with a hash kept for good."""

import asyncio
import errno
import html
import re
import socket
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from aiohttp import web

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".webp": "image/webp",
    ".wasm": "application/wasm",
    ".zip": "application/zip",
    ".whl": "application/zip",
}
OTHER = "application/octet-stream"

_HASHED = re.compile(r"[.-][0-9a-f]{8}(?:/|\.)")
FOR_GOOD = "public, max-age=31536000, immutable"
ASK_FIRST = "no-cache"

_NOT_FOUND = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>404</title>'
    '<p>There is no {path} here.</p><p><a href="/">The book begins here</a> · '
    '<a href="/" lang="zh-Hans">本书从这里开始</a></p></html>'
)


class PortTaken(Exception):
    """The port that was asked for is not free."""


def application(out: Path) -> web.Application:
    """Return a server for the site in `out`, which may be replaced while it runs."""

    async def answer(request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        path = (out / name).resolve()
        if not path.is_relative_to(out.resolve()):
            return _missing(request)
        if path.is_dir():
            if name and not name.endswith("/"):
                raise web.HTTPMovedPermanently(f"{request.rel_url.path}/{_query(request)}")
            path = path / "index.html"
        if not path.is_file():
            return _missing(request)
        caching = FOR_GOOD if _HASHED.search(name) else ASK_FIRST
        kind = TYPES.get(path.suffix, OTHER)
        return web.FileResponse(path, headers={"Content-Type": kind, "Cache-Control": caching})

    site = web.Application()
    site.router.add_get("/{name:.*}", answer)
    return site


def _query(request: web.Request) -> str:
    return f"?{request.rel_url.raw_query_string}" if request.rel_url.raw_query_string else ""


def _missing(request: web.Request) -> web.Response:
    text = _NOT_FOUND.format(path=html.escape(request.path))
    return web.Response(status=404, text=text, content_type="text/html", headers={"Cache-Control": ASK_FIRST})


def listen(host: str, port: int | None, default: int) -> socket.socket:
    """Return a socket bound to `port` (0: any), or to `default` if it is free and to any port if not.

    Raises:
        PortTaken: the port asked for is taken; the message says what to do.
    """
    wanted = default if port is None else port
    try:
        return _bind(host, wanted)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        if port is not None:
            raise PortTaken(f"Port {port} is taken; free it, or ask for another (0: any).") from error
    print(f"Port {default} is taken, so this is served at another.", flush=True)
    return _bind(host, 0)


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError:
        listening.close()
        raise
    return listening


async def run(
    out: Path, listening: socket.socket, beside: Callable[[], Coroutine[Any, Any, None]] | None = None
) -> None:
    """Serve until cancelled, printing the address; `beside` runs meanwhile."""
    runner = web.AppRunner(application(out), access_log=None)
    await runner.setup()
    await web.SockSite(runner, listening).start()
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    print(f"The book is at http://{shown}:{port}/ (Ctrl+C ends it)", flush=True)
    try:
        await (beside() if beside else asyncio.Event().wait())
    finally:
        await runner.cleanup()
