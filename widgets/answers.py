"""What can be asked for: a number, one of several options, a set of values, an order.

An answer is data. The builder computes it with the simulators and ships it as JSON; the page only
compares. Exact values stay exact: they are compared as fractions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from widgets.lab_exact import encode, exact, printed

Exact: TypeAlias = int | float | Fraction
Json: TypeAlias = dict[str, Any]

MISTAKE_REL = 0.005  # a mistake worth its sentence is told from any other number at three printed digits


@dataclass(frozen=True, slots=True)
class Number:
    """A number in `unit`; exact, unless it is right when it prints alike or is near enough.

    `digits`: right if it rounds to the same text at so many decimal places (a tie may go either way).
    `rel`: right within this share of the value. A float that is no whole number needs one of the two.
    """

    value: Exact
    unit: str = ""
    digits: int | None = None
    rel: float | None = None

    def __post_init__(self) -> None:
        value = exact(self.value, "value")
        if self.digits is not None and (self.digits not in range(13) or self.rel is not None):
            raise ValueError(f"digits is {self.digits!r}, rel {self.rel!r}; either digits 0 to 12 or rel")
        if self.rel is not None and not 0 < self.rel < 1:
            raise ValueError(f"rel is {self.rel!r}; a share between 0 and 1 is needed")
        tolerant = self.digits is not None or self.rel is not None
        if isinstance(self.value, float) and value.denominator > 1 and not tolerant:
            raise ValueError(f"value is the float {self.value!r}; say how exact with digits= or rel=")
        if value.denominator == 1:
            object.__setattr__(self, "value", int(value))
        elif not isinstance(self.value, float):
            object.__setattr__(self, "value", value)

    @property
    def fraction(self) -> Fraction:
        """The value, exactly."""
        return exact(self.value, "value")

    def accepts(self, value: Exact) -> bool:
        """Say whether a number in the answer's unit is right."""
        given = exact(value, "value")
        if self.digits is not None:
            return bool(printed(given, self.digits) & printed(self.fraction, self.digits))
        return abs(given - self.fraction) <= Fraction(self.rel or 0) * abs(self.fraction)

    def like(self, value: Any) -> Number:
        """Return a known mistake as an answer of this kind, with the same tolerance."""
        wrong = exact(value, "mistake")
        rel = self.rel
        if self.digits is None and rel is None and wrong.denominator > 1:
            rel = MISTAKE_REL
        return Number(wrong, self.unit, self.digits, rel)

    def to_json(self) -> Json:
        """Return what `from_json` reads."""
        return {
            "type": "number",
            "value": encode(self.value),
            "unit": self.unit,
            "digits": self.digits,
            "rel": self.rel,
        }


def _keys(keys: Iterable[str], where: str) -> tuple[str, ...]:
    """Return keys as a tuple; ValueError unless they differ and can be told apart in a line of text."""
    found = tuple(keys)
    for key in found:
        if not isinstance(key, str) or not re.fullmatch(r"[\w.+-]*\w", key):
            raise ValueError(f"{where} has {key!r}; keys are letters, digits, '_', '.', '+' and '-'")
    if len(found) < 2 or len({key.casefold() for key in found}) < len(found):
        raise ValueError(f"{where} are {found!r}; two or more different keys are needed")
    return found


@dataclass(frozen=True, slots=True)
class Choice:
    """One key of `options`."""

    key: str
    options: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", _keys(self.options, "options"))
        if self.key not in self.options:
            raise ValueError(f"key is {self.key!r}; one of {', '.join(self.options)} is needed")

    def accepts(self, key: str) -> bool:
        """Say whether a key is the right one."""
        return key == self.key

    def like(self, value: Any) -> Choice:
        """Return a known mistake as an answer of this kind."""
        return Choice(value, self.options)

    def to_json(self) -> Json:
        """Return what `from_json` reads."""
        return {"type": "choice", "key": self.key, "options": list(self.options)}


@dataclass(frozen=True, slots=True)
class ValueSet:
    """Some numbers, each exact, or some keys of `options`, or none; order and repeats do not count."""

    values: tuple[Exact, ...] | tuple[str, ...]
    options: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.options:
            object.__setattr__(self, "options", _keys(self.options, "options"))
        object.__setattr__(self, "values", tuple(sorted(self._known(self.values))))

    def _known(self, values: Iterable[Any]) -> set[Any]:
        if not self.options:
            return {exact(value, "values") for value in values}
        for value in values:
            if value not in self.options:
                raise ValueError(f"values have {value!r}; keys of {', '.join(self.options)} are needed")
        return set(values)

    def accepts(self, values: Iterable[Any]) -> bool:
        """Say whether these are all the values and no other."""
        return self._known(values) == set(self.values)

    def like(self, value: Any) -> ValueSet:
        """Return a known mistake as an answer of this kind."""
        return ValueSet(tuple(value), self.options)

    def to_json(self) -> Json:
        """Return what `from_json` reads."""
        return {"type": "set", "values": encode(self.values), "options": list(self.options)}


@dataclass(frozen=True, slots=True)
class Order:
    """All the keys, in this order."""

    keys: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "keys", _keys(self.keys, "keys"))

    def accepts(self, keys: Iterable[str]) -> bool:
        """Say whether this is the order."""
        return tuple(keys) == self.keys

    def like(self, value: Any) -> Order:
        """Return a known mistake as an answer of this kind."""
        return Order(tuple(value))

    def to_json(self) -> Json:
        """Return what `from_json` reads."""
        return {"type": "order", "keys": list(self.keys)}


Answer: TypeAlias = Number | Choice | ValueSet | Order


def from_json(data: Mapping[str, Any]) -> Answer:
    """Return the answer that `to_json` wrote; ValueError for any other data."""
    try:
        match data["type"]:
            case "number":
                text = str(data["value"])
                value = float(text) if set(text) & set(".e") else exact(text, "value")
                return Number(value, data["unit"], data["digits"], data["rel"])
            case "choice":
                return Choice(data["key"], tuple(data["options"]))
            case "set":
                return ValueSet(tuple(data["values"]), tuple(data["options"]))
            case "order":
                return Order(tuple(data["keys"]))
    except (KeyError, TypeError) as problem:
        raise ValueError(f"answer is {data!r}; what to_json wrote is needed") from problem
    raise ValueError(f"answer's type is {data['type']!r}; number, choice, set or order is needed")
