"""A figure small enough to check the contract on: n squares, how many are there in all?"""

from __future__ import annotations

from typing import Any

import param
from bokeh.models import Plot

from widgets import marks
from widgets.figure import Figure
from widgets.parts import Choice, Comparison, Prediction, Preset, Range, Readout, Stepper, Table, Text
from widgets.theme import Roles


class Tiny(Figure):
    """Side, style, text and step."""

    side = param.Integer(2, bounds=(1, 9), doc="squares a side")
    style = param.Selector(default="plain", objects=["plain", "odd"])
    typed = param.String("1 2", doc="numbers")
    step = param.Integer(None, allow_None=True, bounds=(1, None))

    controls = (
        Range("side", "Side", "squares"),
        Choice("style", "Style", (("plain", "Plain"), ("odd", "Odd"))),
        Text("typed", "Typed", "numbers with spaces"),
        Stepper("step", "Step"),
    )
    presets = (Preset("two", "Two"), Preset("three", "Three", {"side": 3}), Preset("nine", "Nine", {"side": 9}))
    prediction = Prediction("How many are nine by nine?", "nine", "squares", "There are {answer}.", "squares")
    left_out = ("Everything else.",)

    def simulate(self) -> Any:
        numbers = [int(word) for word in self.typed.split()]
        if self.side == 7:
            raise ValueError("seven is refused by the simulator")
        return self.side**2, numbers

    @property
    def steps(self) -> int:
        return int(self.side)

    def columns(self) -> Any:
        n = 0 if self.veiled else self.at
        return {
            "cells": {"x": list(range(n)), "y": [0] * n, "role": ["move"] * n},
            "marks": {"x": list(range(n)), "y": [0] * n, "say": [f"cell {i}" for i in range(n)]},
            "cursor": {"x": [], "y": []},
        }

    def build(self) -> Plot:
        plot = marks.canvas((0, 9), (-1, 1))
        marks.cells(plot, self.source("cells"), Roles(), hatch=False)
        self.source("marks")
        marks.cursor(plot, self.source("cursor"))
        return plot

    def readouts(self) -> Any:
        shown = "" if self.veiled else self.words.num(self.trace[0])
        return [Readout("Squares", shown, "squares", secret=self.veiled), Readout("Side", self.words.num(self.side))]

    def summary(self) -> str:
        return "hidden" if self.veiled else f"{self.trace[0]} squares"

    def table(self) -> Table:
        return Table(("what", "n"), (("squares", "?" if self.veiled else str(self.trace[0])),))

    def values(self) -> dict[str, float]:
        return {"squares": self.trace[0]}

    def comparison(self) -> Comparison | None:
        read = self.readings[0]["squares"] if self.readings else None
        return Comparison("Squares", self.trace[0], read, exact=True, device="H200", provenance="counted")
