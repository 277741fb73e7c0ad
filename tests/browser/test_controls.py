"""What a card offers besides its sliders: inspector, presets, prediction, stepper, permalink."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages import (
    KEYS,
    LANGUAGES,
    Act,
    Card,
    address,
    by_page,
    in_turn,
    native,
    permalink,
    reads,
    visit,
    words,
)
from tests.browser.serving import Site
from widgets.figure import Figure
from widgets.parts import Stepper, Text
from widgets.status import script_words

STEPPED = [key for key in KEYS if native(key, "en").stepper]
TYPED = [key for key in KEYS if any(isinstance(control, Text) for control in native(key, "en").controls)]

_PLACE = """(figure, index) => {
  const plot = figure.querySelector(".plot .canvas");
  const views = Bokeh.documents.flatMap(d => d.roots()).map(root => Bokeh.index.get_by_id(root.id));
  const view = views.find(one => plot.contains(one.el));
  const { x, y } = view.model.document.get_model_by_name("marks").data;
  const box = plot.getBoundingClientRect();
  return [box.x + view.frame.x_scale.compute(x[index]), box.y + view.frame.y_scale.compute(y[index])];
}"""


@pytest.mark.parametrize("keys", by_page())
def test_a_mark_says_what_it_is_to_mouse_and_keyboard(page: Page, site: Site, keys: tuple[str, ...]) -> None:
    page.goto(site.url + address(keys[0], "zh"))
    for key in keys:
        with Card(page, key).live() as card:
            figure = native(key, "zh")
            says, hint = figure.columns()["marks"]["say"], figure.words(figure.inspect_hint)
            assert card.part("inspect").inner_text() == hint
            point(card, says)
            card.element.locator("h3").hover()
            expect(card.part("inspect")).to_have_text(hint)
            walk(card, says)
            assert card.part("inspect").inner_text() == hint


def point(card: Card, says: list[str]) -> None:
    """Point at the first mark, one in the middle and the last."""
    plot = card.element.locator(".plot")
    plot.evaluate("plot => plot.scrollIntoView({ block: 'center', behavior: 'instant' })")
    for index in (0, len(says) // 2, len(says) - 1):
        card.page.mouse.move(*card.element.evaluate(_PLACE, index))
        expect(card.part("inspect")).to_have_text(says[index])


def walk(card: Card, says: list[str]) -> None:
    """Go to the drawing and from mark to mark with the keyboard, and leave it with Escape."""
    line, keyboard = card.part("inspect"), card.page.keyboard
    tab_to_drawing(card)
    for pressed, index in (("ArrowRight", 0), ("ArrowRight", 1), ("ArrowLeft", 0), ("End", -1), ("Home", 0)):
        keyboard.press(pressed)
        assert line.text_content() == says[index], pressed
    keyboard.press("ArrowDown")
    if line.text_content() == says[0]:  # the first mark may be the lowest
        keyboard.press("ArrowUp")
    assert line.text_content() in says[1:]
    keyboard.press("Escape")


def tab_to_drawing(card: Card) -> None:
    """Go from the last chip to the drawing with the Tab key, as far as it takes."""
    card.element.locator(".chip").last.focus()
    plot = card.element.locator(".plot")
    for _ in range(60):
        card.page.keyboard.press("Tab")
        if plot.evaluate("plot => plot === document.activeElement"):
            assert plot.evaluate("plot => getComputedStyle(plot).outlineStyle") != "none", "where one is can be seen"
            return
    raise AssertionError("Tab never comes to the drawing")


@pytest.mark.parametrize("keys", by_page())
def test_every_preset_is_what_the_simulator_gives(page: Page, site: Site, keys: tuple[str, ...]) -> None:
    page.goto(site.url + address(keys[0], "en"))
    for key in keys:
        with Card(page, key).live() as card:
            figure = native(key, "en")
            first = Act("preset", figure.presets[-1].name)
            card.do(first)  # with the mouse; the others as fast as Python answers
            figure.apply(first.action)
            card.answered(1).shows(figure)
            told = list(card.presets())
            assert [name for name, *_ in told] == [preset.name for preset in figure.presets]
            for name, *shown in told:
                figure.apply({"preset": name})
                assert shown == [permalink(figure), reads(figure), [name]]


@pytest.mark.usefixtures("few_figures")
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_guess_that_cannot_be_read_is_answered_beside_its_field(page: Page, site: Site, lang: str) -> None:
    card, figure = visit(page, site.url, "bank_conflicts", lang), native("bank_conflicts", lang)
    act = Act("commit", "many")
    card.do(act)
    figure.apply(act.action)
    asks = card.answered(1).part("predict")
    expect(asks.locator('[role="alert"]')).to_have_text(figure.error)
    expect(asks.locator("input")).to_have_value("many")
    expect(card.part("problem")).to_be_empty()


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("keys", by_page())
def test_a_prediction_hides_its_answer_until_it_is_made(
    page: Page, site: Site, keys: tuple[str, ...], lang: str
) -> None:
    asked = {key: f"preset={native(key, lang).prediction.preset}" for key in keys}
    for card in in_turn(page, site.url, asked, lang):
        with card:
            predict(card, native(card.key, lang), lang)


def predict(card: Card, figure: Figure, lang: str) -> None:
    """Go through a prediction that is asked: a guess that cannot be read, a wrong one, and the right one."""
    asks = figure.prediction
    assert asks
    figure.apply({"preset": asks.preset})
    assert figure.veiled
    answer = figure.words.num(figure.asked().values()[asks.value], asks.digits)
    card.shows(figure)
    assert "?" in {number for _, number, _ in card.reads()}

    for seq, guess in enumerate(("perhaps", "77"), 2):
        card.do(Act("commit", guess))
        figure.apply({"commit": guess})
        card.answered(seq).shows(figure)
    assert figure.verdict
    told = card.part("predict").inner_text()
    assert answer in told
    assert "77" in told
    assert "?" not in {number for _, number, _ in card.reads()}
    card.part("predict").locator('[data-do="ask"]').click()
    figure.apply({"ask": True})
    card.answered(4).shows(figure)
    card.do(Act("commit", f"{figure.asked().values()[asks.value]:.10g}"))
    expect(card.part("predict")).to_contain_text(words(lang)("Right."))


@pytest.mark.parametrize("keys", by_page(STEPPED))
def test_the_stepper_steps_plays_and_pauses(page: Page, site: Site, keys: tuple[str, ...]) -> None:
    page.goto(site.url + address(keys[0], "en"))
    for key in keys:
        with Card(page, key).live() as card:
            step_and_play(card, native(key, "en"))


def step_and_play(card: Card, figure: Figure) -> None:
    """Go a step back and on again, then play from near the end, and from the beginning until it is paused."""
    control = next(c for c in figure.controls if isinstance(c, Stepper))
    stepper, last = card.control(control.param), figure.steps
    slider, play = stepper.locator(".range"), stepper.locator(".play")

    def stands_at(step: int) -> None:
        card.shows(native(card.key, "en", f"{control.param}={step}"))

    assert (slider.input_value(), slider.get_attribute("max")) == (str(last), str(last))
    stepper.locator('[data-do="back"]').click()
    stands_at(last - 1)
    stepper.locator('[data-do="next"]').click()
    stands_at(last)
    expect(stepper.locator('[data-do="next"]')).to_be_disabled()

    slider.fill(str(max(1, last - 3)))
    stands_at(max(1, last - 3))
    play.click()
    expect(play).to_have_text(words("en")("Pause"))
    expect(play).to_have_text(words("en")("Play"))  # it stops at the end
    assert slider.input_value() == str(last)
    stands_at(last)
    play.click()  # from the beginning
    play.click()
    expect(play).to_have_text(words("en")("Play"))
    stands_at(int(slider.input_value()))
    assert card.part("inspect").is_visible()


@pytest.mark.parametrize("keys", by_page(TYPED))
def test_text_that_is_refused_stays_in_its_field_with_the_reason(page: Page, site: Site, keys: tuple[str, ...]) -> None:
    typed = {key: a_text(key) for key in keys}
    for card in in_turn(page, site.url, {key: f"preset={preset}" for key, (preset, _, _) in typed.items()}, "zh"):
        with card:
            preset, name, text = typed[card.key]
            figure = native(card.key, "zh")
            figure.apply({"preset": preset})
            field = card.typed(name)
            field.fill("nonsense 1 2")
            card.control(name).locator(".btn").click()
            figure.apply({"set": {name: "nonsense 1 2"}})
            assert figure.error
            expect(card.part("problem")).to_contain_text(figure.error)
            expect(field).to_have_value("nonsense 1 2")
            assert card.reads() == reads(figure)
            field.fill(str(text))
            card.control(name).locator(".btn").click()
            expect(card.part("problem")).to_be_empty()


def a_text(key: str) -> tuple[str, str, object]:
    """A preset in which a text control has an effect, the control's name, and a text that it takes."""
    figure = native(key, "zh")
    return next(
        (preset.name, control.param, preset.state.get(control.param, figure.param[control.param].default))
        for control in figure.controls
        if isinstance(control, Text)
        for preset in figure.presets
        if activated(key, preset.name, control.param)
    )


def activated(key: str, preset: str, name: str) -> bool:
    """Whether a control has an effect in a preset's state."""
    figure = native(key, "en")
    figure.apply({"preset": preset})
    return figure.active(name) and not figure.veiled


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_link_to_a_state_can_be_copied_and_opened(page: Page, site: Site, lang: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    card = visit(page, site.url, "pipeline_slots", lang)
    card.do(Act("range", "items", 7))
    card.answered(1)
    copy = card.element.locator('[data-do="copy"]')
    copy.click()
    expect(copy).to_have_text(script_words(words(lang))["copied"])
    copied = page.evaluate("navigator.clipboard.readText()")
    page.context.clear_permissions()
    assert copied == page.url
    page.goto("about:blank")  # the address alone is to bring the state back
    page.goto(copied)
    card.live().answered(1).shows(native("pipeline_slots", lang, "items=7"))


def test_where_copying_is_forbidden_the_button_says_so(page: Page, site: Site) -> None:
    page.add_init_script("navigator.clipboard.writeText = () => Promise.reject(new DOMException('no'))")
    card = visit(page, site.url, "pipeline_slots", "en")
    copy = card.element.locator('[data-do="copy"]')
    copy.click()
    expect(copy).to_have_text(script_words(words("en"))["notCopied"])
