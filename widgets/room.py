"""How much room the parts of a card need, so that nothing below them moves when they change.

A part and an unseen copy with its longest texts share one cell of a grid: the cell is as high as the
higher of the two, at every width. Digits are blanked in the copy, since it may hold an answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from markupsafe import Markup

from widgets.figure import Figure
from widgets.parts import Choice, Range, Readout

GUESS = "1,000"  # as long as most guesses
UNREADABLE = "about a thousand"  # no number, and as long as such answers are


def twins(figure: Figure) -> list[Figure]:
    """Return the figure at each of its presets and at its sliders' ends with every choice, its answer given."""
    states = [preset.state for preset in figure.presets] or [{}]
    made = [type(figure)(figure.words, figure.readings, **state) for state in states]
    bounds = {c.param: figure.param[c.param].bounds for c in figure.controls if isinstance(c, Range)}
    choices = [{c.param: value} for c in figure.controls if isinstance(c, Choice) for value, _ in c.options]
    for end in (0, 1):
        at_ends = type(figure)(figure.words, figure.readings)
        ends = {name: of[end] for name, of in bounds.items()}
        for changes in (*({name: value} for name, value in ends.items()), ends, *choices):
            at_ends.apply({"set": changes})  # one after the other; what is refused changes nothing
            made.append(type(figure)(figure.words, figure.readings, **at_ends.current()))
    for twin in made:
        twin.open, twin.guess = False, GUESS
    return made


def hidden(figure: Figure) -> list[Readout]:
    """Return the readouts as they stand while the prediction awaits a guess; none for a figure that asks nothing."""
    if figure.prediction is None:
        return []
    twin = type(figure)(figure.words, figure.readings, **figure.preset(figure.prediction.preset).state)
    first = figure.words("your guess first")
    return [replace(one, value="?", unit="", sub=first) if one.secret else one for one in twin.readouts()]


def unread(figure: Figure, part: Callable[[Figure], Markup]) -> Markup:
    """Return the part as it stands when a guess could not be read, blanked, with nothing in it that does anything."""
    if figure.prediction is None:
        return Markup("")
    twin = type(figure)(figure.words, figure.readings)
    twin.apply({"commit": UNREADABLE})
    return blank(Markup(re.sub(r'(?<=</)form|(?<=<)form| (data-do|name|role)="[^"]*"', _inert, part(twin))))


def _inert(found: re.Match[str]) -> str:
    return "" if found[1] else "div"


def longest(figures: Iterable[Figure], part: Callable[[Figure], Markup]) -> Markup:
    """Return the part with the most text among these figures', blanked."""
    return blank(max((part(figure) for figure in figures), key=lambda html: width(html.striptags())))


def readouts(rows: Sequence[Sequence[Readout]]) -> list[Readout]:
    """Return readouts each of whose texts is the longest that these rows of them have there."""
    widest: list[Readout] = []
    for n in range(max(map(len, rows))):
        same = [row[n] for row in rows if n < len(row)]
        label, value, unit, sub = (
            max((getattr(one, name) for one in same), key=width) for name in ("label", "value", "unit", "sub")
        )
        widest.append(replace(same[0], label=label, value=value, unit=unit, sub=sub, secret=False))
    return widest


def width(text: str) -> int:
    """Return about how wide a text is, in Latin letters; a Han character is as wide as two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def blank(html: Markup) -> Markup:
    """Return the HTML with each digit of its text a 0, which is as wide as any other."""
    return Markup(re.sub(r">[^<]+<", lambda text: re.sub("[0-9]", "0", text[0]), f"{html} "))
