"""Figure 4.1: every number of its specification, the two halves step by step, what the prediction hides, refusals."""

import random
import re

import pytest

from widgets import card
from widgets.reuse import ReuseInBlock
from widgets.reuse_halves import WORDS, Half, place
from widgets.words import Words


def figure(fragment: str = "", hidden: bool = False) -> ReuseInBlock:
    made = ReuseInBlock(Words())
    if not hidden:
        made.apply({"skip": True})
    if fragment:
        made.restore(fragment)
    return made


def shown(made: ReuseInBlock) -> str:
    """What a reader can meet of a state, but the question itself and the controls."""
    parts = {name: part for name, part in card.update(made).items() if name not in ("predict", "controls", "state")}
    columns = made.columns()
    texts = [columns[name]["text"] for name in ("times", "labels", "totals", "pages", "price", "note")]
    return str([parts, columns["marks"]["say"], texts])


# --------------------------------------------------------------------- the numbers of figures.md


def test_128_threads_that_need_the_same_128_values():
    told = figure().values()
    assert (told["direct_loads"], told["staged_loads"]) == (16_384, 128)
    assert (told["direct_requests"], told["staged_requests"]) == (512, 4)
    # Each of the 512 requests moves a sector of 32 bytes; the 128 floats are 512 bytes.
    assert (told["direct_bytes"], told["staged_bytes"]) == (512 * 32, 512)
    assert (told["moved_times"], told["loads_ratio"], told["saved_bytes"]) == (32, 128, 15_872)
    # The price: room, a barrier, and every value through shared memory.
    assert (told["shared_bytes"], told["shared_limit"], told["barriers"]) == (512, 48 * 1024, 1)
    assert (told["shared_stores"], told["shared_loads"], told["shared_requests"]) == (4, 512, 516)
    assert (told["direct_all_requests"], told["staged_all_requests"]) == (512, 520)


def test_a_cache_that_hits_leaves_nothing_to_save_but_the_requests():
    told = figure("cache=hits").values()
    assert (told["direct_bytes"], told["staged_bytes"], told["saved_bytes"]) == (512, 512, 0)
    assert (told["direct_requests"], told["staged_requests"]) == (512, 4)
    assert (told["direct_bytes_uncached"], told["direct_bytes_cached"]) == (16_384, 512)


@pytest.mark.parametrize(
    ("fragment", "loads", "requests", "moved", "in_all"),
    [
        ("each=8", (1024, 8), (32, 1), (1024, 32), (32, 34)),
        ("each=32&readers=32", (4096, 128), (128, 4), (4096, 512), (128, 136)),
        ("each=4&readers=1", (512, 512), (16, 16), (2048, 2048), (16, 48)),
        ("each=1&readers=1", (128, 128), (4, 4), (512, 512), (4, 12)),
        ("each=1", (128, 1), (4, 1), (128, 32), (4, 6)),
        ("each=16&readers=8", (2048, 256), (64, 8), (2048, 1024), (64, 80)),
    ],
)
def test_other_blocks(fragment, loads, requests, moved, in_all):
    told = figure(fragment).values()
    assert (told["direct_loads"], told["staged_loads"]) == loads
    assert (told["direct_requests"], told["staged_requests"]) == requests
    assert (told["direct_bytes"], told["staged_bytes"]) == moved
    assert (told["direct_all_requests"], told["staged_all_requests"]) == in_all


def test_staging_loses_where_nothing_is_shared():
    told = figure("preset=own").values()
    assert told["saved_bytes"] == 0
    assert told["staged_all_requests"] == 3 * told["direct_all_requests"]
    assert (told["shared_bytes"], told["barriers"]) == (2048, 1)


def test_what_does_not_fit_cannot_be_staged():
    made = figure("preset=too_large")
    assert (made.values()["shared_bytes"], made.values()["fits"]) == (65_536, 0)
    assert made.columns()["note"]["text"] == ["65,536 B do not fit into the 49,152 B of shared memory"]
    assert {readout.sub for readout in made.readouts()} == {"staged: does not fit"}
    assert made.steps == 128
    assert figure("each=96&readers=1").values()["fits"] == 1  # 96 × 128 × 4 bytes are 48 KiB
    assert figure("each=97&readers=1").values()["fits"] == 0


def test_readouts():
    loads, requests, moved, in_all = figure().readouts()
    assert (loads.value, loads.sub) == ("16,384", "staged: 128")
    assert (requests.value, requests.sub) == ("512", "staged: 4")
    assert (moved.value, moved.unit, moved.sub, moved.role) == ("16,384", "B", "staged: 512", "cost")
    assert (in_all.value, in_all.sub) == ("512", "staged: 520")
    assert figure("cache=hits").readouts()[2].role == "move"


def test_every_preset_is_a_state_of_its_own():
    states = []
    for preset in ReuseInBlock.presets:
        made = figure()
        made.apply({"preset": preset.name})
        assert (made.error, made.pressed) == ("", preset.name)
        states.append(made.state)
    assert len(set(states)) == len(states)
    assert states[0] == ""


def test_the_controls_offer_what_the_parameters_allow():
    offered = {c.param: [v for v, _ in c.options] for c in ReuseInBlock.controls if hasattr(c, "options")}
    assert offered == {name: ReuseInBlock.param[name].objects for name in offered}
    assert set(offered) == {"readers", "cache"}


# -------------------------------------------------------------------------------- the drawing


def test_one_thread_a_sector_asked_for():
    drawn = figure().columns()
    assert len(drawn["loads"]["x0"]) == 512
    assert drawn["loads"]["role"].count("move") == 16  # the rest move what was moved before
    assert drawn["loads"]["role"].count("cost") == 512 - 16
    assert len(drawn["staging"]["x0"]) == 16
    assert len(drawn["reads"]["x0"]) == 512
    assert figure("cache=hits").columns()["loads"]["role"].count("cost") == 0


def test_sectors_say_how_often_they_moved():
    drawn = figure().columns()
    assert drawn["times"]["text"] == ["× 32"] * 16 + ["× 1"] * 16
    assert drawn["labels"]["text"] == [
        "device memory, sectors × 32", "device memory, sectors × 1", "shared memory",
    ]  # fmt: skip
    assert figure("step=60").columns()["labels"]["text"][0] == "device memory, sectors × 16–32"
    assert drawn["sectors"]["role"] == ["cost"] * 16 + ["move"] * 16
    assert len(drawn["strokes"]["x0"]) == 128  # every word above that came again
    assert figure("cache=hits").columns()["times"]["text"] == ["× 1"] * 32
    few = figure("each=8").columns()
    assert few["times"]["text"] == ["× 32", "× 1"]
    assert few["sectors"]["role"] == ["cost"] + ["cell"] * 15 + ["move"] + ["cell"] * 15


def test_both_ways_side_by_side_instruction_by_instruction():
    made = figure()
    assert made.steps == 1 + 1 + 1 + 128
    for step, upper, lower, full, passed in (
        (1, "4 requests · 128 B", "4 requests · 512 B", 0, False),  # value 0 for each warp; a line for each warp
        (2, "8 requests · 256 B", "4 requests · 512 B", 16, False),  # stored
        (3, "12 requests · 384 B", "4 requests · 512 B", 16, True),  # the barrier
        (4, "16 requests · 512 B", "4 requests · 512 B", 16, True),
        (128, "512 requests · 16,384 B", "4 requests · 512 B", 16, True),
        (131, "512 requests · 16,384 B", "4 requests · 512 B", 16, True),
    ):
        made.apply({"set": {"step": step}})
        drawn = made.columns()
        assert drawn["totals"]["text"] == [upper, lower]
        assert drawn["shared"]["role"].count("move") == full
        assert set(drawn["barrier"]["role"]) == {"ink" if passed else "surface"}
        assert len(drawn["loads"]["x0"]) == 4 * min(step, 128)
        assert len(drawn["reads"]["x0"]) == 4 * max(0, step - 3)
        bold = [wide for wide in drawn["loads"]["wide"] if wide == 2]
        assert len(bold) == (4 if step <= 128 else 0)


def test_ticks_show_which_threads_take_part():
    def ticks(fragment: str) -> tuple[list[str], list[str]]:
        roles = figure(fragment).columns()["ticks"]["role"]
        return roles[:128], roles[128:]

    assert ticks("step=1") == (["move"] * 128, ["move"] * 128)
    assert ticks("step=3")[1] == ["idle"] * 128
    assert ticks("step=131") == (["rest"] * 128, ["ink"] * 128)  # above, all is over
    assert ticks("each=8&step=1")[1] == ["move"] * 8 + ["surface"] * 120  # eight values, eight loads
    assert ticks("") == (["rest"] * 128, ["rest"] * 128)


def test_the_elements_asked_for_now_are_framed_once():
    def frames(fragment: str) -> list[tuple[float, float]]:
        now = figure(fragment).columns()["now"]
        return [(left, right) for left, right in zip(now["left"], now["right"], strict=True)]

    one = place(64)
    assert frames("step=65") == [(one - 0.3, one + 1.3), (place(61) - 0.3, place(61) + 1.3)]
    side_by_side = frames("each=32&readers=32&step=5")  # four warps, four elements in a row
    assert side_by_side[0] == (place(16) - 0.3, place(19) + 1.3)
    assert len(frames("step=1")) == 1 + 4  # one value; the four lines of the pass
    assert len(frames("step=3")) == 1  # nothing at the barrier
    assert frames("") == []


def test_the_elements_shown_follow_the_instruction():
    made = figure("preset=own")
    assert made.steps == 4 * 2 + 1 + 4
    assert made.columns()["pages"]["text"] == ["values 384–511 of 512"] * 2
    made.apply({"set": {"step": 2}})
    assert made.columns()["pages"]["text"] == ["values 128–255 of 512", "values 0–127 of 512"]
    made.apply({"set": {"step": 10}})  # 8 to stage, the barrier, the first read
    assert made.columns()["pages"]["text"] == ["values 384–511 of 512", "values 0–127 of 512"]
    assert made.columns()["shared"]["role"] == ["move"] * 16
    assert figure().columns()["pages"]["text"] == []


def test_a_half_never_draws_outside_its_room():
    rng = random.Random(41)
    for _ in range(40):
        made = random_figure(rng)
        drawn = made.columns()
        for name in ("loads", "staging", "reads"):
            assert all(0 <= x <= place(WORDS) for x in drawn[name]["x1"]), name
        for name in ("now", "sectors", "shared"):
            assert all(x > -1 for x in drawn[name]["left"])
            assert all(x < place(WORDS) + 1 for x in drawn[name]["right"])
        moved = figure(made.state).values()["direct_bytes"]
        walk = made.trace
        half = Half(walk, walk.direct, len(walk.direct), False, made.cache == "hits")
        assert 32 * half.moves == moved


def test_marks_are_sectors_warps_and_every_thread():
    says = figure("step=64").columns()["marks"]["say"]
    assert len(says) == (16 + 4 + 128) + (16 + 16 + 1 + 4 + 128)
    assert says[0] == "Device memory, values 0–7, one sector · 32 requests asked for it · moved 32 times"
    assert says[8] == "Device memory, values 64–71, one sector · not asked for yet"
    assert says[16] == "Warp 0 · 64 requests to device memory so far"
    assert says[17 + 13] == (
        "Thread 13, lane 13 of warp 0 · has 64 of its 128 values · loads value 63 from device memory"
    )
    lower = says[148:]
    assert lower[0] == "Device memory, values 0–7, one sector · 1 request asked for it · moved 1 time"
    assert lower[16] == "Shared memory, values 0–7 · stored once, read from here"
    assert lower[32] == "Barrier · all 128 threads have arrived, so every value is there to be read"
    assert lower[33] == "Warp 0 · 1 request to device memory so far"
    assert lower[-1] == ("Thread 127, lane 31 of warp 3 · has 61 of its 128 values · reads value 60 from shared memory")
    says = figure("step=1").columns()["marks"]["say"][148:]
    assert says[16] == "Shared memory, room for values 0–7 · nothing stored yet"
    assert says[32] == "Barrier · no thread passes until all 128 have stored their part"
    assert says[-1] == "Thread 127, lane 31 of warp 3 · has 0 of its 128 values · loads value 127 from device memory"
    says = figure("cache=hits&step=64").columns()["marks"]["say"]
    assert says[0] == "Device memory, values 0–7, one sector · 32 requests asked for it · moved 1 time"
    own = figure("each=4&readers=1&step=2")
    assert own.columns()["marks"]["say"][17] == (
        "Thread 0, lane 0 of warp 0 · has 2 of its 4 values · loads value 128 from device memory"
    )


def test_no_two_marks_lie_in_one_place():
    marks = figure("step=5").columns()["marks"]
    assert len(set(zip(marks["x"], marks["y"], strict=True))) == len(marks["say"])


def test_the_table_has_both_ways():
    rows = {name: cells for name, *cells in figure().table().rows}
    assert rows["Element loads from device memory"] == ["16,384", "128"]
    assert rows["Bytes moved, without a cache"] == ["16,384", "512"]
    assert rows["Bytes moved, if a cache hits"] == ["512", "512"]
    assert rows["Barriers"] == ["0", "1"]
    assert rows["Requests in all"] == ["512", "520"]


def test_sources_keep_their_columns_in_every_state():
    made = figure(hidden=True)
    wanted = {name: set(columns) for name, columns in made.columns().items()}
    fragments = [f"preset={preset.name}" for preset in ReuseInBlock.presets]
    for fragment in [*fragments, "step=1", "step=3", "each=1&step=2"]:
        made.restore(fragment)
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
    for fragment in ("step=3", "step=4", "each=9&readers=32", "cache=hits", "preset=too_large"):
        changes.clear()
        made.restore(fragment)
        assert changes
        assert sorted(model.id for model in document.models) == before


# --------------------------------------------------------------------------------- prediction


def test_the_prediction_is_answered_by_hand_and_hidden_until_then():
    made = figure("each=4&readers=1", hidden=True)
    assert made.veiled
    # 512 values in 4 passes of 4 warps: loaded, stored, and read: 16 + 16 + 16.
    assert made.asked().values()["staged_all_requests"] == 3 * 4 * 4 == 48
    assert (made.steps, made.at, made.active("step")) == (0, 0, False)
    secrets = (">48<", "staged: 48", "price: 2,048 B", "32 requests to", "Shared memory, values", "'steps': 13")
    for secret in secrets:
        assert secret not in shown(made), secret
    drawn = made.columns()
    assert not any(drawn[name][next(iter(drawn[name]))] for name in ("staging", "reads", "price"))
    assert set(drawn["shared"]["role"]) == {"cell"}
    assert len(drawn["loads"]["x0"]) == 16  # the 4 requests of the last step, 4 sectors each
    assert drawn["note"]["text"] == ["your guess first"]
    made.apply({"commit": "16"})
    assert made.verdict is not None
    assert made.verdict.kind == "not_yet"
    assert "48: every value is loaded, stored and read again" in card.predict(made)
    assert all(secret in shown(made) for secret in secrets)  # they would have been found
    made.apply({"set": {"step": 5}})
    made.apply({"ask": True})
    assert (made.steps, made.at) == (0, 0)
    assert made.columns()["note"]["text"] == ["your guess first"]


def test_the_prediction_is_not_about_the_built_state():
    made = figure(hidden=True)
    assert not made.veiled
    assert made.steps == 131


# ------------------------------------------------------------------------------------- states


def random_figure(rng: random.Random) -> ReuseInBlock:
    made = figure()
    readers = rng.choice([128, 32, 8, 1])
    made.apply({"set": {"each": rng.randint(1, 128), "readers": readers, "cache": rng.choice(["none", "hits"])}})
    made.apply({"set": {"step": rng.randint(1, made.steps)}})
    assert made.error == ""
    return made


def test_a_state_survives_its_address():
    rng = random.Random(4)
    for _ in range(30):
        made = random_figure(rng)
        again = figure(made.state)
        assert again.current() == made.current()
        assert again.values() == made.values()


@pytest.mark.parametrize(
    ("fragment", "says"),
    [
        ("each=0", "Values a thread needs: 0 is outside 1 to 128"),
        ("each=129", "Values a thread needs: 129 is outside 1 to 128"),
        ("each=x", "Values a thread needs: “x” is not a whole number"),
        ("readers=5", "Same values for: “5” is not one of 128, 32, 8, 1"),
        ("cache=often", "A cache on the way: “often” is not one of none, hits"),
        ("step=132", "step 132 is beyond the last, 131"),
        ("step=0", "Instruction of each warp: 0 is before the first step, 1"),
        ("readers=1&step=129", "step 129 is beyond the last, 128"),
        ("threads=64", "“threads” is not a setting of this figure; it has each, readers, cache, step"),
    ],
)
def test_refuses(fragment, says):
    made = figure("each=5")
    before = made.current(), made.trace
    with pytest.raises(ValueError, match=re.escape(says)):
        made.restore(fragment)
    assert (made.current(), made.trace) == before


def test_no_instruction_can_be_picked_while_the_requests_are_asked_for():
    made = figure(hidden=True)
    with pytest.raises(ValueError, match="your guess first; then the instructions can be stepped through"):
        made.restore("each=4&readers=1&step=3")
    assert made.each == 128
