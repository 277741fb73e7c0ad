"""The book's own byte-code: made by the reader's Python, used where it fits its source, never where it does not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bookbuild import bundle
from bookbuild.runtime import Runtime, RuntimeSupplyError, default_cache, precompile, provide, run_python

FILES = {"room/__init__.py": b"", "room/one.py": b"def f():\n    return 1\n", "room/data.json": b"{}"}
PYC = ["room/__pycache__/__init__.cpython-314.pyc", "room/__pycache__/one.cpython-314.pyc"]

# Runs room.one as the worker does, having switched off the compiler: only byte-code that is taken can run.
USE = """
import builtins, sys, importlib._bootstrap_external as loader
sys.path.insert(0, "/book")
compiled = []
plain = loader.SourceLoader.source_to_code
def source_to_code(self, data, path, **more):
    compiled.append(str(path))
    return plain(self, data, path, **more)
loader.SourceLoader.source_to_code = source_to_code
import room.one
print(room.one.f(), compiled, room.one.f.__code__.co_filename)
"""


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    return provide(default_cache())


def run(runtime: Runtime, folder: Path, files: dict[str, bytes]) -> str:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return run_python(runtime, USE, mounts={"/book": folder})


def test_the_readers_python_takes_it_and_an_edit_of_the_source_wins(runtime: Runtime, tmp_path: Path) -> None:
    made = precompile(runtime, FILES, tmp_path / "cache")
    assert sorted(made) == PYC
    as_built = run(runtime, tmp_path / "built", {**FILES, **made})
    assert as_built == "1 [] /book/room/one.py\n"
    edited = {**FILES, **made, "room/one.py": FILES["room/one.py"].replace(b"1", b"2")}
    assert run(runtime, tmp_path / "edited", edited) == "2 ['/book/room/one.py'] /book/room/one.py\n"


def test_it_is_made_once_for_each_state_of_the_sources(
    runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = precompile(runtime, FILES, tmp_path)
    monkeypatch.setattr(sys.modules[precompile.__module__], "run_python", None)
    again = precompile(runtime, {**FILES, "room/data.json": b"[]"}, tmp_path)
    assert bundle.archive(first) == bundle.archive(again)
    with pytest.raises(TypeError):
        precompile(runtime, {**FILES, "room/one.py": b"x = 1\n"}, tmp_path)


def test_a_source_that_is_no_python_is_named_and_nothing_is_kept(runtime: Runtime, tmp_path: Path) -> None:
    with pytest.raises(RuntimeSupplyError, match=r'room/one\.py", line 1'):
        precompile(runtime, {**FILES, "room/one.py": b"def f(:\n"}, tmp_path)
    assert [file for file in (tmp_path / "pycache").iterdir()] == []
