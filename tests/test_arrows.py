"""Arrows point one way: bookbuild → widgets → sim ← gpu_backend."""

import json
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

HACKS = {"_distutils_hack"}  # setuptools puts it into every interpreter

LOOK = """
import importlib, json, pkgutil, sys
room = importlib.import_module({room!r})
for module in pkgutil.walk_packages(room.__path__, room.__name__ + "."):
    if module.name not in {skip!r}:
        importlib.import_module(module.name)
print(json.dumps(sorted({{name.split(".")[0] for name in sys.modules}})))
"""


def imported_by(room: str, skip: tuple[str, ...] = ()) -> set[str]:
    """Top-level modules in a fresh interpreter that imported every module of a room."""
    code = LOOK.format(room=room, skip=skip)
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT.parent)
    return set(json.loads(out.stdout))


def third_party(modules: set[str]) -> set[str]:
    installed = packages_distributions()  # once: it reads the metadata of everything that is installed
    return {name for name in modules if name in installed and name not in sys.stdlib_module_names} - HACKS


def test_simulators_need_numpy_at_most() -> None:
    assert third_party(imported_by("sim")) <= {"sim", "numpy"}


def test_figures_need_what_the_browser_is_given() -> None:
    """`widgets.view` alone needs Panel, which the browser is not given."""
    modules = imported_by("widgets", skip=("widgets.view",))
    assert "widgets" in modules
    assert "bokeh" in modules
    assert not modules & {"panel", "pandas", "tornado", "bookbuild", "gpu_backend", "aiohttp", "babel"}


def test_simulators_do_not_look_up() -> None:
    """`gpu_backend` needs torch to be imported: tests/gpu_backend/test_imports.py looks at it, import-linter here."""
    assert not imported_by("sim") & {"widgets", "bookbuild"}


def test_site_is_pythons_own() -> None:
    """The folder `site/` is no package: the name belongs to the standard library."""
    assert not (ROOT / "site" / "__init__.py").exists()
    code = "import site, bookbuild; print(site.__file__); print(bookbuild.__file__)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    own, builder = out.stdout.split()
    assert not own.startswith(str(ROOT / "site"))
    assert builder.startswith(str(ROOT / "site"))
