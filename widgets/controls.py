"""A figure's controls as native HTML elements: named, focusable and there before any script."""

from __future__ import annotations

from markupsafe import Markup

from widgets.figure import Figure
from widgets.parts import Choice, Control, Range, Stepper, Text

_ARROW = (
    '<svg width="8" height="12" viewBox="0 0 8 12" fill="none" stroke="currentColor" stroke-width="1.75"'
    ' stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="{}"/></svg>'
)
_LESS = Markup(_ARROW.format("M6.5 1.5L2 6l4.5 4.5"))
_MORE = Markup(_ARROW.format("M1.5 1.5L6 6l-4.5 4.5"))


def _range(figure: Figure, control: Range) -> Markup:
    words, value = figure.words, getattr(figure, control.param)
    low, high = figure.param[control.param].bounds
    label, name = words(control.label), f"{figure.key()}-{control.param}"
    many, one = words(control.unit), words(control.one or control.unit)
    return Markup(
        '<div class="ctl" data-param="{p}"><div class="lab"><label for="{i}">{l}</label>'
        '<b><output for="{i}">{v}</output> <span class="of">{u}</span></b></div>'
        '<input type="range" class="range" id="{i}" min="{lo}" max="{hi}" step="{s}" value="{raw}" data-digits="{d}"'
        ' aria-valuetext="{v} {u}" data-unit="{many}" data-one="{one}" style="--v:{f:.2f}%"></div>'
    ).format(
        p=control.param,
        i=name,
        l=label,
        u=one if value == 1 else many,
        many=many,
        one=one,
        v=words.num(value, control.digits),
        lo=low,
        hi=high,
        s=control.step,
        raw=value,
        f=100 * (value - low) / (high - low),
        d="" if control.digits is None else control.digits,
    )


def _choice(figure: Figure, control: Choice) -> Markup:
    words, value = figure.words, getattr(figure, control.param)
    label, name = words(control.label), f"{figure.key()}-{control.param}"
    if control.style == "list":
        options = Markup("").join(
            Markup('<option value="{}"{}>{}</option>').format(v, Markup(" selected") if v == value else "", words(text))
            for v, text in control.options
        )
        return Markup(
            '<div class="ctl" data-param="{p}"><div class="lab"><label for="{i}">{l}</label></div>'
            '<select class="pick" id="{i}">{o}</select></div>'
        ).format(p=control.param, i=name, l=label, o=options)
    segments = Markup("").join(
        Markup('<label><input type="radio" name="{}" value="{}"{}><span>{}</span></label>').format(
            name, v, Markup(" checked") if v == value else "", words(text)
        )
        for v, text in control.options
    )
    return Markup(
        '<div class="ctl" data-param="{p}"><div class="lab"><span id="{i}">{l}</span></div>'
        '<div class="seg" role="radiogroup" aria-labelledby="{i}">{o}</div></div>'
    ).format(p=control.param, i=name, l=label, o=segments)


def _text(figure: Figure, control: Text) -> Markup:
    words, value = figure.words, getattr(figure, control.param)
    name = f"{figure.key()}-{control.param}"
    common = Markup('class="text" id="{i}" spellcheck="false" autocomplete="off" aria-describedby="{i}-hint"').format(
        i=name
    )
    if control.rows > 1:
        field = Markup('<textarea {} rows="{}">{}</textarea>').format(common, control.rows, value)
    else:
        field = Markup('<input {} value="{}">').format(common, value)
    form = Markup(
        '<form class="ctl typed" data-param="{p}"><div class="lab"><label for="{i}">{l}</label></div>'
        '<div class="field">{f}<button class="btn">{a}</button></div>'
        '<small class="hint" id="{i}-hint">{h}</small></form>'
    ).format(p=control.param, i=name, l=words(control.label), f=field, a=words("Apply"), h=words(control.hint))
    if control.rows == 1:
        return form
    fold = Markup('<details class="fold long"><summary>{}</summary><div class="in">{}</div></details>')
    return fold.format(words(control.label), form)


def _stepper(figure: Figure, control: Stepper) -> Markup:
    words, name = figure.words, f"{figure.key()}-{control.param}"
    return Markup(
        '<div class="ctl full" data-param="{p}" data-stepper><div class="lab"><label for="{i}">{l}</label>'
        '<b><output for="{i}">{at}</output> {of} <span class="last">{n}</span></b></div><div class="stepper">'
        '<button type="button" class="btn sq" data-do="back" aria-label="{back}"{a0}>{less}</button>'
        '<input type="range" class="range" id="{i}" min="1" max="{n}" value="{at}" style="--v:{f:.2f}%"{off}>'
        '<button type="button" class="btn sq" data-do="next" aria-label="{next}"{a1}>{more}</button>'
        '<button type="button" class="btn play" data-do="play" data-pause="{pause}">{play}</button></div></div>'
    ).format(
        p=control.param,
        i=name,
        l=words(control.label),
        at=figure.at,
        n=figure.steps,
        of=words("of"),
        f=100 * (figure.at - 1) / max(figure.steps - 1, 1) if figure.steps > 1 else 100,
        back=words("One step back"),
        next=words("One step on"),
        play=words("Play"),
        pause=words("Pause"),
        less=_LESS,
        more=_MORE,
        a0=Markup(" disabled") if figure.at <= 1 else "",
        a1=Markup(" disabled") if figure.at >= figure.steps else "",
        off=Markup(" disabled") if figure.steps < 2 else "",
    )


def render_control(figure: Figure, control: Control) -> Markup:
    """Return one control with its label, value and unit; disabled where it has no effect in this state."""
    match control:
        case Range():
            html = _range(figure, control)
        case Choice():
            html = _choice(figure, control)
        case Text():
            html = _text(figure, control)
        case Stepper():
            html = _stepper(figure, control)
    if figure.active(control.param):
        return html
    text = str(html)  # Markup.replace would escape what is put in
    for field in ("input", "select", "textarea", 'button class="btn"'):
        text = text.replace(f"<{field} ", f"<{field} disabled ").replace(f"<{field}>", f"<{field} disabled>")
    return Markup(text.replace('class="ctl', 'class="inactive ctl', 1))
