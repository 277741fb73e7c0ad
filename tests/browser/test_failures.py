"""Numbers come from the Python in the page; where it fails, the page says so, and the rest of the book goes on."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import Watch
from tests.browser.pages import (
    LANGUAGES,
    PLACES,
    Act,
    Card,
    address,
    native,
    reads,
    visit,
    words,
)
from tests.browser.serving import Edit, Site, swap, within
from widgets.status import script_words

Deploy = Callable[..., Site]
Visitor = Callable[..., BrowserContext]

BOTH = ("divergence", "bank_conflicts")
"""The figures, one a page, that fail here or stand by."""
NOISE = "^(error|warning|failed|worker)"
"""What the browser tells the console of a file that is refused."""
BUNDLE = r"/runtime/book\.\w+\.zip$"
FOREVER = "Atomics.wait(new Int32Array(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer), 0, 0)"
"""Never ends, as an endless loop, but leaves the processor to the Python that comes after."""
ONE_MORE = within("sim/pipeline.py", swap("intervals(uses), plan.total_us)", "intervals(uses), plan.total_us + 1)"))


def at_three(statement: str) -> Edit:
    """Let Figure 3.2 do something else where path A is 3 slots long."""
    first = "        loops = self.pattern == LOOP\n"
    return within("widgets/divergence.py", swap(first, f"        if self.a == 3:\n            {statement}\n{first}"))


def impatient(script: bytes) -> bytes:
    """The page's line to Python with a shorter deadline for an answer: two pages have two clocks."""
    shorter, count = re.subn(rb"const DEADLINE = [\d_]+;", b"const DEADLINE = 4_000;", script)
    assert count == 1
    return shorter


def constant(name: str) -> int:
    """A span of the page's line to Python, in ms."""
    script = (PLACES.static / "js/engine.js").read_text("utf-8")
    (value,) = re.findall(rf"^const {name} = ([\d_]+);", script, re.MULTILINE)
    return int(value)


def give_up(page: Page) -> None:
    """Let the time pass after which a page gives its Python up, by its own clock and not by that of the test.

    In steps of one look at the worker: a jump over many is taken for a lid that was closed.
    """
    look, of_python = constant("WATCH"), "document.documentElement.bookEngine.generation"
    before = page.evaluate(of_python)
    for _ in range(2 * constant("DEADLINE") // look):  # what was on its way may still come, and begin the wait anew
        page.clock.run_for(look)
        if page.evaluate(of_python) != before:
            return
    raise AssertionError("the page still waits for a Python that is lost")


def test_one_added_to_a_simulator_in_the_bundle_is_on_the_page(deploy: Deploy, visitor: Visitor) -> None:
    site = deploy()
    site.edits[BUNDLE] = ONE_MORE
    card, figure = visit(visitor().new_page(), site.url, "pipeline_slots", "en"), native("pipeline_slots", "en")
    act = Act("range", "items", 7)
    card.do(act)
    card.answered(1)
    figure.apply(act.action)
    right, wrong = figure.values()["total_us"], figure.values()["total_us"] + 1
    assert card.reads()[0][1] == f"{figure.words.num(wrong, 2)}\N{NO-BREAK SPACE}µs"
    assert reads(figure)[0][1] == f"{figure.words.num(right, 2)}\N{NO-BREAK SPACE}µs"


def test_a_figure_that_raises_says_what_and_the_others_live(deploy: Deploy, visitor: Visitor) -> None:
    site, context = deploy(figures=BOTH), visitor()
    site.edits[BUNDLE] = at_three('raise RuntimeError("three is a crowd")')
    for lang in LANGUAGES:
        broken = visit(context.new_page(), site.url, "divergence", lang)
        other = visit(context.new_page(), site.url, "bank_conflicts", lang)
        broken.page.bring_to_front()
        broken.do(Act("range", "a", 3))
        told = broken.failed()
        assert "RuntimeError: three is a crowd (divergence.py:" in told
        expect(broken.element.locator('[data-do="retry"]')).to_be_visible()

        other.page.bring_to_front()
        other.do(Act("range", "pitch", 33))
        other.shows(native("bank_conflicts", lang, "pitch=33"))
        broken.page.bring_to_front()
        broken.do(Act("range", "a", 4))
        broken.live().shows(native("divergence", lang, "a=4"))


# The first SharedWorker of a page is one that nobody ever hears of, as one that is on its way out.
MUTE = """{
  const Real = SharedWorker;
  let first = true;
  globalThis.SharedWorker = function (url, options) {
    if (!first) return new Real(url, options);
    first = false;
    return new Real(URL.createObjectURL(new Blob([""], { type: "text/javascript" })));
  };
}"""


def only_first(script: bytes) -> bytes:
    """The page's line to Python with little patience for a first word, and no end of it otherwise."""
    sooner, count = re.subn(rb"const FIRST = [\d_]+;", b"const FIRST = 4_000;", script)
    endless, counted = re.subn(rb"const SILENCE = [\d_]+;", b"const SILENCE = 4_000_000;", sooner)
    assert count == counted == 1
    return endless


def test_a_worker_that_never_says_a_word_is_replaced(deploy: Deploy, visitor: Visitor) -> None:
    site, page = deploy(figures=BOTH), visitor().new_page()
    site.edits["/engine.js$"] = only_first
    page.add_init_script(MUTE)
    card = visit(page, site.url, "divergence", "en", "a=3").answered(1)
    card.shows(native("divergence", "en", "a=3"))
    assert page.evaluate("document.documentElement.bookEngine.generation") == "1"


def test_a_lost_worker_is_replaced_and_the_state_kept(deploy: Deploy, visitor: Visitor, watch: Watch) -> None:
    site, context = deploy(figures=BOTH), visitor()
    site.edits["/engine.js$"] = impatient
    other = visit(context.new_page(), site.url, "bank_conflicts", "zh", "pitch=40").answered(1)
    card, figure = visit(context.new_page(), site.url, "divergence", "en"), native("divergence", "en")
    for act in (Act("commit", "21"), Act("range", "a", 5)):
        card.do(act)
        figure.apply(act.action)
        card.shows(figure)
    for lost, (end, b, pitch) in enumerate(((FOREVER, 6, 41), ("self.close()", 7, 42)), 1):  # blocked, and dead
        assert len(watch.workers) == lost
        watch.in_worker(watch.workers[-1], end)
        card.page.bring_to_front()
        card.do(Act("range", "b", b))
        figure.apply({"set": {"b": b}})
        card.shows(figure).live()
        expect(card.part("predict")).to_contain_text(words("en")("You said {guess}.", guess="21"))

        other.page.bring_to_front()
        other.do(Act("range", "pitch", pitch))
        other.shows(native("bank_conflicts", "zh", f"pitch={pitch}")).live()
        assert len(watch.workers) == lost + 1, "the two pages share the new Python as they shared the old one"


def test_a_value_that_never_ends_is_given_up_and_the_rest_kept(deploy: Deploy, visitor: Visitor) -> None:
    site, context = deploy(figures=BOTH), visitor()
    context.clock.install()
    site.edits[BUNDLE] = at_three(f"import js; js.eval({FOREVER!r})")
    card, figure = visit(context.new_page(), site.url, "divergence", "en"), native("divergence", "en")
    card.do(Act("range", "b", 6))
    card.answered(1)
    card.do(Act("range", "a", 3))
    card.do(Act("choice", "pattern", "odd_even"))
    give_up(card.page)
    card.answered(2)  # a new Python has its state; it is given the same value, for losing one may be chance
    give_up(card.page)
    for action in ({"set": {"b": 6}}, {"set": {"pattern": "odd_even"}}):
        figure.apply(action)
    card.shows(figure).live()
    expect(card.part("problem")).to_contain_text(script_words(words("en"))["silent"])
    expect(card.control("a").locator(".range")).to_have_value(str(figure.current()["a"]))


FILES = {  # what is refused, the language, and what the sentence names
    r"/worker\.js": ("en", ""),
    r"/runtime/manifest\.": ("zh", "manifest."),
    r"/pyodide\.mjs": ("en", "pyodide.mjs"),
    r"/pyodide\.asm\.mjs": ("zh", "pyodide.asm.mjs"),
    r"/pyodide\.asm\.wasm": ("en", "pyodide.asm.wasm"),
    r"/stdlib\.": ("zh", "stdlib."),
    r"/numpy-": ("en", "numpy-"),
    r"/libs\.": ("zh", "libs."),
    r"/book\.\w+\.zip": ("en", "book."),
}


def test_any_file_of_the_runtime_may_be_missing_and_come_back(deploy: Deploy, visitor: Visitor, watch: Watch) -> None:
    watch.expect(NOISE)
    site, page = deploy(), visitor().new_page()
    site.cached = False
    card = Card(page, "pipeline_slots")
    retry = card.element.locator('[data-do="retry"]')
    for pattern, (lang, file) in FILES.items():
        site.refused = pattern
        page.goto(site.url + address(card.key, lang))
        told, says = card.failed(), script_words(words(lang))
        assert told.endswith(says["built"]), pattern
        assert (file or says["noWorker"]) in told
        expect(retry).to_be_visible()
        assert card.reads() == reads(native(card.key, lang))
    card.do(Act("range", "items", 7))
    site.refused = ""
    retry.click()
    card.live().shows(native(card.key, lang, "items=7"))
    expect(retry).to_be_hidden()


def test_a_page_opened_again_after_a_failure_starts(deploy: Deploy, visitor: Visitor, watch: Watch) -> None:
    watch.expect(NOISE)
    site, page = deploy(figures=BOTH), visitor().new_page()
    site.refused = "/libs"
    page.goto(site.url + address("divergence", "en"))
    card = Card(page, "divergence")
    card.failed()
    site.refused = ""
    page.reload()
    card.live()


@pytest.mark.parametrize(("file", "lang"), [("page", "en"), ("place", "zh")])
def test_without_the_pages_script_it_is_the_page_without_scripts(
    deploy: Deploy, visitor: Visitor, watch: Watch, file: str, lang: str
) -> None:
    watch.expect(NOISE)
    site, page = deploy(), visitor().new_page()
    site.refused = f"/{file}.js$"
    page.goto(site.url + address("pipeline_slots", lang))
    card, notice = Card(page, "pipeline_slots"), page.locator(".notice.only-in-part")
    expect(notice).to_be_visible()
    expect(card.part("predict").locator("input")).to_be_hidden()
    expect(card.part("hw")).to_be_visible()
    assert card.reads() == reads(native("pipeline_slots", lang))
    site.refused = ""
    page.reload()
    card.live()
    expect(notice).to_be_hidden()


BUSY = """addEventListener("DOMContentLoaded", () => {
  const end = performance.now() + 3000;
  while (performance.now() < end);
});"""


def test_a_page_that_is_busy_hears_of_a_failure_all_the_same(deploy: Deploy, visitor: Visitor, watch: Watch) -> None:
    watch.expect(NOISE)
    site, page = deploy(), visitor().new_page()
    site.refused = "/stdlib"
    page.add_init_script(BUSY)
    page.goto(site.url + address("pipeline_slots", "en"))
    assert "stdlib." in Card(page, "pipeline_slots").failed()
    assert page.evaluate("document.documentElement.bookEngine.generation") == "0", "of the worker that failed"


def test_without_the_drawing_script_the_page_says_so(deploy: Deploy, visitor: Visitor, watch: Watch) -> None:
    watch.expect(NOISE)
    site, page = deploy(figures=BOTH), visitor().new_page()
    site.refused = r"/bokeh\.min"
    page.goto(site.url + address("divergence", "en"))
    card = Card(page, "divergence")
    assert card.failed()
    assert card.reads() == reads(native("divergence", "en"))


def test_without_shared_workers_a_plain_one_serves(deploy: Deploy, visitor: Visitor, watch: Watch) -> None:
    page: Page = visitor().new_page()
    page.add_init_script("delete window.SharedWorker")
    card = visit(page, deploy().url, "pipeline_slots", "zh")
    card.do(Act("range", "items", 7))
    card.shows(native("pipeline_slots", "zh", "items=7"))
    assert (len(page.workers), watch.workers) == (1, [])
