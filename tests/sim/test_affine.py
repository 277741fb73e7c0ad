import doctest
from random import Random

import pytest

import sim.affine
from sim.affine import Affine, parse


def test_docstring_examples_hold():
    result = doctest.testmod(sim.affine)
    assert result.attempted
    assert not result.failed


def test_who_is_read_and_who_is_written():
    def roles(text):
        return [(access.array, access.written, access.read) for access in parse(text)]

    assert roles("C[i, j] += A[i, k] * W[k, j]") == [("C", True, True), ("A", False, True), ("W", False, True)]
    assert roles("C[i, j] = A[i, k]") == [("C", True, False), ("A", False, True)]
    assert roles("A[i]+A[i+1]-A[i+2]") == [("A", False, True)] * 3


def test_the_text_of_an_access_is_as_typed():
    assert [access.text for access in parse("C[ i,j ] = 界 [i, 2 *k]")] == ["C[ i,j ]", "界 [i, 2 *k]"]


def random_index(random, depth=0):
    """Text of an affine expression."""
    kind = random.randrange(6 if depth < 3 else 2)
    if kind == 0:
        return str(random.randrange(10))
    if kind == 1:
        return random.choice("ijk")
    if kind == 2:
        return (
            f"-{random_index(random, depth + 1)}" if random.random() < 0.5 else f"({random_index(random, depth + 1)})"
        )
    if kind == 3:
        return f"{random.randrange(5)}*({random_index(random, depth + 1)})"
    if kind == 4:
        return f"({random_index(random, depth + 1)}) * {random.randrange(5)}"
    return random_index(random, depth + 1) + random.choice(["+", " - "]) + random_index(random, depth + 1)


def test_random_expressions_have_pythons_value():
    random = Random(4)
    for _ in range(300):
        text = random_index(random)
        (index,) = parse(f"X[{text}]")[0].indices
        for _ in range(3):
            values = {name: random.randrange(-50, 50) for name in "ijk"}
            mine = index.constant + sum(step * values[name] for name, step in index.terms)
            assert mine == eval(text, {}, values), text
        assert all(step for _, step in index.terms)
        assert list(index.terms) == sorted(index.terms)


def test_terms_that_cancel_are_gone():
    assert parse("X[i - i, 0*k, 3*(i - k) + 3*k]")[0].indices == (
        Affine(0, ()),
        Affine(0, ()),
        Affine(0, (("i", 3),)),
    )


def test_other_loop_variables():
    assert parse("X[row + 2*col]", loops=("row", "col"))[0].indices == (Affine(0, (("col", 2), ("row", 1))),)
    with pytest.raises(ValueError, match=r'^"i" at position 3 is unexpected; .*; the loop variables are row, col is'):
        parse("X[i]", loops=("row", "col"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the text ends at position 1, where the name of an array is allowed"),
        ("A", "the text ends at position 2, where the [ of A is allowed"),
        ("A[", "the text ends at position 3, where whole numbers, loop variables"),
        ("A[]", '"]" at position 3 is unexpected'),
        ("A[i", 'the text ends at position 4, where an operator, "," or "]" is allowed'),
        ("A[i,]", '"]" at position 5 is unexpected'),
        ("A[(i]", '"]" at position 5 is unexpected; an operator or the ")" of "(" at position 3 is allowed there'),
        ("A[i] B[j]", '"B" at position 6 is unexpected; *, + or - and another access, or the end is allowed there'),
        ("A[i] *", "the text ends at position 7, where the name of an array is allowed"),
        ("A[i] = B[j] = C[k]", '"=" at position 13 is unexpected'),
        ("2 * A[i]", '"2" at position 1 is unexpected; the name of an array is allowed there'),
        ("i[i]", '"i" at position 1 is unexpected; the name of an array is allowed there'),
        ("A[i*k]", '"*" at position 4 multiplies two loop variables, which is not affine'),
        ("A[(i+1)*(2*k)]", '"*" at position 8 multiplies two loop variables'),
        ("A[i//2]", '"//" at position 4 is unexpected; an operator, "," or "]" is allowed there'),
        ("A[i%2]", '"%" at position 4 is unexpected'),
        ("A[i**2]", '"**" at position 4 is unexpected'),
        ("A[1.5*i]", '"1.5" at position 3 is unexpected'),
        ("A[B[i]]", '"B" at position 3 is unexpected; whole numbers, loop variables, + - * and parentheses; the loop'),
        ("A[2i]", '"i" at position 4 is unexpected'),
        ("A[x]", '"x" at position 3 is unexpected; whole numbers'),
        ("A[²]", '"²" at position 3 is unexpected'),
        ("A[1048577]", "the number at position 3 is too large; at most 1,048,576 is allowed"),
        ("A[" + "9" * 400 + "]", "the number at position 3 is too large"),
        ("A[1048576*(2*i)]", "the number at position 10 is too large"),
        ("A[1048576 + 1]", "the number at position 11 is too large"),
        ("A[" + "(" * 21 + "i", '"(" at position 23 is nested too deep; 20 levels are allowed'),
        ("A[" + "-" * 21 + "i", '"-" at position 23 is nested too deep'),
        ("A[i,j,k,0,0]", '"," at position 10: an array has at most 4 indices here'),
        ("*".join(["A[i]"] * 9), "there are more than 8 accesses; at most 8 are allowed"),
        ("A[i]" + " " * 500, "the text has 504 characters; at most 500 are allowed"),
        ("A[" + "x" * 20 + "]", '"' + "x" * 20 + '" at position 3 is unexpected'),
        ("A[" + "x" * 21 + "]", '"' + "x" * 20 + '…" at position 3 is unexpected'),
        ("A[__import__('os')]", '"__import__" at position 3 is unexpected'),
        ("A[i]; import os", '";" at position 5 is unexpected'),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(text, message):
    with pytest.raises(ValueError) as refused:  # noqa: PT011  the whole beginning is compared
        parse(text)
    assert str(refused.value).startswith(message)


def test_the_limits_themselves_are_allowed():
    assert parse("A[1048576*i - 1048576]")[0].indices == (Affine(-(2**20), (("i", 2**20),)),)
    assert parse("A[" + "(" * 20 + "i" + ")" * 20 + "]")
    assert parse("A[000000000002*i]")[0].indices == (Affine(0, (("i", 2),)),)
    assert parse("A[" + "+".join(["(i)"] * 30) + "]")[0].indices == (Affine(0, (("i", 30),)),)
    assert parse("A[i]" + " " * 496)
    assert len(parse("*".join(["A[i,j,k,0]"] * 8))) == 8
