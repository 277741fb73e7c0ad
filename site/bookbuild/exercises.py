"""Exercises: the question with its field, the folded answer, and what the page's Python needs to judge."""

import re
from fractions import Fraction
from typing import Any

from markupsafe import Markup

from bookbuild.chapter import Source
from bookbuild.fences import ExerciseUse
from widgets.words import Words

Json = Any


def filled(text: str, exercise: dict[str, Json], words: Words) -> str:
    """Put in an exercise's numbers for `{answer}` and `{mistake}`; LookupError for another name."""
    known = {"answer": exercise["answer"], **exercise["mistakes"]}
    return re.sub(r"\{(\w+)\}", lambda found: _shown(known[found[1]], words), text)


def _shown(answer: Json, words: Words) -> str:
    if isinstance(answer, dict):
        match answer["type"]:
            case "number":
                return _number(answer["value"], words, answer["digits"])
            case "choice":
                return str(answer["key"])
            case "set":
                return _shown(answer["values"], words)
            case _:
                return _shown(answer["keys"], words)
    if isinstance(answer, list):
        return words(", ").join(_shown(item, words) for item in answer)
    return _number(answer, words)


def _number(text: str, words: Words, digits: int | None = None) -> str:
    try:
        return words.num(float(Fraction(text)), digits)
    except ValueError:  # the key of an option, not a number
        return text


def name(source: Source, use: ExerciseUse) -> str:
    """Return the name by which the page asks for an exercise."""
    return f"{source.chapter.slug}/{use.name}"


def shipped(use: ExerciseUse, computed: dict[str, Json], words: Words) -> Json:
    """Return an exercise's sentences in one language, with its numbers in place."""
    return {
        "right": filled(use.right, computed, words),
        "wrong": {mistake: filled(text, computed, words) for mistake, text in use.wrong.items()},
        "unit": use.unit,
        "options": use.options,
    }


def html(
    source: Source,
    use: ExerciseUse,
    computed: dict[str, Json],
    question: Markup,
    worked: Markup,
    words: Words,
) -> Markup:
    """Return an exercise as it stands on the page; `question` and `worked` are rendered already."""
    kind = computed["answer"]["type"]
    label = words("Exercise {n}", n=use.number)
    if kind == "choice":
        field = Markup('<div class="opts" role="radiogroup" aria-label="{}">{}</div>').format(
            label,
            Markup("").join(
                Markup('<label><input type="radio" name="{}" value="{}"><span>{}</span></label>').format(
                    use.name, key, text
                )
                for key, text in use.options.items()
            ),
        )
        row = Markup('<div class="row"><button class="btn main">{}</button></div>').format(words("Check"))
    else:
        field = Markup("").join(Markup("<li><b>{}</b> {}</li>").format(key, text) for key, text in use.options.items())
        field = Markup('<ul class="keys">{}</ul>').format(field) if field else field
        hint = {
            "set": words("all of them, with commas between"),
            "order": words("the letters, in order"),
        }.get(kind, "")
        row = Markup(
            '<div class="row"><input class="ans" name="answer" autocomplete="off" aria-label="{}">'
            '<span class="unit">{}</span><button class="btn main">{}</button></div>'
        ).format(
            words("{label}: {why}", label=label, why=use.unit or hint or words("your answer")),
            use.unit or hint,
            words("Check"),
        )
    fold = Markup('<details class="fold"><summary>{}</summary><div class="in">{}</div></details>').format(
        words("Show the answer"), worked
    )
    return Markup(
        '<div class="ex" id="ex-{}"><p class="n">{}</p><div class="body">{}</div>'
        '<form class="ex-form" data-exercise="{}" data-kind="{}">{}{}</form>'
        '<p class="say" role="status" hidden></p>{}</div>\n'
    ).format(use.name, label, question, name(source, use), kind, field, row, fold)
