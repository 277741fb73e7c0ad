"""Drive the two pages alike: one visit of one page, and what the page's own clock said."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, Playwright

from tests.browser import chromium

PROBE = Path(__file__).with_name("probe.js")
LIMIT_MS = 60_000
STEPS = 10  # answers whose median is a control's
REST_MS = 150  # between two of them, for what an answer leaves to do
SETTLE_MS = 1000  # for a browser that has just started
# Hosts of the machine itself and no other: a page that points elsewhere fails at once, and the bench with it.
ALONE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"


class WrongPage(Exception):
    """A page that does not do what is measured; the message says which and what."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How a page is read: JavaScript expressions, in which `bench` is the probe's."""

    name: str
    drawn: str
    """Whether its figures are drawn."""
    ready: str
    """Whether a key counts."""
    control: str
    """The slider."""
    text: str
    """What Python computed, as text."""
    status: str
    """What the page says of its Python."""


STOCK = Kind(
    "stock",
    drawn='bench.first(".noUi-handle")?.getClientRects().length',
    # A step made earlier is lost: the page replaces what was drawn when its Python is there.
    ready='bench.times.drawn && document.body && !document.body.classList.contains("pn-loading")'
    ' && bench.first(".noUi-handle")',
    control='bench.first(".noUi-handle")',
    text='bench.first("dl")?.parentElement?.textContent',
    status='document.querySelector(".pn-loading-msg")?.textContent ?? "loaded"',
)


def book(card: str) -> Kind:
    """Return how the book's page is read at one card, given as an expression."""
    return Kind(
        "book",
        drawn='document.querySelector(".fig .plot") && !document.querySelector(".fig .plot:not([data-drawn])")',
        # Set when the card begins to listen; what is done from then on is kept for Python.
        ready=f"({card})?.dataset.seq !== undefined",
        # The first slider that acts and has a step to go; else the first that acts.
        control="((all) => all.find((range) => Number(range.value) < Number(range.max)) ?? all[0])"
        f"([...({card}).querySelectorAll('.ctl:not(.inactive):not([data-stepper]) input[type=range]')])",
        text=f"[...({card}).querySelectorAll('[data-part=reads], [data-part=summary]')]"
        ".map((e) => e.textContent).join()",
        status=f"""({card}).querySelector('[data-part="status"]').textContent""",
    )


# Figure 4.3 where it is, which is what stock shows; a page's first figure elsewhere.
BOOK = book('document.getElementById("bank_conflicts") ?? document.querySelector(".fig[data-figure]")')


@dataclass(slots=True)
class Visit:
    """One visit; times in ms from the navigation's beginning, `control` from the key."""

    text: float = 0
    drawn: float = 0
    first: float = 0
    control: float = 0
    sent: int = 0
    """Bytes of bodies that the server sent."""
    memory: int = 0
    """Bytes of the worker's wasm heap and the page's JS heap."""
    said: str = ""
    """What the page said in the end."""


@contextmanager
def browser(playwright: Playwright, executable: str, profile: Path) -> Iterator[BrowserContext]:
    """Start Chromium on a profile's folder, which may be new."""
    context = playwright.chromium.launch_persistent_context(
        profile, executable_path=executable, args=[*chromium.FLAGS, ALONE], viewport={"width": 1280, "height": 900}
    )
    try:
        context.add_init_script(path=PROBE)
        context.set_default_timeout(LIMIT_MS)
        context.pages[0].wait_for_timeout(SETTLE_MS)
        yield context
    finally:
        context.close()


def version(playwright: Playwright, executable: str) -> str:
    """Return the browser's version."""
    found: Browser = playwright.chromium.launch(executable_path=executable, args=chromium.FLAGS)
    try:
        return found.version
    finally:
        found.close()


class Reader:
    """Someone at a page: goes there, presses a key, waits for the answer."""

    def __init__(self, context: BrowserContext) -> None:
        self.page: Page = context.pages[0]
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("requestfailed", self._failed)
        self._cdp = context.new_cdp_session(self.page)

    def _failed(self, request: Any) -> None:
        if request.failure != "net::ERR_ABORTED":  # a page that was left
            self.errors.append(f"{request.url}: {request.failure}")

    def open(self, address: str, kind: Kind) -> Visit:
        """Go to an address and read text, drawing and first answer."""
        self.page.goto(address, wait_until="commit")
        return self._first(kind)

    def turn(self, address: str, kind: Kind) -> Visit:
        """Go on to another page from this one, as a link does, and read the same of it."""
        with self.page.expect_navigation(wait_until="commit"):
            self.page.evaluate("(address) => { location.href = address; }", address)
        return self._first(kind)

    def _first(self, kind: Kind) -> Visit:
        page = self.page
        page.evaluate(f"bench.when({{ drawn: () => {kind.drawn}, ready: () => {kind.ready} }})")
        page.wait_for_function("bench.times.ready")
        page.evaluate(f"({kind.control}).focus({{ preventScroll: true }})")
        self._arm(kind)
        page.keyboard.press("ArrowRight")
        first = self._answer(kind)["at"]
        page.wait_for_function("bench.times.drawn")
        return Visit(page.evaluate("bench.paint()"), page.evaluate("bench.times.drawn"), first)

    def steps(self, visit: Visit, kind: Kind, steps: int = STEPS) -> None:
        """Press on and add the median answer to the visit, and what the page says in the end."""
        answers = []
        for _ in range(steps):
            self.page.wait_for_timeout(REST_MS)
            self._arm(kind)
            self.page.keyboard.press("ArrowRight")
            answers.append(self._answer(kind)["ms"])
        visit.control = statistics.median(answers)
        visit.said = self.page.evaluate(kind.text)

    def answers(self, address: str) -> dict[str, float]:
        """Go to a page and return the median answer in ms of each of its figures' sliders."""
        self.page.goto(address)
        self.page.wait_for_function(BOOK.drawn)
        keys = self.page.eval_on_selector_all(".fig[data-figure]", "cards => cards.map((card) => card.id)")
        return {key: self._moves(book(f'document.getElementById("{key}")')) for key in keys}

    def _moves(self, kind: Kind) -> float:
        """Move a slider to and fro: away from where it stands, and back."""
        up = self.page.evaluate(
            f"((range) => {{ range.focus(); return Number(range.value) < Number(range.max); }})({kind.control})"
        )
        answers: list[float] = []
        for move in range(1 + STEPS):  # the first opens the figure
            self.page.wait_for_timeout(REST_MS)
            self._arm(kind)
            self.page.keyboard.press("ArrowRight" if up == (move % 2 == 0) else "ArrowLeft")
            answers.append(self._answer(kind)["ms"])
        return statistics.median(answers[1:])

    def _arm(self, kind: Kind) -> None:
        self.page.evaluate(f"void (bench.waiting = bench.answer(() => {kind.text}))")

    def _answer(self, kind: Kind) -> Any:
        found = self.page.evaluate(
            f"Promise.race([bench.waiting, new Promise((gone) => setTimeout(gone, {LIMIT_MS}, null))])"
        )
        if found is None:
            status = self.page.evaluate(kind.status)
            told = "; ".join([f"it says {status!r}", *self.errors])
            raise WrongPage(f"{self.page.url}: a key changed no text within {LIMIT_MS / 1000:g} s; {told}")
        return found

    def js_heap(self) -> int:
        """Bytes that the page's own scripts hold, after collecting what they do not."""
        self._cdp.send("HeapProfiler.collectGarbage")
        return int(self._cdp.send("Runtime.getHeapUsage")["usedSize"])
