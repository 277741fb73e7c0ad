"""Live runs at the door: what a GPU box sent is looked at before any figure uses it.

A record has the shape of a file in chapters/recorded/ (README, "A recorded reading"). What is wrong with one is said
in a sentence, so that a figure may take what it is handed at its word. Texts and sizes are bounded, since a page
passes on whatever answers at the address that it was given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isfinite
from typing import Any, TypeVar

from sim.address_pattern import WARP_LANES
from widgets.parts import Reading
from widgets.words import N_, Words

MAX_ROWS = 2500
"""More than any experiment has, and few enough to be looked at between two moves of a control."""
MAX_TEXT = 400  # characters, above the longest method of the experiments
LARGEST = 1e15  # of a number: whole ones up to it are exact in float64
Read = TypeVar("Read")
_HEAD = {"gpu": str, "date": str, "method": str, "inputs": dict, "rows": list}
_SOFTWARE = ("driver", "cuda", "torch", "triton")  # null where there is none


@dataclass(frozen=True, slots=True)
class Column:
    """What a row must have under a name; `null`: it may also be null or missing."""

    what: str
    holds: Callable[[Any], bool]
    null: bool = False

    @property
    def or_null(self) -> Column:
        """The same column where null is allowed."""
        return replace(self, null=True)


def _number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= LARGEST and isfinite(value)


def between(least: float, most: float) -> Column:
    """A number above one and up to another."""
    return Column(N_("a number in its range"), lambda value: _number(value) and least < value <= most)


def whole(least: int, most: int) -> Column:
    """A whole number in a range."""
    return Column(N_("a whole number"), lambda value: type(value) is int and least <= value <= most)


def one_of(*texts: str) -> Column:
    """One of a few texts."""
    return Column(N_("one of the names that this experiment gives"), lambda value: value in texts)


COUNT = whole(0, int(LARGEST))
POSITIVE = Column(N_("a number above 0"), lambda value: _number(value) and value > 0)
TIME = Column(N_("a number from 0"), lambda value: _number(value) and value >= 0)
TEXT = Column(N_("a short text"), lambda value: isinstance(value, str) and len(value) <= MAX_TEXT)
LANES = Column(
    N_("32 whole numbers, one a lane"),
    lambda value: (
        isinstance(value, list)
        and len(value) == WARP_LANES
        and all(type(lane) is int and -1 <= lane <= LARGEST for lane in value)
    ),
)


def checked(record: Any, figure: str, experiment: str | None, columns: Mapping[str, Column], words: Words) -> Reading:
    """Return the record if it is one of this figure's experiment; ValueError says in a sentence what is wrong."""
    if experiment is None:
        raise ValueError(words("no GPU box measures this figure; the live run is not shown"))
    if not isinstance(record, dict):
        raise ValueError(words("the live run cannot be read: it is not a record"))
    for key, kind in _HEAD.items():
        value = record.get(key)
        if not isinstance(value, kind) or (kind is str and not 0 < len(value) <= MAX_TEXT):
            raise ValueError(words("the live run cannot be read: its “{key}” is missing or misshapen", key=key))
    for key in _SOFTWARE:
        if record.get(key) is not None and not TEXT.holds(record[key]):
            raise ValueError(words("the live run cannot be read: its “{key}” is missing or misshapen", key=key))
    if record.get("figure") != figure or record.get("experiment", experiment) != experiment:
        raise ValueError(
            words("the live run belongs to another figure; this one is measured by {name}", name=experiment)
        )
    rows = record["rows"]
    if len(rows) > MAX_ROWS:
        n, most = words.num(len(rows)), words.num(MAX_ROWS)
        raise ValueError(words("the live run cannot be read: {n} rows are more than {most}", n=n, most=most))
    for number, row in enumerate(rows, 1):
        _check_row(number, row, columns, words)
    return {**record, "again": None}  # a live run is one


def other_inputs(took: str, words: Words) -> str:
    """Say why a live run that took something else than the recording is not put beside it."""
    return words("The live run took {what}; to compare, leave its inputs as they were offered.", what=took)


def _check_row(number: int, row: Any, columns: Mapping[str, Column], words: Words) -> None:
    told = {"n": words.num(number)}
    if not isinstance(row, dict):
        raise ValueError(words("the live run cannot be read: row {n} is not a record", **told))
    for name, column in columns.items():
        value = row.get(name)
        if not (column.null and value is None) and not column.holds(value):
            told |= {"name": name, "what": words(column.what)}
            raise ValueError(words("the live run cannot be read: row {n}, “{name}” is not {what}", **told))


def once(read: Callable[[Reading], Read]) -> Callable[[Reading], Read]:
    """Return `read` so that what is worked out from a reading is worked out once, however many figures ask."""

    @lru_cache(maxsize=8)
    def kept(key: _Same) -> Read:
        return read(key.reading)

    return lambda reading: kept(_Same(reading))


class _Same:
    """A reading as a key, by identity."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.reading is self.reading

    def __hash__(self) -> int:
        return id(self.reading)
