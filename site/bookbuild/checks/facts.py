"""Facts: what each comes from, and whether a text uses it."""

from collections.abc import Iterator

from bookbuild import values
from bookbuild.manuscript import Manuscript
from bookbuild.problems import Problem
from bookbuild.rooms import Rooms


def fact_from_nowhere(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find a fact of an unknown figure, state, value or exercise."""
    for slug, facts in manuscript.facts.items():
        for fact in filter(None, facts.values()):
            found = values.value(fact, slug, manuscript, rooms)
            if isinstance(found, Problem):
                yield found


def unused_fact(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find a fact that no language links to."""
    for slug, facts in manuscript.facts.items():
        sources = [source for (written, _), source in manuscript.sources.items() if written == slug]
        used = {key for source in sources for key in values.facts_used(source)}
        for fact in filter(None, facts.values()):
            if sources and fact.key not in used:
                yield fact.place.problem(
                    f"no text uses the fact {fact.key!r}",
                    f"link to it with (fact:{fact.key}), or take it away",
                )


CHECKS = (fact_from_nowhere, unused_fact)
