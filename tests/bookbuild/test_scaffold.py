"""What is begun works as it stands."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bookbuild import scaffold
from bookbuild.places import PROJECT
from bookbuild.problems import Broken

if TYPE_CHECKING:
    from conftest import TinyBook

# The packages of a book folder lie beside the project's: their tests find both.
FIND_BOTH = """\
from pathlib import Path

import sim
import widgets

for package in (sim, widgets):
    package.__path__.append(str(Path(__file__).parents[1] / package.__name__))
"""

PYTHON = [sys.executable, "-m"]
FILES = ["sim/lines.py", "widgets/lines.py", "tests/sim/test_lines.py", "tests/widgets/test_lines.py"]


def _pytest(book: "TinyBook", *arguments: str) -> str:
    """Run tests of a book's folder, which must pass; return what pytest says."""
    tests = [*PYTHON, "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", "--import-mode=importlib", *arguments]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    for name in [name for name in environment if name.startswith("PYTEST_")]:
        del environment[name]
    done = subprocess.run(tests, cwd=book.root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_new_figure_passes_its_own_tests_and_the_linter(book: "TinyBook") -> None:
    scaffold.new_figure(book.places, "lines")
    book.file("tests/conftest.py").write_text(FIND_BOTH, "utf-8")
    assert "9 passed" in _pytest(book, "tests")
    ours = "lint.isort.known-first-party = ['sim', 'widgets']"
    lint = [
        *PYTHON,
        "ruff",
        "check",
        "--no-cache",
        "--config",
        str(PROJECT / "pyproject.toml"),
        "--config",
        ours,
        *FILES,
    ]
    done = subprocess.run(lint, cwd=book.root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_what_is_left_to_do_names_the_fences_and_their_place(book: "TinyBook") -> None:
    said = scaffold.new_figure(book.places, "lines")
    assert said.splitlines()[:4] == [f"Wrote {name}" for name in FILES]
    assert "In chapters/01-first/ (en.md and zh.md), where Figure 1.2 belongs, add:" in said
    assert "\n1. List sim/lines.py in tests/bench/simulators.py" in said
    assert '   ```figure lines\n   preset = "built"\n   caption = "Where to put the eye."\n   ```' in said
    assert book.file("widgets/lines.py").read_text("utf-8").startswith('"""Figure 1.2: ')
    assert "\n3. gpubook strings" in said
    assert "tests/widgets/test_every_figure.py -k lines" in said


def test_a_new_figure_is_what_every_figure_must_be(book: "TinyBook") -> None:
    """But for its words: those await their translation."""
    scaffold.new_figure(book.places, "lines")
    book.file("tests/conftest.py").write_text(FIND_BOTH, "utf-8")
    every = (PROJECT / "tests/widgets/test_every_figure.py").read_text("utf-8")
    book.file("tests/widgets/test_every_figure.py").write_text(every, "utf-8")
    said = _pytest(book, "tests/widgets/test_every_figure.py", "-k", "lines and not zh and not chinese")
    assert "7 passed" in said


def test_a_simulator_that_is_there_is_kept_and_what_it_has_is_told(book: "TinyBook") -> None:
    before = book.file("sim/walk.py").read_text("utf-8")
    said = scaffold.new_figure(book.places, "lines", "walk")
    assert said.splitlines()[:2] == ["Wrote widgets/lines.py", "Wrote tests/widgets/test_lines.py"]
    assert "1. widgets/lines.py and its test are written for simulate(items, item_us). sim/walk.py stays" in said
    assert "has steps(n): make them call that" in said
    assert "from sim import walk as model" in book.file("widgets/lines.py").read_text("utf-8")
    assert "from sim.walk import simulate" in book.file("tests/widgets/test_lines.py").read_text("utf-8")
    assert not book.file("sim/lines.py").exists()
    assert not book.file("tests/sim/test_lines.py").exists()
    scaffold.new_figure(book.places, "walk")
    assert book.file("widgets/walk.py").is_file()
    assert book.file("sim/walk.py").read_text("utf-8") == before


def test_a_simulator_that_is_not_there_is_refused(book: "TinyBook") -> None:
    with pytest.raises(Broken, match=r"sim/wolk\.py:1: there is no such simulator; sim has walk"):
        scaffold.new_figure(book.places, "lines", "wolk")
    assert not book.file("widgets/lines.py").exists()


def test_a_figure_that_the_order_does_not_list_is_told_where_to_be_listed(book: "TinyBook") -> None:
    said = scaffold.new_figure(book.places, "new_thing")
    assert "In chapters/book.toml, under its chapter, list it" in said
    assert '[[part.chapter.figure]]\n   key = "new_thing"\n   title = { en = "…", zh = "…" }' in said
    assert "class NewThing(Figure):" in book.file("widgets/new_thing.py").read_text("utf-8")


def test_nothing_is_overwritten(book: "TinyBook") -> None:
    book.file("widgets/lines.py").write_text("mine", "utf-8")
    with pytest.raises(Broken, match=r"widgets/lines\.py:1: the file exists already"):
        scaffold.new_figure(book.places, "lines")
    assert book.file("widgets/lines.py").read_text("utf-8") == "mine"
    assert not book.file("sim/lines.py").exists()
    with pytest.raises(Broken, match=r"chapters/02-second/en\.md:1: the file exists already"):
        scaffold.new_chapter(book.places, "second")


@pytest.mark.parametrize("key", ["New", "2nd", "a-b", "../x", ""])
def test_a_key_that_is_no_name_is_refused(book: "TinyBook", key: str) -> None:
    with pytest.raises(Broken, match="a figure cannot be called"):
        scaffold.new_figure(book.places, key)


def test_a_new_chapter_has_no_problem(book: "TinyBook") -> None:
    said = scaffold.new_chapter(book.places, "third")
    wrote = [f"Wrote chapters/03-third/{name}" for name in ("en.md", "facts.toml", "zh.md")]
    assert said.splitlines()[:4] == [*wrote, ""]
    assert "gpubook new-figure KEY" in said
    assert "gpubook stamp third" in said
    assert book.problems() == []
    assert (book.build() / "zh/third/index.html").is_file()


def test_a_new_chapter_has_a_section_for_each_figure_under_its_title(book: "TinyBook") -> None:
    shutil.rmtree(book.file("chapters/01-first"))
    scaffold.new_chapter(book.places, "first")
    for lang, titles in {"en": ["Bars", "Lines", "Dots"], "zh": ["条", "线", "点"]}.items():
        text = book.file(f"chapters/01-first/{lang}.md").read_text("utf-8")
        assert re.findall("^## (.*)", text, re.M)[:3] == titles
        assert text.count("> [!IMPORTANT]") == 1


def test_a_chapter_that_the_order_does_not_list_is_refused(book: "TinyBook") -> None:
    with pytest.raises(Broken, match=r"there is no chapter 'fourth'; list it where it belongs"):
        scaffold.new_chapter(book.places, "fourth")
    assert not list(Path(book.places.chapters).glob("*fourth*"))
