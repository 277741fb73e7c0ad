"""The simulators' own tests, run by the Python and NumPy that readers get."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

from bookbuild.runtime import default_cache, provide, run_python

PROJECT = Path(__file__).parents[2]
TOOLS = ("pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments")  # all pure Python
DATA = ("sim", "tests/sim", "chapters")  # what these tests may read
# Hypothesis does not run there: these files repeat, with many inputs, what the others say with few.
FILES = sorted(
    path.relative_to(PROJECT).as_posix()
    for path in (PROJECT / "tests/sim").glob("test_*.py")
    if not path.name.endswith("_properties.py")
)

# Runs here and there alike. The last line it prints is the list of tests that it collected, or that passed.
RUN_PYTEST = """
import json, os, sys
import pytest

class Seen:
    def __init__(self):
        self.tests = []
    def pytest_collection_finish(self, session):
        if session.config.option.collectonly:
            self.tests = [item.nodeid for item in session.items]
    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            self.tests.append(report.nodeid)

def main(root, arguments):
    os.chdir(root)
    seen = Seen()
    options = ["-q", "-c", os.devnull, f"--rootdir={root}", "--import-mode=importlib", "-W", "error",
               "-p", "no:cacheprovider", "-p", "no:faulthandler", "--color=no", "--tb=short"]
    pytest.main([*options, *arguments], plugins=[seen])
    print(json.dumps(seen.tests))
"""


def tools() -> dict[str, Path]:
    origins = {}
    for name in TOOLS:
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        origin = Path(spec.origin)
        where = origin.parent if origin.name == "__init__.py" else origin
        origins[f"/tools/{where.name}"] = where
    return origins


def collected_here() -> list[str]:
    code = f"{RUN_PYTEST}\nmain({str(PROJECT)!r}, {['--collect-only', *FILES]!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    collected: list[str] = json.loads(done.stdout.splitlines()[-1])
    return collected


def test_every_test_of_the_simulators_passes_in_the_readers_python() -> None:
    runtime = provide(default_cache())
    # pytest wants modules of Python that the page does without: those come from the unstripped archive.
    paths = ("/book", "/tools", f"/original/{runtime.original_stdlib.name}")
    printed = run_python(
        runtime,
        f"import sys\nsys.path.extend({paths!r})\n{RUN_PYTEST}\nmain('/book', {FILES!r})",
        mounts={
            **{f"/book/{folder}": PROJECT / folder for folder in DATA},
            **tools(),
            "/original": runtime.original_stdlib.parent,
        },
        timeout_s=400,
    )
    report, passed = printed.rstrip().rsplit("\n", 1)
    expected = collected_here()
    assert expected
    assert sorted(json.loads(passed)) == sorted(expected), report
