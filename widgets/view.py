"""A figure as a Panel layout, for notebooks and Panel's own servers; the book's pages use `widgets.card`."""

from __future__ import annotations

from typing import Any

import panel as pn

from widgets import card
from widgets.figure import Figure
from widgets.ids import fresh
from widgets.parts import Choice, Control, Range, Stepper, Text


def _widget(figure: Figure, control: Control) -> Any:
    words, where = figure.words, figure.param[control.param]
    match control:
        case Range(label=label, unit=unit, step=step):
            kind = pn.widgets.IntSlider if where.__class__.__name__ == "Integer" else pn.widgets.FloatSlider
            name = words(label) + (f", {words(unit)}" if unit else "")
            return kind.from_param(where, name=name, step=step)
        case Choice(label=label, options=options):
            return pn.widgets.Select.from_param(
                where, name=words(label), options={words(text): v for v, text in options}
            )
        case Text(label=label):
            return pn.widgets.TextInput.from_param(where, name=words(label))
        case Stepper(label=label):
            return pn.widgets.IntInput.from_param(where, name=words(label))


def layout(figure: Figure) -> pn.viewable.Viewable:
    """Return controls, drawing and readouts in a column, bound to the figure's parameters."""
    document = figure.document(fresh())
    plot = document.roots[0]
    document.clear()
    plot.update(sizing_mode="stretch_width", height=figure.height)
    names = [control.param for control in figure.controls]

    def words_below() -> str:
        return f"<p>{card.problem(figure)}</p><dl>{card.readouts(figure)}</dl><p>{figure.summary()}</p>"

    below = pn.pane.HTML(words_below())
    # Watched, and not bound: what is bound runs before the figure has simulated its new state.
    figure.param.watch(lambda *_: below.param.update(object=words_below()), names, precedence=1)
    return pn.Column(*(_widget(figure, control) for control in figure.controls), pn.pane.Bokeh(plot), below)
