"""A client that means no good, by raw sockets: it must cost the box little, and the others nothing."""

import json
import socket
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import boxes
import pytest
from client import PATIENCE_S, Stream, ask, get, run, wait_for

from gpu_backend.server.runs import Run


@pytest.fixture(scope="module")
def box():
    with boxes.box(child=boxes.fake(pace=0.0)) as running:
        yield running


REQUEST_S = 1.5
"""How long a hasty box waits for a request. Readers' boxes have more patience (test_settings)."""


@pytest.fixture(scope="module")
def hasty():
    with boxes.box(request_s=REQUEST_S) as running:
        yield running


@contextmanager
def connected(box, receive_bytes=None):
    with socket.socket() as connection:
        if receive_bytes is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        connection.settimeout(PATIENCE_S)
        connection.connect(("127.0.0.1", box.port))
        yield connection


def everything(connection):
    """What comes until the other end closes."""
    parts = []
    try:
        while part := connection.recv(1 << 16):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def request(box, body, *more, method="POST", path="/runs", length=None):
    length = len(body) if length is None else length
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {box.token}"]
    lines += ["Content-Type: application/json", f"Content-Length: {length}", *more]
    return "\r\n".join([*lines, "", ""]).encode() + body


def rss_kib(process):
    status = Path(f"/proc/{process.pid}/status").read_text("utf-8")
    return int(status.partition("VmRSS:")[2].split()[0])


def well(box):
    """Whether others are still served."""
    return run(box, "fake_rows", rows=1)[-1][0] == "done"


STALL_S = 1.0


def test_a_reader_that_does_not_read_is_dropped_and_its_run_cancelled():
    with boxes.box(buffer_bytes=100_000, stall_s=STALL_S) as box:
        with connected(box, 4096) as connection:
            wanted = {"experiment": "fake_rows", "inputs": {"rows": 3900, "pace_s": 0, "bytes": 1000}}
            before = rss_kib(box.process)
            connection.sendall(request(box, json.dumps(wanted).encode()))
            wait_for(lambda: get(box, "/health")["state"] == "running")
            wait_for(lambda: get(box, "/health")["state"] == "idle")
            assert rss_kib(box.process) - before < 60_000
            assert well(box)
            sleep(1.5 * STALL_S)
            got = everything(connection)
        assert b"event: started" in got
        assert b"event: done" not in got


def test_what_waits_for_a_reader_is_bounded():
    waiting = Run("x", {}, 1000)
    for n in range(100):
        waiting.tell("row", {"n": n, "text": "x" * 100})
    assert waiting.lagging
    assert waiting.stop.is_set()
    assert len(waiting.take()) < 1200
    waiting.tell("row", {"n": 101})
    assert waiting.take() == b""


def test_places_that_were_not_taken_are_replaced():
    waiting = Run("x", {}, 1000)
    for place in range(500, -1, -1):
        waiting.tell("queued", {"place": place})
    assert waiting.take() == b'event: queued\nid: 1\ndata: {"place": 0}\n\n'
    waiting.tell("queued", {"place": 0})
    assert b"id: 2" in waiting.take()


@pytest.mark.parametrize(
    "raw",
    [
        b"GET /health HTTP/1.1\r\n\r\n",
        b"GET /health HTTP/1.0\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
        b"GET http://evil.example/health HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET http://localhost/health HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET health HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /health HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"GET /he alth HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 64,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
        b"POST /runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"POST /runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /runs HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\n Folded: x\r\n\r\n",
        b"GET /health HTTP/1.1\nHost: localhost\n\n",
        b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
    ],
)
def test_a_request_that_is_none_is_refused(box, raw):
    with connected(box) as connection:
        connection.sendall(raw)
        connection.shutdown(socket.SHUT_WR)
        answer = everything(connection)
    assert not answer or answer.split(b" ", 2)[1] in (b"400", b"401", b"404", b"405", b"421", b"431")
    assert b" 500 " not in answer
    assert b"machine" not in answer
    assert ask(box, "GET", "/health")[0] == 200


def test_a_request_in_absolute_form_does_not_get_around_the_guard(box):
    """Its host is not looked at, nor is its path taken for a file's."""
    with connected(box) as connection:
        connection.sendall(b"GET http://evil.example/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert everything(connection).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize(
    "path", ["/%68ealth", "/health%2f", "/%2fhealth", "/./health", "/x/../health", "/health;a", "/HEALTH"]
)
def test_a_path_written_otherwise_does_not_get_around_the_token(box, path):
    status, _, raw = ask(box, "GET", path, token=None)
    assert status in (401, 404)
    assert b"machine" not in raw


def test_a_head_that_never_ends_is_hung_up_on(hasty):
    """As long after it began as a request may take, whatever trickles in."""
    begin = monotonic()
    with connected(hasty) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n")
        try:
            while monotonic() - begin < PATIENCE_S:
                connection.sendall(b"X: y\r\n")
                sleep(0.1)
        except (BrokenPipeError, ConnectionResetError):
            pass
    assert REQUEST_S - 0.1 < monotonic() - begin < PATIENCE_S


def test_a_connection_that_asks_nothing_is_hung_up_on(hasty):
    begin = monotonic()
    with connected(hasty) as connection:
        assert everything(connection) == b""
    assert monotonic() - begin > REQUEST_S - 0.1


def test_a_body_that_trickles_in_is_refused_in_time(hasty):
    with connected(hasty) as connection:
        connection.sendall(request(hasty, b'{"exp', "Connection: close", length=1000))
        for _ in range(8):
            sleep(REQUEST_S / 20)
            connection.sendall(b" ")
        answer = everything(connection)
    assert answer.startswith(b"HTTP/1.1 408")
    assert f"the request was not there after {REQUEST_S:g} s".encode() in answer
    assert well(hasty)


def test_a_body_without_an_end_does_not_fill_memory(box):
    before = rss_kib(box.process)
    with connected(box) as connection:
        connection.sendall(request(box, b"", length=10**12))
        try:
            for _ in range(300):
                connection.sendall(b"x" * 100_000)
        except (BrokenPipeError, ConnectionResetError):
            pass
    assert rss_kib(box.process) - before < 30_000
    assert well(box)


def test_a_half_closed_stream_is_given_up(box):
    """A client that has said all and will hear all the same: HTTP/1.1 servers take its end for a farewell."""
    wanted = {"experiment": "fake_rows", "inputs": {"rows": 10_000, "pace_s": 0.05}}
    with connected(box) as connection:
        connection.sendall(request(box, json.dumps(wanted).encode()))
        wait_for(lambda: get(box, "/health")["running"])
        connection.shutdown(socket.SHUT_WR)
        wait_for(lambda: get(box, "/health")["state"] == "idle")


def test_requests_behind_a_stream_wait_for_it_and_do_not_run_beside_it(box):
    wanted = json.dumps({"experiment": "fake_rows", "inputs": {"rows": 3}}).encode()
    with connected(box) as connection:
        connection.sendall(
            request(box, wanted) * 2 + request(box, b"", "Connection: close", method="GET", path="/ping")
        )
        answer = everything(connection)
    assert answer.count(b"event: done") == 2
    assert answer.rindex(b'"box"') > answer.rindex(b"event: done")


def test_a_pipelining_client_that_hangs_up_is_noticed(box):
    """It has left bytes that nobody reads: its end is seen when the next beat is refused."""
    wanted = {"experiment": "fake_rows", "inputs": {"rows": 10_000, "pace_s": 0.05}}
    with connected(box) as connection:
        connection.sendall(request(box, json.dumps(wanted).encode()) + b"GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait_for(lambda: get(box, "/health")["running"])
    wait_for(lambda: get(box, "/health")["state"] == "idle")


def test_two_hundred_idle_connections_keep_nobody_out(box):
    idle = [socket.create_connection(("127.0.0.1", box.port)) for _ in range(200)]
    try:
        assert well(box)
    finally:
        for connection in idle:
            connection.close()


def test_streams_that_are_opened_and_left_at_once_leave_nothing_behind(box):
    for _ in range(40):
        Stream(box, "fake_rows", rows=100, pace_s=0.01).leave()
    wait_for(lambda: (health := get(box, "/health"))["state"] == "idle" and health["queued"] == 0)
    assert well(box)
