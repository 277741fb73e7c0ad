"""The numbers that prose prints: a fact's value, as the language writes it, and whether a text holds it."""

import re
from fractions import Fraction

from bookbuild.chapter import Source
from bookbuild.facts import Fact, FromExercise, FromFigure
from bookbuild.manuscript import Manuscript
from bookbuild.markdown import links
from bookbuild.problems import Problem, listed, near
from bookbuild.rooms import Rooms, state_of
from widgets.words import Words


def value(fact: Fact, entry_slug: str, manuscript: Manuscript, rooms: Rooms) -> float | Problem:
    """Return a fact's value, or what is wrong with where it comes from."""
    origin = fact.origin
    if isinstance(origin, FromFigure):
        if origin.figure not in rooms.figures():
            right = f"figures with a module are {near(origin.figure, rooms.figures())}"
            return fact.place.problem(
                f"the fact {fact.key!r} is of an unknown figure {origin.figure!r}", right, "figure"
            )
        fragment = state_of(rooms, origin.figure, origin.state)
        if fragment is None:
            presets = listed(rooms.presets(origin.figure))
            right = f"{rooms.refusal(origin.figure, origin.state)} (its presets are {presets})"
            return fact.place.problem(f"the fact {fact.key!r} is of an unknown state {origin.state!r}", right, "state")
        values = rooms.values(origin.figure, fragment)
        if origin.value not in values:
            right = f"{origin.figure} has {near(origin.value, values)}"
            return fact.place.problem(f"the fact {fact.key!r} is of an unknown value {origin.value!r}", right, "value")
        return values[origin.value]
    if isinstance(origin, FromExercise):
        entry = manuscript.book.chapter(entry_slug)
        assert entry is not None
        file = manuscript.folder(entry) / "exercises" / f"{origin.exercise}.py"
        answer = rooms.exercise(file).get("answer") if file.is_file() else None
        if answer is None or answer["type"] != "number":
            known = listed(path.stem for path in file.parent.glob("*.py"))
            wrong = f"the fact {fact.key!r} is of {origin.exercise!r}, no exercise with a number for its answer"
            return fact.place.problem(wrong, f"exercises are {known}", "exercise")
        return float(Fraction(answer["value"]))
    return origin.value


def printed(fact: Fact, number: float, words: Words) -> str:
    """Return a fact's value as a page prints it, without its unit."""
    return words.num(number, fact.digits)


def holds(text: str, number: str) -> bool:
    """Say whether a text holds a number, and not only as a part of another.

    >>> holds("992 are extra", "992"), holds("1,992", "992"), holds("9921", "992"), holds("992.", "992")
    (True, False, False, True)
    """
    return re.search(rf"(?<![\d.,−]){re.escape(number)}(?!\d|[.,]\d)", text) is not None


def facts_used(source: Source) -> list[str]:
    """Return the keys of the facts that a chapter links to, in order, with repeats."""
    return [
        link.href.removeprefix("fact:")
        for prose in source.prose()
        for link in links(prose)
        if link.href.startswith("fact:")
    ]
