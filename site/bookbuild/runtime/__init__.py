"""The Python that runs in the reader's browser: fetched by hash, stripped, byte-compiled, cached.

`provide` is the way in. `site/runtime.lock.toml` names every file; nothing else is let in.
"""

from __future__ import annotations

import os
from pathlib import Path

from bookbuild.runtime.derive import make_archives
from bookbuild.runtime.errors import RuntimeSupplyError
from bookbuild.runtime.fetch import ANSWER_LIMIT_S, default_sources, fetch_files
from bookbuild.runtime.lock import LOCK_FILE, read_lock
from bookbuild.runtime.node import run_python
from bookbuild.runtime.precompile import precompile
from bookbuild.runtime.shipped import Runtime
from bookbuild.runtime.sources import Say
from bookbuild.runtime.strip import LIBS, STDLIB

__all__ = ["LOCK_FILE", "Runtime", "RuntimeSupplyError", "default_cache", "precompile", "provide", "run_python"]


def default_cache() -> Path:
    """The folder that the environment variable GPUBOOK_CACHE names, else `.cache` of the project."""
    return Path(os.environ.get("GPUBOOK_CACHE") or LOCK_FILE.parents[1] / ".cache")


def provide(
    cache: Path,
    say: Say = lambda line: None,
    *,
    lock_file: Path = LOCK_FILE,
    answer_limit_s: float = ANSWER_LIMIT_S,
) -> Runtime:
    """Fetch and make what `cache` lacks and return the runtime; `say` gets a line for each step of work.

    Every file's size and SHA-256 is checked on each call. Raises RuntimeSupplyError, whose message names
    the file, what was expected, what each source said and what to do.
    """
    cache = cache.resolve()
    lock = read_lock(lock_file)
    try:
        files = fetch_files(lock, cache, default_sources(lock, cache, answer_limit_s, say), say)
        made = make_archives(lock, files, cache, say)
    except OSError as error:
        raise RuntimeSupplyError(
            f"the cache {cache} cannot be used: {error}\n"
            "  Make room, or name another folder in the environment variable GPUBOOK_CACHE."
        ) from error
    return Runtime(
        pyodide_mjs=files["pyodide.mjs"],
        pyodide_asm_mjs=files["pyodide.asm.mjs"],
        pyodide_asm_wasm=files["pyodide.asm.wasm"],
        stdlib=made[STDLIB],
        numpy=made[lock.numpy_made.name],
        libs=made[LIBS],
        bokeh_js=files["bokeh.min.js"],
        original_stdlib=files["python_stdlib.zip"],
        lock=lock,
    )
