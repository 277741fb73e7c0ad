"""A run on the box from a figure's panel: rows as they come, the numbers Python makes of them, and how it may end."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Watch
from tests.browser.pages import LANGUAGES, PLACES, Act, Card, native
from tests.browser.panel import Panel, box_for, measuring, says
from tests.browser.serving import Site
from tests.gpu_backend import boxes
from widgets import card as cards
from widgets.figure import Figure

pytestmark = pytest.mark.usefixtures("few_figures")
FIRST_ROW_MS = 300
"""From the child's reading to the page: the issue's bound."""


@pytest.fixture(scope="module")
def box(site: Site) -> Iterator[boxes.Running]:
    with box_for(site, child=boxes.fake(pace=0.05)) as running:
        yield running


def recorded(experiment: str) -> list[dict[str, Any]]:
    """The rows that the fake child gives out as its own."""
    path = PLACES.recorded / "h200" / f"{experiment}.json"
    rows: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["rows"]
    return rows


def texts(card: Card) -> str:
    """The strip's text as it stands on the page, without what the page itself says where there is no live number."""
    return str(card.part("hw").evaluate(
        """strip => { const copy = strip.cloneNode(true);
          for (const none of copy.querySelectorAll('[data-live="none"]')) none.remove();
          return copy.textContent; }"""
    ))  # fmt: skip


def strip(page: Page, figure: Figure) -> str:
    """The same of the strip that is rendered here."""
    code = """html => { const box = document.createElement("div"); box.innerHTML = html;
      for (const none of box.querySelectorAll('[data-live="none"]')) none.remove();
      return box.textContent; }"""
    return str(page.evaluate(code, str(cards.hardware(figure))))


def exported(panel: Panel, folder: Path) -> dict[str, Any]:
    with panel.page.expect_download() as download:
        panel.button("export").click()
    assert re.fullmatch(r"strided_copy-a-fake-of-NVIDIA-H200-\d{4}-\d\d-\d\d\.json", download.value.suggested_filename)
    download.value.save_as(folder / "run.json")
    record: dict[str, Any] = json.loads((folder / "run.json").read_text("utf-8"))
    return record


@pytest.mark.parametrize("lang", LANGUAGES)
def test_rows_stream_and_the_strip_shows_what_python_computes(
    page: Page, site: Site, box: boxes.Running, tmp_path: Path, lang: str
) -> None:
    told = says(lang)
    panel = measuring(page, site, box, "coalescing", lang, "stride=5")
    card, rows = panel.card, recorded("strided_copy")
    address, before = page.url, panel.top()
    said = panel.listen()
    panel.start()
    panel.button("stop").wait_for()
    panel.phase("done")
    name, of = "a fake of NVIDIA H200", len(rows)
    assert [line for line in said() if f" {of}" in line][:-1] == [
        told["running"].format(gpu=name, n=n, of=of) for n in range(1, of + 1)
    ]
    expect(panel.lines).to_have_count(len(rows))
    first = [cell.inner_text() for cell in panel.lines.first.locator("th, td").all()]
    assert first[:2] == ["1", "0"]
    assert float(first[3]) == pytest.approx(rows[0]["us"], rel=1e-3)
    low, high = first[-1].split(" – ")
    assert (float(low), float(high)) == pytest.approx((rows[0]["us_p20"], rows[0]["us_p80"]), rel=1e-3)

    record = exported(panel, tmp_path)
    assert record["rows"] == rows
    assert (record["figure"], record["again"], record["spread"]) == ("coalescing", None, None)
    assert record["inputs"] == {"seed": 1, "log2_n": 23}
    figure = native("coalescing", lang, "stride=5")
    figure.apply({"live": record})
    assert not figure.error
    expect(card.part("hw").locator('[data-live="none"]')).to_have_count(
        str(cards.hardware(figure)).count('data-live="none"')
    )
    assert texts(card) == strip(page, figure), "live number and difference are Python's"
    assert any(both.live is not None for both in figure.comparisons()), "or nothing was compared"

    card.do(Act("range", "stride", 6))
    figure.apply({"set": {"stride": 6}})
    card.shows(figure)
    assert texts(card) == strip(page, figure)
    assert panel.top() == before, "nothing has moved"
    assert "live" not in page.url
    assert page.url != address, "the state that the reader chose is in the address, the run is not"

    panel.button("remove").click()
    expect(panel.lines).to_have_count(0)
    figure.apply({"live": None})
    card.part("hw").locator('[data-live="none"]').first.wait_for()
    page.wait_for_function(
        "([strip, text]) => !strip.textContent.includes(text)", arg=[card.part("hw").element_handle(), "fake of"]
    )
    assert texts(card) == strip(page, figure)


def test_the_live_column_counts(page: Page, site: Site, box: boxes.Running) -> None:
    told, of = says("zh"), len(recorded("strided_copy"))
    panel = measuring(page, site, box, "coalescing", "zh", "stride=32")
    said = panel.listen(panel.card.part("hw"), '[data-live="none"]')
    panel.start()
    panel.phase("done")
    live = said()
    counted = [told["liveRun"].format(n=n, of=of) for n in range(1, of + 1)]
    assert told["liveWaits"] in live[:2]
    assert [text for text in live if text in counted] == counted


def test_the_first_row_is_there_at_once(page: Page, site: Site, box: boxes.Running) -> None:
    panel = measuring(page, site, box, "coalescing", "en")
    waits = []
    for _ in range(3):
        panel.start()
        expect(panel.button("stop")).to_be_visible()
        panel.phase("done")
        waits.append(panel.lines.first.evaluate("line => 1000 * (line.dataset.shown - line.dataset.read)"))
    print(f"first row after {', '.join(f'{wait:.0f}' for wait in waits)} ms")
    assert min(waits) >= 0, "both are of one clock"
    assert median(waits) < FIRST_ROW_MS


def test_stopped_runs_end_at_the_box_and_keep_their_rows(page: Page, site: Site) -> None:
    with box_for(site, child=boxes.fake(pace=0.3)) as box:
        panel = measuring(page, site, box, "coalescing", "en", "stride=5")
        panel.start()
        expect(panel.lines).to_have_count(2)
        panel.button("stop").click()
        panel.phase("stopped")
        expect(panel.say).to_contain_text("Stopped after")
        expect(panel.button("start")).to_have_text(says("en")["runAgain"])
        expect(panel.button("export")).to_be_hidden()
        idle(page, box)
        panel.start()  # and another begins at once
        expect(panel.button("stop")).to_be_visible()
        expect(panel.lines.first).to_be_visible()

        page.goto(f"{site.url}en/glossary/")  # leaving ends the run too
        idle(page, box)


def idle(page: Page, box: boxes.Running) -> None:
    """Wait until the box has nothing to do."""
    code = """async ([url, token]) => {
      const told = await (await fetch(url + "/health", { headers: { Authorization: `Bearer ${token}` } })).json();
      return told.state === "idle" && told.queued === 0;
    }"""
    page.wait_for_function(code, arg=[box.url, box.token])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_inputs_that_do_not_fit_are_refused_at_their_field(
    page: Page, site: Site, box: boxes.Running, watch: Watch, lang: str
) -> None:
    watch.expect("422")
    panel = measuring(page, site, box, "coalescing", lang)
    expect(panel.element.locator('[data-input="log2_n"] label')).to_have_text(
        says(lang)["inputs"].get("log2 of the FP32 elements gathered", "log2 of the FP32 elements gathered")
    )
    panel.field("log2_n").fill("99")
    panel.start()
    expect(panel.wrong("log2_n")).to_contain_text("99")
    expect(panel.wrong("log2_n")).to_contain_text(says(lang)["range"].format(least=8, most=24))
    expect(panel.field("log2_n")).to_be_focused()
    expect(panel.field("log2_n")).to_have_attribute("aria-invalid", "true")

    # what the page lets pass the box refuses, at the same place and in its own words
    page.route("**/runs", lambda route: route.continue_(post_data=route.request.post_data.replace("17", "7")))
    panel.field("log2_n").fill("17")
    panel.start()
    expect(panel.wrong("log2_n")).to_contain_text("log2_n is 7; right is a whole number from 8 to 24")
    expect(panel.wrong("log2_n")).to_have_attribute("lang", "en")
    page.unroute("**/runs")
    panel.start().phase("done")
    expect(panel.wrong("log2_n")).to_be_empty()
