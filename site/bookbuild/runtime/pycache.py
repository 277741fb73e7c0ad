"""Write the byte-code of an archive's modules, to lie beside their sources.

Runs inside Pyodide, like `bytecode.py`: standard library only. Python compares each .pyc with the hash of
its source and compiles anew where they differ (PEP 552), so that a source is always what runs.
"""

import marshal
import zipfile
from importlib.util import MAGIC_NUMBER, cache_from_source, source_hash

_CHECKED_HASH = (0b11).to_bytes(4, "little")


def write_pycache(target: str, archive: str) -> None:
    """Write an archive of the .pyc files, under `__pycache__`, of every .py in `archive`."""
    with zipfile.ZipFile(archive) as sources, zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as out:
        for name in sources.namelist():
            if name.endswith(".py"):
                source = sources.read(name)
                code = compile(source, name, "exec", dont_inherit=True, optimize=0)
                out.writestr(
                    cache_from_source(name), MAGIC_NUMBER + _CHECKED_HASH + source_hash(source) + marshal.dumps(code)
                )
