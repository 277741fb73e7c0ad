from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from widgets.answers import Choice, Number, Order, ValueSet, from_json
from widgets.lab import check
from widgets.lab_reasons import ALIKE
from widgets.words import Words

EN = Words("en")
SPACES = [" ", "\u00a0", "\u2009", "\u202f"]
MINUSES = ["-", "−", "–", "－"]
UNITS = {  # unit, and its size in the base unit of its kind (IEC 80000-13 and SI), beside the module's own table
    "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "字节": 1,
}  # fmt: skip
TIMES = {"ns": 1, "µs": 10**3, "us": 10**3, "微秒": 10**3, "ms": 10**6, "毫秒": 10**6, "s": 10**9}


@st.composite
def spellings(draw, whole: int, decimals: str = "") -> str:
    """A way to write ±whole.decimals that someone somewhere uses, and that has a reading as that number."""
    digits = str(abs(whole))
    point = draw(st.sampled_from([".", ",", "．"])) if decimals else ""
    marks = ["", *SPACES, "'", "’", "_"]
    if len(digits) > 3:
        marks += [",", "，"] if point != "," else []
        # one group after a single dot reads as decimals: 1.024; two groups, or a decimal comma, do not
        marks += ["."] if point == "," or (not point and len(digits) > 6) else []
    mark = draw(st.sampled_from(marks))
    text = mark.join(reversed([digits[max(0, end - 3) : end] for end in range(len(digits), 0, -3)]))
    text += point + decimals
    if draw(st.booleans()):
        text = "".join(chr(ord(c) + 0xFEE0) if c in "0123456789" else c for c in text)
    sign = draw(st.sampled_from(MINUSES)) if whole < 0 else draw(st.sampled_from(["", "", "+", "＋"]))
    around = st.text(" \n\t\u00a0\u3000", max_size=3)
    return draw(around) + draw(st.sampled_from(["", "≈ ", "= "])) + sign + text + draw(around)


wholes = st.integers(-(10**12), 10**12)


@given(st.data(), wholes, st.sampled_from(["", "wavefronts", " wavefront", "次", "\u00a0wavefronts\n"]))
def test_every_spelling_of_a_whole_number_is_right(data, whole, unit):
    verdict = check(data.draw(spellings(whole)) + unit, Number(whole, "wavefronts"), EN)
    assert verdict.kind == "right", verdict


@given(st.data(), wholes.filter(bool), st.text("0123456789", min_size=1, max_size=4))
def test_every_spelling_of_a_decimal_is_right(data, whole, decimals):
    size = Fraction(f"{abs(whole)}.{decimals}")
    exact = -size if whole < 0 else size
    assert check(data.draw(spellings(whole, decimals)), Number(exact), EN).kind == "right"
    assert check(data.draw(spellings(whole, decimals)), Number(float(exact), digits=2), EN).kind == "right"


@given(wholes.filter(bool), st.integers(-6, 6), st.sampled_from(["e{}", "E{}", " × 10^{}", "*10**{}"]))
def test_powers_of_ten_are_right(whole, power, form):
    assert check(f"{whole}{form.format(power)}", Number(whole * Fraction(10) ** power), EN).kind == "right"


@given(st.integers(-999, 999), st.integers(1, 999), st.sampled_from("/⁄"))
def test_fractions_are_right(above, below, bar):
    assert check(f"{above} {bar} {below}", Number(Fraction(above, below)), EN).kind == "right"


@given(wholes, wholes)
def test_another_number_is_not_right(right, said):
    assume(said != right)
    for text in (str(said), f"{said:,}" if abs(said) >= 10**6 else f"{said:_}"):
        assert check(text, Number(right), EN).kind == "not_yet"


@pytest.mark.parametrize("sizes", [UNITS, TIMES], ids=["bytes", "time"])
@given(data=st.data(), amount=st.integers(1, 10**6))
def test_units_of_one_kind_convert_exactly(sizes, data, amount):
    asked, typed = data.draw(st.sampled_from(sorted(sizes))), data.draw(st.sampled_from(sorted(sizes)))
    same = Fraction(amount * sizes[asked], sizes[typed])
    verdict = check(f"{same} {typed}", Number(amount, asked), EN)
    assert verdict.kind == "right", verdict
    off = check(f"{same + 1} {typed}", Number(amount, asked), EN)
    assert off.kind == "not_yet"


@given(st.integers(1, 9999).filter(lambda n: n % 1000), st.floats(0.001, 1e6))
def test_direction_is_true(said, right):
    answer = Number(right, "warps", digits=1)
    message = check(str(said), answer, EN).message
    assume("too" in message and "far" not in message)
    assert ("too large" in message) == (said > right)


@given(st.integers(2, 999), st.sampled_from([1000, 1024]), st.integers(1, 2), st.booleans())
def test_a_lost_prefix_is_named(right, base, steps, larger):
    size = base**steps
    text = str(right * size) if larger else f"{right}/{size}"
    assume(abs(Fraction(text) * right - 1) > ALIKE)  # else it is the reciprocal too
    assert f"factor of {size:,}" in check(text, Number(right, "warps"), EN).message


ANSWERS = [
    Number(1024), Number(33, "wavefronts"), Number(1.29, "µs", digits=2), Number(96, "KiB"),
    Number(31, "%"),
    Number(0), Number(3.35, "TB/s", rel=0.01), ValueSet((1, 2, 1024)), ValueSet(()),
    ValueSet(("a",), ("a", "b")),
    Order(("load", "sum", "store")), Choice("both", ("hardware", "both")),
]  # fmt: skip
PIECES = [
    *"0123456789.,'_ +-−×x*^/eE%()[]{}<>→;、，。½¾²⁻①㉈\n\t\x00\u200b\ud800",
    "10^", "e9", "KiB", "µs", "万", "百分之", "load", "sum", "both", "none", "∞", "nan", "1,024", "1/0",
]  # fmt: skip
junk = st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text("9e0", max_size=999)


@given(junk, st.sampled_from(ANSWERS))
def test_junk_gets_a_sentence_and_never_raises(text, answer):
    verdict = check(text, answer, EN, {"mistake": "3"} if isinstance(answer, Number) else {}, {"mistake": "No."})
    assert verdict.kind in ("right", "not_yet", "unreadable")
    assert verdict.message.replace("\u00a0", " ").isprintable()
    assert 0 < len(verdict.message) < 300
    assert (verdict.message + verdict.read).encode()


@given(junk, st.sampled_from(ANSWERS))
def test_an_answer_shipped_as_json_judges_alike(text, answer):
    assert check(text, from_json(answer.to_json()), EN) == check(text, answer, EN)


separators = st.sampled_from([", ", " ", ";", "、", "，", "\n"])


@given(st.sets(st.integers(-999, 999), max_size=40), st.randoms(use_true_random=False), separators)
def test_a_set_is_right_in_any_order_with_repeats(values, random, separator):
    listed = [*values, *random.sample(sorted(values), len(values) // 2)]
    random.shuffle(listed)
    text = separator.join(map(str, listed)) or "none"
    assert check(text, ValueSet(tuple(values)), EN).kind == "right"


@given(st.permutations(["a", "b", "c", "d", "e"]))
def test_the_place_named_is_the_first_that_differs(given_order):
    answer = Order(("a", "b", "c", "d", "e"))
    verdict = check(" > ".join(given_order), answer, EN)
    differing = [place for place in range(5) if given_order[place] != answer.keys[place]]
    expected = f"Not yet. Place {differing[0] + 1} is the first out of order." if differing else "Right."
    assert verdict.message == expected
