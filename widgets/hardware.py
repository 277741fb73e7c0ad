"""The strip "On real hardware": model, recorded reading, live run and their difference, in words too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace

from markupsafe import Markup

from widgets import room
from widgets.figure import Figure
from widgets.live import other_inputs
from widgets.parts import Comparison, Reading
from widgets.words import NO_BREAK, Words

_DIAMOND = '<path d="M5.5 .8l4.7 4.7-4.7 4.7L.8 5.5z" fill="{}" stroke="currentColor" stroke-width="1.5"/>'
_SIGN = {
    "model": '<path d="M0 5.5h11" stroke="currentColor" stroke-width="2"/>',
    "recorded": _DIAMOND.format("var(--surface)"),
    "live": _DIAMOND.format("currentColor"),
}
_LONG_NAME = "NVIDIA GeForce RTX 4090 Laptop GPU"  # as long as names of GPUs are, to keep room for one
_IN_LABEL = 10  # characters of a name that a label has room for, on one line; the strip's head has the whole name


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the strip, each text as HTML."""

    what: str
    model: str
    recorded_label: str
    recorded: str
    live_label: str
    live: str
    apart: str
    told: str


def difference(figure: Figure, both: Comparison, live: bool = False) -> str:
    """Say how far the model is from the recorded reading, or the live one: "equal", a count, or a percentage of it."""
    words = figure.words
    read = both.live if live else both.recorded
    model = both.live_model if live and both.live_model is not None else both.model
    assert read is not None
    if model == read:
        return words("equal")
    if both.exact or not read:
        return words("{n} apart", n=words.num(abs(model - read)))
    return Markup("{}<small>{}%</small>").format(_percent(model, read, words), NO_BREAK)


def _percent(one: float, of: float, words: Words) -> str:
    apart = 100 * (one - of) / of
    return ("+" if apart > 0 else "") + words.num(apart, 1)


def hardware(figure: Figure) -> Markup:
    """Model, recorded reading, live run and their difference; what is not there is said in words.

    While the state's prediction is open the strip has its size and no number.
    """
    some, run = figure.comparisons(), figure.live
    return _strip(top(figure.words, some, run), [_row(figure, both, run) for both in some], figure.words)


def longest(figures: Sequence[Figure]) -> Markup:
    """Return a strip each of whose texts is the longest that these figures have there, with a live run and without."""
    words, run = figures[0].words, {**dict.fromkeys(("driver", "cuda", "date"), "0000-00-00"), "gpu": _LONG_NAME}
    rows: list[list[Row]] = []
    for figure in figures:
        some = figure.comparisons()
        rows += [[_row(figure, made, run) for made in map(pretend, some)] for pretend in (_near, _unlike(words))]
    if not any(rows):
        return Markup("")
    tops = [top(words, figure.comparisons(), live) for figure in figures for live in (None, run)]
    widest = [_widest([row[n] for row in rows if n < len(row)]) for n in range(max(map(len, rows)))]
    return _strip(max(tops, key=_width), widest, words)


def _near(both: Comparison) -> Comparison:
    """The row as it would be with a live run a little off the recorded number."""
    near = both.recorded or both.model
    live = replace(both, live=near + 1) if both.exact else replace(both, live=1.123 * near, live_model=1.234 * near)
    return live if both.by_box else both


def _unlike(words: Words) -> Callable[[Comparison], Comparison]:
    """The row as it would be with a live run that cannot be compared, for a reason as long as any."""
    return lambda both: replace(both, live_why=other_inputs("0" * len(_LONG_NAME), words))


def top(words: Words, some: Sequence[Comparison], live: Reading | None) -> str:
    """Say what the strip has: readings, a live run and whose, or nothing yet."""
    read = any(both.recorded is not None for both in some)
    said = words("These are recorded readings.") if read else words("This state has no recorded reading.")
    if live is None:
        return said
    told = {key: live.get(key) for key in ("gpu", "date", "driver", "cuda")}
    run = words("Live: {gpu}, {date}, driver {driver}, CUDA {cuda}.", **told)
    if None in told.values():
        run = words("Live: {gpu}, {date}.", **told)
    return words("{first} {second}", first=said, second=run)


def _row(figure: Figure, both: Comparison, run: Reading | None) -> Row:
    """Put one row into words; `run` is the live run that there is, even where it has no number for this row."""
    words, veiled = figure.words, figure.veiled

    def number(value: float) -> Markup:
        unit = Markup("<small>{}{}</small>").format(NO_BREAK, both.unit) if both.unit else ""
        return Markup("{}{}").format("?" if veiled else words.num(value, both.digits), unit)

    read, live = both.recorded is not None, both.live is not None
    device = _short(run["gpu"]) if run else ""
    live_label = words("Live, {device}", device=device) if live and len(device) <= _IN_LABEL else words("Live")
    none = Markup('<span data-live="none">{}</span>').format(words("not measured here"))
    if not both.by_box:
        none = Markup("<span>{}</span>").format(words("not measured live"))
    apart = [(words("recorded"), False)] * read + [(words("live"), True)] * live
    told = [difference(figure, both, of_live) if not veiled else "?" for _, of_live in apart]
    if live:
        pairs = ((one, name) for one, (name, _) in zip(told, apart, strict=True))
        differs = Markup("").join(
            Markup('<div class="apart">{} <small>{}</small></div>').format(*pair) for pair in pairs
        )
    else:
        differs = Markup("{}").format(told[0]) if told else Markup("")
    return Row(
        what="" if veiled else both.what,
        model=number(both.model),
        recorded_label=words("Recorded, {device}", device=_short(both.device)) if read else words("Recorded"),
        recorded=number(both.recorded) if both.recorded is not None else "",
        live_label=live_label,
        live=number(both.live) if both.live is not None else none,
        apart=differs,
        told=words("Your guess first, then the reading.") if veiled else _told(figure, both, run),
    )


def _told(figure: Figure, both: Comparison, run: Reading | None) -> Markup:
    """Where the numbers come from; what the live run adds to that; which presets have a reading."""
    words, said = figure.words, [both.provenance] if both.provenance else []
    if both.live is not None:
        said += _live_told(both, words)
    elif run is not None and both.by_box:
        said.append(both.live_why or words("The live run has no row for this state."))
    if both.recorded is None and both.presets:
        links = Markup(words(", ")).join(_preset(figure, name) for name in both.presets)
        said.append(Markup(words("Presets with a reading: {links}.")).format(links=links))
    *first, last = said or [""]
    return Markup("{}{}").format(Markup("").join(_ended(text, words) + words.space for text in first), last)


def _live_told(both: Comparison, words: Words) -> Iterable[str]:
    """Say how the live number stands to the recorded one, and what the model makes of the live run's own constants."""
    assert both.live is not None
    if both.recorded == both.live:
        yield words("The live number equals the recorded one.")
    elif both.recorded and both.exact:
        yield words("Live and recorded are {n} apart.", n=words.num(abs(both.live - both.recorded)))
    elif both.recorded:
        apart = f"{_percent(both.live, both.recorded, words)}{NO_BREAK}%"
        yield words("Live against recorded: {apart}.", apart=apart)
    if both.live_model is not None and both.live_model != both.model:
        value = words.num(both.live_model, both.digits) + (f"{NO_BREAK}{both.unit}" if both.unit else "")
        yield words("Model with that run’s constants: {value}.", value=value)


def _ended(text: str, words: Words) -> str:
    return text if text.endswith((".", "。")) else words("{text}.", text=text)


def _preset(figure: Figure, name: str) -> Markup:
    preset = figure.preset(name)
    return Markup('<a class="act" href="#{}?preset={}">{}</a>').format(figure.key(), name, figure.words(preset.label))


def _short(device: str) -> str:
    return device.removeprefix("NVIDIA ").removeprefix("GeForce ")


def _strip(said: str, some: Sequence[Row], words: Words) -> Markup:
    if not some:
        return Markup("")
    head = Markup('<div class="hw-top"><b>{}</b><span>{}</span></div>').format(words("On real hardware"), said)
    return head + Markup("").join(_grid(row, words) for row in some)


def _grid(row: Row, words: Words) -> Markup:
    unread, undiffered = words("no reading yet"), words("none to print")
    cells = (
        _cell("model", words("Model"), row.model),
        _cell("recorded", row.recorded_label, row.recorded or unread, bool(row.recorded)),
        _cell("live", row.live_label, row.live, "<span" not in row.live),
        _cell("", words("Difference"), row.apart or undiffered, bool(row.apart)),
    )
    return Markup('<div class="hw-grid"><div class="what">{}</div>{}{}{}{}</div><p class="prov">{}</p>').format(
        row.what, *cells, row.told
    )


def _cell(sign: str, label: str, value: str, number: bool = True) -> Markup:
    mark = Markup("")
    if sign:
        mark = Markup('<svg class="sign" viewBox="0 0 11 11" aria-hidden="true">{}</svg>').format(Markup(_SIGN[sign]))
    kind = "v" if number else "none"
    return Markup('<div><div class="k">{}{}</div><div class="{}">{}</div></div>').format(mark, label, kind, value)


def _widest(some: Sequence[Row]) -> Row:
    return Row(**{field.name: max((getattr(row, field.name) for row in some), key=_width) for field in fields(Row)})


def _width(html: str) -> int:
    return room.width(Markup(html).striptags())
