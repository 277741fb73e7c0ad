"""Begin a figure or a chapter: files that work as they stand and show where to write."""

import ast
import re
from pathlib import Path

from bookbuild import book, chapter
from bookbuild.book import Book, ChapterEntry, FigureEntry
from bookbuild.places import Places
from bookbuild.problems import Broken, Problem, listed, near

BLANK = Path(__file__).with_name("blank")

_TEXTS = {
    "en": {
        "question": "How much is the number of this chapter, 0?",
        "lead": "One paragraph: what the number is about.",
        "heading": "A section",
        "body": "Question, prediction, figure, rule, worked number, what is left out, takeaway.",
        "keep": "The one thing to keep.",
        "exercises": "Exercises",
    },
    "zh": {
        "question": "本章的数字 0 究竟是多少？",
        "lead": "用一段话说明这个数字是怎么回事。",
        "heading": "一节",
        "body": "依次写：问题、预测、图、规则、算一遍的数字、略去了什么、要点。",
        "keep": "最该记住的一点。",
        "exercises": "练习",
    },
}


def new_figure(places: Places, key: str, simulator: str | None = None) -> str:
    """Write simulator, widget and tests of a figure; return what is left to do.

    `simulator` is the module of `sim` that the figure is to use, by default its own. One that is there stays as it
    is, and the widget begun must first be made to call it.
    """
    order = book.load(places)
    if not book.KEY.fullmatch(key):
        raise Broken([_problem(order, f"a figure cannot be called {key!r}", f"a key matches {book.KEY.pattern}")])
    model = simulator or key
    there = (places.sim / f"{model}.py").is_file()
    if simulator and not there:
        known = near(simulator, (path.stem for path in places.sim.glob("*.py")))
        raise Broken([Problem(f"sim/{simulator}.py", 1, "there is no such simulator", f"sim has {known}")])
    found = next(((c, f) for c in order.chapters for f in c.figures if f.key == key), None)
    fills = {
        "key": key,
        "sim": model,
        "Name": "".join(word.capitalize() for word in key.split("_")),
        "Number": f"Figure {found[1].number}" if found else "A figure",
    }
    files = {
        f"sim/{key}.py": "sim.py.txt",
        f"widgets/{key}.py": "widget.py.txt",
        f"tests/sim/test_{key}.py": "test_sim.py.txt",
        f"tests/widgets/test_{key}.py": "test_widget.py.txt",
    }
    if there:
        files = {name: blank for name, blank in files.items() if "widgets/" in name}
    _write(places, {name: _filled(blank, fills) for name, blank in files.items()})
    steps = [*_the_simulator(places, key, model, there), _its_place(order, key, found), *_looked_at(key)]
    todo = "\n".join(f"{n}. {step}" for n, step in enumerate(steps, 1))
    return "\n".join([*(f"Wrote {name}" for name in files), "", todo])


def new_chapter(places: Places, slug: str) -> str:
    """Write a chapter that `book.toml` lists, in every language; return what is left to do."""
    order = book.load(places)
    entry = order.chapter(slug)
    if entry is None:
        known = listed(chapter.slug for chapter in order.chapters)
        right = f"list it where it belongs ([[part.chapter]] with slug and title); there are {known}"
        raise Broken([_problem(order, f"there is no chapter {slug!r}", right)])
    folder = f"chapters/{entry.folder}"
    source = _chapter(entry, order.source, "")
    _write(places, {f"{folder}/{order.source}.md": source, f"{folder}/facts.toml": _filled("facts.toml.txt", {})})
    digest = chapter.digest(places.root / folder / f"{order.source}.md")
    others = {
        f"{folder}/{lang}.md": _chapter(entry, lang, f'translates = "{digest}"\n') for lang in order.languages[1:]
    }
    _write(places, others)
    wrote = (f"Wrote {name}" for name in (f"{folder}/{order.source}.md", f"{folder}/facts.toml", *others))
    return "\n".join([*wrote, "", *_left_to_write(order, slug)])


def _chapter(entry: ChapterEntry, lang: str, translates: str) -> str:
    """Return a chapter's file in a language: a section for each figure, under its title."""
    texts = _texts(lang)
    titles = [figure.title[lang] for figure in entry.figures] or [texts["heading"]]
    sections = "\n\n".join(f"## {title}\n\n{texts['body']}" for title in titles)
    return _filled("chapter.md.txt", {**texts, "translates": translates, "sections": sections})


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


def _the_simulator(places: Places, key: str, model: str, there: bool) -> list[str]:
    """Say what is to be done with a simulator: list a new one, call one that was there."""
    if not there:
        return [f"List sim/{key}.py in tests/bench/simulators.py, which times every simulator."]
    tree = ast.parse((places.sim / f"{model}.py").read_text("utf-8"))
    offered = [
        f"{node.name}({', '.join(given.arg for given in (*node.args.args, *node.args.kwonlyargs))})"
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]
    return [
        f"widgets/{key}.py and its test are written for simulate(items, item_us). sim/{model}.py stays as it is, "
        f"and has {listed(offered)}: make them call that."
    ]


def _its_place(order: Book, key: str, found: tuple[ChapterEntry, FigureEntry] | None) -> str:
    """Say where to list the figure, if it is not, and where to place it."""
    languages = " and ".join(f"{lang}.md" for lang in order.languages)
    if found:
        entry, figure = found
        place = f"In chapters/{entry.folder}/ ({languages}), where Figure {figure.number} belongs, add:"
    else:
        titles = ", ".join(f'{lang} = "…"' for lang in order.languages)
        place = (
            f"In {order.path}, under its chapter, list it; its number follows from its place:\n\n"
            f'   [[part.chapter.figure]]\n   key = "{key}"\n   title = {{ {titles} }}\n\n'
            f"   Then in that chapter ({languages}) add:"
        )
    return f'{place}\n\n   ```figure {key}\n   preset = "built"\n   caption = "Where to put the eye."\n   ```\n'


def _looked_at(key: str) -> tuple[str, ...]:
    """Say how the figure's words get their translation, and how it is checked and seen."""
    return (
        "gpubook strings, then translate its labels in the catalogue that it names.",
        f"python -m pytest tests/widgets/test_{key}.py tests/widgets/test_every_figure.py -k {key}",
        "gpubook serve --watch",
    )


def _left_to_write(order: Book, slug: str) -> tuple[str, ...]:
    others = " and ".join(f"{lang}.md" for lang in order.languages[1:])
    return (
        f"1. Write {order.source}.md; a section with a figure keeps the heading that book.toml gives the figure.",
        "2. gpubook new-figure KEY, for each figure that is not there yet.",
        f"3. Write {others}, then gpubook stamp {slug}: it says that the translation was looked through.",
        "4. gpubook check",
    )
