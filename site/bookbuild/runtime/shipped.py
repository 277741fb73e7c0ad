"""What the site ships of the runtime."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from bookbuild.runtime.lock import Lock


@dataclass(frozen=True, slots=True)
class Runtime:
    """Paths of the runtime's files, all with the size and SHA-256 that the lock names.

    `stdlib`, `numpy` and `libs` are archives of byte-code without sources, stored and not deflated: compress
    each as a whole. `libs` is to be unpacked into site-packages. `original_stdlib` is not shipped: it holds
    the modules that the shipped one leaves out, which tools such as pytest want.
    """

    pyodide_mjs: Path
    pyodide_asm_mjs: Path
    pyodide_asm_wasm: Path
    stdlib: Path
    numpy: Path
    libs: Path
    bokeh_js: Path
    original_stdlib: Path
    lock: Lock

    @property
    def lock_json(self) -> str:
        """Pyodide's list of packages for NumPy under the name it has in the cache."""
        return self.package_list(self.numpy.name)

    def package_list(self, numpy_name: str) -> str:
        """Pyodide's list of packages, `lockFileContents`: NumPy alone, served as `numpy_name`.

        ValueError unless that is named like a wheel, `numpy-version-python-abi-platform.whl`, which Pyodide
        demands; anything may follow the platform: `….0a1b2c.whl`.
        """
        if not re.fullmatch(r"numpy-[^-/]+(-[^-/]+){3}\.whl", numpy_name):
            raise ValueError(f"numpy_name = {numpy_name!r}; it has to be numpy-version-python-abi-platform.whl")
        entry = {
            "name": "numpy",
            "version": numpy_name.split("-")[1],
            "file_name": numpy_name,
            "sha256": self.lock.numpy_made.sha256,
            "install_dir": "site",
            "package_type": "package",
            "imports": ["numpy"],
            "depends": [],
            "unvendored_tests": False,
        }
        return json.dumps({"info": dict(self.lock.info), "packages": {"numpy": entry}})
