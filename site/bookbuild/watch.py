"""Build again when a source file changes, in a fresh Python each time, since code may be what changed."""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import watchfiles

from bookbuild.places import Places

SOURCES = frozenset({".md", ".toml", ".py", ".json", ".po", ".html", ".css", ".js", ".svg", ".png", ".jpg", ".webp"})


def is_source(change: watchfiles.Change, path: str) -> bool:
    """Say whether a changed file is a source, and not something made of one."""
    return Path(path).suffix in SOURCES


def folders(places: Places) -> list[Path]:
    """Return what is watched."""
    return [places.chapters, places.sim, places.widgets, places.templates, places.static, places.bookbuild]


async def changes(places: Places) -> AsyncIterator[list[Path]]:
    """Yield the source files changed, a burst of changes at a time."""
    async for found in watchfiles.awatch(*folders(places), watch_filter=is_source, recursive=True):
        yield sorted({Path(path) for _, path in found})


async def rebuild(places: Places, changed: Iterable[Path]) -> int:
    """Build in a fresh Python; its exit status. A broken book prints its problems and leaves the old site."""
    print(f"Changed: {', '.join(places.name(path) for path in changed)}", flush=True)
    command = (sys.executable, "-m", "bookbuild.cli", "--root", str(places.root), "build", "--draft")
    child = await asyncio.create_subprocess_exec(*command)
    status = await child.wait()
    if status:
        print("The site served is still the last good one.", flush=True)
    return status


async def watch(places: Places) -> None:
    """Build again on every change, until cancelled."""
    async for changed in changes(places):
        await rebuild(places, changed)
