"""Links that lead nowhere, and facts, terms and states that they name wrongly."""

from collections.abc import Iterator

from bookbuild import markdown
from bookbuild.links import Resolver
from bookbuild.manuscript import Manuscript
from bookbuild.problems import Problem
from bookbuild.rooms import Rooms
from widgets.words import Words


def dangling_link(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find a link whose target does not exist or does not say what it should."""
    for source in manuscript.sources.values():
        resolver = Resolver(source, manuscript, rooms, Words())
        for prose in source.prose():
            for link in markdown.links(prose):
                if not link.image and isinstance(found := resolver.resolve(link), Problem):
                    yield found


CHECKS = (dangling_link,)
