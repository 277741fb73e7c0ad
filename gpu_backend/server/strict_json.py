"""JSON as RFC 8259 has it and nothing beyond: one value, finite numbers, no key twice, text that is Unicode."""

import json
import re
from math import isfinite
from typing import Any

LONGEST_NUMBER = 40
"""Characters of a number; no input here needs more, and turning long ones into numbers takes time."""
DEEPEST = 32
"""Arrays and objects inside each other; a request needs two. How deep Python itself can read differs by version."""
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"')


class NotJson(ValueError):
    """The text is no JSON, or is JSON that means different things to different readers."""


def loads(raw: bytes) -> Any:
    """Return the value; `NotJson` with a sentence."""
    try:
        text = raw.decode("utf-8")
        _shallow(text)
        value = json.loads(
            text,
            parse_int=_whole,
            parse_float=_number,
            parse_constant=_constant,
            object_pairs_hook=_once,
        )
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # half of a surrogate pair is no text
    except UnicodeDecodeError as broken:
        raise NotJson(f"byte {broken.start} is not UTF-8") from broken
    except UnicodeEncodeError as broken:
        raise NotJson("a text has half of a surrogate pair") from broken
    except json.JSONDecodeError as broken:
        raise NotJson(f"it is not JSON at character {broken.pos}: {broken.msg}") from broken
    return value


def _shallow(text: str) -> None:
    depth = 0
    for mark in re.findall(r"[\[{}\]]", _STRINGS.sub("", text)):
        depth += 1 if mark in "[{" else -1
        if depth > DEEPEST:
            raise NotJson(f"it is nested more than {DEEPEST} deep")


def _whole(digits: str) -> int:
    _bounded(digits)
    return int(digits)


def _number(digits: str) -> float:
    _bounded(digits)
    value = float(digits)
    if not isfinite(value):
        raise NotJson(f"the number {digits} is too large")
    return value


def _bounded(digits: str) -> None:
    if len(digits) > LONGEST_NUMBER:
        raise NotJson(f"a number has {len(digits)} characters; at most {LONGEST_NUMBER}")


def _constant(name: str) -> None:
    raise NotJson(f"{name} is not a number in JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise NotJson(f"the key {twice[:40]!r} stands twice in one object")
    return found
