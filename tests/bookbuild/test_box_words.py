"""What the page says about the GPU box keeps up with the scripts that say it and with the experiments."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

import pytest

from bookbuild import box_labels, speech
from bookbuild.box_words import box_words
from bookbuild.places import PROJECT, Places
from widgets.words import Words

PLACES = Places.of(PROJECT)
SCRIPTS = {file.name: file.read_text("utf-8") for file in PLACES.static.glob("js/*.js")}
LANGUAGES = ("en", "zh")


@pytest.fixture(scope="module", params=LANGUAGES)
def said(request: pytest.FixtureRequest) -> dict[str, Any]:
    return box_words(speech.learn(PLACES, LANGUAGES)[request.param])


def columns() -> dict[str, list[str]]:
    """The columns that the panel shows of each experiment."""
    (table,) = re.findall(r"const COLUMNS = \{(.*?)\n\};", SCRIPTS["measure_columns.js"], re.S)
    found = re.findall(r"(\w+): (\[\[.*\]\]),", table)
    return {name: [*set_to, *measured] for name, (set_to, measured) in ((n, json.loads(told)) for n, told in found)}


def test_every_word_that_the_scripts_ask_for_is_there_and_none_else(said: dict[str, Any]) -> None:
    ours = [text for name, text in SCRIPTS.items() if name.startswith(("box", "measure"))]
    asked = set(re.findall(r"\bwords\??\.(\w+)|config\.box\.(\w+)", "\n".join(ours)))
    named = {first or second for first, second in asked}
    built = set(re.findall(r'button\("(\w+)"', SCRIPTS["measure.js"])) | {"driver", "cuda", "torch", "triton"}
    assert named | built == set(said)


def test_no_sentence_is_empty(said: dict[str, Any]) -> None:
    for name, text in said.items():
        for sentence in text.values() if isinstance(text, dict) else [text]:
            assert sentence or name == "space"


def test_columns_are_those_of_the_recordings_and_have_names() -> None:
    for name, shown in columns().items():
        path = PLACES.recorded / "h200" / f"{name}.json"
        rows = json.loads(path.read_text("utf-8"))["rows"]
        there = {key for row in rows for key in row}
        assert set(shown) <= there, name
        for column in shown:
            assert column in box_labels.COLUMNS or column == "us", f"{name}: {column}"


def test_names_of_columns_are_all_used() -> None:
    assert set(box_labels.COLUMNS) <= {column for shown in columns().values() for column in shown}


def test_inputs_are_named_as_the_experiments_describe_them() -> None:
    described = {
        keyword.value.value
        for file in (PROJECT / "gpu_backend" / "experiments").glob("*.py")
        for call in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Field"
        for keyword in call.keywords
        if keyword.arg == "description" and isinstance(keyword.value, ast.Constant)
    }
    assert described == set(box_labels.INPUTS)


def test_english_needs_no_translation_of_inputs() -> None:
    assert box_words(Words("en"))["inputs"] == {}
