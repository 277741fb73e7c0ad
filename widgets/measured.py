"""What stands beside a figure's model: readings that were recorded, and the live run of a GPU box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from widgets import live
from widgets.live import Column
from widgets.parts import Comparison, Reading, Value
from widgets.state import Parameters
from widgets.words import Words


class Measured(Parameters):
    """Parameters with readings of the same thing on real hardware; `Figure` adds the model."""

    recordings: ClassVar[tuple[str, ...]] = ()
    """Names of the files of chapters/recorded/<gpu>/ that are handed as `readings`."""
    experiment: ClassVar[str | None] = None
    """The GPU box experiment that measures the same thing live."""
    live_columns: ClassVar[Mapping[str, Column]] = {}
    """What every row of a live run of `experiment` must have; a recording of it has it too."""

    def __init__(self, words: Words | None = None, readings: Sequence[Reading] = (), **state: Value) -> None:
        super().__init__(words, **state)
        self.readings = tuple(readings)
        self.live: Reading | None = None
        """The live run that stands beside the recorded ones, whole or as far as it has come; not part of the state."""
        self.measured: Any = None
        """What `read_live` made of it."""

    # ------------------------------------------------------------------ what an author writes

    def comparison(self) -> Comparison | None:
        """Return the model beside its readings; None for a figure that hardware has no say in."""
        return None

    def comparisons(self) -> Sequence[Comparison]:
        """Return the rows of the strip, two at most: here that of `comparison`."""
        both = self.comparison()
        return () if both is None else (both,)

    def read_live(self, record: Reading) -> Any:
        """Return what `comparison` looks up in a live run whose rows have `live_columns`; kept in `measured`.

        ValueError says, in the reader's language, what else is wrong with it.
        """
        return record

    # --------------------------------------------------------------------- what a figure uses

    def recorded(self, name: str) -> tuple[Reading, ...]:
        """Return the readings of that recording, one for each GPU; the name is one of `recordings`."""
        return tuple(reading for reading in self.readings if reading["recording"] == name)

    def take(self, record: Any) -> None:
        """Put a live run beside the recorded ones, or with None take it away.

        ValueError says what is wrong with one that cannot be read; then nothing changes.
        """
        if record is not None:
            record = live.checked(record, type(self).key(), self.experiment, self.live_columns, self.words)
        self.measured = None if record is None else self.read_live(record)
        self.live = record

    @classmethod
    def key(cls) -> str:
        """The figure's name in book.toml: its module's name."""
        return cls.__module__.rpartition(".")[2]
