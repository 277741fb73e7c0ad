"""Who is answered: hosts, origins, tokens, preflights; and what is open to all."""

import json

import boxes
import pytest
from client import ask

from gpu_backend.server import version

ELSEWHERE = "https://book.example"
STRANGER = "https://evil.example"
CLOSED = [("GET", "/health"), ("GET", "/experiments"), ("POST", "/runs"), ("DELETE", "/runs/0123456789abcdef"),
          ("GET", "/openapi.json"), ("GET", "/runs/x/y"), ("GET", "/health/"), ("PATCH", "/health")]  # fmt: skip


@pytest.fixture(scope="module")
def box(tmp_path_factory):
    site = tmp_path_factory.mktemp("site")
    (site / "index.html").write_text("<title>book</title>")
    with boxes.box(hosts=["box.example"], origins=[ELSEWHERE], site=site) as running:
        yield running


def refused(answer):
    status, _, raw = answer
    told = json.loads(raw)
    assert set(told) == {"why", "code"}
    return status, told["code"]


@pytest.mark.parametrize(("method", "path"), CLOSED)
@pytest.mark.parametrize("token", [None, "wrong", boxes.TOKEN + "x", boxes.TOKEN[:-1], boxes.TOKEN.upper()])
def test_nothing_but_the_ping_is_answered_without_the_token(box, method, path, token):
    answer = ask(box, method, path, {"experiment": "fake_rows"} if method == "POST" else None, token=token)
    assert refused(answer) == (401, "token")
    assert answer[1]["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    "value", ["", "Bearer", "Basic x", f"Basic {boxes.TOKEN}", f"{boxes.TOKEN}", "Bearer \xff\xfe"]
)
def test_a_token_comes_as_bearer(box, value):
    assert refused(ask(box, "GET", "/health", token=None, Authorization=value)) == (401, "token")
    assert refused(ask(box, "GET", f"/health?token={boxes.TOKEN}", token=None)) == (401, "token")


def test_the_token_opens(box):
    assert ask(box, "GET", "/health")[0] == 200
    assert ask(box, "GET", "/health", token=None, Authorization=f"bearer {box.token}")[0] == 200


@pytest.mark.parametrize("path", ["/", "/health", "/ping", "/runs"])
@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "evil.example:8787", "127.1", "2130706433",
     "localhost.", "localhost:x", "localhost@evil.example", "[::1", "[::2]", "", " ", "box.example.", "a b"],
)  # fmt: skip
def test_only_listed_names_are_answered(box, path, host):
    method = "POST" if path == "/runs" else "GET"
    assert refused(ask(box, method, path, Host=host)) == (421, "host")


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:99", "[::1]:5", "Box.Example:443"]
)
def test_listed_names_are_answered_at_any_port(box, host):
    """A tunnel has a port of its own."""
    assert ask(box, "GET", "/health", Host=host)[0] == 200
    assert ask(box, "GET", "/", Host=host)[0] == 200


@pytest.mark.parametrize(
    "origin",
    [STRANGER, "null", "", "https://book.example.evil.example", "https://book.example:444", "http://book.example",
     "https://book.example/", "HTTPS://book.example", "https://BOOK.example", "*"],
)  # fmt: skip
@pytest.mark.parametrize(("method", "path"), [("GET", "/health"), ("POST", "/runs"), ("OPTIONS", "/runs")])
def test_other_origins_are_refused_and_their_pages_may_not_read(box, method, path, origin):
    answer = ask(box, method, path, {"experiment": "fake_rows"} if method == "POST" else None, Origin=origin)
    assert refused(answer) == (403, "origin")
    assert "access-control-allow-origin" not in answer[1]


def test_a_listed_origin_and_the_boxs_own_may_read(box):
    own = f"http://127.0.0.1:{box.port}"
    for origin in (ELSEWHERE, own):
        status, headers, _ = ask(box, "GET", "/health", Origin=origin)
        assert (status, headers["access-control-allow-origin"]) == (200, origin)
        assert "Origin" in headers["vary"]
        assert headers["access-control-expose-headers"] == "Retry-After"
        assert "access-control-allow-credentials" not in headers
        assert headers["cache-control"] == "no-store"
    assert ask(box, "GET", "/health", Origin=f"https://127.0.0.1:{box.port}")[0] == 403
    assert ask(box, "GET", "/health", Origin="http://127.0.0.1:1")[0] == 403


def test_a_listed_page_can_read_why_it_was_refused(box):
    for answer in (
        ask(box, "GET", "/health", token="wrong", Origin=ELSEWHERE),
        ask(box, "POST", "/runs", b"{", Origin=ELSEWHERE),
    ):
        assert answer[0] in (400, 401)
        assert answer[1]["access-control-allow-origin"] == ELSEWHERE


def test_a_preflight_of_a_listed_page_is_granted_without_a_token(box):
    status, headers, _ = ask(
        box, "OPTIONS", "/runs", token=None, Origin=ELSEWHERE, Access_Control_Request_Method="POST",
        Access_Control_Request_Headers="authorization,content-type", Access_Control_Request_Private_Network="true",
    )  # fmt: skip
    assert status == 204
    assert headers["access-control-allow-origin"] == ELSEWHERE
    assert {"GET", "POST", "DELETE"} <= set(headers["access-control-allow-methods"].split(", "))
    assert headers["access-control-allow-headers"] == "Authorization, Content-Type"
    assert headers["access-control-allow-private-network"] == "true"
    plain = ask(box, "OPTIONS", "/runs", token=None, Origin=ELSEWHERE, Access_Control_Request_Method="POST")
    assert "access-control-allow-private-network" not in plain[1]


@pytest.mark.parametrize("origin", [STRANGER, "null", ELSEWHERE])
def test_any_page_may_ask_whether_there_is_a_box_and_learns_no_more(box, origin):
    status, headers, raw = ask(box, "GET", "/ping", token=None, Origin=origin)
    assert (status, json.loads(raw)) == (200, {"box": "gpubook", "version": version.own()})
    assert headers["access-control-allow-origin"] == "*"
    assert ask(box, "OPTIONS", "/ping", token=None, Origin=origin)[0] == 204


def test_a_page_that_uses_an_unlisted_name_can_read_that_it_is_one(box):
    answer = ask(box, "GET", "/ping", token=None, Origin=STRANGER, Host="box.local")
    assert refused(answer) == (421, "host")
    assert answer[1]["access-control-allow-origin"] == "*"


def test_everything_says_that_types_are_not_to_be_guessed(box):
    for path in ("/", "/health", "/ping", "/nowhere"):
        assert ask(box, "GET", path)[1]["x-content-type-options"] == "nosniff"


def test_there_are_no_pages_of_documentation_from_elsewhere(box):
    for path in ("/docs", "/redoc"):
        assert ask(box, "GET", path)[0] == 404
    assert ask(box, "GET", "/openapi.json")[0] == 200


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/runs"), ("POST", "/health"), ("PUT", "/runs"), ("POST", "/ping")]
)
def test_another_method_is_refused(box, method, path):
    answer = ask(box, method, path)
    assert refused(answer) == (405, "method")
    right = {"/runs": "POST", "/health": "GET", "/ping": "GET"}[path]
    assert json.loads(answer[2])["why"] == f"{method} is not answered here; {right} is"


def test_another_path_of_the_api_is_refused(box):
    for path in ("/health/", "/runs/", "/runs/a/b", "/ping/x", "/experiments/roofline"):
        assert refused(ask(box, "GET", path))[1] in ("path", "method")
