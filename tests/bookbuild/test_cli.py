"""The command: what it prints, and its exit status."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bookbuild import build, cli
from bookbuild.places import Places
from bookbuild.rooms import Rooms
from bookbuild.runtime import RuntimeSupplyError

if TYPE_CHECKING:
    from conftest import TinyBook


@pytest.fixture
def run(book: "TinyBook", monkeypatch: pytest.MonkeyPatch) -> "TinyBook":
    """Run commands on the tiny book with its own figures."""
    monkeypatch.setenv("GPUBOOK_CACHE", str(book.places.cache))
    monkeypatch.setattr(build, "Remembered", lambda places: book.rooms)
    return book


def test_check_says_that_all_is_well(run: "TinyBook", capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--root", str(run.root), "check"]) == 0
    assert capsys.readouterr().out == "No problem in 2 chapters.\n"


def test_check_prints_every_problem_and_fails(run: "TinyBook", capsys: pytest.CaptureFixture[str]) -> None:
    run.edit("chapters/02-second/en.md", "What are 2 things?", "What?")
    run.edit("chapters/01-first/en.md", "![Two bars, one higher]", "![]")
    assert cli.main(["--root", str(run.root), "check"]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines() == [
        "chapters/01-first/en.md:35: the image 'bars.svg' has no alternative text; ![what it shows](file)",
        "chapters/02-second/en.md:2: the question has no number: 'What?'; "
        "ask for something that can be counted or measured",
        "2 problems; nothing was written.",
    ]


def test_a_broken_book_is_not_built_and_the_old_site_stays(run: "TinyBook") -> None:
    site = run.build()
    page = (site / "en/second/index.html").read_bytes()
    run.edit("chapters/02-second/en.md", "What are 2 things?", "What?")
    assert cli.main(["--root", str(run.root), "build"]) == 1
    assert (site / "en/second/index.html").read_bytes() == page


def test_a_runtime_that_cannot_be_had_fails_with_its_sentence(
    run: "TinyBook", monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def without(places: Places, say: build.Say, rooms: Rooms | None = None, **options: bool) -> None:
        raise RuntimeSupplyError("pyodide.mjs: no source answered")

    monkeypatch.setattr(build, "build", without)
    assert cli.main(["--root", str(run.root), "build"]) == 1
    assert capsys.readouterr().err == "pyodide.mjs: no source answered\n"


@pytest.mark.parametrize(("more", "draft"), [([], False), (["--watch"], True)])
def test_who_watches_is_served_a_draft_from_the_start(
    run: "TinyBook", monkeypatch: pytest.MonkeyPatch, more: list[str], draft: bool
) -> None:
    asked: list[dict[str, bool]] = []

    def stop(places: Places, say: build.Say, rooms: Rooms | None = None, **options: bool) -> None:
        asked.append(options)
        raise RuntimeSupplyError("enough")

    monkeypatch.setattr(build, "build", stop)
    assert cli.main(["--root", str(run.root), "serve", *more]) == 1
    assert asked == [{"smallest": False, "draft": draft}]


def test_stamp_and_strings_say_what_they_wrote(run: "TinyBook", capsys: pytest.CaptureFixture[str]) -> None:
    source = run.file("chapters/02-second/en.md")
    source.write_text(source.read_text("utf-8") + "\nMore.\n", "utf-8")
    assert cli.main(["--root", str(run.root), "stamp", "second"]) == 0
    assert cli.main(["--root", str(run.root), "strings"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Stamped chapters/02-second/zh.md",
        "widgets/locale/zh/LC_MESSAGES/gpubook.po: 0 without a translation",
    ]


def test_an_unknown_chapter_fails(run: "TinyBook", capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--root", str(run.root), "stamp", "fourth"]) == 1
    assert "there is no chapter 'fourth'; there are first, second, third" in capsys.readouterr().err


def test_a_folder_without_a_book_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--root", str(tmp_path), "check"]) == 1
    assert "chapters/book.toml:1: there is no such file" in capsys.readouterr().err
