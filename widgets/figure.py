"""The contract of a figure: parameters, a drawing, words and rows, all read off one simulator's trace.

A figure computes nothing. It declares its parameters and controls, asks its simulator (`simulate`),
and says how the trace looks (`build`, `columns`) and reads (`readouts`, `summary`, `table`,
`values`). Everything else is here: changes as transactions, the prediction and what it hides, and
the Bokeh document whose sources are refilled, never rebuilt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import param
from bokeh.document import Document
from bokeh.models import ColumnDataSource, Plot

from widgets import lab
from widgets.ids import ids_from
from widgets.measured import Measured
from widgets.parts import Prediction, Reading, Readout, Table, Value
from widgets.theme import theme
from widgets.words import Words


class Figure(Measured):
    """One figure of the book. See the module docstring and README, "A figure"."""

    prediction: ClassVar[Prediction | None] = None
    left_out: ClassVar[tuple[str, ...]] = ()
    inspect_hint: ClassVar[str] = ""
    """What the inspector line says before any mark is pointed at."""
    height: ClassVar[int] = 320
    """Height of the drawing in px, the same in all its states."""
    phone_height: ClassVar[int] = 320

    # ------------------------------------------------------------------ what an author writes

    def simulate(self) -> Any:
        """Return the simulator's whole trace for the current parameters; ValueError refuses them."""
        raise NotImplementedError

    def build(self) -> Plot:
        """Draw once, from sources made with `self.source(name)`."""
        raise NotImplementedError

    def columns(self) -> Mapping[str, Mapping[str, Sequence[Any]]]:
        """Return the data of every source by name; each has the same columns in every state.

        The source `marks` is what pointer and arrow keys inspect: columns `x`, `y` (data
        coordinates) and `say` (one sentence), in reading order. `cursor` is the page's own, see `marks.cursor`.
        """
        raise NotImplementedError

    def readouts(self) -> Sequence[Readout]:
        """Return at most four numbers."""
        raise NotImplementedError

    def summary(self) -> str:
        """Say the state in words, for those who do not see the drawing."""
        raise NotImplementedError

    def table(self) -> Table:
        """Return the state as rows."""
        raise NotImplementedError

    def values(self) -> dict[str, float]:
        """Return the state's named numbers, for facts and predictions."""
        raise NotImplementedError

    @property
    def steps(self) -> int:
        """How many steps the stepper walks; 0 where there is none."""
        return 0

    def active(self, name: str) -> bool:
        """Say whether a control has an effect in this state; the page disables it otherwise."""
        return True

    def adjust(self, plot: Plot) -> None:
        """Change what is not data (an axis end, ticks) after a change of state."""

    # ------------------------------------------------------------------------------- changes

    def __init__(self, words: Words | None = None, readings: Sequence[Reading] = (), **state: Value) -> None:
        super().__init__(words, readings, **state)
        self.error = ""
        self.unread: str | None = None
        """The guess that `error` is about, when it could not be read."""
        self.guess: str | None = None
        self.verdict: lab.Verdict | None = None
        self.open = self.prediction is not None
        self._applying = self._live_error = False
        self._sources: dict[str, ColumnDataSource] = {}
        self._plot: Plot | None = None
        self.trace = self.simulate()
        self._good = self.current()
        self.param.watch(self._changed, self.inputs)

    def apply(self, action: Mapping[str, Any]) -> None:
        """Carry out one action of the reader, wholly or not at all; `error` says why not.

        Actions: `{"set": {param: value}}`, `{"preset": name}`, `{"restore": fragment}`,
        `{"commit": text}`, `{"skip": true}`, `{"ask": true}`, and `{"live": record}` or `{"live": null}`, which leave
        what was said about the reader's own input.
        """
        if "live" not in action or self._live_error:
            self.error, self.unread = "", None
        self._live_error = False
        self._applying = True
        try:
            match dict(action):
                case {"set": changes}:
                    self._set(self.coerce(changes))
                case {"preset": name}:
                    self._set(self.complete(self.preset(name).state))
                case {"restore": fragment}:
                    self._set(self.complete(self.parse(fragment)))
                case {"commit": text}:
                    self._commit(str(text))
                case {"live": record}:
                    self.take(record)
                case {"skip": _}:
                    self.open = False
                case {"ask": _}:
                    self.open, self.guess, self.verdict = self.prediction is not None, None, None
                case other:
                    raise ValueError(f"unknown action {other!r}")
        except (ValueError, LookupError) as refused:
            self.error, self._live_error = str(refused.args[0]), "live" in action
        finally:
            self._applying = False
        self._push()

    def restore(self, fragment: str) -> None:
        """Go to the state of a fragment; ValueError says what is wrong and nothing changes."""
        self.apply({"restore": fragment})
        if self.error:
            raise ValueError(self.error)

    def _set(self, changes: dict[str, Any]) -> None:
        self.check(changes)
        other_trace = any(value != getattr(self, name) for name, value in changes.items())
        if self.stepper and self.stepper not in changes and other_trace:
            changes[self.stepper] = None  # back to the end
        self.param.update(**changes)

    def _changed(self, *_: Any) -> None:
        """Simulate anew; a state that the simulator refuses is taken back whole."""
        if self.current() == self._good:
            return
        before = self.trace
        try:
            self.trace = self.simulate()
            step = getattr(self, self.stepper) if self.stepper else None
            if step is not None and step > self.steps:
                raise ValueError(self.words("step {n} is beyond the last, {last}", n=step, last=self.steps))
            self._good = self.current()
        except ValueError as refused:
            self.trace, self.error = before, str(refused)
            with param.discard_events(self):
                self.param.update(**self._good)
        if not self._applying:
            self._push()

    # ---------------------------------------------------------------------------- prediction

    @property
    def veiled(self) -> bool:
        """Whether the state is the one the open prediction asks about: its answer must not show."""
        asks = self.prediction
        return self.open and asks is not None and self.is_at(self.preset(asks.preset))

    def asked(self) -> Figure:
        """Return this figure at the state that the prediction asks about, with nothing hidden."""
        assert self.prediction is not None
        twin = type(self)(self.words, self.readings, **self.preset(self.prediction.preset).state)
        twin.open = False
        return twin

    def _commit(self, text: str) -> None:
        asks = self.prediction
        if asks is None:
            raise ValueError(self.words("this figure asks nothing"))
        answer = lab.Number(self.asked().values()[asks.value], self.words(asks.unit), digits=asks.digits)
        verdict = lab.check(text, answer, self.words)
        if verdict.kind == "unreadable":
            self.unread = text
            raise ValueError(verdict.message)
        self.guess, self.verdict, self.open = text.strip(), verdict, False

    # ------------------------------------------------------------------------------- drawing

    @property
    def at(self) -> int:
        """The step shown: the stepper's, or the last."""
        step = getattr(self, self.stepper) if self.stepper else None
        return self.steps if step is None else int(step)

    def source(self, name: str) -> ColumnDataSource:
        """Return the source of that name, filled with the current state; call inside `build`."""
        if name not in self._sources:
            self._sources[name] = ColumnDataSource(self._filled[name], name=name)
        return self._sources[name]

    def document(self, base: int) -> Document:
        """Build the drawing as a Bokeh document with model ids from `base`; once per figure."""
        with ids_from(base):
            document = Document(theme=theme())
            self._filled = self._lists()
            self._plot = self.build()
            self.adjust(self._plot)
            document.add_root(self._plot)
        return document

    def _lists(self) -> dict[str, dict[str, list[Any]]]:
        lists = {
            name: {column: list(values) for column, values in columns.items()}
            for name, columns in self.columns().items()
        }
        return lists | {"cursor": {"x": [], "y": [], "role": []}}

    def _push(self) -> None:
        """Refill the sources whose data changed."""
        if self._plot is None:
            return
        for name, fresh in self._lists().items():
            source = self._sources.get(name)
            if source is not None and source.data != fresh:
                source.data = fresh
        self.adjust(self._plot)

    def view(self) -> Any:
        """Return the figure as a Panel layout, for notebooks, `panel serve` and `panel convert`."""
        from widgets.view import layout  # Panel is not shipped to the browser

        return layout(self)

    __panel__ = view
