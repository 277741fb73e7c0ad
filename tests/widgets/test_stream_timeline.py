"""Figure 8.3: every number of its specification, races, the reader's programs, what the prediction hides, readings."""

import copy
import doctest
import json
import random
import re
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

import pytest
from bokeh.document import Document

from sim.streams import double_buffer, parse, simulate, to_text
from widgets import card, hardware, stream_words, timeline_chart, timeline_columns
from widgets.stream_timeline import StreamTimeline
from widgets.words import Words

ROOT = Path(__file__).parents[2]
READING = json.loads((ROOT / "chapters/recorded/h200/stream_timeline.json").read_text("utf-8")) | {
    "recording": "stream_timeline"
}


class Marked(Words):
    """Words that show which text went through them."""

    def __call__(self, message, /, **values):
        return "«" + super().__call__(message, **values) + "»"


def figure(fragment: str = "", readings=(READING,), hidden: bool = False, words=None) -> StreamTimeline:
    made = StreamTimeline(words or Words(), readings)
    if not hidden:
        made.apply({"skip": True})
    if fragment:
        made.restore(fragment)
    return made


def own(*lines: str) -> str:
    return "mode=own&program=" + quote("\n".join(lines))


def says(made: StreamTimeline) -> list[str]:
    return made.columns()["marks"]["say"]


def shown(made: StreamTimeline) -> str:
    """What a reader can meet of a state, but the question itself and the controls."""
    parts = {name: part for name, part in card.update(made).items() if name not in ("predict", "controls", "state")}
    texts = [list(columns.get("text", ())) + list(columns.get("short", ())) for columns in made.columns().values()]
    return str([parts, says(made), texts])


# --------------------------------------------------------------------- the numbers of figures.md


def test_two_slots_take_265_and_one_after_the_other_385():
    values = figure().values()
    assert values["total_us"] == 5 + 40 + 4 * 55 == 265
    assert values["serial_us"] == 5 + 4 * (40 + 55) == 385
    assert values["saved_us"] == 385 - 265
    assert (values["copy_waits_us"], values["copy_waits"]) == (2 * 15, 2)
    assert values["host_done_us"] == 8 * 5  # four copies, four kernels, 5 µs each
    assert (values["races"], values["overlaps"], values["third_slot_saves"]) == (0, 0, 0)
    assert (values["copy_2_ready_us"], values["copy_2_start_us"]) == (85, 100)
    assert values["kernel_0_end_us"] == values["copy_2_start_us"]  # batch 2 waits for "free" of batch 0


def test_the_readouts_tell_them():
    total, serial, waits, saves = figure().readouts()
    assert (total.label, total.value, total.unit, total.sub) == ("Finished after", "265", "µs", "4 batches")
    assert (serial.label, serial.value, serial.sub) == ("One after the other", "385", "in one stream")
    assert (waits.label, waits.value, waits.sub) == ("Copy stream waits", "30", "2 × 15, for “free”")
    assert (saves.label, saves.value, saves.secret) == ("A third slot saves", "0", True)


@pytest.mark.parametrize(
    ("preset", "total", "waits", "sub"),
    [
        ("one_slot", 385, 3 * 55, "3 × 55, for “free”"),
        ("three_slots", 265, 0, "nothing holds it back"),
        ("copy_longer", 5 + 4 * 60 + 40, 0, "nothing holds it back"),
        ("forget_free", 265, 0, "nothing holds it back"),
        ("early_wait", 10 + 4 * 55, 0, "nothing holds it back"),  # kernel 0 does not wait for its copy
    ],
)
def test_presets(preset, total, waits, sub):
    made = figure(f"preset={preset}")
    assert made.pressed == preset
    assert made.values()["total_us"] == total
    assert made.values()["copy_waits_us"] == waits
    assert made.readouts()[2].sub == sub


def test_every_preset_is_a_state_of_its_own():
    states = [figure(f"preset={preset.name}").state for preset in StreamTimeline.presets]
    assert states[:5] == ["", "slots=1", "slots=3", "copy_us=60&kernel_us=40", "leave_out=free"]
    assert len(set(states)) == len(states)


def test_times_follow_the_rules_of_a_pipeline():
    """With two slots or more: copies or kernels back to back, the other once; with one slot nothing overlaps."""
    rng = random.Random(83)
    for _ in range(60):
        n, c, k = rng.randint(1, 8), rng.randint(10, 100), rng.randint(10, 100)
        values = figure(f"batches={n}&copy_us={c}&kernel_us={k}&slots={rng.choice([2, 3])}").values()
        assert values["total_us"] == 5 + c + (n - 1) * max(c, k) + k
        assert values["serial_us"] == 5 + n * (c + k)
        assert values["third_slot_saves"] == 0
        one = figure(f"batches={n}&copy_us={c}&kernel_us={k}&slots=1").values()
        assert one["total_us"] == one["serial_us"] == values["serial_us"]


# --------------------------------------------------------------------------------------- races


def test_without_free_the_time_stays_and_two_copies_overwrite_what_is_read():
    made = figure("leave_out=free")
    assert made.values()["total_us"] == figure().values()["total_us"]
    clashes = made.columns()["clashes"]
    assert list(zip(clashes["left"], clashes["right"], strict=True)) == [(85, 100), (125, 155)]
    assert set(clashes["role"]) == {"cost"}
    words = ["copy 2 writes while kernel 0 reads", "copy 3 writes while kernel 1 reads"]
    by = made.columns()["by_wide"]
    assert [text for text, role in zip(by["text"], by["role"], strict=True) if role == "cost"] == words
    races = made.readouts()[3]
    assert (races.label, races.value, races.sub, races.role) == ("Races", "2", "2 at the same time", "cost")
    for word, span in zip(words, ("85 to 100", "125 to 155"), strict=True):
        slot = int(word[5]) % 2
        assert f"Race in slot {slot}: {word} · {span} µs" in says(made)
        assert f"Race in slot {slot}: {word} · {span} µs." in made.summary()


def test_without_filled_every_pair_that_nothing_orders_is_named():
    made = figure("leave_out=filled")
    # Copies in slot s: s and s + 2, kernels likewise. Only "kernel s, then copy s + 2" is still ordered.
    assert made.values()["races"] == 2 * (2 * 2 - 1)
    assert made.values()["overlaps"] == 3
    assert "Race in slot 0: nothing orders copy 0 and kernel 2; here they do not meet" in says(made)
    assert len(made.columns()["clashes"]["left"]) == 3


def test_a_wait_before_the_record_waits_for_the_record_before():
    made = figure("preset=early_wait")
    assert "Wait for filled 0 · nothing has recorded it yet: no wait" in says(made)
    assert "copy 0 writes while kernel 0 reads" in made.summary()
    arrows = made.columns()["arrows"]
    solid = [x for x, dash in zip(arrows["x"], arrows["dash"], strict=True) if dash == "solid"]
    assert solid == [45, 85]  # kernels 2 and 3 wait for the records of copies 0 and 1


def test_two_writes_at_once_are_a_race_too():
    lines = ("enqueue a x 40 writes slot 0", "enqueue b y 40 writes slot 0")
    made = figure(own(*lines))
    assert "Race in slot 0: x and y both write · 10 to 45 µs" in says(made)


# ------------------------------------------------------------------------------------- drawing


def test_a_mark_says_what_holds_a_copy_back():
    marks = says(figure())
    assert "Copy 2 · ready at 85 µs · waits for free 0 until 100 µs · slot 0 · ends at 140 µs" in marks
    assert "Copy stream waits 15 µs for free 0 · 85 to 100 µs" in marks
    assert "Event free 0 · comes at 100 µs · copy stream passes its wait at 100 µs" in marks
    assert "Slot 0: full, by copy 2, not read yet · 140 to 155 µs" in marks
    assert marks[0] == "The host submits copy 0 · 0 to 5 µs"
    assert "The host waits for all streams · 40 to 265 µs" in marks


def test_bars_and_arrows_lie_where_the_trace_has_them():
    rng = random.Random(8)
    for _ in range(40):
        made = figure(random_state(rng))
        line, columns = made.trace.line, made.columns()
        for source, kind in (("pills", "move"), ("squares", "compute")):
            drawn = sorted(zip(columns[source]["left"], columns[source]["right"], strict=True))
            assert drawn == sorted((w.start_us, w.end_us) for w in line.works if w.kind == kind)
        held = {(w.ready_us, w.start_us) for w in line.works if w.waited_for}
        assert held <= set(zip(columns["holds"]["left"], columns["holds"]["right"], strict=True))
        waits = [wait for wait in line.waits if wait.record is not None]
        assert len(columns["arrows"]["x"]) == len({(wait.record, wait.stream) for wait in waits})
        assert columns["end"]["x"] == [line.total_us]
        assert columns["end"]["text"] == [f"{line.total_us:g} µs"]


def test_events_after_kernels_are_dashed_and_point_up():
    arrows = figure().columns()["arrows"]
    told = list(zip(arrows["x"], arrows["dash"], arrows["marker"], strict=True))
    assert {mark for mark in told if mark[1] == "dashed"} == {(100, "dashed", "triangle"), (155, "dashed", "triangle")}
    assert {x for x, dash, marker in told if (dash, marker) == ("solid", "inverted_triangle")} == {45, 85, 140, 195}


def test_waits_are_labelled():
    by = figure().columns()["by_wide"]
    waits = sorted(zip(by["x"], by["text"], strict=True))
    assert [(x, text) for x, text in waits if text.startswith("waits")] == [
        (27.5, "waits 35"),
        (92.5, "waits 15"),
        (147.5, "waits 15"),
        (152.5, "waits for all streams"),
    ]


def test_marks_stay_in_the_frame_and_the_shape_stays():
    rng = random.Random(5)
    sizes = set()
    for _ in range(10):
        made = figure(random_state(rng))
        document = made.document(1000)
        plot = document.roots[0]
        sizes.add((plot.y_range.start, plot.y_range.end))
        marks = made.columns()["marks"]
        assert all(plot.x_range.start <= x <= plot.x_range.end for x in marks["x"])
        assert all(plot.y_range.start < y < plot.y_range.end for y in marks["y"])
        assert len(marks["say"]) == len(marks["x"])
    assert len(sizes) == 1


def test_labels_beside_bars_do_not_touch():
    rng = random.Random(11)
    seen = 0
    for _ in range(60):
        made = figure(random_state(rng))
        by = made.columns()["by_wide"]
        px = timeline_columns._WIDE_PX / made._drawn().chart().span
        lines: dict[float, list[tuple[float, float]]] = {}
        for x, y, dx, align, text in zip(by["x"], by["y"], by["dx"], by["align"], by["text"], strict=True):
            width = timeline_columns.width_px(text)
            left = x * px + dx - {"left": 0, "center": width / 2, "right": width}[align]
            lines.setdefault(y, []).append((left, left + width))
        for spans in lines.values():
            spans.sort()
            seen += len(spans)
            assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert seen > 200


def test_examples_of_the_docstrings_hold():
    for module in (timeline_chart, stream_words):
        result = doctest.testmod(module)
        assert result.attempted
        assert not result.failed


def test_sources_keep_their_columns_in_every_state():
    made = figure(hidden=True)
    wanted = {name: set(columns) for name, columns in made.columns().items()}
    for preset in StreamTimeline.presets:
        made.apply({"preset": preset.name})
        assert {name: set(columns) for name, columns in made.columns().items()} == wanted
        for name, columns in made.columns().items():
            assert len({len(values) for values in columns.values()}) == 1, name


def test_the_document_is_the_same_twice_and_is_patched_not_rebuilt():
    def ids(document: Document) -> list[str]:
        return sorted(model.id for model in document.models)

    made, other = figure(), figure("slots=1")
    document = made.document(1000)
    before = ids(document)
    assert before == ids(other.document(1000))
    changes = []
    document.on_change(changes.append)
    for fragment in ("slots=1", "leave_out=free", "preset=early_wait", "batches=8", own("enqueue a b 3")):
        changes.clear()
        made.restore(fragment)
        assert changes
        assert ids(document) == before


# --------------------------------------------------------------------------------- prediction


def test_the_prediction_is_answered_by_hand_and_hidden_until_then():
    made = figure("slots=3", hidden=True)
    assert made.veiled
    assert made.asked().values()["third_slot_saves"] == 265 - (5 + 40 + 4 * 55)
    # When the last kernel ends, when any kernel or the last read begins, and the reading.
    secrets = ("265", "210", "155", "Kernel 3", "being read", "waits for all streams", "1.323")
    for secret in secrets:
        assert secret not in shown(made).replace("('Kernel 3'", "").replace(">Kernel 3<", ""), secret
    assert not made.columns()["squares"]["left"]
    assert made.columns()["end"]["text"] == []
    assert [readout.secret for readout in made.readouts()] == [True, False, True, True]
    assert [row[4:] for row in made.table().rows if row[0].startswith("Kernel")] == [("?",) * 4] * 4
    made.apply({"commit": "0"})
    assert made.verdict is not None
    assert made.verdict.kind == "right"
    for secret in secrets:
        assert secret in shown(made), secret
    made.apply({"ask": True})
    assert "265" not in shown(made)


def test_a_wrong_guess_is_answered():
    made = figure("slots=3", hidden=True)
    made.apply({"commit": "30"})
    assert made.verdict is not None
    assert made.verdict.kind == "not_yet"
    assert "0 µs sooner" in card.predict(made)


def test_the_prediction_is_not_about_the_built_state():
    made = figure(hidden=True)
    assert not made.veiled
    assert made.columns()["end"]["text"] == ["265 µs"]
    assert "?" in card.readouts(made)  # but what a third slot saves


# ------------------------------------------------------------------------------------- states


def random_state(rng: random.Random) -> str:
    if rng.random() < 0.3:
        left_out = rng.choice(["free", "filled", None])
        steps = list(
            double_buffer(rng.randint(1, 5), rng.randint(0, 90), rng.randint(1, 90), rng.randint(1, 4), left_out)
        )
        rng.shuffle(steps)
        return own(*to_text(steps).splitlines())
    times = f"copy_us={rng.randint(5, 100)}&kernel_us={rng.randint(5, 100)}&batches={rng.randint(1, 8)}"
    return f"{times}&slots={rng.randint(1, 3)}&leave_out={rng.choice(['nothing', 'free', 'filled'])}"


def test_a_state_survives_its_address():
    rng = random.Random(7)
    for _ in range(60):
        made = figure(random_state(rng))
        again = figure(made.state)
        assert again.current() == made.current()
        assert again.values() == made.values()
        assert again.summary() == made.summary()
        assert len(again.table().rows) == len(made.trace.line.works)


@pytest.mark.parametrize(
    ("fragment", "refusal"),
    [
        ("copy_us=4", "Copy a batch: 4 is outside 5 to 100"),
        ("kernel_us=101", "Kernel a batch: 101 is outside 5 to 100"),
        ("kernel_us=5.5", "Kernel a batch: “5.5” is not a whole number"),
        ("batches=9", "Batches: 9 is outside 1 to 8"),
        ("slots=4", "Slots: “4” is not one of 1, 2, 3"),
        ("leave_out=both", "Leave out: “both” is not one of nothing, free, filled"),
        ("streams=2", "“streams” is not a setting of this figure"),
        (own("enqueue copy c 40", "wiat copy e"), "line 2: there is no step 'wiat'; use enqueue, record, wait or sync"),
        (own("record copy e"), "the program enqueues no work; add a line such as: enqueue compute kernel 40"),
        (own(""), "the program has 0 steps; give it 1 to 400"),
        (own(*(f"enqueue s{n} k 1" for n in range(5))), "5 streams; the drawing has room for 4"),
        (own(*(f"enqueue s k 1 reads slot {n}" for n in range(5))), "5 slots; the drawing has room for 4"),
        (own("#" * 4001), "Your program: 4,001 characters are more than 4,000"),
    ],
)  # fmt: skip
def test_refuses(fragment, refusal):
    made = figure("slots=1")
    before = made.current(), made.trace
    with pytest.raises(ValueError, match=re.escape(refusal)):
        made.restore(fragment)
    assert (made.current(), made.trace) == before


@pytest.mark.parametrize(
    "text",
    ["launch copy 1", "enqueue copy", "enqueue copy c 40us", "enqueue copy c -1", "enqueue copy c 40 writes slot x",
     "enqueue copy c 40 reads slot 16", "record copy", "wait copy", "sync copy", 'enqueue copy "c 40', 'record "" e',
     f"record s {'e' * 41}", f'enqueue s "{"n" * 41}" 1', "sync stream x", "sync stream x\nrecord a e",
     "\n".join(["wiat"] * 11), "\n".join(f"record s{n} e" for n in range(9)), "\n".join(["record a e"] * 401)],
)  # fmt: skip
def test_every_refusal_of_a_program_is_known_in_words(text):
    with pytest.raises(ValueError, match=r"\w") as refused:
        simulate(parse(text))
    worded = stream_words.refusal(str(refused.value), Marked())
    assert stream_words.refusal(str(refused.value), Words()).split(" · ")[0] == str(refused.value).splitlines()[
        0
    ].replace("1e+06", "1,000,000")
    for sentence in worded.split(" · "):
        assert sentence.startswith("«")
        assert sentence.count("«") >= (2 if "line" in sentence else 1)


def test_a_refusal_is_one_sentence_a_line():
    two = stream_words.refusal("line 1: slot 16; it must be from 0 to 15\nline 2: there is no step 'x'; use a", Words())
    assert (
        two
        == "line 1: slot 16; it must be from 0 to 15 · line 2: there is no step 'x'; use enqueue, record, wait or sync"
    )


def test_what_the_simulator_says_anew_is_passed_on():
    assert stream_words.refusal("the moon is full", Words()) == "the moon is full"


def test_the_settings_or_the_program_are_offered():
    def offered(fragment: str) -> set[str]:
        made = figure(fragment)
        return {control.param for control in made.controls if made.active(control.param)}

    assert offered("") == {"copy_us", "kernel_us", "batches", "slots", "leave_out", "mode"}
    assert offered("mode=own") == {"mode", "program"}


def test_the_program_offered_is_the_built_one():
    made = figure("mode=own")
    assert made.trace.line == figure().trace.line
    assert made.program.splitlines()[1] == 'enqueue copy "copy 0" 40 writes slot 0'


def test_a_program_of_its_own_has_rows_for_its_streams_and_slots():
    lines = (
        "enqueue load in 30 writes slot 7", "record load there", "wait math there", "enqueue math sum 20 reads slot 7",
        "record math done", "sync event done", "enqueue load again 30 writes slot 7", "sync",
    )  # fmt: skip
    made = figure(own(*lines))
    assert made.columns()["names"]["text"] == ["host", "load", "math", "slot 0", "slot 1", "slot 7"]
    assert "The host waits for done · 10 to 55 µs" in says(made)
    assert "Again · ready at 60 µs · slot 7 · ends at 90 µs" in says(made)
    assert made.values()["races"] == 0
    assert made.values()["serial_us"] == 5 + 30 + 20 + 30
    assert [readout.label for readout in made.readouts()][2:] == ["Load stream waits", "Races"]
    assert made.readouts()[3].sub == "every use has its turn"


def test_long_names_are_cut_not_spread():
    made = figure(own(f"enqueue {'s' * 40} k 5"))
    plot = made.document(1000).roots[0]
    cut = next(name for name in plot.yaxis[0].major_label_overrides.values() if name.endswith("…"))
    assert 8 <= len(cut) < 20


# ----------------------------------------------------------------------------------- readings


def test_the_recorded_run_in_pieces_is_within_a_percent():
    both = figure().comparison()
    rows = {row["pieces"]: row for row in READING["rows"]}
    by_hand = rows[4]["h2d_ms"] + rows[1]["kernel_ms"] / 4  # copies back to back, then the last kernel
    assert both.model == pytest.approx(by_hand, rel=1e-12)
    assert f"{both.model:.3f}" == "1.311"
    assert f"{both.recorded:.3f}" == "1.323"
    assert hardware.difference(figure(), both) == "−0.9<small>\N{NO-BREAK SPACE}%</small>"
    assert figure().values()["difference_percent"] == pytest.approx(-0.879, abs=5e-4)
    assert (both.unit, both.device, both.exact) == ("ms", "NVIDIA H200", False)
    for part in ("2026-11-29", "medians of 20", "4 copies of 0.310 ms and 4 times 0.071 ms"):
        assert part in both.provenance


def test_the_comparison_is_the_same_beside_every_state():
    assert figure("preset=forget_free").comparison() == figure().comparison()


def test_a_changed_reading_is_seen():
    changed = copy.deepcopy(READING)
    row = next(row for row in changed["rows"] if row["pieces"] == 4)
    row["overlap_ms"] = figure().comparison().model
    assert hardware.difference(figure(), figure(readings=(changed,)).comparison()) == "equal"
    row["overlap_ms"] += 1
    assert hardware.difference(figure(), figure(readings=(changed,)).comparison()) != "equal"


def test_without_a_reading_the_figure_stands_too():
    lacking = copy.deepcopy(READING)
    next(row for row in lacking["rows"] if row["pieces"] == 4)["overlap_ms"] = None
    for readings in ((), (lacking,)):
        made = figure(readings=readings)
        assert made.comparison() is None
        assert "recorded_ms" not in made.values()
        assert made.values()["total_us"] == 265
