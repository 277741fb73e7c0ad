import doctest

import pytest

import sim.dag_text
from sim.critical_path import EXAMPLE, Job, simulate
from sim.dag_text import parse, to_text


def test_docstring_examples_hold():
    result = doctest.testmod(sim.dag_text)
    assert result.attempted
    assert not result.failed


def test_the_example_as_text():
    text = to_text(EXAMPLE)
    assert text.splitlines() == ["prepare 10", "A 40 after prepare", "B 25 after prepare", "finish 10 after A, B"]
    assert simulate(parse(text)) == simulate(EXAMPLE)


@pytest.mark.parametrize(
    "text",
    [
        "b 2 after a,c\na 1\nc 1",
        "b  2.0   after a , c\n\na 1 # first\n# nothing here\nc 1",
        "b 2 after a c\na 1\nc 1\n",
    ],
)
def test_spaces_commas_and_remarks(text):
    assert parse(text) == (Job("b", 2.0, ("a", "c")), Job("a", 1.0), Job("c", 1.0))


@pytest.mark.parametrize("jobs", [EXAMPLE, (Job("x_1", 0.25), Job("größe-2", 1e-07, ("x_1",)), Job("z", 123456789.5))])
def test_text_reads_back(jobs):
    assert parse(to_text(jobs)) == tuple(Job(job.name, float(job.us), job.after) for job in jobs)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a", "line 1 is 'a'; write a name, a time and, if it waits, after and names"),
        ("a 1\nb 2 before a", "line 2 is 'b 2 before a'"),
        ("a x", "line 1: the time of 'a' is 'x'; write a number"),
        ("a! 1", "line 1: 'a!' is no name; use up to 40 letters, digits, - and _"),
        ("a 1 after", "line 1 is 'a 1 after'"),
        ("a 1 after b;c", "line 1: 'b;c' is no name"),
        ("\n" * 257, "the text has 257 lines; it may have at most 256"),
    ],
)
def test_a_line_that_is_none_is_named(text, message):
    with pytest.raises(ValueError, match="^" + message.replace("!", r"\!")):
        parse(text)
