"""Figure 4.4: the numbers of its specification, the worked product, what the prediction hides, the drawing."""

import random

import numpy as np
import pytest
from bokeh.document import Document

from widgets import card, hardware
from widgets.session import Live
from widgets.tiling_reads import TilingReads
from widgets.words import Words


def figure(fragment: str = "", hidden: bool = False, lang: str = "en") -> TilingReads:
    made = TilingReads(Words(lang))
    if not hidden:
        made.apply({"skip": True})
    if fragment:
        made.restore(fragment)
    return made


def at(preset: str, **changes) -> TilingReads:
    made = figure(f"preset={preset}")
    made.apply({"set": changes})
    assert made.error == ""
    return made


def sizes(boxes) -> list[tuple[float, float]]:
    return [
        (right - left, top - bottom)
        for left, right, bottom, top in zip(*(boxes[side] for side in ("left", "right", "bottom", "top")), strict=True)
    ]


# --------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("preset", "loads", "multiplications", "times"),
    [  # figures.md: 16 and 8; 128, 64 and 32
        ("small", 16, 8, 2),
        ("small_whole", 8, 8, 1),
        ("naive", 128, 64, 4),
        ("tile_2", 64, 64, 2),
        ("whole", 32, 64, 1),
        ("ragged", 150, 125, 3),  # 2 · 5² elements, each for three tile columns or rows
    ],
)
def test_presets(preset, loads, multiplications, times):
    made = at(preset)
    told = made.values()
    assert made.pressed == preset
    assert (told["loads"], told["multiplications"], told["times_each"]) == (loads, multiplications, times)
    assert told["loads_a"] == told["loads_b"] == loads / 2
    assert told["naive_loads"] == 2 * told["n"] ** 3
    if told["n"] % told["tile"] == 0:
        assert told["loads"] == 2 * told["n"] ** 3 / told["tile"]
        assert told["fewer"] == told["tile"]
        assert told["per_load"] == told["tile"] / 2


def test_the_built_state_is_the_smallest_product():
    made = figure(hidden=True)
    assert (made.state, made.pressed, made.veiled) == ("", "small", False)


@pytest.mark.parametrize("preset", [preset.name for preset in TilingReads.presets])
def test_the_product_is_numpy_s(preset):
    told = at(preset).values()
    n = range(int(told["n"]))
    a, b, c = (np.array([[told[f"{name}_{i}_{j}"] for j in n] for i in n]) for name in "abc")
    assert np.array_equal(a @ b, c)


def test_the_small_product_in_numbers():
    # 1·5 + 2·7, 1·6 + 2·8, 3·5 + 4·7, 3·6 + 4·8
    told = at("small").values()
    assert [told[f"c_{i}_{j}"] for i in (0, 1) for j in (0, 1)] == [19, 22, 43, 50]
    assert [text for text in at("small").columns()["texts"]["wide"] if "=" in text][-1] == "C[1][1] = 3×6 + 4×8 = 50"
    steps = [at("small", step=step) for step in range(1, 17)]
    so_far = [(made.values()["loads_so_far"], made.values()["multiplications_so_far"]) for made in steps]
    assert so_far == [(2 * (k + 1), k + half) for k in range(8) for half in (0, 1)]  # a pair, then its product
    staged = [at("small_whole", step=step).values() for step in (1, 2, 3)]
    assert [(told["loads_so_far"], told["multiplications_so_far"]) for told in staged] == [(8, 0), (8, 4), (8, 8)]


def test_what_a_staged_pair_holds():
    assert [at(name).values()["staged"] for name in ("small", "tile_2", "whole", "ragged")] == [2, 8, 32, 8]
    assert [at(name).values()["rounds"] for name in ("naive", "tile_2", "whole")] == [64, 8, 1]
    assert [at(name).values()["tiles"] for name in ("naive", "tile_2", "whole", "ragged")] == [16, 4, 1, 9]


# ----------------------------------------------------------------------------------- state


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tile": 3}, "tiles of 3 × 3 are larger than the matrices, 2 × 2; t can be 1 to 2"),
        ({"n": 7}, "Matrix side n: 7 is outside 2 to 6"),
        ({"n": 1}, "Matrix side n: 1 is outside 2 to 6"),
        ({"tile": 0}, "Tile side t: 0 is outside 1 to 6"),
        ({"step": 17}, "step 17 is beyond the last, 16"),
        ({"step": 0}, "Move: 0 is before the first step, 1"),
    ],
)
def test_bad_input_is_refused_and_the_state_stays(changes, message):
    made = figure()
    before = made.current(), made.columns()
    made.apply({"set": changes})
    assert made.error == message
    assert (made.current(), made.columns()) == before


@pytest.mark.parametrize("fragment", ["n=2.5", "tile=two", "n=4&n=5", "side=4", "step=-1", "tile="])
def test_bad_fragments_are_refused(fragment):
    with pytest.raises((ValueError, LookupError)):
        figure(fragment)


def test_a_tile_larger_than_the_matrix_is_refused_in_chinese():
    made = figure(lang="zh")
    made.apply({"set": {"tile": 3}})
    assert made.error == "3 × 3 的 tile 比 2 × 2 的矩阵还大；t 可取 1 到 2"


def test_states_come_back_from_their_fragment_with_their_step():
    rng = random.Random(44)
    for _ in range(25):
        n = rng.randint(2, 6)
        made = figure(f"n={n}&tile={rng.randint(1, n)}")
        made.apply({"set": {"step": rng.randint(1, made.steps)}})
        again = figure(made.state)
        assert again.current() == made.current()
        assert again.values() == made.values()
        assert again.columns() == made.columns()


# ------------------------------------------------------------------------------ prediction


def met(made: TilingReads) -> str:
    """All that a reader can meet of a state, but the question."""
    drawn = made.columns()
    texts = [drawn[name][column] for name in ("texts", "on") for column in ("wide", "phone")]
    parts = {name: part for name, part in card.update(made).items() if name not in ("predict", "controls")}
    return str([parts, made.summary(), made.table(), texts, drawn["marks"]["say"], str(hardware.hardware(made))])


def test_the_answer_is_64_and_hidden_until_the_reader_commits():
    made = figure("preset=tile_2", hidden=True)
    assert made.asked().values()["loads"] == 64
    assert made.veiled
    assert made.steps == 0
    assert not made.active("step")
    everything = met(made)
    for telling in ("64", "32", "loaded", "2 times", "of 24"):
        assert telling not in everything, telling
    drawn = made.columns()
    assert [drawn[name]["left"] for name in ("pills", "squares", "whole", "drawers", "staged", "tints")] == [[]] * 6
    assert set(drawn["tracks"]["role"]) == {"cell"}
    made.apply({"set": {"step": 3}})
    assert made.error == "your guess first; then the moves can be stepped through"
    made.apply({"commit": "128"})
    assert made.verdict.kind == "not_yet"
    assert not made.veiled
    assert "64" in met(made)
    assert "2 times, not 4" in str(card.predict(made))


@pytest.mark.parametrize(("text", "kind"), [("64", "right"), ("64 loads", "right"), ("32", "not_yet")])
def test_guesses(text, kind):
    made = figure(hidden=True)
    made.apply({"commit": text})
    assert made.verdict.kind == kind


# ----------------------------------------------------------------------------------- words


def test_readouts_run_with_the_moves():
    loads, products, each, per_load = at("tile_2", step=5).readouts()
    # the second pair has come (2 × 8), the first has been multiplied (2 k × 4 outputs) and k = 2 of the second
    assert (loads.value, loads.sub, loads.role) == ("16", "of 64 in all", "move")
    assert (products.value, products.sub, products.role) == ("12", "of 64 in all", "compute")
    assert (each.value, each.sub) == ("2", "one at a time: 4")
    assert (per_load.value, per_load.sub) == ("1", "one at a time: 0.5")
    assert at("ragged").readouts()[3].value == "0.83"  # 125 / 150


def test_the_table_has_a_row_for_each_tile_of_c():
    assert at("small").table().rows == tuple(
        (f"({i}, {j})", "2", "2", "2", value)
        for i, j, value in ((0, 0, "19"), (0, 1, "22"), (1, 0, "43"), (1, 1, "50"))
    )
    assert at("small_whole").table().rows == (("(0, 0)", "4", "4", "8", "19 22; 43 50"),)
    # the corner of 5 × 5 in tiles of 2 is one element: 1 × 5 of A, 5 × 1 of B, 5 products
    assert at("ragged").table().rows[-1][:4] == ("(2, 2)", "5", "5", "5")


def test_the_summary_tells_the_move_shown():
    assert at("small_whole", step=2).summary() == (
        "A and B are 2\u00a0×\u00a02, their tiles 2\u00a0×\u00a02. 8 element loads, each element 1 time; "
        "one at a time it would be 16. 8 multiplications either way. "
        "Shown is move 2 of 3: 8 loads, 4 multiplications so far."
    )


def test_marks_say_what_each_element_went_through():
    says = at("small", step=3).columns()["marks"]["say"]
    assert says == [
        "A[0][0] = 1 · loaded 1 time so far",
        "A[0][1] = 2 · loaded 1 time so far · being loaded now",
        "A[1][0] = 3 · loaded 0 times so far",
        "A[1][1] = 4 · loaded 0 times so far",
        "B[0][0] = 5 · loaded 1 time so far",
        "B[0][1] = 6 · loaded 0 times so far",
        "B[1][0] = 7 · loaded 1 time so far · being loaded now",
        "B[1][1] = 8 · loaded 0 times so far",
        "C[0][0] = 1×5 = 5 · 1 of 2 products",
        "C[0][1] has not begun",
        "C[1][0] has not begun",
        "C[1][1] has not begun",
    ]
    staged = at("small_whole", step=2).columns()["marks"]["say"]
    assert staged[0] == "A[0][0] = 1 · loaded 1 time so far · being multiplied now"
    assert staged[1] == "A[0][1] = 2 · loaded 1 time so far · staged"


# --------------------------------------------------------------------------------- drawing


@pytest.mark.parametrize(("n", "tile", "step"), [(4, 1, 128), (4, 2, 24), (4, 4, 5), (5, 2, 40), (2, 2, 1)])
def test_gauges_show_each_count(n, tile, step):
    """A gauge is as long as its count, n being full: on A and B together they add up to the loads."""
    made = figure(f"n={n}&tile={tile}&step={step}")
    drawn, told = made.columns(), made.values()
    widths, track = dict.fromkeys(("move", "compute"), 0.0), 1.0
    for (width, _), role in zip(sizes(drawn["tracks"]), drawn["tracks"]["role"], strict=True):
        if role == "cell":
            track = width  # a gauge's own track is drawn before it
        else:
            assert width <= track * (1 + 1e-9)
            widths[role] += n * width / track
    assert widths["move"] == pytest.approx(told["loads_so_far"])
    assert widths["compute"] == pytest.approx(told["multiplications_so_far"])


@pytest.mark.parametrize("preset", ["naive", "tile_2", "whole", "ragged"])
def test_bars_share_one_scale(preset):
    made = at(preset)
    drawn, told = made.columns(), made.values()
    ((loads, _),), ((products, _),), ((whole, _),) = (sizes(drawn[name]) for name in ("pills", "squares", "whole"))
    assert loads == whole == pytest.approx(1000 * told["loads"] / told["naive_loads"])
    assert products == pytest.approx(1000 * told["multiplications"] / told["naive_loads"]) == 500


def test_what_is_read_now_is_blue_and_what_is_multiplied_now_is_amber():
    loading = at("tile_2", step=1).columns()["cells"]["role"]
    assert loading.count("move") == 2 * (4 + 4)  # in the matrices and in the block's hands
    assert "compute" not in loading
    working = at("tile_2", step=2).columns()
    assert working["cells"]["role"].count("compute") == 2 * (2 + 2) + 4  # a column, a row, and four sums
    assert "move" not in working["cells"]["role"]
    assert len(working["staged"]["left"]) == 2 + 2  # the rest of both tiles


def test_every_tile_has_its_frame():
    for n, tile, count in ((4, 1, 16), (4, 2, 4), (4, 4, 1), (5, 2, 9)):
        roles = figure(f"n={n}&tile={tile}").columns()["frames"]["role"]
        assert roles.count("surface") == 3 * count
        assert (roles.count("move"), roles.count("compute")) == (2, 1)


def test_all_stays_inside_the_drawing():
    for n in range(2, 7):
        for tile in range(1, n + 1):
            drawn = figure(f"n={n}&tile={tile}").columns()
            for name in ("cells", "tints", "staged", "tracks", "frames", "drawers", "tabs", "pills", "squares"):
                for side in ("left", "right", "bottom", "top"):
                    assert all(-1e-9 <= end <= 1000 + 1e-9 for end in drawn[name][side]), (n, tile, name, side)


def test_the_document_has_the_same_ids_twice_and_patches_what_changes():
    def ids(document: Document) -> list[str]:
        return sorted(model.id for model in document.models)

    assert ids(figure().document(1000)) == ids(figure().document(1000))
    live = Live(figure(), 1000)
    live.figure.apply({"set": {"step": 3}})
    patch = live.patch()
    assert patch is not None
    assert "marks" in patch or "ColumnDataChanged" in patch
