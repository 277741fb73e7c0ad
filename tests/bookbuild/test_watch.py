"""Watching: a change builds again in a fresh Python, a broken one leaves the old site."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import watchfiles

from bookbuild import build, watch
from bookbuild.problems import Broken
from tests import asynchronous

if TYPE_CHECKING:
    from conftest import TinyBook


@pytest.mark.parametrize(
    ("name", "counts"),
    [("en.md", True), ("facts.toml", True), ("x.py", True), ("x.pyc", False), ("gpubook.mo", False), ("x.md~", False)],
)
def test_only_sources_count(name: str, counts: bool) -> None:
    assert watch.is_source(watchfiles.Change.modified, f"/x/{name}") is counts


def test_every_room_is_watched(book: "TinyBook") -> None:
    watched = watch.folders(book.places)
    for name in ("chapters", "sim", "widgets", "site/templates", "site/static"):
        assert book.file(name) in watched
    assert not any(book.places.out.is_relative_to(folder) for folder in watched)
    assert not any(book.places.cache.is_relative_to(folder) for folder in watched)


def test_a_burst_of_changes_is_one(book: "TinyBook") -> None:
    async def first() -> list[Path]:
        changes = watch.changes(book.places)
        coming = asyncio.ensure_future(anext(changes))
        while not coming.done():  # until the watcher is up
            for name in ("en.md", "zh.md"):
                file = book.file(f"chapters/02-second/{name}")
                file.write_bytes(file.read_bytes())
            await asyncio.sleep(0.05)
        await changes.aclose()
        return coming.result()

    found = asynchronous.run(asyncio.wait_for(first(), 20))
    assert {path.name for path in found} <= {"en.md", "zh.md"}


def test_an_edited_paragraph_is_built_before_its_translation_follows(
    book: "TinyBook",
) -> None:
    source = book.file("chapters/02-second/en.md")
    source.write_text(source.read_text("utf-8").replace("A lead.", "Another lead."), "utf-8")
    said: list[str] = []
    build.build(book.places, said.append, book.rooms, book.provide, book.precompile, draft=True)
    assert "Another lead." in (book.places.out / "en/second/index.html").read_text("utf-8")
    assert len(said) == 1
    assert said[0].startswith("chapters/02-second/zh.md:2: it translates '")
    with pytest.raises(Broken, match="it translates"):
        build.build(book.places, said.append, book.rooms, book.provide, book.precompile)


def test_a_draft_must_still_be_right(book: "TinyBook") -> None:
    source = book.file("chapters/02-second/en.md")
    source.write_text(source.read_text("utf-8").replace("What are 2", "What are"), "utf-8")
    said: list[str] = []
    with pytest.raises(Broken, match="the question has no number") as broken:
        build.check(book.places, book.rooms, said.append)
    assert len(broken.value.problems) == 1
    assert len(said) == 1


def test_a_broken_edit_prints_its_problems_and_leaves_the_old_site(
    book: "TinyBook", capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPUBOOK_CACHE", str(book.places.cache))
    book.build()
    page = book.places.out / "en/second/index.html"
    before = page.read_bytes()
    changed = book.file("chapters/02-second/en.md")
    book.edit("chapters/02-second/en.md", "What are 2 things?", "What are things?")
    assert asynchronous.run(watch.rebuild(book.places, [changed])) == 1
    printed = capfd.readouterr()
    assert "Changed: chapters/02-second/en.md" in printed.out
    assert "chapters/02-second/en.md:2: the question has no number: 'What are things?'" in printed.err
    assert "The site served is still the last good one." in printed.out
    assert page.read_bytes() == before
