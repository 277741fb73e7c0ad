"""Figure 7.1: every number of its specification, its rule, what the prediction hides, what is drawn and said."""

import json
import random
from pathlib import Path

import pytest

from widgets import card, hardware, lab
from widgets.pipeline_slots import PipelineSlots
from widgets.timeline import span_of
from widgets.words import Words

ROOT = Path(__file__).parents[2]
READING = json.loads((ROOT / "chapters/recorded/h200/pipeline_slots.json").read_text("utf-8"))
PRESETS = [preset.name for preset in PipelineSlots.presets]


class Marked(Words):
    """Words that show which text went through them."""

    def __call__(self, message, /, **values):
        return "«" + super().__call__(message, **values) + "»"


def figure(fragment: str = "", hidden: bool = False, words=None, readings=(READING,)) -> PipelineSlots:
    made = PipelineSlots(words or Words(), readings)
    if not hidden:
        made.apply({"skip": True})
    if fragment:
        made.restore(fragment)
    return made


def says(made: PipelineSlots) -> list[str]:
    return made.columns()["marks"]["say"]


def texts(made: PipelineSlots) -> list[str]:
    columns = made.columns().values()
    return [text for column in columns for key in ("text", "short") for text in column.get(key, ()) if text]


def shown(made: PipelineSlots) -> str:
    """What a reader can meet of a state, but the question itself and the controls."""
    parts = {name: part for name, part in card.update(made).items() if name not in ("predict", "controls", "state")}
    return str([parts, says(made), texts(made)])


# --------------------------------------------------------------------- the numbers of figures.md


def test_two_slots_take_5_44_and_one_takes_6_28():
    values = figure().values()
    assert f"{values['total_us']:.2f}" == "5.44"  # 4 · 1.29 + 0.28
    assert f"{values['serial_us']:.2f}" == "6.28"  # 4 · (1.29 + 0.28)
    assert f"{-values['saved_percent']:.0f}" == "-13"
    assert f"{values['compute_busy_percent']:.0f}" == "21"  # 4 · 0.28 of 5.44
    assert values["saved_us"] == pytest.approx(3 * 0.28)  # all of the arithmetic but the last item's
    assert figure("preset=one_slot").values()["total_us"] == values["serial_us"]


def test_a_third_slot_changes_nothing_and_instant_compute_only_the_tail():
    assert figure().values()["one_more_slot_saves_us"] == 0
    assert figure("preset=three_slots").values()["total_us"] == figure().values()["total_us"]
    assert figure("slots=4").values()["total_us"] == figure().values()["total_us"]
    instant = figure("preset=instant").values()
    assert f"{instant['total_us']:.2f}" == "5.16"  # 4 · 1.29
    assert instant["compute_busy_percent"] == 0
    assert "moves_per_compute" not in instant


def test_the_built_times_are_those_of_one_block_on_one_sm_of_an_h100():
    """Figure 5.5: 3.35 TB/s and 989.4 TFLOP/s of dense BF16, shared by 132 SMs; 128 × 128 in steps of 64, 2 bytes."""

    def times(m, n, k):
        bytes_, flop = 2 * k * (m + n), 2 * m * n * k
        return round(bytes_ / (3.35e6 / 132), 2), round(flop / (989.4e6 / 132), 2)  # per µs

    built, larger = figure().values(), figure("preset=larger_tile").values()
    assert (built["move_us"], built["compute_us"]) == times(128, 128, 64) == (1.29, 0.28)
    assert (larger["move_us"], larger["compute_us"]) == times(256, 128, 64) == (1.94, 0.56)
    assert f"{built['moves_per_compute']:.1f}" == "4.6"


@pytest.mark.parametrize(
    ("preset", "total", "serial"),
    [
        ("half_bytes", 4 * 0.645 + 0.28, 4 * (0.645 + 0.28)),
        ("larger_tile", 2 * 1.94 + 0.56, 2 * (1.94 + 0.56)),
        ("even", 6 + 1, 12),  # two slots save 5 of 12: the more items, the nearer to half
    ],
)
def test_what_helps(preset, total, serial):
    values = figure(f"preset={preset}").values()
    assert values["total_us"] == pytest.approx(total)
    assert values["serial_us"] == pytest.approx(serial)
    assert values["one_more_slot_saves_us"] == pytest.approx(0, abs=1e-9)


def test_a_larger_tile_does_the_same_arithmetic_sooner():
    larger, built = figure("preset=larger_tile").values(), figure().values()
    assert larger["compute_busy_us"] == pytest.approx(built["compute_busy_us"])
    assert larger["total_us"] < built["total_us"]


def test_a_third_slot_can_help_where_times_vary():
    two, three = figure("preset=varying").values(), figure("preset=varying_three").values()
    assert two["serial_us"] == three["serial_us"]  # the same draws
    assert two["one_more_slot_saves_us"] == pytest.approx(two["total_us"] - three["total_us"])
    assert three["total_us"] < 0.95 * two["total_us"]
    assert two["move_waits"] > three["move_waits"] == 0
    assert figure("preset=varying").values() == two
    assert figure("items=6&move_us=1&compute_us=1&jitter=50&seed=2").values()["total_us"] != two["total_us"]


def test_synchronisation_hides_behind_longer_moves_but_not_among_equals():
    hidden = figure("sync_us=0.2").values()
    assert hidden["total_us"] == pytest.approx(4 * 1.29 + 0.2 + 0.28)  # once
    paid = figure("items=6&move_us=1&compute_us=1&sync_us=0.2").values()
    assert paid["total_us"] == pytest.approx(1 + 6 * 1.2)  # every time
    assert paid["compute_busy_us"] == pytest.approx(6)


def test_times_follow_the_rule():
    """T = move + (items - 1) · max(move, sync + compute) + sync + compute; with one slot, the sum of all."""
    rng = random.Random(71)
    for _ in range(60):
        n, slots = rng.randint(1, 12), rng.choice([1, 2, 3, 4])
        move, compute, sync = (round(rng.uniform(low, high), 2) for low, high in ((0.01, 3), (0, 3), (0, 1)))
        fragment = f"items={n}&slots={slots}&move_us={move}&compute_us={compute}&sync_us={sync}"
        values = figure(fragment).values()
        serial = n * (move + sync + compute)
        overlapped = move + (n - 1) * max(move, sync + compute) + sync + compute
        assert values["serial_us"] == pytest.approx(serial)
        assert values["total_us"] == pytest.approx(serial if slots == 1 else overlapped)


# --------------------------------------------------------------------------------- the prediction


def test_the_prediction_asks_for_a_preset_that_is_not_built_and_its_answer_is_5_16():
    asks = PipelineSlots.prediction
    assert asks.preset not in ("", PRESETS[0])
    made = figure(hidden=True)
    made.apply({"commit": "5.16"})
    assert made.verdict.kind == "right"
    assert "5.16" in card.predict(made)
    for wrong in ("4.32", "5.44", "1.29", "5.2"):
        assert lab.check(wrong, lab.Number(4 * 1.29, "µs", digits=2), Words()).kind == "not_yet"
        again = figure(hidden=True)
        again.apply({"commit": wrong})
        assert again.verdict.kind == "not_yet"


def test_until_then_its_state_tells_no_time():
    made = figure("preset=instant", hidden=True)
    assert made.veiled
    for text in ("5.16", "100 %", ">100<", "1.29 µs for"):
        assert text not in shown(made)
    assert {readout.value for readout in made.readouts()} == {"?"}
    assert says(made) == []
    assert all(cell == "?" for row in made.table().rows for cell in row[2:])
    numbers = [x for columns in made.columns().values() for column in columns.values() for x in column]
    assert not any(isinstance(x, float) and abs(x - 5.16) < 0.05 for x in numbers)
    assert "guess" in hardware.hardware(made)
    assert "5.16" not in hardware.hardware(made)
    assert made.columns()["ticks"]["x"][-1] < span_of(4 * (1.29 + 0.28)) == 7  # the axis is the built state's


@pytest.mark.parametrize("action", [{"commit": "5"}, {"skip": True}])
def test_a_guess_or_a_skip_shows_it_and_the_question_can_come_back(action):
    made = figure("preset=instant", hidden=True)
    before = made.columns()
    made.apply(action)
    assert "5.16" in shown(made)
    assert made.columns() != before
    made.apply({"ask": True})
    assert made.veiled
    assert made.columns() == before


def test_other_states_are_not_veiled():
    for name in PRESETS:
        made = figure(f"preset={name}", hidden=True)
        assert made.veiled == (name == "instant")
        assert ("?" in [readout.value for readout in made.readouts()]) == (name == "instant")


# ------------------------------------------------------------------------- words, rows and drawing


def test_the_readouts():
    total, one, saved, busy = figure().readouts()
    assert (total.label, total.value, total.unit) == ("Finished after", "5.44", "µs")
    assert total.sub == "one more slot saves nothing"
    assert (one.label, one.value, one.sub) == ("With one slot", "6.28", "nothing overlaps")
    assert (saved.label, saved.value, saved.unit, saved.sub) == ("Saved", "13", "%", "0.84 of 6.28 µs")
    assert (busy.label, busy.value, busy.unit, busy.sub) == ("Compute busy", "21", "%", "1.12 of 5.44 µs")
    assert figure("preset=one_slot").readouts()[0].sub == "one more slot saves 0.84 µs"


def test_the_summary():
    assert figure().summary() == (
        "4 items through 2 slots: moving one takes 1.29 µs, computing it 0.28 µs. All is done after 5.44 µs; with one"
        " slot it would be 6.28 µs, so 13 % is saved. Something is computed for 21 % of the time and moved for 95 %."
        " The mover never waits for a slot."
    )
    assert "The mover waits 3 times for a slot, 0.84 µs in all." in figure("preset=one_slot").summary()
    assert "by up to 50 % either way, by seed 1." in figure("preset=varying").summary()
    assert "synchronisation takes 0.20 µs" in figure("sync_us=0.2").summary()
    assert "1 item through 1 slot" in figure("items=1&slots=1").summary()


def test_the_table_has_a_row_an_item():
    rows = figure("preset=one_slot").table().rows
    assert [row[:2] for row in rows] == [("0", "0"), ("1", "0"), ("2", "0"), ("3", "0")]
    assert rows[1][2:] == ("1.57", "2.86", "2.86", "3.14", "0.28", "1.29")  # by hand: each waits for the other
    assert figure("sync_us=0.2").table().rows[0][2:] == ("0.00", "1.29", "1.49", "1.77", "0.00", "1.29")


def test_each_mark_says_itself():
    told = says(figure())
    assert "Compute 2 · waits for item 2 until 3.87 µs · slot 0 · ends at 4.15 µs" in told
    assert "Compute waits 1.01 µs for item 2 · 2.86 to 3.87 µs" in told
    assert "Slot 0 is filled with item 2 at 3.87 µs" in told
    assert "Slot 0 is free for item 2 at 1.57 µs" in told
    assert "Slot 0: item 2 is being moved in · 2.58 to 3.87 µs" in told
    one = says(figure("preset=one_slot"))
    assert "Move 1 · waits for slot 0 until 1.57 µs · ends at 2.86 µs" in one
    assert "The mover waits 0.28 µs for slot 0 · 1.29 to 1.57 µs" in one
    assert sum(say.startswith("Slot 0 is free") for say in one) == 3  # nothing follows item 3
    full = says(figure("move_us=0.5&compute_us=1"))
    assert "Slot 1: full, item 1 waits to be read · 1.00 to 1.50 µs" in full
    assert any(say.startswith("Synchronisation 0 · waits for item 0") for say in says(figure("sync_us=0.2")))
    assert "Compute 1 · starts at 2.00 µs · slot 1 · ends at 3.00 µs" in says(figure("preset=even"))


def test_marks_lie_in_the_drawing_in_reading_order():
    for name in PRESETS:
        drawn = figure(f"preset={name}").columns()
        marks = drawn["marks"]
        assert len(marks["say"]) == len(set(marks["say"])) > 0
        assert marks["y"] == sorted(marks["y"], reverse=True)
        assert all(0 <= x <= max(drawn["end"]["x"]) + 1e-9 for x in marks["x"])


@pytest.mark.parametrize("slots", [1, 2, 3, 4])
def test_slots_that_are_not_used_are_drawn_as_such(slots):
    drawn = figure(f"slots={slots}").columns()
    assert drawn["in_text"]["text"].count("not used") == len(drawn["blanks"]["left"]) == 4 - slots
    assert len(set(drawn["names"]["y"])) == 6  # the drawing has one shape


def test_what_one_slot_takes_is_marked_beside_the_end():
    ends = figure().columns()["end"]
    assert [round(x, 2) for x in sorted(ends["x"])] == [5.44, 6.28]
    assert "one slot" in texts(figure())
    alone = figure("preset=one_slot").columns()["end"]
    assert [round(x, 2) for x in alone["x"]] == [6.28]
    assert "one slot" not in texts(figure("preset=one_slot"))


def test_synchronisation_is_drawn_as_cost_and_only_where_it_takes_time():
    assert figure().columns()["clashes"]["role"] == []
    drawn = figure("sync_us=0.3").columns()
    assert drawn["clashes"]["role"] == ["cost"] * 4
    assert "sync" in drawn["by_wide"]["text"]


def test_all_that_is_shown_can_be_translated():
    for fragment in ("", "preset=one_slot", "preset=varying_three", "sync_us=0.3", "move_us=0.3&compute_us=1"):
        made = figure(fragment, words=Marked())
        said = [*says(made), made.summary(), *(readout.label for readout in made.readouts()), *made.table().head]
        assert all("«" in text for text in said)
        plain = [text for text in texts(made) if "«" not in text]
        assert not any(c.isalpha() for text in plain for c in text)


# --------------------------------------------------------------------------- state and bad input


def test_every_preset_is_a_state_of_its_own():
    states = [figure(f"preset={name}").state for name in PRESETS]
    assert states[:4] == ["", "slots=1", "slots=3", "compute_us=0.0"]
    assert len(set(states)) == len(states)
    for name in PRESETS:
        assert figure(f"preset={name}").pressed == name


def test_states_come_back_from_their_fragments():
    rng = random.Random(7)
    for _ in range(40):
        made = figure()
        made.apply({"set": {
            "items": rng.randint(1, 12), "move_us": rng.randint(1, 300) / 100, "compute_us": rng.randint(0, 300) / 100,
            "slots": rng.randint(1, 4), "sync_us": rng.randint(0, 100) / 100, "jitter": rng.randint(0, 90),
            "seed": rng.randint(0, 99),
        }})  # fmt: skip
        assert made.error == ""
        again = figure(made.state)
        assert again.current() == made.current()
        assert again.columns() == made.columns()


@pytest.mark.parametrize(
    ("fragment", "says"),
    [
        ("items=0", "Items: 0 is outside 1 to 12"),
        ("items=13", "Items: 13 is outside 1 to 12"),
        ("items=2.5", "Items: “2.5” is not a whole number"),
        ("move_us=0", "Move an item: 0 is outside 0.01 to 3"),
        ("move_us=-1", "Move an item: −1 is outside 0.01 to 3"),
        ("move_us=nan", "Move an item: “nan” is not a number"),
        ("compute_us=3.01", "Compute an item: 3.01 is outside 0 to 3"),
        ("slots=5", "Slots: “5” is not one of 1, 2, 3, 4"),
        ("sync_us=2", "Synchronise an item: 2 is outside 0 to 1"),
        ("jitter=100", "Times vary by ±: 100 is outside 0 to 90"),
        ("seed=-1", "Seed: −1 is outside 0 to 99"),
        ("stages=2", "“stages” is not a setting of this figure"),
    ],
)
def test_bad_input_is_refused_with_a_sentence(fragment, says):
    made = figure("slots=3")
    before = made.columns()
    with pytest.raises(ValueError, match=says.replace(".", r"\.").replace("(", r"\(")):
        made.restore(fragment)
    assert made.columns() == before


def test_the_seed_has_an_effect_only_where_times_vary():
    assert not figure().active("seed")
    assert figure("jitter=5").active("seed")
    assert figure("seed=3").values() == figure("seed=4").values()
    assert all(figure().active(control.param) for control in PipelineSlots.controls if control.param != "seed")


# ------------------------------------------------------------------------------ document, hardware


def test_sources_keep_their_columns_in_every_state():
    built = {name: set(columns) for name, columns in figure().columns().items()}
    states = [f"preset={name}" for name in PRESETS]
    states += ["items=1", "items=12&slots=4&jitter=90&sync_us=1", "move_us=0.01&compute_us=0", "move_us=3&compute_us=3"]
    for made in [*map(figure, states), figure("preset=instant", hidden=True)]:
        columns = made.columns()
        assert {name: set(data) for name, data in columns.items()} == built
        for data in columns.values():
            assert len({len(column) for column in data.values()}) == 1


def test_the_document_has_the_same_ids_each_time_and_what_the_page_looks_for():
    first, second = (list(figure().document(1000).models) for _ in range(2))
    assert sorted((m.id, type(m).__name__) for m in first) == sorted((m.id, type(m).__name__) for m in second)
    assert {"marks", "cursor"} <= {model.name for model in first}


def test_a_change_reaches_the_document():
    made = figure()
    document = made.document(1000)
    events = []
    document.on_change(events.append)
    made.apply({"set": {"slots": 1}})
    assert events
    pills = document.get_model_by_name("pills")
    assert pills.data["right"][-1] == pytest.approx(6)  # the last move ends 0.28 before all


# ------------------------------------------------------------------------------------- readings


@pytest.mark.parametrize(
    ("fragment", "model", "recorded", "apart"),
    [
        # 64 items: moves of 1.07577 µs and 0.20399 µs of computing, the nearest to 0.28 of 1.29
        ("", 64 * 1.07577 + 0.20399, 69.0069, "+0.1"),
        ("slots=1", 64 * (1.07577 + 0.20399), 75.0991, "+9.1"),
        # 1 of 1: 0.866389 of 1.07577 is 45 % of both, nearer to half than 1.51375, which is 58 %
        ("items=6&move_us=1&compute_us=1&slots=3", 64 * 1.07577 + 0.866389, 67.4656, "+3.3"),
        # 1.4 of 1: computing is the longer half and sets the pace
        ("move_us=1&compute_us=1.4", 1.07577 + 64 * 1.51375, 107.401, "−8.8"),
    ],
)
def test_the_recorded_pipeline_stands_beside_the_rule(fragment, model, recorded, apart):
    made = figure(fragment)
    both, values = made.comparison(), made.values()
    assert both.model == values["recorded_model_us"] == pytest.approx(model, abs=5e-4)
    assert both.recorded == values["recorded_us"] == recorded
    assert values["difference_percent"] == pytest.approx(100 * (model - recorded) / recorded, abs=1e-3)
    assert hardware.difference(made, both).startswith(f"{apart}<")
    assert (both.unit, both.device, both.exact) == ("µs", "NVIDIA H200", False)


def test_the_strip_says_what_was_recorded_and_what_the_model_was_given():
    both = figure().comparison()
    assert both.what == "64 items of 32 KiB on each SM, 2 slots; computing takes 0.19 times as long as moving"
    assert both.provenance == (
        "One NVIDIA H200, 2026-11-29, driver 580.159.04, CUDA 13.0: one block an SM moves with cp.async, median of 30;"
        " recorded again: 68.96 µs. Model: 1.08 µs to move an item (recorded alone, one slot), 0.20 µs to compute it"
        " (recorded alone). Of 5 amounts of arithmetic recorded, this one’s ratio is nearest to the state’s; all items"
        " are alike."
    )
    assert ", 1 slot;" in figure("slots=1").comparison().what


@pytest.mark.parametrize(
    ("fragment", "ratio"),
    [
        ("preset=instant", 0.19),
        ("preset=larger_tile", 0.19),
        ("preset=even", 0.81),
        ("sync_us=0.6", 0.81),  # 0.88 of 1.29: the computer pays the synchronisation, as the work recorded alone does
        ("move_us=1&compute_us=2.6", 2.61),
        ("move_us=0.01&compute_us=3", 5.03),  # the most that is recorded
    ],
)
def test_the_amount_of_arithmetic_follows_the_state(fragment, ratio):
    assert round(figure(fragment).values()["recorded_computes_per_move"], 2) == ratio


def test_the_model_is_the_one_that_the_box_worked_out_for_every_recorded_pipeline():
    told = {row["us"]: row["model_us"] for row in READING["rows"] if row["what"] == "both"}
    for slots in (1, 2, 3, 4):
        for us in (0.2, 0.87, 1.5, 2.8):
            values = figure(f"move_us=1.08&compute_us={us}&slots={slots}").values()
            assert values["recorded_model_us"] == pytest.approx(told.pop(values["recorded_us"]), rel=1e-5)
        values = figure(f"move_us=0.5&compute_us=2.5&slots={slots}").values()
        assert values["recorded_model_us"] == pytest.approx(told.pop(values["recorded_us"]), rel=1e-5)
    assert not told


def test_what_the_model_lacks_an_item_is_the_same_for_long_and_longest_arithmetic():
    """By hand: (107.401 − 97.96), (189.872 − 180.91) and (355.963 − 347.09) µs of 64 items."""
    lacks = [figure(f"move_us=1&compute_us={us}").values()["recorded_unmodelled_us"] for us in (1.4, 2.6)]
    lacks.append(figure("move_us=0.5&compute_us=2.5").values()["recorded_unmodelled_us"])
    assert [round(us, 2) for us in lacks] == [0.15, 0.14, 0.14]


def test_moves_alone_are_faster_through_a_third_slot():
    two, three = figure().values(), figure("slots=3").values()
    assert (two["recorded_move_us"], three["recorded_move_us"]) == (1.07605, 0.965188)


def test_a_changed_reading_changes_the_difference():
    changed = json.loads(json.dumps(READING))
    row = next(row for row in changed["rows"] if (row["what"], row["slots"], row["fmas"]) == ("both", 2, 0))
    row["us"] = figure().comparison().model
    made = figure(readings=(changed,))
    assert hardware.difference(made, made.comparison()) == "equal"
    assert made.values()["difference_percent"] == 0
    alone = next(row for row in changed["rows"] if (row["what"], row["slots"]) == ("move", 1))
    alone["item_us"] *= 1.1
    made = figure(readings=(changed,))
    assert 9 < made.values()["difference_percent"] < 11


def test_while_veiled_the_strip_tells_nothing():
    made = figure("preset=instant", hidden=True)
    both, strip = made.comparison(), hardware.hardware(made)
    for text in (both.what, both.provenance, "69.0", "68.9", "0.19", "1.08", "0.20", "+0.1"):
        assert text not in strip
    assert strip.count("?") == 3  # model, reading, difference
    made.apply({"skip": True})
    for text in ("69.05", "69.01", "68.96", "0.19"):
        assert text in hardware.hardware(made)


def test_in_chinese_the_strip_has_no_english_sentence():
    for slots in (1, 2):
        both = figure(f"slots={slots}", words=Words("zh")).comparison()
        assert f"{slots} 个槽" in both.what
        kept = both.what + both.provenance
        for name in ("NVIDIA H200", "CUDA", "SM", "KiB", "cp.async", "µs"):
            kept = kept.replace(name, "")
        assert not [c for c in kept if c.isascii() and c.isalpha()]
        assert "，" in kept
        assert ", " not in kept


def test_without_a_reading_the_figure_stands_too():
    lacking = READING | {"rows": [row for row in READING["rows"] if row["what"] != "both"]}
    for readings in ((), (lacking,)):
        made = figure(readings=readings)
        assert made.comparison() is None
        assert "recorded_us" not in made.values()
