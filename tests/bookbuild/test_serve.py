"""The server: types, compressed siblings, validators, caching, and what is not there."""

import socket
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from aiohttp import ClientResponse
from aiohttp.test_utils import TestClient, TestServer

from bookbuild import serve
from tests import asynchronous

FILES = {
    "index.html": b"<p>start",
    "en/index.html": b"<p>contents",
    "static/js-0123abcd/page.js": b"export {}",
    "static/js-0123abcd/page.js.br": b"packed by brotli",
    "static/js-0123abcd/page.js.gz": b"packed by gzip",
    "runtime/pyodide-0123abcd/pyodide.mjs": b"export {}",
    "runtime/pyodide-0123abcd/pyodide.asm.wasm": b"\0asm",
    "runtime/manifest.0123abcd.json": b"{}",
    "runtime/book.0123abcd.zip": b"PK",
    "runtime/strange.thing": b"?",
}
PAGE = "/static/js-0123abcd/page.js"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        path = tmp_path / "_site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (tmp_path / "secret.txt").write_bytes(b"secret")
    return tmp_path / "_site"


Look = Callable[["TestClient[object, object]"], Awaitable[None]]


def visit(out: Path, look: Look) -> None:
    """Run `look` against a server of `out` on a loopback port."""

    async def whole() -> None:
        async with TestClient(TestServer(serve.application(out)), auto_decompress=False) as client:
            await look(client)

    asynchronous.run(whole())


def get(out: Path, path: str, **headers: str) -> tuple[ClientResponse, bytes]:
    found: list[tuple[ClientResponse, bytes]] = []

    async def look(client: "TestClient[object, object]") -> None:
        spelled = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = await client.get(path, headers={"Accept-Encoding": "identity", **spelled}, allow_redirects=False)
        found.append((answer, await answer.read()))

    visit(out, look)
    return found[0]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/en/", "text/html; charset=utf-8"),
        (PAGE, "text/javascript; charset=utf-8"),
        ("/runtime/pyodide-0123abcd/pyodide.mjs", "text/javascript; charset=utf-8"),
        ("/runtime/pyodide-0123abcd/pyodide.asm.wasm", "application/wasm"),
        ("/runtime/manifest.0123abcd.json", "application/json"),
        ("/runtime/book.0123abcd.zip", "application/zip"),
        ("/runtime/strange.thing", "application/octet-stream"),
    ],
)
def test_types(out: Path, path: str, kind: str) -> None:
    answer, _ = get(out, path)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == kind


@pytest.mark.parametrize(("accepted", "sent"), [("br, gzip", "br"), ("gzip", "gzip"), ("identity", None)])
def test_compressed_siblings_go_to_those_who_take_them(out: Path, accepted: str, sent: str | None) -> None:
    answer, body = get(out, PAGE, Accept_Encoding=accepted)
    assert answer.headers.get("Content-Encoding") == sent
    assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
    wanted = {"br": b"packed by brotli", "gzip": b"packed by gzip", None: b"export {}"}
    assert body == wanted[sent]
    assert sent is None or "Accept-Encoding" in answer.headers["Vary"]


@pytest.mark.parametrize(
    ("path", "caching"),
    [
        ("/", "no-cache"),
        ("/en/", "no-cache"),
        (PAGE, "public, max-age=31536000, immutable"),
        ("/runtime/pyodide-0123abcd/pyodide.mjs", "public, max-age=31536000, immutable"),
        ("/runtime/book.0123abcd.zip", "public, max-age=31536000, immutable"),
        ("/runtime/strange.thing", "no-cache"),
    ],
)
def test_only_names_with_a_hash_are_kept_for_good(out: Path, path: str, caching: str) -> None:
    answer, _ = get(out, path)
    assert answer.headers["Cache-Control"] == caching


def test_validators(out: Path) -> None:
    first, body = get(out, "/en/")
    assert (first.status, body) == (200, b"<p>contents")
    again, nothing = get(out, "/en/", If_None_Match=first.headers["ETag"])
    assert (again.status, nothing) == (304, b"")
    assert "Last-Modified" in first.headers
    (out / "en/index.html").write_bytes(b"<p>contents, changed")
    changed, body = get(out, "/en/", If_None_Match=first.headers["ETag"])
    assert (changed.status, body) == (200, b"<p>contents, changed")


def test_a_part_of_a_file(out: Path) -> None:
    answer, body = get(out, "/index.html", Range="bytes=3-")
    assert (answer.status, body) == (206, b"start")


def test_a_folder_has_its_slash(out: Path) -> None:
    answer, _ = get(out, "/en?lang=x")
    assert answer.status == 301
    assert answer.headers["Location"] == "/en/?lang=x"


@pytest.mark.parametrize("path", ["/nothing", "/en/nothing/", "/static/", "/../secret.txt", "/%2e%2e/secret.txt"])
def test_what_is_not_there_says_so(out: Path, path: str) -> None:
    answer, body = get(out, path)
    assert answer.status == 404
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert b"The book begins here" in body
    assert b"secret" not in body.replace(b"/secret.txt", b"")


def test_an_address_is_escaped(out: Path) -> None:
    _, body = get(out, "/<script>")
    assert b"<script>" not in body


def test_a_new_site_is_served_at_once(out: Path) -> None:
    async def look(client: "TestClient[object, object]") -> None:
        assert await (await client.get("/")).read() == b"<p>start"
        out.rename(out.with_name("old"))
        out.mkdir()
        (out / "index.html").write_bytes(b"<p>new")
        assert await (await client.get("/")).read() == b"<p>new"

    visit(out, look)


def test_a_taken_port_is_told_and_another_is_used_unless_it_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        with serve.listen("127.0.0.1", None, taken) as listening:
            assert listening.getsockname()[1] != taken
        assert capsys.readouterr().out == f"Port {taken} is taken, so this is served at another.\n"
        with pytest.raises(serve.PortTaken, match=f"Port {taken} is taken; free it"):
            serve.listen("127.0.0.1", taken, taken)
    with serve.listen("127.0.0.1", 0, taken) as listening:
        assert listening.getsockname()[1] > 0
