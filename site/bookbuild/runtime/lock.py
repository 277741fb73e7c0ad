"""The lock file: every file of the browser's runtime by name, size and SHA-256, and who has it."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bookbuild.runtime.errors import RuntimeSupplyError

LOCK_FILE = Path(__file__).parents[2] / "runtime.lock.toml"
SOURCES = ("cdn", "carrier", "pip", "wheel")


@dataclass(frozen=True, slots=True)
class LockedFile:
    """One file: `size` in bytes, `sha256` in hex; sources are tried in order.

    `requirement` is what pip is asked for (source "pip"); `wheel` and `member` say which locked wheel the
    file is cut from (source "wheel").
    """

    name: str
    size: int
    sha256: str
    sources: tuple[str, ...] = ()
    requirement: str = ""
    wheel: str = ""
    member: str = ""

    @property
    def expected(self) -> str:
        """What the lock says of the file, as part of a sentence."""
        return describe(self.size, self.sha256)


@dataclass(frozen=True, slots=True)
class Lock:
    """The parsed lock file. `files` are fetched, `made` are what the recipe makes of them."""

    path: Path
    pyodide: str
    info: Mapping[str, str]
    cdn: str
    carrier: str
    carrier_folder: str
    files: tuple[LockedFile, ...]
    made: tuple[LockedFile, ...]

    @property
    def numpy_wheel(self) -> LockedFile:
        """NumPy as fetched."""
        return _numpy(self.files, self.path)

    @property
    def numpy_made(self) -> LockedFile:
        """NumPy as shipped. Its name is a wheel's, which Pyodide demands."""
        return _numpy(self.made, self.path)

    def file(self, name: str) -> LockedFile:
        """The entry called `name`; RuntimeSupplyError when the lock has none."""
        for entry in (*self.files, *self.made):
            if entry.name == name:
                return entry
        raise RuntimeSupplyError(f"{self.path.name}: no file called {name!r}; it has {_names(self)}")


def describe(size: int, sha256: str) -> str:
    """Size and hash as every sentence of this package prints them."""
    return f"{size} bytes, sha256 {sha256}"


def hash_of(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def read_lock(path: Path = LOCK_FILE) -> Lock:
    """Parse the lock file; RuntimeSupplyError says where it is wrong and what would be right."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RuntimeSupplyError(f"{path}: not a readable TOML file: {error}") from error
    cdn = _text(path, data, "cdn")
    if not re.fullmatch(r"https?://\S+/", cdn):
        raise RuntimeSupplyError(f"{path}: cdn = {cdn!r}; a folder's address is https://…/")
    carrier = _table(path, data, "carrier")
    info = _table(path, data, "info")
    lock = Lock(
        path=path,
        pyodide=_text(path, data, "pyodide"),
        info={key: _text(path, info, key) for key in info},
        cdn=cdn,
        carrier=_text(path, carrier, "requirement"),
        carrier_folder=_text(path, carrier, "folder"),
        files=tuple(_entry(path, row) for row in data.get("file", ())),
        made=tuple(_entry(path, row) for row in data.get("made", ())),
    )
    _check_names(lock)
    return lock


def _entry(path: Path, row: Mapping[str, Any]) -> LockedFile:
    name = _text(path, row, "name")
    where = f"{path}: {name}"
    if not re.fullmatch(r"[\w.+-]+", name) or name.startswith("."):
        raise RuntimeSupplyError(f"{where}: a name is a plain file name without folders")
    size, sha256 = row.get("size"), row.get("sha256")
    if type(size) is not int or size < 1:
        raise RuntimeSupplyError(f"{where}: size = {size!r}; it is the file's length in bytes, 1 or more")
    if not isinstance(sha256, str) or not re.fullmatch(r"[0-9a-f]{64}", sha256):
        raise RuntimeSupplyError(f"{where}: sha256 = {sha256!r}; it is 64 lower-case hex digits")
    sources = tuple(row.get("sources", ()))
    if unknown := [source for source in sources if source not in SOURCES]:
        raise RuntimeSupplyError(f"{where}: source {unknown[0]!r}; the sources are {', '.join(SOURCES)}")
    entry = LockedFile(
        name, size, sha256, sources, row.get("requirement", ""), row.get("wheel", ""), row.get("member", "")
    )
    if "pip" in sources and "==" not in entry.requirement:
        raise RuntimeSupplyError(f"{where}: requirement = {entry.requirement!r}; pip needs 'name==version'")
    if "wheel" in sources and not (entry.wheel and entry.member):
        raise RuntimeSupplyError(f"{where}: source 'wheel' needs wheel = … and member = …")
    return entry


def _check_names(lock: Lock) -> None:
    names = [entry.name for entry in (*lock.files, *lock.made)]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise RuntimeSupplyError(f"{lock.path}: {', '.join(twice)} is listed twice; a file has one entry")
    for entry in lock.files:
        if not entry.sources:
            raise RuntimeSupplyError(f"{lock.path}: {entry.name}: no sources; name at least one")
        if entry.wheel and entry.wheel not in names:
            raise RuntimeSupplyError(f"{lock.path}: {entry.name}: its wheel {entry.wheel!r} is not listed")


def _numpy(entries: tuple[LockedFile, ...], path: Path) -> LockedFile:
    for entry in entries:
        if re.fullmatch(r"numpy-[^-]+(-[^-]+){3}\.whl", entry.name):
            return entry
    raise RuntimeSupplyError(f"{path}: no file named like a wheel of NumPy, numpy-….whl, in both lists")


def _names(lock: Lock) -> str:
    return ", ".join(entry.name for entry in (*lock.files, *lock.made))


def _table(path: Path, data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key)
    if not isinstance(value, dict):
        raise RuntimeSupplyError(f"{path}: [{key}] is {value!r}; it is a table")
    return value


def _text(path: Path, data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    if not isinstance(value, str) or not value:
        raise RuntimeSupplyError(f"{path}: {key} = {value!r}; it is a text that is not empty")
    return value
