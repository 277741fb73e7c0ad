"""A whole visit: one Python for all its pages, every page quiet, every link leading somewhere, in both languages."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit
from urllib.request import urlopen

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import WHOLE, Watch
from tests.browser.pages import (
    KEYS,
    LANGUAGES,
    SLUGS,
    Act,
    Card,
    address,
    addresses,
    all_live,
    by_page,
    expect_documents,
    native,
    on_page,
    visit,
)
from tests.browser.serving import Site

Deploy = Callable[..., Site]
Visitor = Callable[..., BrowserContext]

pytestmark = WHOLE

WASM = r"\.wasm$"
FIRST = Act("range", "items", 7)
AFTER = "items=7"


CHAPTERS = tuple({address(key, "en"): key for key in reversed(KEYS)}.values())[::-1]
"""The first figure of each chapter, in the order of the book."""


def open_documents(page: Page) -> int:
    """How many figures' documents Python keeps, of all pages."""
    answer = page.evaluate("document.documentElement.bookEngine.send({ verb: 'close', page: 'none' })")
    return int(answer["open"])


# --------------------------------------------------------------------------------------------- one Python


def test_three_chapters_in_a_row_start_python_once(deploy: Deploy, visitor: Visitor, watch: Watch) -> None:
    site, page = deploy(), visitor().new_page()
    for key, lang in zip(CHAPTERS[:3], ("en", "zh", "en"), strict=True):
        card, figure = visit(page, site.url, key, lang), native(key, lang)
        act = Act("preset", figure.presets[-1].name)
        card.do(act)
        figure.apply(act.action)
        card.shows(figure)
    assert (len(watch.workers), site.count(WASM)) == (1, 1)
    assert open_documents(page) == on_page(key), "the figures of pages that were left are forgotten"


def test_eight_tabs_share_one_python(deploy: Deploy, visitor: Visitor, watch: Watch) -> None:
    site, context = deploy(), visitor()
    tabs = [(context.new_page(), CHAPTERS[-1 - i % 3], LANGUAGES[i % 2]) for i in range(8)]
    for page, key, lang in tabs:
        page.goto(site.url + address(key, lang), wait_until="commit")
    for page, key, lang in tabs:
        page.bring_to_front()
        card, figure = Card(page, key).live(), native(key, lang)
        act = Act("preset", figure.presets[1].name)
        card.do(act)
        figure.apply(act.action)
        card.shows(figure)
    assert (len(watch.workers), site.count(WASM)) == (1, 1)
    expect_documents(tabs[-1][0], sum(on_page(key) for _, key, _ in tabs))
    last, key, _ = tabs.pop()
    for page, _, _ in tabs:
        page.close()
    expect_documents(last, on_page(key))


def test_the_way_back_finds_the_page_as_it_was(page: Page, site: Site) -> None:
    card = visit(page, site.url, "pipeline_slots", "en")
    card.do(FIRST)
    card.answered(1)
    page.evaluate("window.kept = true")
    visit(page, site.url, "divergence", "en")
    page.evaluate("history.back()")
    expect(page.locator("#pipeline_slots")).to_be_attached()
    card.shows(native("pipeline_slots", "en", AFTER)).live()
    card.do(Act("range", "items", 9))
    card.shows(native("pipeline_slots", "en", "items=9"))


def test_leaving_in_the_middle_of_an_answer_does_no_harm(page: Page, site: Site) -> None:
    card = visit(page, site.url, "pipeline_slots", "en")
    page.evaluate(
        """() => {
          addEventListener("pagehide", () => {
            const slider = document.querySelector('.ctl[data-param="items"] .range');
            slider.value = 7;
            slider.dispatchEvent(new Event("input", { bubbles: true }));
          }, { capture: true });
        }"""
    )
    visit(page, site.url, "divergence", "en")
    page.evaluate("history.back()")
    expect(page.locator("#pipeline_slots")).to_be_attached()
    card.live()
    card.do(Act("choice", "slots", 3))
    card.shows(native("pipeline_slots", "en", "items=7&slots=3"))


def test_a_page_that_slept_keeps_its_python(page: Page, site: Site, watch: Watch) -> None:
    page.clock.install()
    card = visit(page, site.url, "pipeline_slots", "en")
    before = list(watch.workers)
    for _ in range(3):
        page.clock.fast_forward("02:00")  # the lid was closed: two minutes pass, each timer fires once
    card.do(FIRST)
    card.shows(native("pipeline_slots", "en", AFTER)).live()
    assert watch.workers == before


# ----------------------------------------------------------------------------------------------- all pages


class Anchors(HTMLParser):
    """The links and ids of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.ids.add(told.get("id") or "")
        if (href := told.get("href")) is not None:
            self.links.append(href)
        if src := told.get("src"):
            self.links.append(src)


@cache
def anchors(url: str) -> Anchors:
    with urlopen(url) as answer:
        kind = answer.headers["Content-Type"]
        return Anchors(answer.read().decode() if kind.startswith("text/html") else "")


def test_every_link_leads_somewhere(site: Site) -> None:
    for place in addresses():
        for link in anchors(site.url + place).links:
            where = urlsplit(urljoin(site.url + place, link))
            if where.scheme == "data":
                continue
            assert where.geturl().startswith(site.url) or link.startswith("https://"), f"{place}: {link}"
            if not where.geturl().startswith(site.url):
                continue
            assert not link.startswith("/"), f"{place}: {link} is not relative"
            ids = anchors(where._replace(fragment="").geturl()).ids  # urlopen refuses what is not there
            name, _, state = where.fragment.partition("?")
            assert not name or unquote(name) in ids, f"{place}: {link} has no anchor"
            if state:
                native(name, place[:2], state)  # refuses what is not a state of the figure


# ------------------------------------------------------------------------------------------ the language


@pytest.mark.parametrize("keys", by_page())
def test_the_language_switch_keeps_page_place_and_state(page: Page, site: Site, keys: tuple[str, ...]) -> None:
    key = keys[-1]  # it has the most above it, and so the most that may move it
    state = native(key, "en", "preset=" + native(key, "en").presets[2].name).state
    card = visit(page, site.url, key, "en", state).answered(1)
    card.element.evaluate("figure => figure.scrollIntoView({ block: 'center', behavior: 'instant' })")
    top = "figure => figure.getBoundingClientRect().top"
    before = card.element.evaluate(top)
    page.locator("a[data-language]").click()
    card.live().answered(1)
    assert page.url == f"{site.url}{address(key, 'zh')}#{key}?{state}"
    card.shows(native(key, "zh", state))
    after = card.element.evaluate(top)
    assert abs(after - before) < page.viewport_size["height"] / 2, "the figure is still what is looked at"


@pytest.mark.parametrize("slug", SLUGS[:2])
def test_the_language_switch_keeps_the_section(page: Page, site: Site, slug: str) -> None:
    page.goto(f"{site.url}zh/{slug}/")
    all_live(page)
    block = page.evaluate(
        """() => {
          const blocks = [...document.querySelectorAll(".text > *")], at = Math.floor(0.7 * blocks.length);
          blocks[at].scrollIntoView({ block: "start", behavior: "instant" });
          scrollBy({ top: -document.querySelector(".bar").offsetHeight + 2, behavior: "instant" });
          return at;
        }"""
    )
    page.locator("a[data-language]").click()
    page.wait_for_url(f"{site.url}en/{slug}/**")
    all_live(page)
    box = page.locator(".text > *").nth(block).bounding_box()
    assert box
    assert -box["height"] < box["y"] < 200, "the same block is at the top of the window"


@pytest.mark.parametrize("place", ["", "glossary/"])
def test_the_language_switch_keeps_the_page(page: Page, site: Site, place: str) -> None:
    page.goto(f"{site.url}en/{place}")
    page.locator("a[data-language]").click()
    page.wait_for_url(f"{site.url}zh/{place}")


def test_the_site_is_where_the_pages_say(built: Path) -> None:
    found = {path.parent.relative_to(built).as_posix() for path in built.rglob("index.html")}
    assert found == {place.rstrip("/") or "." for place in addresses()}
