"""Formulas: MathML that is well formed, and a sentence for what is no formula."""

import pytest

from bookbuild.maths import mathml, refusal


def test_a_formula_is_mathml_that_says_how_it_stands() -> None:
    assert mathml("w_b", False).startswith('<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline">')
    assert "<msub><mi>w</mi><mi>b</mi></msub>" in mathml("w_b", True)
    assert 'display="block"' in mathml("w_b", True)


@pytest.mark.parametrize(
    ("latex", "lone"),
    [
        (r"\text{waves} = \text{blocks}", 1),
        (r"n = \frac{\text{blocks}}{\text{SMs} \cdot \text{blocks per SM}}", 1),
        (r"\text{波数} \times \text{块数}", 1),
        (r"\text{waves} = n", 0),
        (r"\text{a} \times \text{b} = \text{c}", 0),
        (r"\sum_{p\ \text{taken}} \ell_p", 0),
    ],
)
def test_an_operator_between_words_alone_keeps_its_spaces(latex: str, lone: int) -> None:
    """MathML Core: a row whose only part that is not space-like is an operator takes that operator's place."""
    assert mathml(latex, True).count("<mi></mi></mrow>") == lone


@pytest.mark.parametrize("latex", [r"\max_b q_b", "a < b", r"\frac{a}{b}", r"2^{-24}", r"\text{µs}", r"a \& b"])
def test_good_formulas_are_not_refused(latex: str) -> None:
    assert refusal(latex) == ""


@pytest.mark.parametrize(
    ("latex", "said"),
    [
        ("a^", "MissingSuperScript"),
        ("a_b_c", "DoubleSubscripts"),
        (r"\left( a", "MissingRight"),
        (r"\frac{a}", "mfrac has 1 of its 2 parts"),
        (r"\frac{a}{", "2 braces open and 1 close"),
        (r"\wavefront + 1", r"\wavefront is no command"),
        ("a & b", "a bare &"),
        (r"\text{<b>bold</b>}", "holds < or &"),
    ],
)
def test_bad_formulas_are_refused_with_the_reason(latex: str, said: str) -> None:
    assert said in refusal(latex)
