"""A site takes its place whole or not at all."""

from pathlib import Path

import pytest

from bookbuild.write import write


def test_a_site_replaces_the_one_before(tmp_path: Path) -> None:
    out = tmp_path / "_site"
    write({"old/index.html": b"old"}, out, tmp_path / "cache")
    (tmp_path / "copy.css").write_bytes(b"p {}")
    write({"en/index.html": b"new", "static/copy.css": tmp_path / "copy.css"}, out, tmp_path / "cache")
    assert sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()) == [
        "en/index.html",
        "en/index.html.br",
        "en/index.html.gz",
        "static/copy.css",
        "static/copy.css.br",
        "static/copy.css.gz",
    ]
    assert (out / "static/copy.css").read_bytes() == b"p {}"
    assert [path.name for path in tmp_path.iterdir() if "site" in path.name] == ["_site"]


def test_a_site_that_cannot_be_written_leaves_the_one_before(tmp_path: Path) -> None:
    out = tmp_path / "_site"
    write({"index.html": b"old"}, out, tmp_path / "cache")
    with pytest.raises(FileNotFoundError):
        write({"index.html": b"new", "x.css": tmp_path / "missing.css"}, out, tmp_path / "cache")
    assert (out / "index.html").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir() if "site" in path.name] == ["_site"]
