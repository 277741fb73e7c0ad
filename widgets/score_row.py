"""A row of scores or values as a reader types it: `ln 2, 0.5, masked`, with commas or spaces between."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import inf, isfinite, log

from widgets.words import Words

_SAME = str.maketrans({"−": "-", "–": "-", "∞": "inf", "，": ",", "；": ",", "、": ",", ";": ",", "（": "(", "）": ")"})
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_TOKEN = re.compile(
    r"(?P<mask>-\ ?inf(?:inity)?|mask(?:ed)?|遮盖|掩码)"
    rf"|ln\s*\(\s*(?P<inner>{_NUMBER})\s*\)|ln\s*(?P<ln>{_NUMBER})|(?P<number>{_NUMBER})",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\s*,\s*|\s+")


@dataclass(frozen=True, slots=True)
class Entry:
    """One number, -inf where it is masked, and the logarithm's argument if it was typed as one."""

    value: float
    of: float | None = None

    @property
    def masked(self) -> bool:
        """Whether the entry is hidden by a mask."""
        return self.value == -inf


def parse(text: str, words: Words, *, masks: bool) -> tuple[Entry, ...]:
    """Read a row; ValueError, in the reader's language, names the piece that cannot be read.

    `masks`: whether an entry may be masked (a score may, a value may not).

    >>> [entry.value for entry in parse("0, -2.5 1e3 ln 1; -∞", Words(), masks=True)]
    [0.0, -2.5, 1000.0, 0.0, -inf]
    """
    line = text.translate(_SAME).strip()
    entries, at = [], 0
    while at < len(line):
        token = _TOKEN.match(line, at)
        end = token.end() if token else at
        between = _BETWEEN.match(line, end)
        if token is None or (between is None and end < len(line)) or (token["mask"] and not masks):
            piece = re.split(r"[\s,]", line[at:], maxsplit=1)[0][:40] or line[at]
            if masks:
                message = words(
                    "“{piece}” is no score; write numbers, ln 2 or masked, with commas between", piece=piece
                )
            else:
                message = words("“{piece}” is no value; write numbers, with commas between", piece=piece)
            raise ValueError(message)
        entries.append(_entry(token, words))
        at = between.end() if between else end
    return tuple(entries)


def _entry(token: re.Match[str], words: Words) -> Entry:
    if token["mask"]:
        return Entry(-inf)
    typed = token["inner"] or token["ln"]
    number = float(typed or token["number"])
    if not isfinite(number):
        raise ValueError(words("“{piece}” is too large for a float64", piece=token[0][:40]))
    if typed and number <= 0:
        raise ValueError(words("“{piece}” is no number: a logarithm needs something above 0", piece=token[0][:40]))
    return Entry(log(number), number) if typed else Entry(number)
