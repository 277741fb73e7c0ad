"""The lock file: what it says, and what is said of a wrong one."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from bookbuild.runtime import LOCK_FILE, RuntimeSupplyError
from bookbuild.runtime.lock import read_lock

SHA = "a" * 64
HEAD = """
pyodide = "1.2.3"
cdn = "https://cdn.example/"
[carrier]
requirement = "carrier==1.0"
folder = "inner/"
[info]
version = "1.2.3"
"""


def file(**changes: object) -> str:
    row: dict[str, object] = {"name": "a.mjs", "size": 3, "sha256": SHA, "sources": ["cdn"]}
    lines = (f"{key} = {value!r}" for key, value in (row | changes).items() if value is not None)
    return "[[file]]\n" + "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pyodide = ", "not a readable TOML file"),
        (HEAD.replace("https://cdn.example/", "https://cdn.example"), r"cdn = 'https://cdn.example'; a folder's"),
        (HEAD.replace("https:", "file:"), r"cdn = 'file:.*; a folder's"),
        (HEAD.replace('pyodide = "1.2.3"', "pyodide = 314"), r"pyodide = 314; it is a text"),
        (HEAD.replace("[carrier]", "[other]"), r"\[carrier\] is None; it is a table"),
        (HEAD.replace('folder = "inner/"', ""), r"folder = None; it is a text"),
        (HEAD + file(name="../a.mjs"), r"\.\./a\.mjs: a name is a plain file name"),
        (HEAD + file(name=".a.mjs"), r"\.a\.mjs: a name is a plain file name"),
        (HEAD + file(name=None), r"name = None; it is a text"),
        (HEAD + file(size=0), r"a\.mjs: size = 0; .* 1 or more"),
        (HEAD + file(size="3"), r"a\.mjs: size = '3'"),
        (HEAD + file(sha256=SHA[1:]), r"a\.mjs: sha256 = 'a{63}'; it is 64 lower-case hex digits"),
        (HEAD + file(sha256=SHA.upper()), r"a\.mjs: sha256 = 'A{64}'"),
        (HEAD + file(sources=["mirror"]), r"a\.mjs: source 'mirror'; the sources are cdn, carrier, pip, wheel"),
        (HEAD + file(sources=[]), r"a\.mjs: no sources; name at least one"),
        (HEAD + file(sources=["pip"]), r"a\.mjs: requirement = ''; pip needs 'name==version'"),
        (HEAD + file(sources=["pip"], requirement="a>=1"), r"requirement = 'a>=1'"),
        (HEAD + file(sources=["wheel"]), r"a\.mjs: source 'wheel' needs wheel = … and member = …"),
        (HEAD + file(sources=["wheel"], wheel="b.whl", member="b"), r"a\.mjs: its wheel 'b\.whl' is not listed"),
        (HEAD + file() + file(), r"a\.mjs is listed twice"),
    ],
)
def test_a_wrong_lock_is_refused_with_where_and_what_is_right(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "some.lock.toml"
    path.write_text(text.replace("'", '"'), encoding="utf-8")
    with pytest.raises(RuntimeSupplyError, match=said) as caught:
        read_lock(path)
    assert str(path) in str(caught.value)


def test_the_right_form_of_the_same_is_read(tmp_path: Path) -> None:
    path = tmp_path / "some.lock.toml"
    path.write_text((HEAD + file()).replace("'", '"'), encoding="utf-8")
    assert [entry.name for entry in read_lock(path).files] == ["a.mjs"]


def test_an_absent_lock_is_said(tmp_path: Path) -> None:
    with pytest.raises(RuntimeSupplyError, match=r"absent\.toml: not a readable TOML file"):
        read_lock(tmp_path / "absent.toml")


def test_an_unknown_file_is_refused_with_those_there_are() -> None:
    with pytest.raises(RuntimeSupplyError, match=r"'python\.wasm'; it has pyodide\.mjs, "):
        read_lock().file("python.wasm")


def test_the_browser_runs_the_versions_that_the_builder_runs() -> None:
    project = tomllib.loads((LOCK_FILE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pinned = {line.strip() for line in project["dependencies"]}
    shipped = {entry.requirement for entry in read_lock().files if entry.requirement}
    # The builder has PyYAML through Bokeh, so it is not among the direct dependencies.
    assert {line for line in shipped if not line.startswith("pyyaml==")} <= pinned


def test_numpy_is_the_file_in_pyodides_own_lock() -> None:
    numpy = read_lock().numpy_wheel
    assert numpy.name == "numpy-2.4.3-cp314-cp314-pyemscripten_2026_0_wasm32.whl"
    # From the pyodide-lock.json of the npm package pyodide@314.0.3.
    assert numpy.sha256 == "0cad9c1b91f0082e4f959bc0e0bf5835a2efbba6ab3b1e9d1fe6e7e564cca98e"


def test_no_address_but_the_cdns_is_named() -> None:
    addresses = re.findall(r"\w+://[^\s\"]+", LOCK_FILE.read_text(encoding="utf-8"))
    assert addresses == ["https://cdn.jsdelivr.net/pyodide/v314.0.3/full/"]
    assert read_lock().cdn == addresses[0]
