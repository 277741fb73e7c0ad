"""axe finds no serious fault once figures are live and folds are open: every page, both languages, both themes."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.pages import addresses, all_live, open_folds, visit
from tests.browser.serving import Site


def faults(page: Page, **options: Any) -> list[str]:
    """Serious and critical violations: rule, element, reason."""
    found = Axe().run(page, options={"resultTypes": ["violations"], **options}).response["violations"]
    return [
        f"{rule['impact']} {rule['id']}: {node['target']} {node.get('failureSummary', '')}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("place", addresses())
def test_no_serious_fault(page: Page, site: Site, place: str) -> None:
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.goto(site.url + place)
    all_live(page)
    open_folds(page)
    assert faults(page) == []
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    assert faults(page, runOnly=["color-contrast"]) == []  # nothing else depends on the theme


@pytest.mark.usefixtures("few_figures")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_serious_fault_in_what_comes_and_goes(page: Page, site: Site, theme: Literal["light", "dark"]) -> None:
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    card = visit(page, site.url, "bank_conflicts", "en", "pitch=5").answered(1)  # a sentence about a bad address
    assert card.part("problem").inner_text()
    page.locator("form.ex-form input.ans").first.fill("nonsense")
    page.locator("form.ex-form .btn.main").first.click()
    page.locator(".ex .say").first.wait_for()
    assert faults(page) == []
    page.set_viewport_size({"width": 360, "height": 780})
    page.locator("details.drawer").evaluate("drawer => drawer.open = true")
    assert faults(page) == []
