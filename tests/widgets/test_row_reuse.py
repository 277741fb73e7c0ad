"""Figure 4.5: its misses against hand-made numbers, what the prediction hides, the drawing."""

import random
from itertools import pairwise

import pytest
from bokeh.document import Document

from widgets import card, hardware
from widgets.row_reuse import ReusedRow
from widgets.session import Live
from widgets.words import Words


def figure(fragment: str = "", hidden: bool = False, lang: str = "en") -> ReusedRow:
    made = ReusedRow(Words(lang))
    if not hidden:
        made.apply({"skip": True})
    if fragment:
        made.restore(fragment)
    return made


def at(preset: str, **changes) -> ReusedRow:
    made = figure(f"preset={preset}")
    made.apply({"set": changes})
    assert made.error == ""
    return made


# --------------------------------------------------------------------------------- numbers

# One row of 8 elements on 2 lines of 4, for 4 outputs. A column of B crosses 8 lines, C's four outputs share one.


@pytest.mark.parametrize(
    ("preset", "misses", "first", "survives"),
    [
        ("evicted", (2 * 4, 8 * 4, 4), 11, False),  # between two uses: 8 − 4 + 1 lines of B, 1 of A, 1 of C, itself
        ("survives", (2, 8 * 4, 4), 11, True),  # 8 lines are enough for that
        ("all_fit", (2, 8, 1), 11, True),  # 2 + 8 + 1
        ("ikj", (2, 8, 1), 11, True),
        ("ikj_3", (2, 8, 1), 11, True),  # a line of A, one of B, one of C
        ("ikj_2", (32, 32, 32), 11, False),  # three lines take turns in two places
        ("along", (2 * 4, 4 * 32, 4 * 4), 20, True),
        ("down", (4 * 2 * 4, 4 * 32, 4 * 4), 20, False),  # a row comes back a whole column later
    ],
)
def test_presets(preset, misses, first, survives):
    made = at(preset)
    told = made.values()
    assert made.pressed == preset
    assert tuple(told[f"misses_{name}"] for name in "abc") == misses
    assert told["misses"] == sum(misses)
    assert (told["first"], told["extra"]) == (first, sum(misses) - first)
    assert bool(told["survives"]) == survives
    assert told["hits"] + told["misses"] == told["accesses"]
    assert sum(told[f"extra_{name}"] for name in "abc") == told["extra"]


def test_with_one_line_fewer_the_row_is_lost():
    assert at("survives").values()["row_needs"] == 8
    needs = [at("evicted", cache_lines=lines).values() for lines in range(1, 17)]
    assert [told["survives"] for told in needs] == [0] * 7 + [1] * 9
    assert [told["row_needs"] for told in needs] == [8] * 16
    assert at("ikj").values()["row_needs"] == 3
    # the row must outlast a column of B and one line of each other row: more than the figure's largest cache
    assert at("down").values()["row_needs"] > 16


def test_the_order_alone_decides():
    states = [at(name).current() for name in ("evicted", "ikj")]
    assert {key for key in states[0] if states[0][key] != states[1][key]} == {"order"}
    assert [at(name).values()["misses"] for name in ("evicted", "ikj")] == [44, 11]


def test_misses_so_far():
    # A[0][0], B[0][0], A[0][1], B[1][0]: first touches of one line of A and two of B; the second use of A hits
    assert [at("evicted", access=n).values()["misses_so_far"] for n in (1, 2, 3, 4)] == [1, 2, 2, 3]
    assert at("evicted").values()["misses_so_far"] == 44


def test_the_built_state_loses_the_row():
    made = figure(hidden=True)
    assert (made.state, made.pressed, made.veiled) == ("", "evicted", False)


# ----------------------------------------------------------------------------------- state


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cache_lines": 0}, "Cache: 0 is outside 1 to 16"),
        ({"cache_lines": 17}, "Cache: 17 is outside 1 to 16"),
        ({"line_elements": 3}, "Elements a line: “3” is not one of 1, 2, 4, 8"),
        ({"order": "ijj"}, "Loops, outermost first: “ijj” is not one of ijk, ikj, jik, jki, kij, kji"),
        ({"rows": 5}, "Rows of C: 5 is outside 1 to 4"),
        ({"outputs": 1}, "Outputs a row: 1 is outside 2 to 6"),
        ({"depth": 11}, "Elements a row of A: 11 is outside 4 to 10"),
        ({"access": 69}, "step 69 is beyond the last, 68"),
        ({"access": 0}, "Access: 0 is before the first step, 1"),
    ],
)
def test_bad_input_is_refused_and_the_state_stays(changes, message):
    made = figure()
    before = made.current(), made.columns()
    made.apply({"set": changes})
    assert made.error == message
    assert (made.current(), made.columns()) == before


@pytest.mark.parametrize("fragment", ["order=kk", "cache_lines=x", "rows=1.5", "rows=1&rows=2", "lines=7", "depth="])
def test_bad_fragments_are_refused(fragment):
    with pytest.raises((ValueError, LookupError)):
        figure(fragment)


def random_state(rng: random.Random) -> str:
    order, line = rng.choice(["ijk", "ikj", "jik", "jki", "kij", "kji"]), rng.choice([1, 2, 4, 8])
    sizes = f"rows={rng.randint(1, 4)}&outputs={rng.randint(2, 6)}&depth={rng.randint(4, 10)}"
    return f"order={order}&cache_lines={rng.randint(1, 16)}&line_elements={line}&{sizes}"


def test_states_come_back_from_their_fragment_with_their_step():
    rng = random.Random(45)
    for _ in range(25):
        made = figure(random_state(rng))
        made.apply({"set": {"access": rng.randint(1, made.steps)}})
        again = figure(made.state)
        assert again.current() == made.current()
        assert again.values() == made.values()
        assert again.columns() == made.columns()


# ------------------------------------------------------------------------------ prediction


def met(made: ReusedRow) -> str:
    """All that a reader can meet of a state, but the question."""
    drawn = made.columns()
    texts = [drawn[name][column] for name in ("texts", "on") for column in ("wide", "phone")]
    parts = {name: part for name, part in card.update(made).items() if name not in ("predict", "controls")}
    return str([parts, made.summary(), made.table(), texts, drawn["marks"]["say"], str(hardware.hardware(made))])


def test_the_answer_is_11_and_hidden_until_the_reader_commits():
    made = figure("preset=ikj", hidden=True)
    assert made.asked().values()["misses"] == 11
    assert made.veiled
    assert made.steps == 0
    assert not made.active("access")
    everything = met(made)
    for telling in ("11", "85", "came", "hit", "stays", "kept from", "of 96"):
        assert telling not in everything, telling
    drawn = made.columns()
    assert [drawn[name]["left"] for name in ("firsts", "missed", "again", "slots", "tabs", "tints")] == [[]] * 6
    assert set(drawn["frames"]["role"]) == {"surface"}
    made.apply({"set": {"access": 3}})
    assert made.error == "your guess first; then the accesses can be stepped through"
    made.apply({"commit": "44"})
    assert made.verdict.kind == "not_yet"
    assert not made.veiled
    assert "11 of 96 accesses miss" in met(made)


@pytest.mark.parametrize(("text", "kind"), [("11", "right"), ("11 misses", "right"), ("44", "not_yet")])
def test_guesses(text, kind):
    made = figure(hidden=True)
    made.apply({"commit": text})
    assert made.verdict.kind == kind


def test_the_question_states_what_the_built_state_counts():
    assert " 44 times" in ReusedRow.prediction.question
    assert figure().values()["misses"] == 44
    assert "7 lines" in ReusedRow.prediction.question
    assert figure().cache_lines == 7


# ----------------------------------------------------------------------------------- words


def test_readouts_run_with_the_accesses():
    misses, of_a, again, hits = at("evicted").readouts()
    assert (misses.value, misses.sub) == ("44", "of 68 accesses")
    assert (of_a.value, of_a.sub) == ("8", "kept from 8 lines on")
    assert (again.value, again.sub, again.role) == ("33", "first touches: 11", "cost")
    assert (hits.value, hits.unit, hits.sub) == ("35.3", "%", "24 of 68 accesses")  # 24 / 68
    early = at("evicted", access=3).readouts()
    assert [readout.value for readout in early] == ["2", "1", "0", "33.3"]
    assert early[2].role == ""


def test_the_table_has_a_row_an_array():
    assert at("evicted").table().rows == (
        ("A", "2", "32", "24", "8", "6"),
        ("B", "8", "32", "0", "32", "24"),
        ("C", "1", "4", "0", "4", "3"),
        ("all", "11", "68", "24", "44", "33"),
    )


def test_the_summary_tells_what_became_of_the_row():
    lost, kept = at("evicted", access=3).summary(), at("survives").summary()
    assert lost == (
        "A is 1 × 8, B 8 × 4; loops i, j, k; lines of 4; the cache holds 7. 44 of 68 accesses miss: A 8, B 32, C 4; "
        "33 of them again. The row of A is lost between its uses. Shown is access 3 of 68: A[0][1]: hit."
    )
    assert "The row of A stays in the cache from one output to the next." in kept


def test_lines_say_where_they_are_and_how_often_they_came():
    made = at("evicted", access=19)  # after 8 pairs and C, the first pair of the second output
    says = dict.fromkeys(made.columns()["marks"]["say"])
    assert "A[0][0–3] · in the cache, place 2 · came 2 times · 1 of them again" in says
    assert "C[0][0–3] · in the cache, place 3 · came 1 time" in says
    assert "B[2][0–3] · no longer in the cache · came 1 time" in says
    first = at("evicted", access=1).columns()["marks"]["say"]
    assert "A[0][4–7] · not touched yet" in first


# --------------------------------------------------------------------------------- drawing


@pytest.mark.parametrize("seed", range(12))
def test_the_drawing_has_a_mark_for_each_miss_and_each_line(seed):
    rng = random.Random(seed)
    made = figure(random_state(rng))
    made.apply({"set": {"access": rng.randint(1, made.steps)}})
    drawn, so_far = made.columns(), made.trace.accesses[: made.at]
    misses = [access for access in so_far if not access.hit]
    bottom = 196  # below it lies the walk
    walk = {name: sum(top < bottom for top in drawn[name]["top"]) for name in ("firsts", "missed", "again")}
    assert walk == {"firsts": sum(a.first for a in misses), "missed": sum(not a.first for a in misses), "again": 0}
    assert bool(drawn["strokes"]["x0"]) == bool(walk["missed"])  # drawn by hand: a hatch on each takes too long
    assert len(drawn["again"]["left"]) <= 3
    shapes, line = made.trace.shapes, made.line_elements
    lines = sum(rows * -(-columns // line) for rows, columns in shapes.values())
    assert len(drawn["frames"]["left"]) == lines
    held = min(made.cache_lines, len({(a.array, a.line) for a in so_far}))
    assert len(drawn["slots"]["left"]) == len(drawn["tabs"]["left"]) == held
    leaves = so_far[-1].evicted is not None
    assert drawn["empty"]["role"] == ["surface"] * (made.cache_lines - held) + ["rest"] * leaves
    assert len(drawn["marks"]["say"]) == lines + held


def test_the_line_touched_last_lies_on_top_and_wears_what_it_met():
    for access, role in ((1, "move"), (3, "compute"), (68, "cost")):  # first touch, hit, and C's line again
        drawn = at("evicted", access=access).columns()
        assert max(zip(drawn["slots"]["top"], drawn["slots"]["role"], strict=True))[1] == role
        assert role in drawn["frames"]["role"]


@pytest.mark.parametrize("seed", range(12))
def test_all_stays_inside_the_drawing(seed):
    drawn = figure(random_state(random.Random(100 + seed))).columns()
    for name in ("cells", "tints", "again", "tabs", "empty", "tracks", "firsts", "missed", "frames", "slots"):
        for side in ("left", "right", "bottom", "top"):
            assert all(-1e-9 <= end <= 1000 + 1e-9 for end in drawn[name][side]), (name, side)
        assert all(low < high for low, high in zip(drawn[name]["bottom"], drawn[name]["top"], strict=True)), name
        assert all(low < high for low, high in zip(drawn[name]["left"], drawn[name]["right"], strict=True)), name


def test_the_document_has_the_same_ids_twice_and_patches_what_changes():
    def ids(document: Document) -> list[str]:
        return sorted(model.id for model in document.models)

    assert ids(figure().document(1000)) == ids(figure().document(1000))
    live = Live(figure(), 1000)
    live.figure.apply({"set": {"access": 3}})
    patch = live.patch()
    assert patch is not None
    assert "ColumnDataChanged" in patch


def test_strokes_on_narrow_misses_stay_apart():
    drawn = figure("rows=4&outputs=6&depth=10&line_elements=1&cache_lines=1").columns()["strokes"]
    assert len(drawn["x0"]) < 200
    for row in set(drawn["y0"]):
        starts = [x for x, y in zip(drawn["x0"], drawn["y0"], strict=True) if y == row]
        assert min(b - a for a, b in pairwise(starts)) > 9
