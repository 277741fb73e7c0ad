"""Compressed siblings hold the same bytes, and large ones are made once."""

import gzip
from pathlib import Path

import brotli
import pytest

from bookbuild import compress

LARGE = bytes(range(256)) * (compress.LARGE // 256 + 1)


@pytest.mark.parametrize("name", ["index.html", "page.js", "x.wasm", "x.zip"])
@pytest.mark.parametrize("content", [b"few bytes " * 50, LARGE], ids=["small", "large"])
def test_siblings_unpack_to_the_file(tmp_path: Path, name: str, content: bytes) -> None:
    found = compress.siblings(name, content, tmp_path)
    assert brotli.decompress(found[".br"]) == content
    assert gzip.decompress(found[".gz"]) == content
    assert len(found[".br"]) < len(content)


def test_what_is_packed_already_has_no_siblings(tmp_path: Path) -> None:
    assert compress.siblings("photo.png", LARGE, tmp_path) == {}


def test_same_bytes_on_every_day(tmp_path: Path) -> None:
    assert compress.siblings("a.html", b"x" * 99, tmp_path) == compress.siblings("a.html", b"x" * 99, tmp_path)


def test_large_files_are_packed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = compress.siblings("x.zip", LARGE, tmp_path)

    def again(*args: object, **options: object) -> bytes:
        raise AssertionError("packed a second time")

    monkeypatch.setattr(brotli, "compress", again)
    monkeypatch.setattr(gzip, "compress", again)
    assert compress.siblings("y.zip", LARGE, tmp_path) == first


def test_the_smallest_form_is_used_once_it_is_there(tmp_path: Path) -> None:
    smallest = compress.siblings("x.zip", LARGE, tmp_path, smallest=True)
    assert smallest[".br"] == brotli.compress(LARGE, quality=compress.SMALLEST)
    assert compress.siblings("x.zip", LARGE, tmp_path) == smallest
