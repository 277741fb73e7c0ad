"""The provided runtime at work: Pyodide under Node, with exactly the files that the site ships."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bookbuild.runtime import Runtime, RuntimeSupplyError, default_cache, provide, run_python
from bookbuild.runtime.node import Job, run_job

# A figure as the book's are: a document with a plot, columns of numbers, a renderer and a tool.
DRAW = """
import json
import bokeh.plotting, bokeh.document, param
import numpy as np
from bokeh.document import Document
from bokeh.models import ColumnDataSource, HoverTool
from bokeh.plotting import figure

source = ColumnDataSource({"x": np.arange(4.0), "y": np.array([3, 1, 2, 0], dtype=np.int32), "name": list("abcd")})
plot = figure(width=300, height=200, title="банк · 存储体")
plot.rect("x", "y", width=0.5, height=0.5, source=source)
plot.add_tools(HoverTool(tooltips=[("name", "@name")]))
document = Document()
document.add_root(plot)
print(json.dumps(document.to_json(deferred=False)))
"""


@pytest.fixture(scope="session")
def runtime() -> Runtime:
    return provide(default_cache())


def test_a_document_is_the_same_in_the_readers_python_as_in_the_builders(runtime: Runtime) -> None:
    here = subprocess.run([sys.executable, "-c", DRAW], capture_output=True, check=True)
    there = json.loads(run_python(runtime, DRAW))
    assert there["version"] == "3.9.2"
    assert there == json.loads(here.stdout)


def test_patches_are_applied_and_sent_by_a_document(runtime: Runtime) -> None:
    code = f"""
{DRAW}
sent = []
document.on_change(lambda event: sent.append(event.attr))
patch = {{"events": [{{"kind": "ModelChanged", "model": {{"id": plot.id}}, "attr": "width", "new": 400}}]}}
document.apply_json_patch(patch)
source.data = {{"x": [1], "y": [2], "name": ["z"]}}
print(json.dumps([plot.width, sent]))
"""
    assert json.loads(run_python(runtime, code).splitlines()[-1]) == [400, ["width", "data"]]


def test_numpy_is_whole_and_nothing_else_was_loaded(runtime: Runtime) -> None:
    code = """
import sys
import numpy as np
import numpy.fft, numpy.linalg, numpy.ma, numpy.polynomial, numpy.random
assert np.linalg.solve([[2.0, 0], [0, 4]], [2, 4]).tolist() == [1, 1]
assert np.allclose(np.fft.ifft(np.fft.fft([1.0, 2, 3])), [1, 2, 3])
assert np.random.default_rng(1).integers(10, size=3).max() < 10
import bokeh.plotting, bokeh.document, param
tops = {name.split(".")[0] for name in sys.modules if not name.startswith("_")}
own = {"cython_runtime", "pyodide", "pyodide_js"}
print(sorted(tops - sys.stdlib_module_names - own), np.__version__, sys.version_info[:2])
"""
    assert run_python(runtime, code) == ("['bokeh', 'jinja2', 'markupsafe', 'numpy', 'param', 'yaml'] 2.4.3 (3, 14)\n")


def test_numpy_is_served_under_any_name_that_is_a_wheels(runtime: Runtime, tmp_path: Path) -> None:
    name = "numpy-2.4.3-cp314-cp314-slim.0a1b2c3d.whl"
    shutil.copy(runtime.numpy, tmp_path / name)
    job = Job(
        core=str(runtime.pyodide_mjs.parent),
        stdlib=str(runtime.stdlib),
        lock=runtime.package_list(name),
        package_base=str(tmp_path),
        packages=["numpy"],
        code="import numpy, importlib.metadata; print(importlib.metadata.version('numpy'))",
    )
    assert run_job(job, 60) == "2.4.3\n"


def test_an_error_is_its_message_without_a_line_of_pyodides_source(runtime: Runtime) -> None:
    with pytest.raises(RuntimeSupplyError) as caught:
        run_python(runtime, "print('begun')\nraise LookupError('no such lane')")
    message = str(caught.value)
    assert message.startswith("Python under Node ended with status 1:\nbegun\n")
    assert message.endswith("LookupError: no such lane")
    assert len(message) < 600


def test_an_error_of_node_itself_is_a_sentence_too(runtime: Runtime, tmp_path: Path) -> None:
    (tmp_path / "pyodide.mjs").write_text("export const loadPyodide = 1;" + " " * 1_000_000 + "throw Error('broken')")
    job = Job(core=str(tmp_path), stdlib="", lock="{}", package_base="", code="")
    with pytest.raises(RuntimeSupplyError) as caught:
        run_job(job, 60)
    assert str(caught.value) == "Python under Node ended with status 1:\nbroken"


def test_python_that_does_not_end_is_stopped(runtime: Runtime) -> None:
    with pytest.raises(RuntimeSupplyError, match=r"did not end within 3 s"):
        run_python(runtime, "while True: pass", timeout_s=3)


def test_folders_and_files_of_this_machine_are_mounted(runtime: Runtime, tmp_path: Path) -> None:
    (tmp_path / "lane.py").write_text("LANES = 32\n", encoding="utf-8")
    code = "import sys; sys.path.append('/a/b'); import lane; print(lane.LANES, open('/c/d.txt').read())"
    note = tmp_path / "note.txt"
    note.write_text("warp", encoding="utf-8")
    assert run_python(runtime, code, mounts={"/a/b": tmp_path, "/c/d.txt": note}) == "32 warp\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lane.py", "note.txt"]  # no __pycache__
