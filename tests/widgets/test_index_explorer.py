"""Figure 3.1: every number of its specification, what the prediction hides, refusals, the drawing."""

import doctest
import random
import re
from itertools import pairwise

import pytest

import widgets.index_strip
from widgets import card, index_strip
from widgets.index_explorer import IndexExplorer
from widgets.timeline_columns import width_px
from widgets.words import Words


def figure(fragment: str = "", lang: str = "en", hidden: bool = False) -> IndexExplorer:
    made = IndexExplorer(Words(lang))
    if not hidden:
        made.apply({"skip": True})
    if fragment:
        made.restore(fragment)
    return made


def by_hand(n: int, size: int, i: int) -> dict[str, float]:
    """What a launch comes to, by going through its threads one by one."""
    warps: dict[tuple[int, int], list[bool]] = {}
    thread = 0
    while thread < n or thread % size:
        warps.setdefault((thread // size, thread % size // 32), []).append(thread < n)
        thread += 1
    split = [passes for passes in warps.values() if len(set(passes)) == 2]
    last = [passes for (block, _), passes in warps.items() if block == (n - 1) // size]
    return {
        "elements": n, "block_threads": size, "threads": thread, "spare_threads": thread - n,
        "blocks": len({block for block, _ in warps}), "warps": len(warps),
        "warps_per_block": len(warps) // len({block for block, _ in warps}),
        "live_in_last_block": sum(map(sum, last)), "spare_in_last_block": sum(p.count(False) for p in last),
        "whole_warps": sum(all(p) for p in warps.values()), "working_warps": sum(any(p) for p in warps.values()),
        "idle_warps": sum(not any(p) for p in warps.values()), "divergent_warps": len(split),
        "divergent_live": sum(map(sum, split)), "divergent_spare": sum(p.count(False) for p in split),
        "divergent_percent": 100 * len(split) / len(warps),
        "empty_lanes": sum(32 - len(p) for p in warps.values()),
        "element": i, "block": i // size, "thread": i % size, "warp": i % size // 32, "lane": i % size % 32,
    }  # fmt: skip


# --------------------------------------------------------------------- the numbers of figures.md


def test_a_million_elements_in_blocks_of_128():
    made = figure("preset=million")
    told = made.values()
    assert (told["blocks"], told["live_in_last_block"]) == (7813, 64)
    assert (told["whole_warps"], told["divergent_warps"]) == (31_250, 0)
    assert (told["block"], told["warp"], told["lane"]) == (7812, 1, 31)  # of the last element
    blocks, whole, split, lane = made.readouts()
    assert (blocks.value, blocks.sub) == ("7,813", "last: 64 of 128 used")
    assert (whole.value, whole.sub) == ("31,250", "of 31,252")
    assert (split.value, split.sub) == ("0", "2 warps fail whole")
    assert (lane.label, lane.value, lane.sub) == ("Lane of element i", "31", "warp 1 of block 7,812")


@pytest.mark.parametrize(
    ("fragment", "diverge", "warps"),
    [
        ("elements=100", 1, 4),  # of figures.md
        ("elements=1000", 1, 32),
        ("elements=1000&block=32", 1, 32),  # in blocks of one warp
        ("elements=1000000", 0, 31_252),
        ("elements=1000001", 1, 31_252),
        ("elements=1000000&block=1024", 0, 31_264),
        ("block=100", 0, 40),
        ("elements=1024", 0, 32),
    ],
)
def test_warps_that_diverge(fragment, diverge, warps):
    told = figure(fragment).values()
    assert (told["divergent_warps"], told["warps"]) == (diverge, warps)
    assert diverge * 100 / warps == told["divergent_percent"]


def test_values_are_those_of_threads_gone_through_one_by_one():
    rng = random.Random(31)
    for _ in range(120):
        n, size = rng.randint(1, 3000), rng.choice((1, 31, 32, 33, 100, 128, 1024, rng.randint(1, 1024)))
        i = rng.randrange(n)
        assert figure(f"elements={n}&block={size}&element={i}").values() == by_hand(n, size, i)


def test_every_preset_is_a_state_of_its_own():
    states = []
    for preset in IndexExplorer.presets:
        made = figure()
        made.apply({"preset": preset.name})
        assert (made.error, made.pressed) == ("", preset.name)
        states.append(made.state)
    assert len(set(states)) == len(states)


def test_short_warps_leave_lanes_empty_and_do_not_diverge():
    made = figure("preset=block_100")
    assert made.values()["empty_lanes"] == 10 * (128 - 100)
    assert made.readouts()[2].sub == "280 lanes empty"
    rows = made.table().rows
    assert [row[2:] for row in rows] == [("32", "32", "passes whole")] * 3 + [("4", "4", "passes whole")]


# -------------------------------------------------------------------------------- the drawing


def test_docstring_examples_hold():
    result = doctest.testmod(widgets.index_strip)
    assert result.attempted
    assert not result.failed


def test_the_strip_has_the_chosen_block_the_ends_and_no_overlap():
    rng = random.Random(5)
    for _ in range(300):
        blocks = rng.choice((rng.randint(1, 20), rng.randint(1, 10**9)))
        chosen = rng.choice((0, blocks - 1, rng.randrange(blocks)))
        strip = index_strip.places(blocks, chosen)
        drawn = [box.block for box in strip]
        assert {0, chosen, blocks - 1} <= set(drawn)
        assert len(drawn) == (blocks if blocks <= 8 else 5)
        assert [box.gap is not None for box in strip] == [b - a > 1 for a, b in pairwise([-1, *drawn])]
        assert strip[0].left >= -0.5
        assert strip[-1].right <= 31.5
        for a, b in pairwise(strip):
            assert a.right < b.left
            assert b.gap is None or a.right < b.gap < b.left


def test_the_lanes_drawn_are_those_that_pass():
    rng = random.Random(8)
    for _ in range(60):
        n, size = rng.randint(1, 4000), rng.randint(1, 1024)
        i = rng.choice((n - 1, rng.randrange(n)))
        made = figure(f"elements={n}&block={size}&element={i}")
        columns, place = made.columns(), made.trace.place
        first = place.block * size
        every = [first + at for at in range(-(-size // 32) * 32)]
        passes = [at < n and at - first < size for at in every]
        assert columns["rows"]["role"] == ["compute" if on else "surface" for on in passes]
        large = slice(32 * place.warp, 32 * place.warp + 32)
        assert columns["lanes"]["role"] == columns["rows"]["role"][large]
        split = 0 < sum(passes[large]) < min(32, size - 32 * place.warp)
        assert ("2 3" in columns["lanes"]["dash"]) == split
        assert ("cost" in columns["titles"]["role"]) == split


def test_names_of_groups_do_not_touch_nor_leave_the_block():
    for size in range(1, 1025, 7):
        for n in {1, size // 2 or 1, size, size - 33 if size > 33 else 1, size + 1, 2 * size - 1}:
            made = figure(f"elements={n}&block={size}")
            y = made.columns()["group_names"]["y"]
            assert all(a - b >= 15 for a, b in pairwise(y))
            assert 150 < min(y) <= max(y) < 366


def test_marks_speak_of_blocks_warps_and_lanes():
    says = figure("preset=million_and_one").columns()["marks"]["say"]
    assert says[:3] == [
        "Block 0 · elements 0 to 127 · for 128 of its 128 threads",
        "Blocks 1 to 7,808 · an element for every thread",
        "Block 7,809 · elements 999,552 to 999,679 · for 128 of its 128 threads",
    ]
    assert "Block 7,812 · elements 999,936 to 1,000,000 · for 65 of its 128 threads" in says
    assert "Warp 1 of block 7,812 · all 32 lanes pass i < n" in says
    assert "Warp 2 of block 7,812 · i < n holds in 1 of 32 lanes: it diverges" in says
    assert "Warp 3 of block 7,812 · no lane passes i < n: it ends, undivided" in says
    assert "Block 7,812 · warp 2 · lane 0 · element 1,000,000" in says
    assert "Block 7,812 · warp 2 · lane 1 · i = 1,000,001: no such element" in says
    short = figure("preset=block_100").columns()["marks"]["say"]
    assert "Warp 3 of block 9 · short: threads 4, empty lanes 28" in short
    assert "Block 9 · warp 3 · lane 4 · no thread: the block ends before it" in short


def test_the_sums_lead_to_the_element():
    texts = figure("preset=thousand").columns()["sums"]["text"]
    assert texts == ["i = 7 × 128 + 103 = 999", "thread 103 = 3 × 32 + 7"]


def test_sources_keep_their_columns_in_every_state():
    made = figure(hidden=True)
    wanted = {name: set(columns) for name, columns in made.columns().items()}
    for preset in IndexExplorer.presets:
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
    for fragment in ("elements=100", "block=1024", "element=5"):
        changes.clear()
        made.restore(fragment)
        assert changes
        assert sorted(model.id for model in document.models) == before


# --------------------------------------------------------------------------------- prediction


def told(made: IndexExplorer) -> str:
    """All that a reader can meet of a state, but the question itself."""
    parts = {name: part for name, part in card.update(made).items() if name not in ("predict", "controls")}
    return str([parts, made.columns()])


@pytest.mark.parametrize("element", ["n-1", "999999", "0"])
def test_nothing_tells_the_answer_before_the_guess(element):
    made = figure("preset=million", hidden=True)
    assert made.veiled
    seen = told(made)
    for secret in ("31,250", "31,252", "diverges", "idle", "compute", "cost", "no such element"):
        assert secret not in seen, secret
    made.apply({"commit": "0"})
    assert made.verdict is not None
    assert made.verdict.kind == "right"
    seen = told(made)
    for secret in ("31,250", "31,252", "idle", "compute", "no such element"):
        assert secret in seen, secret
    made.apply({"ask": True})
    assert "31,250" not in told(made)


def test_the_last_block_is_no_warp_that_diverges():
    made = figure("preset=million", hidden=True)
    made.apply({"commit": "1"})
    assert made.verdict is not None
    assert made.verdict.kind == "not_yet"
    assert "0: the 31,250 warps with elements are full, the other 2 fail as a whole." in card.predict(made)


def test_the_built_state_asks_nothing_and_shows_a_warp_that_diverges():
    made = figure(hidden=True)
    assert not made.veiled
    assert made.values()["divergent_warps"] == 1


# ------------------------------------------------------------------------------------- states


@pytest.mark.parametrize(
    ("fragment", "same"),
    [
        ("elements=1,000,000", "elements=1000000"),
        ("elements=10^6", "elements=1000000"),
        ("elements=1%20000%20000", "elements=1000000"),
        ("elements=１０００", "elements=1000"),
        ("elements=1,000", "elements=1000"),  # a thousand, not one
        ("element=n-2", "element=998"),
        ("element=N%20−%201", "element=999"),
    ],
)
def test_numbers_as_readers_write_them(fragment, same):
    assert figure(fragment).values() == figure(same).values()


@pytest.mark.parametrize(
    ("fragment", "says"),
    [
        ("elements=0", "Elements n: 0 is outside 1 to 2,147,483,647"),
        ("elements=2147483648", "Elements n: 2,147,483,648 is outside 1 to 2,147,483,647"),
        ("elements=-5", "Elements n: −5 is outside 1 to"),
        ("elements=1.5", "Elements n: “1.5” is not a whole number"),
        ("elements=", "Elements n: “” is not a whole number"),
        ("elements=many", "Elements n: “many” is not a whole number"),
        ("elements=100%20blocks", "Elements n: “100 blocks” is not a whole number"),
        ("element=1000", "Element i: 1,000 is outside 0 to 999"),
        ("element=n", "Element i: “n” is no element; they are numbered from 0 to n-1, here 999"),
        ("element=n-1001", "Element i: “n-1001” is no element"),
        ("element=i", "Element i: “i” is not a whole number"),
        ("elements=100&element=500", "Element i: 500 is outside 0 to 99"),
        ("block=0", "Block size: 0 is outside 1 to 1,024"),
        ("block=1025", "Block size: 1,025 is outside 1 to 1,024"),
        ("block=x", "Block size: “x” is not a whole number"),
    ],
)
def test_refuses(fragment, says):
    made = figure("preset=block_100")
    before = made.current(), made.trace
    with pytest.raises(ValueError, match=re.escape(says)):
        made.restore(fragment)
    assert (made.current(), made.trace) == before


def test_refusals_speak_the_page_s_language():
    for fragment in ("elements=0", "elements=many", "element=n", "element=1000", "block=0"):
        with pytest.raises(ValueError, match=r"[\u4e00-\u9fff]"):
            figure(fragment, "zh")


def test_the_largest_launch():
    told_ = figure("elements=2147483647&block=1").values()
    assert (told_["blocks"], told_["empty_lanes"]) == (2**31 - 1, 31 * (2**31 - 1))


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("block", [1, 128, 1024])
def test_titles_fit_a_phone_however_large_the_launch(lang, block):
    made = figure(f"elements=2147483647&block={block}", lang)
    titles = made.columns()["titles"]["short"]
    assert max(width_px(title, 11) for title in titles) <= 280
    assert f"{2**31 // block:,}"[:-2] in titles[0]
