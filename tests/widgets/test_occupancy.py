"""Figure 3.4: the worked cases, what users get wrong, the drawing, what the prediction hides, refusals, readings."""

import copy
import json
import random
import re
from itertools import pairwise
from pathlib import Path

import pytest
from bokeh.document import Document

from sim.gpus import multiprocessor
from widgets import card, hardware
from widgets.occupancy import Occupancy
from widgets.sm_layout import level
from widgets.words import Words

ROOT = Path(__file__).parents[2]
READING = json.loads((ROOT / "chapters/recorded/h200/occupancy.json").read_text("utf-8"))


def figure(fragment: str = "", readings=(READING,), hidden: bool = False) -> Occupancy:
    made = Occupancy(Words(), readings)
    if not hidden:
        made.apply({"skip": True})
    if fragment:
        made.restore(fragment)
    return made


def state(cc: str, threads: int, registers: int, shared: int) -> str:
    return f"cc={cc}&threads={threads}&registers={registers}&kib={shared // 1024}&bytes={shared % 1024}"


def shown(made: Occupancy) -> str:
    """What a reader can meet of a state, but the question itself and the controls."""
    parts = {name: part for name, part in card.update(made).items() if name not in ("predict", "controls", "state")}
    drawn = made.columns()
    texts = ("block_names", "shelf_names", "rooms", "limits", "details", "point_wide", "point_phone")
    return str([parts, drawn["marks"]["say"], [drawn[name]["text"] for name in texts]])


# ------------------------------------------------- worked with NVIDIA's header, and what users get wrong

W, R, S, K = "warp slots", "registers", "shared memory", "block slots"
WORKED = [  # state; blocks by warps, registers, shared memory and slots; blocks, warps, percent as printed; limiters
    (("9.0", 256, 32, 0), (8, 8, 228, 32), 8, 64, "100", {W, R}),
    (("9.0", 256, 64, 0), (8, 4, 228, 32), 4, 32, "50", {R}),
    (("9.0", 256, 65, 0), (8, 3, 228, 32), 3, 24, "37.5", {R}),
    (("9.0", 64, 88, 0), (32, 10, 228, 32), 10, 20, "31.2", {R}),
    (("9.0", 384, 168, 229_376), (5, 1, 1, 32), 1, 12, "18.8", {R, S}),
    (("9.0", 128, 32, 49_152), (16, 16, 4, 32), 4, 16, "25", {S}),
    (("9.0", 32, 32, 0), (64, 64, 228, 32), 32, 32, "50", {K}),
    (("9.0", 1024, 64, 0), (2, 1, 228, 32), 1, 32, "50", {R}),
    (("9.0", 1024, 65, 0), (2, 0, 228, 32), 0, 0, "0", {R}),
    (("9.0", 672, 96, 0), (3, 0, 228, 32), 0, 0, "0", {R}),
    (("9.0", 100, 32, 0), (16, 16, 228, 32), 16, 64, "100", {W, R}),
    (("9.0", 64, 32, 6272), (32, 32, 32, 32), 32, 64, "100", {W, R, S, K}),
    (("9.0", 64, 32, 6273), (32, 32, 31, 32), 31, 62, "96.9", {S}),
    (("10.0", 192, 168, 100_000), (10, 2, 2, 32), 2, 12, "18.8", {R, S}),
    (("10.0", 128, 255, 232_448), (16, 2, 1, 32), 1, 4, "6.2", {S}),
    (("10.0", 128, 255, 232_449), (16, 2, 0, 32), 0, 0, "0", {S}),
    (("8.0", 256, 128, 0), (8, 2, 164, 32), 2, 16, "25", {R}),
    (("8.0", 256, 32, 41_984), (8, 8, 3, 32), 3, 24, "37.5", {S}),
    (("8.0", 192, 40, 0), (10, 8, 164, 32), 8, 48, "75", {R}),
    (("8.6", 1024, 37, 8192), (1, 1, 11, 16), 1, 32, "66.7", {W, R}),
    (("8.6", 64, 32, 0), (24, 32, 100, 16), 16, 32, "66.7", {K}),
    (("8.9", 64, 32, 0), (24, 32, 100, 24), 24, 48, "100", {W, K}),
    (("12.0", 64, 32, 0), (24, 32, 100, 24), 24, 48, "100", {W, K}),
    (("8.9", 256, 48, 24_576), (6, 5, 4, 24), 4, 32, "66.7", {S}),
    (("8.9", 256, 48, 24_577), (6, 5, 3, 24), 3, 24, "50", {S}),
    (("12.0", 256, 40, 0), (6, 6, 100, 24), 6, 48, "100", {W, R}),
    (("12.0", 128, 128, 32_768), (12, 4, 3, 24), 3, 12, "25", {S}),
    (("12.0", 128, 64, 49_152), (12, 8, 2, 24), 2, 8, "16.7", {S}),
    (("12.0", 256, 255, 98_304), (6, 1, 1, 24), 1, 8, "16.7", {R, S}),
    (("12.0", 512, 32, 101_376), (3, 4, 1, 24), 1, 16, "33.3", {S}),
    (("7.5", 256, 72, 16_384), (4, 3, 4, 16), 3, 24, "75", {R}),
    (("7.5", 64, 32, 4096), (16, 32, 16, 16), 16, 32, "100", {W, S, K}),
    (("7.0", 128, 40, 24_576), (16, 12, 4, 32), 4, 16, "25", {S}),
    (("7.0", 256, 32, 8193), (8, 8, 11, 32), 8, 64, "100", {W, R}),
    # Registers ÷ threads ignores warps: 65,536 ÷ (224 × 92) is 3.
    (("9.0", 224, 92, 0), (9, 2, 228, 32), 2, 14, "21.9", {R}),
    (("9.0", 256, 33, 0), (8, 6, 228, 32), 6, 48, "75", {R}),
    # 2 × 114 KiB are 228 KiB, but each block takes 1 KiB more.
    (("9.0", 256, 64, 114 * 1024), (8, 4, 1, 32), 1, 8, "12.5", {S}),
    (("9.0", 256, 64, 113 * 1024), (8, 4, 2, 32), 2, 16, "25", {S}),
    (("9.0", 256, 32, 32 * 1024), (8, 8, 6, 32), 6, 48, "75", {S}),
    (("9.0", 256, 32, 31 * 1024), (8, 8, 7, 32), 7, 56, "87.5", {S}),
    (("9.0", 96, 32, 0), (21, 21, 228, 32), 21, 63, "98.4", {W, R}),
    (("9.0", 33, 32, 0), (32, 32, 228, 32), 32, 64, "100", {W, R, K}),
]


@pytest.mark.parametrize("row", WORKED, ids=lambda row: "-".join(map(str, row[0])))
def test_worked_cases(row):
    kernel, by, blocks, warps, percent, limiters = row
    made = figure(state(*kernel))
    values = made.values()
    names = ("warps", "registers", "shared_memory", "slots")
    assert tuple(values[f"blocks_by_{name}"] for name in names) == by
    assert (values["blocks"], values["warps"], values["limiters"]) == (blocks, warps, len(limiters))
    assert made.readouts()[2].value == percent
    limits = {resource[0].lower() + resource[1:] for resource, *_, fits, _ in made.table().rows if "limit" in fits}
    assert limits == limiters


@pytest.mark.parametrize(
    ("preset", "blocks", "warps", "percent", "more"),
    [
        ("registers_64", 4, 32, "50", (3, 3, 4)),
        ("registers_32", 8, 64, "100", (7, 6, 8)),
        ("registers_33", 6, 48, "75", (5, 6, 6)),
        ("registers_65", 3, 24, "37.5", (3, 3, 3)),
        ("odd_block", 2, 14, "21.9", (2, 2, 2)),
        ("partitions", 10, 20, "31.2", (6, 10, 10)),
        ("kib_114", 1, 8, "12.5", (1, 1, 1)),
        ("kib_113", 2, 16, "25", (2, 2, 1)),
        ("threads_96", 21, 63, "98.4", (16, 16, 21)),
        ("threads_33", 32, 64, "100", (32, 24, 32)),
        ("too_large", 0, 0, "0", (None, 0, 0)),
    ],
)
def test_presets(preset, blocks, warps, percent, more):
    made = figure()
    made.apply({"preset": preset})
    values = made.values()
    assert (made.error, made.pressed, values["blocks"], values["warps"]) == ("", preset, blocks, warps)
    assert made.readouts()[2].value == percent
    assert tuple(values.get(f"one_more_{name}") for name in ("thread", "register", "byte")) == more


def test_there_are_no_other_presets_and_each_is_a_state_of_its_own():
    states = []
    for preset in Occupancy.presets:
        made = figure()
        made.apply({"preset": preset.name})
        states.append(made.state)
    assert len(set(states)) == len(states) == 11


@pytest.mark.parametrize(("fragment", "naive"), [("threads=224&registers=92", 3), ("registers=33", 7),
                                                 ("threads=64&registers=88", 11)])  # fmt: skip
def test_registers_over_threads_says_one_block_too_many(fragment, naive):
    values = figure(fragment).values()
    assert values["naive_blocks"] == naive == values["blocks"] + 1


def test_twice_114_kib_fit_by_division_only():
    values = figure("kib=114").values()
    assert (values["naive_shared_blocks"], values["blocks"]) == (2, 1)
    assert values["shared_allocated"] == 115 * 1024
    assert "naive_shared_blocks" not in figure().values()


def test_33_threads_idle_31_of_64_lanes():
    values = figure("threads=33&registers=32").values()
    assert (values["warps_per_block"], values["idle_lanes_per_block"]) == (2, 31)
    assert (values["idle_lanes"], values["lanes"]) == (32 * 31, 32 * 64)


def test_a_resource_without_a_limit_has_no_number():
    values = figure("cc=7.0&threads=32&registers=16").values()  # no reserve there, and nothing asked for
    assert "blocks_by_shared_memory" not in values
    assert figure("cc=7.0").table().rows[2][5] == "any number"
    assert "one_more_thread" not in figure("threads=1024").values()
    assert "one_more_register" not in figure("registers=255").values()


def test_readouts():
    blocks, warps, percent, more = figure().readouts()
    assert (blocks.value, blocks.sub) == ("4", "8 warps each")
    assert (warps.value, warps.sub, warps.role) == ("32", "of 64 slots", "compute")
    assert (percent.value, percent.unit, percent.sub) == ("50", "%", "limit: registers")
    assert (more.label, more.value, more.unit, more.sub, more.role) == (
        "One more register", "3", "blocks", "thread: 3, byte: 4", "cost",
    )  # fmt: skip
    more = figure("axis=shared_memory&kib=113").readouts()[3]
    assert (more.label, more.value, more.unit, more.sub) == ("One more byte", "1", "block", "thread: 2, register: 2")
    more = figure("axis=threads&threads=1024").readouts()[3]
    assert (more.value, more.sub, more.role) == ("–", "there is none", "")
    assert figure("registers=32").readouts()[2].sub == "2 limits at once"
    assert figure("threads=33&registers=32").readouts()[2].sub == "3 limits at once"
    assert "limited by warp slots and registers." in figure("registers=32").summary()
    assert "limited by warp slots, registers and block slots" in figure("threads=33&registers=32").summary()


def test_a_kernel_that_cannot_be_launched_says_why():
    made = figure("threads=672&registers=96")
    assert made.readouts()[0].sub == "cannot be launched"
    assert "One partition would have to hold 6 warps × 3,072 registers; it has 16,384." in made.summary()
    made = figure(state("8.6", 32, 32, 101_377))
    assert "A block asks for 101,377 bytes of shared memory; it may have 101,376." in made.summary()


def test_the_controls_offer_what_the_parameters_allow():
    offered = {c.param: [v for v, _ in c.options] for c in Occupancy.controls if hasattr(c, "options")}
    assert offered == {name: Occupancy.param[name].objects for name in ("cc", "axis")}


# -------------------------------------------------------------------------------- the drawing


def random_state(rng: random.Random) -> str:
    cc = rng.choice(Occupancy.param.cc.objects)
    axis = rng.choice(Occupancy.param.axis.objects)
    shared = rng.choice([0, rng.randint(0, 60_000), rng.randint(0, 233_472)])
    return state(cc, rng.randint(1, 1024), rng.randint(1, 255), shared) + f"&axis={axis}"


def boxes(columns) -> list[tuple[float, float, float, float]]:
    return list(zip(*(columns[side] for side in ("left", "right", "bottom", "top")), strict=True))


def apart(some) -> bool:
    """Whether boxes of one row do not overlap."""
    rows: dict[tuple[float, float], list[tuple[float, float]]] = {}
    for left, right, bottom, top in some:
        rows.setdefault((bottom, top), []).append((left, right))
    return all(a[1] <= b[0] + 1e-9 for row in rows.values() for a, b in pairwise(sorted(row)))


def test_the_shelves_show_every_block_and_warp_and_all_that_is_unused():
    rng = random.Random(34)
    for _ in range(120):
        made = figure(random_state(rng))
        drawn, fits, sm = made.columns(), made.trace.fits, multiprocessor(made.cc)
        assert len(drawn["block_frames"]["left"]) == len(drawn["block_names"]["x"]) == fits.blocks_per_sm
        assert len(drawn["warp_bars"]["left"]) == fits.warps_per_sm
        slots = [box for box in boxes(drawn["unused"]) if box[1] - box[0] < 1]
        assert len(slots) == sm.warps - fits.warps_per_sm + sm.blocks - fits.blocks_per_sm
        assert apart(boxes(drawn["warp_bars"]))
        assert apart(boxes(drawn["block_frames"]))
        assert apart(boxes(drawn["shares"]))
        for name in ("warp_bars", "block_frames", "shares", "reserve", "no_threads"):
            assert all(0 <= left <= right <= 1 + 1e-9 for left, right, *_ in boxes(drawn[name])), name
        for frame, warps in zip(boxes(drawn["block_frames"]), range(fits.blocks_per_sm), strict=True):
            inside = [box for box in boxes(drawn["warp_bars"]) if frame[0] <= box[0] and box[1] <= frame[1]]
            assert len(inside) == fits.warps_per_block, warps
        held = fits.warps_per_sm if fits.registers_per_warp else 0
        assert len(drawn["shares"]["left"]) == held + fits.blocks_per_sm * (1 + (fits.shared_bytes_per_block > 0))
        over = fits.shared_bytes_allocated > fits.shared_bytes_per_block
        assert len(drawn["reserve"]["left"]) == fits.blocks_per_sm * over


def test_the_next_block_sticks_out_of_every_shelf_that_limits_and_of_no_other():
    rng = random.Random(35)
    for _ in range(120):
        made = figure(random_state(rng))
        drawn = made.columns()
        past = boxes(drawn["beyond"])
        assert all(1 <= left < right <= 1.08 for left, right, *_ in past)
        for name in ("warps", "registers", "shared_memory", "blocks"):
            bottom, top = level(name)
            sticks_out = any(bottom <= box[2] and box[3] <= top for box in past)
            assert sticks_out == (name in made.trace.fits.limiters), (made.state, name)
        assert drawn["next"]["role"] == ["cost"] * len(drawn["next"]["role"])


def test_registers_that_no_warp_can_use_are_seen_in_the_partitions():
    made = figure("threads=64&registers=88")
    strips = [box for box in boxes(made.columns()["shares"]) if 0.165 < box[1] - box[0] < 0.175]  # 2,816 of 16,384
    assert len(strips) == 20
    assert max(right for _, right, *_ in strips) == pytest.approx(5 * 2816 / 16_384, abs=0.002)
    says = made.columns()["marks"]["say"]
    assert "Partition 0 · 5 warps × 2,816 registers · 2,304 of 16,384 left" in says


def test_marks_say_what_they_hold():
    says = figure("threads=33&registers=32").columns()["marks"]["say"]
    assert says[0] == "Block 0 · 2 warps · 2,048 registers · 1,024 bytes of shared memory"
    assert says[32] == "Warp 0 · block 0 · partition 0 · 1,024 registers · 32 threads"
    assert says[33] == "Warp 1 · block 0 · partition 1 · 1,024 registers · 1 thread, 31 lanes idle"
    assert "The next block needs 2 warp slots; 0 are left." in says
    assert "The next block needs 1 block slot; 0 are left." in says
    says = figure("threads=224&registers=92").columns()["marks"]["say"]
    assert "The next block has 7 warps of 3,072 registers; for 1 of them no partition has room." in says
    assert "50 warp slots are unused" in says
    assert "33 to 40 registers · 6 blocks, 42 warps · 65.6 % · limited by registers" in says  # ⌊12 · 4 / 7⌋ = 6
    says = figure("kib=113").columns()["marks"]["say"]
    assert "The next block needs 116,736 bytes of shared memory; 0 are left." in says
    assert "Shared memory · 233,472 of 233,472 used · 0 left" in says


def test_the_stairs_are_the_model_and_the_point_lies_on_them():
    rng = random.Random(36)
    for _ in range(120):
        made = figure(random_state(rng))
        drawn, trace = made.columns(), made.trace
        treads = list(zip(drawn["treads"]["x0"], drawn["treads"]["x1"], drawn["treads"]["y0"], strict=True))
        assert treads[0][0] == (1 / 1024 if made.axis == "threads" else 0)
        assert treads[-1][1] == 1
        assert all(a[1] == pytest.approx(b[0]) for a, b in pairwise(treads))
        (x,), (y,) = drawn["point"]["x"], drawn["point"]["y"]
        assert any(left - 1e-9 <= x <= right + 1e-9 and height == y for left, right, height in treads), made.state
        falls = trace.one_more is not None and trace.one_more.warps_per_sm < trace.fits.warps_per_sm
        assert len(drawn["cliff"]["x0"]) == falls
        ends = sorted({drawn["levels"]["y0"][i] for i in range(3)})
        share = (y - ends[0]) / (ends[2] - ends[0])
        assert share == pytest.approx(trace.fits.occupancy)


def test_sources_keep_their_columns_in_every_state():
    made = figure(hidden=True)
    wanted = {name: set(columns) for name, columns in made.columns().items()}
    rng = random.Random(37)
    for _ in range(60):
        made.restore(random_state(rng))
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
    for fragment in ("registers=33", "threads=33&axis=threads", "kib=113&axis=shared_memory", "cc=7.5"):
        changes.clear()
        made.restore(fragment)
        assert changes
        assert ids(document) == before


# --------------------------------------------------------------------------------- prediction


def test_the_prediction_is_answered_by_hand_and_hidden_until_then():
    made = figure("threads=224&registers=92", hidden=True)
    assert made.veiled
    # 92 registers are 96 to a warp: 16,384 // 3,072 = 5 warps a partition, 20 on the SM, 7 a block
    assert made.asked().values()["blocks"] == 16_384 // (32 * 96) * 4 // 7 == 2
    secrets = (">2<", "2 blocks", "21.9", "3,072", "43,008")
    for secret in secrets:
        assert secret not in shown(made), secret
    assert len(made.columns()["block_frames"]["left"]) == 1  # what one block takes, and nothing more
    assert not made.columns()["treads"]["x0"]
    made.apply({"commit": "3"})
    assert made.verdict.kind != "right"
    assert "2 fit, not 3: a warp is given 96 registers a thread" in str(card.predict(made))
    missing = {secret for secret in secrets if secret not in shown(made)}
    assert not missing
    made.apply({"ask": True})
    assert len(made.columns()["block_frames"]["left"]) == 1
    made.apply({"commit": "2"})
    assert made.verdict.kind == "right"


def test_no_preset_is_one_step_from_what_the_prediction_asks():
    asked = figure("threads=224&registers=92", hidden=True).current()
    for preset in Occupancy.presets:
        state = figure(hidden=True).complete(preset.state)
        other = {name for name in ("cc", "threads", "registers", "kib", "bytes") if state[name] != asked[name]}
        near = len(other) == 1 and abs(state[name := other.pop()] - asked[name]) == 1 if other else False
        assert not near, f"{preset.name} says what one more costs, which is the answer"


def test_the_prediction_is_not_about_the_built_state():
    assert not figure(hidden=True).veiled


# ------------------------------------------------------------------------------------- states


def test_a_state_survives_its_address():
    rng = random.Random(7)
    for _ in range(60):
        made = figure(random_state(rng))
        again = figure(made.state)
        assert again.current() == made.current()
        assert again.values() == made.values()


@pytest.mark.parametrize(
    ("fragment", "says"),
    [
        ("threads=0", "Threads a block: 0 is outside 1 to 1,024"),
        ("threads=1025", "Threads a block: 1,025 is outside 1 to 1,024"),
        ("registers=256", "Registers a thread: 256 is outside 1 to 255"),
        ("registers=x", "Registers a thread: “x” is not a whole number"),
        ("kib=229", "Shared memory a block: 229 is outside 0 to 228"),
        ("bytes=1024", "and on top of it: 1,024 is outside 0 to 1,023"),
        ("cc=6.1", "Compute capability: “6.1” is not one of 7.0, 7.5"),
        ("axis=time", "Curve over: “time” is not one of threads,"),
        ("block=4", "“block” is not a setting of this figure"),
    ],
)
def test_refuses(fragment, says):
    made = figure("registers=40")
    before = made.current(), made.trace
    with pytest.raises(ValueError, match=re.escape(says)):
        made.restore(fragment)
    assert (made.current(), made.trace) == before


# ----------------------------------------------------------------------------------- readings


def test_every_recorded_launch_is_a_state_that_says_equal():
    rows = READING["rows"]
    assert len(rows) == figure().values()["readings"] == 1880
    made = figure()
    for row in random.Random(1880).sample(rows, 150):
        made.restore(state("9.0", row["threads_per_block"], row["registers_per_thread"], row["dynamic_shared_bytes"]))
        both = made.comparison()
        assert both.recorded == row["blocks_per_sm"] == both.model == made.values()["recorded"]
        assert hardware.difference(made, both) == "equal"


def test_the_driver_asked_by_the_box_says_the_same():
    """Other registers, threads and bytes than the table has; cuOccupancy… instead of cudaOccupancy…."""
    asked = json.loads((ROOT / "chapters/recorded/h200/blocks_per_sm.json").read_text("utf-8"))
    made = Occupancy(readings=[READING, asked])
    assert made.values()["readings"] == len(READING["rows"]) + len(asked["rows"])
    for row in asked["rows"]:
        made.restore(state("9.0", row["threads_per_block"], row["registers_per_thread"], row["dynamic_shared_bytes"]))
        assert made.comparison().recorded == row["blocks_per_sm"] == made.trace.fits.blocks_per_sm
    assert "cuOccupancyMaxActiveBlocksPerMultiprocessor" in hardware.hardware(made)


def test_the_strip_says_model_6_h200_6_equal():
    row = next(row for row in READING["rows"] if row["blocks_per_sm"] == 6)
    made = figure(state("9.0", row["threads_per_block"], row["registers_per_thread"], row["dynamic_shared_bytes"]))
    strip = hardware.hardware(made)
    assert strip.count('<div class="v">6</div>') == 2
    assert "Recorded, H200" in strip
    assert "equal" in strip
    assert "2026-11-29, driver 580.159.04, CUDA 13.0" in strip


@pytest.mark.parametrize("fragment", ["registers=63", "cc=10.0", "cc=8.0", "bytes=7", "threads=255"])
def test_a_launch_that_was_not_recorded_says_so(fragment):
    made = figure(fragment)
    assert made.comparison().recorded is None
    assert "recorded" not in made.values()
    assert "no reading yet" in hardware.hardware(made)
    assert "The 1,880 readings are of other launches" in hardware.hardware(made)


def test_one_block_more_in_any_one_reading_is_seen():
    same = [
        at
        for at, row in enumerate(READING["rows"])
        if (row["threads_per_block"], row["registers_per_thread"], row["dynamic_shared_bytes"]) == (256, 64, 0)
    ]
    assert len(same) == 2  # two kernels of this shape
    for at in same:
        changed = copy.deepcopy(READING)
        changed["rows"][at]["blocks_per_sm"] += 1
        made = figure(readings=(changed,))
        both = made.comparison()
        assert (both.model, both.recorded) == (4, 5)
        assert hardware.difference(made, both) == "1 apart"
        assert "equal" not in hardware.hardware(made)


def test_without_a_reading_the_figure_stands_too():
    made = figure(readings=())
    assert made.comparison().recorded is None
    assert made.values()["blocks"] == 4
    assert "readings" not in made.values()


@pytest.mark.parametrize(("tag", "px"), [("wide", 530 / 530), ("phone", 468 / 530)])
def test_the_two_lines_at_the_point_do_not_cover_each_other(tag, px):
    rows = figure("registers=64").columns()[f"point_{tag}"]
    (low, high), ground = rows["y"], {"wide": 14, "phone": 15}[tag]  # px of a line with its ground
    assert (high - low) * px >= ground
