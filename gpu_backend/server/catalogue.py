"""What can be run, as the child describes it, and the check of inputs before a run is queued.

The server never imports an experiment (they import PyTorch): it builds Pydantic's models anew from the JSON schemas of
the experiments' own, which the child checks by once more.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from gpu_backend.wrong_inputs import sentence

TYPES: dict[str, Any] = {"integer": int, "number": float, "string": str, "boolean": bool}
CONSTRAINTS = {
    "minimum": "ge", "maximum": "le", "exclusiveMinimum": "gt", "exclusiveMaximum": "lt", "multipleOf": "multiple_of",
    "pattern": "pattern", "minLength": "min_length", "maxLength": "max_length", "description": "description",
}  # fmt: skip
PLAIN = {"type", "title", "default", "enum", "const"}


class Wrong(ValueError):
    """Inputs that an experiment does not take; the message names field, value and range."""


class Described(BaseModel):
    """One experiment as the child describes it, and as `GET /experiments` answers."""

    model_config = ConfigDict(populate_by_name=True)

    name: str
    figure: str
    method: str
    needs_gpu: bool
    available: bool
    inputs: dict[str, Any] = Field(alias="schema")
    points: int | None


class Catalogue:
    """All experiments of one child."""

    def __init__(self, described: list[dict[str, Any]]) -> None:
        self.entries = {entry.name: entry for entry in map(Described.model_validate, described)}
        self._models = {name: model(name, entry.inputs) for name, entry in self.entries.items()}

    def check(self, name: str, inputs: dict[str, Any]) -> dict[str, Any]:
        """Return the inputs with defaults filled in; `Wrong` with a sentence. KeyError for an unknown name."""
        try:
            checked: dict[str, Any] = self._models[name].model_validate(inputs).model_dump()
        except ValidationError as refused:
            raise Wrong(sentence(refused, self.entries[name].inputs["properties"])) from refused
        return checked


def model(name: str, schema: dict[str, Any]) -> type[BaseModel]:
    """Return Pydantic's model of a flat JSON schema. ValueError for a schema with words it does not know."""
    if schema.get("additionalProperties") is not False or schema.get("type") != "object":
        raise ValueError(f"the inputs of {name} must be an object without other properties")
    fields: dict[str, Any] = {}
    for field, about in schema["properties"].items():
        if unknown := about.keys() - CONSTRAINTS.keys() - PLAIN:
            raise ValueError(f"{name}, {field}: no model is built from {', '.join(sorted(unknown))}")
        kind = Literal[tuple(about["enum"])] if "enum" in about else TYPES[about["type"]]
        limits = {CONSTRAINTS[key]: value for key, value in about.items() if key in CONSTRAINTS}
        fields[field] = (kind, Field(about.get("default", ...), **limits))
    config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, title=schema.get("title"))
    built: type[BaseModel] = create_model(schema.get("title", name), __config__=config, **fields)
    return built
