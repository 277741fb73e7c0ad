"""What is wrong with a book, as values: where, what, and what would be right."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing wrong with the book."""

    path: str
    """The file, named from the book's folder."""
    line: int
    """1-based."""
    wrong: str
    """What is wrong, with the value."""
    right: str
    """What would be right."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.wrong}; {self.right}"


class Broken(Exception):
    """A book that cannot be built; `problems` says why, in order of place, each once."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(map(str, self.problems)))


def text_of(file: Path, path: str) -> str | Problem:
    """Read a text file that problems call `path`."""
    try:
        return file.read_text("utf-8")
    except UnicodeDecodeError as error:
        line = file.read_bytes()[: error.start].count(b"\n") + 1
        wrong = f"the byte 0x{error.object[error.start]:02x} is not UTF-8"
        return Problem(path, line, wrong, "save the file as UTF-8")


def listed(names: Iterable[str], none: str = "none") -> str:
    """Join names for a sentence that says what there is."""
    return ", ".join(sorted(names)) or none


MANY, NEAREST = 24, 3


def near(wrong: str, names: Iterable[str]) -> str:
    """Join the names that a wrong one may stand for: all of up to 24, the nearest three of more.

    >>> near("stag", ["stage", "lane"])
    'lane, stage'
    >>> near("stag", ["stage", *(f"x{n}" for n in range(40))])
    'stage and 40 more'
    """
    known = sorted(names)
    if len(known) <= MANY:
        return listed(known)
    close = difflib.get_close_matches(wrong, known, NEAREST)
    return f"{', '.join(close)} and {len(known) - len(close)} more" if close else f"{len(known)}, none like it"
