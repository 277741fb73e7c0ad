import doctest
import subprocess
import sys
from fractions import Fraction
from gettext import NullTranslations

import pytest

from widgets import lab, lab_exact, lab_numerals, lab_units
from widgets.answers import Choice, Number, Order, ValueSet
from widgets.lab import check
from widgets.lab_numerals import MAX_CHARS
from widgets.words import NO_BREAK, Words

EN = Words("en")
WAVEFRONTS = Number(1024, "wavefronts")
KIB = Number(96, "KiB")  # two blocks of 16 KiB and an accumulator of 64 KiB
ORDER = Order(("load", "sum", "store"))
PLACE = Choice("both", ("hardware", "software", "both"))


class Other(Words):
    """A language whose every message differs from English and keeps its places."""

    class Marked(NullTranslations):
        def gettext(self, message: str) -> str:
            return f"«{message}»"

        def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
            return f"«{msgid2}»"

    def __init__(self) -> None:
        super().__init__("en")
        self._catalogue = self.Marked()


# What readers of comparable systems had refused: the trailing blank lines, and each way to write a number.
@pytest.mark.parametrize(
    "text",
    [
        "1024\n\n", "\n 1024 \t\n", "1,024", "1 024", "1\u00a0024", "1\u202f024", "1\u2009024", "1'024", "1’024",
        "1_024", "1，024", "１０２４", "1024 wavefronts", "1,024 wavefront", "1024次", "1024 个 wavefront", "1.024e3",
        "1.024 × 10³", "2^10", "1.024,0", "1,024.0", "+1024", "≈ 1024", "1024.", "1 K", "1 Ki", "0.1024 万", "2048/2",
    ],
)  # fmt: skip
def test_any_way_to_write_the_right_number_is_right(text):
    assert check(text, WAVEFRONTS, EN).kind == "right"


@pytest.mark.parametrize(
    ("text", "answer", "read"),
    [
        ("1,024", Number(1024), "1,024"), ("1,024", Number(1.024, digits=3), "1.024"),
        ("1,5", Number(1.5, digits=1), "1.5"),
        ("1.024,5", Number(1024.5, digits=1), "1,024.5"), ("0.5 k", Number(500), "500"),
        ("31 %", Number(0.31, digits=2), "0.31"),
        ("1 K", Number(1024), "1,024"), ("1 K", Number(1000), "1,000"),
        ("98,304 B", KIB, f"96{NO_BREAK}KiB"),
        ("96 KB", KIB, f"96{NO_BREAK}KiB"), ("1290 ns", Number(1.29, "µs", digits=2), f"1.29{NO_BREAK}µs"),
        ("1/3", Number(Fraction(1, 3)), "≈ 0.3333"),
        ("2^-24", Number(Fraction(1, 2**24)), "≈ 5.960 × 10⁻⁸"),
        ("33 wavefronts", Number(33), "33"),
    ],
)  # fmt: skip
def test_a_reading_or_conversion_is_said(text, answer, read):
    assert check(text, answer, EN) == lab.Verdict("right", "Right.", f"Read as {read}.")


@pytest.mark.parametrize("text", ["1024", "1024 wavefronts", "１０２４", "1,024.0"])
def test_nothing_is_said_where_there_is_one_reading(text):
    assert check(text, WAVEFRONTS, EN) == lab.Verdict("right", "Right.")


@pytest.mark.parametrize(
    ("text", "answer", "reason"),
    [
        ("1000", WAVEFRONTS, "You said 1,000"), ("512", WAVEFRONTS, "too small"),
        ("2048", WAVEFRONTS, "too large"),
        ("1025", WAVEFRONTS, "close, but a little too large"),
        ("1023", WAVEFRONTS, "close, but a little too small"),
        ("-1024", WAVEFRONTS, "sign"), ("0", WAVEFRONTS, "too small"), ("5", Number(0), "too large"),
        ("1024000", WAVEFRONTS, "factor of 1,000."),
        ("1.024", WAVEFRONTS, "dot is read as the decimal mark"),
        ("1290", Number(1.29, "µs", digits=2), "factor of 1,000: is the unit right?"),
        ("1.29 s", Number(1.29, "µs", digits=2), "factor of 1,000,000"),
        ("98304", KIB, "factor of 1,024: is the unit"),
        ("98.304", KIB, "KiB or kB"), ("163.577856", Number(156, "MiB"), "KiB or kB"),
        ("96 kB", KIB, "KiB or kB"),
        ("98.3 kB", KIB, "rounded: give the answer in KiB"),
        ("1.02 k", Number(1024), "rounded; this answer is exact"),
        ("1 k", Number(1024), "You said 1,000, which is too small"),
        ("0.31", Number(31, "%"), "share of 1; this answer is in percent"),
        ("31", Number(Fraction(31, 100)), "percentage; write % after it"),
        ("0.25", Number(4), "reciprocal"), ("3", Number(Fraction(1, 3)), "reciprocal"),
        ("1.3", Number(1.29, "µs", digits=2), "give 2 decimal places"),
        ("0.3", Number(0.26, digits=2), "rounded too far"),
        ("0.33", Number(Fraction(1, 3)), "exact, a fraction will do"),
        ("3", Number(3.35, rel=0.01), "one digit more"),
        ("1024 warps", WAVEFRONTS, "“warps” is not the unit: this answer is in wavefronts"),
        ("96 ms", KIB, "“ms” is not the unit"), ("33 ms", Number(33), "has no unit; you wrote “ms”"),
    ],
)  # fmt: skip
def test_a_wrong_number_gets_a_reason(text, answer, reason):
    verdict = check(text, answer, EN)
    assert verdict.kind == "not_yet"
    assert verdict.message.startswith("Not yet. ")
    assert reason in verdict.message


def test_two_wrong_readings_are_both_said():
    assert check("2,048", WAVEFRONTS, EN).read == f"Read as 2,048{NO_BREAK}wavefronts / 2.048{NO_BREAK}wavefronts."


@pytest.mark.parametrize(
    ("text", "answer", "said"),
    [
        ("", WAVEFRONTS, "There is no answer yet. Write one number in wavefronts"),
        (" \n\u200b", KIB, "There is no answer yet."),
        ("many", KIB, "There is no number in “many”. Write one number in KiB"),
        ("∞", KIB, "no number in “∞”"),
        ("12 34", KIB, "“12 34” may be more than one number"),
        ("1e999", KIB, "out of range"),
        ("1/0", KIB, "divides by zero"), ("96 foo", KIB, "“foo” is not a unit known here"),
        ("9" * (MAX_CHARS + 1), KIB, "401 characters; an answer has at most 400"),
        ("maybe", PLACE, "“maybe” is none of the options. Choose one of: hardware, software, both."),
        ("", PLACE, "no answer yet"),
        ("1 2 x", ValueSet((1, 2)), "no number in “x”. Write the numbers with commas"),
        ("1 KiB, 2", ValueSet((1, 2)), "no number in “KiB”"),
        ("1 2B", ValueSet((1, 2)), "“2B” is not a number by itself"),
        ("load > sum", ORDER, "1 has no place yet. Give each of these one place"),
        ("load", ORDER, "2 have no place yet"),
        ("load sum load", ORDER, "“load” has more than one place"),
        ("load sum stare", ORDER, "“stare” is none of"),
        ("c", ValueSet(("a",), ("a", "b")), "Choose any of: a, b."),
    ],
)  # fmt: skip
def test_the_unreadable_is_said_with_what_would_be_readable(text, answer, said):
    verdict = check(text, answer, EN)
    assert verdict.kind == "unreadable"
    assert said in verdict.message
    assert verdict.message.endswith(".")


def test_a_known_mistake_gets_its_sentence_and_the_right_answer_its_own():
    answer, mistakes = Number(32, "wavefronts"), {"rows": 16, "tile": 992}
    why = {"rows": "That counts half the lanes.", "tile": "That is the whole tile."}
    assert check("16", answer, EN, mistakes, why).message == "Not yet. That counts half the lanes."
    assert check("0,992 k", answer, EN, mistakes, why).message == "Not yet. That is the whole tile."
    assert "which is too small" in check("17", answer, EN, mistakes, why).message
    assert check("32", answer, EN, mistakes, why, "All in one bank.").message == "Right. All in one bank."


def test_of_two_readings_the_known_mistake_counts():
    verdict = check("1,5", Number(2), EN, {"half": Fraction(3, 2)}, {"half": "Round up."})
    assert (verdict.message, verdict.read) == ("Not yet. Round up.", "Read as 1.5.")
    verdict = check("2,048", Number(2), EN, {"prefix": 2.048}, {"prefix": "Count in twos."})
    assert (verdict.message, verdict.read) == ("Not yet. Count in twos.", "Read as 2.048.")


def test_a_mistake_without_a_sentence_gets_the_general_reason():
    assert "too small" in check("16", Number(32), EN, {"rows": 16}, {}).message


def test_encoded_mistakes_work_as_values_do():
    third = lab.encode(Fraction(1, 3))
    assert check("1/3", Number(2), EN, {"share": third}, {"share": "Count them."}).message == "Not yet. Count them."


def test_a_choice_is_named_by_key_or_printed_text():
    printed = {"hardware": "Hardware", "software": "Software", "both": "Both of them"}
    assert check(" BOTH\n", PLACE, EN).kind == "right"
    assert check("both  of them", PLACE, EN, options=printed).kind == "right"
    assert check("hardware", PLACE, EN, options=printed).message == "Not yet. You chose “Hardware”."
    why = {"software": "A warp is issued by hardware."}
    assert check("software", PLACE, EN, why=why).message == "Not yet. A warp is issued by hardware."


STRIDES = ValueSet((1, 3, 1024))


@pytest.mark.parametrize(
    "text",
    [
        "1, 3, 1024", "1024 3 1", "3;1;1024", "1、3、1024", "1，3，1024", "{1, 3, 1024}", "1,3,1024,3", "1\n3\n1024\n",
        "1, 3, 1,024", "1,024 3 1", "1; 3; 1 024", "1; 3; 1.024,0", "１、３、１０２４", "(1 3 1024).",
    ],
)  # fmt: skip
def test_sets_in_any_order_and_with_any_separator(text):
    assert check(text, STRIDES, EN).kind == "right"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1, 3", "1 value is missing."), ("1", "2 values are missing."), ("none", "3 values are missing."),
        ("1, 3, 5, 1024", "1 value does not belong."), ("1 3 5 7 1024", "2 values do not belong."),
        ("1, 5", "2 values are missing. 1 value does not belong."),
    ],
)  # fmt: skip
def test_a_wrong_set_is_told_by_counts_alone(text, said):
    assert check(text, STRIDES, EN).message == "Not yet. " + said


def test_a_set_with_two_readings_says_which():
    assert check("1,024", ValueSet((1024,)), EN).read == "Read as 1,024."
    assert check("1, 3, 1,024", STRIDES, EN).read == "Read as 1; 3; 1,024."
    assert check("12,345", ValueSet((12, 345)), EN).read == "Read as 12; 345."


def test_the_empty_set_has_a_name():
    assert all(check(text, ValueSet(()), EN).kind == "right" for text in ("none", "∅", "无", "{}"))
    assert check("none", ValueSet((), ("a", "b")), EN).kind == "right"
    assert check("1", ValueSet(()), EN).message == "Not yet. 1 value does not belong."


def test_sets_of_keys():
    answer = ValueSet(("warp", "coalescing"), ("warp", "coalescing", "tile"))
    assert check("Coalescing, warp", answer, EN).kind == "right"
    assert check("warp tile", answer, EN).message == "Not yet. 1 value is missing. 1 value does not belong."


@pytest.mark.parametrize(
    "text",
    [
        "load,sum,store", "load > sum > store", "load→sum → store", "load -> sum -> store", "Load sum STORE",
        "load、sum、store", "load，sum，store", "load\nsum\nstore\n",
    ],
)  # fmt: skip
def test_orders_with_any_separator(text):
    assert check(text, ORDER, EN).kind == "right"


def test_an_order_of_single_letters_needs_no_separator():
    answer = Order(tuple("CDBA"))
    assert check("CDBA", answer, EN).kind == check("c d b a", answer, EN).kind == "right"
    assert check("CDAB", answer, EN).message == "Not yet. Place 3 is the first out of order."
    assert check("CDB", answer, EN).kind == check("CDBAX", answer, EN).kind == "unreadable"


@pytest.mark.parametrize(
    "text", ["1 and 3", "1, and 3", "1 & 3", "1和3", "1、3", "warps 1 and 3", "Warp 1, warp 3", "1 3 warps", "{1, 3}"]
)
def test_a_set_as_people_say_it(text):
    assert check(text, ValueSet((1, 3)), EN, unit="warps").kind == "right"


@pytest.mark.parametrize("text", ["not 1 and 3", "all but 1 and 3", "blocks 1 and 3", "1 or 3"])
def test_words_beside_a_set_are_not_overlooked(text):
    assert check(text, ValueSet((1, 3)), EN, unit="warps").kind == "unreadable"


def test_an_order_names_the_first_wrong_place():
    assert check("load > store > sum", ORDER, EN).message == "Not yet. Place 2 is the first out of order."
    assert check("sum > load > store", ORDER, EN).message == "Not yet. Place 1 is the first out of order."
    why = {"early": "Nothing is summed yet."}
    assert check("load store sum", ORDER, EN, {"early": ["load", "store", "sum"]}, why).message.endswith("yet.")


def test_the_unit_the_page_prints_is_a_spelling_and_is_shown():
    verdict = check("2048 次合并", Number(1024, "merges"), EN, unit="次合并")
    assert f"2,048{NO_BREAK}次合并" in verdict.message
    assert check("98304 字节", KIB, EN, unit="KiB").kind == "right"
    assert check("31", Number(31), EN, unit="%").kind == "right"


CASES = [
    ("1,024", WAVEFRONTS), ("512", WAVEFRONTS), ("x", WAVEFRONTS), ("1024 foo", WAVEFRONTS),
    ("1.3", Number(1.29, digits=2)),
    ("98 kB", KIB), ("1 2", STRIDES), ("1 3 1024", STRIDES), ("load", ORDER), ("sum load store", ORDER),
    ("both", PLACE),
]  # fmt: skip


@pytest.mark.parametrize(("text", "answer"), CASES)
def test_languages_judge_alike_and_share_no_sentence(text, answer):
    english, other = check(text, answer, EN), check(text, answer, Other())
    assert other.kind == english.kind
    assert "«" in other.message
    assert bool(other.read) == bool(english.read)
    first = {"right": "«Right.»", "not_yet": "«Not yet.»", "unreadable": ""}[other.kind]
    assert first in other.message


def test_no_verdict_scolds():
    said = " ".join(check(text, answer, EN).message.lower() for text, answer in CASES)
    assert not {"wrong", "incorrect", "error", "score", "fail"} & set(said.split())


@pytest.mark.parametrize("module", [lab, lab_exact, lab_numerals, lab_units])
def test_the_examples_in_the_docstrings(module):
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


def test_it_needs_no_drawing_library():
    code = "import sys, widgets.lab; print(*{'bokeh', 'panel', 'param', 'numpy', 'jinja2'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
