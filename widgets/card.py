"""The card around a drawing, as HTML: one renderer for the builder and for the worker in the page.

`render` makes the whole card once, at build time; `update` gives the parts that a change of state
touches, keyed by the `data-part` they fill. The page only puts them in place.
"""

from __future__ import annotations

import json
from typing import Any

from markupsafe import Markup, escape

from widgets import hardware as strip
from widgets import room
from widgets.controls import render_control
from widgets.figure import Figure
from widgets.hardware import hardware
from widgets.parts import Readout, Table
from widgets.words import NO_BREAK

LONG = 9
"""Characters of a readout's number that a quarter of a card, or half a phone, has room for; a unit's count half."""
_CHAIN = Markup(
    '<svg width="14" height="14" viewBox="0 0 14 14" fill="none" stroke="currentColor" stroke-width="1.4"'
    ' stroke-linecap="round" aria-hidden="true"><path d="M6 8a2.6 2.6 0 0 0 3.7 0l2-2A2.6 2.6 0 0 0 8 2.3l-.9.9'
    'M8 6a2.6 2.6 0 0 0-3.7 0l-2 2A2.6 2.6 0 0 0 6 11.7l.9-.9"/></svg>'
)


def _join(parts: Any) -> Markup:
    return Markup("").join(parts)


def predict(figure: Figure) -> Markup:
    """The question; below it the answer's field, or what was answered."""
    asks, words = figure.prediction, figure.words
    if asks is None:
        return Markup("")
    question = Markup('<p class="q"><b>{}</b>{}{}</p>').format(
        words("Before you look."), words.space, words(asks.question)
    )
    if figure.open:
        unreadable = Markup("")
        if figure.unread is not None:
            unreadable = Markup('<span class="unread" role="alert">{}</span>').format(figure.error)
        field = Markup(
            '<form class="row" data-do="commit">'
            '<input class="ans" name="guess" autocomplete="off" aria-label="{}" value="{}">'
            '<span class="unit">{}</span><button class="btn main">{}</button>'
            '<button type="button" class="quietly" data-do="skip">{}</button>{}</form>'
        ).format(words("Your guess"), figure.unread or "", words(asks.unit), words("Commit"), words("Skip"), unreadable)
        return question + field
    told = figure.asked().values()
    named = {name: words.num(value) for name, value in told.items()}
    named["answer"] = words.num(told[asks.value], asks.digits)
    reveal = words(asks.reveal, **named)
    if figure.verdict and figure.verdict.kind == "right":
        reveal = f"{words('Right.')}{words.space}{reveal}"
    elif figure.guess is not None:
        reveal = f"{words('You said {guess}.', guess=figure.guess)}{words.space}{reveal}"
    return question + Markup(
        '<div class="row"><span class="reveal">{}</span>'
        '<button type="button" class="quietly later" data-do="ask">{}</button></div>'
    ).format(reveal, words("Ask me again"))


def chips(figure: Figure) -> Markup:
    """One button for each preset."""
    pressed = figure.pressed
    return _join(
        Markup(
            '<button type="button" class="chip" data-preset="{}" data-state="{}" aria-pressed="{}">{}</button>'
        ).format(
            preset.name,
            json.dumps(figure.complete(preset.state)),
            "true" if preset.name == pressed else "false",
            figure.words(preset.label),
        )
        for preset in figure.presets
    )


def _readout(figure: Figure, readout: Readout) -> Markup:
    words = figure.words
    if readout.secret and figure.open:
        value, kind, sub = Markup("?"), "hid", words("your guess first")
    else:
        unit = Markup("<small>{}{}</small>").format(NO_BREAK, readout.unit) if readout.unit else Markup("")
        long = len(readout.value) + len(readout.unit) / 2 > LONG
        kind = " ".join((*((f"w-{readout.role}",) if readout.role else ()), *(("long",) if long else ())))
        value, sub = escape(readout.value) + unit, readout.sub
    return Markup('<div class="read"><dt>{}</dt><dd class="{}">{}</dd><dd class="sub">{}</dd></div>').format(
        readout.label, kind, value, sub
    )


def readouts(figure: Figure) -> Markup:
    """The large numbers."""
    return _join(_readout(figure, readout) for readout in figure.readouts())


def table(rows: Table) -> Markup:
    """Rows as an HTML table whose first column names the row."""
    head = _join(Markup('<th scope="col">{}</th>').format(cell) for cell in rows.head)
    body = _join(
        Markup("<tr>{}</tr>").format(
            Markup('<th scope="row">{}</th>').format(row[0])
            + _join(Markup("<td>{}</td>").format(cell) for cell in row[1:])
        )
        for row in rows.rows
    )
    return Markup("<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>").format(head, body)


def problem(figure: Figure) -> Markup:
    """The sentence about input that was refused."""
    if not figure.error or figure.unread is not None:
        return Markup("")  # an unreadable guess is answered where it was typed
    words, error = figure.words, figure.error
    sentence = error if error.endswith((".", "。", "?", "？")) else words("{text}.", text=error)
    return Markup("{}{}<span>{}</span>").format(sentence, words.space, words("Shown: the last state that works."))


def update(figure: Figure) -> dict[str, Any]:
    """Return every part that a change of state touches, ready to be put in place."""
    controls = {}
    for control in figure.controls:
        value = getattr(figure, control.param)
        controls[control.param] = {"value": value, "active": figure.active(control.param)}
    return {
        "predict": str(predict(figure)),
        "reads": str(readouts(figure)),
        "hw": str(hardware(figure)),
        "table": str(table(figure.table())),
        "problem": str(problem(figure)),
        "summary": figure.summary(),
        "controls": controls,
        "steps": figure.steps,
        "pressed": figure.pressed,
        "state": figure.state,
        "open": figure.open,
        "guess": figure.guess,
    }


def _fold(title: str, body: Markup, part: str = "") -> Markup:
    return Markup('<details class="fold"><summary>{}</summary><div class="in"{}>{}</div></details>').format(
        title, Markup(' data-part="{}"').format(part) if part else "", body
    )


def _head(figure: Figure, number: str, title: str, look: str) -> Markup:
    words = figure.words
    return Markup(
        '<div class="load" aria-hidden="true"></div>'
        '<div class="fig-head"><span class="n">{}</span><h3>{}</h3><span class="status" role="status">'
        '<i class="dot"></i><span data-part="status">{}</span>'
        '<button type="button" class="quietly" data-do="retry" hidden>{}</button></span></div><p class="look">{}</p>'
    ).format(words("Figure {n}", n=number), title, words("Drawn as built"), words("Try again"), look)


def _controls(figure: Figure) -> Markup:
    chip_row = Markup('<div class="chips" role="group" aria-label="{}">{}</div>').format(
        figure.words("Presets"), chips(figure)
    )
    grid = _join(render_control(figure, control) for control in figure.controls)
    return chip_row + Markup(
        '<div class="controls n{}">{}</div><p class="say bad" data-part="problem" role="alert"></p>'
    ).format(len(figure.controls), grid)


def _drawing(figure: Figure) -> Markup:
    words = figure.words
    return Markup(
        '<div class="draw"><div class="plot" style="--plot-h:{}px;--plot-h-phone:{}px" tabindex="0" role="group"'
        ' aria-label="{}"><div class="canvas" role="img" aria-label="{}"></div></div></div>'
        '<p class="inspect" data-part="inspect" aria-live="polite">{}</p>'
    ).format(
        figure.height,
        figure.phone_height,
        words("Drawing. Arrow keys read its marks one by one."),
        figure.summary(),
        words(figure.inspect_hint),
    )


def _folds(figure: Figure) -> Markup:
    words = figure.words
    left = _join(Markup("<p>{}</p>").format(words(sentence)) for sentence in figure.left_out)
    rows = Markup('<p data-part="summary">{}</p><div class="scroll" tabindex="0" data-part="table">{}</div>')
    link = Markup(
        '<div class="perm">{}<code data-part="permalink">#{}</code>'
        '<button type="button" class="quietly" data-do="copy">{}</button></div>'
    ).format(_CHAIN, figure.key(), words("Copy link to this state"))
    return Markup('<div class="folds">{}{}{}</div>').format(
        _fold(words("What the model leaves out"), left),
        _fold(words("The same in words and as a table"), rows.format(figure.summary(), table(figure.table()))),
        link,
    )


def _roomy(tag: str, name: str, content: Markup, *longest: Markup) -> Markup:
    """A part that keeps the room which its longest texts need, each of them unseen in the same place."""
    ghosts = _join(
        Markup('<{0} class="ghost" aria-hidden="true" inert>{1}</{0}>').format(Markup(tag), one) for one in longest
    )
    return Markup('<div class="{0} roomy"><{1} data-part="{0}">{2}</{1}>{3}</div>').format(
        name, Markup(tag), content, ghosts
    )


def _well(figure: Figure, twins: list[Figure]) -> Markup:
    """The strip and, below it, where the page puts its panel "measure it on a GPU": empty here."""
    readings = Markup(
        '<div class="roomy"><div data-part="hw">{}</div><div class="ghost" aria-hidden="true" inert>{}</div></div>'
    ).format(hardware(figure), room.blank(strip.longest(twins)))
    panel = Markup('<div class="measure" data-experiment="{}"></div>').format(figure.experiment)
    return Markup('<div class="hw">{}{}</div>').format(readings, panel if figure.experiment else "")


def render(
    figure: Figure, *, number: str, title: str, look: str, preset: str, ids: int, doc_json: str, digest: str
) -> Markup:
    """Return the whole card: `doc_json` is the drawing's document, `digest` names its models."""
    twins = room.twins(figure)
    asks = _roomy("div", "predict", predict(figure), room.longest(twins, predict), room.unread(figure, predict))
    rows = [*(twin.readouts() for twin in twins), room.hidden(figure)]
    widest = room.blank(_join(_readout(figure, readout) for readout in room.readouts(rows)))
    inside = (
        _head(figure, number, title, look)
        + (asks if figure.prediction else "")
        + _controls(figure)
        + _drawing(figure)
        + _roomy("dl", "reads", readouts(figure), widest)
        + (_well(figure, twins) if figure.comparisons() else "")
        + _folds(figure)
        + Markup('<script type="application/json" class="doc">{}</script>').format(
            Markup(doc_json.replace("<", "\\u003c"))
        )
    )
    return Markup(
        '<figure class="fig wide" id="{}" data-figure="{}" data-preset="{}" data-ids="{}" data-digest="{}"'
        ' data-state="built">{}</figure>'
    ).format(figure.key(), figure.key(), preset, ids, digest, inside)
