"""The built book from the box: types, compressed siblings, validators, ranges; and nothing from outside its folder."""

import gzip
import os

import boxes
import pytest
from client import ask

from bookbuild.serve import TYPES as BUILDERS
from gpu_backend.server.site import TYPES


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("book") / "_site"
    (out / "en" / "memory").mkdir(parents=True)
    (out / "runtime" / "314-0123abcd").mkdir(parents=True)
    (out / "index.html").write_text("<title>root</title>")
    (out / "en" / "memory" / "index.html").write_text("<title>memory</title>")
    (out / "app.mjs").write_text("export {};" * 100)
    (out / "app.mjs.gz").write_bytes(gzip.compress((out / "app.mjs").read_bytes()))
    (out / "runtime" / "314-0123abcd" / "python.wasm").write_bytes(bytes(range(256)) * 1000)
    (out.parent / "secret.txt").write_text("secret")
    (out.parent / "_site-other").mkdir()
    (out.parent / "_site-other" / "secret.txt").write_text("secret")
    (out / "leak.txt").symlink_to(out.parent / "secret.txt")
    (out / "leak").symlink_to(out.parent)
    (out / "inside.html").symlink_to(out / "index.html")
    (out / "loop").symlink_to(out / "loop")
    (out / "leaking.html").write_text("x")
    (out / "leaking.html.gz").symlink_to(out.parent / "secret.txt")
    (out / "leaky").mkdir()
    (out / "leaky" / "index.html").symlink_to(out.parent / "secret.txt")
    os.mkfifo(out / "pipe")
    return out


@pytest.fixture(scope="module")
def box(folder):
    with boxes.box(site=folder) as running:
        yield running


def test_files_have_the_types_that_the_builders_server_gives_them(box):
    assert TYPES == BUILDERS
    for path, kind in (("/", "text/html; charset=utf-8"), ("/app.mjs", "text/javascript; charset=utf-8"),
                       ("/runtime/314-0123abcd/python.wasm", "application/wasm"), ("/en/memory/", "text/html; charset=utf-8")):  # fmt: skip  # noqa: E501
        status, headers, _ = ask(box, "GET", path, token=None)
        assert (status, headers["content-type"]) == (200, kind)


def test_the_book_needs_no_token(box):
    assert ask(box, "GET", "/", token=None)[2] == b"<title>root</title>"


def test_a_folder_without_its_slash_is_sent_on(box, folder):
    status, headers, _ = ask(box, "GET", "/en/memory", token=None)
    assert (status, headers["location"]) == (301, "/en/memory/")
    assert ask(box, "GET", "/en/memory?a=%20b", token=None)[1]["location"] == "/en/memory/?a=%20b"
    for path in (f"/{folder}/en", "//evil.example/en", "/%2Fevil.example/en", "/\\evil.example", "//en/memory"):
        status, headers, _ = ask(box, "GET", path, token=None)
        assert not headers.get("location", "").startswith(("//", "/\\", "http")), path


def test_compressed_siblings_are_sent_to_those_who_take_them(box, folder):
    plain = ask(box, "GET", "/app.mjs", token=None)
    packed = ask(box, "GET", "/app.mjs", token=None, Accept_Encoding="br, gzip;q=0.8")
    assert "content-encoding" not in plain[1]
    assert packed[1]["content-encoding"] == "gzip"
    assert gzip.decompress(packed[2]) == plain[2] == (folder / "app.mjs").read_bytes()
    assert packed[1]["content-type"] == plain[1]["content-type"]
    assert packed[1]["etag"] != plain[1]["etag"]
    assert "Accept-Encoding" in plain[1]["vary"]


def test_what_has_not_changed_is_not_sent_again(box):
    _, headers, _ = ask(box, "GET", "/app.mjs", token=None)
    status, _, raw = ask(box, "GET", "/app.mjs", token=None, If_None_Match=headers["etag"])
    assert (status, raw) == (304, b"")
    assert headers["cache-control"] == "no-cache"
    hashed = ask(box, "GET", "/runtime/314-0123abcd/python.wasm", token=None)[1]
    assert "immutable" in hashed["cache-control"]


def test_parts_of_a_file_are_sent(box):
    path = "/runtime/314-0123abcd/python.wasm"
    status, _, raw = ask(box, "GET", path, token=None, Range="bytes=256-259")
    assert (status, raw) == (206, bytes([0, 1, 2, 3]))
    assert ask(box, "GET", path, token=None, Range="bytes=999999999-")[0] == 416
    assert ask(box, "HEAD", path, token=None)[2] == b""


@pytest.mark.parametrize(
    "path",
    ["/../secret.txt", "/en/../../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/%2e%2e%2fsecret.txt",
     "/..%5csecret.txt", "/....//secret.txt", "/../_site-other/secret.txt", "/leak.txt", "/leak/secret.txt", "/leak", "/loop",
     "/%00", "/index.html%00.txt", "/" + "a" * 5000, "/" + "a/" * 2000, "/nowhere", "/pipe", "/en/memory/index.html/x",
     "//etc/passwd", "/%2fetc/passwd", "/etc/passwd", "/%ff%fe", "/leaky/", "/.git/config"],
)  # fmt: skip
def test_nothing_from_outside_of_the_folder_is_sent(box, path):
    status, headers, raw = ask(box, "GET", path, token=None)
    assert status == 404
    assert b"secret" not in raw
    assert headers["content-type"].startswith("text/")


def test_links_within_the_folder_are_followed_and_those_out_of_it_are_not(box):
    assert ask(box, "GET", "/inside.html", token=None)[0] == 200
    assert ask(box, "GET", "/leaking.html", token=None, Accept_Encoding="gzip")[2] == b"x"


def test_the_book_is_only_read(box):
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE"):
        status, headers, _ = ask(box, method, "/index.html", token=None)
        assert (status, headers["allow"]) == (405, "GET, HEAD")


def test_a_book_that_is_not_built_says_so_and_is_served_once_it_is(tmp_path):
    with boxes.box(site=tmp_path / "_site") as box:
        status, _, raw = ask(box, "GET", "/", token=None)
        assert status == 503
        assert b"gpubook build" in raw
        assert ask(box, "GET", "/health")[0] == 200
        (tmp_path / "_site").mkdir()
        (tmp_path / "_site" / "index.html").write_text("built")
        assert ask(box, "GET", "/", token=None)[2] == b"built"
