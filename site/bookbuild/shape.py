"""Check what a TOML table holds: keys that must be there, keys that may, and the kind of each value."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bookbuild.problems import Problem, listed
from bookbuild.tables import Table


@dataclass(frozen=True, slots=True)
class Kind:
    """What a value must be."""

    name: str
    holds: Callable[[Any], bool]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


TEXT = Kind("a text that is not empty", lambda value: isinstance(value, str) and bool(value.strip()))
STATE = Kind("a text", lambda value: isinstance(value, str))
TEXTS = Kind("a list of texts", _is_texts)
TEXT_TABLE = Kind("a table of texts", lambda value: isinstance(value, dict) and _is_texts(list(value.values())))
NUMBER = Kind("a number", _is_number)
WHOLE = Kind("a whole number ≥ 0", lambda value: type(value) is int and value >= 0)
FLAG = Kind("true or false", lambda value: isinstance(value, bool))
TABLES = Kind("a list of tables", lambda value: isinstance(value, list) and all(isinstance(v, dict) for v in value))


def titles(languages: tuple[str, ...]) -> Kind:
    """Return the kind of a text in every language."""
    return Kind(
        f"a text for each of {listed(languages)}",
        lambda value: isinstance(value, dict) and set(value) == set(languages) and all(map(TEXT.holds, value.values())),
    )


def misshapen(
    table: Table, what: str, must: Mapping[str, Kind], may: Mapping[str, Kind] | None = None
) -> Iterator[Problem]:
    """Yield a problem for each key that is missing, unknown or of another kind."""
    known = {**must, **(may or {})}
    for key in must:
        if key not in table.values:
            yield table.problem(f"{what} has no {key!r}", f"give it {must[key].name}")
    for key, value in table.values.items():
        if key not in known:
            yield table.problem(f"{what} has an unknown key {key!r}", f"known are {listed(known)}", key)
        elif not known[key].holds(value):
            yield table.problem(f"{key!r} of {what} is {value!r}", f"it must be {known[key].name}", key)
