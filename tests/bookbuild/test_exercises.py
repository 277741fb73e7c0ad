"""Answers worked by hand, and mistakes that are wrong and differ from each other."""

import runpy
from pathlib import Path
from typing import Any

import pytest

from widgets.lab import Choice, Number, Order, ValueSet

CHAPTERS = Path(__file__).parents[2] / "chapters"
FILES = sorted(CHAPTERS.glob("*/exercises/*.py"))
OPTIONS = ("A", "B", "C", "D")
BY_HAND = {
    "ragged_end": Number(8 - 5, "warps"),  # 136 of 256 threads have an element: ⌈136 / 32⌉ = 5 of 8 warps
    "three_paths": Number(6 + 12 + 5 + 11, "slots"),
    "which_warps": ValueSet((1, 3)),
    "emptiest": Order(("D", "C", "A", "B")),  # 265/528, 300/528, 265/396, 400/528
    "room_for_four": Number(6 * 4 // 5, "blocks"),  # ⌊16,384 / 2,560⌋ = 6 warps a partition
    "more_bandwidth": Choice("C", OPTIONS),  # 12,288 bytes in flight; the others 8,192
}


def _read(file: Path) -> dict[str, Any]:
    return runpy.run_path(str(file))


def test_answers_of_chapter_3() -> None:
    folder = CHAPTERS / "03-execution" / "exercises"
    assert {file.stem: _read(file)["answer"]() for file in folder.glob("*.py")} == BY_HAND


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parts[-3]}/{file.stem}")
def test_no_mistake_is_right_or_another(file: Path) -> None:
    exercise = _read(file)
    answer = exercise["answer"]()
    wrong = [answer.like(mistake).to_json() for mistake in exercise.get("mistakes", dict)().values()]
    assert answer.to_json() not in wrong
    assert all(wrong.count(one) == 1 for one in wrong)
