"""Make the stripped, byte-compiled archives out of the fetched files, once for each recipe and inputs."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from bookbuild.runtime import strip
from bookbuild.runtime.errors import RuntimeSupplyError
from bookbuild.runtime.fetch import difference
from bookbuild.runtime.lock import Lock
from bookbuild.runtime.node import Job, run_job
from bookbuild.runtime.sources import Say

_HERE = Path(__file__).parent
# Whatever changes what comes out. (Not the version of Node: the compiler is Pyodide's, in its wasm.)
_RECIPE = tuple(_HERE / name for name in ("bytecode.py", "strip.py", "run.mjs"))
_TIMEOUT_S = 300.0


def make_archives(lock: Lock, files: Mapping[str, Path], cache: Path, say: Say) -> dict[str, Path]:
    """The paths of all made archives, by name, each with the locked size and SHA-256.

    They are cached under the hash of the recipe and of its inputs; a damaged one is made anew. Raises
    RuntimeSupplyError when the outcome is not the locked one.
    """
    folder = made_folder(lock, cache)
    folder.mkdir(parents=True, exist_ok=True)
    paths = {entry.name: folder / entry.name for entry in lock.made}
    wrong = []
    for entry in lock.made:
        path = paths[entry.name]
        if path.exists() and difference(entry, path):
            say(f"{entry.name}: the copy in the cache is damaged; making it anew")
            path.unlink(missing_ok=True)
        if path.exists():
            continue
        with tempfile.TemporaryDirectory(dir=folder, prefix=".make-") as outgoing:
            made = Path(outgoing) / entry.name
            _compile(lock, files, strip.bundles(lock)[entry.name], made)
            if found := difference(entry, made):
                wrong.append(f"{entry.name}: expected {entry.expected}\n  made {found}")
                continue
            made.replace(path)
        say(f"{entry.name}: {entry.size / 1e3:,.0f} kB made")
    if wrong:
        raise RuntimeSupplyError(_not_as_locked(wrong, lock))
    return paths


def made_folder(lock: Lock, cache: Path) -> Path:
    """The cache's folder for what this recipe makes of these inputs."""
    digest = hashlib.sha256()
    for path in _RECIPE:
        digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
    for file in lock.files:
        digest.update(f"{file.name} {file.sha256}\n".encode())
    return cache / "runtime" / f"made-{digest.hexdigest()[:16]}"


def _compile(lock: Lock, files: Mapping[str, Path], bundle: strip.Bundle, target: Path) -> None:
    core = files["pyodide.mjs"].parent
    parts = [(f"/in/{name}", strip.members(files[name], left_out)) for name, left_out in bundle.parts]
    run_job(
        Job(
            core=str(core),
            stdlib=str(files["python_stdlib.zip"]),
            lock=json.dumps({"info": dict(lock.info), "packages": {}}),
            package_base=str(core),
            mounts={"/in": str(core), "/out": str(target.parent)},
            code=f"{(_HERE / 'bytecode.py').read_text(encoding='utf-8')}\n"
            f"write_archive({f'/out/{target.name}'!r}, {parts!r}, {bundle.documented})\n",
        ),
        _TIMEOUT_S,
    )


def _not_as_locked(wrong: Sequence[str], lock: Lock) -> str:
    recipe = ", ".join(path.name for path in _RECIPE)
    return "\n".join(
        (
            f"what was made of the runtime is not what {lock.path.name} names",
            *wrong,
            f"If the recipe ({recipe}) or an input was changed on purpose, write what was made into "
            f"{lock.path.name}; if not, delete the cache and run again.",
        )
    )
