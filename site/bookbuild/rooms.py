"""The one door to `widgets`: what the builder asks of figures and exercises, in plain values.

`Live` asks the figures themselves and needs Bokeh; `Remembered` keeps its answers on disk, so that a
rebuild after a change of prose never starts it.
"""

import importlib.metadata
import json
import runpy
import sys
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from bookbuild import speech
from bookbuild.memory import Memory, hash_of_folder
from bookbuild.places import Places
from bookbuild.problems import Broken, Problem, listed

Json = Any

EXERCISE_ERRORS = (
    ArithmeticError,
    AttributeError,
    ImportError,
    LookupError,
    NameError,
    SyntaxError,
    TypeError,
    ValueError,
)
"""What a mistyped exercise raises: an exercise is part of a chapter, so that is the chapter's problem."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A figure as a chapter places it."""

    key: str
    lang: str
    number: str
    title: str
    look: str
    preset: str
    ids: int


class Rooms(Protocol):
    """What can be asked."""

    def figures(self) -> tuple[str, ...]:
        """Return the keys of the figures that have a module."""

    def presets(self, key: str) -> dict[str, str]:
        """Return a figure's presets: name → address fragment."""

    def refusal(self, key: str, fragment: str) -> str:
        """Return why a figure refuses a fragment, "" if it takes it."""

    def values(self, key: str, fragment: str) -> dict[str, float]:
        """Return the named numbers of a state that the figure takes."""

    def card(self, placed: Placed) -> str:
        """Return the figure's card as HTML."""

    def readings(self, key: str) -> list[Json]:
        """Return the recorded readings of a figure, each with the `recording` that it is; LookupError without one."""

    def exercise(self, file: Path) -> dict[str, Json]:
        """Return `answer` and `mistakes` that an exercise computes, or why it cannot: `refused`."""


class Live:
    """Ask the figures."""

    def __init__(self, places: Places) -> None:
        self._places = places

    def figures(self) -> tuple[str, ...]:
        """See `Rooms`."""
        from widgets import figures

        return figures.keys()

    def _figure(self, key: str, state: Mapping[str, Any], lang: str = "en") -> Any:
        from widgets import figures

        return figures.load(key)(speech.BookWords(self._places, lang), self.readings(key), **state)

    def presets(self, key: str) -> dict[str, str]:
        """See `Rooms`."""
        from widgets import figures

        fragments = {}
        for preset in figures.load(key).presets:
            figure = self._figure(key, {})
            figure.apply({"preset": preset.name})
            fragments[preset.name] = figure.state
        return fragments

    def refusal(self, key: str, fragment: str) -> str:
        """See `Rooms`."""
        try:
            self._figure(key, {}).restore(fragment)
        except ValueError as refused:
            return str(refused)
        return ""

    def values(self, key: str, fragment: str) -> dict[str, float]:
        """See `Rooms`."""
        figure = self._figure(key, {})
        figure.restore(fragment)
        return dict(figure.values())

    def card(self, placed: Placed) -> str:
        """See `Rooms`."""
        from bokeh.core.json_encoder import serialize_json

        from widgets import card, figures
        from widgets.ids import digest

        preset = figures.load(placed.key).preset(placed.preset)
        figure = self._figure(placed.key, preset.state, placed.lang)
        document = figure.document(placed.ids)
        return str(
            card.render(
                figure,
                number=placed.number,
                title=placed.title,
                look=placed.look,
                preset=placed.preset,
                ids=placed.ids,
                doc_json=str(serialize_json(document.to_json(deferred=False))),
                digest=digest(list(document.models)),
            )
        )

    def readings(self, key: str) -> list[Json]:
        """See `Rooms`."""
        from widgets import figures

        found = []
        for name in figures.load(key).recordings:
            files = sorted(self._places.recorded.glob(f"*/{name}.json"))
            if not files:
                there = listed({file.stem for file in self._places.recorded.glob("*/*.json")})
                module = self._places.name(self._places.widgets / f"{key}.py")
                raise Broken(
                    [Problem(module, 1, f"there is no recording {name!r} for its figure", f"there are {there}")]
                )
            found += [json.loads(file.read_text("utf-8")) | {"recording": name} for file in files]
        return found

    def exercise(self, file: Path) -> dict[str, Json]:
        """See `Rooms`."""
        from widgets.lab import encode

        try:
            defined = runpy.run_path(str(file))
            mistakes = defined["mistakes"]() if "mistakes" in defined else {}
            return {
                "answer": defined["answer"]().to_json(),
                "mistakes": {name: encode(value) for name, value in mistakes.items()},
            }
        except EXERCISE_ERRORS as error:
            return {"refused": f"{type(error).__name__}: {error}"}


class Remembered:
    """Ask once, then remember."""

    def __init__(self, places: Places, live: Callable[[Places], Rooms] = Live) -> None:
        self._places = places
        self._make = live
        self.memory = Memory(places.cache / "answers", generation(places))

    @cached_property
    def _live(self) -> Rooms:
        return self._make(self._places)

    def figures(self) -> tuple[str, ...]:
        """See `Rooms`."""
        return tuple(self.memory.recall(["figures"], lambda: self._live.figures()))

    def presets(self, key: str) -> dict[str, str]:
        """See `Rooms`."""
        found: dict[str, str] = self.memory.recall(["presets", key], lambda: self._live.presets(key))
        return found

    def refusal(self, key: str, fragment: str) -> str:
        """See `Rooms`."""
        return str(self.memory.recall(["refusal", key, fragment], lambda: self._live.refusal(key, fragment)))

    def values(self, key: str, fragment: str) -> dict[str, float]:
        """See `Rooms`."""
        found: dict[str, float] = self.memory.recall(
            ["values", key, fragment], lambda: self._live.values(key, fragment)
        )
        return found

    def card(self, placed: Placed) -> str:
        """See `Rooms`."""
        return str(self.memory.recall(["card", *astuple(placed)], lambda: self._live.card(placed)))

    def readings(self, key: str) -> list[Json]:
        """See `Rooms`."""
        return list(self.memory.recall(["readings", key], lambda: self._live.readings(key)))

    def exercise(self, file: Path) -> dict[str, Json]:
        """See `Rooms`."""
        content = sha256(file.read_bytes()).hexdigest()
        found: dict[str, Json] = self.memory.recall(["exercise", str(file), content], lambda: self._live.exercise(file))
        return found


def generation(places: Places) -> str:
    """Hash what every figure's answer follows from: code, words, readings, and the versions that draw."""
    parts = [
        hash_of_folder(places.sim, "*.py", "*.toml"),
        hash_of_folder(places.widgets, "*.py", "*.json", "*.po", "*.toml"),
        hash_of_folder(places.recorded, "*.json"),
        hash_of_folder(places.bookbuild, "rooms.py"),
        sys.version,
        *(importlib.metadata.version(name) for name in ("bokeh", "param", "numpy", "markupsafe")),
    ]
    return sha256("\n".join(parts).encode()).hexdigest()


def state_of(rooms: Rooms, key: str, state: str) -> str | None:
    """Return the fragment of a preset's name or of a fragment the figure takes; None if it is neither."""
    presets: Mapping[str, str] = rooms.presets(key)
    if state in presets:
        return presets[state]
    return None if rooms.refusal(key, state) else state
