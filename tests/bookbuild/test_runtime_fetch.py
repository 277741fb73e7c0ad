"""Fetching, against a server of our own on this machine that gives right, wrong, short, late and no bytes."""

from __future__ import annotations

import hashlib
import io
import os
import re
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bookbuild.runtime import RuntimeSupplyError
from bookbuild.runtime.fetch import default_sources, fetch_files, folder_of
from bookbuild.runtime.lock import Lock, LockedFile

LIMIT_S = 1.5  # for a source that hangs; on a busy machine others may need more
PATIENCE_S = 60
CORE = {"core.mjs": b"core " * 100, "core.wasm": bytes(range(256)) * 400}
JS = b"draw()\n" * 50


def wheel(name: str, members: dict[str, bytes]) -> bytes:
    """A wheel, version 1.0, that pip accepts."""
    info = f"{name}-1.0.dist-info"
    records = "".join(f"{member},,\n" for member in (*members, f"{info}/METADATA", f"{info}/WHEEL"))
    everything = members | {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": f"{records}{info}/RECORD,,\n".encode(),
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for member, data in everything.items():
            archive.writestr(zipfile.ZipInfo(member), data)
    return out.getvalue()


# The padding makes the carrier larger than what a reader of single members asks for.
CARRIER = wheel("carrier", {f"inner/{k}": v for k, v in CORE.items()} | {"inner/padding": os.urandom(300_000)})
PURE = wheel("pure", {"pure/__init__.py": b"", "pure/draw.js": JS})
PURE_NAME, CARRIER_NAME = "pure-1.0-py3-none-any.whl", "carrier-1.0-py3-none-any.whl"


class Server(ThreadingHTTPServer):
    """`/cdn/<file>`, and an index of the two wheels for pip. `manner` says how a path is answered."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        self.manner: dict[str, str] = {}
        self.ranges = True
        self.asked: list[str] = []
        self.partial = 0  # answers that were a range of the file
        self.closing = threading.Event()
        self.content = {f"/cdn/{name}": data for name, data in CORE.items()}
        for wheel_name, data in ((CARRIER_NAME, CARRIER), (PURE_NAME, PURE)):
            self.content[f"/files/{wheel_name}"] = data
            page = f'<a href="/files/{wheel_name}">{wheel_name}</a>'.encode()
            self.content[f"/simple/{wheel_name.split('-')[0]}/"] = page

    def count(self, start: str) -> int:
        return sum(path.startswith(start) for path in self.asked)


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        data, status = self.server.content.get(self.path, b""), 200
        manner = self.server.manner.get(self.path, "right" if data else "absent")
        if manner == "hang":
            self.server.closing.wait(20)
            return
        if manner == "absent":
            self.send_error(404)
            return
        if manner == "wrong":
            data = data[:-1] + b"!"
        wanted = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        first, whole = 0, len(data)
        if wanted and self.server.ranges:
            start, end = wanted.groups()
            first = int(start) if start else max(0, whole - int(end))
            data, status = data[first : int(end) + 1 if start and end else whole], 206
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        if self.path.endswith("/"):
            self.send_header("Content-Type", "text/html")
        if status == 206:
            self.server.partial += 1
            self.send_header("Content-Range", f"bytes {first}-{first + len(data) - 1}/{whole}")
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if manner == "short" else data)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    served = Server()
    thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.setenv("PIP_INDEX_URL", f"{served.address}/simple/")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield served
    served.closing.set()
    served.shutdown()
    served.server_close()
    thread.join()


def entry(name: str, data: bytes, *sources: str, **more: str) -> LockedFile:
    return LockedFile(name, len(data), hashlib.sha256(data).hexdigest(), sources, **more)


def core(*sources: str) -> tuple[LockedFile, ...]:
    return tuple(entry(name, data, *sources) for name, data in CORE.items())


PURE_FILES = (
    entry(PURE_NAME, PURE, "pip", requirement="pure==1.0"),
    entry("draw.js", JS, "wheel", wheel=PURE_NAME, member="pure/draw.js"),
)


def lock_of(server: Server, *files: LockedFile) -> Lock:
    return Lock(
        path=Path("runtime.lock.toml"), pyodide="1.2.3", info={}, cdn=f"{server.address}/cdn/",
        carrier="carrier==1.0", carrier_folder="inner/", files=files, made=(),
    )  # fmt: skip


def run(
    lock: Lock, cache: Path, say: Callable[[str], None] = lambda line: None, limit_s: float = PATIENCE_S
) -> dict[str, Path]:
    return fetch_files(lock, cache, default_sources(lock, cache, limit_s, say), say)


def limit_for(manner: str) -> float:
    return LIMIT_S if manner == "hang" else PATIENCE_S


def assert_right(paths: dict[str, Path]) -> None:
    everything = CORE | {PURE_NAME: PURE, "draw.js": JS}
    for name, path in paths.items():
        assert path.name == name
        assert path.read_bytes() == everything[name]


def test_all_files_come_from_their_sources_and_a_second_run_asks_for_nothing(server: Server, tmp_path: Path) -> None:
    lock = lock_of(server, *core("cdn", "carrier"), *PURE_FILES)
    lines: list[str] = []
    paths = run(lock, tmp_path, lines.append)
    assert set(paths) == {*CORE, PURE_NAME, "draw.js"}
    assert_right(paths)
    assert [line.split(":")[0] for line in lines] == list(paths)  # a line for each, nothing else
    assert not server.count("/files/carrier")
    server.asked.clear()
    assert run(lock, tmp_path, lines.append) == paths
    assert server.asked == []
    assert len(lines) == len(paths)
    assert sorted(path.name for path in folder_of(lock, tmp_path).iterdir()) == sorted(paths)


@pytest.mark.parametrize(
    ("manner", "said"),
    [
        ("wrong", "gave another file: {size} bytes, sha256 {sha_of_wrong}"),
        ("short", "gave another file: {half} bytes"),
        ("absent", "answered 404"),
        ("hang", f"did not answer within {LIMIT_S} s"),
    ],
)
def test_a_source_that_fails_is_named_with_what_was_expected(
    server: Server, tmp_path: Path, manner: str, said: str
) -> None:
    lock = lock_of(server, *core("cdn"))
    server.manner["/cdn/core.wasm"] = manner
    data = CORE["core.wasm"]
    with pytest.raises(RuntimeSupplyError) as caught:
        run(lock, tmp_path, limit_s=limit_for(manner))
    message = str(caught.value)
    wrong = hashlib.sha256(data[:-1] + b"!").hexdigest()
    assert f"core.wasm: no source has it; expected {len(data)} bytes, sha256 " in message
    assert hashlib.sha256(data).hexdigest() in message
    assert f"CDN {server.address}/cdn/: " in message
    assert said.format(size=len(data), half=len(data) // 2, sha_of_wrong=wrong) in message
    assert str(folder_of(lock, tmp_path)) in message  # where the file may be put by hand
    assert "core.mjs" not in message  # that one is right, and kept
    assert [path.name for path in folder_of(lock, tmp_path).iterdir()] == ["core.mjs"]


def test_more_bytes_than_expected_are_refused(server: Server, tmp_path: Path) -> None:
    server.content["/cdn/core.mjs"] = CORE["core.mjs"] + b" and more"
    with pytest.raises(RuntimeSupplyError, match=r"core\.mjs: no source has it"):
        run(lock_of(server, *core("cdn")), tmp_path)


def test_a_silent_source_is_waited_for_once(server: Server, tmp_path: Path) -> None:
    server.manner = dict.fromkeys(("/cdn/core.mjs", "/cdn/core.wasm"), "hang")
    begin = time.monotonic()
    with pytest.raises(RuntimeSupplyError, match="did not answer"):
        run(lock_of(server, *core("cdn")), tmp_path, limit_s=LIMIT_S)
    assert server.asked == ["/cdn/core.mjs"]
    assert time.monotonic() - begin >= LIMIT_S


def test_a_refused_connection_is_not_tried_again(server: Server, tmp_path: Path) -> None:
    with Server() as closed:
        lock = lock_of(closed, *core("cdn"))
    with pytest.raises(RuntimeSupplyError) as caught:
        run(lock, tmp_path)
    assert str(caught.value).count("cannot be reached") == 1  # one reason, told once for both files


@pytest.mark.parametrize("manner", ["wrong", "absent", "hang"])
def test_the_carrier_stands_in_with_single_members(server: Server, tmp_path: Path, manner: str) -> None:
    server.manner = dict.fromkeys(("/cdn/core.mjs", "/cdn/core.wasm"), manner)
    lines: list[str] = []
    assert_right(run(lock_of(server, *core("cdn", "carrier")), tmp_path, lines.append, limit_for(manner)))
    refusals = [line for line in lines if "refused" in line]
    assert len(refusals) == (2 if manner == "wrong" else 0)
    assert all("expected" in line for line in refusals)
    assert server.partial >= 3  # the end of the archive, and two members
    assert not any("taking all of it" in line for line in lines)


def test_a_carrier_without_ranges_is_taken_whole(server: Server, tmp_path: Path) -> None:
    server.ranges = False
    lines: list[str] = []
    assert_right(run(lock_of(server, *core("carrier")), tmp_path, lines.append))
    assert "taking all of it" in lines[0]
    assert server.partial == 0


def test_a_carrier_on_this_machine_is_read_in_place(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = tmp_path / "with space"
    links.mkdir()
    (links / CARRIER_NAME).write_bytes(CARRIER)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    # pip splits this setting at spaces, so the folder is named by its address.
    monkeypatch.setenv("PIP_FIND_LINKS", links.as_uri())
    assert_right(run(lock_of(server, *core("carrier")), tmp_path / "cache"))
    assert server.asked == []


def test_a_carrier_with_other_bytes_is_refused(server: Server, tmp_path: Path) -> None:
    lock = lock_of(server, entry("core.mjs", b"not that", "carrier"), entry("gone.mjs", b"x", "carrier"))
    with pytest.raises(RuntimeSupplyError) as caught:
        run(lock, tmp_path)
    got = hashlib.sha256(CORE["core.mjs"]).hexdigest()
    assert f"carrier wheel carrier==1.0: gave another file: 500 bytes, sha256 {got}" in str(caught.value)
    assert "has no member inner/gone.mjs" in str(caught.value)


def test_a_wheel_with_another_hash_is_refused_with_both_hashes(server: Server, tmp_path: Path) -> None:
    server.manner[f"/files/{PURE_NAME}"] = "wrong"
    with pytest.raises(RuntimeSupplyError) as caught:
        run(lock_of(server, *PURE_FILES), tmp_path)
    message = str(caught.value)
    assert f"{PURE_NAME}: no source has it; expected {len(PURE)} bytes" in message
    assert PURE_FILES[0].sha256 in message
    assert hashlib.sha256(PURE[:-1] + b"!").hexdigest() in message
    assert f"a locked wheel: {PURE_NAME} could not be had" in message  # what was to be cut from it


def test_offline_the_message_names_files_and_what_every_source_said(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with Server() as closed:
        lock = lock_of(closed, *core("cdn", "carrier"), *PURE_FILES)
    with pytest.raises(RuntimeSupplyError) as caught:
        run(lock, tmp_path)
    message = str(caught.value)
    for file in lock.files:
        assert f"{file.name}: no source has it; expected {file.size} bytes, sha256 {file.sha256}" in message
    assert "cannot be reached" in message
    assert re.search(r"carrier wheel carrier==1\.0: ERROR: .*carrier==1\.0", message)
    assert re.search(r"pip download: ERROR: .*pure==1\.0", message)
    assert "Run again when pip reaches its index" in message


@pytest.mark.parametrize("name", [*CORE, PURE_NAME, "draw.js"])
def test_a_file_removed_from_the_cache_is_fetched_again_and_nothing_else(
    server: Server, tmp_path: Path, name: str
) -> None:
    lock = lock_of(server, *core("cdn"), *PURE_FILES)
    folder = folder_of(lock, tmp_path)
    folder.mkdir(parents=True)
    for present, data in (CORE | {PURE_NAME: PURE, "draw.js": JS}).items():
        if present != name:
            (folder / present).write_bytes(data)  # a file put there by hand is as good as a fetched one
    assert_right(run(lock, tmp_path))
    files_asked = [path.rsplit("/", 1)[1] for path in server.asked if not path.startswith("/simple/")]
    assert files_asked == ([] if name == "draw.js" else [name])


@pytest.mark.parametrize("content", [b"", CORE["core.mjs"][:-1], CORE["core.mjs"][:-1] + b"!"])
def test_a_changed_file_in_the_cache_stops_with_what_to_delete(server: Server, tmp_path: Path, content: bytes) -> None:
    lock = lock_of(server, *core("cdn"))
    changed = run(lock, tmp_path)["core.mjs"]
    changed.write_bytes(content)
    with pytest.raises(RuntimeSupplyError) as caught:
        run(lock, tmp_path)
    message = str(caught.value)
    assert message.startswith("core.mjs: the copy in the cache is not the file that runtime.lock.toml names")
    assert f"expected 500 bytes, sha256 {hashlib.sha256(CORE['core.mjs']).hexdigest()}" in message
    assert f"found    {len(content)} bytes, sha256 {hashlib.sha256(content).hexdigest()}" in message
    assert f"Delete {changed} and run again" in message
    changed.unlink()
    assert_right(run(lock, tmp_path))


def test_what_a_killed_run_left_behind_is_ignored(server: Server, tmp_path: Path) -> None:
    lock = lock_of(server, *core("cdn"))
    left = folder_of(lock, tmp_path) / ".fetch-killed"
    left.mkdir(parents=True)
    (left / "core.wasm").write_bytes(CORE["core.wasm"][:1000])
    assert_right(run(lock, tmp_path))


def test_runs_side_by_side_all_succeed(server: Server, tmp_path: Path) -> None:
    lock = lock_of(server, *core("cdn"))
    results: list[dict[str, Path]] = []
    threads = [threading.Thread(target=lambda: results.append(run(lock, tmp_path))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8
    assert_right(results[0])
    assert sorted(path.name for path in folder_of(lock, tmp_path).iterdir()) == sorted(CORE)
