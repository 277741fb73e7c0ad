"""What stays where it is: a card's height in all its presets, and the order of its parts for the Tab key."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.pages import LANGUAGES, SLUGS, all_live, resize
from tests.browser.serving import Site

# The height of the card's parts as built, with the prediction skipped, in every state its presets have, and when a
# guess or a text is refused.
_HEIGHTS = """async card => {
  const seen = new Set();
  const still = [...card.children].filter(part => !part.matches(".say")); // what lies over the others
  const look = () => seen.add(still.map(part => `${part.className}:${part.offsetHeight}`).join(" "));
  const answered = async press => {
    const before = card.dataset.seq;
    press.click();
    while (card.dataset.seq === before && card.dataset.state === "live") await new Promise(requestAnimationFrame);
    look();
  };
  look();
  const skip = card.querySelector('[data-do="skip"]');
  if (skip) await answered(skip);
  for (const chip of card.querySelectorAll(".chip")) await answered(chip);
  const ask = card.querySelector('[data-do="ask"]');
  if (ask) {
    await answered(ask);
    card.querySelector(".ans").value = "many";
    await answered(card.querySelector('[data-do="commit"] .main')); // a guess that cannot be read
  }
  for (const form of card.querySelectorAll("form.ctl")) {
    const field = form.querySelector(".text");
    if (field.disabled || !field.checkVisibility()) continue;
    field.value = "?!";
    await answered(form.querySelector(".btn")); // a text that is refused
  }
  return [...seen];
}"""


# How far down the parts are that the Tab key comes to, in its order.
_TOPS = """card => [...card.querySelectorAll(
    'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea, summary, [tabindex="0"]'
  )].filter(one => one.checkVisibility({ visibilityProperty: true }))
    .map(one => [...card.children].find(part => part.contains(one)).getBoundingClientRect().top)"""


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("slug", SLUGS)
def test_cards_keep_their_height_and_the_tab_key_follows_the_eye(page: Page, site: Site, slug: str, lang: str) -> None:
    page.goto(f"{site.url}{lang}/{slug}/")  # as built: no state in the address
    all_live(page)
    for wide in (1440, 360):  # the second time after all that was refused the first time
        resize(page, wide)
        for element in page.locator(".fig").all():
            where = (element.get_attribute("id"), wide)
            tops = element.evaluate(_TOPS)
            assert tops == sorted(tops), where
            assert len(set(tops)) > 3
            heights = element.evaluate(_HEIGHTS)
            assert len(heights) == 1, (*where, heights)
