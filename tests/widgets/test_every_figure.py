"""What every figure owes its page, whatever it shows: found by `figures.keys()`, so a new one is held to it too."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

from bookbuild.places import PROJECT, Places
from bookbuild.rooms import Live
from widgets import card, figures
from widgets.ids import digest
from widgets.parts import Choice, Range, Stepper
from widgets.words import Words

KEYS = figures.keys()
LANGUAGES = ("en", "zh")
ROOMS = Live(Places.of(PROJECT))
SEED = 20261129


def made(key: str, lang: str = "en", **state: Any) -> Any:
    return figures.load(key)(Words(lang), ROOMS.readings(key), **state)


def random_state(figure: Any, draw: random.Random) -> dict[str, Any]:
    """Values for every slider and choice; texts and the stepper stay."""
    state: dict[str, Any] = {}
    for control in figure.controls:
        if isinstance(control, Range):
            low, high = figure.param[control.param].bounds
            steps = round((high - low) / control.step)
            value = low + control.step * draw.randint(0, steps)
            state[control.param] = round(value, 6) if isinstance(control.step, float) else value
        elif isinstance(control, Choice):
            state[control.param] = draw.choice(control.options)[0]
    return state


def test_there_are_figures() -> None:
    assert {"divergence", "bank_conflicts", "pipeline_slots", "stream_timeline", "online_softmax"} <= set(KEYS)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_preset_shows_itself(key: str, lang: str) -> None:
    figure = made(key, lang)
    document = figure.document(1000)
    columns = {name: set(source) for name, source in figure.columns().items()}
    models = {model.id for model in document.models}
    for preset in figure.presets:
        figure.apply({"preset": preset.name})
        assert figure.error == ""
        assert figure.pressed == preset.name
        assert 1 <= len(figure.readouts()) <= 4
        assert figure.summary()
        rows = figure.table()
        assert rows.rows
        assert all(len(row) == len(rows.head) for row in rows.rows)
        assert {name: set(source) for name, source in figure.columns().items()} == columns
        assert {model.id for model in document.models} == models
        json.dumps(card.update(figure))


@pytest.mark.parametrize("key", KEYS)
def test_the_built_state_is_the_first_preset(key: str) -> None:
    figure = made(key)
    assert figure.pressed == figure.presets[0].name
    assert figure.state == ""


@pytest.mark.parametrize("key", KEYS)
def test_both_languages_draw_the_same_models(key: str) -> None:
    drawn = {lang: digest(made(key, lang).document(3000).models) for lang in LANGUAGES}
    assert len(set(drawn.values())) == 1


@pytest.mark.parametrize("key", KEYS)
def test_chinese_is_chinese(key: str) -> None:
    english, chinese = made(key), made(key, "zh")
    assert english.summary() != chinese.summary()
    assert re.search("[\u4e00-\u9fff]", chinese.summary())
    for control in chinese.controls:
        if re.search("[a-z]{5}", chinese.words(control.label)):
            assert chinese.words(control.label).lower() in {"wavefront", "swizzle"}  # kept in English by the field


@pytest.mark.parametrize("key", KEYS)
def test_one_thing_has_the_unit_of_many_in_chinese(key: str) -> None:
    words = Words("zh")
    for control in figures.load(key).controls:
        if isinstance(control, Range) and control.one:
            assert words(control.one) == words(control.unit), control.label


@pytest.mark.parametrize("key", KEYS)
def test_random_states_come_back_from_their_fragment(key: str) -> None:
    draw, reached = random.Random(SEED), 0
    figure = made(key)
    for _ in range(20):
        figure.apply({"set": random_state(figure, draw)})
        if figure.error:
            continue  # refused with a sentence, and nothing changed
        reached += 1
        other = made(key)
        if figure.state:
            other.restore(figure.state)
        assert other.current() == figure.current()
        assert other.values() == figure.values()
    assert reached, f"seed {SEED} reached no state of {key}"


@pytest.mark.parametrize("key", [key for key in KEYS if figures.load(key).prediction])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_answer_is_hidden_until_it_is_asked_for(key: str, lang: str) -> None:
    figure = made(key, lang)
    asks = figure.prediction
    assert asks.preset != figure.pressed
    answer = figure.words.num(figure.asked().values()[asks.value], asks.digits)
    figure.apply({"preset": asks.preset})
    secret = [readout for readout in figure.readouts() if readout.secret]
    assert secret, "no readout waits for the guess"
    assert str(card.readouts(figure)).count('class="hid"') == len(secret)
    assert answer not in {readout.value for readout in figure.readouts() if not readout.secret}
    before = figure.summary(), figure.table(), str(card.readouts(figure)), str(card.hardware(figure))
    figure.apply({"commit": answer})
    assert figure.error == ""
    assert figure.verdict.kind == "right"
    assert answer in str(card.predict(figure))
    after = figure.summary(), figure.table(), str(card.readouts(figure)), str(card.hardware(figure))
    assert before[2] != after[2]
    assert before != after
    assert answer in after[2]


@pytest.mark.parametrize("key", KEYS)
def test_marks_are_in_the_drawing_and_speak(key: str) -> None:
    figure = made(key)
    document = figure.document(1000)
    data = document.get_model_by_name("marks").data
    assert len(data["x"]) == len(data["y"]) == len(data["say"]) > 0
    assert all(isinstance(sentence, str) and sentence for sentence in data["say"])
    assert document.get_model_by_name("cursor").data == {"x": [], "y": [], "role": []}


@pytest.mark.parametrize("key", KEYS)
def test_steps_end_where_the_trace_ends(key: str) -> None:
    figure = made(key)
    stepper = next((c.param for c in figure.controls if isinstance(c, Stepper)), None)
    if stepper is None:
        assert figure.steps == 0
        return
    figure.apply({"set": {stepper: figure.steps}})
    assert (figure.error, figure.at) == ("", figure.steps)
    figure.apply({"set": {stepper: figure.steps + 1}})
    assert figure.error
    assert figure.at == figure.steps


def test_two_panel_layouts_share_no_model() -> None:
    drawings = [made(KEYS[0]).view()[-2].object for _ in range(2)]
    first, second = ({model.id for model in drawing.references()} for drawing in drawings)
    assert not first & second
    assert min(int(name[1:]) for name in first | second) > 1_000_000  # BokehJS counts its own from 1,000


@pytest.mark.parametrize("key", KEYS)
def test_a_panel_layout_follows_its_parameters(key: str) -> None:
    """Notebooks and `panel convert` get the same figure from `view()`."""
    figure = made(key)
    layout = figure.view()
    assert len(layout) == len(figure.controls) + 2
    sliders = [c for c in figure.controls if isinstance(c, Range)]
    assert sliders, "a figure has a slider: the browser tests move it by mouse and by key"
    told = {figure.summary()}
    for value in figure.param[sliders[0].param].bounds:
        setattr(figure, sliders[0].param, value)
        told.add(figure.error or figure.summary())
    assert len(told) > 1
