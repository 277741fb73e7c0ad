"""The GPU box on the page as a test drives it: the dialog, the panel of a figure, and boxes beside the site."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from playwright.sync_api import Locator, Page, expect

from bookbuild.box_words import box_words
from tests.browser.pages import Card, visit, words
from tests.browser.serving import Site
from tests.gpu_backend import boxes

REFUSED = r"net::ERR_CONNECTION_REFUSED"
BROKEN = r"net::ERR_(CONNECTION_(REFUSED|RESET)|INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE|ABORTED|FAILED)"
TIMED_OUT = r"/health net::ERR_ABORTED"


def says(lang: str) -> dict[str, Any]:
    """The sentences of the box on the page."""
    return box_words(words(lang))


def box_for(site: Site, **more: Any) -> AbstractContextManager[boxes.Running]:
    """A box that takes pages of this site, with a fake child unless another is given."""
    return boxes.box(origins=(site.url.rstrip("/"),), **more)


def script(page: Page, name: str) -> str:
    """The address of one of the page's modules."""
    return str(page.evaluate("name => new URL(name, document.querySelector('script[type=module]').src).href", name))


def call(page: Page, module: str, function: str, *arguments: Any) -> Any:
    """Call a function of one of the page's modules, in the page."""
    code = "async ([at, name, given]) => (await import(at))[name](...given)"
    return page.evaluate(code, [script(page, module), function, list(arguments)])


class Dialog:
    """The dialog that connects a box."""

    def __init__(self, page: Page) -> None:
        self.element = page.locator("dialog.box-dialog")
        self.address = page.locator("#box-address")
        self.token = page.locator("#box-token")
        self.finding = self.element.locator(".finding")
        self.wrong = self.element.locator("#box-wrong")
        self.go = self.element.locator("form .btn.main")
        self._page = page

    def open(self) -> Dialog:
        """Open it from the top bar."""
        self._page.locator("button[data-readings]").click()
        expect(self.element).to_be_visible()
        return self

    def connect(self, url: str, token: str) -> Dialog:
        self.address.fill(url)
        self.token.fill(token)
        self.go.click()
        return self

    def connected(self) -> Dialog:
        """Wait until it says that it is connected, and close it."""
        expect(self.element.locator("form")).to_be_hidden()
        self._page.keyboard.press("Escape")
        expect(self.element).to_be_hidden()
        return self


class Panel:
    """The panel of a card."""

    def __init__(self, card: Card) -> None:
        self.card, self.page = card, card.page
        self.element = card.element.locator(".measure")
        self.say = self.element.locator(".measure-say")
        self.lines = self.element.locator("tbody tr")
        self.live = card.part("hw").locator('[data-live="none"]')

    def button(self, name: str) -> Locator:
        return self.element.locator(f'[data-measure="{name}"]')

    def field(self, name: str) -> Locator:
        return self.element.locator(f'[data-input="{name}"] :is(input, select)')

    def wrong(self, name: str) -> Locator:
        return self.element.locator(f'[data-input="{name}"] .wrong')

    def open(self) -> Panel:
        self.element.locator("summary").click()
        return self

    def top(self) -> float:
        """How far below the top of its card it begins, in px."""
        code = "(panel) => panel.getBoundingClientRect().top - panel.closest('.fig').getBoundingClientRect().top"
        return float(self.element.evaluate(code))

    def listen(self, place: Locator | None = None, what: str = "*") -> Callable[[], list[str]]:
        """Write down, in the page, what stands at a place from now on (what the panel says, unless another is given);
        call what is returned to read it, without repetitions."""
        code = """(place, what) => { window.said = [];
          const write = () => { const text = (what === "*" ? place : place.querySelector(what))?.textContent;
            if (text !== undefined && text !== window.said.at(-1)) window.said.push(text); };
          new MutationObserver(write).observe(place, { subtree: true, childList: true, characterData: true }); }"""
        (place or self.say).evaluate(code, what)
        return lambda: list(self.page.evaluate("window.said"))

    def start(self) -> Panel:
        expect(self.button("start")).to_be_enabled()
        self.button("start").click()
        return self

    def phase(self, name: str) -> Panel:
        """Wait for a phase of the run."""
        expect(self.element).to_have_attribute("data-phase", name)
        return self


def measuring(page: Page, site: Site, box: boxes.Running, key: str, lang: str, state: str = "") -> Panel:
    """A figure's card with its panel open and the box connected."""
    panel = Panel(visit(page, site.url, key, lang, state))
    Dialog(page).open().connect(box.url, box.token).connected()
    return panel.open()
