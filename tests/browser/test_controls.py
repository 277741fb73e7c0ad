"""What a card offers besides its sliders: inspector, presets, prediction, stepper, permalink."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.pages import KEYS, LANGUAGES, Act, Card, native, reads, visit, words
from tests.browser.serving import Site
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


@pytest.mark.parametrize("key", KEYS)
def test_pointing_at_a_mark_says_what_it_is(page: Page, site: Site, key: str) -> None:
    card, says = visit(page, site.url, key, "en"), native(key, "en").columns()["marks"]["say"]
    line = card.part("inspect")
    hint = line.inner_text()
    card.element.locator(".plot").evaluate("plot => plot.scrollIntoView({ block: 'center', behavior: 'instant' })")
    for index in (0, len(says) // 2, len(says) - 1):
        page.mouse.move(*card.element.evaluate(_PLACE, index))
        expect(line).to_have_text(says[index])
    card.element.locator("h3").hover()
    expect(line).to_have_text(hint)


@pytest.mark.parametrize("key", KEYS)
def test_every_preset_is_what_the_simulator_gives(page: Page, site: Site, key: str) -> None:
    card, figure = visit(page, site.url, key, "en"), native(key, "en")
    for seq, preset in enumerate(figure.presets, 1):
        act = Act("preset", preset.name)
        card.do(act)
        figure.apply(act.action)
        card.answered(seq).shows(figure)
        pressed = card.element.locator('.chip[aria-pressed="true"]')
        assert pressed.evaluate_all("chips => chips.map(chip => chip.dataset.preset)") == [preset.name]


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
@pytest.mark.parametrize("key", KEYS)
def test_a_prediction_hides_its_answer_until_it_is_made(page: Page, site: Site, key: str, lang: str) -> None:
    figure = native(key, lang)
    asks = figure.prediction
    assert asks
    card = visit(page, site.url, key, lang, f"preset={asks.preset}").answered(1)
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


@pytest.mark.parametrize("key", STEPPED)
def test_the_stepper_steps_plays_and_pauses(page: Page, site: Site, key: str) -> None:
    card, figure = visit(page, site.url, key, "en"), native(key, "en")
    control = next(c for c in figure.controls if isinstance(c, Stepper))
    stepper, last = card.control(control.param), figure.steps
    slider, play = stepper.locator(".range"), stepper.locator(".play")
    assert (slider.input_value(), slider.get_attribute("max")) == (str(last), str(last))
    stepper.locator('[data-do="back"]').click()
    card.shows(native(key, "en", f"{control.param}={last - 1}"))
    stepper.locator('[data-do="next"]').click()
    card.shows(native(key, "en", f"{control.param}={last}"))
    expect(stepper.locator('[data-do="next"]')).to_be_disabled()

    slider.fill(str(max(1, last - 3)))
    card.shows(native(key, "en", f"{control.param}={max(1, last - 3)}"))
    play.click()
    expect(play).to_have_text(words("en")("Pause"))
    expect(play).to_have_text(words("en")("Play"))  # it stops at the end
    assert slider.input_value() == str(last)
    card.shows(native(key, "en", f"{control.param}={last}"))
    play.click()  # from the beginning
    play.click()
    expect(play).to_have_text(words("en")("Play"))
    stands = int(slider.input_value())
    card.shows(native(key, "en", f"{control.param}={stands}"))
    assert card.part("inspect").is_visible()


@pytest.mark.parametrize("key", TYPED)
def test_text_that_is_refused_stays_in_its_field_with_the_reason(page: Page, site: Site, key: str) -> None:
    figure = native(key, "zh")
    name, text = next(
        (control.param, preset.state.get(control.param, figure.param[control.param].default))
        for control in figure.controls
        if isinstance(control, Text)
        for preset in figure.presets
        if activated(key, preset.name, control.param)
    )
    preset = next(preset.name for preset in figure.presets if activated(key, preset.name, name))
    card = visit(page, site.url, key, "zh", f"preset={preset}").answered(1)
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


def activated(key: str, preset: str, name: str) -> bool:
    """Whether a control has an effect in a preset's state."""
    figure = native(key, "en")
    figure.apply({"preset": preset})
    return figure.active(name) and not figure.veiled


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_link_to_a_state_can_be_copied_and_opened(
    visitor: Callable[..., BrowserContext], site: Site, lang: str
) -> None:
    context = visitor()
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    card = visit(page, site.url, "pipeline_slots", lang)
    card.do(Act("range", "items", 7))
    card.answered(1)
    copy = card.element.locator('[data-do="copy"]')
    copy.click()
    expect(copy).to_have_text(script_words(words(lang))["copied"])
    address = page.evaluate("navigator.clipboard.readText()")
    assert address == page.url
    other = context.new_page()
    other.goto(address)
    Card(other, "pipeline_slots").live().answered(1).shows(native("pipeline_slots", lang, "items=7"))


def test_where_copying_is_forbidden_the_button_says_so(page: Page, site: Site) -> None:
    page.add_init_script("navigator.clipboard.writeText = () => Promise.reject(new DOMException('no'))")
    card = visit(page, site.url, "pipeline_slots", "en")
    copy = card.element.locator('[data-do="copy"]')
    copy.click()
    expect(copy).to_have_text(script_words(words("en"))["notCopied"])
