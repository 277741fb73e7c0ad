"""What `sim.address_pattern` refuses in a typed pattern, in the reader's language.

The simulator speaks English; its sentences are recognised by their form. A sentence unknown here is passed on
as it is, and a test knows them all.
"""

from __future__ import annotations

import re

from widgets.words import N_, Words

_ALLOWED = (
    (r"a whole number, i, - or \(", N_("a whole number, i, - or (")),
    (r"an operator or the end", N_("an operator or the end")),
    (r'an operator or the "\)" of "\(" at position (?P<at>\d+)', N_("an operator or the ) of ( at position {at}")),
)
_TOKEN = r'"(?P<token>.*)" at position (?P<at>\d+)'
_WHERE = rf"lane (?P<lane>\d+), {_TOKEN}"
_REFUSALS = (
    (r"the pattern has (?P<n>\S+) characters; at most (?P<most>\S+) are allowed",
     N_("the pattern has {n} characters; at most {most} are allowed")),
    (r"the pattern is empty; .*", N_("the pattern is empty; type 32 numbers, or an expression in i such as i*4")),
    (r"lane (?P<lane>\d+): address (?P<value>\S+); it must be ≥ 0, .*",
     N_("lane {lane}: {value}; it must be ≥ 0, or -1 for a lane that is switched off")),
    (r"a number is missing at the comma at position (?P<at>\d+); a list has 32",
     N_("a number is missing at the comma at position {at}; a list has 32")),
    (rf"{_TOKEN} is not a whole number; .*",
     N_("“{token}” at position {at} is not a whole number; a list has 32 of them")),
    (r"(?P<n>\d+) numbers given; .*", N_("{n} numbers given; a list has 32, one a lane")),
    (rf"{_TOKEN} is unknown; allowed are whole numbers, i, parentheses and (?P<signs>.*)",
     N_("“{token}” at position {at} is unknown; allowed are whole numbers, i, parentheses and {signs}")),
    (rf"{_TOKEN} is nested too deep; (?P<n>\d+) levels are allowed",
     N_("“{token}” at position {at} is nested too deep; {n} levels are allowed")),
    (rf"{_WHERE}: division by 0; .*",
     N_("lane {lane}, “{token}” at position {at}: division by 0; the divisor must not be 0")),
    (rf"{_WHERE}: shift by (?P<n>\S+); it must be in 0\.\.(?P<most>\d+)",
     N_("lane {lane}, “{token}” at position {at}: shift by {n}; it must be from 0 to {most}")),
    (rf"{_WHERE}: the number is too large; at most (?P<most>\S+) is allowed",
     N_("lane {lane}, “{token}” at position {at}: the number is too large; at most {most} is allowed")),
    (rf"{_TOKEN}: the number is too large; at most (?P<most>\S+) is allowed",
     N_("“{token}” at position {at}: the number is too large; at most {most} is allowed")),
    (r"lane (?P<lane>\d+): the number is too large; at most (?P<most>\S+) is allowed",
     N_("lane {lane}: the number is too large; at most {most} is allowed")),
    (r"the pattern ends at position (?P<at>\d+), where (?P<allowed>.*) is allowed",
     N_("the pattern ends at position {at}, where {allowed} is allowed")),
    (rf"{_TOKEN} is unexpected; (?P<allowed>.*) is allowed there",
     N_("“{token}” at position {at} is unexpected; {allowed} is allowed there")),
)  # fmt: skip


def refusal(sentence: str, words: Words) -> str:
    """Return a refusal of `sim.address_pattern.parse_pattern` in the reader's language.

    >>> refusal('"j" at position 3 is not a whole number; a list has 32 of them', Words())
    '“j” at position 3 is not a whole number; a list has 32 of them'
    """
    for pattern, message in _REFUSALS:
        if found := re.fullmatch(pattern, sentence, re.DOTALL):
            fields = dict(found.groupdict())
            if "allowed" in fields:
                fields["allowed"] = _allowed(fields["allowed"], words)
            return words(message, **fields)
    return sentence


def _allowed(what: str, words: Words) -> str:
    for pattern, message in _ALLOWED:
        if found := re.fullmatch(pattern, what):
            return words(message, **found.groupdict())
    return what
