"""A box that stops, dies, comes back or is shared: the page says so, shows the recording meanwhile, and goes on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import Watch
from tests.browser.pages import LANGUAGES, Card
from tests.browser.panel import BROKEN, Panel, box_for, measuring, says
from tests.browser.serving import Site
from tests.browser.test_box_runs import recorded
from tests.gpu_backend import boxes

pytestmark = pytest.mark.usefixtures("few_figures")
Visitor = Callable[..., BrowserContext]
SLOW = boxes.fake(pace=1.5)
NOTICED_MS = 5000
"""From the last sign of life to the sentence: the issue's bound."""

LAST = """panel => {
  const now = () => performance.timeOrigin + performance.now();
  [window.heard, window.noticed] = [now(), 0];
  new MutationObserver(() => { if (panel.dataset.phase === "lost") window.noticed ||= now(); })
    .observe(panel, { attributes: true, attributeFilter: ["data-phase"] });
}"""


def begun(page: Page, site: Site, box: boxes.Running, lang: str = "en", state: str = "stride=5") -> Panel:
    """A run whose first rows have come."""
    panel = measuring(page, site, box, "coalescing", lang, state)
    panel.start()
    expect(panel.lines.first).to_be_visible()
    return panel


def test_a_stopped_box_is_noticed_within_five_seconds_and_may_come_back(page: Page, site: Site, watch: Watch) -> None:
    watch.expect(f"{BROKEN}|/health net::ERR_ABORTED")
    told = says("en")
    with box_for(site, child=SLOW) as box:
        panel = begun(page, site, box)
        panel.element.evaluate(LAST)
        box.pause()
        panel.phase("lost")
        waited = page.evaluate("window.noticed - window.heard")
        print(f"noticed after {waited:.0f} ms")
        assert 2500 < waited < NOTICED_MS
        expect(panel.say).to_contain_text(told["lost"])
        expect(panel.live.first).to_have_text(told["liveNone"])
        expect(page.locator("[data-readings]")).to_have_text(told["barLost"])
        expect(panel.card.part("hw")).not_to_contain_text("fake")  # back to the recording
        expect(panel.button("tryAgain")).to_be_focused()

        box.resume()
        expect(panel.say).to_contain_text(told["back"])
        panel.button("tryAgain").click()
        expect(panel.lines).to_have_count(1)
        expect(panel.button("stop")).to_be_focused()
        page.keyboard.press("Enter")
        panel.phase("stopped")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_box_killed_mid_run_and_started_again(page: Page, site: Site, watch: Watch, lang: str) -> None:
    watch.expect(f"{BROKEN}|401")
    told = says(lang)
    with box_for(site, child=SLOW) as box:
        panel = begun(page, site, box, lang)
        box.kill()
        panel.phase("lost")
        expect(panel.say).to_contain_text(told["lost"])
        panel.button("tryAgain").click()  # it is still gone: the doctor says so
        finding = page.locator("dialog .finding")
        expect(finding).to_contain_text(told["doctor"]["nothing"]["says"].format(address=box.url))
        page.keyboard.press("Escape")
        expect(panel.button("connect")).to_be_focused()

    with box_for(site, child=boxes.fake(), port=box.port) as again:  # under the same address and token
        panel.button("connect").click()
        page.locator("dialog form .btn.main").click()
        expect(page.locator("dialog form")).to_be_hidden()
        page.keyboard.press("Escape")
        panel.start().phase("done")
        expect(panel.lines).to_have_count(len(recorded("strided_copy")))
        again.kill()
    with box_for(site, port=box.port, token="another-token-after-a-start"):
        panel.start()  # the page has not asked since
        finding = page.locator("dialog .finding")
        expect(finding).to_contain_text(told["doctor"]["token"]["says"].format(address=box.url))


def test_eight_tabs_at_once_all_get_their_run(site: Site, reader: BrowserContext, watch: Watch) -> None:
    """Six streams of one host are all that HTTP/1.1 gives a browser."""
    told = says("en")
    with box_for(site, child=boxes.fake(pace=0.03)) as box:
        panels: list[Panel] = []
        for _ in range(8):
            page = reader.new_page()
            page.goto(f"{site.url}en/memory/#box?token={box.token}&address={box.url}")
            panels.append(ready(page))
        for panel in panels:
            panel.button("start").evaluate("button => button.click()")
        waits = [told["waiting"], told["next"]]
        assert any(panel.say.text_content() in waits for panel in panels[1:])
        for panel in panels:
            panel.phase("done")
            expect(panel.lines).to_have_count(len(recorded("strided_copy")))
        for panel in panels:
            panel.page.close()


def ready(page: Page) -> Panel:
    """The panel of a page that knows its box, open and connected."""
    panel = Panel(Card(page, "coalescing").live()).open()
    expect(panel.button("start")).to_be_enabled()
    return panel


def test_two_readers_wait_for_each_other_and_leaving_frees_the_box(site: Site, visitor: Visitor, page: Page) -> None:
    told = says("en")
    with box_for(site, child=SLOW) as box:
        first = begun(page, site, box)
        other = visitor().new_page()
        panel = measuring(other, site, box, "coalescing", "en")
        panel.start()
        expect(panel.say).to_have_text(told["next"])
        first.page.goto("about:blank")
        expect(panel.lines.first).to_be_visible()
        panel.button("stop").click()
