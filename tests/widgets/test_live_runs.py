"""A live run beside the model and the recording, in every figure that a GPU box measures."""

from __future__ import annotations

import copy
import json
import math
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bookbuild.places import PROJECT, Places
from bookbuild.rooms import Live
from widgets import card, figures, live
from widgets.words import NO_BREAK, Words

ROOMS = Live(Places.of(PROJECT))
FIELD = {
    "bank_conflicts": "cycles", "coalescing": "us", "divergence": "cycles", "latency_hiding": "gb_per_s",
    "occupancy": "blocks_per_sm", "online_softmax": "us", "pipeline_slots": "us", "stream_timeline": "end_us",
}  # fmt: skip
"""What is measured in a row."""
KEYS = figures.keys()
MEASURED = sorted(key for key in KEYS if figures.load(key).experiment)
LANGUAGES = ("en", "zh")


@cache
def readings(key: str) -> tuple[Any, ...]:
    return tuple(ROOMS.readings(key))


def made(key: str, lang: str = "en") -> Any:
    return figures.load(key)(Words(lang), readings(key))


def record(key: str) -> dict[str, Any]:
    """The recording as a box would send it: it has exactly the shape."""
    kind = figures.load(key)
    found = next(reading for reading in readings(key) if reading["recording"] == kind.experiment)
    without = {name: value for name, value in found.items() if name != "recording"}
    return copy.deepcopy(without) | {"figure": key, "again": None, "spread": None}


def measured(figure: Any) -> Any:
    """The row of the strip that the box measures."""
    (both,) = [one for one in figure.comparisons() if one.by_box]
    return both


def strip(figure: Any) -> str:
    return str(card.hardware(figure))


def test_there_is_a_field_for_every_figure_that_a_box_measures() -> None:
    assert set(MEASURED) == set(FIELD)


@pytest.mark.parametrize("key", MEASURED)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_recording_sent_as_a_live_run_equals_the_recording(key: str, lang: str) -> None:
    figure = made(key, lang)
    figure.apply({"skip": True})
    words, before = figure.words, strip(figure)
    assert before.count('data-live="none"') == 1
    assert words("not measured here") in before
    figure.apply({"live": record(key)})
    both, after = measured(figure), strip(figure)
    assert figure.error == ""
    assert both.recorded == both.live is not None
    assert 'data-live="none"' not in after
    assert words("The live number equals the recorded one.") in after
    assert words("Live, {device}", device="H200") in after
    assert after.count('class="apart"') == 2
    assert figure.state == ""


@pytest.mark.parametrize("key", MEASURED)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_one_live_reading_changed_by_a_known_amount_is_seen(key: str, lang: str) -> None:
    figure, by, seen = made(key, lang), 7, 0
    figure.apply({"skip": True})
    recorded, words = measured(figure).recorded, figure.words
    whole = record(key)
    for at, row in enumerate(whole["rows"]):
        if row.get(FIELD[key]) is None:
            continue
        changed = row | {FIELD[key]: row[FIELD[key]] + by}
        sent = whole | {"rows": [*whole["rows"][:at], changed, *whole["rows"][at + 1 :]]}
        figure.apply({"live": sent})
        assert figure.error == ""
        both, shown = measured(figure), strip(figure)
        if both.live == recorded:
            continue
        seen += 1
        assert both.live == pytest.approx(recorded + by)
        assert f">{words.num(recorded + by, both.digits)}<" in shown
        against = both.model if both.live_model is None else both.live_model
        if both.exact:
            assert f">{words('{n} apart', n=by)} <small>" in shown
            assert words("Live and recorded are {n} apart.", n=by) in shown
        else:
            model_apart, apart = 100 * (against / (recorded + by) - 1), 100 * by / recorded
            sign = "+" if model_apart > 0 else ""
            assert f"{sign}{words.num(model_apart, 1)}<small>{NO_BREAK}%</small> <small>" in shown
            assert words("Live against recorded: {apart}.", apart=f"+{words.num(apart, 1)}{NO_BREAK}%") in shown
        if seen == 2:
            break
    assert seen, "no row of the live run is this state's"


@pytest.mark.parametrize("key", MEASURED)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_live_run_without_rows_is_not_measured_here(key: str, lang: str) -> None:
    figure = made(key, lang)
    figure.apply({"live": record(key) | {"rows": []}})
    assert figure.error == ""
    assert 'data-live="none"' in strip(figure)
    assert figure.words("The live run has no row for this state.") in strip(figure)
    assert figure.words("Live: {gpu}, {date}.", gpu="NVIDIA H200", date="2026")[:12] in strip(figure)


@pytest.mark.parametrize("key", MEASURED)
def test_rows_come_one_by_one(key: str) -> None:
    """Every beginning of a run can be shown, and the last one is the run."""
    figure, whole = made(key), record(key)
    counts = sorted({*range(0, min(len(whole["rows"]), 70)), len(whole["rows"])})
    for count in counts:
        figure.apply({"live": whole | {"rows": whole["rows"][:count]}})
        assert figure.error == ""
        assert card.update(figure)["hw"]
    assert measured(figure).live == measured(figure).recorded


@pytest.mark.parametrize("key", MEASURED)
def test_a_live_run_outlives_states_and_goes_when_it_is_taken_away(key: str) -> None:
    figure = made(key)
    document, without = figure.document(1000), strip(figure)
    figure.apply({"live": record(key)})
    beside = strip(figure)
    assert beside != without
    for preset in figure.presets:
        figure.apply({"preset": preset.name})
        assert figure.live is not None
    figure.restore(figure.state)
    figure.apply({"preset": figure.presets[0].name})
    assert strip(figure) == beside
    assert figure.state == ""
    figure.apply({"live": None})
    assert (figure.live, figure.measured, figure.error) == (None, None, "")
    assert strip(figure) == without
    assert document.roots


@pytest.mark.parametrize("key", [key for key in MEASURED if figures.load(key).prediction])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_live_number_waits_for_the_guess(key: str, lang: str) -> None:
    figure = made(key, lang)
    figure.apply({"preset": figure.prediction.preset})
    drawn = json.dumps(figure.columns())
    figure.apply({"live": record(key)})
    assert figure.veiled
    assert json.dumps(figure.columns()) == drawn
    hidden = strip(figure)
    for both in figure.comparisons():
        for number in (both.model, both.recorded, both.live):
            assert number is None or f'"v">{figure.words.num(number, both.digits)}' not in hidden
    assert figure.words("The live number equals the recorded one.") not in hidden
    figure.apply({"skip": True})
    shown = strip(figure)
    assert all(f'"v">{figure.words.num(both.model, both.digits)}' in shown for both in figure.comparisons())


@pytest.mark.parametrize("key", MEASURED)
def test_the_presets_that_a_state_without_a_reading_names_have_one(key: str) -> None:
    states = {}
    for preset in figures.load(key).presets:
        figure = made(key)
        figure.apply({"skip": True})
        figure.apply({"preset": preset.name})
        states[preset.name] = figure
    rows = {name: figure.comparisons() for name, figure in states.items()}
    counts = {len(some) for some in rows.values()}
    assert len(counts) == 1
    for n in range(counts.pop()):
        assert any(some[n].recorded is not None for some in rows.values())
        for name, some in rows.items():
            if some[n].recorded is None:
                assert some[n].provenance
                assert some[n].presets
                assert all(f'href="#{key}?preset={other}"' in strip(states[name]) for other in some[n].presets)
            assert all(rows[other][n].recorded is not None for other in some[n].presets)


# ------------------------------------------------------------------------- what cannot be read

JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3000), st.floats(1e-6, 1e9), st.text(max_size=5),
    st.sampled_from([10**16, 10**400, -(10**30), math.nan, math.inf, -math.inf, 1e308, -1.0, 0.0, 1e-300]),
    st.just("x" * 5000), st.recursive(st.none(), lambda inner: st.lists(inner, max_size=3), max_leaves=5),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2), st.just([0] * 32), st.just(["a"] * 32),
)  # fmt: skip


@st.composite
def spoilt(draw: st.DrawFn, key: str) -> Any:
    """A record, or the beginning of one, with something in it that does not belong there."""
    whole = record(key)
    whole["rows"] = whole["rows"][: draw(st.sampled_from([1, 3, 40, 10_000]))]
    for _ in range(draw(st.integers(1, 3))):
        where = draw(st.sampled_from(["head", "inputs", "row", "row", "row", "row"]))
        inside: Any = {"head": whole, "inputs": whole.get("inputs")}.get(where)
        rows = whole.get("rows")
        if where == "row" and isinstance(rows, list) and rows:
            at = draw(st.integers(0, min(len(rows), 50) - 1))
            if draw(st.integers(0, 5)) == 0:
                rows[at] = draw(JUNK)
            inside = rows[at]
        if isinstance(inside, dict) and inside:
            name = draw(st.sampled_from(sorted(inside)))
            if draw(st.integers(0, 3)):
                inside[name] = draw(JUNK)
            else:
                del inside[name]
    return whole


@pytest.mark.parametrize("key", MEASURED)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_misshapen_run_is_a_sentence_and_never_an_exception(key: str, data: st.DataObject) -> None:
    figure = made(key)
    figure.apply({"live": data.draw(st.one_of(spoilt(key), spoilt(key), JUNK))})
    for preset in figure.presets[:3]:
        if figure.error:
            assert figure.live is None
            assert card.problem(figure)
        assert card.update(figure)["hw"]
        figure.apply({"preset": preset.name})


@pytest.mark.parametrize("key", MEASURED)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_is_wrong_is_said_and_what_was_there_stays(key: str, lang: str) -> None:
    figure = made(key, lang)
    figure.apply({"live": record(key)})
    beside = strip(figure)
    other = next(name for name in MEASURED if name != key)
    rows = record(key)["rows"]
    field = FIELD[key]
    spoilt_row = next(row for row in rows if row.get(field) is not None) | {field: "7"}
    for wrong, part in (
        (record(other), figure.experiment),
        ({}, "gpu"),
        ([], ""),
        ("run", ""),
        (record(key) | {"rows": rows[:1] * 10_000}, "10,000"),
        (record(key) | {"rows": [*rows[:2], "rubbish"]}, "3"),
        (record(key) | {"rows": [spoilt_row]}, field),
        (record(key) | {"inputs": None}, "inputs"),
        (record(key) | {"gpu": "G" * 10_000}, "gpu"),
    ):
        figure.apply({"live": wrong})
        assert figure.error
        assert part in figure.error
        assert str(card.problem(figure))
        assert strip(figure) == beside
    figure.apply({"live": record(key)})
    assert figure.error == ""


def test_a_live_run_leaves_what_was_said_about_the_readers_own_input() -> None:
    figure = made("coalescing")
    figure.apply({"set": {"stride": 99}})
    refused = figure.error
    assert "99" in refused
    figure.apply({"live": record("coalescing")})
    assert figure.error == refused
    assert figure.live is not None


def test_rows_half_typed_wait_while_a_run_comes_in() -> None:
    figure = made("online_softmax")
    figure.apply({"set": {"score": "1, 2, 3, 4, 5, 6, 7"}})
    assert figure.error
    figure.apply({"live": record("online_softmax")})
    figure.apply({"set": {"value": "1, 2, 3, 4, 5, 6, 7"}})
    assert figure.error == ""
    assert len(figure.trace.scores) == 7


def test_a_figure_that_no_box_measures_refuses_a_run() -> None:
    figure = made("reuse")
    figure.apply({"live": record("coalescing")})
    assert "no GPU box measures this figure" in figure.error


def test_other_inputs_are_not_compared() -> None:
    for key, change in (
        ("coalescing", lambda row: row.update(n=1 << 20)),
        ("online_softmax", lambda row: row.update(rows=16)),
        ("pipeline_slots", lambda row: row.update(items=8)),
    ):
        figure, sent = made(key), record(key)
        for row in sent["rows"]:
            change(row)
        figure.apply({"live": sent})
        assert figure.error == ""
        assert measured(figure).live is None
        assert "leave its inputs as they were offered" in strip(figure)
    figure, sent = made("stream_timeline"), record("stream_timeline")
    sent["inputs"]["mib"] = 1
    figure.apply({"live": sent})
    assert measured(figure).live is None
    assert "leave its inputs as they were offered" in strip(figure)


def test_an_sm_of_another_kind_is_not_compared() -> None:
    figure = made("occupancy")
    for gpu, said in (("NVIDIA GeForce RTX 4090", "has compute capability 8.9"), ("Some GPU", "is not known here")):
        figure.apply({"live": record("occupancy") | {"gpu": gpu}})
        assert figure.error == ""
        assert measured(figure).live is None
        assert said in strip(figure)


@pytest.mark.parametrize("key", MEASURED)
def test_recordings_have_the_columns_that_a_live_run_must_have(key: str) -> None:
    kind = figures.load(key)
    sent = record(key)
    assert live.checked(sent, key, kind.experiment, kind.live_columns, Words()) == sent
