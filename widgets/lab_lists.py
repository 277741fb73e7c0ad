"""Options, sets and orders as readers write them, and what is wrong with them by count or place.

In a set of numbers `;` and `、` separate where they occur; else commas and spaces do, except that
"1,024, 2,048" is also read with its commas inside. Decimal commas need `;` between the values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from widgets.answers import Order, ValueSet
from widgets.lab_numerals import Unreadable, quote, read
from widgets.words import Words

_AND = r"\band\b|[&和与及]|以及"
NOTHING = ("none", "nothing", "∅", "无", "没有")


def join(first: str, second: str, words: Words) -> str:
    """Put two sentences together as the language does; either may be empty."""
    return words("{first} {second}", first=first, second=second) if first and second else first or second


def key(text: str, keys: Iterable[str], options: Mapping[str, str], words: Words) -> str:
    """Return the key that a text names, by itself or by its printed text; Unreadable if none."""
    folded = " ".join(text.split()).casefold()
    for found in keys:
        if folded in (found.casefold(), " ".join(options.get(found, "").split()).casefold()):
            return found
    raise Unreadable(words("“{text}” is none of the options.", text=quote(text)))


def keys(text: str, known: Sequence[str], options: Mapping[str, str], words: Words) -> list[str]:
    """Return the keys that a text lists, in its order: separated by commas, spaces, `>` or arrows."""
    if text.casefold() in NOTHING:
        return []
    parts = [part for part in re.split(rf"(?:[-=]?>|{_AND}|[,;、→⇒\s])+", text) if part]
    letters = {name.casefold() for name in known}
    if len(parts) == 1 and max(map(len, letters)) == 1 and letters.issuperset(parts[0].casefold()):
        parts = list(parts[0])  # CDBA
    return [key(part, known, options, words) for part in parts]


def numbers(text: str, answer: ValueSet, words: Words, unit: str = "") -> tuple[list[Fraction], bool]:
    """Return the numbers that a text lists, and whether there is another reading (the right one is taken).

    The unit may stand before or after the list, and "and" before its last number.
    """
    text = re.sub(r"^[{(\[]|[})\].]+$", "", text).strip()
    if name := re.escape(unit.strip().rstrip("s")):
        text = re.sub(rf"\b{name}s?\b\s*(?=[0-9])|(?<=[0-9])\s*{name}s?$", "", text, flags=re.IGNORECASE)
    text = re.sub(rf"\s*(?:{_AND})\s*", "; " if re.search("[;、]", text) else ", ", text, flags=re.IGNORECASE)
    text = re.sub(r"[,;、]\s*(?=[,;])", "", text)  # "1, 2, and 3"
    if text.casefold() in (*NOTHING, ""):
        return [], False
    strong = re.search("[;、]", text)
    lists, refusal = [], None
    for mark in ("[;、]",) if strong else (r"[,\s]+", r",\s+|\s+"):
        try:
            lists.append([_item(part.strip(), words) for part in re.split(mark, text) if part.strip()])
        except Unreadable as problem:
            refusal = refusal or problem
    if refusal and not lists:
        raise refusal
    best = [[next((v for v in vs if v in answer.values), vs[0]) for vs in found] for found in lists]
    chosen = next((found for found in best if answer.accepts(found)), [values[0] for values in lists[0]])
    ambiguous = len(set(map(frozenset, best))) > 1 or any(len(vs) > 1 for found in lists for vs in found)
    return chosen, ambiguous


def _item(text: str, words: Words) -> tuple[Fraction, ...]:
    if re.match("0[0-9]", text):  # the 024 of "1,024", cut at its comma
        raise Unreadable(words("“{text}” is not a number by itself.", text=quote(text)))
    numeral = read(text, words)
    if numeral.rest:
        raise Unreadable(words("“{text}” is not a number by itself.", text=quote(text)))
    return numeral.values


def choice_reason(chosen: str, options: Mapping[str, str], words: Words) -> str:
    """Say what was chosen."""
    return words("You chose “{text}”.", text=options.get(chosen, chosen))


def set_reason(given: Iterable[Fraction | str], answer: ValueSet, words: Words) -> str:
    """Say how many values are missing and how many do not belong, not which."""
    said = set(given)
    missing, extra = len(set(answer.values) - said), len(said - set(answer.values))
    absent = words.plural("{n} value is missing.", "{n} values are missing.", missing) if missing else ""
    surplus = words.plural("{n} value does not belong.", "{n} values do not belong.", extra) if extra else ""
    return join(absent, surplus, words)


def order_reason(given: Sequence[str], answer: Order, words: Words) -> str:
    """Name the first place that is out of order; Unreadable unless every key has exactly one place."""
    for name in given:
        if given.count(name) > 1:
            raise Unreadable(words("“{text}” has more than one place.", text=name))
    left = len(answer.keys) - len(given)
    if left:
        raise Unreadable(words.plural("{n} has no place yet.", "{n} have no place yet.", left))
    place = next(n for n, (a, b) in enumerate(zip(given, answer.keys, strict=True), start=1) if a != b)
    return words("Place {n} is the first out of order.", n=words.num(place))
