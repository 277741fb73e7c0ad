"""Begin a figure or a chapter: files that work as they stand and show where to write."""

import re
from pathlib import Path

from bookbuild import book, chapter
from bookbuild.book import Book, ChapterEntry, FigureEntry
from bookbuild.places import Places
from bookbuild.problems import Broken, Problem, listed

BLANK = Path(__file__).with_name("blank")

_TEXTS = {
    "en": {
        "question": "How much is the number of this chapter, 0?",
        "lead": "One paragraph: what the number is about.",
        "heading": "A section",
        "body": "Question, prediction, figure, rule, worked number, what is left out, takeaway.",
    },
    "zh": {
        "question": "本章的数字 0 究竟是多少？",
        "lead": "用一段话说明这个数字是怎么回事。",
        "heading": "一节",
        "body": "依次写：问题、预测、图、规则、算一遍的数字、略去了什么、要点。",
    },
}


def new_figure(places: Places, key: str) -> str:
    """Write simulator, widget and tests of a figure; return what is left to do."""
    order = book.load(places)
    if not book.KEY.fullmatch(key):
        raise Broken([_problem(order, f"a figure cannot be called {key!r}", f"a key matches {book.KEY.pattern}")])
    found = next(((c, f) for c in order.chapters for f in c.figures if f.key == key), None)
    fills = {
        "key": key,
        "Name": "".join(word.capitalize() for word in key.split("_")),
        "Number": f"Figure {found[1].number}" if found else "A figure",
    }
    files = {
        f"sim/{key}.py": "sim.py.txt",
        f"widgets/{key}.py": "widget.py.txt",
        f"tests/sim/test_{key}.py": "test_sim.py.txt",
        f"tests/widgets/test_{key}.py": "test_widget.py.txt",
    }
    _write(places, {name: _filled(blank, fills) for name, blank in files.items()})
    return "\n".join([*(f"Wrote {name}" for name in files), "", *_left_to_do(order, key, found)])


def new_chapter(places: Places, slug: str) -> str:
    """Write a chapter that `book.toml` lists, in every language; return what is left to do."""
    order = book.load(places)
    entry = order.chapter(slug)
    if entry is None:
        known = listed(chapter.slug for chapter in order.chapters)
        right = f"list it where it belongs ([[part.chapter]] with slug and title); there are {known}"
        raise Broken([_problem(order, f"there is no chapter {slug!r}", right)])
    folder = f"chapters/{entry.folder}"
    source = _filled("chapter.md.txt", {**_texts(order.source), "translates": ""})
    _write(places, {f"{folder}/{order.source}.md": source, f"{folder}/facts.toml": _filled("facts.toml.txt", {})})
    digest = chapter.digest(places.root / folder / f"{order.source}.md")
    others = {
        f"{folder}/{lang}.md": _filled("chapter.md.txt", {**_texts(lang), "translates": f'translates = "{digest}"\n'})
        for lang in order.languages[1:]
    }
    _write(places, others)
    return "\n".join(f"Wrote {name}" for name in (f"{folder}/{order.source}.md", f"{folder}/facts.toml", *others))


def _texts(lang: str) -> dict[str, str]:
    return _TEXTS.get(lang, _TEXTS["en"])


def _filled(blank: str, fills: dict[str, str]) -> str:
    text = (BLANK / blank).read_text("utf-8")
    return re.sub(r"@(\w+)@", lambda found: fills[found[1]], text)


def _write(places: Places, files: dict[str, str]) -> None:
    there = [name for name in files if (places.root / name).exists()]
    if there:
        raise Broken(Problem(name, 1, "the file exists already", "take another name, or edit it") for name in there)
    for name, text in files.items():
        path = places.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def _problem(order: Book, wrong: str, right: str) -> Problem:
    return Problem(order.path, 1, wrong, right)


def _left_to_do(order: Book, key: str, found: tuple[ChapterEntry, FigureEntry] | None) -> list[str]:
    languages = " and ".join(f"{lang}.md" for lang in order.languages)
    if found:
        entry, figure = found
        place = f"1. In chapters/{entry.folder}/ ({languages}), where Figure {figure.number} belongs, add:"
    else:
        titles = ", ".join(f'{lang} = "…"' for lang in order.languages)
        place = (
            f"1. In {order.path}, under its chapter, list it; its number follows from its place:\n\n"
            f'   [[part.chapter.figure]]\n   key = "{key}"\n   title = {{ {titles} }}\n\n'
            f"   Then in that chapter ({languages}) add:"
        )
    return [
        place,
        "",
        f"   ```figure {key}",
        '   preset = "built"',
        '   caption = "Where to put the eye."',
        "   ```",
        "",
        "2. gpubook strings, then translate its labels in the catalogue that it names.",
        "3. gpubook serve --watch",
    ]
