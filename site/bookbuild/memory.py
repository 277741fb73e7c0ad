"""Remember on disk what took time to work out, under a hash of everything it follows from."""

import json
import os
import shutil
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

KEPT = 8  # generations: going back to an older state of the code finds its answers still there


def hash_of_files(files: Iterable[Path]) -> str:
    """Hash names and contents; the same files give the same hash wherever they lie side by side."""
    total = sha256()
    for file in sorted(files):
        total.update(f"{file.name}\0{sha256(file.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()


def hash_of_folder(folder: Path, *patterns: str) -> str:
    """Hash the files below a folder that match one of the patterns, with their places in it."""
    total = sha256()
    for file in sorted({file for pattern in patterns for file in folder.rglob(pattern) if file.is_file()}):
        name = file.relative_to(folder).as_posix()
        total.update(f"{name}\0{sha256(file.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()


class Memory:
    """Answers of one generation: they all hold as long as its hash does."""

    def __init__(self, home: Path, generation: str) -> None:
        self._home = home
        self._folder = home / generation[:16]
        if self._folder.is_dir():
            os.utime(self._folder)

    def recall(self, question: Iterable[object], work_out: Callable[[], Any]) -> Any:
        """Return the answer to a question, worked out only if it was never asked; answers are JSON."""
        name = sha256(json.dumps(list(question)).encode()).hexdigest()[:32]
        file = self._folder / f"{name}.json"
        if file.is_file():
            return json.loads(file.read_text("utf-8"))
        answer = work_out()
        if not self._folder.is_dir():
            self._folder.mkdir(parents=True, exist_ok=True)
            self._forget()
        replace_file(file, json.dumps(answer).encode())
        return answer

    def _forget(self) -> None:
        """Drop all generations but the latest few."""
        folders = sorted(self._home.glob("*/"), key=lambda folder: folder.stat().st_mtime, reverse=True)
        for folder in folders[KEPT:]:
            shutil.rmtree(folder, ignore_errors=True)


def replace_file(file: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    draft.write_bytes(content)
    draft.replace(file)
