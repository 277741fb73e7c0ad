"""What a figure is made of, as plain values: controls, presets, a prediction, readouts, rows, readings.

Labels are English message ids (mark them with `N_`); they are translated when they are shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["", "move", "compute", "host", "cost", "idle"]
Value = int | float | str


@dataclass(frozen=True, slots=True)
class Range:
    """A slider over a numeric parameter; bounds and unit's meaning come from the parameter. `one`: the unit of 1."""

    param: str
    label: str
    unit: str = ""
    step: float = 1
    digits: int | None = None
    one: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few: segments for up to four short options, else a drop-down list."""

    param: str
    label: str
    options: tuple[tuple[Value, str], ...]
    style: Literal["segments", "list"] = "segments"


@dataclass(frozen=True, slots=True)
class Text:
    """Free text that the figure parses; `hint` says the form expected. `rows` > 1 gives a text area, in a fold."""

    param: str
    label: str
    hint: str = ""
    rows: int = 1


@dataclass(frozen=True, slots=True)
class Stepper:
    """A walk through the trace: an integer parameter, 1 … `Figure.steps`, None for the end."""

    param: str
    label: str


Control = Range | Choice | Text | Stepper


@dataclass(frozen=True, slots=True)
class Preset:
    """A named state: the parameters that differ from their defaults."""

    name: str
    label: str
    state: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prediction:
    """A question with an exactly checkable answer, about a preset that is not the built one.

    `value` names the answer in `Figure.values()` of that preset. `reveal` may use `{answer}` and
    every formatted name of those values.
    """

    question: str
    preset: str
    value: str
    reveal: str
    unit: str = ""
    digits: int | None = None


@dataclass(frozen=True, slots=True)
class Readout:
    """A number read off the drawing: already translated and formatted, but for its label's unit.

    `secret` readouts show "?" while the prediction they answer is open.
    """

    label: str
    value: str
    unit: str = ""
    sub: str = ""
    role: Role = ""
    secret: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """The state as rows of text; the first column names the row."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The model beside readings of real hardware, all in `unit`: one row of the strip.

    `recorded` is None where this state has no reading; `provenance` then says so, and `presets` names states that
    have one. `live` is None where the live run has none. `exact` marks structural counts, where anything but equality
    is a fault of the model.
    """

    what: str
    model: float
    recorded: float | None
    unit: str = ""
    digits: int = 0
    exact: bool = False
    device: str = ""
    provenance: str = ""
    presets: tuple[str, ...] = ()
    by_box: bool = True
    """Whether the GPU box measures this; counts that need a profiler it does not."""
    live: float | None = None
    live_model: float | None = None
    """What the model says of the live run, where its constants are read from that run; None: `model`."""
    live_why: str = ""
    """Why a live run that is there has no number for this state; "": it has no such row."""


Reading = Mapping[str, Any]  # one JSON file of chapters/recorded/, or a live run in the same shape; see README
