"""The strip "On real hardware": model, recorded reading, live run and their difference, in words too."""

from __future__ import annotations

from markupsafe import Markup

from widgets.figure import Figure
from widgets.parts import Comparison
from widgets.words import NO_BREAK

_DIAMOND = '<path d="M5.5 .8l4.7 4.7-4.7 4.7L.8 5.5z" fill="{}" stroke="currentColor" stroke-width="1.5"/>'
_SIGN = {
    "model": '<path d="M0 5.5h11" stroke="currentColor" stroke-width="2"/>',
    "recorded": _DIAMOND.format("var(--surface)"),
    "live": _DIAMOND.format("currentColor"),
}


def difference(figure: Figure, both: Comparison) -> str:
    """Say in words how far the model is from the reading: "equal", a count, or a percentage of the reading."""
    words = figure.words
    assert both.recorded is not None
    if both.model == both.recorded:
        return words("equal")
    if both.exact:
        return words("{n} apart", n=words.num(abs(both.model - both.recorded)))
    apart = 100 * (both.model - both.recorded) / both.recorded
    return Markup("{}{}<small>{}%</small>").format("+" if apart > 0 else "", words.num(apart, 1), NO_BREAK)


def hardware(figure: Figure) -> Markup:
    """Model, recorded reading, live run and their difference; what is not there is said in words.

    While the state's prediction is open the strip has its size and no number.
    """
    words, both = figure.words, figure.comparison()
    if both is None:
        return Markup("")

    def cell(sign: str, label: str, value: str, number: bool) -> Markup:
        mark = (
            Markup('<svg class="sign" viewBox="0 0 11 11" aria-hidden="true">{}</svg>').format(Markup(_SIGN[sign]))
            if sign
            else Markup("")
        )
        if figure.veiled and number:
            value = "?"
        unit = (
            Markup("<small>{}{}</small>").format(NO_BREAK, both.unit) if sign and number and both.unit else Markup("")
        )
        kind = "v" if number else "none"
        return Markup('<div><div class="k">{}{}</div><div class="{}">{}{}</div></div>').format(
            mark, label, kind, value, unit
        )

    read = both.recorded is not None
    recorded = words.num(both.recorded, both.digits) if both.recorded is not None else words("no reading yet")
    recorded_label = (
        words("Recorded, {device}", device=both.device.removeprefix("NVIDIA ")) if read else words("Recorded")
    )
    grid = Markup('<div class="hw-grid"><div class="what">{}</div>{}{}{}{}</div>').format(
        "" if figure.veiled else both.what,
        cell("model", words("Model"), words.num(both.model, both.digits), True),
        cell("recorded", recorded_label, recorded, read),
        cell("live", words("Live"), words("no box connected"), False),
        cell("", words("Difference"), difference(figure, both) if read else words("none to print"), read),
    )
    top = Markup('<div class="hw-top"><b>{}</b><span>{}</span></div>').format(
        words("On real hardware"),
        words("No GPU box connected. These are recorded readings.") if read else words("No GPU box connected."),
    )
    below = words("Your guess first, then the reading.") if figure.veiled else both.provenance
    return top + grid + Markup('<p class="prov">{}</p>').format(below)
