"""Figure 4.2: every number of its specification, the drawing, what the prediction hides, refusals, readings."""

import copy
import json
import random
import re
from itertools import pairwise
from pathlib import Path

import pytest

from widgets import card, hardware
from widgets.coalescing import Coalescing
from widgets.timeline_columns import width_px
from widgets.words import Words

ROOT = Path(__file__).parents[2]


def recorded(name: str):
    file = ROOT / f"chapters/recorded/h200/{name}.json"
    return json.loads(file.read_text("utf-8")) | {"recording": name}


READING, TIMES = recorded("global_loads"), recorded("strided_copy")


def figure(fragment: str = "", readings=(READING, TIMES), hidden: bool = False) -> Coalescing:
    made = Coalescing(Words(), readings)
    if not hidden:
        made.apply({"skip": True})
    if fragment:
        made.restore(fragment)
    return made


def shown(made: Coalescing) -> str:
    """What a reader can meet of a state, but the question itself, the controls and the axes."""
    parts = {name: part for name, part in card.update(made).items() if name not in ("predict", "controls", "state")}
    columns = made.columns()
    texts = [columns[name]["text"] for name in ("names", "counts", "note")]
    return str([parts, columns["marks"]["say"], texts])


# --------------------------------------------------------------------- the numbers of figures.md


@pytest.mark.parametrize(
    ("fragment", "sectors", "lines", "used", "percent"),
    [
        ("stride=1", 4, 1, 128, "100"),  # 32 floats in a row: 128 bytes
        ("stride=1&offset=4", 5, 2, 128, "80"),  # 16 bytes late
        ("stride=1&offset=1", 5, 2, 128, "80"),
        ("stride=1&offset=8", 4, 2, 128, "100"),  # 32 bytes late: three sectors of one line, one of the next
        ("stride=2", 8, 2, 128, "50"),
        ("stride=4", 16, 4, 128, "25"),
        ("stride=8", 32, 8, 128, "12.5"),
        ("stride=9", 32, 9, 128, "12.5"),
        ("stride=32", 32, 32, 128, "12.5"),
        ("stride=64", 32, 32, 128, "12.5"),
        ("stride=1&order=reversed", 4, 1, 128, "100"),
        ("stride=1&order=shuffled", 4, 1, 128, "100"),
        ("stride=0&offset=16", 1, 1, 4, "12.5"),
        ("stride=1&width=1", 1, 1, 32, "100"),
        ("stride=1&width=2", 2, 1, 64, "100"),  # fp16
        ("stride=1&width=8", 8, 2, 256, "100"),  # fp64
        ("stride=1&width=16", 16, 4, 512, "100"),  # float4
        ("stride=1&width=16&offset=1", 17, 5, 512, "94.1"),
        ("", 12, 3, 128, "33.3"),  # one float of a 12-byte struct
        ("stride=6", 24, 6, 128, "16.7"),  # and of a 24-byte one
        ("stride=1&lanes=even", 4, 1, 64, "50"),
        ("stride=1&lanes=low", 2, 1, 64, "100"),
        ("lanes=one", 1, 1, 4, "12.5"),
        ("reads=typed", 4, 4, 128, "100"),
        ("reads=typed&pattern=i//2", 2, 1, 64, "100"),
        ("reads=typed&pattern=i%252-1", 1, 1, 4, "12.5"),  # even lanes off, the others at element 0
        ("reads=typed&pattern=-1", 0, 0, 0, "0"),
    ],
)
def test_sectors_lines_and_bytes(fragment, sectors, lines, used, percent):
    made = figure(fragment)
    values = made.values()
    assert (values["sectors"], values["lines"], values["bytes_used"]) == (sectors, lines, used)
    assert values["bytes_moved"] == 32 * sectors
    assert values["bytes_unused"] == 32 * sectors - used
    assert values["requests"] == min(1, sectors)
    assert made.readouts()[3].value == percent


def test_from_a_stride_of_8_floats_every_lane_has_a_sector_of_its_own():
    assert {figure(f"stride={stride}").values()["sectors"] for stride in range(8, 65)} == {32}


def test_the_order_of_the_lanes_changes_nothing():
    for fragment in ("stride=1", "stride=3", "stride=1&offset=5", "stride=2&width=8"):
        told = [figure(f"{fragment}&order={order}").values() for order in ("forward", "reversed", "shuffled")]
        assert [{**one, "recorded": 0} for one in told[1:]] == [{**told[0], "recorded": 0}] * 2


def test_readouts():
    sectors, lines, unused, share = figure("stride=2").readouts()
    assert (sectors.value, sectors.sub) == ("8", "4 would hold the bytes used")
    assert (lines.value, lines.sub) == ("2", "of 128 bytes each")
    assert (unused.value, unused.unit, unused.role, unused.sub) == ("128", "B", "cost", "of 256 bytes moved")
    assert (share.value, share.unit, share.sub) == ("50", "%", "128 of 256 bytes")


def test_every_preset_is_a_state_of_its_own():
    states = []
    for preset in Coalescing.presets:
        made = figure()
        made.apply({"preset": preset.name})
        assert (made.error, made.pressed) == ("", preset.name)
        states.append(made.state)
    assert len(set(states)) == len(states)
    assert states[0] == ""


def test_the_controls_offer_what_the_parameters_allow():
    offered = {c.param: [v for v, _ in c.options] for c in Coalescing.controls if hasattr(c, "options")}
    assert offered == {name: Coalescing.param[name].objects for name in offered}
    assert set(offered) == {"reads", "width", "order", "lanes"}


# -------------------------------------------------------------------------------- the drawing


def random_figure(rng: random.Random) -> Coalescing:
    made = figure()
    pattern = ",".join(str(rng.randint(-1, rng.choice([40, 900, 10**6]))) for _ in range(31)) + ",7"
    made.apply(
        {
            "set": {
                "reads": rng.choice(["strided", "typed"]),
                "width": rng.choice([1, 2, 4, 8, 16]),
                "stride": rng.randint(0, 64),
                "offset": rng.randint(0, 64),
                "order": rng.choice(["forward", "reversed", "shuffled"]),
                "lanes": rng.choice(["all", "even", "low", "one"]),
                "pattern": pattern,
            }
        }
    )
    assert made.error == ""
    return made


def area(columns, role: str) -> float:
    """Words' worth of bytes drawn in a role."""
    box = zip(*(columns[name] for name in ("left", "right", "role")), strict=True)
    return sum(right - left for left, right, what in box if what == role)


def test_the_drawing_has_every_lane_sector_and_byte():
    rng = random.Random(42)
    word = figure("stride=1").columns()["grid"]
    byte = (word["right"][0] - word["left"][0]) / 4
    for _ in range(60):
        made = random_figure(rng)
        access, drawn = made.trace, made.columns()
        assert len(drawn["lines"]["left"]) == access.lines
        assert area(drawn["bytes"], "move") == pytest.approx(byte * access.bytes_used)
        assert area(drawn["bytes"], "cost") == pytest.approx(byte * access.bytes_unused)
        assert len(drawn["strokes"]["x0"]) == drawn["bytes"]["role"].count("cost")
        assert len(drawn["rests"]["left"]) == 8 * (4 * access.lines - access.sectors)
        on = [lane for lane, address in enumerate(access.addresses) if address >= 0]
        assert drawn["threads"]["x0"] == on
        ends = {}
        for lane, x in zip(on, drawn["threads"]["x1"], strict=True):
            ends.setdefault(access.addresses[lane] // 32, set()).add(x)
        assert all(len(places) == 1 for places in ends.values())  # lanes of one sector meet
        assert [lane for lane, dash in enumerate(drawn["lanes"]["dash"]) if dash == "solid"] == on
        marks = drawn["marks"]
        assert len(marks["say"]) == 32 + 4 * access.lines
        spots = set(zip(marks["x"], marks["y"], strict=True))
        assert len(spots) == len(marks["say"])  # no two marks in one place
        bar = drawn["bar"]
        assert bar["left"][0] == -0.5
        assert bar["right"][-1] == pytest.approx(access.sectors - 0.5)
        assert area(bar, "move") == pytest.approx(access.bytes_used / 32)


def test_no_line_lies_on_another_and_none_outside():
    boxes = figure("stride=32").columns()["lines"]
    spots = list(zip(*(boxes[name] for name in ("left", "right", "bottom", "top")), strict=True))
    assert len(set(spots)) == len(spots) == 32
    for one in spots:
        assert one[0] >= -0.7
        assert one[1] <= 31.7
        for other in spots:
            apart = one[1] < other[0] or other[1] < one[0] or one[3] < other[2] or other[3] < one[2]
            assert apart or one == other


def test_lines_that_follow_are_joined_and_gaps_are_marked():
    assert len(figure("stride=1").columns()["links"]["x0"]) == 0
    level = figure("").columns()["links"]
    assert [y0 == y1 for y0, y1 in zip(level["y0"], level["y1"], strict=True)] == [True, True]  # three lines in a row
    broken = figure("reads=typed").columns()["links"]
    assert [y0 == y1 for y0, y1 in zip(broken["y0"], broken["y1"], strict=True)] == [False] * 6  # two strokes a gap


def test_bytes_used_and_moved_stand_at_every_line_and_under_the_bar():
    drawn = figure("").columns()
    # Floats at bytes 0, 12, 24, …: 11 of them in the first line, 11 in the next, 10 in the last.
    assert drawn["names"]["text"] == [
        "byte 0", "44 of 128 B", "byte 128", "44 of 128 B", "byte 256", "40 of 128 B",
    ]  # fmt: skip
    assert drawn["counts"]["text"] == ["used 128 B", "moved, not used 256 B"]
    assert figure("stride=1").columns()["counts"]["text"] == ["used 128 B"]
    assert figure("reads=typed&pattern=-1").columns()["counts"]["text"] == []


def test_marks_say_what_a_lane_wants_and_a_sector_holds():
    says = figure("").columns()["marks"]["say"]
    assert says[7] == "Lane 7 asks for bytes 84–87 · sector at 64, line at 0 · shares it with 1 other lane"  # 72 and 84
    assert says[32] == "Sector at 0, line at 0 · asked for by lanes 0–2 · 12 of 32 bytes used"
    says = figure("reads=typed").columns()["marks"]["say"]
    assert says[33] == "Sector at 32, line at 0 · not touched, not moved"
    assert says[36] == (
        "Sector at 256, line at 256 · asked for by lanes 8–15 · 32 of 32 bytes used"
        " · 1 line before it is not drawn: not touched"
    )
    says = figure("width=1&stride=1&lanes=one").columns()["marks"]["say"]
    assert says[0] == "Lane 0 asks for byte 0 · sector at 0, line at 0"
    assert says[31] == "Lane 31 is switched off."
    assert says[32] == "Sector at 0, line at 0 · asked for by lane 0 · 1 of 32 bytes used"


def test_the_table_has_a_row_for_each_sector():
    rows = figure("stride=1&offset=4").table().rows
    assert rows[0] == ("0", "0", "0–3", "16", "32")
    assert rows[4] == ("128", "128", "28–31", "16", "32")
    assert len(rows) == 5
    assert len(figure("reads=typed&pattern=-1").table().rows) == 1


def test_sources_keep_their_columns_in_every_state():
    made = figure(hidden=True)
    wanted = {name: set(columns) for name, columns in made.columns().items()}
    fragments = [f"preset={preset.name}" for preset in Coalescing.presets]
    for fragment in [*fragments, "reads=typed&pattern=-1", "width=1"]:
        made.restore(fragment)
        assert {name: set(columns) for name, columns in made.columns().items()} == wanted
        for name, columns in made.columns().items():
            assert len({len(values) for values in columns.values()}) == 1, name


def test_the_document_is_the_same_twice_and_is_patched_not_rebuilt():
    made, other = figure(), figure()
    document = made.document(1000)
    before = sorted(model.id for model in document.models)
    assert before == sorted(model.id for model in other.document(1000).models)
    assert {"marks", "cursor"} <= {model.name for model in document.models}
    changes = []
    document.on_change(changes.append)
    for fragment in ("stride=1", "stride=1&offset=3", "reads=typed&pattern=i*3", "width=16"):
        changes.clear()
        made.restore(fragment)
        assert changes
        assert sorted(model.id for model in document.models) == before


# --------------------------------------------------------------------------------- prediction


def test_the_prediction_is_answered_by_hand_and_hidden_until_then():
    made = figure("stride=2", hidden=True)
    assert made.veiled
    # Lane i loads bytes 8 i … 8 i + 3: sector 8 i // 32 = i // 4, so the 32 lanes touch sectors 0 … 7.
    assert made.asked().values()["sectors"] == len({8 * lane // 32 for lane in range(32)}) == 8
    secrets = (">8<", "sector at", "8 sectors", "256 bytes moved", "50<small>", "byte 128", "used 128 B", "'8'")
    for secret in secrets:
        assert secret not in shown(made), secret
    drawn = made.columns()
    for name in ("threads", "trunks", "lines", "rests", "bytes", "links", "names", "bar", "counts"):
        assert not any(drawn[name].values()), name
    assert set(drawn["lanes"]["edge"]) == {"rest"}
    assert drawn["note"]["text"] == ["your guess first"]
    assert len(drawn["marks"]["say"]) == 32
    made.apply({"commit": "4 sectors"})
    assert made.verdict is not None
    assert made.verdict.kind == "not_yet"
    assert "8: the lanes reach over 252 bytes" in card.predict(made)
    missing = {secret for secret in secrets if secret not in shown(made)}
    assert missing == {"'8'"}  # the others would have been found
    made.apply({"ask": True})
    assert made.columns()["lines"]["left"] == []


def test_the_prediction_is_not_about_the_built_state():
    made = figure(hidden=True)
    assert not made.veiled
    assert not any(readout.secret for readout in made.readouts())


# ------------------------------------------------------------------------------------- states


def test_a_state_survives_its_address():
    rng = random.Random(4)
    for _ in range(60):
        made = random_figure(rng)
        again = figure(made.state)
        assert again.current() == made.current()
        assert again.values() == made.values()


@pytest.mark.parametrize(
    ("fragment", "says"),
    [
        ("stride=-1", "Stride: −1 is outside 0 to 64"),
        ("stride=65", "Stride: 65 is outside 0 to 64"),
        ("offset=65", "Start offset: 65 is outside 0 to 64"),
        ("offset=1.5", "Start offset: “1.5” is not a whole number"),
        ("width=3", "Bytes a lane: “3” is not one of 1, 2, 4, 8, 16"),
        ("width=32", "Bytes a lane: “32” is not one of"),
        ("order=random", "Lanes take them: “random” is not one of forward, reversed, shuffled"),
        ("lanes=odd", "Lanes switched on: “odd” is not one of all, even, low, one"),
        ("reads=typed&pattern=", "the pattern is empty; type 32 numbers, or an expression in i"),
        ("reads=typed&pattern=0,1", "2 numbers given; a list has 32, one a lane"),
        ("reads=typed&pattern=k*4", "“k” at position 1 is unknown; allowed are whole numbers, i,"),
        ("reads=typed&pattern=i-2", "lane 0: -2; it must be ≥ 0, or -1 for a lane that is switched off"),
        ("reads=typed&pattern=i//0", "lane 0, “//” at position 2: division by 0; the divisor must not be 0"),
        ("reads=typed&pattern=i*2000000000", "the number is too large; at most 2,147,483,647 is allowed"),
        ("pitch=3", "“pitch” is not a setting of this figure; it has reads, width, stride,"),
    ],
)
def test_refuses(fragment, says):
    made = figure("stride=5")
    before = made.current(), made.trace
    with pytest.raises(ValueError, match=re.escape(says)):
        made.restore(fragment)
    assert (made.current(), made.trace) == before


def test_refusals_are_in_the_language_of_the_page():
    class Marked(Words):
        def __call__(self, message, /, **values):
            return "«" + super().__call__(message, **values) + "»"

    made = Coalescing(Marked())
    made.apply({"restore": "reads=typed&pattern=i*"})
    assert made.error.startswith("«")


def test_only_what_acts_is_offered():
    def offered(fragment: str) -> set[str]:
        made = figure(fragment)
        return {control.param for control in made.controls if made.active(control.param)}

    always = {"reads", "width", "lanes"}
    assert offered("") == always | {"stride", "offset", "order"}
    assert offered("reads=typed") == always | {"pattern"}


def test_what_is_not_offered_does_not_act():
    before = figure("reads=typed").values()
    for other in ("stride=9", "offset=7", "order=shuffled"):
        assert figure(f"reads=typed&{other}").values() == before, other
    assert figure("pattern=i*5").values() == figure("").values()


# ----------------------------------------------------------------------------------- readings


def state_of(row) -> str:
    width = row["width_bytes"]
    elements = ",".join(str(lane if lane < 0 else lane // width) for lane in row["lanes"])
    return f"reads=typed&width={width}&pattern={elements}"


@pytest.mark.parametrize("row", READING["rows"], ids=[f"{r['case']}-{r['width_bytes']}" for r in READING["rows"]])
def test_the_model_equals_every_reading(row):
    made = figure(state_of(row))
    assert list(made.trace.addresses) == row["lanes"]
    both = made.comparison()
    assert (both.model, both.recorded, both.exact) == (row["sectors"], row["sectors"], True)
    assert both.device == "H200"
    assert made.values()["recorded"] == row["sectors"]
    assert ">equal<" in hardware.hardware(made)


def test_one_sector_more_in_one_reading_is_stated():
    changed = copy.deepcopy(READING)
    row = next(row for row in changed["rows"] if (row["case"], row["width_bytes"]) == ("stride8", 4))
    row["sectors"] += 1
    made = figure("stride=8", readings=(changed, TIMES))
    strip = hardware.hardware(made)
    assert "1 apart" in strip
    assert ">equal<" not in strip
    assert (made.comparison().model, made.comparison().recorded) == (32, 33)
    assert ">equal<" in hardware.hardware(figure("stride=8"))


def test_which_presets_have_a_reading():
    without = []
    for preset in Coalescing.presets:
        made = figure(f"preset={preset.name}")
        if made.comparison().recorded is None:
            without.append(preset.name)
            assert "no reading yet" in hardware.hardware(made)
            assert "recorded" not in made.values()
    assert without == ["shuffled", "pieces"]


def test_without_a_reading_the_figure_stands_too():
    made = figure(readings=())
    assert made.comparison().recorded is None
    assert "readings" not in made.values()
    assert figure().values()["readings"] == 195


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_far_addresses_stay_under_their_lines_on_a_phone(lang):
    made = Coalescing(Words(lang))
    for pattern in ("i*33", "i*9999", "i*2147483", "i*69273666"):
        made.apply({"set": {"reads": "typed", "pattern": pattern, "width": 16}})
        names = made.columns()["names"]
        told = {text: x for x, text in zip(names["x"], names["short"], strict=True) if text}
        px = 324 / 33  # of a lane
        for (first, left), (_, right) in pairwise(told.items()):
            assert right < left or left * px + width_px(first, 11) < right * px + 4, first
