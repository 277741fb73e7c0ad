"""Make the page that the book is measured against: one figure as `panel convert --to pyodide-worker` gives it.

What is changed of Panel's output, and why:
- `importScripts` becomes an `import` and the worker a module, because Pyodide 314 has no classic workers;
- addresses point at copies beside the page: BokehJS, Panel's script and style sheets, wheels;
- micropip is told not to resolve dependencies, of which it is handed all;
- es-module-shims is left out, which no browser of today needs.

    python tests/bench/stock.py FOLDER     makes the page in FOLDER, to look at with `gpubook`'s server or any other
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import bokeh
import panel

from bookbuild.assets import Content, short
from bookbuild.bundle import archive
from bookbuild.places import PROJECT
from bookbuild.runtime import default_cache, provide
from bookbuild.runtime.fetch import ANSWER_LIMIT_S, default_sources, fetch_files, folder_of
from bookbuild.runtime.lock import LockedFile
from bookbuild.write import write

HERE = Path(__file__).parent
APP = HERE / "stock_app.py"
LOCK_FILE = HERE / "stock.lock.toml"
BOKEH_JS = Path(bokeh.__file__).parent / "server/static/js"
PANEL_DIST = Path(panel.__file__).parent / "dist"
PANEL_CSS = (
    "css/loading.css",
    "css/listpanel.css",
    "css/select.css",
    "bundled/theme/default.css",
    "bundled/theme/native.css",
    "assets/arc_spinner.svg",
)
OUR_SUFFIXES = {".py", ".toml", ".json"}
CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")

Say = Callable[[str], None]


class StockChanged(Exception):
    """Panel's output is not what this recipe was written for; the message says where."""


def make(cache: Path, out: Path, say: Say = lambda line: None) -> None:
    """Put the page into `out` as `index.html`, compressed as the book's site is.

    Raises:
        StockChanged: another Panel, whose output this recipe does not know.
        bookbuild.runtime.RuntimeSupplyError: a wheel cannot be had.
    """
    files = _fetched(cache, say)
    wheels = _wheels(files)
    assets: dict[str, Content] = {name: files[name] for name in CORE}
    assets |= {files["micropip"].name: files["micropip"], **wheels}
    assets |= {f"bokeh{kind}.min.js": BOKEH_JS / f"bokeh{kind}.min.js" for kind in ("", "-gl", "-widgets", "-tables")}
    dist = f"panel/{panel.__version__}/dist"
    assets |= {f"{dist}/{name}": PANEL_DIST / name for name in ("panel.min.js", *PANEL_CSS)}
    # Named by their content, so that the server lets browsers keep them for good, as it does with the book's.
    folder = f"assets-{_digest(assets)}"
    html, worker = _converted(f"./{folder}/panel/")
    pages = {
        "index.html": _page(html, folder).encode(),
        "stock_app.js": _worker(worker, folder, list(wheels)).encode(),
    }
    write({**pages, **{f"{folder}/{name}": content for name, content in assets.items()}}, out, cache)


def _fetched(cache: Path, say: Say) -> dict[str, Path]:
    """All locked files, the book's and those of the stock page, by name; wheels also by distribution."""
    lock = provide(cache, say).lock
    listed = tomllib.loads(LOCK_FILE.read_text("utf-8"))
    if listed["pyodide"] != lock.pyodide:
        raise StockChanged(
            f"{LOCK_FILE.name}: pyodide = {listed['pyodide']!r}, but {lock.path.name} has {lock.pyodide!r}; "
            "list the files that belong to that one"
        )
    extra = tuple(LockedFile(**row | {"sources": tuple(row["sources"])}) for row in listed["file"])
    own = replace(lock, path=LOCK_FILE, files=extra, made=())
    paths = fetch_files(own, cache, default_sources(own, cache, ANSWER_LIMIT_S, say), say)
    paths |= {file.name: folder_of(lock, cache) / file.name for file in lock.files}
    return paths | {name.partition("-")[0]: path for name, path in paths.items() if name.endswith(".whl")}


# ---------------------------------------------------------------------------------- wheels


def _wheels(files: Mapping[str, Path]) -> dict[str, Content]:
    """What micropip installs, by file name."""
    wheels: dict[str, Content] = {
        path.name: path for name, path in files.items() if name.endswith(".whl") and path != files["micropip"]
    }
    # Left out as Panel's own wheels for the browser do.
    wheels[files["bokeh"].name] = _without(files["bokeh"], r"bokeh/server/static/")
    wheels[f"panel-{panel.__version__}-py3-none-any.whl"] = _panel()
    # Compiled for another machine: without those parts they are pure Python.
    for name in ("markupsafe", "pyyaml"):
        compiled = files[name]
        del wheels[compiled.name]
        wheels["-".join(compiled.name.split("-")[:2]) + "-py3-none-any.whl"] = _without(compiled, r".*\.so$")
    wheels["gpubook-0-py3-none-any.whl"] = _ours()
    return wheels


def _without(wheel: Path, left_out: str) -> bytes:
    with zipfile.ZipFile(wheel) as source:
        names = [name for name in source.namelist() if not re.match(left_out, name) and not name.endswith("/")]
        return archive({name: source.read(name) for name in names})


def _panel() -> bytes:
    """Panel as installed here: the same files as its wheel of 30 MB, most of which is left out."""
    found = importlib.metadata.distribution("panel").files or []
    left_out = re.compile(r"\.\./|panel/(dist|tests)/|.*__pycache__/")
    return archive({str(file): file.read_binary() for file in found if not left_out.match(str(file))})


def _ours() -> bytes:
    rooms = [file for room in ("sim", "widgets") for file in sorted((PROJECT / room).rglob("*"))]
    files = {f.relative_to(PROJECT).as_posix(): f.read_bytes() for f in rooms if f.suffix in OUR_SUFFIXES}
    info = "gpubook-0.dist-info"
    files[f"{info}/METADATA"] = b"Metadata-Version: 2.1\nName: gpubook\nVersion: 0\n"
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    return archive(files)


def _digest(files: Mapping[str, Content]) -> str:
    total = sha256()
    for name, content in sorted(files.items()):
        data = content if isinstance(content, bytes) else content.read_bytes()
        total.update(f"{name}\0{sha256(data).hexdigest()}\n".encode())
    return short(total.digest())


# ------------------------------------------------------------------------------ Panel's output


def _converted(panel_root: str) -> tuple[str, str]:
    """Page and worker as `panel convert` writes them, Panel's own files expected below `panel_root`."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "panel", "convert", str(APP), "--to", "pyodide-worker", "--out", folder]
        environment = {**os.environ, "PANEL_CDN_ROOT": panel_root}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        page, worker = Path(folder, f"{APP.stem}.html"), Path(folder, f"{APP.stem}.js")
        if done.returncode or not worker.is_file():
            raise StockChanged(f"panel convert failed:\n{done.stdout}{done.stderr}")
        return page.read_text("utf-8"), worker.read_text("utf-8")


def _page(html: str, folder: str) -> str:
    html = _swap(html, r"<script [^>]*es-module-shims[^>]*></script>", "")
    html = _swap(html, r'<script type="esms-options">.*?</script>', "")
    release = rf"https://cdn\.bokeh\.org/bokeh/release/bokeh(-\w+)?-{re.escape(bokeh.__version__)}\.min\.js"
    html = _swap(html, release, rf"./{folder}/bokeh\1.min.js", times=4)
    html = _swap(html, re.escape('new Worker("./stock_app.js")'), 'new Worker("./stock_app.js", {type: "module"})')
    return _local(html)


def _worker(script: str, folder: str, wheels: list[str]) -> str:
    base = f"new URL('./{folder}/', self.location.href).href"
    imported = f'import {{ loadPyodide }} from "./{folder}/pyodide.mjs";'
    script = _swap(script, r'importScripts\("[^"]*pyodide\.js"\);', imported)
    # Panel asks the style sheets of where this variable points.
    environment = f'{{ env: {{ HOME: "/home/pyodide", PANEL_CDN_ROOT: "./{folder}/panel/" }} }}'
    script = _swap(script, r"loadPyodide\(\)", f"loadPyodide({environment})")
    listed = ", ".join(f"'${{{base}}}{wheel}'" for wheel in wheels)
    script = _swap(script, r"micropip\.install\(\[.*?\]\)", f"micropip.install([{listed}], deps=False)")
    return _local(script)


def _swap(text: str, pattern: str, replacement: str, times: int = 1) -> str:
    swapped, found = re.subn(pattern, replacement, text, flags=re.DOTALL)
    if found != times:
        raise StockChanged(f"panel convert: {pattern!r} is there {found} times, and not {times}")
    return swapped


def _local(text: str) -> str:
    if foreign := re.findall(r"https?://(?!www\.w3\.org/)[\w.-]+[^\s\"'`<>\\)]*", text):
        raise StockChanged(f"panel convert: still points at {', '.join(sorted(set(foreign)))}")
    return text


if __name__ == "__main__":
    make(default_cache(), Path(sys.argv[1]).resolve(), lambda line: print(line, flush=True))
