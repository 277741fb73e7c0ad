"""The door to the figures: what is asked of them, and that a rebuild asks nothing twice."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bookbuild import rooms
from bookbuild.places import PROJECT, Places
from bookbuild.rooms import Live, Placed, Remembered

if TYPE_CHECKING:
    from conftest import TinyBook

KEY = "bank_conflicts"
PLACED = Placed(KEY, "en", "4.3", "Lanes & banks", "Look.", "column_32", 4_030_000)


@pytest.fixture(scope="module")
def live() -> Live:
    return Live(Places.of(PROJECT))


def test_presets_are_fragments_that_lead_back_to_them(live: Live) -> None:
    presets = live.presets(KEY)
    for name, fragment in presets.items():
        assert live.refusal(KEY, fragment) == "", name
        assert live.refusal(KEY, f"preset={name}") == "", name
        assert live.values(KEY, fragment) == live.values(KEY, f"preset={name}"), name


def test_a_fragment_is_refused_with_the_figures_own_sentence(live: Live) -> None:
    said = live.refusal(KEY, "pitch=1000000")
    assert "1,000,000" in said
    assert live.refusal(KEY, "no_such=1")


def test_values_are_the_simulators(live: Live) -> None:
    from sim.bank_conflicts import simulate

    column = simulate([lane * 32 * 4 for lane in range(32)])
    assert live.values(KEY, live.presets(KEY)["column_32"])["wavefronts"] == column.wavefronts


def test_a_card_holds_its_document_under_ids_of_its_own(live: Live) -> None:
    card = live.card(PLACED)
    assert f'id="{KEY}"' in card
    assert "Lanes &amp; banks" in card
    document = json.loads(card.partition('class="doc">')[2].partition("</script>")[0])
    ids = [int(number) for number in _ids(document)]
    assert ids
    assert all(4_030_000 <= number < 4_040_000 for number in ids)
    assert live.card(PLACED) == card


def _ids(part: Any) -> list[str]:
    if isinstance(part, dict):
        own = [part["id"].lstrip("p")] if isinstance(part.get("id"), str) and "name" in part else []
        return own + [number for value in part.values() for number in _ids(value)]
    return [number for value in part for number in _ids(value)] if isinstance(part, list) else []


def test_readings_are_those_of_the_figures_recordings_by_name(live: Live) -> None:
    names = ("bank_conflicts", "bank_conflict_cycles")
    files = [file for name in names for file in sorted((PROJECT / "chapters/recorded").glob(f"*/{name}.json"))]
    told = [json.loads(file.read_text("utf-8")) | {"recording": file.stem} for file in files]
    assert live.readings(KEY) == told
    assert len(told) >= 2


@pytest.mark.parametrize(
    ("code", "refused"),
    [
        ("def answer(): return 4", "AttributeError"),
        ("x = 1", "KeyError: 'answer'"),
        ("from widgets.lab import Number\ndef answer(): return Number(1/3)", "ValueError"),
        ("def answer(:", "SyntaxError"),
        ("import no_such_module", "ModuleNotFoundError"),
    ],
)
def test_an_exercise_that_fails_says_why(live: Live, tmp_path: Path, code: str, refused: str) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(code, "utf-8")
    assert refused in live.exercise(file)["refused"]


def test_a_mistake_in_the_simulator_is_not_taken_for_a_mistake_in_the_exercise(live: Live, tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text("def answer(): raise AssertionError('a fault')", "utf-8")
    with pytest.raises(AssertionError, match="a fault"):
        live.exercise(file)


class Counting:
    """Answers with a count of how often it was asked."""

    asked = 0

    def __init__(self, places: Places) -> None:
        pass

    def values(self, key: str, fragment: str) -> dict[str, float]:
        Counting.asked += 1
        return {"asked": Counting.asked}

    def exercise(self, file: Path) -> dict[str, Any]:
        Counting.asked += 1
        return {"asked": Counting.asked}


def test_an_answer_is_remembered_until_code_words_or_readings_change(
    book: "TinyBook", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Counting, "asked", 0)
    places = replace(book.places, cache=tmp_path / "cache")

    def ask() -> float:
        remembered = Remembered(places, Counting)  # type: ignore[arg-type]
        return remembered.values("bars", "")["asked"]

    assert [ask(), ask()] == [1, 1]
    book.edit("sim/walk.py", "# every one", "# each one")
    assert [ask(), ask()] == [2, 2]
    book.translate(lambda english: f"新{english}")
    assert [ask(), ask()] == [3, 3]
    reading = book.file("chapters/recorded/h200/x.json")
    reading.parent.mkdir(parents=True)
    reading.write_text("{}", "utf-8")
    assert [ask(), ask()] == [4, 4]
    book.edit("chapters/02-second/en.md", "A lead.", "Another lead.")
    assert ask() == 4


def test_an_exercise_is_asked_again_when_its_file_changes(
    book: "TinyBook", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Counting, "asked", 0)
    remembered = Remembered(replace(book.places, cache=tmp_path / "cache"), Counting)  # type: ignore[arg-type]
    file = book.file("chapters/01-first/exercises/count.py")
    assert [remembered.exercise(file)["asked"] for _ in range(2)] == [1, 1]
    book.edit("chapters/01-first/exercises/count.py", "32 * 31", "31 * 32")
    assert remembered.exercise(file)["asked"] == 2


def test_a_state_is_a_preset_or_a_fragment(book: "TinyBook") -> None:
    assert rooms.state_of(book.rooms, "bars", "tall") == "height=9"
    assert rooms.state_of(book.rooms, "bars", "height=3") == "height=3"
    assert rooms.state_of(book.rooms, "bars", "height=0") is None


def test_the_builder_starts_without_bokeh() -> None:
    code = "import sys, bookbuild.cli; print(sorted({'bokeh', 'panel', 'numpy', 'aiohttp'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
