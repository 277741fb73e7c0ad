"""Check a reader's answer: right, not yet (and why), or unreadable (and what would be readable).

Pure Python; a reader's text never raises. Of several readings of a text the right one counts, and
the verdict says which it was. A wrong answer that is a known mistake gets that mistake's sentence,
any other a reason that holds for it (`lab_reasons`, `lab_lists`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Literal

from widgets import lab_lists, lab_units
from widgets.answers import Answer, Choice, Exact, Number, Order, ValueSet, from_json
from widgets.lab_exact import encode
from widgets.lab_numerals import MAX_CHARS, Unreadable, clean, quote, read
from widgets.lab_reasons import reason, shown
from widgets.words import NO_BREAK, Words

__all__ = [
    "Answer", "Choice", "Exact", "Number", "Order", "ValueSet", "Verdict", "check", "encode", "from_json",
]  # fmt: skip

_NONE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Verdict:
    """`message` is for the reader; `read` says how the text was read where it could be read otherwise."""

    kind: Literal["right", "not_yet", "unreadable"]
    message: str
    read: str = ""


def check(
    text: str,
    answer: Answer,
    words: Words,
    mistakes: Mapping[str, Any] = _NONE,
    why: Mapping[str, str] = _NONE,
    right: str = "",
    *,
    unit: str = "",
    options: Mapping[str, str] = _NONE,
) -> Verdict:
    """Judge a text.

    `mistakes` are values (or what `encode` made of them) by key, `why` their sentences by the same
    keys; of a choice, the options' own keys do. `right` says why the right answer is right. `unit` is
    the unit as the page prints it, if that is not the answer's own; `options` the printed texts of keys.

    >>> check("1 024", Number(1024, "wavefronts"), Words("en"))
    Verdict(kind='right', message='Right.', read='Read as 1,024\\xa0wavefronts.')
    """
    known = {key: answer.like(value) for key, value in mistakes.items() if why.get(key)}
    try:
        kind, sentence, how = _judge(_bounded(text, words), answer, words, known, why, unit, options)
    except Unreadable as problem:
        wanted = _wanted(answer, words, unit, options)
        return Verdict("unreadable", lab_lists.join(str(problem), wanted, words))
    if kind == "right":
        return Verdict("right", lab_lists.join(words("Right."), right, words), how)
    return Verdict("not_yet", lab_lists.join(words("Not yet."), sentence, words), how)


Judgement = tuple[Literal["right", "not_yet"], str, str]  # kind, why not, how the text was read


def _judge(
    text: str, answer: Answer, words: Words, known: Mapping[str, Any], why: Mapping[str, str], unit: str,
    options: Mapping[str, str],
) -> Judgement:  # fmt: skip
    if isinstance(answer, Number):
        return _number(text, answer, words, known, why, unit)
    given: Any
    how = ""
    if isinstance(answer, Choice):
        given = lab_lists.key(text, answer.options, options, words)
    elif isinstance(answer, Order):
        given = lab_lists.keys(text, answer.keys, options, words)
    elif answer.options:
        given = lab_lists.keys(text, answer.options, options, words)
    else:
        given, ambiguous = lab_lists.numbers(text, answer, words, unit)
        if ambiguous:
            how = words("Read as {value}.", value=words("; ").join(shown(value, words) for value in given))
    if answer.accepts(given):
        return "right", "", how
    for key, mistake in known.items():
        if mistake.accepts(given):
            return "not_yet", why[key], how
    if isinstance(answer, Choice):
        return "not_yet", why.get(given) or lab_lists.choice_reason(given, options, words), how
    if isinstance(answer, Order):
        return "not_yet", lab_lists.order_reason(given, answer, words), how
    return "not_yet", lab_lists.set_reason(given, answer, words), how


def _number(
    text: str, answer: Number, words: Words, known: Mapping[str, Any], why: Mapping[str, str], label: str
) -> Judgement:
    numeral = read(text, words)
    unit = answer.unit or label
    factors = lab_units.factors(numeral.rest, unit) or lab_units.factors(numeral.rest, label or unit)
    if not factors:
        return "not_yet", _wrong_unit(numeral.rest, label or unit, words), ""
    values = list(dict.fromkeys(value * factor for value in numeral.values for factor in factors))
    said = {value: _with_unit(value, label or unit, words) for value in values}
    plain = numeral.plain and (bool(unit) or not numeral.rest) and factors == (Fraction(1),)
    for value in values:
        if answer.accepts(value):
            return "right", "", "" if plain else words("Read as {value}.", value=said[value])
    how = "" if plain else words("Read as {value}.", value=" / ".join(said.values()))
    for key, mistake in known.items():
        for value in values:
            if mistake.accepts(value):
                return "not_yet", why[key], words("Read as {value}.", value=said[value]) if how else ""
    return "not_yet", reason(values[0], numeral, answer, unit, said[values[0]], words), how


def _wrong_unit(typed: str, unit: str, words: Words) -> str:
    """Return why the unit is wrong; Unreadable if it is no unit at all."""
    if not lab_units.known(typed):
        raise Unreadable(words("“{text}” is not a unit known here.", text=quote(typed)))
    if unit:
        return words("“{text}” is not the unit: this answer is in {unit}.", text=quote(typed), unit=unit)
    return words("This answer has no unit; you wrote “{text}”.", text=quote(typed))


def _with_unit(value: Fraction, unit: str, words: Words) -> str:
    return shown(value, words) + (NO_BREAK + unit if unit else "")


def _bounded(text: str, words: Words) -> str:
    """Return the text cleaned; Unreadable if it is empty or longer than any answer."""
    stripped = text.strip()
    if len(stripped) > MAX_CHARS:
        raise Unreadable(
            words("That is {n} characters; an answer has at most {most}.",
                  n=words.num(len(stripped)), most=words.num(MAX_CHARS))
        )  # fmt: skip
    cleaned = clean(stripped)
    if not cleaned:
        raise Unreadable(words("There is no answer yet."))
    return cleaned


def _wanted(answer: Answer, words: Words, label: str, options: Mapping[str, str]) -> str:
    """Say what can be read as an answer of this kind."""
    if isinstance(answer, Number):
        unit = label or answer.unit
        if unit:
            return words("Write one number in {unit}, in digits, such as 12 or 0.5.", unit=unit)
        return words("Write one number in digits, such as 12 or 0.5.")
    if isinstance(answer, Order):
        names = words(", ").join(sorted(answer.keys))
        return words("Give each of these one place, with > between them: {options}.", options=names)
    names = words(", ").join(options.get(key, key) for key in answer.options)
    if isinstance(answer, Choice):
        return words("Choose one of: {options}.", options=names)
    if answer.options:
        return words("Choose any of: {options}.", options=names)
    return words("Write the numbers with commas or spaces between them, such as 3, 5, 8.")
