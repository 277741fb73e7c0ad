"""Figure 3.3: every number of its specification, what the prediction hides, refusals, the drawing."""

import doctest
import random
import re
from itertools import pairwise

import pytest

import widgets.scheduler_curve
from sim.block_moments import running
from widgets import card, scheduler_curve, scheduler_places
from widgets.block_scheduler import MOMENTS, BlockScheduler
from widgets.timeline_columns import width_px
from widgets.words import Words


def figure(fragment: str = "", lang: str = "en", hidden: bool = False) -> BlockScheduler:
    made = BlockScheduler(Words(lang))
    if not hidden:
        made.apply({"skip": True})
    if fragment:
        made.restore(fragment)
    return made


# --------------------------------------------------------------------- the numbers of figures.md


def test_265_equal_blocks_on_132_sms_of_two():
    made = figure()
    told = made.values()
    assert (told["slots"], told["waves"], told["last_wave"]) == (264, 2, 1)
    assert (told["running"], told["waiting"], told["ended"]) == (1, 0, 264)  # in the second wave
    assert told["busy_percent"] == pytest.approx(100 * 265 / (2 * 264), rel=1e-12)
    time, waves, busy, tail = made.readouts()
    assert (time.value, time.unit, time.sub) == ("20", "µs", "at least 10.04")  # 2650 / 264
    assert (waves.value, waves.sub) == ("2", "last: 1 of 264 places")
    assert (busy.value, busy.unit, busy.sub, busy.role) == ("50.2", "%", "of 264 places × 20 µs", "compute")
    assert (tail.value, tail.sub) == ("10", "begins at 10 µs")


@pytest.mark.parametrize(
    ("fragment", "waves", "us", "percent"),
    [
        ("preset=one_more", 2, 20, 100 * 265 / 528),
        ("preset=exact", 1, 10, 100),
        ("preset=two_waves", 2, 20, 100),
        ("preset=finer", 11, 11, 100 * 2650 / (11 * 264)),
        ("preset=few", 1, 10, 25),
        ("preset=long_first", 2, 20, 100),  # each slot gets a long one and a short one that make 20
        ("per_sm=3", 1, 10, 100 * 265 / 396),
        ("sms=108", 2, 20, 100 * 265 / 432),
        ("sms=1&per_sm=1&blocks=7&block_us=3", 7, 21, 100),
    ],
)
def test_waves_time_and_busy_share(fragment, waves, us, percent):
    told = figure(fragment).values()
    assert told["waves"] == waves
    assert told["total_us"] == pytest.approx(us, rel=1e-12)
    assert told["busy_percent"] == pytest.approx(percent, rel=1e-12)


def test_long_blocks_at_the_end_make_a_tail_that_they_do_not_make_at_the_start():
    last, first, drawn = (figure(f"preset={name}") for name in ("long_last", "long_first", "random"))
    assert last.values()["work_us"] == pytest.approx(first.values()["work_us"])  # the same blocks
    # The last and longest block, 18 µs, starts when all but 264 blocks have been taken: nearly at 10 µs.
    assert last.values()["total_us"] == pytest.approx(28, abs=0.1)
    assert last.values()["tail_us"] > 15
    assert first.readouts()[3].value == "0"
    assert 20 < drawn.values()["total_us"] <= drawn.values()["ideal_us"] + drawn.values()["longest_us"]  # Graham
    assert drawn.readouts()[1].sub == "blurred, times differ"


def test_one_block_more_costs_what_263_more_cost():
    one, full = figure("blocks=265").values(), figure("blocks=528").values()
    assert one["total_us"] == full["total_us"] == 2 * figure("blocks=264").values()["total_us"]


def test_every_preset_is_a_state_of_its_own():
    states = []
    for preset in BlockScheduler.presets:
        made = figure()
        made.apply({"preset": preset.name})
        assert (made.error, made.pressed) == ("", preset.name)
        states.append(made.state)
    assert len(set(states)) == len(states)


# ----------------------------------------------------------------------------------- stepping


def test_steps_walk_from_the_start_to_the_last_change():
    for preset in BlockScheduler.presets:
        made = figure(f"preset={preset.name}")
        assert 1 <= made.steps <= MOMENTS
        times, ended = [], []
        for step in range(1, made.steps + 1):
            made.apply({"set": {"moment": step}})
            told = made.values()
            assert told["ended"] + told["running"] + told["waiting"] == told["blocks"]
            assert told["running"] == told["slots"] or told["waiting"] == 0  # a slot is empty only in the tail
            assert told["busy_now_percent"] == pytest.approx(100 * told["running"] / told["slots"])
            times.append(told["at_us"])
            ended.append(told["ended"])
        assert times[0] == 0
        assert all(a < b for a, b in pairwise(times))
        assert ended == sorted(ended)
        assert times[-1] < told["total_us"]


def test_a_step_keeps_the_schedule():
    made = figure("preset=random")
    before = made.trace
    made.apply({"set": {"moment": 3}})
    assert made.trace is before


# -------------------------------------------------------------------------------- the drawing


def random_state(rng: random.Random) -> str:
    times = rng.choice(("equal", "random", "long_last", "long_first"))
    return (
        f"blocks={rng.randint(1, 2700)}&times={times}&block_us={rng.randint(1, 100)}&spread={10 * rng.randint(1, 9)}"
        f"&seed={rng.randint(1, 20)}&sms={rng.randint(1, 192)}&per_sm={rng.randint(1, 8)}"
    )


def test_docstring_examples_hold():
    result = doctest.testmod(widgets.scheduler_curve)
    assert result.attempted
    assert not result.failed


EDGES = ("left", "right", "bottom", "top")
SIZES = [(1, 1), (2, 3), (5, 8), (12, 4), (13, 2), (36, 5), (37, 1), (132, 2), (190, 7), (192, 6), (192, 8)]


def overlap(a, b) -> bool:
    """Whether two boxes share more than an edge, with what rounding does to them."""
    return min(a[1], b[1]) - max(a[0], b[0]) > 2e-3 and min(a[3], b[3]) - max(a[2], b[2]) > 2e-3


@pytest.mark.parametrize(("sms", "per_sm"), SIZES)
def test_places_lie_in_their_sms_and_apart(sms, per_sm):
    frames, boxes = scheduler_places.sm_boxes(sms), scheduler_places.place_boxes(sms, per_sm)
    assert len(frames) == sms
    assert set(boxes) == {(sm, n) for sm in range(sms) for n in range(per_sm)}
    for (sm, _), (left, right, bottom, top) in boxes.items():
        frame = frames[sm]
        assert frame[0] < left < right < frame[1]
        assert frame[2] < bottom < top < frame[3]
        assert top - bottom > 3
    for group in (frames, tuple(boxes.values())):
        assert not any(overlap(a, b) for k, a in enumerate(group) for b in group[max(0, k - 120) : k])
    assert all(left >= 0 and right <= 100 and bottom >= 170 for left, right, bottom, _ in frames)


@pytest.mark.parametrize(("sms", "per_sm"), SIZES)
def test_what_the_cuts_leave_of_a_hatched_row_are_its_places(sms, per_sm):
    cuts, boxes = scheduler_places.cuts(sms, per_sm), list(scheduler_places.place_boxes(sms, per_sm).values())
    assert not any(overlap(cut, box) for cut in cuts for box in boxes)
    rng = random.Random(sms)
    for row in scheduler_places.free_rows(sms, per_sm, ()):
        for _ in range(60):
            x, y = rng.uniform(*row[:2]), rng.uniform(*row[2:])
            seen = not any(left < x < right and bottom < y < top for left, right, bottom, top in cuts)
            near = any(
                left - 0.01 < x < right + 0.01 and bottom - 0.01 < y < top + 0.01 for left, right, bottom, top in boxes
            )
            assert seen <= near
    held = [(sm, n) for sm in range(sms) for n in range(per_sm)]
    assert list(scheduler_places.free_rows(sms, per_sm, held)) == []
    assert len(list(scheduler_places.free_rows(sms, per_sm, held[1:]))) == 1


def test_the_drawing_shows_every_slot_and_every_block_once():
    rng = random.Random(12)
    for _ in range(25):
        made = figure(random_state(rng))
        made.apply({"set": {"moment": rng.randint(1, made.steps)}})
        columns, told = made.columns(), made.values()
        assert len(columns["taken"]["left"]) == told["running"]
        boxes = [tuple(columns["taken"][edge][k] for edge in EDGES) for k in range(int(told["running"]))]
        rows = [tuple(columns["free"][edge][k] for edge in EDGES) for k in range(len(columns["free"]["left"]))]
        for place in scheduler_places.place_boxes(int(told["sms"]), int(told["blocks_per_sm"])).values():
            assert place in boxes or any(overlap(place, row) for row in rows)
        assert bool(rows) == (told["running"] < told["slots"])
        assert columns["unknown"]["left"] == []
        unit = 100 / told["blocks"]
        wide = {"compute": 0.0, "cell": 0.0, "idle": 0.0}
        for name in ("strip", "queue"):
            for left, right, role in zip(*(columns[name][c] for c in ("left", "right", "role")), strict=True):
                wide[role] += (right - left) / unit
        assert wide["compute"] == pytest.approx(told["running"], abs=0.1)  # coordinates are rounded
        assert wide["cell"] == pytest.approx(told["ended"], abs=0.1)
        assert wide["idle"] == pytest.approx(told["waiting"], abs=0.1)


def area(xs, ys) -> float:
    """The area under a polygon's corners, as a share of the rectangle up to 100 % over its width."""
    under = sum((b - a) * (y - scheduler_curve.BOTTOM) for (a, y), (b, _) in pairwise(zip(xs, ys, strict=True)))
    return under / ((max(xs) - min(xs)) * (scheduler_curve.TOP - scheduler_curve.BOTTOM))


def test_the_area_under_the_curve_is_the_busy_share():
    for fragment in ("", "preset=exact", "preset=finer", "preset=few", "preset=random", "preset=long_last"):
        made = figure(fragment)
        curve = made.columns()["area"]
        assert 100 * area(curve["xs"][0], curve["ys"][0]) == pytest.approx(made.values()["busy_percent"], abs=0.3)
    made = figure("blocks=2700&times=random")  # more stretches than are drawn one by one
    curve = made.columns()["area"]
    assert len(curve["xs"][0]) < 700
    assert 100 * area(curve["xs"][0], curve["ys"][0]) == pytest.approx(made.values()["busy_percent"], abs=0.3)


def test_10_20_and_11_microseconds_share_one_axis():
    ends = {}
    for name in ("exact", "one_more", "finer"):
        ends[name] = figure(f"preset={name}").columns()["end"]["x"][0]
    assert ends["one_more"] == pytest.approx(2 * ends["exact"])
    assert ends["finer"] == pytest.approx(1.1 * ends["exact"])


def test_marks_speak_of_slots_and_moments():
    says = figure().columns()["marks"]["say"]
    assert len(says) == 1 + 264 + 2
    assert says[0] == "Blocks: 264 ended · 1 running · 0 waiting"
    assert says[1] == "SM 0 · place 0 · block 264 · 10 to 20 µs"
    assert says[2] == "SM 0 · place 1 · empty: no block is left for it"
    assert says[-2:] == ["At 0 µs · 264 of 264 places taken, 100 %", "At 10 µs · 1 of 264 places taken, 0.4 %"]
    started = figure("moment=1").columns()["marks"]["say"]
    assert started[1:4] == [
        "SM 0 · place 0 · block 0 · 0 to 10 µs",
        "SM 0 · place 1 · block 132 · 0 to 10 µs",  # every SM has one before any has two
        "SM 1 · place 0 · block 1 · 0 to 10 µs",
    ]


def test_sources_keep_their_columns_in_every_state():
    made = figure(hidden=True)
    wanted = {name: set(columns) for name, columns in made.columns().items()}
    for preset in BlockScheduler.presets:
        made.apply({"preset": preset.name})
        assert {name: set(columns) for name, columns in made.columns().items()} == wanted
        for name, columns in made.columns().items():
            assert len({len(values) for values in columns.values()}) == 1, name


def test_the_document_is_the_same_twice_and_is_patched_not_rebuilt():
    made, other = figure(), figure()
    document = made.document(1000)
    before = sorted(model.id for model in document.models)
    assert before == sorted(model.id for model in other.document(1000).models)
    changes = []
    document.on_change(changes.append)
    for fragment in ("blocks=264", "preset=random", "moment=1", "sms=4&per_sm=8"):
        changes.clear()
        made.restore(fragment)
        assert changes
        assert sorted(model.id for model in document.models) == before


# --------------------------------------------------------------------------------- prediction


def told(made: BlockScheduler) -> str:
    """All that a reader can meet of a state, but the question and the settings."""
    parts = {name: part for name, part in card.update(made).items() if name not in ("predict", "controls", "state")}
    texts = [columns.get(name) for columns in made.columns().values() for name in ("say", "text", "short")]
    return str([parts, texts])


def test_nothing_tells_the_answer_before_the_guess():
    made = figure("preset=finer", hidden=True)
    assert made.veiled
    assert (made.steps, made.at, made.active("moment")) == (0, 0, False)
    drawn = made.columns()
    for name in ("area", "lost", "taken", "free", "strip", "queue", "ticks", "end", "waves", "now", "mean_text"):
        assert not any(drawn[name].values()), name
    seen = told(made)
    for secret in ("11 µs", "91.3", "2,640 ended", ">11<", "wave 1", "10.04"):
        assert secret not in seen, secret
    made.apply({"commit": "11"})
    assert made.verdict is not None
    assert made.verdict.kind == "right"
    seen = told(made)
    for secret in ("11 µs", "91.3", "2,640 ended", ">11<", "10.04"):
        assert secret in seen, secret
    made.apply({"set": {"moment": 4}})
    made.apply({"ask": True})
    assert (made.steps, made.at) == (0, 0)


def test_the_same_work_does_not_take_the_same_time():
    made = figure("preset=finer", hidden=True)
    made.apply({"commit": "20"})
    assert made.verdict is not None
    assert made.verdict.kind == "not_yet"
    assert "11 µs, in 11 waves" in card.predict(made)


def test_the_built_state_asks_nothing_and_shows_the_lone_block():
    made = figure(hidden=True)
    assert not made.veiled
    assert [run.block for run in running(made.trace.schedule, made.shown.at_us)] == [264]


# ------------------------------------------------------------------------------------- states


def test_a_state_survives_its_address():
    rng = random.Random(4)
    for _ in range(25):
        made = figure(random_state(rng))
        made.apply({"set": {"moment": rng.randint(1, made.steps)}})
        again = figure(made.state)
        assert again.current() == made.current()
        assert again.values() == made.values()


@pytest.mark.parametrize(
    ("fragment", "says"),
    [
        ("blocks=0", "Blocks: 0 is outside 1 to 2,700"),
        ("blocks=2701", "Blocks: 2,701 is outside 1 to 2,700"),
        ("sms=193", "SMs: 193 is outside 1 to 192"),
        ("per_sm=9", "Blocks an SM holds: 9 is outside 1 to 8"),
        ("block_us=0", "Time of a block: 0 is outside 1 to 100"),
        ("block_us=1.5", "Time of a block: “1.5” is not a whole number"),
        ("spread=95", "Spread, ±: 95 is outside 10 to 90"),
        ("seed=0", "Draw number: 0 is outside 1 to 20"),
        ("times=odd", "Times: “odd” is not one of equal, random, long_last, long_first"),
        ("moment=3", "step 3 is beyond the last, 2"),
        ("moment=0", "Moment: 0 is before the first step, 1"),
        ("waves=2", "“waves” is not a setting of this figure"),
    ],
)
def test_refuses(fragment, says):
    made = figure("preset=two_waves")
    before = made.current(), made.trace
    with pytest.raises(ValueError, match=re.escape(says)):
        made.restore(fragment)
    assert (made.current(), made.trace) == before


def test_only_what_acts_is_offered():
    def offered(fragment: str) -> set[str]:
        made = figure(fragment)
        return {control.param for control in made.controls if made.active(control.param)}

    always = {"blocks", "sms", "per_sm", "block_us", "times", "moment"}
    assert offered("") == always
    assert offered("times=long_last") == always | {"spread"}
    assert offered("times=random") == always | {"spread", "seed"}


@pytest.mark.parametrize(
    "fragment", ["", "sms=1&per_sm=1&blocks=2700&block_us=100&times=random", "blocks=7&block_us=37"]
)
@pytest.mark.parametrize("times", ["equal", "random", "long_last"])
def test_round_times_keep_clear_of_the_end(fragment, times):
    made = figure(fragment)
    made.apply({"set": {"times": times}})
    drawn = made.columns()
    end = drawn["end"]["x"][0], drawn["end"]["text"][0]
    for column, px in (("text", 7.3), ("short", 2.9)):
        told = [(x, text) for x, text in zip(drawn["ticks"]["x"], drawn["ticks"][column], strict=True) if text]
        assert told
        for (a, first), (b, second) in pairwise(sorted([*told, end])):
            assert (b - a) * px > (width_px(first) + width_px(second)) / 2, (first, second)
