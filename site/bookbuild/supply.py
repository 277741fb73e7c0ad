"""The runtime's files on the site: where they lie, and the manifest by which the worker finds them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from bookbuild.assets import Content, named, short


class Runtime(Protocol):
    """The files that the site ships: what `bookbuild.runtime.provide` returns."""

    @property
    def pyodide_mjs(self) -> Path:
        """Pyodide's way in."""

    @property
    def pyodide_asm_mjs(self) -> Path:
        """Its glue."""

    @property
    def pyodide_asm_wasm(self) -> Path:
        """The interpreter."""

    @property
    def stdlib(self) -> Path:
        """The standard library."""

    @property
    def numpy(self) -> Path:
        """NumPy's wheel."""

    @property
    def libs(self) -> Path:
        """Bokeh and what it needs."""

    @property
    def bokeh_js(self) -> Path:
        """BokehJS."""

    @property
    def lock_json(self) -> str:
        """The list of packages by which Pyodide finds NumPy."""


def shelve(runtime: Runtime, book: bytes) -> tuple[dict[str, Content], str, str]:
    """Return the files under `runtime/`, the address of the manifest and that of Bokeh's script.

    Pyodide's own files look for each other by name, and a wheel's name says what it is: these lie in folders
    named by their content. Addresses in the manifest are relative to the manifest.
    """
    core = (runtime.pyodide_mjs, runtime.pyodide_asm_mjs, runtime.pyodide_asm_wasm)
    core_folder = f"pyodide-{short(b''.join(file.read_bytes() for file in core))}"
    wheels_folder = f"packages-{short(runtime.numpy.read_bytes())}"
    files: dict[str, Content] = {f"{core_folder}/{file.name}": file for file in core}
    files[f"{wheels_folder}/{runtime.numpy.name}"] = runtime.numpy
    singles = {kind: named(file.name, file.read_bytes()) for kind, file in _singles(runtime).items()}
    files |= {singles[kind]: file for kind, file in _singles(runtime).items()}
    singles["book"] = named("book.zip", book)
    files[singles["book"]] = book
    manifest = json.dumps(
        {
            "pyodide": f"{core_folder}/",
            "packages": f"{wheels_folder}/",
            "stdlib": singles["stdlib"],
            "libs": singles["libs"],
            "book": singles["book"],
            "lock": json.loads(runtime.lock_json),
        },
        indent=1,
    ).encode()
    manifest_name = named("manifest.json", manifest)
    files[manifest_name] = manifest
    shelved = {f"runtime/{name}": content for name, content in files.items()}
    return shelved, f"runtime/{manifest_name}", f"runtime/{singles['bokeh']}"


def _singles(runtime: Runtime) -> Mapping[str, Path]:
    return {"stdlib": runtime.stdlib, "libs": runtime.libs, "bokeh": runtime.bokeh_js}
