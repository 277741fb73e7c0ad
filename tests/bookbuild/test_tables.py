"""TOML that knows its lines."""

import pytest

from bookbuild import tables
from bookbuild.problems import Problem
from bookbuild.tables import Table

TEXT = '''\
title = "a"

[first]
x = 1
long = """
[not.a.table]
y = 2
"""
"quoted key" = 3

[[part]]
name = "one"

[[part.chapter]]
slug = "a"

[[part.chapter]]
slug = "b"

[[part]]
[[part.chapter]]
slug = "c"
dotted.key = 1
'''


def parsed(text: str, first_line: int = 1) -> Table:
    table = tables.parse(text, "x.toml", first_line)
    assert isinstance(table, Table), table
    return table


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (("title",), 1),
        (("first",), 3),
        (("first", "x"), 4),
        (("first", "long"), 5),
        (("first", "quoted key"), 9),
        (("part", 0, "name"), 12),
        (("part", 0, "chapter", 1, "slug"), 18),
        (("part", 1, "chapter", 0, "slug"), 22),
        (("part", 1, "chapter", 0, "dotted", "key"), 23),
        (("part", 1, "chapter", 0, "missing"), 21),
        (("missing",), 1),
    ],
)
def test_the_line_of_a_key(keys: tuple[str | int, ...], line: int) -> None:
    assert parsed(TEXT).line(*keys) == line
    assert parsed(TEXT, first_line=11).line(*keys) == line + 10


def test_a_table_inside_knows_its_lines() -> None:
    inside = parsed(TEXT).inside("part", 0).inside("chapter", 1)
    assert inside.values == {"slug": "b"}
    assert inside.line("slug") == 18
    assert inside.problem("wrong", "right", "slug") == Problem("x.toml", 18, "wrong", "right")


@pytest.mark.parametrize(
    ("text", "line"),
    [("a = 1\nb = \n", 2), ("a = 1\na = 2\n", 2), ("[x]\n[x]\n", 2), ('a = 1\nb = "', 2), ("a = 1\n\n[x\n", 3)],
)
def test_toml_that_cannot_be_read_is_a_problem_at_its_line(text: str, line: int) -> None:
    problem = tables.parse(text, "x.toml", first_line=5)
    assert isinstance(problem, Problem)
    assert (problem.path, problem.line) == ("x.toml", line + 4)
    assert problem.wrong.startswith("TOML that cannot be read: ")
