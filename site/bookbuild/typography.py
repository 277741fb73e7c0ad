"""What a line break may not part, and the line breaks that Chinese does not print."""

import re

NO_BREAK = "\u00a0"

_TIMES = re.compile(r"(?<=\d) ([×÷+−=]) (?=[\d−])")
_UNIT = re.compile(r"(?<=\d) (?=(?:%|[kKMGT]?i?B(?:/s)?|[nµm]?s|[MGTP]?FLOP(?:/[sB])?)(?![A-Za-z]))")
_WIDE = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u201c\u201d\u2014\u2026]")


def tied(text: str) -> str:
    """Keep a number with its unit, and a product on one line.

    >>> tied("32 × 32 floats in 5 µs") == "32\\u00a0×\\u00a032 floats in 5\\u00a0µs"
    True
    """
    return _UNIT.sub(NO_BREAK, _TIMES.sub(rf"{NO_BREAK}\1{NO_BREAK}", text))


def soft_break(before: str, after: str) -> str:
    """Return what a line end in the source prints: nothing between two wide characters, else a space."""
    return "" if _WIDE.match(before[-1:]) and _WIDE.match(after[:1]) else "\n"
