"""Addresses that say nothing sensible: the state as built, and a sentence that says why, in the page's language."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages import KEYS, LANGUAGES, Card, address, native, reads, visit, words
from tests.browser.serving import Site
from widgets.status import script_words

BAD = {
    "unknown parameter": ("bank_conflicts", "colour=red"),
    "out of range": ("bank_conflicts", "pitch=9999"),
    "refused by the simulator": ("bank_conflicts", "pitch=5"),
    "not a number": ("pipeline_slots", "move_us=soon"),
    "not one of the choices": ("stream_timeline", "slots=7"),
    "twice": ("divergence", "a=3&a=4"),
    "unknown preset": ("online_softmax", "preset=nothing"),
    "no state": ("divergence", "???"),
    "not even percent": ("divergence", "a=%E0%A4%A&%"),
    "a step beyond the last": ("online_softmax", "step=99"),
    "markup": ("divergence", "pattern=<img src=x onerror=alert(1)>"),
}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("key", dict.fromkeys(key for key, _ in BAD.values()))
def test_a_bad_address_gives_the_built_state_and_a_sentence(page: Page, site: Site, key: str, lang: str) -> None:
    bad = [state for of, state in BAD.values() if of == key]
    for seq, state in enumerate(bad, 1):
        with Card(page, key) as card:  # the first opens the page, the others are typed into its address
            page.goto(f"{site.url}{address(key, lang)}#{key}?{state}")
            says_why(card.live().answered(seq), lang, state)


def says_why(card: Card, lang: str, state: str) -> None:
    """The state as built, and the sentence about the one in the address."""
    page = card.page
    card.shows(native(card.key, lang))
    refused = native(card.key, lang)
    refused.apply({"restore": page.evaluate("state => new URL('#k?' + state, location.href).hash.slice(3)", state)})
    assert refused.error
    expect(card.part("problem")).to_contain_text(refused.error)
    expect(card.part("problem")).to_be_visible()
    assert card.part("problem").locator("img").count() == 0


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_figure_that_is_not_here_is_named(page: Page, site: Site, lang: str) -> None:
    key = KEYS[0]
    page.goto(f"{site.url}{address(key, lang)}#flux_capacitor?power=1.21")
    sentence = script_words(words(lang))["noFigure"].replace("{key}", "flux_capacitor")
    expect(page.locator('main [role="alert"]').first).to_have_text(sentence)
    assert Card(page, key).live().reads() == reads(native(key, lang))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_typed_pattern_survives_its_permalink(page: Page, site: Site, lang: str) -> None:
    figure = native("bank_conflicts", lang)
    figure.apply({"set": {"reads": "typed"}})
    figure.apply({"set": {"pattern": "i%33 + (i&1)*32"}})
    assert not figure.error
    visit(page, site.url, "bank_conflicts", lang, figure.state).answered(1).shows(figure)


def test_links_in_the_text_set_the_figure(page: Page, site: Site) -> None:
    card = visit(page, site.url, "bank_conflicts", "en")
    links = page.locator('.text > :not(.fig) a.act[href^="#bank_conflicts?"]')  # a figure's strip has some, too
    for index in (0, 1, 0):
        state = str(links.nth(index).get_attribute("href")).partition("?")[2]
        links.nth(index).click()
        card.shows(native("bank_conflicts", "en", state))
        expect(card.element).to_be_in_viewport()
    card.element.locator(".chip").nth(2).click()
    links.nth(0).click()  # the same link again, after something else
    card.shows(native("bank_conflicts", "en", str(links.nth(0).get_attribute("href")).partition("?")[2]))
