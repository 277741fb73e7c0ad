"""No fake anywhere: the page, the server, the real child on Triton's interpreter, and the figure's own Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages import Act, native
from tests.browser.panel import box_for, measuring, says
from tests.browser.serving import Site
from tests.gpu_backend import boxes
from widgets import card as cards

pytest.importorskip("triton", reason="the extra `kernels` is not installed")
pytest.importorskip("torch", reason="the extra `kernels` is not installed")


def test_what_the_child_measures_is_in_the_live_cell(page: Page, site: Site, tmp_path: Path) -> None:
    with box_for(site, child=boxes.REAL) as box:
        panel = measuring(page, site, box, "coalescing", "en", "stride=2")
        panel.field("log2_n").fill("8")
        page.set_default_timeout(240_000)
        panel.start()
        expect(panel.element).to_have_attribute("data-phase", "done", timeout=240_000)
        expect(panel.say).to_contain_text(says("en")["noGpu"])
        with page.expect_download() as download:
            panel.button("export").click()
        download.value.save_as(tmp_path / "run.json")
    record = json.loads((tmp_path / "run.json").read_text("utf-8"))
    assert record["gpu"].startswith("none"), "the interpreter says that it is one"
    assert record["inputs"]["log2_n"] == 8
    assert all(row["us"] > 0 and row["error"] == 0 for row in record["rows"]), "checked against float64 by the child"

    figure = native("coalescing", "en", "stride=2")
    figure.apply({"live": record})
    assert not figure.error
    (both,) = [one for one in figure.comparisons() if one.live is not None]
    (row,) = [row for row in record["rows"] if (row["stride"], row["offset"]) == (2, 0)]
    assert both.live == row["us"]
    panel.card.do(Act("range", "stride", 3))
    panel.card.do(Act("range", "stride", 2))
    panel.card.shows(figure)
    shown = figure.words.num(both.live, both.digits)
    assert shown in str(cards.hardware(figure))
    expect(panel.card.part("hw")).to_contain_text(shown)
