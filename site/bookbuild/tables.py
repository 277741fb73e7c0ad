"""Read TOML and remember on which line each key stands, so that a problem can point at it."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bookbuild.problems import Problem, text_of

Key = tuple[str | int, ...]

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_ASSIGN = re.compile(r"""^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_POSITION = re.compile(r"^(.*?) \(at (?:line (\d+), column \d+|end of document)\)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Table:
    """A parsed TOML document, or one table inside it."""

    path: str
    values: Mapping[str, Any]
    lines: Mapping[Key, int]
    at: Key = ()
    first_line: int = 1

    def line(self, *keys: str | int) -> int:
        """Return the line of a key, or of the nearest table around it."""
        place = (*self.at, *keys)
        while place:
            if place in self.lines:
                return self.lines[place]
            place = place[:-1]
        return self.first_line

    def inside(self, *keys: str | int) -> "Table":
        """Return the table at a key that is known to hold one."""
        values: Any = self.values
        for key in keys:
            values = values[key]
        return Table(self.path, values, self.lines, (*self.at, *keys), self.first_line)

    def problem(self, wrong: str, right: str, *keys: str | int) -> Problem:
        """Return a problem at the line of a key."""
        return Problem(self.path, self.line(*keys), wrong, right)


def load(file: Path, path: str) -> Table | Problem:
    """Read a TOML file that problems call `path`."""
    text = text_of(file, path)
    return text if isinstance(text, Problem) else parse(text, path)


def parse(text: str, path: str, first_line: int = 1) -> Table | Problem:
    """Read a TOML text whose first line is line `first_line` of `path`."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _POSITION.match(str(error))
        last = text.rstrip("\n").count("\n") + 1
        line = int(found[2]) if found and found[2] else last
        said = found[1] if found else str(error)
        return Problem(
            path, first_line + min(line, last) - 1, f"TOML that cannot be read: {said}", "see https://toml.io"
        )
    return Table(path, values, _lines(text, first_line), first_line=first_line)


def _lines(text: str, first_line: int) -> dict[Key, int]:
    lines: dict[Key, int] = {}
    counts: dict[Key, int] = {}
    table: Key = ()
    inside = ""  # the quotes of a text that runs over lines
    for number, line in enumerate(text.splitlines(), first_line):
        if inside:
            inside = "" if line.count(inside) % 2 else inside
            continue
        if header := _HEADER.match(line):
            table = _table(header[1] == "[[", _parts(header[2]), counts)
            lines.setdefault(table, number)
        elif assigned := _ASSIGN.match(line):
            lines.setdefault((*table, *_parts(assigned[1])), number)
        inside = next((quotes for quotes in ('"""', "'''") if line.count(quotes) % 2), "")
    return lines


def _table(array: bool, names: list[str], counts: dict[Key, int]) -> Key:
    place: Key = ()
    for name in names[:-1]:
        place = (*place, name)
        if place in counts:
            place = (*place, counts[place] - 1)
    place = (*place, names[-1])
    if not array:
        return place
    counts[place] = counts.get(place, 0) + 1
    return (*place, counts[place] - 1)


def _parts(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in dotted.split(".")]
