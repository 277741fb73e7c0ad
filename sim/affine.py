"""Array accesses with affine indices, read from text: C[i, j] += A[i, k] * W[k, j].

An index is a sum of loop variables, each times a whole number, and a whole number: affine, so that the region a tile
needs can be derived. The small parser below reads it; nothing is handed to Python to run.

Source: P. Feautrier, International Journal of Parallel Programming 20, 1991 (affine accesses of static loops).
Left out: division, remainder and indices read from another array, which are not affine; conditions.
"""

import re
from dataclasses import dataclass

MAX_CHARACTERS = 500
MAX_ACCESSES = 8
MAX_DIMENSIONS = 4
MAX_DEPTH = 20  # of parentheses and minus signs inside each other, so that the recursion stays shallow
LIMIT = 2**20  # of any number, typed or computed

# A whole name is one token, and so is **, //, += and a number with a point, so that the message can quote it.
TOKEN = re.compile(r"[0-9]+(?:\.[0-9]+)?|[^\W\d]\w*|\*\*|//|\+=|\S")
ALLOWED = "whole numbers, loop variables, + - * and parentheses"


@dataclass(frozen=True, slots=True)
class Affine:
    """constant + Σ coefficient·variable, zero coefficients left out, variables in alphabetical order."""

    constant: int
    terms: tuple[tuple[str, int], ...]

    @property
    def coefficients(self) -> dict[str, int]:
        """By variable; without those that do not occur."""
        return dict(self.terms)


@dataclass(frozen=True, slots=True)
class Access:
    """One mention of an array; ``written`` on the left of = or +=, ``read`` anywhere but on the left of =."""

    array: str
    indices: tuple[Affine, ...]
    written: bool
    read: bool
    text: str
    """As it was typed."""


def parse(text: str, loops: tuple[str, ...] = ("i", "j", "k")) -> tuple[Access, ...]:
    """The accesses of one statement or of one expression: accesses joined by * + -, perhaps after one and = or +=.

    Args:
        text: at most 500 characters, 8 accesses of 1 to 4 indices each.
        loops: names of the loop variables.

    Raises:
        ValueError: a sentence that names the token and its position (1-based), and what would be right.

    >>> c, a, w = parse("C[i, j] += A[i, k] * W[k, j]")
    >>> (c.array, c.written, c.read), (a.array, a.written, a.indices)
    (('C', True, True), ('A', False, (Affine(constant=0, terms=(('i', 1),)), Affine(constant=0, terms=(('k', 1),)))))
    >>> parse("X[2*(i - 1) + k]")[0].indices
    (Affine(constant=-2, terms=(('i', 2), ('k', 1))),)
    >>> parse("A[i*k]")
    Traceback (most recent call last):
    ValueError: "*" at position 4 multiplies two loop variables, which is not affine; one side must be a whole number
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"the text has {len(text)} characters; at most {MAX_CHARACTERS} are allowed")
    return _Parser(text, loops).statement()


class _Parser:
    """Recursive descent over the tokens; each is (text, 1-based position)."""

    def __init__(self, text: str, loops: tuple[str, ...]) -> None:
        self.text = text
        self.loops = loops
        self.tokens = [(match[0], match.start() + 1) for match in TOKEN.finditer(text)]
        self.tokens.append(("", len(text) + 1))
        self.next = 0
        self.depth = 0

    def statement(self) -> tuple[Access, ...]:
        found = [self.access(written=False, read=True)]
        if self.peek() in ("=", "+="):
            sign = self.take()[0]
            first = found[0]
            found[0] = Access(first.array, first.indices, True, sign == "+=", first.text)
            found.append(self.access(written=False, read=True))
        while self.peek() in ("*", "+", "-"):
            self.take()
            found.append(self.access(written=False, read=True))
            if len(found) > MAX_ACCESSES:
                raise ValueError(f"there are more than {MAX_ACCESSES} accesses; at most {MAX_ACCESSES} are allowed")
        token, position = self.take()
        if token:
            raise _unexpected(token, position, "*, + or - and another access, or the end")
        return tuple(found)

    def access(self, written: bool, read: bool) -> Access:
        array, start = self.take()
        if not array.isidentifier() or array in self.loops:
            raise _unexpected(array, start, "the name of an array")
        self.expect("[", f"the [ of {array[:20]}")
        indices = [self.sum()]
        while self.peek() == ",":
            position = self.take()[1]
            if len(indices) == MAX_DIMENSIONS:
                raise ValueError(f'"," at position {position}: an array has at most {MAX_DIMENSIONS} indices here')
            indices.append(self.sum())
        end = self.expect("]", 'an operator, "," or "]"')
        return Access(array, tuple(indices), written, read, self.text[start - 1 : end])

    def sum(self) -> Affine:
        total = self.product()
        while self.peek() in ("+", "-"):
            token, position = self.take()
            total = _bounded(total, self.product(), 1 if token == "+" else -1, position)
        return total

    def product(self) -> Affine:
        left = self.factor()
        while self.peek() == "*":
            position = self.take()[1]
            right = self.factor()
            if left.terms and right.terms:
                raise ValueError(
                    f'"*" at position {position} multiplies two loop variables, which is not affine; '
                    "one side must be a whole number"
                )
            varying, number = (left, right.constant) if left.terms else (right, left.constant)
            left = _bounded(Affine(0, ()), varying, number, position)
        return left

    def factor(self) -> Affine:
        token, position = self.take()
        if token in self.loops:
            return Affine(0, ((token, 1),))
        if token.isdecimal() and token.isascii():
            return _bounded(Affine(0, ()), Affine(int(token), ()), 1, position)
        if token not in ("-", "("):
            known = f"{ALLOWED}; the loop variables are {', '.join(self.loops)}"
            raise _unexpected(token, position, known)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ValueError(f'"{token}" at position {position} is nested too deep; {MAX_DEPTH} levels are allowed')
        if token == "-":
            value = _bounded(Affine(0, ()), self.factor(), -1, position)
        else:
            value = self.sum()
            self.expect(")", f'an operator or the ")" of "(" at position {position}')
        self.depth -= 1
        return value

    def peek(self) -> str:
        return self.tokens[self.next][0]

    def take(self) -> tuple[str, int]:
        token = self.tokens[self.next]
        self.next = min(self.next + 1, len(self.tokens) - 1)
        return token

    def expect(self, wanted: str, allowed: str) -> int:
        token, position = self.take()
        if token != wanted:
            raise _unexpected(token, position, allowed)
        return position


def _bounded(left: Affine, right: Affine, times: int, position: int) -> Affine:
    """left + times·right."""
    coefficients = left.coefficients
    for name, coefficient in right.terms:
        coefficients[name] = coefficients.get(name, 0) + times * coefficient
    constant = left.constant + times * right.constant
    if any(abs(number) > LIMIT for number in (constant, *coefficients.values())):
        raise ValueError(f"the number at position {position} is too large; at most {LIMIT:,} is allowed")
    return Affine(constant, tuple(sorted((name, number) for name, number in coefficients.items() if number)))


def _unexpected(token: str, position: int, allowed: str) -> ValueError:
    if not token:
        return ValueError(f"the text ends at position {position}, where {allowed} is allowed")
    shown = token if len(token) <= 20 else token[:20] + "…"
    return ValueError(f'"{shown}" at position {position} is unexpected; {allowed} is allowed there')
