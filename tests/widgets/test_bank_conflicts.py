"""Figure 4.3: every number of its specification, the drawing, what the prediction hides, refusals, readings."""

import copy
import json
import random
import re
from pathlib import Path

import pytest

from widgets import card, hardware
from widgets.bank_conflicts import BankConflicts
from widgets.bank_requests import TILES
from widgets.bank_words import ranges
from widgets.words import Words

ROOT = Path(__file__).parents[2]


def recorded(name: str):
    file = ROOT / f"chapters/recorded/h200/{name}.json"
    return json.loads(file.read_text("utf-8")) | {"recording": name}


READING, TIMES = recorded("bank_conflicts"), recorded("bank_conflict_cycles")


def figure(fragment: str = "", readings=(READING, TIMES), hidden: bool = False) -> BankConflicts:
    made = BankConflicts(Words(), readings)
    if not hidden:
        made.apply({"skip": True})
    if fragment:
        made.restore(fragment)
    return made


def shown(made: BankConflicts) -> str:
    """What a reader can meet of a state, but the question itself, the controls and the axes."""
    parts = {name: part for name, part in card.update(made).items() if name not in ("predict", "controls", "state")}
    columns = made.columns()
    return str([parts, columns["marks"]["say"], columns["notes"]["text"], columns["counts"]["text"]])


# --------------------------------------------------------------------- the numbers of figures.md


@pytest.mark.parametrize(
    ("fragment", "wavefronts", "ideal", "tile_wavefronts", "tile_extra"),
    [
        ("pitch=32", 32, 1, 1024, 992),
        ("pitch=33", 1, 1, 32, 0),
        ("", 4, 1, 128, 96),  # rows 36 words apart: banks 0, 4, … 28, four lanes each
        ("reads=row&pitch=32", 1, 1, 32, 0),
        ("pitch=32&swizzle=xor&index=11", 1, 1, 32, 0),
        ("pitch=64&tile=64x64", 32, 1, 4096, 3968),  # 64 columns × 2 requests × 32
        ("pitch=68&tile=64x64", 4, 1, 512, 384),
        ("pitch=65&tile=64x64", 1, 1, 128, 0),
        ("pitch=16&tile=16x16", 8, 1, 128, 112),  # 16 lanes on banks 0 and 16
        ("pitch=32&width=8", 32, 2, 1024, 960),  # 16 lanes of each half on one pair of banks
        ("pitch=33&width=8", 2, 2, 64, 0),
        ("pitch=32&width=16", 32, 4, 1024, 896),  # 8 lanes of each quarter on the same four banks
        ("pitch=33&width=16", 4, 4, 128, 0),
        ("reads=row&pitch=32&width=8", 2, 2, 64, 0),
        ("reads=row&pitch=32&width=16", 4, 4, 128, 0),
        ("pitch=2&tile=32x1", 2, 1, 2, 1),
        # A TMA layout moves 16-byte chunks: 16-byte columns are free, 4-byte ones meet 4 by 4 in 8 chunks' banks.
        ("swizzle=tma128&width=16", 4, 4, 32, 0),
        ("swizzle=tma64&width=16", 4, 4, 16, 0),
        ("swizzle=tma32&width=16", 4, 4, 8, 0),
        ("width=16&tile=32x8&pitch=8", 32, 4, 256, 224),  # the same rows of 128 bytes without it
        ("swizzle=tma128", 4, 1, 128, 96),
        ("swizzle=tma64", 4, 1, 64, 48),
        ("swizzle=tma32", 4, 1, 32, 24),
    ],
)
def test_wavefronts_of_a_request_and_of_the_whole_tile(fragment, wavefronts, ideal, tile_wavefronts, tile_extra):
    values = figure(fragment).values()
    assert (values["wavefronts"], values["ideal"], values["extra"]) == (wavefronts, ideal, wavefronts - ideal)
    assert (values["tile_wavefronts"], values["tile_extra"]) == (tile_wavefronts, tile_extra)
    assert values["tile_ideal"] == tile_wavefronts - tile_extra


@pytest.mark.parametrize("index", range(32))
def test_no_column_of_the_xor_layout_has_a_conflict(index):
    values = figure(f"pitch=32&swizzle=xor&index={index}").values()
    assert (values["wavefronts"], values["banks_used"]) == (1, 32)


@pytest.mark.parametrize(
    ("fragment", "wavefronts", "ideal"),
    [
        ("reads=word", 1, 1),
        ("reads=word&op=store", 1, 1),
        ("reads=word&width=8", 1, 1),  # both halves of the warp merged
        ("reads=word&width=16", 2, 2),  # two quarters of each half merged
        ("reads=word&width=16&op=store", 4, 4),  # stores are never merged
        ("reads=typed", 2, 1),
        ("reads=typed&pattern=i//2", 1, 1),
        ("reads=typed&pattern=i%254*32", 4, 1),  # four words of bank 0, eight lanes each
        ("reads=typed&pattern=31-i", 1, 1),
        ("reads=typed&pattern=(i%252)*(i%2B1)-1", 1, 1),
        ("reads=typed&pattern=-1", 0, 0),
    ],
)
def test_broadcast_is_free_and_lanes_may_be_off(fragment, wavefronts, ideal):
    values = figure(fragment).values()
    assert (values["wavefronts"], values["ideal"]) == (wavefronts, ideal)
    assert "tile_wavefronts" not in values


def test_padding_costs_a_word_a_row():
    assert [figure(f"pitch={pitch}").values()["tile_bytes"] for pitch in (32, 33)] == [4096, 4224]


def test_readouts():
    wavefronts, needed, extra, turns = figure("pitch=32").readouts()
    assert (wavefronts.value, wavefronts.sub) == ("32", "whole tile: 1,024")
    assert (needed.value, needed.sub, needed.role) == ("1", "4 bytes a lane", "move")
    assert (extra.value, extra.sub, extra.role) == ("31", "whole tile: 992", "cost")
    assert (turns.value, turns.unit, turns.sub) == ("3.1", "%", "32 of 1,024")
    wavefronts, needed, extra, turns = figure("reads=word&width=8").readouts()
    assert (wavefronts.sub, extra.sub, turns.sub) == ("for this request", "added by conflicts", "2 of 32")
    assert needed.sub == "8 bytes a lane, parts merged"


def test_every_preset_is_a_state_of_its_own():
    states = []
    for preset in BankConflicts.presets:
        made = figure()
        made.apply({"preset": preset.name})
        assert (made.error, made.pressed) == ("", preset.name)
        states.append(made.state)
    assert len(set(states)) == len(states)
    assert states[0] == ""


def test_the_controls_offer_what_the_parameters_allow():
    offered = {c.param: [v for v, _ in c.options] for c in BankConflicts.controls if hasattr(c, "options")}
    assert offered == {name: BankConflicts.param[name].objects for name in offered}
    assert set(offered) == {"reads", "width", "op", "tile", "swizzle"}


# -------------------------------------------------------------------------------- the drawing


def test_cells_threads_and_lanes_show_the_trace_up_to_the_wavefront():
    rng = random.Random(43)
    for _ in range(80):
        made = random_figure(rng)
        access = made.trace.access
        at = rng.randint(1, made.steps)
        made.apply({"set": {"wavefront": at}})
        drawn = made.columns()
        words = {bank: {s.words for s in access.served if bank in s.banks} for bank in range(32)}
        cells = list(zip(drawn["cells"]["x"], drawn["cells"]["y"], drawn["cells"]["role"], strict=True))
        assert len(set(cells)) == len(cells)  # a bank works at most once a wavefront
        assert {-y for _, y, _ in cells} == set(range(1, at + 1))  # and no wavefront is empty
        if at == made.steps and not access.merged_by and made.width == 4:
            assert all(sum(x == bank for x, _, _ in cells) == len(words[bank]) for bank in range(32))
        extra = {y for _, y, role in cells if role == "cost"}
        assert len(extra) == sum(step.extra for step in access.steps[:at])
        assert {
            hatch != " " for hatch, (_, _, role) in zip(drawn["cells"]["hatch"], cells, strict=True) if role == "cost"
        } <= {True}
        active = {lane for lane, address in enumerate(access.addresses) if address >= 0}
        assert set(drawn["threads"]["x0"]) == active
        for lane, x in zip(drawn["threads"]["x0"], drawn["threads"]["x1"], strict=True):
            first = access.addresses[lane] // 4 % 32
            assert x == first + (made.width // 4 - 1) / 2
        edges = drawn["lanes"]["edge"]
        late = {s.lane for s in access.served if s.wavefront > at}
        assert {lane for lane, edge in enumerate(edges) if edge == "rest"} == late
        assert {lane for lane, edge in enumerate(edges) if edge == "surface"} == set(range(32)) - active
        assert {lane for lane, dash in enumerate(drawn["lanes"]["dash"]) if dash != "solid"} == set(range(32)) - active
        assert sum(wide > 2 for wide in drawn["threads"]["wide"]) == len(access.steps[at - 1].lanes)


def test_the_bar_counts_needed_and_extra_wavefronts_apart():
    drawn = figure("pitch=32&width=8").columns()  # two halves: 1 needed and 15 extra, twice
    spans = [
        (round(t, 2), round(b, 2), r)
        for t, b, r in zip(*(drawn["bar"][k] for k in ("top", "bottom", "role")), strict=True)
    ]
    assert spans == [
        (-0.64, -1.36, "move"),
        (-1.64, -16.36, "cost"),
        (-16.64, -17.36, "move"),
        (-17.64, -32.36, "cost"),
    ]
    assert drawn["counts"]["text"] == ["needed 2", "extra 30"]
    for fragment in ("pitch=32", "", "reads=typed", "pitch=32&width=16"):
        y = figure(fragment).columns()["counts"]["y"]
        assert y[0] - y[1] >= 1.5  # words that do not touch
    assert [len(part) for part in (figure("pitch=33&width=16").columns()["warp"]["left"], drawn["warp"]["left"])] == [
        4,
        2,
    ]


def test_notes_name_the_one_bank_and_whose_word_a_lonely_cell_holds():
    def notes(fragment: str) -> list[str]:
        return list(figure(fragment).columns()["notes"]["text"])

    assert notes("pitch=32") == ["bank 0", "lane 0", "lane 31"]
    assert notes("pitch=32&wavefront=8") == ["bank 0", "lane 0", "lane 7"]
    assert notes("reads=word&index=31") == ["bank 31", "for all 32 lanes"]
    assert notes("pitch=32&width=16") == ["banks 0–3", "lane 0", "lane 31"]
    assert notes("pitch=33") == []


def test_marks_say_what_a_lane_wants_and_a_bank_gives():
    says = figure("pitch=32&index=11").columns()["marks"]["say"]
    assert len(says) == 32 + 32
    assert says[0] == "Lane 0 asks for word 11 · bank 11 · wavefront 1"
    assert says[1] == "Lane 1 asks for word 43 · bank 11 · wavefront 2 · after 1 turn in the queue"
    assert says[7] == "Lane 7 asks for word 235 · bank 11 · wavefront 8 · after 7 turns in the queue"
    assert says[32 + 7] == "Wavefront 8 · bank 11 hands word 235 to lane 7"
    says = figure("reads=word&pitch=32").columns()["marks"]["say"]
    assert says[7] == "Lane 7 asks for word 0 · bank 0 · wavefront 1 · together with 31 other lanes"
    assert says[32] == "Wavefront 1 · bank 0 hands word 0 to lanes 0–31"
    says = figure("tile=16x16&pitch=33&width=16").columns()["marks"]["say"]
    assert says[9] == "Lane 9 asks for words 1,188–1,191 · banks 4–7 · wavefront 2"
    assert says[16] == "Lane 16 is switched off."


def test_ranges_of_lanes():
    assert [ranges(n) for n in ([], [3], [0, 1], [0, 1, 2], [0, 2, 3, 4, 31])] == ["", "3", "0, 1", "0–2", "0, 2–4, 31"]


def test_the_table_has_a_row_for_each_wavefront():
    rows = figure("").table().rows
    assert rows[0] == ("1", "needed by the width", "8", "0–7")
    assert rows[3] == ("4", "extra", "8", "24–31")
    assert len(rows) == 4


def test_sources_keep_their_columns_in_every_state():
    made = figure(hidden=True)
    wanted = {name: set(columns) for name, columns in made.columns().items()}
    fragments = [f"preset={preset.name}" for preset in BankConflicts.presets]
    for fragment in [*fragments, "reads=typed&pattern=-1", "tile=16x16&width=8"]:
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
    for fragment in ("pitch=32", "pitch=32&wavefront=3", "reads=typed&pattern=i*3", "width=16"):
        changes.clear()
        made.restore(fragment)
        assert changes
        assert sorted(model.id for model in document.models) == before


# --------------------------------------------------------------------------------- prediction


def test_the_prediction_is_answered_by_hand_and_hidden_until_then():
    made = figure("pitch=32", hidden=True)
    assert made.veiled
    # One row a lane, 32 words apart: word 32 i lies in bank 32 i mod 32 = 0 for every lane, one word a turn.
    assert made.asked().values()["wavefronts"] == len({32 * lane for lane in range(32)}) == 32
    assert (made.steps, made.at, made.active("wavefront")) == (0, 0, False)
    secrets = (
        "· bank 0",
        "1,024",
        "whole tile: 992",
        ">31<",
        "extra 31",
        ">32<",
        "Wavefronts: 32",
        "3.1",
        "'steps': 32",
    )
    for secret in secrets:
        assert secret not in shown(made), secret
    drawn = made.columns()
    assert not any(drawn[name][next(iter(drawn[name]))] for name in ("threads", "cells", "bar", "counts", "spans"))
    assert set(drawn["cups"]["role"]) == {"surface"}
    assert set(drawn["lanes"]["edge"]) == {"rest"}
    assert drawn["notes"]["text"] == ["your guess first"]
    made.apply({"commit": "16 wavefronts"})
    assert made.verdict is not None
    assert made.verdict.kind == "not_yet"
    assert "It takes 32: all 32 words lie in bank 0" in card.predict(made)
    assert all(secret in shown(made) for secret in secrets)  # they would have been found
    made.apply({"set": {"wavefront": 5}})
    made.apply({"ask": True})
    assert (made.steps, made.at) == (0, 0)
    assert made.columns()["cells"]["x"] == []


def test_the_prediction_is_not_about_the_built_state():
    made = figure(hidden=True)
    assert not made.veiled
    assert not any(readout.secret for readout in made.readouts())
    assert made.steps == 4


def test_no_wavefront_can_be_picked_while_their_number_is_asked_for():
    made = figure(hidden=True)
    with pytest.raises(ValueError, match="your guess first; then the wavefronts can be stepped through"):
        made.restore("pitch=32&wavefront=5")
    assert made.pitch == 36


# ------------------------------------------------------------------------------------- states


def random_figure(rng: random.Random) -> BankConflicts:
    pattern = ",".join(str(rng.randint(-1, rng.choice([40, 900]))) for _ in range(31)) + ",7"
    made = figure()
    while True:
        made.apply(
            {
                "set": {
                    "reads": rng.choice(["row", "column", "word", "typed"]),
                    "width": rng.choice([4, 8, 16]),
                    "op": rng.choice(["load", "store"]),
                    "tile": rng.choice(list(TILES)),
                    "pitch": rng.randint(1, 72),
                    "swizzle": rng.choice(["none", "none", "xor", "tma32", "tma64", "tma128"]),
                    "index": rng.choice([0, rng.randint(0, 31)]),
                    "pattern": pattern,
                }
            }
        )
        if not made.error:
            return made


def test_a_state_survives_its_address():
    rng = random.Random(4)
    for _ in range(60):
        made = random_figure(rng)
        made.apply({"set": {"wavefront": rng.randint(1, made.steps)}})
        again = figure(made.state)
        assert again.current() == made.current()
        assert again.values() == made.values()


def test_another_pattern_goes_back_to_the_last_wavefront():
    made = figure("pitch=32&wavefront=20")
    made.apply({"set": {"pitch": 33}})
    assert (made.error, made.at, made.wavefront) == ("", 1, None)


@pytest.mark.parametrize(
    ("fragment", "says"),
    [
        ("pitch=0", "Row pitch: 0 is outside 1 to 72"),
        ("pitch=73", "Row pitch: 73 is outside 1 to 72"),
        ("pitch=4.5", "Row pitch: “4.5” is not a whole number"),
        ("index=32", "Row or column: 32 is outside 0 to 31"),
        ("width=2", "Bytes a lane: “2” is not one of 4, 8, 16"),
        ("swizzle=zigzag", "Swizzle: “zigzag” is not one of none, xor, tma32, tma64, tma128"),
        ("tile=20x24", "Tile, rows × columns: “20x24” is not one of 32x32,"),
        ("pitch=31", "a pitch of 31 is less than a row of 32 elements; it must be at least 32"),
        ("tile=64x64", "a pitch of 36 is less than a row of 64 elements; it must be at least 64"),
        ("tile=32x8&index=8", "there is no column 8; the tile has columns 0 to 7"),
        ("tile=16x16&reads=row&index=16", "there is no row 16; the tile has rows 0 to 15"),
        ("swizzle=tma32&width=16&index=2", "there is no column 2; the tile has columns 0 to 1"),
        ("wavefront=5", "step 5 is beyond the last, 4"),
        ("wavefront=0", "Wavefront: 0 is before the first step, 1"),
        ("reads=typed&pattern=", "the pattern is empty; type 32 numbers, or an expression in i"),
        ("reads=typed&pattern=0,1", "2 numbers given; a list has 32, one a lane"),
        ("reads=typed&pattern=k*4", "“k” at position 1 is unknown; allowed are whole numbers, i,"),
        ("reads=typed&pattern=i-2", "lane 0: -2; it must be ≥ 0, or -1 for a lane that is switched off"),
        ("reads=typed&pattern=i//0", "lane 0, “//” at position 2: division by 0; the divisor must not be 0"),
        ("reads=typed&pattern=i*2000000000", "the number is too large; at most 2,147,483,647 is allowed"),
        ("bank=3", "“bank” is not a setting of this figure; it has reads, width, op,"),
    ],
)
def test_refuses(fragment, says):
    made = figure("pitch=33")
    before = made.current(), made.trace
    with pytest.raises(ValueError, match=re.escape(says)):
        made.restore(fragment)
    assert (made.current(), made.trace) == before


@pytest.mark.parametrize(
    "fragment", ["pitch=31", "tile=32x8&index=8", "reads=typed&pattern=i*", "reads=row&tile=16x16&index=16"]
)
def test_refusals_are_in_the_language_of_the_page(fragment):
    class Marked(Words):
        def __call__(self, message, /, **values):
            return "«" + super().__call__(message, **values) + "»"

    made = BankConflicts(Marked())
    made.apply({"restore": fragment})
    assert made.error.startswith("«")


def test_only_what_acts_is_offered():
    def offered(fragment: str) -> set[str]:
        made = figure(fragment)
        return {control.param for control in made.controls if made.active(control.param)}

    always = {"reads", "width", "op", "wavefront"}
    tile = {"tile", "pitch", "swizzle", "index"}
    assert offered("") == offered("reads=row") == always | tile
    assert offered("swizzle=tma64") == always | tile - {"pitch"}
    assert offered("reads=word") == always | {"index"}
    assert offered("reads=typed") == always | {"pattern"}


def test_what_is_not_offered_does_not_act():
    for fragment, others in (
        ("reads=typed", ("tile=64x64", "pitch=1", "swizzle=tma32", "index=31")),
        ("reads=word", ("op=load", "pattern=i*5", "swizzle=xor", "pitch=40", "tile=16x16")),
        ("swizzle=tma64", ("pitch=1", "pattern=i*5")),
    ):
        before = figure(fragment).values()
        for other in others:
            assert figure(f"{fragment}&{other}").values() == before, (fragment, other)


# ----------------------------------------------------------------------------------- readings


def test_every_recorded_request_is_equal_to_the_model():
    made = figure()
    for row in READING["rows"]:
        elements = [lane if lane < 0 else lane // row["width_bytes"] for lane in row["lanes"]]
        pattern = ",".join(map(str, elements))
        made.apply({"set": {"reads": "typed", "pattern": pattern, "width": row["width_bytes"], "op": row["op"]}})
        both = made.comparison()
        assert (made.error, both.model, both.recorded) == ("", row["wavefronts"], row["wavefronts"]), row["case"]
        assert made.values()["extra"] == row["bank_conflicts"]
        assert hardware.difference(made, both) == "equal"
    assert made.values()["readings"] == len(READING["rows"]) == 304


@pytest.mark.parametrize(
    "fragment",
    [
        "", "pitch=32", "pitch=33", "pitch=32&swizzle=xor", "swizzle=tma128&width=16", "reads=row",
        "reads=row&width=16", "reads=word", "reads=typed", "pitch=33&op=store&width=8",
    ],
)  # fmt: skip
def test_the_presets_addresses_have_been_read_from_hardware(fragment):
    made = figure(fragment)
    both = made.comparison()
    assert both.recorded == both.model == made.values()["recorded"]
    assert both.device == "H200"
    counter = "st.sum" if "store" in fragment else "ld.sum"
    for part in ("NVIDIA H200", "2026-11-29", "580.159.04", "CUDA 13.0", "Nsight Compute", f"shared_op_{counter}"):
        assert part in both.provenance


def test_a_state_without_a_reading_says_so():
    made = figure("pitch=32&swizzle=xor&index=11")
    assert made.comparison().recorded is None
    assert "no reading yet" in hardware.hardware(made)
    assert "have not been run under the profiler yet" in hardware.hardware(made)
    assert "recorded" not in made.values()
    assert figure("", readings=()).comparison().recorded is None


def test_one_wavefront_more_in_one_reading_is_a_stated_difference():
    changed = copy.deepcopy(READING)
    row = next(r for r in changed["rows"] if (r["case"], r["op"], r["width_bytes"]) == ("stride36", "load", 4))
    row["wavefronts"] += 1
    assert ">equal<" in hardware.hardware(figure())
    assert ">1 apart<" in hardware.hardware(figure(readings=(changed, TIMES)))
    assert ">equal<" in hardware.hardware(figure("pitch=33", readings=(changed, TIMES)))
