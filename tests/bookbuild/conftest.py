"""A tiny good book, to break in one place at a time."""

import io
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import write_po

from bookbuild import build, catalogue, stamp
from bookbuild.places import Places
from bookbuild.problems import Broken
from bookbuild.rooms import Live, Placed

TINY = Path(__file__).with_name("tiny")


class FakeRooms:
    """Two figures with one parameter, `height` 1 to 9, and one value that follows from it."""

    def __init__(self, places: Places) -> None:
        self._live = Live(places)
        self.cards = 0

    def figures(self) -> tuple[str, ...]:
        return ("bars", "dots")

    def presets(self, key: str) -> dict[str, str]:
        return {"built": "", "tall": "height=9"}

    def refusal(self, key: str, fragment: str) -> str:
        name, _, value = fragment.partition("=")
        if not fragment or (name == "height" and value in "123456789"):
            return ""
        return f"{name} {value} is outside 1 to 9"

    def values(self, key: str, fragment: str) -> dict[str, float]:
        height = int(fragment.partition("=")[2] or 1)
        return {"height": height, "extra": 983 + height}

    def card(self, placed: Placed) -> str:
        self.cards += 1
        return f'<figure class="fig" id="{placed.key}" data-ids="{placed.ids}">{placed.number} {placed.look}</figure>'

    def readings(self, key: str) -> list[Any]:
        return [{"extra": 992}] if key == "bars" else []

    def exercise(self, file: Path) -> dict[str, Any]:
        return self._live.exercise(file)


class TinyBook:
    """The book, its files, and what a check of it says."""

    def __init__(self, root: Path, cache: Path) -> None:
        shutil.copytree(TINY, root, ignore=shutil.ignore_patterns("__pycache__"))
        self.root = root
        self.places = replace(Places.of(root), cache=cache)
        self.rooms = FakeRooms(self.places)
        self.translate()
        self.stamp()

    def stamp(self) -> None:
        stamp.stamp(self.places, [])

    def translate(self, text: Callable[[str], str] = lambda english: f"译{english}") -> None:
        """Bring the catalogue up to date and fill it."""
        catalogue.update(self.places, "zh")
        file = catalogue.po_file(self.places, "zh")
        filled = catalogue.read(file)
        for message in filled:
            if message.id:
                message.string = text(message.id) if isinstance(message.id, str) else (text(message.id[1]),)
        output = io.BytesIO()
        write_po(output, filled)
        file.write_bytes(output.getvalue())

    def file(self, name: str) -> Path:
        return self.root / name

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace a text that stands once in a file; the translation of a text changed is stamped again."""
        file = self.file(name)
        text = file.read_text("utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {name}"
        file.write_text(text.replace(old, new), "utf-8")
        if file.name == "en.md":
            self.stamp()

    def provide(self, cache: Path, say: build.Say) -> "FakeRuntime":
        return FakeRuntime(self.root)

    def precompile(self, runtime: "FakeRuntime", files: Mapping[str, bytes], cache: Path) -> dict[str, bytes]:
        return {}

    def build(self) -> Path:
        """Build the site and return its folder."""
        build.build(self.places, rooms=self.rooms, provide=self.provide, precompile=self.precompile)
        return self.places.out

    def problems(self) -> list[str]:
        """Return what a check finds, as it is printed."""
        try:
            build.check(self.places, self.rooms)
        except Broken as broken:
            return [str(problem) for problem in broken.problems]
        return []


@dataclass(frozen=True)
class FakeRuntime:
    """Files of the right names, with a few bytes each."""

    folder: Path

    def _file(self, name: str) -> Path:
        file = self.folder / name
        file.write_bytes(name.encode() * 10)
        return file

    @property
    def pyodide_mjs(self) -> Path:
        return self._file("pyodide.mjs")

    @property
    def pyodide_asm_mjs(self) -> Path:
        return self._file("pyodide.asm.mjs")

    @property
    def pyodide_asm_wasm(self) -> Path:
        return self._file("pyodide.asm.wasm")

    @property
    def stdlib(self) -> Path:
        return self._file("stdlib.zip")

    @property
    def numpy(self) -> Path:
        return self._file("numpy-2.4.3-cp314-cp314-slim.whl")

    @property
    def libs(self) -> Path:
        return self._file("libs.zip")

    @property
    def bokeh_js(self) -> Path:
        return self._file("bokeh.min.js")

    lock_json = '{"info": {}, "packages": {"numpy": {}}}'


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def book(tmp_path: Path, shared_cache: Path) -> TinyBook:
    return TinyBook(tmp_path / "book", shared_cache)


@pytest.fixture(scope="session")
def tiny_book() -> type[TinyBook]:
    return TinyBook
