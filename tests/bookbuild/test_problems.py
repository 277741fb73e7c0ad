"""Sentences that say what would be right."""

import pytest

from bookbuild.problems import near


@pytest.mark.parametrize(
    ("wrong", "names", "said"),
    [
        ("stag", [], "none"),
        ("stag", ["stage", "lane"], "lane, stage"),
        ("n7", [f"n{n}" for n in range(24)], ", ".join(sorted(f"n{n}" for n in range(24)))),
        ("stag", ["stage", *(f"x{n}" for n in range(24))], "stage and 24 more"),
        ("stag", [f"x{n}" for n in range(25)], "25, none like it"),
    ],
    ids=["none", "few", "as many as are told", "one near", "none near"],
)
def test_of_many_names_only_the_nearest_are_told(wrong: str, names: list[str], said: str) -> None:
    assert near(wrong, names) == said
