"""Figures and listings that a chapter places."""

from collections.abc import Iterator
from itertools import pairwise

from bookbuild import listings
from bookbuild.manuscript import Manuscript
from bookbuild.problems import Problem, listed
from bookbuild.rooms import Rooms


def unknown_figure(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find a fence whose figure is not this chapter's in `book.toml`, or has no module yet."""
    for source in manuscript.sources.values():
        listed_here = [figure.key for figure in source.chapter.figures]
        for use in source.figures:
            if use.key not in listed_here:
                right = f"book.toml gives this chapter {listed(listed_here)}"
                yield source.problem(use.line, f"unknown figure {use.key!r}", right)
            elif use.key not in rooms.figures():
                yield source.problem(
                    use.line,
                    f"the figure {use.key!r} has no module",
                    f"it is written in widgets/{use.key}.py",
                )


def unknown_preset(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find a fence with a preset that its figure does not have."""
    for source in manuscript.sources.values():
        for use in source.figures:
            if use.key in rooms.figures() and use.preset not in rooms.presets(use.key):
                right = f"{use.key} has {listed(rooms.presets(use.key))}"
                yield source.problem(use.preset_line, f"unknown preset {use.preset!r}", right)


def figure_placed_twice(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find a figure placed a second time: its name is an address and its ids are its own."""
    for source in manuscript.sources.values():
        seen: set[str] = set()
        for use in source.figures:
            if use.key in seen:
                yield source.problem(
                    use.line,
                    f"the figure {use.key!r} stands here a second time",
                    "link to a state of the first",
                )
            seen.add(use.key)


def figures_out_of_order(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find a figure that stands before one with a smaller number."""
    for source in manuscript.sources.values():
        order = [figure.key for figure in source.chapter.figures]
        placed = [use for use in source.figures if use.key in order]
        for before, use in pairwise(placed):
            if order.index(use.key) < order.index(before.key):
                right = "figures stand in the order of book.toml"
                yield source.problem(use.line, f"the figure {use.key!r} stands after {before.key!r}", right)


def unknown_listing(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find a listing whose file or function does not exist."""
    for source in manuscript.sources.values():
        for use in source.listings:
            try:
                listings.cut(manuscript.places.code(use.file), use.name)
            except ValueError as error:
                yield source.problem(use.line, f"the listing {use.file}#{use.name} leads nowhere", str(error))


CHECKS = (unknown_figure, unknown_preset, figure_placed_twice, figures_out_of_order, unknown_listing)
