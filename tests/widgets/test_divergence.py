"""Figure 3.2: every number of its specification, what the prediction hides, refusals, readings, the document."""

import copy
import json
import random
import re
from itertools import pairwise
from pathlib import Path

import pytest
from bokeh.document import Document

from widgets import card, hardware
from widgets.divergence import PATTERNS, WarpDivergence
from widgets.divergence_readings import read
from widgets.lane_grid import LANES, ROWS
from widgets.words import Words

ROOT = Path(__file__).parents[2]
READING = json.loads((ROOT / "chapters/recorded/h200/divergence_cycles.json").read_text("utf-8"))


def figure(fragment: str = "", readings=(READING,), hidden: bool = False) -> WarpDivergence:
    made = WarpDivergence(Words(), readings)
    if not hidden:
        made.apply({"skip": True})
    if fragment:
        made.restore(fragment)
    return made


def shown(made: WarpDivergence) -> str:
    """What a reader can meet of a state, but the question itself and the numbers of lanes and rows."""
    parts = {name: part for name, part in card.update(made).items() if name != "predict"}
    texts = {name: made.columns()[name] for name in ("marks", "names", "here", "needs", "note")}
    return str([parts, {name: [columns.get("say"), columns.get("text")] for name, columns in texts.items()}])


# --------------------------------------------------------------------- the numbers of figures.md


@pytest.mark.parametrize(
    ("fragment", "slots", "percent"),
    [
        ("", 20, 50),  # 2 paths of 10
        ("pattern=four", 40, 25),
        ("pattern=eight", 8, 12.5),
        ("pattern=sixteen", 16, 6.25),
        ("pattern=each", 32, 3.125),
        ("pattern=odd_even", 20, 50),
        ("pattern=one", 20, 50),  # 1 · 10 + 31 · 10 lane slots of 20 · 32
        ("pattern=one&b=1", 11, 100 * 41 / 352),  # 1 · 10 + 31 · 1 of 11 · 32
        ("pattern=together", 10, 100),
        ("pattern=own&paths=1", 10, 100),  # the whole warp on the other path: no slot for A
        ("pattern=loop", 32, 100 * 16.5 / 32),  # mean over longest of 1 … 32
        ("common=4", 24, 100 * (4 * 32 + 320) / (24 * 32)),
        ("pattern=odd_even&b=0", 10, 50),  # an if without else: half the lanes watch
        ("pattern=own&paths=i%253&a=2&b=3&c=4", 9, 100 * (11 * 2 + 11 * 3 + 10 * 4) / (9 * 32)),
    ],
)
def test_slots_and_efficiency(fragment, slots, percent):
    values = figure(fragment).values()
    assert values["issue_slots"] == slots
    assert values["efficiency_percent"] == pytest.approx(percent, rel=1e-12)


@pytest.mark.parametrize(
    ("fragment", "printed"),
    [("", "50"), ("pattern=four", "25"), ("pattern=eight", "12.5"), ("pattern=sixteen", "6.25"),
     ("pattern=each", "3.125"), ("pattern=together", "100"), ("pattern=one&b=1", "11.6"), ("pattern=loop", "51.6")],
)  # fmt: skip
def test_the_efficiency_is_printed_with_all_its_digits_where_it_has_few(fragment, printed):
    efficiency = figure(fragment).readouts()[2]
    assert (efficiency.value, efficiency.unit) == (printed, "%")


def test_readouts_tell_slots_lane_slots_and_the_sum():
    slots, used, efficiency, taken = figure("pattern=four&common=2&d=4").readouts()
    assert (slots.value, slots.sub) == ("36", "10.5 if no lane ever waited")  # (2·32 + 8·(10 + 10 + 10 + 4)) ÷ 32
    assert (used.value, used.sub, used.role) == ("336", "of 1,152", "compute")
    assert (taken.value, taken.sub) == ("4", "2 + 10 + 10 + 10 + 4 slots")
    assert efficiency.sub == "9.3 of 32 lanes on average"


def test_every_preset_is_a_state_of_its_own():
    states = []
    for preset in WarpDivergence.presets:
        made = figure()
        made.apply({"preset": preset.name})
        assert (made.error, made.pressed) == ("", preset.name)
        states.append(made.state)
    assert len(set(states)) == len(states)
    assert states[0] == ""
    assert set(WarpDivergence.param.pattern.objects) == {*PATTERNS, "own", "loop"}
    assert [value for value, _ in WarpDivergence.controls[0].options] == WarpDivergence.param.pattern.objects


# -------------------------------------------------------------------------------- the drawing


def cells(boxes) -> set[tuple[int, int]]:
    """The (lane, slot) pairs that boxes cover."""
    covered = set()
    edges = zip(boxes["left"], boxes["right"], boxes["bottom"], boxes["top"], strict=True)
    for left, right, bottom, top in edges:
        for lane in range(round(left + 0.5), round(right + 0.5)):
            for slot in range(round(1 - top), round(1 - bottom)):
                assert (lane, slot) not in covered
                covered.add((lane, slot))
    return covered


def test_the_grid_draws_every_lane_slot_once_as_the_trace_has_it():
    rng = random.Random(32)
    for _ in range(60):
        made = figure(random_state(rng))
        trace, at = made.trace.trace, rng.randint(1, made.steps)
        made.apply({"set": {"slot": at}})
        drawn = {name: cells(made.columns()[name]) for name in ("done", "ahead", "waits", "unused")}
        active = {(lane, s) for s in range(1, trace.issue_slots + 1) for lane in trace.phase_at(s).lanes}
        off = {lane for lane, need in enumerate(made.trace.lanes) if need == -1}
        every = {(lane, slot) for lane in range(LANES) for slot in range(1, ROWS + 1)}
        assert drawn["done"] == {cell for cell in active if cell[1] <= at}
        assert drawn["ahead"] == active - drawn["done"]
        assert drawn["waits"] == {(lane, s) for lane, s in every - active if lane not in off and s <= at}
        assert drawn["unused"] == {(lane, s) for lane, s in every if s > trace.issue_slots or lane in off}
        assert len(active) == made.values()["lane_slots"]


def test_the_lanes_show_the_mask_of_the_slot():
    made = figure("pattern=four&slot=13")
    lanes = made.columns()["lanes"]
    assert [lane for lane, role in enumerate(lanes["role"]) if role == "compute"] == list(range(8, 16))
    assert {lanes["dash"][lane] for lane in range(8, 16)} == {""}
    assert {lanes["dash"][lane] for lane in range(8)} == {"2 2"}
    made.apply({"set": {"slot": ""}})  # to the end: path D
    assert made.columns()["lanes"]["role"].index("compute") == 24


def test_a_mark_says_who_is_active_when():
    says = figure("pattern=one&b=1&slot=11").columns()["marks"]["say"]
    assert says[0] == "Lane 0 · path A · active in 10 slots, masked in 1"
    assert says[1] == "Lane 1 · path B · active in 1 slot, masked in 10"
    assert says[LANES] == "Issue slot 11 · lane 0 · masked"
    assert says[LANES + 1] == "Issue slot 11 · lane 1 · active"
    assert says[-2:] == [
        "Path A · issue slots 1 to 10 · 1 lane active, 31 masked",
        "Path B · issue slot 11 · 31 lanes active, 1 masked",
    ]
    assert figure("pattern=loop").columns()["marks"]["say"][31] == (
        "Lane 31 · 32 iterations · active in 32 slots, masked in 0"
    )


def test_names_beside_the_grid_do_not_touch():
    rng = random.Random(3)
    for _ in range(60):
        made = figure(random_state(rng))
        made.apply({"set": {"slot": rng.randint(1, made.steps)}})
        y = sorted(made.columns()["names"]["y"])
        assert all(b - a >= 1.4 for a, b in pairwise(y))


def test_sources_keep_their_columns_in_every_state():
    made = figure(hidden=True)
    wanted = {name: set(columns) for name, columns in made.columns().items()}
    for preset in WarpDivergence.presets:
        made.apply({"preset": preset.name})
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
    for fragment in ("pattern=odd_even", "pattern=loop", "pattern=own&paths=-1*(i//16)", "slot=3"):
        changes.clear()
        made.restore(fragment)
        assert changes
        assert ids(document) == before


# --------------------------------------------------------------------------------- prediction


def test_the_prediction_is_answered_by_hand_and_hidden_until_then():
    made = figure("pattern=one", hidden=True)
    assert made.veiled
    assert made.asked().values()["issue_slots"] == 10 + 10
    assert (made.steps, made.at) == (0, 0)
    assert not made.active("slot")
    secrets = (">20<", " 20 slots", "takes 20", "'20'", "50", "640", "8,599", "8,595", "to 20", "slots 11", "2,000")
    for secret in secrets:
        assert secret not in shown(made), secret
    assert not any(made.columns()[name]["left"] for name in ("done", "ahead", "waits", "now", "phases"))
    made.apply({"commit": "20"})
    assert made.verdict is not None
    assert made.verdict.kind == "right"
    assert (made.steps, made.at, made.active("slot")) == (20, 20, True)
    missing = {secret for secret in secrets if secret not in shown(made)}
    assert missing == {" 20 slots"}  # the others would have been found
    made.apply({"set": {"slot": 7}})
    made.apply({"ask": True})
    assert (made.steps, made.at) == (0, 0)
    assert not any(made.columns()["done"]["left"])


def test_the_prediction_is_not_about_the_built_state():
    assert not figure(hidden=True).veiled
    assert figure(hidden=True).steps == 20


# ------------------------------------------------------------------------------------- states


def random_state(rng: random.Random) -> str:
    pattern = rng.choice([*PATTERNS, "own", "loop"])
    lengths = "&".join(f"{name}={rng.randint(1, 10)}" for name in "abcd")
    paths = ",".join(str(rng.randint(-1, rng.choice([3, 31]))) for _ in range(31)) + ",0"
    trips = ",".join(str(rng.randint(-1, 40)) for _ in range(31)) + ",1"
    return f"pattern={pattern}&{lengths}&common={rng.randint(0, 4)}&paths={paths}&trips={trips}"


def test_a_state_survives_its_address():
    rng = random.Random(7)
    for _ in range(60):
        made = figure(random_state(rng))
        made.apply({"set": {"slot": rng.randint(1, made.steps)}})
        again = figure(made.state)
        assert again.current() == made.current()
        assert again.values() == made.values()


@pytest.mark.parametrize(
    ("fragment", "says"),
    [
        ("a=11", "Path A: 11 is outside 0 to 10"),
        ("common=-1", "Together, before: −1 is outside 0 to 4"),
        ("a=x", "Path A: “x” is not a whole number"),
        ("pattern=zigzag", "The branch: “zigzag” is not one of halves,"),
        ("slot=21", "step 21 is beyond the last, 20"),
        ("slot=0", "Issue slot: 0 is before the first step, 1"),
        ("pattern=own&paths=0,1", "2 numbers given; a list has 32, one a lane"),
        ("pattern=own&paths=i%25%25", "“%” at position 3 is unexpected; a whole number, i, - or ( is allowed there"),
        ("pattern=own&paths=i*2", "lane 16: path 32; paths are numbered from 0, which is A, to 31"),
        ("pattern=own&paths=i-5", "lane 0: -5; it must be ≥ 0, or -1 for a lane that is switched off"),
        ("pattern=own&paths=-1", "all 32 lanes are switched off; leave one of them on"),
        ("pattern=loop&trips=i*2", "this takes 62 issue slots; the drawing has room for 44"),
        ("pattern=loop&trips=45-i&common=1", "this takes 46 issue slots; the drawing has room for 44"),
        ("pattern=loop&trips=0", "nothing to issue: every path taken is 0 slots long; make one of them longer"),
        ("a=0&b=0", "nothing to issue"),
    ],
)
def test_refuses(fragment, says):
    made = figure("pattern=four")
    before = made.current(), made.trace
    with pytest.raises(ValueError, match=re.escape(says)):
        made.restore(fragment)
    assert (made.current(), made.trace) == before


def test_only_what_the_pattern_uses_is_offered():
    def offered(fragment: str) -> set[str]:
        made = figure(fragment)
        return {control.param for control in made.controls if made.active(control.param)}

    always = {"pattern", "common", "slot"}
    assert offered("") == always | {"a", "b"}
    assert offered("pattern=together") == always | {"a"}
    assert offered("pattern=four") == always | {"a", "b", "c", "d"}
    assert offered("pattern=eight") == always
    assert offered("pattern=own") == always | {"a", "b", "c", "paths"}
    assert offered("pattern=loop") == always | {"trips"}


# ----------------------------------------------------------------------------------- readings

LIKE = {  # lanes and lengths of the recorded kernels, written anew
    "": ("L0", "P1"), "pattern=odd_even": ("L0", "P2"), "pattern=own&paths=i%254": ("L0", "P3"),
    "pattern=one": ("L0", "P4"), "pattern=four": ("L0", "P5"), "pattern=own&paths=i%253": ("L0", "P6"),
    "pattern=own&paths=(i%2B8)//16": ("L0", "P7"), "pattern=together": ("L0", "P0"),
    "pattern=own&paths=1": ("L0", "P8"), "pattern=one&b=1": ("L1", "P4"), "pattern=four&b=1&c=1&d=1": ("L1", "P5"),
    "pattern=four&a=8&b=4&c=2&d=1": ("L2", "P5"), "pattern=together&a=8&b=4&c=2&d=1": ("L2", "P0"),
    "a=8&b=4": ("L2", "P1"), "pattern=loop": (None, "T1"), "pattern=loop&trips=4": (None, "T0"),
    "pattern=loop&trips=i%252%2B1": (None, "T3"),
}  # fmt: skip


@pytest.mark.parametrize("fragment", LIKE)
def test_a_state_is_compared_with_the_kernel_that_repeats_it(fragment):
    lengths, pattern = LIKE[fragment]
    row = next(r for r in READING["rows"] if (r["lengths"], r["pattern"]) == (lengths, pattern))
    both = figure(fragment).comparison()
    assert both.recorded == row["cycles"]
    assert abs(both.model / both.recorded - 1) < 0.035
    assert figure(fragment).values()["recorded_cycles"] == row["cycles"]


@pytest.mark.parametrize(
    "fragment", ["pattern=eight", "pattern=each", "common=1", "a=9&b=7", "a=0", "pattern=loop&trips=i",
                 "pattern=own&paths=1-i//16", "pattern=own&paths=i%253-1"],
)  # fmt: skip
def test_a_state_that_no_kernel_repeats_says_so(fragment):
    made = figure(fragment)
    assert made.comparison().recorded is None
    assert "no recorded kernel divides its lanes in this way" in hardware.hardware(made)
    assert "recorded_cycles" not in made.values()


def test_one_cycle_more_in_one_reading_is_seen():
    changed = copy.deepcopy(READING)
    row = next(r for r in changed["rows"] if (r["lengths"], r["pattern"]) == ("L0", "P1"))
    row["cycles"] += 1
    one, other = figure().comparison(), figure(readings=(changed,)).comparison()
    assert other.recorded == one.recorded + 1
    assert other.model != one.model  # it is fitted to all rows
    row["cycles"] = 12_000
    off = figure(readings=(copy.deepcopy(changed),)).comparison()  # a reading is read once
    assert off.model / off.recorded - 1 < -0.03


def test_every_recorded_row_is_within_four_percent_of_its_line():
    recorded = read(READING)
    assert {kernel: len(rows) for kernel, rows in recorded.rows.items()} == {"path": 40, "trip": 4}
    for kernel, rows in recorded.rows.items():
        for row in rows:
            assert abs(recorded.lines[kernel].cycles(row.trace) / row.cycles - 1) < 0.035


def test_without_a_reading_the_figure_stands_too():
    made = figure(readings=())
    assert made.comparison().recorded is None
    assert made.values()["issue_slots"] == 20


@pytest.mark.parametrize("common", [0, 1, 4])
@pytest.mark.parametrize("pattern", ["halves", "four", "eight", "sixteen", "each"])
def test_a_sum_of_many_paths_stays_one_line(pattern, common):
    made = figure(f"pattern={pattern}&common={common}&a=2&b=1")
    told = made.readouts()[3].sub.removesuffix(" slots")
    assert len(told) <= 22
    numbers = [[int(n) for n in term.split(" × ")] for term in told.split(" + ")]
    assert sum(term[0] * term[-1] if len(term) == 2 else term[0] for term in numbers) == made.values()["issue_slots"]
