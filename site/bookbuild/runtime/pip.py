"""Ask pip, the one way to a package that works wherever this project could be installed.

pip knows the machine's index, proxy and certificates, so no address of an index is written here.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bookbuild.runtime.lock import LockedFile

# The tags of the locked wheels. Two of them hold a compiled module for CPython 3.12 on Linux, which is left
# out of the bundle; asking for exactly these tags gives every machine, of any system, the same files.
TAGS = ("--python-version=3.12", "--implementation=cp", "--abi=cp312", "--platform=manylinux_2_28_x86_64",
        "--platform=manylinux2014_x86_64")  # fmt: skip
_SHOWN_LINES = 8


class PipError(Exception):
    """pip ended with an error; the message is what pip said, shortened."""


def wheel_address(requirement: str) -> str:
    """The address (http, https or file) of the wheel that pip would install; PipError when there is none."""
    report = json.loads(
        _pip("install", "--dry-run", "--no-deps", "--ignore-requires-python", "--only-binary=:all:",
             "--ignore-installed", "--quiet", "--report=-", requirement)
    )  # fmt: skip
    address: str = report["install"][0]["download_info"]["url"]
    return address


def download_whole(requirement: str, folder: Path) -> Path:
    """Download the one wheel of `requirement` into the empty `folder`; PipError when pip cannot."""
    _pip("download", "--no-deps", "--ignore-requires-python", "--only-binary=:all:", "--quiet",
         f"--dest={folder}", requirement)  # fmt: skip
    return next(folder.glob("*.whl"))


def download_locked(files: Sequence[LockedFile], folder: Path) -> None:
    """Download the wheels `files` into `folder`, by hash; PipError when pip cannot have them all."""
    wanted = folder / "requirements.txt"
    wanted.write_text("".join(f"{file.requirement} --hash=sha256:{file.sha256}\n" for file in files), encoding="utf-8")
    _pip("download", "--no-deps", "--only-binary=:all:", "--require-hashes", *TAGS, "--quiet",
         f"--dest={folder}", f"--requirement={wanted}")  # fmt: skip


def _pip(*arguments: str) -> str:
    # One retry: a source that does not answer is left soon, and pip's five retries take half a minute.
    options = ("--disable-pip-version-check", "--no-input", "--retries=1")
    done = subprocess.run([sys.executable, "-m", "pip", *options, *arguments], capture_output=True, check=False)
    if done.returncode:
        said = _what_it_said(done.stderr.decode(errors="replace"))
        raise PipError(said or f"pip ended with status {done.returncode}")
    return done.stdout.decode()


def _what_it_said(stderr: str) -> str:
    lines = [line.rstrip() for line in stderr.splitlines() if line.strip()]
    errors = [number for number, line in enumerate(lines) if line.startswith("ERROR")]
    # With --require-hashes the two hashes stand on the lines after the word ERROR.
    shown = lines[errors[0] :] if errors else lines[-1:]
    return " ".join(line.strip() for line in shown[:_SHOWN_LINES])
