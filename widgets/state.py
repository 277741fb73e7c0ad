"""A figure's parameters: read from what a page sends, checked at the door, told as an address fragment."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import parse_qsl, quote

import param

from widgets.parts import Choice, Control, Preset, Range, Stepper, Text, Value
from widgets.words import Words

TYPED = {ord("−"): "-", ord("×"): "*", ord("·"): "*"}  # what keyboards and printed formulas have for these
TEXT_LIMIT = 4000  # characters a text control accepts: a page of program, far above any example


class Parameters(param.Parameterized):
    """Parameters with their controls and presets; `Figure` adds everything that is seen."""

    controls: ClassVar[tuple[Control, ...]] = ()
    presets: ClassVar[tuple[Preset, ...]] = ()

    def __init__(self, words: Words | None = None, **state: Value) -> None:
        super().__init__()
        self.words = words or Words()
        self.inputs = [control.param for control in self.controls]
        self.stepper = next((c.param for c in self.controls if isinstance(c, Stepper)), None)
        self.check(state)
        self.param.update(**state)
        self.built = self.current()

    # ------------------------------------------------------------------------------- presets

    @classmethod
    def preset(cls, name: str) -> Preset:
        """Return a preset by name; LookupError names those that exist."""
        for preset in cls.presets:
            if preset.name == name:
                return preset
        raise LookupError(f"no preset {name!r}; there are {', '.join(p.name for p in cls.presets)}")

    def complete(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """Return a whole state: what is given, and the defaults of all other controls."""
        return {name: state.get(name, self.param[name].default) for name in self.inputs}

    def current(self) -> dict[str, Any]:
        """Return the whole state as it is."""
        return {name: getattr(self, name) for name in self.inputs}

    def is_at(self, preset: Preset) -> bool:
        """Say whether this is the preset's state, wherever the stepper stands."""
        state = self.complete(preset.state)
        return all(getattr(self, name) == value for name, value in state.items() if name != self.stepper)

    @property
    def pressed(self) -> str:
        """The name of the preset whose state this is, or ""."""
        return next((preset.name for preset in self.presets if self.is_at(preset)), "")

    # ------------------------------------------------------------------- values at the door

    def control(self, name: str) -> Control:
        """Return the control of a parameter; ValueError names the parameters that have one."""
        for control in self.controls:
            if control.param == name:
                return control
        names = self.words(", ").join(self.inputs)
        raise ValueError(
            self.words("{name} is not a setting of this figure; it has {names}", name=f"“{name}”", names=names)
        )

    def coerce(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Read values that arrive as text or JSON into the parameters' types; ValueError says which is not one."""
        return {name: self._read(self.control(name), raw) for name, raw in changes.items()}

    def _read(self, control: Control, raw: Any) -> Any:
        label, shown = self.words(control.label), f"“{raw}”"
        match control:
            case Choice(options=options):
                for value, _ in options:
                    if str(value) == str(raw):
                        return value
                allowed = self.words(", ").join(str(value) for value, _ in options)
                raise ValueError(
                    self.words("{label}: {raw} is not one of {allowed}", label=label, raw=shown, allowed=allowed)
                )
            case Text():
                return unicodedata.normalize("NFKC", str(raw)).translate(TYPED)
            case Stepper() if raw in (None, "", "None"):
                return None
            case _:
                return self._number(label, raw, whole=isinstance(self.param[control.param], param.Integer))

    def _number(self, label: str, raw: Any, whole: bool) -> float:
        try:
            number = float(raw)
        except (TypeError, ValueError):
            number = math.nan
        if math.isfinite(number) and (number.is_integer() or not whole):
            return int(number) if whole else number
        kind = self.words("a whole number") if whole else self.words("a number")
        raise ValueError(self.words("{label}: {raw} is not {kind}", label=label, raw=f"“{raw}”", kind=kind))

    def check(self, changes: Mapping[str, Any]) -> None:
        """Refuse what is out of bounds with a ValueError that has the value and the range."""
        for name, value in changes.items():
            control = self.control(name)
            label, num = self.words(control.label), self.words.num
            if isinstance(control, Range):
                low, high = self.param[name].bounds
                if not low <= value <= high:
                    values = {"value": num(value), "low": num(low), "high": num(high)}
                    raise ValueError(self.words("{label}: {value} is outside {low} to {high}", label=label, **values))
            elif isinstance(control, Stepper) and value is not None and value < 1:
                raise ValueError(
                    self.words("{label}: {value} is before the first step, 1", label=label, value=num(value))
                )
            elif isinstance(control, Text) and len(value) > TEXT_LIMIT:
                values = {"n": num(len(value)), "limit": num(TEXT_LIMIT)}
                raise ValueError(self.words("{label}: {n} characters are more than {limit}", label=label, **values))

    # ---------------------------------------------------------------------- address fragment

    @property
    def state(self) -> str:
        """The state as a query string by name, `pitch=33&swizzle=xor`: what differs from the defaults; "" as built."""
        now = self.current()
        if now == self.built:
            return ""
        told = {name: value for name, value in now.items() if value != self.param[name].default}
        if not told:  # the defaults are not the built state: name one of them
            told = dict(list(now.items())[:1])
        return _fragment(told)

    def parse(self, fragment: str) -> dict[str, Any]:
        """Read a query string, or `preset=name`, into parameters; ValueError or LookupError says what is wrong."""
        pairs = parse_qsl(fragment.replace("+", "%2B"), keep_blank_values=True)
        if fragment and not pairs:
            first = self.inputs[0]
            example = f"{first}={self.param[first].default}"
            raise ValueError(
                self.words(
                    "{fragment} is not a state; one looks like {example}",
                    fragment=f"“{fragment[:80]}”",
                    example=example,
                )
            )
        names = [name for name, _ in pairs]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(self.words("{name} is given {n} times", name=f"“{name}”", n=names.count(name)))
        if "preset" in names:
            others = dict(pairs)
            return self._of_preset(others.pop("preset"), others)
        changes = self.coerce(dict(pairs))
        self.check(changes)
        return changes

    def _of_preset(self, name: str, others: Mapping[str, str]) -> dict[str, Any]:
        """Return a preset's state; ValueError where it does not exist or does not stand alone."""
        known = {preset.name: preset.state for preset in self.presets}
        if name not in known:
            raise ValueError(
                self.words(
                    "there is no preset “{name}”; there are {names}", name=name, names=self.words(", ").join(known)
                )
            )
        if others:
            state = _fragment({**known[name], **others})
            raise ValueError(self.words("a preset stands alone; write out what it sets: {state}", state=state))
        return dict(known[name])


def _fragment(state: Mapping[str, Any]) -> str:
    return "&".join(f"{name}={quote(str(value), safe=',*+()')}" for name, value in state.items())
