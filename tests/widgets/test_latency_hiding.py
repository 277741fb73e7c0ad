"""Figure 3.5: worked rows of Little's law, the scheduler's cycles, what the prediction hides, refusals, readings."""

import copy
import json
import random
import re
from itertools import pairwise
from pathlib import Path

import pytest
from bokeh.document import Document

from sim.enough_warps import MAX_CYCLES
from sim.gpus import gpu, names
from widgets import card, hardware, latency_readings
from widgets.latency_hiding import LatencyHiding
from widgets.warp_ramps import END
from widgets.words import Words

ROOT = Path(__file__).parents[2]
READING = json.loads((ROOT / "chapters/recorded/h200/loads_in_flight.json").read_text("utf-8"))


def figure(fragment: str = "", readings=(READING,), hidden: bool = False, lang: str = "en") -> LatencyHiding:
    made = LatencyHiding(Words(lang), readings)
    if not hidden:
        made.apply({"skip": True})
    if fragment:
        made.restore(fragment)
    return made


def shown(made: LatencyHiding) -> str:
    """What a reader can meet of a state, but the question itself and the controls."""
    parts = {name: part for name, part in card.update(made).items() if name not in ("predict", "controls", "state")}
    drawn = made.columns()
    ramps = [text for text in drawn["labels"]["text"] + drawn["knee_names"]["text"]] + [
        s for s in drawn["marks"]["say"] if "on the SM" in s
    ]
    return str([parts, ramps])


# ----------------------------------------------------------------------------- Little's law, worked

# GPU, latency in ns of an idle memory; KiB in flight for the peak, KiB an SM, 128-byte lines an SM, warps of an SM
# if each lane has one 16-byte load on its way, and one 4-byte load: as calculated from published cycles and clocks.
ROWS = [
    ("v100", 315.9, 278, "3.5", 28, 7, 28),  # 436 cycles at 1.38 GHz
    ("a100", 404.3, 805, "7.5", 60, 15, 60),  # 570 at 1.41
    ("h100", 273, 893, "6.8", 54, 14, 55),  # 478.8 at 1.755
    ("h100", 373.8, 1223, "9.3", 74, 19, 75),  # 656 at 1.755, the miss path
    ("rtx4090", 214.9, 212, "1.7", 13, 4, 14),  # 541.5 at 2.52
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}-{row[1]}")
def test_worked_rows(row):
    key, ns, kib, kib_per_sm, lines, wide, narrow = row
    values = figure(f"gpu={key}&memory=own&memory_ns={ns}&bytes=16").values()
    assert round(values["kib_needed"]) == kib
    assert f"{values['kib_needed_per_sm']:.1f}" == kib_per_sm
    assert round(values["lines_needed_per_sm"]) == lines
    assert values["knee_warps"] == wide
    assert figure(f"gpu={key}&memory=own&memory_ns={ns}").values()["knee_warps"] == narrow


def test_64_warps_with_one_narrow_load_fall_short_and_two_or_a_wider_one_fix_it():
    path = "memory=own&memory_ns=373.8&warps=16"
    values = figure(path).values()
    assert (values["sm_warps"], values["bytes_in_flight_per_sm"], values["occupancy_percent"]) == (64, 8192, 100)
    assert values["bandwidth_percent"] < 100
    assert values["knee_warps"] > values["warp_slots"] == 64
    for fix in ("&loads=2", "&bytes=8"):
        assert figure(path + fix).values()["bandwidth_percent"] == 100


def test_dependent_multiply_adds_need_four_warps_a_scheduler_and_16_an_sm():
    values = figure("issue=1&latency=4&warps=4").values()
    assert (values["scheduler_knee"], values["scheduler_knee_sm"], values["busy_percent"]) == (4, 16, 100)
    assert [figure(f"issue=1&latency=4&warps={w}").values()["busy_percent"] for w in (1, 2, 3, 5)] == [25, 50, 75, 100]


PRESETS = [  # busy %, warps that keep a scheduler busy, GB/s, % of the peak, warps for the peak
    ("shared_load", "53.3", 15, "1,529", "45.7", 71),  # 8 · 2 of 2 − 1 + 29; 32 · 128 B · 132 / 353.5 ns
    ("one_warp", "6.7", 15, "191", "5.7", 71),
    ("all_warps", "100", 15, "3,059", "91.3", 71),
    ("multiply_adds", "100", 4, "765", "22.8", 71),
    ("wide_loads", "53.3", 15, "3,350", "100", 18),
    ("two_loads", "100", 15, "3,350", "100", 36),
    ("few_warps", "6.7", 15, "3,059", "91.3", 5),
    (
        "h200",
        "53.3",
        15,
        "1,538",
        "32",
        100,
    ),  # 32 · 128 B · 132 / 351.6 ns of 4,800; 4,800 · 351.6 / (132 · 128) = 99.9
]


@pytest.mark.parametrize(("preset", "busy", "enough", "rate", "share", "knee"), PRESETS)
def test_presets(preset, busy, enough, rate, share, knee):
    made = figure()
    made.apply({"preset": preset})
    assert (made.error, made.pressed) == ("", preset)
    first, second, third, fourth = made.readouts()
    peak = "4,800" if preset == "h200" else "3,350"
    assert (first.value, first.unit, first.role) == (busy, "%", "compute")
    assert (second.value, second.sub) == (str(enough), f"{4 * enough} on an SM")
    assert (third.value, third.unit, third.sub, third.role) == (rate, "GB/s", f"{share} % of {peak}", "move")
    assert (fourth.value, fourth.sub) == (str(knee), "on an SM of 64 slots")


def test_the_default_latency_is_that_of_the_table():
    values = figure().values()
    assert values["latency_ns"] == pytest.approx(700 / 1.98)
    needed = 3350 * 700 / 1.98 / 132
    assert values["bytes_needed_per_sm"] == pytest.approx(needed)
    assert values["knee_warps"] == -(-needed // 128)


def test_four_warps_can_do_what_64_do():
    few, many = figure("warps=1&bytes=16&loads=4").values(), figure("warps=16").values()
    assert few["bytes_in_flight"] == many["bytes_in_flight"] == 132 * 8192
    assert few["bandwidth_gb_per_s"] == many["bandwidth_gb_per_s"]
    assert (few["occupancy_percent"], many["occupancy_percent"]) == (6.25, 100)


def test_beyond_the_knee_more_warps_help_no_more():
    shares = [figure(f"bytes=16&warps={warps}").values()["bandwidth_percent"] for warps in range(1, 17)]
    assert [share < 100 for share in shares] == [True] * 4 + [False] * 12  # 4 · 4 < 18 ≤ 4 · 5
    assert all(a < b for a, b in pairwise(shares[:5]))


def test_there_are_no_other_presets_and_each_is_a_state_of_its_own():
    states = []
    for preset in LatencyHiding.presets:
        made = figure()
        made.apply({"preset": preset.name})
        states.append(made.state)
    assert len(set(states)) == len(states) == len(PRESETS)


# -------------------------------------------------------------------------------- the drawing


def random_state(rng: random.Random) -> str:
    key = rng.choice(names())
    warps = rng.randint(1, gpu(key).sm.warps // 4)
    return (
        f"gpu={key}&warps={warps}&issue={rng.randint(1, 4)}&latency={rng.randint(1, 56)}&loads={rng.randint(1, 8)}"
        f"&bytes={rng.choice([1, 2, 4, 8, 16])}&memory=own&memory_ns={rng.randint(500, 15000) / 10}"
    )


def area(columns) -> float:
    return sum(right - left for left, right in zip(columns["left"], columns["right"], strict=True))


def test_every_cycle_of_every_warp_is_drawn_once():
    rng = random.Random(35)
    for _ in range(60):
        made = figure(random_state(rng))
        trace, drawn = made.trace, made.columns()
        warps, cycles = made.warps, trace.timeline.cycles
        issued = trace.timeline.busy_cycles
        assert area(drawn["issues"]) == 2 * issued  # in the warps' rows, and in the scheduler's
        assert area(drawn["ahead"]) == 0
        queued = area(drawn["queues"])
        assert area(drawn["ready"]) == queued
        assert seen(drawn) == (warps * cycles - issued - queued) + (cycles - issued)
        assert len(drawn["waits"]["left"]) <= warps + 1  # many hatches take the browser long
        rows = trace.slots // 4
        assert area(drawn["rows"]) == (rows - warps) * MAX_CYCLES + (warps + 1) * (MAX_CYCLES - cycles)


def seen(drawn: dict[str, dict[str, list]]) -> int:
    """Cycles of the hatches that nothing is drawn over, counted one by one."""

    def cycles(name: str) -> set[tuple[int, float]]:
        columns = drawn[name]
        sides = zip(columns["left"], columns["right"], columns["bottom"], strict=True)
        return {(cycle, bottom) for left, right, bottom in sides for cycle in range(left, right)}

    return len(cycles("waits") - cycles("issues") - cycles("ready"))


def test_the_stepper_shows_the_cycles_up_to_its_own_and_frames_it():
    made = figure("cycle=5")
    drawn = made.columns()
    assert (drawn["now"]["left"], drawn["now"]["right"]) == ([4], [5])
    assert max(drawn["issues"]["right"]) == max(drawn["waits"]["right"]) == 5
    assert min(drawn["ahead"]["left"]) == 5
    assert area(drawn["issues"]) + area(drawn["ahead"]) == 2 * 32
    assert "issues in 5 of 5 cycles" in drawn["titles"]["text"]
    assert drawn["cycle_ticks"]["text"][-1] == "5"
    assert not figure().columns()["now"]["left"]
    assert "issues in 32 of 60 cycles" in figure().columns()["titles"]["text"]


def test_the_ramps_meet_the_peak_at_their_knees_and_the_points_lie_on_them():
    rng = random.Random(36)
    for _ in range(60):
        made = figure(random_state(rng))
        trace, drawn = made.trace, made.columns()
        low, _, high = sorted(drawn["levels"]["y0"])
        for role, ramp, share in (
            ("compute", trace.busy, trace.busy_share), ("move", trace.bandwidth, trace.memory.peak_share),
        ):  # fmt: skip
            lines = [
                line
                for name in ("ramps", "would")
                for *line, of in zip(*(drawn[name][c] for c in ("x0", "x1", "y0", "y1", "role")), strict=True)
                if of == role
            ]
            assert lines[0][0] == 0
            assert lines[0][2] == low
            assert lines[-1][1] == MAX_CYCLES
            assert all(a[1] == b[0] and a[3] == b[2] for a, b in pairwise(lines))
            at_peak = [x0 for x0, _, y0, _ in lines if y0 == high]
            if ramp.corner < END:
                assert min(at_peak) == pytest.approx(MAX_CYCLES * ramp.corner / END)
            else:
                assert not at_peak
            y = low + share * (high - low)
            assert any(point == pytest.approx(y) for point in drawn["points"]["y"])
        assert drawn["slots"]["x0"] == [MAX_CYCLES * trace.slots / END]


def test_marks_say_what_happens():
    says = figure().columns()["marks"]["say"]
    assert says[0] == "Cycle 1 · warp 0 issues"
    assert says[16] == "Cycle 17 · no warp is ready, nothing is issued"
    assert says[60] == "Warp 0 · cycles 1 to 2 · issues"
    assert says[61] == "Warp 0 · cycles 3 to 30 · waits for its result"
    assert "Warp 1 · cycles 1 to 2 · ready, but another warp issues" in says
    assert says[-1] == ("64 warps on the SM · schedulers 100 % busy · memory at 91.3 % of its peak, 3,059 GB/s")
    assert len([say for say in says if "on the SM" in say]) == 16


def test_labels_of_the_ramps_stay_apart():
    rng = random.Random(38)
    for _ in range(80):
        labels = figure(random_state(rng)).columns()["labels"]
        places = list(zip(labels["x"], labels["y"], strict=True))
        assert len(set(places)) == len(places)
        assert all(0 <= x <= MAX_CYCLES + 1 for x, _ in places)


def test_sources_keep_their_columns_in_every_state():
    made = figure(hidden=True)
    wanted = {name: set(columns) for name, columns in made.columns().items()}
    rng = random.Random(37)
    fragments = [random_state(rng) for _ in range(40)] + [f"preset={preset.name}" for preset in LatencyHiding.presets]
    for fragment in fragments:
        made.restore(fragment)
        assert {name: set(columns) for name, columns in made.columns().items()} == wanted
        for name, columns in made.columns().items():
            assert len({len(values) for values in columns.values()}) == 1, name


def test_the_document_is_the_same_twice_and_is_patched_not_rebuilt():
    def ids(document: Document) -> list[str]:
        return sorted(model.id for model in document.models)

    made, other = figure(), figure()
    document = made.document(1000)
    before = ids(document)
    assert before == ids(other.document(1000))
    changes = []
    document.on_change(changes.append)
    for fragment in ("warps=16", "gpu=rtx4090", "bytes=16", "cycle=3"):
        changes.clear()
        made.restore(fragment)
        assert changes
        assert ids(document) == before


def test_the_table_has_a_row_for_each_number_of_warps():
    rows = figure().table().rows
    assert len(rows) == 16
    assert rows[7] == ("8", "32", "53.3 %", "1,529 GB/s", "45.7 %")
    assert len(figure("gpu=rtx4090").table().rows) == 12


# --------------------------------------------------------------------------------- prediction


def test_the_prediction_is_answered_by_hand_and_hidden_until_then():
    made = figure("bytes=16", hidden=True)
    assert made.veiled
    # 3,350 GB/s · 353.5 ns / 132 = 8,972 B an SM; a warp has 32 · 16 = 512 of them in flight
    assert made.asked().values()["knee_warps"] == -(-8972 // 512) == 18
    secrets = (">18<", "18 warps", "3,350 GB/s", ">3,350<", "17.5", "8,972", "GB/s, ")
    for secret in secrets:
        assert secret not in shown(made), secret
    assert set(made.columns()["ramps"]["role"]) == {"compute"}
    assert {row[3] for row in made.table().rows} == {"?"}
    made.apply({"commit": "71"})
    assert made.verdict.kind != "right"
    missing = {secret for secret in secrets if secret not in shown(made)}
    assert missing == {"17.5"}
    assert set(made.columns()["ramps"]["role"]) == {"compute", "move"}
    made.apply({"ask": True})
    made.apply({"commit": "18"})
    assert made.verdict.kind == "right"


def test_the_question_tells_what_the_built_state_shows():
    made = figure(hidden=True)
    assert not made.veiled
    assert made.values()["knee_warps"] == 71
    assert made.values()["warp_slots"] == 64
    assert "71 warps" in made.prediction.question
    assert "slots for 64" in made.prediction.question


# ------------------------------------------------------------------------------------- states


def test_a_state_survives_its_address():
    rng = random.Random(7)
    for _ in range(60):
        made = figure(random_state(rng))
        made.apply({"set": {"cycle": rng.randint(1, made.steps)}})
        again = figure(made.state)
        assert again.current() == made.current()
        assert again.values() == made.values()


@pytest.mark.parametrize(
    ("fragment", "says"),
    [
        ("warps=17", "Warps a scheduler: 17 is outside 1 to 16"),
        ("latency=0", "Result after: 0 is outside 1 to 56"),
        ("issue=1.5", "Issued in a row: “1.5” is not a whole number"),
        ("bytes=3", "Bytes a load: “3” is not one of 1, 2, 4, 8, 16"),
        ("memory_ns=20", "My own latency: 20 is outside 50 to 1,500"),
        ("gpu=g80", "“g80” is not one of v100, t4"),
        ("gpu=l4", "no memory latency of the L4 could be sourced; set one of your own"),
        ("gpu=t4&warps=8", "no memory latency of the T4 could be sourced"),
        ("gpu=rtx4090&warps=13", "13 warps are too many: an SM of the RTX 4090 holds 48, 12 on each scheduler"),
        ("cycle=61", "step 61 is beyond the last, 60"),
        ("cycle=0", "Cycle: 0 is before the first step, 1"),
    ],
)
def test_refuses(fragment, says):
    made = figure("warps=3")
    before = made.current(), made.trace
    with pytest.raises(ValueError, match=re.escape(says)):
        made.restore(fragment)
    assert (made.current(), made.trace) == before


def test_a_gpu_without_a_latency_in_the_table_runs_with_ones_own():
    for key in ("t4", "rtx3090", "l4", "h200"):
        made = figure(f"gpu={key}&memory=own&memory_ns=400")
        assert made.values()["bytes_needed"] == pytest.approx(gpu(key)["bandwidth"].value * 400)
    assert figure("memory=own").active("memory_ns")
    assert not figure().active("memory_ns")


def test_the_gpus_on_offer_say_their_latency():
    offered = dict(next(control.options for control in LatencyHiding.controls if control.param == "gpu"))
    assert offered["h100"] == "H100 SXM5 · 354 ns"
    assert offered["l4"] == "L4"
    assert tuple(offered) == names()


# ----------------------------------------------------------------------------------- readings

H200_SMS, H200_PEAK = 132, 4800  # as the card reports, and as it is sold
CHAIN_NS = 351.576  # the reading's chain through 1 GiB


def test_the_chain_taken_is_the_longest_one():
    chains = {row["chain_bytes"]: row["ns"] for row in READING["rows"] if row["chain_bytes"]}
    assert max(chains) == 1 << 30
    assert chains[1 << 30] == CHAIN_NS


@pytest.mark.parametrize(
    ("fragment", "what", "in_flight", "recorded", "apart"),
    [
        ("", "4-byte loads, 1 a thread, 32 warps an SM, on the H200", 32 * 32 * 4, 1379.04, "+11.5"),
        ("warps=1&bytes=16&loads=4", "16-byte loads, 4 a thread, 4 warps an SM, on the H200", 8192, 1926.53, "+59.6"),
        ("bytes=16", "16-byte loads, 1 a thread, 32 warps an SM, on the H200", 32 * 32 * 16, 3732.09, "+28.6"),
    ],
)
def test_the_law_beside_the_reading(fragment, what, in_flight, recorded, apart):
    made = figure(fragment)
    both, values = made.comparison(), made.values()
    by_hand = min(H200_PEAK, H200_SMS * in_flight / CHAIN_NS)
    assert (both.what, both.recorded, both.unit, both.device, both.exact) == (what, recorded, "GB/s", "H200", False)
    assert both.model == pytest.approx(by_hand, rel=1e-12)
    assert hardware.difference(made, both) == f"{apart}<small>\N{NO-BREAK SPACE}%</small>"
    assert values["recorded_gb_per_s"] == recorded
    assert values["recorded_model_gb_per_s"] == pytest.approx(by_hand, rel=1e-12)
    assert values["difference_percent"] == pytest.approx(100 * (by_hand - recorded) / recorded, rel=1e-9)
    for part in ("NVIDIA H200, 2026-11-29, driver 580.159.04, CUDA 13.0", "median of 9", "351.6 ns", "4,800 GB/s"):
        assert part in both.provenance


def test_the_second_recording_is_told_with_the_first():
    assert "a second recording: 1,382 GB/s" in figure().comparison().provenance
    again = next(row for row in READING["again"] if shape(row) == (4, 1, 32))
    assert f"{again['gb_per_s']:,.0f}" == "1,382"


def test_the_reading_is_of_an_h200_whatever_the_figure_shows():
    other = figure("gpu=rtx4090&memory=own&memory_ns=900")
    assert other.values()["bandwidth_gb_per_s"] != figure().values()["bandwidth_gb_per_s"]
    assert other.comparison() == figure().comparison()
    assert "on the H200" in hardware.hardware(other)


def test_every_preset_has_a_reading_below_the_law():
    for preset in LatencyHiding.presets:
        made = figure()
        made.apply({"preset": preset.name})
        assert made.values()["difference_percent"] > 0


def shape(row) -> tuple[int, int, int]:
    return row["width_bytes"], row["loads"], row["warps_per_sm"]


def test_one_changed_reading_is_seen_in_its_state_alone():
    changed = copy.deepcopy(READING)
    row = next(row for row in changed["rows"] if shape(row) == (4, 1, 32))
    row["gb_per_s"] = figure().comparison().model
    assert hardware.difference(figure(), figure(readings=(changed,)).comparison()) == "equal"
    assert figure(readings=(changed,)).values()["difference_percent"] == 0
    row["gb_per_s"] *= 2
    assert figure(readings=(changed,)).values()["difference_percent"] == pytest.approx(-50)
    assert figure("warps=16", readings=(changed,)).comparison() == figure("warps=16").comparison()


def test_another_latency_in_the_chain_moves_the_model():
    changed = copy.deepcopy(READING)
    next(row for row in changed["rows"] if row["chain_bytes"] == 1 << 30)["ns"] *= 2
    assert figure(readings=(changed,)).comparison().model == pytest.approx(figure().comparison().model / 2)


@pytest.mark.parametrize("fragment", ["warps=3", "loads=3", "bytes=8"])
def test_loads_that_were_not_recorded_say_which_were(fragment):
    made = figure(fragment)
    strip = hardware.hardware(made)
    assert "no reading yet" in strip
    assert "Bytes a load: 4, 16; loads a thread: 1, 2, 4, 8, 16; warps an SM: 1, 2, 4, 8, 16, 32, 48, 64." in strip
    assert not {"recorded_gb_per_s", "recorded_model_gb_per_s", "difference_percent"} & set(made.values())


def test_a_row_without_a_time_says_why():
    made = figure("warps=16&bytes=16&loads=8")
    assert made.comparison().recorded is None
    assert "not run so on the H200: its registers do not fit an SM so many times." in hardware.hardware(made)
    assert "recorded_gb_per_s" not in made.values()
    assert {row["why"] for row in READING["rows"] if row.get("why")} == {latency_readings.REFUSED}


@pytest.mark.parametrize("fragment", ["", "warps=3", "warps=16&bytes=16&loads=8", "bytes=16"])
def test_chinese_has_no_english_sentence(fragment):
    both = figure(fragment, lang="zh").comparison()
    assert both.provenance != figure(fragment).comparison().provenance
    for text in (both.what, both.provenance):
        kept = set(re.findall("[A-Za-z]{2,}", text))
        assert kept <= {"NVIDIA", "CUDA", "GB", "MiB", "SM", "warp", "ns", "kernel"}
        assert re.search("[\u4e00-\u9fff]", text)


def test_the_strip_keeps_the_reading_until_the_guess():
    made = figure("bytes=16", hidden=True)
    assert made.veiled
    strip = hardware.hardware(made)
    for secret in ("3,732", "4,800", "28.6", "351.6", "16-byte"):
        assert secret not in strip
        assert secret not in str(card.update(made)["hw"])
    made.apply({"commit": "18"})
    assert "3,732" in hardware.hardware(made)


def test_without_a_reading_the_figure_stands_too():
    made = figure(readings=())
    strip = hardware.hardware(made)
    assert "no reading yet" in strip
    assert "Not measured for this book yet." in strip
    assert "1,529" in strip
    assert "recorded_gb_per_s" not in made.values()


# ----------------------------------------------------------------------------------- diamonds


def test_on_the_recorded_gpu_every_reading_of_such_loads_is_a_hollow_diamond():
    made = figure("gpu=h200&bytes=16&loads=4")
    rows = [row for row in READING["rows"] if (row["width_bytes"], row["loads"]) == (16, 4) and row["us"]]
    drawn, ends = made.columns()["recorded"], figure("gpu=h200").columns()["levels"]["y0"]
    zero, full = min(ends), max(ends)
    assert [round(y, 6) for y in drawn["y"]] == [
        round(zero + row["gb_per_s"] / H200_PEAK * (full - zero), 6) for row in rows
    ]
    assert drawn["x"] == [60 * row["warps_per_sm"] / 80 for row in rows]
    for low, y, high, row in zip(drawn["low"], drawn["y"], drawn["high"], rows, strict=True):
        assert low <= y <= high
        assert (y - zero) / (low - zero) == pytest.approx(row["us_p80"] / row["us"])
    assert not made.columns()["live"]["x"]
    assert made.columns()["read_names"]["text"] == ["◇ recorded"]
    said = [say for say in made.columns()["marks"]["say"] if say.startswith("recorded")]
    assert len(said) == len(rows) == 8
    assert "recorded · 64 warps on the SM · 4,465 GB/s, 93 % of the peak" in said
    assert "Bandwidth, recorded" in made.table().head
    assert made.summary().endswith("Diamonds beside the memory’s line are readings: recorded.")
    assert made.table().rows[-1][-1] == "4,465 GB/s"


def test_on_another_gpu_there_are_none():
    made = figure("bytes=16&loads=4")
    assert not made.columns()["recorded"]["x"]
    assert made.columns()["read_names"]["text"] == []
    assert len(made.table().head) == 5


def test_a_live_run_is_drawn_in_full_diamonds_beside_them():
    made = figure("gpu=h200")
    sent = copy.deepcopy(READING) | {"figure": "latency_hiding"}
    row = next(r for r in sent["rows"] if (r["width_bytes"], r["loads"], r["warps_per_sm"]) == (4, 1, 64))
    row["gb_per_s"] = 4800.0  # at the peak: a diamond on the upper line
    made.apply({"live": sent})
    full, hollow = made.columns()["live"], made.columns()["recorded"]
    assert full["x"] == hollow["x"]
    assert full["y"][:-1] == hollow["y"][:-1]
    assert full["y"][-1] == max(made.columns()["levels"]["y0"])
    assert made.columns()["read_names"]["text"] == ["◇ recorded, ◆ live"]
    assert made.table().head[-2:] == ("Bandwidth, recorded", "Bandwidth, live")
    assert made.table().rows[-1][-1] == "4,800 GB/s"
