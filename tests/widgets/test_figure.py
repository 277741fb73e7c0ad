"""The contract that every figure gets from its base: changes, fragments, prediction, document."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from widgets import card, room
from widgets.block_scheduler import BlockScheduler
from widgets.controls import render_control
from widgets.ids import digest
from widgets.index_explorer import IndexExplorer
from widgets.occupancy import Occupancy
from widgets.parts import Range

Action = dict[str, Any]


def test_a_change_simulates_anew(tiny: Any) -> None:
    figure = tiny()
    figure.apply({"set": {"side": 3}})
    assert figure.values() == {"squares": 9}
    assert figure.error == ""


@pytest.mark.parametrize(
    ("action", "says"),
    [
        ({"set": {"side": 10}}, "Side: 10 is outside 1 to 9"),
        ({"set": {"side": "abc"}}, "Side: “abc” is not a whole number"),
        ({"set": {"side": 2.5}}, "Side: “2.5” is not a whole number"),
        ({"set": {"side": "nan"}}, "Side: “nan” is not a whole number"),
        ({"set": {"side": None}}, "Side: “None” is not a whole number"),
        ({"set": {"side": 1e400}}, "Side: “inf” is not a whole number"),
        ({"set": {"side": 7}}, "seven is refused by the simulator"),
        ({"set": {"style": "purple"}}, "Style: “purple” is not one of plain, odd"),
        ({"set": {"width": 3}}, "“width” is not a setting of this figure; it has side, style, typed, step"),
        ({"set": {"step": 0}}, "Step: 0 is before the first step, 1"),
        ({"set": {"step": 4}}, "step 4 is beyond the last, 3"),
        ({"set": {"typed": "x" * 4001}}, "Typed: 4,001 characters are more than 4,000"),
        ({"set": {"typed": "1 two"}}, "invalid literal for int() with base 10: 'two'"),
        ({"preset": "four"}, "no preset 'four'; there are two, three, nine"),
        ({"restore": "side"}, "Side: “” is not a whole number"),
        ({"restore": "side=3&side=4"}, "“side” is given 2 times"),
        ({"restore": "%%%"}, "“%%%” is not a setting of this figure; it has side, style, typed, step"),
        ({"restore": "preset=four"}, "there is no preset “four”; there are two, three, nine"),
        ({"restore": "preset=three&step=1"}, "a preset stands alone; write out what it sets: side=3&step=1"),
        ({"restore": "&&"}, "“&&” is not a state; one looks like side=2"),
        ({"commit": "many"}, "There is no number in “many”."),
        ({"jump": 1}, "unknown action {'jump': 1}"),
    ],
)
def test_a_refused_action_changes_nothing_and_says_why(tiny: Any, action: Action, says: str) -> None:
    figure = tiny()
    figure.apply({"set": {"side": 3, "step": 2}})
    before = figure.current(), figure.trace, figure.open
    figure.apply(action)
    assert says in figure.error
    assert (figure.current(), figure.trace, figure.open) == before
    figure.apply({"set": {"side": 4}})
    assert figure.error == ""


def test_restore_raises_where_a_builder_asks(tiny: Any) -> None:
    with pytest.raises(ValueError, match="outside 1 to 9"):
        tiny().restore("side=99")


def test_another_trace_goes_back_to_its_end(tiny: Any) -> None:
    figure = tiny(side=5, step=2)
    figure.apply({"set": {"side": 5}})
    assert figure.at == 2
    figure.apply({"set": {"side": 6}})
    assert figure.at == 6


@given(
    side=st.integers(1, 9).filter(lambda n: n != 7),
    style=st.sampled_from(["plain", "odd"]),
    typed=st.lists(st.integers(-9, 99)),
    step=st.integers(1, 9) | st.none(),
)
def test_the_fragment_brings_the_state_back(
    tiny: Any, side: int, style: str, typed: list[int], step: int | None
) -> None:
    state = {"side": side, "style": style, "typed": " ".join(map(str, typed)), "step": step and min(step, side)}
    figure = tiny()
    figure.apply({"set": state})
    assert figure.error == ""
    other = tiny(side=4)
    other.restore(figure.state or "side=2")
    assert other.current() == figure.current()


def test_built_state_has_no_fragment_and_defaults_have_one_elsewhere(tiny: Any) -> None:
    figure = tiny(side=3)
    assert figure.state == ""
    figure.apply({"set": {"side": 2}})
    assert figure.state == "side=2"


def test_preset_by_name(tiny: Any) -> None:
    figure = tiny()
    figure.restore("preset=three")
    assert (figure.side, figure.pressed) == (3, "three")


def everything_shown(figure: Any) -> str:
    return f"{card.update(figure)} {figure.columns()}"


def test_the_answer_is_absent_until_commit_or_skip(tiny: Any) -> None:
    for end in ({"commit": "80"}, {"skip": True}):
        figure = tiny()
        figure.apply({"preset": "nine"})
        assert "81" not in everything_shown(figure)
        figure.apply(end)
        assert "There are 81." in everything_shown(figure)
        assert "81 squares" in figure.summary()
        figure.apply({"ask": True})
        assert "81" not in everything_shown(figure)


def test_a_guess_is_answered_in_words(tiny: Any) -> None:
    figure = tiny()
    figure.apply({"commit": " 80 "})
    assert "You said 80. There are 81." in card.update(figure)["predict"]
    figure.apply({"ask": True})
    figure.apply({"commit": "81"})
    assert "Right. There are 81." in card.update(figure)["predict"]


def test_equal_becomes_a_stated_difference(tiny: Any) -> None:
    assert "equal" in card.update(tiny(readings=[{"squares": 4}]))["hw"]
    assert "1 apart" in card.update(tiny(readings=[{"squares": 5}]))["hw"]
    assert "no reading yet" in card.update(tiny())["hw"]


def test_a_document_has_the_same_ids_every_time(tiny: Any) -> None:
    first, second = tiny().document(1000), tiny(side=5).document(1000)
    assert digest(first.models) == digest(second.models)
    assert digest(tiny().document(2000).models) != digest(first.models)
    assert first.to_json(deferred=False)["roots"][0]["id"] == second.to_json(deferred=False)["roots"][0]["id"]


def test_changes_refill_sources_and_rebuild_nothing(tiny: Any) -> None:
    figure = tiny()
    document = figure.document(1000)
    models = {model.id for model in document.models}
    figure.apply({"set": {"side": 5}})
    assert document.get_model_by_name("cells").data["x"] == [0, 1, 2, 3, 4]
    assert {model.id for model in document.models} == models


def test_text_in_a_card_is_escaped(tiny: Any) -> None:
    figure = tiny()
    figure.apply({"set": {"typed": "<script>alert(1)</script>"}})
    html = card.render(
        figure,
        number="1.1",
        title="<b>T</b>",
        look="<i>",
        preset="two",
        ids=1000,
        doc_json='{"a":"</script>"}',
        digest="d",
    )
    assert "<b>T</b>" not in html
    assert '</script>"' not in html
    assert "<script>alert" not in card.update(figure)["problem"]


def test_a_slider_at_one_has_the_unit_of_one(tiny: Any) -> None:
    one = Range("side", "Side", "squares", one="square")
    assert '>1</output> <span class="of">square</span>' in render_control(tiny(side=1), one)
    assert '>2</output> <span class="of">squares</span>' in render_control(tiny(side=2), one)
    assert 'data-unit="squares" data-one="square"' in render_control(tiny(side=2), one)


def test_a_number_too_long_for_its_place_is_set_smaller() -> None:
    launched = IndexExplorer()
    assert 'class="long"' not in card.readouts(launched)
    launched.restore("elements=2147483647&block=1")
    assert '<dd class="long">2,147,483,647</dd>' in card.readouts(launched)
    assert '<dd class="">0</dd>' in card.readouts(launched)  # the lane


def test_room_is_kept_for_what_sliders_reach_at_their_ends() -> None:
    for figure, fragments in (
        (BlockScheduler(), ("blocks=2700&sms=192&per_sm=8", "sms=1&per_sm=1")),
        (Occupancy(), ("threads=32&registers=16&axis=shared_memory", "cc=12.0&threads=1&axis=threads")),
    ):
        kept = room.readouts([twin.readouts() for twin in room.twins(figure)])
        for fragment in fragments:
            figure.restore(fragment)
            for readout, widest in zip(figure.readouts(), kept, strict=True):
                assert room.width(readout.sub) <= room.width(widest.sub)
