"""Byte-code for the book's own modules, made by the reader's Python and kept until a source changes."""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from bookbuild.runtime.node import run_python
from bookbuild.runtime.shipped import Runtime

_RECIPE = Path(__file__).with_name("pycache.py")
_KEPT = 4  # the made archives of the last few states of the sources


def precompile(runtime: Runtime, files: Mapping[str, bytes], cache: Path) -> dict[str, bytes]:
    """Return the .pyc of every .py in `files`, by its path beside it; made once for each state of the sources.

    Raises RuntimeSupplyError, with the place, where a source cannot be compiled.
    """
    sources = {name: content for name, content in sorted(files.items()) if name.endswith(".py")}
    digest = hashlib.sha256(_RECIPE.read_bytes() + runtime.stdlib.name.encode() + runtime.stdlib.read_bytes())
    for name, content in sources.items():
        digest.update(f"{name} {len(content)}\n".encode() + content)
    made = cache / "pycache" / f"{digest.hexdigest()[:24]}.zip"
    if not made.is_file():
        made.parent.mkdir(parents=True, exist_ok=True)
        _make(runtime, sources, made)
    with zipfile.ZipFile(made) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _make(runtime: Runtime, sources: Mapping[str, bytes], made: Path) -> None:
    with tempfile.TemporaryDirectory(dir=made.parent, prefix=".make-") as folder:
        with zipfile.ZipFile(Path(folder, "sources.zip"), "w") as archive:
            for name, content in sources.items():
                archive.writestr(name, content)
        code = f"{_RECIPE.read_text('utf-8')}\nwrite_pycache('/made/pycache.zip', '/made/sources.zip')\n"
        run_python(runtime, code, mounts={"/made": Path(folder)})
        Path(folder, "pycache.zip").replace(made)
    for old in sorted(made.parent.glob("*.zip"), key=lambda file: file.stat().st_mtime)[:-_KEPT]:
        old.unlink(missing_ok=True)
