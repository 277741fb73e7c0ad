"""Bring every locked file into the cache, from the first source that has it, and let nothing else in."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from bookbuild.runtime.errors import RuntimeSupplyError
from bookbuild.runtime.lock import SOURCES, Lock, LockedFile, describe, hash_of
from bookbuild.runtime.sources import Carrier, Cdn, MemberOfWheel, Say, Source, Wheels

ANSWER_LIMIT_S = 3.0  # what a source gets to answer; then the next one is asked


def folder_of(lock: Lock, cache: Path) -> Path:
    """The cache's folder for the files of this lock: one for each Pyodide, whose files keep their names."""
    return cache / "runtime" / f"pyodide-{lock.pyodide}"


def default_sources(lock: Lock, cache: Path, answer_limit_s: float, say: Say) -> dict[str, Source]:
    """The sources by their name in the lock."""
    return {
        "cdn": Cdn(lock.cdn, answer_limit_s),
        "carrier": Carrier(lock.carrier, lock.carrier_folder, answer_limit_s, say),
        "pip": Wheels(),
        "wheel": MemberOfWheel(folder_of(lock, cache).joinpath),
    }


def fetch_files(lock: Lock, cache: Path, sources: Mapping[str, Source], say: Say) -> dict[str, Path]:
    """The paths of all files of the lock, by name, each with the locked size and SHA-256.

    Nothing is half-written: a file is checked in a folder of this run and then renamed into its place, so
    that runs side by side do not disturb each other either. Raises RuntimeSupplyError for a file in the
    cache that is not the locked one, and for files that no source has.
    """
    folder = folder_of(lock, cache)
    folder.mkdir(parents=True, exist_ok=True)
    missing = [file for file in lock.files if not _in_cache(file, folder, lock)]
    said: defaultdict[str, list[str]] = defaultdict(list)
    for key in SOURCES:
        if wanted := [file for file in missing if key in file.sources]:
            with tempfile.TemporaryDirectory(dir=folder, prefix=".fetch-") as incoming:
                refused = _take(wanted, sources[key], Path(incoming), folder, say)
            for name, why in refused.items():
                said[name].append(f"{sources[key].title}: {why}")
            missing = [file for file in missing if file not in wanted or file.name in refused]
    if missing:
        raise RuntimeSupplyError(_no_source(missing, said, folder, lock))
    return {file.name: folder / file.name for file in lock.files}


def difference(file: LockedFile, path: Path) -> str:
    """Empty when `path` is the locked file, else what it is instead."""
    size = path.stat().st_size
    if size == file.size and hash_of(path) == file.sha256:
        return ""
    return describe(size, hash_of(path))


def _in_cache(file: LockedFile, folder: Path, lock: Lock) -> bool:
    path = folder / file.name
    if not path.exists():
        return False
    if found := difference(file, path):
        raise RuntimeSupplyError(
            f"{file.name}: the copy in the cache is not the file that {lock.path.name} names\n"
            f"  expected {file.expected}\n"
            f"  found    {found}\n"
            f"  Delete {path} and run again to fetch it anew."
        )
    return True


def _take(wanted: Sequence[LockedFile], source: Source, incoming: Path, folder: Path, say: Say) -> dict[str, str]:
    """Fetch into `incoming`, move what is right into `folder`; by name, why the rest was refused."""
    refused = source.fetch(wanted, incoming)
    for file in wanted:
        if file.name in refused:
            continue
        arrived = incoming / file.name
        if found := difference(file, arrived):
            refused[file.name] = f"gave another file: {found}"
            say(f"{file.name}: refused, {source.title} {refused[file.name]}; expected {file.expected}")
            continue
        arrived.replace(folder / file.name)
        say(f"{file.name}: {file.size / 1e3:,.0f} kB from {source.title}")
    return refused


def _no_source(missing: Sequence[LockedFile], said: Mapping[str, list[str]], folder: Path, lock: Lock) -> str:
    # Offline, all files fail for the same reasons: these are then told once.
    groups: defaultdict[tuple[str, ...], list[LockedFile]] = defaultdict(list)
    for file in missing:
        groups[tuple(said[file.name])].append(file)
    lines = []
    for reasons, files in groups.items():
        lines += [f"{file.name}: no source has it; expected {file.expected}" for file in files]
        lines += [f"  {reason}" for reason in reasons]
    lines.append(
        "Run again when pip reaches its index or the CDN can be reached (where a source gave another file, a "
        f"proxy may have changed it), or put what {lock.path.name} names into {folder} by hand."
    )
    return "\n".join(lines)
