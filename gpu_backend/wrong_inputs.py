"""Inputs that an experiment does not take, in words: the same from the server and from the GPU process."""

from typing import Any

from pydantic import ValidationError

LONGEST_QUOTE = 60


def sentence(refused: ValidationError, properties: dict[str, Any]) -> str:
    """Say for each field what came and what would be right."""
    return "; ".join(
        _one(dict(error), properties) for error in refused.errors(include_url=False, include_context=False)
    )


def _one(error: dict[str, Any], properties: dict[str, Any]) -> str:
    field = ".".join(str(part) for part in error["loc"]) or "inputs"
    got = repr(error["input"])
    got = got if len(got) <= LONGEST_QUOTE else got[:LONGEST_QUOTE] + "…"
    if field not in properties:
        return f"there is no input {field[:LONGEST_QUOTE]!r}; there are {', '.join(properties)}"
    about = properties[field]
    span = f" from {about['minimum']} to {about['maximum']}" if {"minimum", "maximum"} <= about.keys() else ""
    steps = f" in steps of {about['multipleOf']}" if "multipleOf" in about else ""
    shape = f" like {about['pattern']}" if "pattern" in about else ""
    one_of = f" one of {', '.join(map(repr, about['enum']))}" if "enum" in about else ""
    kind = {"integer": "a whole number", "number": "a number", "string": "a text", "boolean": "true or false"}
    return f"{field} is {got}; right is {kind.get(about.get('type', ''), 'a value')}{span}{steps}{shape}{one_of}"
