"""Facts: the numbers a chapter may print, each with what it comes from (`facts.toml`)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bookbuild import shape, tables
from bookbuild.book import ChapterEntry
from bookbuild.places import Places
from bookbuild.problems import Problem
from bookbuild.tables import Table


@dataclass(frozen=True, slots=True)
class FromFigure:
    """A number that a figure's simulator gives in a state."""

    figure: str
    state: str
    """A preset's name or an address fragment."""
    value: str
    """Its name in the figure's `values()`."""


@dataclass(frozen=True, slots=True)
class FromExercise:
    """The answer of an exercise."""

    exercise: str


@dataclass(frozen=True, slots=True)
class Reported:
    """A number that somebody reported."""

    value: float
    source: str | Mapping[str, str]
    """Who, where and when: one text, or one for each language."""

    def source_in(self, lang: str) -> str:
        """Return the source in a language."""
        return self.source if isinstance(self.source, str) else self.source[lang]


Origin = FromFigure | FromExercise | Reported


@dataclass(frozen=True, slots=True)
class Fact:
    """One number."""

    key: str
    origin: Origin
    digits: int | None
    """Digits after the point, as printed; None: as many as it has."""
    unit: str
    place: Table
    """Where it is written."""


Facts = Mapping[str, Fact | None]
"""By key; None for one that is there and cannot be read."""

_COMMON = {"digits": shape.WHOLE, "unit": shape.STATE}
_FIGURE = {"figure": shape.TEXT, "state": shape.STATE, "value": shape.TEXT}
_EXERCISE = {"exercise": shape.TEXT}


def load(places: Places, chapter: ChapterEntry, languages: tuple[str, ...], problems: list[Problem]) -> Facts | None:
    """Read a chapter's facts; a chapter without the file has none. None if the file cannot be read."""
    file = places.chapters / chapter.folder / "facts.toml"
    if not file.is_file():
        return {}
    table = tables.load(file, places.name(file))
    if isinstance(table, Problem):
        problems.append(table)
        return None
    facts: dict[str, Fact | None] = {}
    for key, values in table.values.items():
        if not isinstance(values, dict):
            problems.append(table.problem(f"the fact {key!r} is {values!r}", "a fact is a table", key))
            facts[key] = None
            continue
        inside = table.inside(key)
        found = list(_misshapen(inside, f"the fact {key!r}", languages))
        problems += found
        facts[key] = None if found else Fact(key, _origin(inside), values.get("digits"), values.get("unit", ""), inside)
    return facts


def _misshapen(table: Table, what: str, languages: tuple[str, ...]) -> Iterator[Problem]:
    if "figure" in table.values:
        return shape.misshapen(table, what, _FIGURE, _COMMON)
    if "exercise" in table.values:
        return shape.misshapen(table, what, _EXERCISE, _COMMON)
    each = shape.titles(languages)
    source = shape.Kind(
        f"who, where and when: one text, or {each.name}",
        lambda value: shape.TEXT.holds(value) or each.holds(value),
    )
    return shape.misshapen(table, what, {"value": shape.NUMBER, "source": source}, _COMMON)


def _origin(table: Table) -> Origin:
    values = table.values
    if "figure" in values:
        return FromFigure(values["figure"], values["state"], values["value"])
    if "exercise" in values:
        return FromExercise(values["exercise"])
    return Reported(values["value"], values["source"])
