"""The glossary: each term's name and meaning in every language (`terms.toml`)."""

from collections.abc import Mapping
from dataclasses import dataclass

from bookbuild import shape, tables
from bookbuild.places import Places
from bookbuild.problems import Problem


@dataclass(frozen=True, slots=True)
class Term:
    """One entry."""

    key: str
    name: Mapping[str, str]
    means: Mapping[str, str]


Terms = Mapping[str, Term | None]
"""By key; None for one that is there and cannot be read."""


def load(places: Places, languages: tuple[str, ...], problems: list[Problem]) -> Terms | None:
    """Read the glossary; a book without the file has no terms. None if the file cannot be read."""
    file = places.chapters / "terms.toml"
    if not file.is_file():
        return {}
    table = tables.load(file, places.name(file))
    if isinstance(table, Problem):
        problems.append(table)
        return None
    must = {name: shape.TEXT for lang in languages for name in (lang, f"{lang}_means")}
    terms: dict[str, Term | None] = {}
    for key, values in table.values.items():
        if not isinstance(values, dict):
            problems.append(table.problem(f"the term {key!r} is {values!r}", "a term is a table", key))
            terms[key] = None
            continue
        found = list(shape.misshapen(table.inside(key), f"the term {key!r}", must))
        problems += found
        names = {lang: values[lang] for lang in languages} if not found else {}
        means = {lang: values[f"{lang}_means"] for lang in languages} if not found else {}
        terms[key] = None if found else Term(key, names, means)
    return terms
