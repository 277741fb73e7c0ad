"""What an experiment is: a name, the figure it belongs to, bounded inputs, and rows that come one by one.

A row is a flat table line of one measured point: what was set, what the simulator predicts (`model_…`), what was
measured, how far the timed output is from the reference (`error`), and the kernel's name from a profiler. Whoever runs
an experiment may stop between rows.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

Row = dict[str, Any]


class Inputs(BaseModel):
    """What a reader may choose: numbers and words from stated ranges, nothing else."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    seed: int = Field(1, ge=0, le=2**31 - 1, description="seed of the random inputs")


@dataclass(frozen=True, slots=True)
class Experiment:
    """One experiment."""

    name: str
    figure: str
    """The figure that it belongs to, as chapters/book.toml names it."""
    method: str
    """How it is measured, in a sentence or two, for the record."""
    inputs: type[Inputs]
    """The Pydantic model of its inputs, with ranges and units."""
    rows: Callable[[Any], Iterator[Row]]
    """Measure, one row a point."""
    setup: dict[str, Any] = field(default_factory=dict)
    """What the record's `inputs` say beyond what a reader may choose: names of cases and what they stand for."""
    needs_gpu: bool = False
    """Whether it has kernels in CUDA C or streams, which no interpreter runs."""
    points: Callable[[Any], int | None] | None = None
    """How many rows these inputs give; None where only the run tells."""

    def count(self, inputs: Inputs) -> int | None:
        """Rows that these inputs give, if that is known before."""
        return self.points(inputs) if self.points else None
