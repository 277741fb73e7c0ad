"""What a chapter's fences place: figures, exercises and listings."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from bookbuild import markdown, shape, tables
from bookbuild.book import KEY, ChapterEntry
from bookbuild.markdown import Prose
from bookbuild.problems import Problem
from bookbuild.tables import Table

LITERAL = "text"
"""The one fence of plain code: a form to write, never a program, which is cut from its file."""


@dataclass(frozen=True, slots=True)
class FigureUse:
    """A figure's place in a chapter."""

    line: int
    key: str
    preset: str
    preset_line: int
    caption: str


@dataclass(frozen=True, slots=True)
class ExerciseUse:
    """An exercise's texts; its answer lies in `exercises/<name>.py`."""

    line: int
    name: str
    table: Table
    question: Prose
    worked: Prose
    right: str
    unit: str
    wrong: dict[str, str]
    options: dict[str, str]
    figure: str = ""
    """The figure it asks about; "" for the last one placed before it."""
    number: str = ""
    """As printed: "4.3 a", after the figure it asks about."""


@dataclass(frozen=True, slots=True)
class ListingUse:
    """A function cut from the file that runs."""

    line: int
    file: str
    name: str


Use = FigureUse | ExerciseUse | ListingUse


def read(prose: Prose, path: str, lines: list[str], problems: list[Problem]) -> list[Use]:
    """Read every fence of a chapter's body; `lines` are those of its file, `path`."""
    uses: list[Use] = []
    for token in markdown.fences(prose):
        assert token.map is not None
        first, after = token.map
        last = lines[min(after, len(lines) + 1) - 2].strip()
        if not last.endswith(token.markup) or after - first < 2:
            wrong = f"the fence {token.info!r} is not closed"
            problems.append(Problem(path, first, wrong, f"a line {token.markup} ends it"))
            continue
        use = _use(path, first, token.info, token.content)
        if isinstance(use, list):
            problems += use
        elif use:
            uses.append(use)
    return uses


def _use(path: str, line: int, info: str, content: str) -> Use | list[Problem] | None:
    kind, _, name = info.strip().partition(" ")
    name = name.strip()
    if kind == LITERAL and not name:
        return None
    if kind not in ("figure", "exercise", "listing"):
        wrong = f"a fence of unknown kind {info.strip()!r}"
        return [Problem(path, line, wrong, f"figure, exercise, listing or {LITERAL}")]
    if not name or " " in name or (kind == "exercise" and not KEY.fullmatch(name)):
        return [Problem(path, line, f"the {kind} fence names {name!r}", f"it is written ```{kind} name")]
    if kind == "listing":
        file, _, function = name.partition("#")
        if not function or content.strip():
            right = "it is written file#function, with an empty body"
            return [Problem(path, line, f"the listing {name!r} cannot be cut", right)]
        return ListingUse(line, file, function)
    table = tables.parse(content, path, line + 1)
    if isinstance(table, Problem):
        return [table]
    return _figure(line, name, table) if kind == "figure" else _exercise(line, name, table)


def _figure(line: int, key: str, table: Table) -> FigureUse | list[Problem]:
    what = f"the figure {key!r}"
    if found := list(shape.misshapen(table, what, {"preset": shape.TEXT, "caption": shape.TEXT})):
        return found
    return FigureUse(line, key, table.values["preset"], table.line("preset"), table.values["caption"])


def _exercise(line: int, name: str, table: Table) -> ExerciseUse | list[Problem]:
    must = {"question": shape.TEXT, "right": shape.TEXT, "worked": shape.TEXT}
    may = {"figure": shape.TEXT, "unit": shape.TEXT, "wrong": shape.TEXT_TABLE, "options": shape.TEXT_TABLE}
    if found := list(shape.misshapen(table, f"the exercise {name!r}", must, may)):
        return found
    values = table.values
    return ExerciseUse(
        line=line,
        name=name,
        table=table,
        question=markdown.read(values["question"], table.line("question")),
        worked=markdown.read(values["worked"], table.line("worked")),
        right=values["right"],
        unit=values.get("unit", ""),
        wrong=dict(values.get("wrong", {})),
        options=dict(values.get("options", {})),
        figure=values.get("figure", ""),
    )


def numbered(chapter: ChapterEntry, uses: Iterable[Use]) -> Iterator[Use]:
    """Number exercises by the figure they ask about, or else follow, and a letter."""
    numbers = {figure.key: figure.number for figure in chapter.figures}
    last = str(chapter.number)
    letters: dict[str, Iterator[str]] = {}
    for use in uses:
        if isinstance(use, FigureUse):
            last = numbers.get(use.key, last)
        if isinstance(use, ExerciseUse):
            about = numbers.get(use.figure, last)
            letter = next(letters.setdefault(about, iter("abcdefghijklmnopqrstuvwxyz")))
            use = replace(use, number=f"{about} {letter}")
        yield use
