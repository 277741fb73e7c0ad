"""Figure 11.2: the numbers of its specification, what the prediction hides, typed rows, the drawing, the document."""

import importlib.util
import json
import random
import re
from fractions import Fraction
from itertools import pairwise
from math import exp, inf, log
from pathlib import Path

import numpy as np
import pytest
from bokeh.document import Document
from bokeh.models import Text

from widgets import card, hardware, lab, score_row, softmax_walk, softmax_words
from widgets.online_softmax import MOST, OnlineSoftmax
from widgets.session import Live
from widgets.softmax_drawing import HEIGHT
from widgets.words import Words


def figure(fragment: str = "", hidden: bool = False) -> OnlineSoftmax:
    made = OnlineSoftmax(Words())
    if not hidden:
        made.apply({"skip": True})
    if fragment:
        made.restore(fragment)
    return made


def at(preset: str, **changes) -> OnlineSoftmax:
    made = figure(f"preset={preset}")
    made.apply({"set": changes})
    assert made.error == ""
    return made


def weighted_mean(weights, values) -> Fraction:
    """Softmax of ln w, weighted: Σ w·v / Σ w, exactly."""
    return Fraction(sum(w * v for w, v in zip(weights, values, strict=True)), sum(weights))


# ------------------------------------------------------------------------- hand-made numbers


@pytest.mark.parametrize(
    ("preset", "result", "rescales", "blocks"),
    [
        ("grows_once", weighted_mean([1, 2, 1, 2, 8, 2], [1, 2, 3, 4, 5, 6]), 1, 3),
        ("largest_first", weighted_mean([8, 2, 1, 2, 1, 2], [5, 6, 1, 2, 3, 4]), 0, 3),
        ("rising", Fraction(91, 21), 2, 3),  # Σ i² / Σ i; blocks 2 and 3 raise the maximum
        ("one_each", Fraction(17, 4), 2, 6),  # 1 → 2 and 2 → 8
        ("one_block", Fraction(17, 4), 0, 1),
        ("halves", Fraction(17, 4), 2, 6),  # one in each half
        ("first_masked", weighted_mean([1, 2, 4, 1], [3, 4, 5, 6]), 1, 3),
        ("one_masked", Fraction(1), 0, 2),  # figures.md: the second of −20,000 and 0 masked gives 1, not 100
        ("two_scores", Fraction(7, 3), 1, 2),  # figures.md: weights 1 : 2 of values 1 and 3
    ],
)
def test_presets(preset, result, rescales, blocks):
    made = at(preset)
    values = made.values()
    assert (made.pressed, made.error) == (preset, "")
    assert values["result"] == pytest.approx(float(result), rel=1e-15)
    assert values["ordinary"] == pytest.approx(float(result), rel=1e-15)
    assert values["difference"] == abs(values["result"] - values["ordinary"]) < 1e-14
    assert (values["rescales"], values["blocks"]) == (rescales, blocks)


def test_every_preset_is_a_state_of_its_own_and_the_first_is_built():
    states = [at(preset.name).state for preset in OnlineSoftmax.presets]
    assert len(set(states)) == len(states)
    assert states[0] == ""


def test_lab_3_one_more_score_doubles_the_maximum_s_weight():
    made = at("two_scores")
    assert made.values()["denominator"] == pytest.approx(3 / 2)
    assert made.values()["numerator"] == pytest.approx(7 / 2)
    made.restore("score=ln 1, ln 2, ln 4&value=1, 3, 5&block=1")
    values = made.values()
    assert values["factor_3"] == pytest.approx(1 / 2)
    assert (values["kept_denominator_3"], values["kept_numerator_3"]) == pytest.approx((3 / 4, 7 / 4))
    assert (values["denominator"], values["numerator"]) == pytest.approx((7 / 4, 27 / 4))
    assert values["result"] == pytest.approx(27 / 7)
    turned = figure("score=ln 2, ln 1&value=1, 3&block=1")  # weights 2 : 1
    assert turned.values()["result"] == pytest.approx(5 / 3)


def test_the_one_rescale_of_the_built_state():
    # before it m = ln 2: ℓ = (1 + 2 + 1 + 2) / 2, u = (1·1 + 2·2 + 1·3 + 2·4) / 2; then m = ln 8
    values = at("grows_once").values()
    assert values["factor_3"] == pytest.approx(2 / 8)
    assert (values["denominator_2"], values["numerator_2"]) == pytest.approx((3, 8))
    assert (values["kept_denominator_3"], values["kept_numerator_3"]) == pytest.approx((3 / 4, 2))
    assert (values["added_denominator_3"], values["added_numerator_3"]) == pytest.approx((10 / 8, 52 / 8))
    assert (values["denominator_3"], values["numerator_3"]) == pytest.approx((2, 8.5))
    assert (values["maximum_2"], values["maximum"]) == pytest.approx((log(2), log(8)))
    assert (values["result_2"], values["result_3"]) == pytest.approx((8 / 3, 17 / 4))


def test_two_halves_merge_under_the_larger_maximum():
    made = at("halves")
    merge = made.trace.moves[-1]
    assert merge.merge
    assert made.trace.half == 3
    assert made.steps == 7
    # left 1, 2, 1 under ln 2; right 2, 8, 2 under ln 8
    assert (merge.before.denominator, merge.before.numerator) == pytest.approx((2, 4))
    assert (merge.own.denominator, merge.own.numerator) == pytest.approx((12 / 8, 60 / 8))
    assert (merge.factor, merge.own_factor) == (pytest.approx(1 / 4), 1)
    assert (merge.after.denominator, merge.after.numerator) == pytest.approx((2, 8.5))
    turned = at("halves", score="ln 8, ln 2, ln 2, ln 1, ln 2, ln 1").trace.moves[-1]
    assert (turned.factor, turned.own_factor) == (1, pytest.approx(1 / 4))
    assert not turned.rescaled
    assert made.active("order")


def test_one_block_has_no_halves():
    made = at("one_block", order="halves")
    assert not made.active("order")
    assert (made.steps, made.trace.half) == (1, 0)
    assert at("grows_once", block=16).steps == 1  # a row shorter than the block is one block


def test_a_row_masked_whole_is_empty_and_says_so():
    for order in ("row", "halves"):
        made = figure(f"score=masked, -inf, 遮盖&value=1,2,3&block=1&order={order}")
        assert made.values()["result"] == 0
        assert made.values()["maximum"] == -inf
        assert made.readouts()[0].sub == "all is masked: 0 by agreement"
        assert "u/ℓ = –" in made.summary()
        drawn = made.columns()
        assert [drawn[name]["role"] for name in ("weights", "ghosts", "lines", "labels")] == [[]] * 4


# ------------------------------------------------------------------------- random rows


def random_state(rng: random.Random) -> tuple[str, list[int], list[int], int, str]:
    n = rng.randint(1, MOST)
    weights = [rng.choice([0, 1, 1, 2, 3, 5, 8]) for _ in range(n)]
    values = [rng.randint(-9, 9) for _ in range(n)]
    block, order = rng.randint(1, MOST), rng.choice(["row", "halves"])
    score = ", ".join(f"ln {w}" if w else "masked" for w in weights)
    fragment = f"score={score}&value={' '.join(map(str, values))}&block={block}&order={order}"
    return fragment, weights, values, block, order


def test_every_step_of_random_rows_has_the_sums_of_the_scores_it_has_seen():
    rng = random.Random(2205)
    for _ in range(150):
        fragment, weights, values, block, _ = random_state(rng)
        made = figure(fragment)
        told, half = made.values(), made.trace.half
        assert half % min(block, len(weights)) == 0
        for k, move in enumerate(made.trace.moves, 1):
            seen = weights[move.part : move.stop]
            top = max(seen)
            total = Fraction(sum(seen), top) if top else Fraction(0)
            mass = sum(
                (Fraction(w * v, top) for w, v in zip(seen, values[move.part :], strict=False) if top), Fraction(0)
            )
            assert told[f"denominator_{k}"] == pytest.approx(float(total))
            assert told[f"numerator_{k}"] == pytest.approx(float(mass), abs=1e-12)
            assert told[f"maximum_{k}"] == (pytest.approx(log(top)) if top else -inf)
            old = max(weights[move.part : move.start], default=0)
            if not move.merge:
                assert move.rescaled == (top > old > 0)
            for name in ("denominator", "numerator"):
                parts = told[f"kept_{name}_{k}"] + told[f"added_{name}_{k}"]
                assert parts == pytest.approx(told[f"{name}_{k}"], abs=1e-12)
        assert told["difference"] < 1e-12


def test_what_a_weight_counts_for_is_relative_to_the_maximum_seen_by_then():
    rng = random.Random(7)
    for _ in range(80):
        fragment, weights, _, _, _ = random_state(rng)
        trace = figure(fragment).trace
        for k in range(1, len(trace.moves) + 1):
            move, worth = trace.moves[k - 1], trace.worth(k)
            seen = max(m.stop for m in trace.moves[:k])
            for i, w in enumerate(weights):
                split = trace.half if trace.half and not move.merge and seen > trace.half else 0
                group = weights[split:seen] if i >= split else weights[:split]
                want = w / max(group) if i < seen and w else 0
                assert worth[i] == pytest.approx(want)
                if i < seen:
                    assert trace.born[i] >= worth[i] * (1 - 1e-12)


def test_against_numpy_for_scores_that_are_no_logarithms():
    rng = np.random.default_rng(11)
    scores, values = rng.normal(size=12) * 4, rng.normal(size=12)
    weights = np.exp(scores - scores.max())
    for block in (1, 5, 12):
        row = f"score={' '.join(map(repr, scores.tolist()))}&value={' '.join(map(repr, values.tolist()))}&block={block}"
        assert figure(row).values()["result"] == pytest.approx(float(weights @ values / weights.sum()), rel=1e-12)


def test_states_come_back_from_their_fragment():
    rng = random.Random(3)
    for _ in range(60):
        made = figure(random_state(rng)[0])
        if rng.random() < 0.5:
            made.apply({"set": {"step": rng.randint(1, made.steps)}})
        again = figure(made.state)
        assert again.current() == made.current()
        assert again.values() == made.values()
        assert again.columns() == made.columns()


# ------------------------------------------------------------------------- typed rows


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1, 2,3", [1, 2, 3]),
        ("1 2\t3", [1, 2, 3]),
        ("1；2、3，4", [1, 2, 3, 4]),
        ("−1.5 +2 .5 3. 1e3 -2E-1", [-1.5, 2, 0.5, 3, 1000, -0.2]),
        ("ln 2, ln2, LN(2) ln ( 2 )", [log(2)] * 4),
        ("ln 0.5", [log(0.5)]),
        ("-inf, −∞, masked, mask, 遮盖, 掩码, -Infinity", [-inf] * 7),
        ("  ", []),
        ("-20000, masked", [-20000, -inf]),
    ],
)
def test_rows_as_readers_type_them(text, values):
    assert [entry.value for entry in score_row.parse(text, Words(), masks=True)] == values


@pytest.mark.parametrize(
    ("text", "piece", "why"),
    [
        ("1, two, 3", "two", "is no score"),
        ("1,, 2", ",", "is no score"),
        ("inf", "inf", "is no score"),
        ("nan 1", "nan", "is no score"),
        ("1 2x", "2x", "is no score"),
        ("ln", "ln", "is no score"),
        ("1-2", "1-2", "is no score"),
        ("1e999", "1e999", "too large"),
        ("ln 0", "ln 0", "above 0"),
        ("ln(-3)", "ln(-3)", "above 0"),
    ],
)
def test_rows_that_cannot_be_read_name_the_piece(text, piece, why):
    with pytest.raises(ValueError, match=why) as refused:
        score_row.parse(text, Words(), masks=True)
    assert f"“{piece}”" in str(refused.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"score": "1, x"}, "“x” is no score; write numbers, ln 2 or masked, with commas between"),
        ({"value": "1, masked"}, "“masked” is no value; write numbers, with commas between"),
        ({"score": ""}, "there are 0 scores; this figure draws 1 to 16"),
        ({"score": "1 " * 17, "value": "1 " * 17}, "there are 17 scores; this figure draws 1 to 16"),
        ({"value": "1, 2"}, "scores and values differ in number, 6 and 2; give one value a score"),
        ({"value": "1, 2, 3, 4, 5, 1e101"}, "the value 1 × 10¹⁰¹ is too large; 1 × 10¹⁰⁰ is the limit, either way"),
        ({"block": 0}, "Scores a block: 0 is outside 1 to 16"),
        ({"block": 17}, "Scores a block: 17 is outside 1 to 16"),
        ({"order": "sideways"}, "Order: “sideways” is not one of row, halves"),
        ({"step": 4}, "step 4 is beyond the last, 3"),
        ({"step": 0}, "Step: 0 is before the first step, 1"),
        ({"score": "1" * 4001}, "Scores s: 4,001 characters are more than 4,000"),
    ],
)
def test_bad_input_is_refused_and_the_state_stays(changes, message):
    made = figure()
    before = made.current(), made.columns()
    made.apply({"set": changes})
    assert made.error == message
    assert (made.current(), made.columns()) == before


def test_both_rows_can_be_made_longer_one_after_the_other():
    for first, second in (("score", "value"), ("value", "score")):
        typed = {"score": "ln 1, ln 2, ln 4", "value": "1, 3, 5"}
        made = at("two_scores")
        made.apply({"set": {first: typed[first]}})
        assert made.error.startswith("scores and values differ in number")
        made.apply({"set": {second: typed[second]}})
        assert made.error == ""
        assert made.values()["result"] == pytest.approx(27 / 7)


@pytest.mark.parametrize(
    "between", [{"preset": "rising"}, {"restore": "block=3"}, {"set": {"block": 4}}, {"ask": True}]
)
def test_a_refused_row_waits_only_as_long_as_its_text_stands_in_its_field(between):
    made = figure()
    made.apply({"set": {"score": "1, 2"}})
    made.apply(between)
    made.apply({"set": {"value": "1, 2"}})
    assert made.error.endswith("6 and 2; give one value a score")


def test_numbers_are_short_and_honest():
    words = Words()
    for x, text in (
        (0, "0"), (17 / 4, "4.25"), (8 / 3, "2.667"), (log(2), "0.693"), (exp(-3), "0.0498"), (-20000, "−20,000"),
        (1e100, "1 × 10¹⁰⁰"), (8.9e-16, "8.9 × 10⁻¹⁶"), (-inf, "−∞"), (1234567.0, "1.2 × 10⁶"), (99.996, "100"),
    ):  # fmt: skip
        assert softmax_words.shown(x, words) == text


# ------------------------------------------------------------------------- prediction


def met(made: OnlineSoftmax) -> str:
    """All that a reader can meet of a state, but the question."""
    drawn = made.columns()
    texts = [drawn[name][column] for name in ("texts", "labels") for column in ("wide", "phone")]
    parts = {name: part for name, part in card.update(made).items() if name not in ("predict", "controls")}
    return str([parts, made.summary(), made.table(), texts, drawn["marks"]["say"], str(hardware.hardware(made))])


def test_the_answer_is_two_and_hidden_until_the_reader_commits():
    made = figure("preset=rising", hidden=True)
    assert made.asked().values()["rescales"] == 2
    assert made.veiled
    assert (made.readouts()[1].value, made.readouts()[1].secret, made.readouts()[1].role) == ("", True, "")
    everything = met(made)
    for telling in ("rescaled", "raises", "maximum", "× 0", "▼", "no sums", "Rescales of this row", "2 times"):
        assert telling not in everything, telling
    assert all(row[2:] == ("?",) * 5 for row in made.table().rows)
    drawn = made.columns()
    assert all(not drawn[name]["role"] for name in ("weights", "ghosts", "lines", "labels"))
    made.apply({"set": {"step": 2}})  # a step of the asked state is hidden as well
    assert made.veiled
    assert "rescaled" not in met(made)
    made.apply({"commit": "3"})
    assert made.verdict.kind == "not_yet"
    assert not made.veiled
    assert made.readouts()[1].value == "2"
    assert "raises the maximum" in met(made)


@pytest.mark.parametrize(("text", "kind"), [("2", "right"), ("2 times", "right"), ("3", "not_yet"), ("1", "not_yet")])
def test_guesses(text, kind):
    made = figure(hidden=True)
    made.apply({"commit": text})
    assert made.verdict.kind == kind


def test_the_built_state_does_not_hide_and_does_not_tell_the_answer():
    made = figure(hidden=True)
    assert not made.veiled
    assert made.prediction.preset != made.presets[0].name
    assert made.values()["rescales"] == 1


# ------------------------------------------------------------------------- words and rows


def test_readouts():
    output, rescales, denominator, away = at("halves").readouts()
    assert (output.value, output.sub) == ("4.25", "softmax of s, times v")
    assert (rescales.value, rescales.sub, rescales.role) == ("2", "in 6 blocks, then a merge", "cost")
    assert (denominator.value, denominator.sub) == ("2", "with m = 2.079")
    assert (away.label, away.sub) == ("Difference", "from ordinary softmax")
    assert (away.value, away.unit) == softmax_words.tiny(at("halves").values()["difference"], Words())
    assert at("one_block").readouts()[3].value == "0"  # the same calls
    assert at("largest_first").readouts()[1].role == ""
    assert at("one_block").readouts()[1].sub == "in 1 block"


def test_the_table_has_a_row_a_step():
    table = at("grows_once").table()
    assert table.head == ("step", "scores", "factor r", "m", "ℓ", "u", "u/ℓ")
    assert table.rows == (
        ("block 1", "ln 1, ln 2", "0", "0.693", "1.5", "2.5", "1.667"),
        ("block 2", "ln 1, ln 2", "1", "0.693", "3", "8", "2.667"),
        ("block 3", "ln 8, ln 2", "0.25", "2.079", "2", "8.5", "4.25"),
    )
    assert at("halves").table().rows[-1][0] == "merge"
    assert at("first_masked").table().rows[0] == ("block 1", "masked, masked", "1", "−∞", "0", "0", "–")


def test_marks_say_what_happened():
    says = at("grows_once").columns()["marks"]["say"]
    assert says == [
        "Score 1 is ln 1 = 0, its value 1; its weight was 0.5 when it came, and counts 0.125 now.",
        "Score 2 is ln 2 = 0.693, its value 2; its weight was 1 when it came, and counts 0.25 now.",
        "Score 3 is ln 1 = 0, its value 3; its weight was 0.5 when it came, and counts 0.125 now.",
        "Score 4 is ln 2 = 0.693, its value 4; its weight was 1 when it came, and counts 0.25 now.",
        "Score 5 is ln 8 = 2.079, its value 5; its weight is 1.",
        "Score 6 is ln 2 = 0.693, its value 6; its weight is 0.25.",
        "Block 1 finds no sums, so there is nothing to rescale.",
        "Block 2 leaves the maximum at 0.693: r is 1, nothing is rescaled.",
        "Block 3 raises the maximum from 0.693 to 2.079: the sums are rescaled by r = e^(0.693 − 2.079) = 0.25.",
        "After block 3: m = 2.079, ℓ = 2, u = 8.5, u/ℓ = 4.25.",
    ]
    masked = at("first_masked").columns()["marks"]["say"]
    assert masked[0] == "Score 1 is masked: its weight is 0, whatever its value."
    assert "Block 1 is masked whole: m, ℓ and u stay as they are." in masked
    early = at("grows_once", step=1).columns()["marks"]["say"]
    assert early[4] == "Score 5 is ln 8 = 2.079, its value 5."
    assert at("halves").columns()["marks"]["say"][-2] == (
        "The two halves merge under the larger maximum, 2.079: the left sums count × 0.25, the right × 1."
    )


def test_the_summary_names_the_step_shown():
    assert at("grows_once", step=2).summary() == (
        "6 scores in 3 blocks. The sums are rescaled 1 time. Shown is step 2 of 3. "
        "Block 2 leaves the maximum at 0.693: r is 1, nothing is rescaled. "
        "After block 2: m = 0.693, ℓ = 3, u = 8, u/ℓ = 2.667."
    )


def test_no_reading_is_said_in_words():
    both = figure().comparison()
    assert both.recorded is None
    assert both.exact
    assert both.model == 1
    strip = str(hardware.hardware(figure()))
    assert "no reading yet" in strip
    assert "Not measured for this book yet" in strip


@pytest.mark.parametrize(("preset", "way", "parts"), [("grows_once", "online", 3), ("one_block", "one block", 2)])
def test_a_state_stands_beside_long_rows_folded_as_its_own(preset, way, parts):
    """By hand: a way that moves 3 or 2 parts of what three passes move (4) takes as many parts of their time."""
    recorded = json.loads((Path(__file__).parents[2] / "chapters/recorded/h200/online_softmax.json").read_text("utf-8"))
    made = OnlineSoftmax(Words(), (recorded,))
    made.apply({"preset": preset})
    rows = {row["way"]: row for row in recorded["rows"] if row["columns"] == 32768}
    both = made.comparison()
    assert both.recorded == rows[way]["us"]
    assert both.model == pytest.approx(rows["three passes"]["us"] * parts / 4)
    assert abs(both.model / both.recorded - 1) < 0.03
    assert "8,192 rows of 32,768 floats" in both.what


# ------------------------------------------------------------------------- the drawing


def test_the_limit_rises_and_never_falls_and_no_score_seen_is_above_it():
    rng = random.Random(19)
    for _ in range(60):
        made = figure(random_state(rng)[0])
        made.apply({"set": {"step": rng.randint(1, made.steps)}})
        drawn, seen = made.columns(), max(m.stop for m in made.trace.moves[: made.at])
        heavy = [ys for ys, width in zip(drawn["lines"]["ys"], drawn["lines"]["width"], strict=True) if width == 2.5]
        for ys in heavy:
            assert ys == sorted(ys)
        if heavy:
            highest = max(max(ys) for ys in heavy)
            marks = zip(made.trace.scores, drawn["marks"]["y"], strict=False)
            tops = [y for i, (score, y) in enumerate(marks) if i < seen and score != -inf]
            assert max(tops) == pytest.approx(highest)


def test_a_weight_and_what_rescales_took_add_up_to_the_weight_that_came():
    drawn = at("grows_once").columns()
    one = drawn["weights"]["top"][4] - drawn["weights"]["bottom"][4]  # ln 8: weight 1
    heights = [t - b for t, b in zip(drawn["weights"]["top"], drawn["weights"]["bottom"], strict=True)]
    assert [h / one for h in heights] == pytest.approx([1 / 8, 1 / 4, 1 / 8, 1 / 4, 1, 1 / 4])
    taken = [t - b for t, b in zip(drawn["ghosts"]["top"], drawn["ghosts"]["bottom"], strict=True)]
    assert [t / one for t in taken] == pytest.approx([3 / 8, 3 / 4, 3 / 8, 3 / 4])
    assert drawn["ghosts"]["bottom"] == drawn["weights"]["top"][:4]
    assert at("largest_first").columns()["ghosts"]["left"] == []


def test_a_bracket_stands_only_over_sums_that_are_scaled():
    def brackets(made):
        return [text.strip("\N{NO-BREAK SPACE}") for text in made.columns()["labels"]["wide"] if "×" in text]

    assert brackets(at("grows_once")) == ["× 0.25"]
    assert brackets(at("grows_once", step=2)) == []
    assert brackets(at("largest_first")) == []
    assert brackets(at("halves")) == ["× 0.25", "× 1"]


def test_scores_far_apart_stay_inside_their_frame():
    for row in ("-1e308, 1e308", "0, 0", "-5, -4", "1e-300, masked", "1000, 1001"):
        drawn = figure(f"score={row}&value=1, 2&block=1").columns()
        for y in [*drawn["scores"]["bottom"], *drawn["scores"]["top"], *drawn["marks"]["y"]]:
            assert 0 <= y <= HEIGHT
        assert min(t - b for t, b in zip(drawn["scores"]["top"], drawn["scores"]["bottom"], strict=True)) >= 4


def test_sources_have_the_same_columns_in_every_state_and_each_row_is_whole():
    rng = random.Random(5)
    first = {name: tuple(columns) for name, columns in figure().columns().items()}
    for k in range(80):
        made = figure("preset=rising", hidden=True) if k == 0 else figure(random_state(rng)[0])
        drawn = made.columns()
        assert {name: tuple(columns) for name, columns in drawn.items()} == first
        for columns in drawn.values():
            assert len({len(column) for column in columns.values()}) == 1
        assert drawn["cursor"] == {"x": [], "y": [], "role": []}


def test_texts_of_one_line_do_not_meet_on_a_phone():
    for preset in OnlineSoftmax.presets:
        made = at(preset.name)
        drawn = made.columns()["texts"]
        lines: dict[float, list[tuple[float, float]]] = {}
        for x, y, text, align in zip(drawn["x"], drawn["y"], drawn["phone"], drawn["align"], strict=True):
            if text:
                width, at_px = 6.4 * len(text), x * 0.306
                left = at_px if align == "left" else at_px - width / 2
                lines.setdefault(y, []).append((left, left + width))
        for spans in lines.values():
            spans.sort()
            assert all(a[1] <= b[0] + 1 for a, b in pairwise(spans)), (preset.name, spans)


def test_the_document_is_the_same_twice_and_takes_patches():
    one, two = OnlineSoftmax(Words()).document(1000), OnlineSoftmax(Words()).document(1000)
    assert one.to_json() == two.to_json()
    assert {model.id for model in one.models} == {model.id for model in two.models}
    live = Live(figure(), 1000)
    page = Document.from_json(live.document.to_json(deferred=False))
    live.figure.apply({"preset": "one_each"})
    patch = live.patch()
    assert patch
    assert live.patch() is None
    page.apply_json_patch(json.loads(patch))
    assert page.get_model_by_name("weights").data["left"] == list(live.figure.columns()["weights"]["left"])
    tags = [tag for model in page.models for tag in model.tags if tag in ("phone", "wide")]
    assert {"phone", "wide"} == set(tags)
    assert all("px" in model.text_font_size["value"] for model in page.select({"type": Text}))


def test_a_change_of_nothing_sends_nothing():
    live = Live(figure(), 1000)
    live.figure.apply({"set": {"block": 2}})
    assert live.patch() is None


def test_heights_fit_a_screen():
    assert OnlineSoftmax.height <= 560
    assert OnlineSoftmax.phone_height <= 520


# ------------------------------------------------------------------------- the walk


def test_under_another_maximum_the_sums_shrink_alike():
    state = softmax_walk.walk([0.0, log(2)], [1.0, 3.0], 2, "row").state  # m = ln 2, ℓ = 3/2, u = 7/2
    moved = softmax_walk.under(state, log(8))
    assert (moved.maximum, moved.denominator, moved.numerator) == pytest.approx((log(8), 3 / 8, 7 / 8))
    assert moved.output == pytest.approx(state.output)


def test_a_walk_refuses_what_the_simulator_refuses():
    with pytest.raises(ValueError, match=re.escape("there are 2 scores and 1 values")):
        softmax_walk.walk([0.0, 1.0], [1.0], 1, "row")
    with pytest.raises(ValueError, match="block is 0"):
        softmax_walk.walk([0.0, 1.0], [1.0, 2.0], 0, "row")


# ------------------------------------------------------------------------- lab L3


def test_the_exercise_takes_the_fraction_and_knows_the_mistakes():
    file = Path(__file__).parents[2] / "chapters/11-attention/exercises/one_more_score.py"
    spec = importlib.util.spec_from_file_location("one_more_score", file)
    exercise = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(exercise)
    answer, mistakes = exercise.answer(), exercise.mistakes()
    assert answer.value == pytest.approx(27 / 7)
    # ℓ and u of the first two are 3/2 and 7/2; the new score adds 1 and 5
    hand = {"no_rescale": 8.5 / 2.5, "only_l": 8.5 / 1.75, "only_u": 6.75 / 2.5, "outputs": (7 / 3 + 5) / 2, "plain": 3}
    assert mistakes == {key: round(value, 2) for key, value in hand.items()}
    why = {key: f"that is {key}" for key in mistakes}
    for text in ("27/7", "3.86", "3.857", "3,86", "≈ 3.86"):
        assert lab.check(text, answer, Words(), mistakes, why).kind == "right", text
    for key, value in mistakes.items():
        verdict = lab.check(str(value), answer, Words(), mistakes, why)
        assert (verdict.kind, f"that is {key}" in verdict.message) == ("not_yet", True)
