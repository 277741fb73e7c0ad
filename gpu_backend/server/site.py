"""The built book, as files: right types, compressed siblings, validators, nothing from outside its folder."""

import os
import re
from pathlib import Path
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import Receive, Scope, Send

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
}  # as bookbuild.serve has them
OTHER = "application/octet-stream"
CODINGS = {"br": ".br", "gzip": ".gz"}
HASHED = re.compile(r"[.-][0-9a-f]{8}(?:/|\.)")
FOR_GOOD, ASK_FIRST = "public, max-age=31536000, immutable", "no-cache"

PAGE = '<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><p>{text}</p></html>'
NOT_BUILT = PAGE.format(
    title="The GPU box runs; the book is not built",
    text="The GPU box runs, but there is no built book beside it: <code>gpubook build</code> makes it in "
    "<code>_site</code>, and <code>gpubook-box serve --site PATH</code> names another folder.",
)
MISSING = PAGE.format(title="404", text='There is no such page. <a href="/">The book begins here</a>')


class Site:
    """The files of a folder, which may be built or replaced while this serves."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer GET and HEAD."""
        if scope["method"] not in ("GET", "HEAD"):
            answer: Response = Response(status_code=405, headers={"Allow": "GET, HEAD"})
        else:
            answer = self._answer(scope)
        await answer(scope, receive, send)

    def _answer(self, scope: Scope) -> Response:
        root = self._folder.resolve()
        if not (root / "index.html").is_file():
            return HTMLResponse(NOT_BUILT, 503 if scope["path"] == "/" else 404)
        name = scope["path"].removeprefix("/")
        path = _inside(root, name)
        if path is None:
            return HTMLResponse(MISSING, 404)
        if path.is_dir():
            if name and not name.endswith("/"):
                query = f"?{scope['query_string'].decode('ascii')}" if scope["query_string"] else ""
                return RedirectResponse(f"/{quote(name)}/{query}", 301)
            path /= "index.html"
        if not path.is_file() or not Path(os.path.realpath(path)).is_relative_to(root):
            return HTMLResponse(MISSING, 404)
        return _file(path, name, Headers(scope=scope))


def _inside(root: Path, name: str) -> Path | None:
    """Where a name leads, symbolic links and all, if that is in the folder."""
    if "\0" in name or "\\" in name or name.startswith("/") or "//" in name:
        return None  # the slashes: a browser would take what follows two of them for a host
    try:
        path = Path(os.path.realpath(root / name))  # `resolve` raises for a loop of links before Python 3.13
        there = path.exists()
    except OSError:  # a name too long
        return None
    return path if there and path.is_relative_to(root) else None


def _file(path: Path, name: str, headers: Headers) -> Response:
    about = {
        "Content-Type": TYPES.get(path.suffix, OTHER),
        "Cache-Control": FOR_GOOD if HASHED.search(name) else ASK_FIRST,
        "Vary": "Accept-Encoding",
    }
    accepted = {part.partition(";")[0].strip() for part in headers.get("accept-encoding", "").split(",")}
    for coding, suffix in CODINGS.items():
        sibling = path.with_name(path.name + suffix)
        if coding in accepted and sibling.is_file() and not sibling.is_symlink() and "range" not in headers:
            path, about["Content-Encoding"] = sibling, coding
            break
    answer = FileResponse(path, headers=about, stat_result=path.stat())
    if StaticFiles.is_not_modified(StaticFiles(), answer.headers, headers):
        return NotModifiedResponse(answer.headers)
    return answer
