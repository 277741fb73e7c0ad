"""Formulas: MathML that is well formed, and a sentence for what is no formula."""

import pytest

from bookbuild.maths import mathml, refusal


def test_a_formula_is_mathml_that_says_how_it_stands() -> None:
    assert mathml("w_b", False).startswith('<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline">')
    assert "<msub><mi>w</mi><mi>b</mi></msub>" in mathml("w_b", True)
    assert 'display="block"' in mathml("w_b", True)


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
