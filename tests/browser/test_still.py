"""What stays where it is: a card's height in all its presets, and the order of its parts for the Tab key."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.pages import KEYS, LANGUAGES, visit
from tests.browser.serving import Site

# The height of the card's parts in every state its presets have, the prediction open and then skipped.
_HEIGHTS = """async card => {
  const seen = new Set();
  const look = () => seen.add([...card.children].map(part => `${part.className}:${part.offsetHeight}`).join(" "));
  const answered = async press => {
    const before = card.dataset.seq;
    press.click();
    while (card.dataset.seq === before) await new Promise(requestAnimationFrame);
    look();
  };
  look();
  const presets = async () => { for (const chip of card.querySelectorAll(".chip")) await answered(chip); };
  await presets();
  const skip = card.querySelector('[data-do="skip"]');
  if (skip) { await answered(skip); await presets(); }
  return [...seen];
}"""


@pytest.mark.parametrize("wide", [1440, 360])
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("key", KEYS)
def test_a_card_keeps_its_height(page: Page, site: Site, key: str, lang: str, wide: int) -> None:
    page.set_viewport_size({"width": wide, "height": 900})
    heights = visit(page, site.url, key, lang).element.evaluate(_HEIGHTS)
    assert len(heights) == 1, heights


_TOPS = """card => [...card.querySelectorAll(
    'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea, summary, [tabindex="0"]'
  )].filter(one => one.checkVisibility({ visibilityProperty: true }))
    .map(one => [...card.children].find(part => part.contains(one)).getBoundingClientRect().top)"""


@pytest.mark.parametrize("wide", [1440, 360])
def test_the_tab_key_follows_the_eye(page: Page, site: Site, wide: int) -> None:
    page.set_viewport_size({"width": wide, "height": 900})
    for key in KEYS:
        tops = visit(page, site.url, key, "en").element.evaluate(_TOPS)
        assert tops == sorted(tops), key
        assert len(set(tops)) > 3
