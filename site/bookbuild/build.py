"""Load → check → render → bundle → write."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bookbuild import bundle, checks, manuscript, runtime, speech, supply
from bookbuild.assets import Assets, short
from bookbuild.manuscript import Manuscript
from bookbuild.pages import Pages, Shelf
from bookbuild.places import Places
from bookbuild.problems import Broken, Problem
from bookbuild.rooms import Remembered, Rooms
from bookbuild.write import write
from widgets.words import Words

Say = Callable[[str], None]
Provide = Callable[[Path, Say], Any]
"""From the cache's folder to what `supply.Runtime` describes."""
Precompile = Callable[[Any, Mapping[str, bytes], Path], Mapping[str, bytes]]
"""From that, the shipped files and the cache's folder to byte-code by its path."""


def check(
    places: Places, rooms: Rooms | None = None, draft: Say | None = None
) -> tuple[Manuscript, Rooms, dict[str, Words]]:
    """Load the book and run every check; `Broken` holds all that was found.

    In a draft, what its translation lacks is said to `draft` and does not stop it.
    """
    problems: list[Problem] = []
    loaded = manuscript.load(places, problems)
    words = speech.learn(places, loaded.book.languages)
    rooms = rooms or Remembered(places)
    problems += checks.problems(checks.CONTENT, loaded, rooms)
    lacks = checks.problems(checks.TRANSLATION, loaded, rooms)
    if draft:
        for problem in lacks:
            draft(str(problem))
    else:
        problems += lacks
    if problems:
        raise Broken(problems)
    return loaded, rooms, words


def build(
    places: Places,
    say: Say = lambda line: None,
    rooms: Rooms | None = None,
    provide: Provide = runtime.provide,
    precompile: Precompile = runtime.precompile,
    smallest: bool = False,
    draft: bool = False,
) -> None:
    """Build the site and put it in place; `smallest` takes the time to compress it best, `draft` see `check`.

    Raises:
        Broken: the book has problems; nothing was written.
        bookbuild.runtime.RuntimeSupplyError: a file of the runtime cannot be had; nothing was written.
    """
    loaded, rooms, words = check(places, rooms, say if draft else None)
    shipped: supply.Runtime = provide(places.cache, say)
    members = bundle.members(loaded, rooms, words)
    book = bundle.archive({**members, **precompile(shipped, members, places.cache)})
    shelved, manifest, bokeh = supply.shelve(shipped, book)
    assets = Assets(places.static)
    shelf = Shelf(
        assets=assets,
        manifest=manifest,
        bokeh=bokeh,
        build=short(f"{manifest} {assets.folder('js')}".encode()),
        palette=json.loads((places.widgets / "palette.json").read_text("utf-8")),
    )
    pages = Pages(loaded, rooms, words, shelf).all()
    write({**pages, **assets.files, **shelved}, places.out, places.cache, smallest)
