"""The box's panel and dialog for everyone: keyboard, screen readers, phones, both themes and languages, paper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages import visit
from tests.browser.panel import Dialog, Panel, box_for, measuring, says
from tests.browser.serving import Site
from tests.browser.test_accessibility import faults
from tests.gpu_backend import boxes

pytestmark = pytest.mark.usefixtures("few_figures")


@pytest.fixture(scope="module")
def box(site: Site) -> Iterator[boxes.Running]:
    with box_for(site, child=boxes.fake(pace=0.05)) as running:
        yield running


@pytest.mark.parametrize(("theme", "lang"), [("light", "en"), ("dark", "zh")])
def test_axe_finds_nothing_serious(
    page: Page, site: Site, box: boxes.Running, theme: Literal["light", "dark"], lang: str
) -> None:
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    panel = Panel(visit(page, site.url, "coalescing", lang)).open()
    expect(panel.button("connect")).to_be_visible()
    assert faults(page) == []
    dialog = Dialog(page).open()
    dialog.connect("my box", "")
    expect(dialog.wrong).not_to_be_empty()
    assert faults(page) == []
    dialog.connect(box.url, box.token).connected()
    panel.field("log2_n").fill("99")
    panel.start()
    expect(panel.wrong("log2_n")).not_to_be_empty()
    assert faults(page) == []
    panel.field("log2_n").fill("20")
    panel.start().phase("done")
    assert faults(page) == []
    Dialog(page).open()
    assert faults(page) == []


def test_by_keyboard_alone(page: Page, site: Site, box: boxes.Running) -> None:
    told, press = says("en"), page.keyboard.press
    panel = Panel(visit(page, site.url, "coalescing", "en"))
    panel.element.locator("summary").focus()
    press("Enter")
    expect(panel.button("connect")).to_be_visible()
    press("Tab")
    expect(panel.button("connect")).to_be_focused()
    press("Enter")
    dialog = Dialog(page)
    expect(dialog.address).to_be_focused()
    press("Control+a")
    page.keyboard.insert_text(box.url)
    press("Tab")
    page.keyboard.insert_text(box.token)
    press("Enter")
    expect(dialog.element.get_by_role("button", name=told["close"])).to_be_focused()
    press("Enter")
    expect(dialog.element).to_be_hidden()
    expect(panel.button("start")).to_be_enabled()
    panel.element.locator("summary").focus()
    for name in ("seed", "log2_n"):
        press("Tab")
        expect(panel.field(name)).to_be_focused()
    press("Control+a")
    page.keyboard.insert_text("22")
    press("Tab")
    expect(panel.button("start")).to_be_focused()
    press("Enter")
    panel.phase("done")
    expect(panel.button("start")).to_be_focused()  # where Stop was meanwhile
    expect(panel.element.locator('[role="status"]')).to_contain_text("14 rows measured")
    press("Tab")
    expect(panel.element.locator(".measure-rows")).to_be_focused()
    press("Tab")
    expect(panel.button("export")).to_be_focused()
    assert panel.button("export").evaluate("button => getComputedStyle(button).outlineStyle") != "none"
    press("Tab")
    press("Enter")  # remove
    expect(panel.lines).to_have_count(0)
    expect(panel.button("start")).to_be_focused()


def test_the_table_and_the_fields_have_names(page: Page, site: Site, box: boxes.Running) -> None:
    told = says("zh")
    panel = measuring(page, site, box, "coalescing", "zh")
    panel.start().phase("done")
    table = page.get_by_role("table", name=told["tableCaption"])
    expect(table.get_by_role("columnheader").first).to_have_text(told["columns"]["stride"])
    expect(table.get_by_role("rowheader").first).to_have_text("1")
    label = told["inputs"]["log2 of the FP32 elements gathered"]
    expect(page.get_by_role("textbox", name=label)).to_have_accessible_description("8 到 24")
    expect(page.get_by_role("region", name=told["tableCaption"])).to_be_visible()
    Dialog(page).open()
    expect(page.get_by_role("dialog", name=told["dialogTitle"])).to_be_visible()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_phone_is_wide_enough(page: Page, site: Site, box: boxes.Running, lang: str) -> None:
    told = says(lang)
    page.set_viewport_size({"width": 360, "height": 780})
    panel = Panel(visit(page, site.url, "coalescing", lang)).open()
    expect(page.locator("button[data-readings]")).to_be_hidden()  # so that the panel opens the dialog
    panel.button("connect").click()
    dialog = Dialog(page)
    dialog.connect("http://" + 60 * "long" + ".example:1/x", "")
    expect(dialog.wrong).not_to_be_empty()
    assert dialog.element.evaluate("dialog => dialog.scrollWidth <= dialog.clientWidth")
    dialog.connect(box.url, box.token).connected()
    panel.start().phase("done")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    rows = panel.element.locator(".measure-rows")
    assert rows.evaluate("rows => rows.getBoundingClientRect().right") <= 360
    expect(panel.say).to_contain_text("14")
    expect(panel.button("export")).to_have_text(told["export"])


def test_nothing_jumps_when_scripts_python_or_a_box_arrive(page: Page, site: Site, box: boxes.Running) -> None:
    page.goto(f"{site.url}en/memory/")
    card = page.locator('.fig[data-figure="coalescing"]')
    height = card.evaluate("card => { card.querySelector('.measure').replaceChildren(); return card.offsetHeight; }")
    panel = Panel(visit(page, site.url, "coalescing", "en"))
    expect(panel.element.locator("summary")).to_be_visible()
    assert card.evaluate("card => card.offsetHeight") == height, "the line had its room"
    Dialog(page).open().connect(box.url, box.token).connected()
    expect(panel.live.first).to_have_text(says("en")["liveIdle"])
    assert card.evaluate("card => card.offsetHeight") == height


def test_paper_has_the_reading_and_no_panel(page: Page, site: Site) -> None:
    panel = Panel(visit(page, site.url, "coalescing", "en")).open()
    page.emulate_media(media="print")
    expect(panel.element).to_be_hidden()
    expect(panel.card.part("hw")).to_be_visible()


def test_without_scripts_there_is_no_panel(site: Site, page: Page) -> None:
    page.goto(f"{site.url}en/memory/")
    assert page.locator(".measure").first.evaluate(
        "panel => { document.documentElement.classList.remove('js'); return getComputedStyle(panel).display; }"
    ) == "none"  # fmt: skip
