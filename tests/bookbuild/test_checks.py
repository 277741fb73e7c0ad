"""Each way of being wrong: break the tiny good book in one place, read the line and the sentence."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import TinyBook

EN, ZH = "chapters/01-first/en.md", "chapters/01-first/zh.md"
EN2, ZH2 = "chapters/02-second/en.md", "chapters/02-second/zh.md"
FACTS, ORDER, TERMS = "chapters/01-first/facts.toml", "chapters/book.toml", "chapters/terms.toml"
COUNT = "chapters/01-first/exercises/count.py"

Edit = tuple[str, str, str]


def test_the_good_book_has_no_problem(book: "TinyBook") -> None:
    assert book.problems() == []


BREAKS: dict[str, tuple[list[Edit], list[str]]] = {
    # ---------------------------------------------------------------- figures and listings
    "unknown figure": (
        [(EN, "figure dots", "figure dotz"), (ZH, "figure dots", "figure dotz")],
        [
            f"{EN}:37: unknown figure 'dotz'; book.toml gives this chapter bars, dots, lines",
            f"{ZH}:38: unknown figure 'dotz'; book.toml gives this chapter bars, dots, lines",
        ],
    ),
    "figure without a module": (
        [(EN, "figure dots", "figure lines"), (ZH, "figure dots", "figure lines")],
        [
            f"{EN}:37: the figure 'lines' has no module; it is written in widgets/lines.py",
            f"{ZH}:38: the figure 'lines' has no module; it is written in widgets/lines.py",
        ],
    ),
    "figure placed twice": (
        [(EN, "figure dots", "figure bars"), (ZH, "figure dots", "figure bars")],
        [
            f"{EN}:37: the figure 'bars' stands here a second time; link to a state of the first",
            f"{ZH}:38: the figure 'bars' stands here a second time; link to a state of the first",
        ],
    ),
    "figures out of order": (
        [
            (ORDER, 'key = "bars"', 'key = "was_bars"'),
            (ORDER, 'key = "dots"', 'key = "bars"'),
            (ORDER, 'key = "was_bars"', 'key = "dots"'),
        ],
        [
            f"{EN}:37: the figure 'dots' stands after 'bars'; figures stand in the order of book.toml",
            f"{ZH}:38: the figure 'dots' stands after 'bars'; figures stand in the order of book.toml",
        ],
    ),
    "unknown preset": (
        [(EN, 'preset = "tall"', 'preset = "tal"'), (ZH, 'preset = "tall"', 'preset = "tal"')],
        [
            f"{EN}:16: unknown preset 'tal'; bars has built, tall",
            f"{ZH}:17: unknown preset 'tal'; bars has built, tall",
        ],
    ),
    "figure without a caption": (
        [(EN, 'caption = "Look at the dots."\n', "")],
        [f"{EN}:38: the figure 'dots' has no 'caption'; give it a text that is not empty"],
    ),
    "unknown listing": (
        [(EN, "walk.py#steps", "walk.py#strides"), (ZH, "walk.py#steps", "walk.py#strides")],
        [
            f"{EN}:24: the listing sim/walk.py#strides leads nowhere; walk.py defines steps",
            f"{ZH}:25: the listing sim/walk.py#strides leads nowhere; walk.py defines steps",
        ],
    ),
    "listing that is typed": (
        [(EN, "```listing sim/walk.py#steps\n", "```listing sim/walk.py#steps\nprint()\n")],
        [f"{EN}:24: the listing 'sim/walk.py#steps' cannot be cut; it is written file#function, with an empty body"],
    ),
    "fence of unknown kind": (
        [(EN, "listing sim/walk.py#steps", "python")],
        [f"{EN}:24: a fence of unknown kind 'python'; figure, exercise, listing or text"],
    ),
    "fence without a name": (
        [(EN, "exercise pick", "exercise")],
        [f"{EN}:52: the exercise fence names ''; it is written ```exercise name"],
    ),
    "exercise with a path for a name": (
        [(EN, "exercise pick", "exercise ../pick")],
        [f"{EN}:52: the exercise fence names '../pick'; it is written ```exercise name"],
    ),
    "fence that is not closed": (
        [(EN, 'b = "No luck."\n```\n', 'b = "No luck."\n')],
        [f"{EN}:52: the fence 'exercise pick' is not closed; a line ``` ends it"],
    ),
    "fence with bad TOML": (
        [(EN, 'preset = "built"', "preset = built")],
        [f"{EN}:38: TOML that cannot be read: Invalid value; see https://toml.io"],
    ),
    # --------------------------------------------------------------------------- facts
    "unknown fact": (
        [(EN, "fact:reported", "fact:report"), (ZH, "fact:reported", "fact:report")],
        [
            f"{EN}:32: unknown fact 'report'; facts.toml has extra, from_exercise, reported",
            f"{FACTS}:6: no text uses the fact 'reported'; link to it with (fact:reported), or take it away",
            f"{ZH}:33: unknown fact 'report'; facts.toml has extra, from_exercise, reported",
        ],
    ),
    "text without the fact's value": (
        [(EN, "[992 extra]", "[1,992 extra]")],
        [f"{EN}:9: the text '1,992 extra' does not hold the fact 'extra'; it is 992"],
    ),
    "fact with an unknown role": (
        [(EN, '"cost"', '"costs"')],
        [f"{EN}:9: the fact 'extra' has the role 'costs'; roles are compute, cost, host, idle, move"],
    ),
    "fact of an unknown figure": (
        [(FACTS, '"bars"', '"barz"')],
        [f"{FACTS}:2: the fact 'extra' is of an unknown figure 'barz'; figures with a module are bars, dots"],
    ),
    "fact of an unknown state": (
        [(FACTS, '"tall"', '"height=0"')],
        [
            f"{FACTS}:3: the fact 'extra' is of an unknown state 'height=0'; "
            "height 0 is outside 1 to 9 (its presets are built, tall)"
        ],
    ),
    "fact of an unknown value": (
        [(FACTS, 'value = "extra"', 'value = "more"')],
        [f"{FACTS}:4: the fact 'extra' is of an unknown value 'more'; bars has extra, height"],
    ),
    "fact of an exercise without a number": (
        [(FACTS, '"count"', '"pick"')],
        [
            f"{FACTS}:13: the fact 'from_exercise' is of 'pick', no exercise with a number for its answer; "
            "exercises are count, pick"
        ],
    ),
    "fact without a value": (
        [(FACTS, "value = 2.7\n", "")],
        [f"{FACTS}:6: the fact 'reported' has no 'value'; give it a number"],
    ),
    "fact reported by nobody": (
        [(FACTS, ', zh = "某人，某处，2024" }', " }")],
        [
            f"{FACTS}:10: 'source' of the fact 'reported' is {{'en': 'Somebody, somewhere, 2024'}}; "
            "it must be who, where and when: one text, or a text for each of en, zh"
        ],
    ),
    "fact given twice": (
        [(FACTS, "[reported]", "[extra]")],
        [f"{FACTS}:6: TOML that cannot be read: Cannot declare ('extra',) twice; see https://toml.io"],
    ),
    "key given twice": (
        [(FACTS, 'value = "extra"', 'value = "extra"\nvalue = "height"')],
        [f"{FACTS}:5: TOML that cannot be read: Cannot overwrite a value; see https://toml.io"],
    ),
    "fact that is no table": (
        [(FACTS, "[extra]", "loose = 3\n\n[extra]")],
        [f"{FACTS}:1: the fact 'loose' is 3; a fact is a table"],
    ),
    "unused fact": (
        [(FACTS, "[from_exercise]", '[unused]\nvalue = 3\nsource = "me"\n\n[from_exercise]')],
        [f"{FACTS}:12: no text uses the fact 'unused'; link to it with (fact:unused), or take it away"],
    ),
    # --------------------------------------------------------------------------- links
    "unknown term": (
        [(EN, "term:bank", "term:banks")],
        [f"{EN}:3: unknown term 'banks'; terms.toml has bank, wave"],
    ),
    "unknown chapter": (
        [(EN, "chapter:third", "chapter:fourth")],
        [f"{EN}:33: unknown chapter 'fourth'; book.toml has first, second, third"],
    ),
    "link to no file": (
        [(EN, "../02-second/en.md", "../2-second/en.md")],
        [
            f"{EN}:33: the link '../2-second/en.md#s-1' leads nowhere; "
            "a written chapter is ../NN-slug/LANG.md, one that is not is chapter:SLUG"
        ],
    ),
    "link to no anchor": (
        [(EN, "en.md#s-1", "en.md#s-2")],
        [f"{EN}:33: the anchor 's-2' is not on that page; there are s-1"],
    ),
    "link to no anchor of its own page": (
        [(EN, "[all](#bars)", "[all](#bar)")],
        [f"{EN}:46: the anchor 'bar' is not on that page; there are bars, dots, ex-count, ex-pick, s-bars, s-dots"],
    ),
    "link to another language": (
        [(EN, "02-second/en.md", "02-second/zh.md")],
        [f"{EN}:33: the link '../02-second/zh.md#s-1' leads to another language; a text in en leads to en.md"],
    ),
    "permalink that the figure refuses": (
        [(EN, "#bars?height=9", "#bars?height=99")],
        [f"{EN}:10: bars refuses the state 'height=99'; height 99 is outside 1 to 9"],
    ),
    "permalink on another page that the figure refuses": (
        [(EN2, "height=2", "height=0")],
        [f"{EN2}:9: bars refuses the state 'height=0'; height 0 is outside 1 to 9"],
    ),
    # --------------------------------------------------------------------------- exercises
    "unknown exercise": (
        [(EN, "exercise pick", "exercise pik"), (ZH, "exercise pick", "exercise pik")],
        [
            f"{EN}:52: unknown exercise 'pik'; exercises/ has count, pick",
            "chapters/01-first/exercises/pick.py:1: no text asks the exercise 'pick'; "
            "place it with a fence, or take it away",
            f"{ZH}:53: unknown exercise 'pik'; exercises/ has count, pick",
        ],
    ),
    "answer that fails": (
        [(COUNT, 'Number(32 * 31, "turns")', "Number(0.1)"), (FACTS, '"count"', '"pick"')],
        [
            f"{COUNT}:1: the exercise 'count' gives no answer: "
            "ValueError: value is the float 0.1; say how exact with digits= or rel=; "
            "answer() returns a widgets.lab answer, mistakes() a table of wrong ones",
            f"{FACTS}:13: the fact 'from_exercise' is of 'pick', no exercise with a number for its answer; "
            "exercises are count, pick",
        ],
    ),
    "options that the answer does not know": (
        [(EN, 'b = "Luck"', 'c = "Luck"')],
        [f"{EN}:56: the options of 'pick' are a, c; its answer knows a, b"],
    ),
    "mistake without its sentence": (
        [(EN, '\n[wrong]\nall = "{all} is all of them."\n', "")],
        [f"{EN}:43: the wrong answers of 'count' with a sentence are none; its mistakes are all"],
    ),
    "wrong option without its sentence": (
        [(EN, 'b = "No luck."', 'c = "No luck."')],
        [f"{EN}:58: the wrong answers of 'pick' with a sentence are c; its mistakes are b"],
    ),
    "unknown placeholder": (
        [(EN, "{all} is all", "{al} is all")],
        [f"{EN}:49: a text of the exercise 'count' holds {{al}}; known are all, answer"],
    ),
    "exercise placed twice": (
        [(EN, "exercise pick", "exercise count")],
        [
            f"{EN}:52: the exercise 'count' stands here a second time; each stands once",
            f"{EN}:56: the options of 'count' are a, b; its answer knows none",
            f"{EN}:58: the wrong answers of 'count' with a sentence are b; its mistakes are all",
            f"{ZH}:53: exercises differ: pick stands here; {EN} has count",
        ],
    ),
    "exercise about a figure of no chapter": (
        [(EN, 'right = "Yes."', 'figure = "bas"\nright = "Yes."')],
        [
            f"{EN}:54: the exercise 'pick' is about the figure 'bas'; the chapter places bars, dots",
            f"{ZH}:53: exercises differ: pick stands here; {EN} has pick (on bas)",
        ],
    ),
    # --------------------------------------------------------------------------- texts
    "question without a number": (
        [(EN, "Of **1,024 turns**, 992 are extra. Why?", "Why?")],
        [f"{EN}:2: the question has no number: 'Why?'; ask for something that can be counted or measured"],
    ),
    "H1 in a body": (
        [(EN, "## The second section", "# The second section"), (ZH, "## 第二节", "# 第二节")],
        [
            f"{EN}:30: an H1, 'The second section'; the page's one H1 is the title in book.toml; sections are ##",
            f"{ZH}:31: an H1, '第二节'; the page's one H1 is the title in book.toml; sections are ##",
        ],
    ),
    "heading that skips a level": (
        [(EN, "## The second section", "#### The second section"), (ZH, "## 第二节", "#### 第二节")],
        [
            f"{EN}:30: a heading of level 4 below one of level 2; at most level 3",
            f"{ZH}:31: a heading of level 4 below one of level 2; at most level 3",
        ],
    ),
    "callout of unknown kind": (
        [(EN, "[!NOTE]", "[!HINT]")],
        [f"{EN}:12: a callout of unknown kind 'HINT'; [!NOTE] in the margin or [!IMPORTANT] to keep"],
    ),
    "margin note beside nothing": (
        [(EN, "[!IMPORTANT]", "[!NOTE]")],
        [f"{EN}:27: a margin note with no paragraph before it; it follows the paragraph it belongs to"],
    ),
    "image without words": (
        [(EN, "![Two bars, one higher]", "![]")],
        [f"{EN}:35: the image 'bars.svg' has no alternative text; ![what it shows](file)"],
    ),
    "image that does not exist": (
        [(EN, "(bars.svg)", "(bar.svg)")],
        [f"{EN}:35: the image 'bar.svg' does not exist; it lies in the chapter's folder"],
    ),
    "unreadable formula": (
        [(EN, "$a + b$", r"$\frac{a}$")],
        [f"{EN}:32: the formula '\\\\frac{{a}}' cannot be read; mfrac has 1 of its 2 parts"],
    ),
    "front matter with bad TOML": (
        [(EN, 'lead = "A lead', "lead = A lead")],
        [f"{EN}:3: TOML that cannot be read: Invalid value; see https://toml.io"],
    ),
    "no front matter": (
        [(EN2, "+++\nquestion", "---\nquestion")],
        [f"{EN2}:1: no front matter: the first line is '---'; TOML between two lines +++"],
    ),
    "front matter with an unknown key": (
        [(EN, "learn =", "lern =")],
        [f"{EN}:4: the front matter has an unknown key 'lern'; known are lead, learn, needs, question"],
    ),
    "needs an unknown chapter": (
        [(EN2, '["first"]', '["zeroth"]'), (ZH2, '["first"]', '["zeroth"]')],
        [
            f"{EN2}:4: it needs an unknown chapter 'zeroth'; book.toml has first, second, third",
            f"{ZH2}:5: it needs an unknown chapter 'zeroth'; book.toml has first, second, third",
        ],
    ),
    "needs a later chapter": (
        [(EN2, '["first"]', '["third"]'), (ZH2, '["first"]', '["third"]')],
        [
            f"{EN2}:4: it needs chapter 3, 'third', which does not come before it; it is chapter 2",
            f"{ZH2}:5: it needs chapter 3, 'third', which does not come before it; it is chapter 2",
        ],
    ),
    # --------------------------------------------------------------------------- languages
    "other figures in the translation": (
        [(ZH, 'preset = "tall"', 'preset = "built"')],
        [f"{ZH}:16: figures differ: bars (built) stands here; {EN} has bars (tall)"],
    ),
    "figure missing from the translation": (
        [(ZH, '```figure dots\npreset = "built"\ncaption = "看这些点。"\n```\n', "")],
        [f"{ZH}:16: figures differ: none stands here; {EN} has dots (built)"],
    ),
    "other exercises in the translation": (
        [(ZH2, "## 唯一的一节\n", "## 唯一的一节\n\n```listing sim/walk.py#steps\n```\n")],
        [f"{ZH2}:10: listings differ: sim/walk.py#steps stands here; {EN2} has none"],
    ),
    "other headings in the translation": (
        [(ZH, "## 第二节", "### 第二节")],
        [f"{ZH}:31: headings differ: a heading of level 3 stands here; {EN} has a heading of level 2"],
    ),
    "other facts in the translation": (
        [(ZH, "(fact:reported)", "(#bars)")],
        [f"{ZH}:1: links to the fact 'reported' here: 0; {EN} has 1"],
    ),
    "other learning points in the translation": (
        [(ZH, '["数", "比"]', '["数"]')],
        [f"{ZH}:5: learning points differ: none stands here; {EN} has point 2"],
    ),
    "other needs in the translation": (
        [(ZH2, '["first"]', "[]")],
        [f"{ZH2}:1: needed chapters differ: none stands here; {EN2} has first"],
    ),
    # --------------------------------------------------------------------------- the order of the book
    "chapter listed twice": (
        [(ORDER, 'slug = "third"', 'slug = "second"')],
        [f"{ORDER}:32: slug 'second' stands here a second time; each is listed once"],
    ),
    "figure listed twice": (
        [(ORDER, 'key = "dots"', 'key = "bars"')],
        [f"{ORDER}:21: key 'bars' stands here a second time; each is listed once"],
    ),
    "title without a language": (
        [(ORDER, 'title = { en = "Dots", zh = "点" }', 'title = { en = "Dots" }')],
        [f"{ORDER}:22: 'title' of a figure is {{'en': 'Dots'}}; it must be a text for each of en, zh"],
    ),
    "slug that is no address": (
        [(ORDER, 'slug = "third"', 'slug = "Third one"')],
        [f"{ORDER}:32: slug 'Third one' cannot be an address; it must match [a-z][a-z0-9-]*"],
    ),
    "order with bad TOML": (
        [(ORDER, "reading = true", "reading = yes")],
        [f"{ORDER}:18: TOML that cannot be read: Invalid value; see https://toml.io"],
    ),
    "term without a meaning": (
        [(TERMS, 'zh_means = "一个轮次。"\n', "")],
        [f"{TERMS}:7: the term 'wave' has no 'zh_means'; give it a text that is not empty"],
    ),
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_book(book: "TinyBook", name: str) -> None:
    edits, expected = BREAKS[name]
    for file, old, new in edits:
        book.edit(file, old, new)
    assert book.problems() == expected


def test_stale_translation(book: "TinyBook") -> None:
    file = book.file(EN2)
    old = book.file(ZH2).read_text("utf-8").split('"')[1]
    file.write_text(file.read_text("utf-8").replace("A lead.", "Another lead."), "utf-8")
    (problem,) = book.problems()
    assert problem.startswith(f"{ZH2}:2: it translates '{old}', but {EN2} is now '")
    assert problem.endswith("'; look it through, then run gpubook stamp")
    book.stamp()
    assert book.problems() == []


def test_missing_translation(book: "TinyBook") -> None:
    book.file(ZH2).unlink()
    assert book.problems() == [f"{ZH2}:1: the chapter 'second' has no zh.md; each is written in every language"]


def test_translation_that_names_no_source(book: "TinyBook") -> None:
    file = book.file(ZH2)
    lines = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text("".join(line for line in lines if "translates" not in line), "utf-8")
    assert book.problems() == [f"{ZH2}:2: the front matter has no 'translates'; give it a text that is not empty"]


def test_folder_that_is_not_in_the_order(book: "TinyBook") -> None:
    book.file("chapters/04-fourth").mkdir()
    book.file("chapters/02-second").rename(book.file("chapters/05-second"))
    assert [problem for problem in book.problems() if "folder" in problem] == [
        "chapters/04-fourth:1: the chapter folder '04-fourth' is not in book.toml; "
        "list it there, or take the folder away",
        "chapters/05-second:1: the chapter folder '05-second' is not in book.toml; its number there makes it 02-second",
    ]


@pytest.mark.parametrize("name", [EN2, FACTS, TERMS, ORDER])
def test_a_file_that_is_not_utf8(book: "TinyBook", name: str) -> None:
    file = book.file(name)
    file.write_bytes(file.read_bytes() + "# é\n".encode("latin-1"))
    line = file.read_bytes().count(b"\n")
    assert f"{name}:{line}: the byte 0xe9 is not UTF-8; save the file as UTF-8" in book.problems()


def test_no_order(book: "TinyBook") -> None:
    book.file(ORDER).unlink()
    assert book.problems() == [f"{ORDER}:1: there is no such file; it lists the book's parts, chapters and figures"]


def test_untranslated_string(book: "TinyBook") -> None:
    template = book.file("site/templates/start.html")
    template.write_text(template.read_text("utf-8") + '{{ words("A new label") }}\n', "utf-8")
    line = template.read_text("utf-8").count("\n")
    assert book.problems() == [
        f"site/templates/start.html:{line}: 'A new label' has no words in zh; run gpubook strings, then translate it"
    ]


PO = "widgets/locale/zh/LC_MESSAGES/gpubook.po"


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ('msgstr "译Needs"', 'msgstr ""', "'Needs' has no translation; translate it there"),
        (
            'msgid "Needs"',
            '#, fuzzy\nmsgid "Needs"',
            "'Needs' has an uncertain (fuzzy) translation; translate it there",
        ),
        (
            'msgstr "译Exercise {n}"',
            'msgstr "译Exercise"',
            "the translation of 'Exercise {n}' has the places []; it must have ['n']",
        ),
    ],
)
def test_catalogue_that_is_not_ready(book: "TinyBook", old: str, new: str, wrong: str) -> None:
    book.edit(PO, old, new)
    (problem,) = book.problems()
    path, line, said = problem.split(":", 2)
    assert (path, said) == (PO, f" {wrong}")
    msgid = wrong.split("'")[1]
    assert f'msgid "{msgid}"' in book.file(PO).read_text("utf-8").splitlines()[int(line) - 2 : int(line) + 1]


def test_missing_catalogue(book: "TinyBook") -> None:
    book.file(PO).unlink()
    assert book.problems() == [f"{PO}:1: there is no catalogue for 'zh'; run gpubook strings, then translate it"]


def test_problems_of_several_files_are_all_told_in_order_of_place(book: "TinyBook") -> None:
    book.edit(EN2, "What are 2 things?", "What?")
    book.edit(TERMS, 'zh = "bank"\n', "")
    book.edit(EN, "![Two bars, one higher]", "![]")
    assert [problem.split(": ")[0] for problem in book.problems()] == [f"{EN}:35", f"{EN2}:2", f"{TERMS}:1"]
