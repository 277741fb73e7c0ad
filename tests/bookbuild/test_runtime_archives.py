"""Stripping and byte-compiling: the recipe on small archives, and what came of the real ones."""

from __future__ import annotations

import dataclasses
import importlib.machinery
import importlib.util
import os
import re
import shutil
import types
import zipfile
from pathlib import Path

import pytest

from bookbuild.runtime import Runtime, RuntimeSupplyError, default_cache, provide, run_python, strip
from bookbuild.runtime.bytecode import compiled, write_archive
from bookbuild.runtime.lock import hash_of

SOURCE = b'''"""Module."""
class Box:
    """Class."""
    def hold(self, thing):
        """Method."""
        def inner():
            """Inner."""
            return "kept"
        assert thing, "asserted"
        return inner
def bare():
    "Only this."
'''

# In the reader's Python, the one that marks docstrings.
CHECK_DOCSTRINGS = """
import marshal
from bytecode import compiled
def load(documented):
    space = {"__name__": "box"}
    exec(marshal.loads(compiled(SOURCE, "box.py", documented)[16:]), space)
    box, bare = space["Box"], space["bare"]
    functions = [bare, box.hold, box().hold(1)]
    try:
        box().hold(0)
    except AssertionError as error:
        said = str(error)
    return [functions[2](), said, space["__doc__"], box.__doc__, *(f.__doc__ for f in functions)]
print(load(True), load(False))
"""


@pytest.fixture(scope="session")
def runtime() -> Runtime:
    return provide(default_cache())


def load(data: bytes, folder: Path) -> types.ModuleType:
    path = folder / "box.pyc"
    path.write_bytes(data)
    loader = importlib.machinery.SourcelessFileLoader("box", str(path))
    spec = importlib.util.spec_from_loader("box", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_byte_code_has_an_unchecked_hash(tmp_path: Path) -> None:
    data = compiled(SOURCE, "box.py", documented=True)
    assert data[:4] == importlib.util.MAGIC_NUMBER
    assert int.from_bytes(data[4:8], "little") == 0b01  # PEP 552: hash-based, not checked
    assert data[8:16] == importlib.util.source_hash(SOURCE)
    module = load(data, tmp_path)
    assert module.Box.hold.__doc__ == "Method."
    assert module.Box.hold.__code__.co_filename == "box.py"


def test_functions_lose_their_docstrings_and_nothing_else(runtime: Runtime) -> None:
    code = f"import sys\nsys.path.append('/recipe')\nSOURCE = {SOURCE!r}\n{CHECK_DOCSTRINGS}"
    recipe = Path(strip.__file__).parent
    kept = ["kept", "asserted", "Module.", "Class."]
    printed = run_python(runtime, code, mounts={"/recipe": recipe})
    assert printed == f"{[*kept, 'Only this.', 'Method.', 'Inner.']} {[*kept, None, None, None]}\n"


def test_an_archive_is_sorted_stored_and_the_same_on_any_day(tmp_path: Path) -> None:
    source = tmp_path / "source.zip"
    made = []
    for day in (1, 2):
        with zipfile.ZipFile(source, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in ("b.txt", "a.py", "c.txt"):
                archive.writestr(zipfile.ZipInfo(name, (2026, 1, day, 0, 0, 0)), b"x = 1")
        made.append(tmp_path / f"{day}.zip")
        write_archive(str(made[-1]), [(str(source), ["b.txt", "a.py"])], documented=True)
    assert made[0].read_bytes() == made[1].read_bytes()
    with zipfile.ZipFile(made[0]) as archive:
        assert archive.namelist() == ["a.pyc", "b.txt"]
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}


@pytest.mark.parametrize("which", ["stdlib", "numpy", "libs"])
def test_a_shipped_archive_holds_byte_code_and_data_only(runtime: Runtime, which: str) -> None:
    with zipfile.ZipFile(getattr(runtime, which)) as archive:
        names = archive.namelist()
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}
    assert any(name.endswith(".pyc") for name in names)
    useless = r"\.(py|pyi|h|c|a)$|/tests?/|idlelib|tkinter|server/static|x86_64"
    assert [name for name in names if re.search(useless, name)] == []


def test_what_bokeh_reads_from_files_and_every_licence_is_there(runtime: Runtime) -> None:
    with zipfile.ZipFile(runtime.libs) as archive:
        names = set(archive.namelist())
    bokeh = next(file for file in runtime.lock.files if file.name.startswith("bokeh-"))
    assert f"bokeh/_sri/{bokeh.requirement.removeprefix('bokeh==')}.json" in names
    assert "bokeh/core/_templates/file.html.jinja" in names
    licensed = {name.split("-")[0] for name in names if re.search(r"\.dist-info/licenses/LICENSE", name)}
    assert licensed == {"bokeh", "jinja2", "markupsafe", "param", "pyyaml"}


def test_no_licence_of_numpy_is_left_out(runtime: Runtime) -> None:
    wheel = runtime.pyodide_mjs.parent / runtime.lock.numpy_wheel.name
    with zipfile.ZipFile(wheel) as fetched, zipfile.ZipFile(runtime.numpy) as shipped:
        licences = {name for name in fetched.namelist() if ".dist-info/licenses/" in name}
        assert licences
        assert licences <= set(shipped.namelist())


@pytest.mark.parametrize(
    ("bundle", "kept", "dropped"),
    [
        ("stdlib.zip", "encodings/utf_16_le.py", "encodings/cp1251.py"),
        ("stdlib.zip", "http/client.py", "http/server.py"),
        ("stdlib.zip", "statistics.py", "unittest/case.py"),
        ("stdlib.zip", "codeop.py", "pdb.py"),
        ("libs.zip", "bokeh/protocol/messages/patch_doc.py", "bokeh/server/static/js/bokeh.js"),
        ("libs.zip", "bokeh/models/tools.py", "bokeh/sampledata/stocks.py"),
        ("libs.zip", "bokeh-3.9.2.dist-info/METADATA", "bokeh-3.9.2.dist-info/RECORD"),
        ("libs.zip", "yaml/cyaml.py", "yaml/_yaml.cpython-312-x86_64-linux-gnu.so"),
        ("numpy", "numpy/testing/_private/utils.py", "numpy/linalg/tests/test_linalg.py"),
        ("numpy", "numpy/fft/_pocketfft_umath.cpython-314-wasm32-emscripten.so", "numpy/_core/lib/libnpymath.a"),
    ],
)
def test_a_neighbour_of_what_is_dropped_is_kept(
    runtime: Runtime, tmp_path: Path, bundle: str, kept: str, dropped: str
) -> None:
    name = runtime.lock.numpy_made.name if bundle == "numpy" else bundle
    source = tmp_path / "source.zip"
    with zipfile.ZipFile(source, "w") as archive:
        for member in (dropped, kept, "folder/"):
            archive.writestr(member, b"")
    _, left_out = strip.bundles(runtime.lock)[name].parts[0]
    assert strip.members(source, left_out) == [kept]


def copy_of_cache(runtime: Runtime, folder: Path) -> None:
    for part in (runtime.pyodide_mjs.parent, runtime.libs.parent):
        shutil.copytree(part, folder / "runtime" / part.name, copy_function=os.link)


@pytest.mark.parametrize("damage", ["absent", "damaged"])
def test_an_archive_that_is_absent_or_damaged_is_made_anew(runtime: Runtime, tmp_path: Path, damage: str) -> None:
    copy_of_cache(runtime, tmp_path)
    made = tmp_path / "runtime" / runtime.libs.parent.name / runtime.libs.name
    made.unlink()  # the other name of this file, in the real cache, stays
    if damage == "damaged":
        made.write_bytes(b"PK half an archive")
    lines: list[str] = []
    again = provide(tmp_path, lines.append)
    assert again.libs == made.resolve()
    assert hash_of(again.libs) == runtime.lock.file("libs.zip").sha256
    assert lines == [
        *["libs.zip: the copy in the cache is damaged; making it anew"] * (damage == "damaged"),
        f"libs.zip: {runtime.libs.stat().st_size / 1e3:,.0f} kB made",
    ]


def test_an_outcome_that_is_not_the_locked_one_is_refused(runtime: Runtime, tmp_path: Path) -> None:
    copy_of_cache(runtime, tmp_path)
    libs = runtime.lock.file("libs.zip")
    text = runtime.lock.path.read_text(encoding="utf-8").replace(libs.sha256, "0" * 64)
    lock_file = tmp_path / "changed.lock.toml"
    lock_file.write_text(text, encoding="utf-8")
    with pytest.raises(RuntimeSupplyError) as caught:
        provide(tmp_path, lock_file=lock_file)
    message = str(caught.value)
    assert f"libs.zip: expected {libs.size} bytes, sha256 {'0' * 64}" in message
    assert f"made {libs.size} bytes, sha256 {libs.sha256}" in message
    assert "write what was made into changed.lock.toml" in message
    assert "stdlib.zip" not in message


def test_a_cache_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    blocked = tmp_path / "a file"
    blocked.write_bytes(b"")
    with pytest.raises(RuntimeSupplyError, match=r"(?s)the cache .*a file cannot be used: .*GPUBOOK_CACHE"):
        provide(blocked)


def test_the_package_list_is_for_a_file_named_like_a_wheel(runtime: Runtime) -> None:
    assert runtime.lock.numpy_made.sha256 == hash_of(runtime.numpy)
    assert runtime.lock.numpy_made.sha256 in runtime.package_list("numpy-2.4.3-cp314-cp314-slim.0a1b.whl")
    for wrong in (
        "numpy.whl",
        "numpy-2.4.3-cp314-cp314.whl",
        "numpy-2.4.3-cp314-cp314-slim.zip",
        "a/" + runtime.numpy.name,
    ):
        with pytest.raises(ValueError, match=re.escape(repr(wrong))):
            runtime.package_list(wrong)


def test_a_changed_input_has_a_place_of_its_own(runtime: Runtime) -> None:
    from bookbuild.runtime.derive import made_folder

    other = dataclasses.replace(runtime.lock.files[0], sha256="0" * 64)
    changed = dataclasses.replace(runtime.lock, files=(other, *runtime.lock.files[1:]))
    cache = default_cache()
    assert made_folder(runtime.lock, cache) == runtime.libs.parent
    assert made_folder(changed, cache) != runtime.libs.parent
