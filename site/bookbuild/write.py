"""Put a site in place, whole or not at all."""

import os
import shutil
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bookbuild import compress
from bookbuild.assets import Content


def write(files: Mapping[str, Content], out: Path, cache: Path, smallest: bool = False) -> None:
    """Write all files and their compressed siblings beside `out`, then let the new folder take its place."""
    fresh = out.with_name(f"{out.name}.new-{os.getpid()}")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        with ThreadPoolExecutor() as pool:  # compressing lets other threads run
            for _ in pool.map(lambda name: _put(fresh / name, files[name], cache, smallest), files):
                pass
        _replace(out, fresh)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _put(path: Path, content: Content, cache: Path, smallest: bool) -> None:
    data = content if isinstance(content, bytes) else content.read_bytes()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    for ending, packed in compress.siblings(path.name, data, cache, smallest).items():
        path.with_name(path.name + ending).write_bytes(packed)


def _replace(out: Path, fresh: Path) -> None:
    old = out.with_name(f"{out.name}.old-{os.getpid()}")
    if out.exists():
        out.rename(old)
    fresh.rename(out)
    shutil.rmtree(old, ignore_errors=True)
