"""The author's guide names only what is there: files, commands, and the texts that it shows from chapters 3 and 4."""

import re
import tomllib
from typing import Any

import pytest

from bookbuild import cli
from bookbuild.places import PROJECT

README = (PROJECT / "README.md").read_text("utf-8")
GUIDE = README[README.index("## The rooms") : README.index("## Measured")]
PROSE = re.sub(r"^ *(`{3,}).*?^ *\1$", "", README, flags=re.MULTILINE | re.DOTALL)
CODE = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", PROSE)]
ROOTS = ("chapters/", "gpu_backend/", "sim/", "site/", "tests/", "widgets/")
MADE = ("NAME", "KEY", "SLUG", "<", "…")


def paths() -> list[str]:
    """The files and folders that it names, wherever in a span of code."""
    words = [word for span in CODE for word in re.split(r"[\s,]", span) if word.startswith(ROOTS)]
    return sorted({word.partition("#")[0] for word in words if not any(mark in word for mark in MADE)})


def shown(kind: str) -> list[dict[str, Any]]:
    """The TOML of its fences of a kind."""
    fences = re.findall(rf"^ *```{kind}[^\n]*\n(.*?)^ *```$", GUIDE, re.MULTILINE | re.DOTALL)
    return [tomllib.loads(fence) for fence in fences]


def test_every_path_is_there() -> None:
    assert len(paths()) > 15
    assert [path for path in paths() if not (PROJECT / path).exists()] == []


def test_every_command_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    makefile = (PROJECT / "Makefile").read_text("utf-8")
    targets = {found[1] for span in CODE if (found := re.fullmatch(r"make (?:[A-Z]+=\S+ )?([a-z]+)(?: .*)?", span))}
    assert {"serve", "test", "check", "shots"} <= targets
    assert {target for target in targets if not re.search(rf"^{target}:", makefile, re.MULTILINE)} == set()
    commands = {span.split()[1] for span in CODE if re.match(r"gpubook [a-z]", span)}
    assert {"new-figure", "new-chapter", "readings"} <= commands
    for command in sorted(commands):
        with pytest.raises(SystemExit, match="0"):
            cli.main([command, "--help"])
        assert command in capsys.readouterr().out


def test_the_entries_that_it_shows_are_the_books() -> None:
    book = {
        **tomllib.loads((PROJECT / "chapters/terms.toml").read_text("utf-8")),
        **tomllib.loads((PROJECT / "chapters/04-memory/facts.toml").read_text("utf-8")),
        **tomllib.loads((PROJECT / "chapters/recorded/tables/h200/tables.toml").read_text("utf-8")),
    }
    entries = [entry for table in shown("toml") for entry in table.items()]
    assert len(entries) == 4
    for key, entry in entries:
        assert isinstance(entry, dict)
        assert {name: book[key][name] for name in entry if name != "source"} == {
            name: value for name, value in entry.items() if name != "source"
        }


@pytest.mark.parametrize(("kind", "same"), [("figure", ["preset"]), ("exercise", ["figure", "unit", "wrong"])])
def test_the_fences_that_it_shows_stand_in_chapter_4(kind: str, same: list[str]) -> None:
    source = (PROJECT / "chapters/04-memory/en.md").read_text("utf-8")
    (name,) = re.findall(rf"^ *```{kind} (\w+)$", GUIDE, re.MULTILINE)
    (fence,) = shown(kind)
    there = re.search(rf"^```{kind} {name}\n(.*?)^```$", source, re.MULTILINE | re.DOTALL)
    assert there is not None
    held = tomllib.loads(there[1])
    for part in same:
        if isinstance(fence[part], dict):
            assert fence[part].items() <= held[part].items()
        else:
            assert fence[part] == held[part]
