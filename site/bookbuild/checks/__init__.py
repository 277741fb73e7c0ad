"""Every way a book can be wrong, one small function each; all of them run, and all they find is printed."""

from collections.abc import Callable, Iterable, Iterator

from bookbuild.checks import (
    exercises,
    facts,
    figures,
    languages,
    links,
    order,
    strings,
    texts,
)
from bookbuild.manuscript import Manuscript
from bookbuild.problems import Problem
from bookbuild.rooms import Rooms

Check = Callable[[Manuscript, Rooms], Iterator[Problem]]

CONTENT: tuple[Check, ...] = (
    *order.CHECKS,
    *texts.CHECKS,
    *figures.CHECKS,
    *exercises.CHECKS,
    *facts.CHECKS,
    *links.CHECKS,
)
TRANSLATION: tuple[Check, ...] = (*languages.CHECKS, *strings.CHECKS)
"""What a draft may still lack: it can be built and looked at, but is not done."""


def problems(checks: Iterable[Check], manuscript: Manuscript, rooms: Rooms) -> list[Problem]:
    """Run checks and return all they find, in order of place."""
    return sorted({problem for check in checks for problem in check(manuscript, rooms)})
