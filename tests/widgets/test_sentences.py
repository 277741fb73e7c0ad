"""What every figure says, in states that presets do not reach: one thing is not "1 things", and Chinese is Chinese."""

from __future__ import annotations

import html
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

from bookbuild.places import PROJECT, Places
from bookbuild.rooms import Live
from widgets import card, figures
from widgets.parts import Choice, Range
from widgets.words import Words

KEYS = figures.keys()
ROOMS = Live(Places.of(PROJECT))
SEED, STATES = 20261130, 12

THINGS = (
    "accesses|bands|banks|bits|blocks|bytes|chunks|columns|copies|cycles|elements|events|groups|hits|"
    "instructions|kernels|lanes|levels|lines|loads|misses|multiplications|numbers|outputs|paths|places|"
    "products|registers|requests|rows|scores|sectors|segments|slots|stages|steps|stores|streams|threads|"
    "tiles|times|turns|values|warps|wavefronts|waves|words"
)
ONE_MANY = re.compile(rf"(?<![\d,.−×/^])(?<![×÷+] )\b1 (?:(?!to|of|in|and)[a-z]+ )?(?:{THINGS}|are)\b")
"""“1 blocks”, “1 warp slots”, “1 are left”."""
ENGLISH = re.compile(r"[A-Za-z]{2,}(?: [A-Za-z’]{2,}){2,}")
KEPT = {"RTX PRO 6000"}


def texts(figure: Any) -> Iterator[str]:
    """Every text of the card and of the drawing."""
    parts = card.update(figure)
    for name in ("predict", "reads", "hw", "table", "problem"):
        yield from (html.unescape(text) for text in re.split(r"<[^>]+>", parts[name]) if text.strip())
    yield parts["summary"]
    for columns in figure.columns().values():
        for values in columns.values():
            yield from (value for value in values if isinstance(value, str) and value)


def visits(key: str, lang: str) -> Iterator[Any]:
    """The figure in its presets, at its sliders' lower ends, where chance leads, and in first steps."""
    figure, draw = figures.load(key)(Words(lang), ROOMS.readings(key)), random.Random(SEED)
    figure.apply({"skip": True})
    for preset in figure.presets:
        figure.apply({"preset": preset.name})
        yield figure
    ranges = [control for control in figure.controls if isinstance(control, Range)]
    choices = [control for control in figure.controls if isinstance(control, Choice)]
    for _ in range(STATES):
        state: dict[str, Any] = {choice.param: draw.choice(choice.options)[0] for choice in choices}
        for control in ranges:
            low, high = figure.param[control.param].bounds
            state[control.param] = draw.choice([low, low, min(low + control.step, high), high])
        figure.apply({"set": state})
        yield figure
        if figure.stepper and figure.steps:
            figure.apply({"set": {figure.stepper: draw.randint(1, min(figure.steps, 3))}})
            yield figure


@pytest.mark.parametrize("key", KEYS)
def test_one_thing_is_not_many(key: str) -> None:
    for figure in visits(key, "en"):
        for text in texts(figure):
            assert not ONE_MANY.search(text), f"{figure.state}: {text}"


@pytest.mark.parametrize("key", KEYS)
def test_chinese_has_no_english_sentence(key: str) -> None:
    for figure in visits(key, "zh"):
        for text in texts(figure):
            assert {*ENGLISH.findall(text)} <= KEPT, f"{figure.state}: {text}"
            assert "。 " not in text, f"{figure.state}: {text}"
