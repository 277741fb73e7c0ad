"""Every figure in every language: what a control changes is what the simulator says, and so is any other state."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from random import Random

import pytest
from playwright.sync_api import Page

from tests.browser.pages import (
    LANGUAGES,
    Act,
    Card,
    address,
    by_page,
    differs,
    native,
    reads,
    some_state,
    stops,
)
from tests.browser.serving import Site
from widgets.figure import Figure
from widgets.parts import Choice, Range

SEED = int(os.environ.get("GPUBOOK_SEED") or Random().randrange(10**6))


def slides(figure: Figure, far: bool) -> Iterator[tuple[Act, int, Figure]]:
    """Moves of a slider that show other numbers, the farthest or the nearest first: act, steps, the figure then."""
    for control in figure.controls:
        if isinstance(control, Range) and figure.active(control.param):
            values = stops(figure, control)
            here = values.index(getattr(figure, control.param))
            for there in sorted(range(len(values)), key=lambda i: abs(i - here), reverse=far):
                act = Act("range", control.param, values[there])
                if other := differs(figure, act):
                    yield act, there - here, other


def segments(figure: Figure) -> Iterator[tuple[Act, Figure]]:
    """Segments that show other numbers, and the figure so set."""
    for control in figure.controls:
        if isinstance(control, Choice) and control.style == "segments" and figure.active(control.param):
            for value, _ in control.options:
                act = Act("choice", control.param, value)
                if other := differs(figure, act):
                    yield act, other


def thumb_at(card: Card, name: str, value: float) -> tuple[float, float]:
    """Where on the page a slider's thumb is when it stands at a value."""
    x, y = (
        card.control(name)
        .locator(".range")
        .evaluate(
            """(range, value) => {
          range.scrollIntoView({ block: "center", behavior: "instant" });
          const box = range.getBoundingClientRect(), thumb = 18;
          const share = (value - range.min) / (range.max - range.min);
          return [box.x + thumb / 2 + share * (box.width - thumb), box.y + box.height / 2];
        }""",
            value,
        )
    )
    return x, y


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("keys", by_page())
def test_mouse_keyboard_and_link_set_what_python_computes(
    page: Page, site: Site, keys: tuple[str, ...], lang: str
) -> None:
    states = {key: some_state(key, lang, Random(SEED)).state for key in keys}
    print(f"GPUBOOK_SEED={SEED}: {states}")
    page.goto(site.url + address(keys[0], lang))
    for key in keys:
        with Card(page, key).live() as card:
            figure = native(key, lang)
            assert card.reads() == reads(figure)
            by_mouse(card, by_keyboard(card, figure))
            page.evaluate("fragment => { location.hash = fragment; }", f"#{key}?{states[key]}")
            card.shows(native(key, lang, states[key]))
            assert card.element.locator('.chip[aria-pressed="true"]').count() == 0


def by_keyboard(card: Card, figure: Figure) -> Figure:
    """Go to a slider with the Tab key, and to the nearest other numbers with the arrow keys; the figure then."""
    keyboard, (act, steps, other) = card.page.keyboard, next(slides(figure, far=False))
    slider = card.control(act.name).locator(".range")
    card.element.locator(".chip").first.focus()
    for _ in range(60):
        if slider.evaluate("slider => slider === document.activeElement"):
            break
        keyboard.press("Tab")
    for _ in range(abs(steps)):
        keyboard.press("ArrowRight" if steps > 0 else "ArrowLeft")
    card.shows(other)
    assert card.reads() != reads(figure)
    return other


def by_mouse(card: Card, figure: Figure) -> None:
    """Drag a slider far away, and click a segment where there is one."""
    before = reads(figure)
    mouse, (act, _, _) = card.page.mouse, next(slides(figure, far=True))
    mouse.move(*thumb_at(card, act.name, getattr(figure, act.name)))
    mouse.down()
    mouse.move(*thumb_at(card, act.name, act.value), steps=4)
    mouse.up()
    stands = float(card.control(act.name).locator(".range").input_value())
    figure.apply({"set": {act.name: stands}})
    card.shows(figure)
    assert reads(figure) != before
    for act, other in islice(segments(figure), 1):
        card.control(act.name).locator("label", has=card.page.locator(f'[value="{act.value}"]')).click()
        card.shows(other)
