"""Numbers as readers write them.

Decided (each reading is one that somebody means; where there are two, both are returned):

    1024  1 024  1'024  1_024  1,024,000  1.024.000    thousands marks, groups of three
    1,024                                              1,024 first, or 1.024
    1.024  1,5  1,0242  0,125  1024,5                  decimal: a single dot always is
    1.024,5  1,024.5  1 024,5                          the last mark is the decimal one: 1,024.5
    12,34,5  1,02.5  1 02                              no number
    1.5e3  1.5 × 10^3  10⁻³  2^10  1/3  百分之31  ½     powers, fractions, percent
    3 6/7  3½                                          a whole number and a proper fraction
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction

from widgets.words import Words

MAX_CHARS = 400  # more than any answer takes; bounds the time spent on what is pasted by mistake
MAX_POWER = 60
LARGEST = 10**30  # above every count in the book; its reciprocal below every share

_SAME = str.maketrans(
    dict.fromkeys("‐‑‒–—−", "-") | dict.fromkeys("×✕·⋅∗", "*") | dict.fromkeys("’‘ʼ´", "'")
    | {"⁄": "/", "∕": "/", "÷": "/", "٫": ".", "٬": ",", "。": ".", "µ": "μ"}
)  # fmt: skip
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")

_BODY = r"(?:[0-9]+(?:[ ,.'_][0-9]+)*\.?|\.[0-9]+)"
_NUMBER = re.compile(
    rf"""(?P<sign>[+-]?)\ ?(?P<body>{_BODY})
    (?:\ ?(?:\^|\*\*)\ ?(?P<power>[+-]?[0-9]+)
      |\ ?e(?P<e>[+-]?[0-9]+)
      |\ ?[*x]\ ?10\ ?(?:\^|\*\*)\ ?(?P<ten>[+-]?[0-9]+))?
    (?:\ ?/\ ?(?P<below>{_BODY}))?
    \ ?(?P<rest>.*)""",
    re.VERBOSE | re.IGNORECASE,
)
_MIXED = re.compile(r"(?P<sign>[+-]?) ?(?P<whole>[0-9]+) (?P<top>[0-9]+) ?/ ?(?P<below>[0-9]+) ?(?P<rest>.*)")
_PLAIN = re.compile(r"[0-9]+(\.[0-9]+)?|[0-9]{1,3}(,[0-9]{3}){2,}(\.[0-9]+)?|[0-9]{1,3},[0-9]{3}\.[0-9]+")
_ABOUT = re.compile(r"(?:[=≈~≃∼]|about|approx\.?|ca\.|大约|约)\s*", re.IGNORECASE)


class Unreadable(ValueError):
    """The text is no answer of the kind asked for; the message says what was read."""


@dataclass(frozen=True, slots=True)
class Numeral:
    """What a text may mean, the likelier reading first, and what stands after the number.

    `decimals`: digits after the decimal mark, None beside powers and fractions. `plain`: written so
    that nobody reads it otherwise. `dotted`: of the form 1.024, a thousand and twenty-four to some.
    """

    text: str
    values: tuple[Fraction, ...]
    rest: str
    decimals: int | None
    plain: bool
    dotted: bool


def clean(text: str) -> str:
    """Return the text on one line with ASCII digits, signs and spaces, `*` for ×, `^` for superscripts."""
    text = "".join(c for c in text if unicodedata.category(c) != "Cf")  # zero-width marks
    text = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)
    text = re.sub(r"(?<=[0-9])[⁺⁻]?[⁰¹²³⁴-⁹]+", lambda m: "^" + m[0].translate(_SUPERSCRIPT), text)
    text = "".join(f" {c} " if unicodedata.category(c) == "No" else c for c in text)  # 1½ is not 11/2
    text = unicodedata.normalize("NFKC", text.translate(_SAME)).translate(_SAME)
    return " ".join(text.split())


def quote(text: str, most: int = 40) -> str:
    """Return a reader's cleaned text fit to be shown: printable, at most so many characters."""
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text.replace("*", "×"))
    return text if len(text) <= most else text[: most - 1] + "…"


def readings(body: str) -> tuple[Fraction, ...]:
    """Return the numbers that digits with marks may be; () if they are none (see the module's table).

    >>> readings("1,024"), readings("1.024,5"), readings("1,02.5")
    ((Fraction(1024, 1), Fraction(128, 125)), (Fraction(2049, 2),), ())
    """
    body = "0" + body if body.startswith(".") else body.rstrip(".")
    marks, groups = re.sub("[0-9]", "", body), re.split("[ ,.'_]", body)
    found = []
    if marks != "." and _grouped(groups, marks):
        found.append(Fraction("".join(groups)))
    if marks and marks[-1] in ".," and marks[-1] not in marks[:-1] and _grouped(groups[:-1], marks[:-1]):
        found.append(Fraction("".join(groups[:-1]) + "." + groups[-1]))
    return tuple(found)


def _grouped(groups: list[str], marks: str) -> bool:
    """Say whether digits are grouped by one thousands mark: one to three, no zero in front, then threes."""
    first, *others = groups
    return not others or (
        len(set(marks)) == 1 and len(first) <= 3 and first[0] != "0" and all(len(o) == 3 for o in others)
    )


def read(text: str, words: Words) -> Numeral:
    """Read one number at the start of a cleaned text; Unreadable says what is there instead."""
    text = _ABOUT.sub("", text, count=1) if _ABOUT.match(text) else text
    if text.startswith("百分之"):
        text = text.removeprefix("百分之") + "%"
    if mixed := _mixed(text):
        return mixed
    match = _NUMBER.fullmatch(text)
    if not match:
        if re.search("[0-9]", text):
            raise Unreadable(words("“{text}” does not begin with a number.", text=quote(text)))
        raise Unreadable(words("There is no number in “{text}”.", text=quote(text)))
    body, below, rest = match["body"], match["below"], match["rest"].rstrip(" .,;:!")
    tops, bottoms = readings(body), readings(below) if below else (Fraction(1),)
    if re.search("[0-9]", rest) or not tops or not bottoms:
        raise Unreadable(words("“{text}” may be more than one number.", text=quote(text)))
    values = tuple(_value(match, top, bottom, words) for top in tops for bottom in bottoms)
    scaled = any(match[name] for name in ("power", "e", "ten", "below"))
    shift = Fraction(re.sub("[^0-9]", "", body)) / tops[0] if tops[0] else 1  # 10 to the number of decimals
    return Numeral(
        text,
        values,
        rest,
        decimals=None if scaled else len(str(shift)) - 1,
        plain=bool(_PLAIN.fullmatch(body)) and not scaled,
        dotted=bool(re.fullmatch(r"[1-9][0-9]{0,2}\.[0-9]{3}", body)) and not scaled,
    )


def _mixed(text: str) -> Numeral | None:
    """Read "3 6/7"; None for "1 024/7", whose space is a thousands mark, and for improper fractions."""
    match = _MIXED.fullmatch(text)
    if not match or re.search("[0-9]", match["rest"]) or readings(f"{match['whole']} {match['top']}"):
        return None
    whole, top, below = (int(match[name]) for name in ("whole", "top", "below"))
    if top >= below or whole > LARGEST:
        return None
    value = (whole + Fraction(top, below)) * (-1 if match["sign"] == "-" else 1)
    return Numeral(text, (value,), match["rest"].rstrip(" .,;:!"), decimals=None, plain=False, dotted=False)


def _value(match: re.Match[str], top: Fraction, bottom: Fraction, words: Words) -> Fraction:
    """Put sign, power and denominator to a number; Unreadable where that is none, or far out of range."""
    power, ten = int(match["power"] or 1), int(match["e"] or match["ten"] or 0)
    if bottom == 0 or (top == 0 and power < 0):
        raise Unreadable(words("“{text}” divides by zero.", text=quote(match.string)))
    if abs(power) > MAX_POWER or abs(ten) > MAX_POWER:
        raise Unreadable(words("“{text}” is out of range.", text=quote(match.string)))
    value = top**power * Fraction(10) ** ten / bottom
    if value and not Fraction(1, LARGEST) <= value <= LARGEST:
        raise Unreadable(words("“{text}” is out of range.", text=quote(match.string)))
    return -value if match["sign"] == "-" else value
