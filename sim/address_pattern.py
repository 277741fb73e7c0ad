"""Typed address patterns: 32 numbers, or one expression in the lane number i, worked out for each lane.

An expression has whole numbers, i, parentheses, the unary minus and + - * // % ^ & | << >>, with Python's
meaning and precedence. The small parser below reads it; nothing is handed to Python to run. A list has all 32
numbers, separated by commas or spaces.

Source: Python Language Reference, chapter 6 (meaning and precedence of the operators).
Left out: alignment, which each simulator checks for itself.
"""

import operator
import re
from collections.abc import Callable

WARP_LANES = 32
INACTIVE = -1
UNITS_BYTES = (1, 2, 4, 8, 16)
LIMIT = 2**31 - 1  # of any number, typed or computed: what an int index in a kernel can hold
MAX_CHARACTERS = 1_000
MAX_DEPTH = 20  # of parentheses and minus signs inside each other, so that the recursion stays shallow
MAX_SHIFT_BITS = 31

ALLOWED = "whole numbers, i, parentheses and + - * // % ^ & | << >>"

# How tightly each operator binds (more is tighter) and what it does in one lane.
BINARY: dict[str, tuple[int, Callable[[int, int], int]]] = {
    "|": (1, operator.or_),
    "^": (2, operator.xor),
    "&": (3, operator.and_),
    "<<": (4, operator.lshift),
    ">>": (4, operator.rshift),
    "+": (5, operator.add),
    "-": (5, operator.sub),
    "*": (6, operator.mul),
    "//": (6, operator.floordiv),
    "%": (6, operator.mod),
}

# A whole name or ** is one token, so that the message can quote it.
TOKEN = re.compile(r"[0-9]+|[^\W\d]\w*|\*\*|//|<<|>>|\S")
NUMBER = re.compile(r"-?[0-9]+")
SPACED_LIST = re.compile(r"\s*-?[0-9]+(\s+-?[0-9]+)+\s*")
COMMA = "[,，]"  # the second is what a Chinese keyboard types


def parse_pattern(text: str, unit_bytes: int = 1) -> tuple[int, ...]:
    """Byte addresses of the 32 lanes from what a reader typed; -1 for an inactive lane.

    Args:
        text: 32 whole numbers separated by commas or spaces, or one expression in the lane number i. A value
            of -1 makes its lane inactive.
        unit_bytes: bytes that 1 in the text stands for: 1 (bytes), 4 (words), or another element's 2, 8, 16.

    Raises:
        ValueError: a sentence that names the token and its position (1-based) or the lane, and what is right.

    >>> parse_pattern("(i%4)*128 + i//4*4")[:6]
    (0, 128, 256, 384, 4, 132)
    >>> parse_pattern("i^1", unit_bytes=4)[:4]
    (4, 0, 12, 8)
    >>> parse_pattern("i*4 +")
    Traceback (most recent call last):
    ValueError: the pattern ends at position 6, where a whole number, i, - or ( is allowed
    """
    if type(unit_bytes) is not int or unit_bytes not in UNITS_BYTES:
        raise ValueError(f"unit_bytes is {unit_bytes!r}; it must be one of {UNITS_BYTES}")
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"the pattern has {len(text):,} characters; at most {MAX_CHARACTERS:,} are allowed")
    if not text.strip():
        raise ValueError("the pattern is empty; type 32 numbers, or an expression in i such as i*4")
    is_list = re.search(COMMA, text) or SPACED_LIST.fullmatch(text)
    values = _list(text) if is_list else _Expression(text).values()
    addresses = []
    for lane, value in enumerate(values):
        if value < INACTIVE:
            raise ValueError(f"lane {lane}: address {value}; it must be ≥ 0, or {INACTIVE} if inactive")
        addresses.append(value if value == INACTIVE else _bounded(value * unit_bytes, f"lane {lane}"))
    return tuple(addresses)


def _quoted(token: str, position: int) -> str:
    shown = token if len(token) <= 20 else token[:20] + "…"
    return f'"{shown}" at position {position}'


def _bounded(value: int, where: str) -> int:
    if abs(value) > LIMIT:
        raise ValueError(f"{where}: the number is too large; at most {LIMIT:,} is allowed")
    return value


def _list(text: str) -> list[int]:
    if gap := re.search(rf"^\s*{COMMA}|{COMMA}(?=\s*({COMMA}|$))", text):
        raise ValueError(f"a number is missing at the comma at position {gap.end()}; a list has {WARP_LANES}")
    items = [(match[0], match.start() + 1) for match in re.finditer(r"[^\s,，]+", text)]
    for item, position in items:
        if not NUMBER.fullmatch(item):
            raise ValueError(f"{_quoted(item, position)} is not a whole number; a list has {WARP_LANES} of them")
    if len(items) != WARP_LANES:
        raise ValueError(f"{len(items)} numbers given; a list has {WARP_LANES}, one a lane")
    return [_bounded(int(item), _quoted(item, position)) for item, position in items]


class _Expression:
    """Precedence climbing; every part of the expression is worked out for the 32 lanes at once."""

    def __init__(self, text: str) -> None:
        self.tokens = [(match[0], match.start() + 1) for match in TOKEN.finditer(text)]
        for token, position in self.tokens:
            if not (NUMBER.fullmatch(token) or token in BINARY or token in ("i", "(", ")")):
                raise ValueError(f"{_quoted(token, position)} is unknown; allowed are {ALLOWED}")
        self.tokens.append(("", len(text) + 1))
        self.next = 0
        self.depth = 0

    def values(self) -> list[int]:
        lanes = self.binary(weakest=1)
        self.expect("", "an operator or the end")
        return lanes

    def take(self) -> tuple[str, int]:
        self.next += 1
        return self.tokens[self.next - 1]

    def expect(self, wanted: str, allowed: str) -> None:
        token, position = self.take()
        if token != wanted:
            raise _unexpected(token, position, allowed)

    def binary(self, weakest: int) -> list[int]:
        left = self.operand()
        while (token := self.tokens[self.next][0]) in BINARY and BINARY[token][0] >= weakest:
            position = self.take()[1]
            strength, compute = BINARY[token]
            right = self.binary(strength + 1)  # + 1: operators of one strength group to the left
            for lane, value in enumerate(right):
                where = f"lane {lane}, {_quoted(token, position)}"
                if token in ("//", "%") and value == 0:
                    raise ValueError(f"{where}: division by 0; the divisor must not be 0")
                if token in ("<<", ">>") and not 0 <= value <= MAX_SHIFT_BITS:
                    raise ValueError(f"{where}: shift by {value}; it must be in 0..{MAX_SHIFT_BITS}")
                left[lane] = _bounded(compute(left[lane], value), where)
        return left

    def operand(self) -> list[int]:
        token, position = self.take()
        if token == "i":
            return list(range(WARP_LANES))
        if NUMBER.fullmatch(token):
            return [_bounded(int(token), _quoted(token, position))] * WARP_LANES
        if token not in ("-", "("):
            raise _unexpected(token, position, "a whole number, i, - or (")
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ValueError(f"{_quoted(token, position)} is nested too deep; {MAX_DEPTH} levels are allowed")
        if token == "-":
            lanes = [-value for value in self.operand()]
        else:
            lanes = self.binary(weakest=1)
            self.expect(")", f'an operator or the ")" of {_quoted(token, position)}')
        self.depth -= 1
        return lanes


def _unexpected(token: str, position: int, allowed: str) -> ValueError:
    if not token:
        return ValueError(f"the pattern ends at position {position}, where {allowed} is allowed")
    return ValueError(f"{_quoted(token, position)} is unexpected; {allowed} is allowed there")
