"""No fake anywhere: the page, the server, the real child on Triton's interpreter, and the figure's own Python.

The interpreter takes minutes for what an H200 gathers in 17 µs, and a figure sets only equal sizes side by side; so the
site of this test has the recording of a gather of 256 floats, by its `n`. What is live is measured.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.pages import Act, native, readings, words
from tests.browser.panel import box_for, measuring, says
from tests.browser.serving import Site, within
from tests.gpu_backend import boxes
from widgets import card as cards
from widgets.coalescing import Coalescing

pytest.importorskip("triton", reason="the extra `kernels` is not installed")
pytest.importorskip("torch", reason="the extra `kernels` is not installed")

LOG2_N = 8
BUNDLE = r"/runtime/book\.\w+\.zip$"
PATIENCE_MS = 240_000


def smaller(some: list[Any]) -> list[Any]:
    """The figure's recordings, with the gather's said to be of as many floats as the interpreter does soon."""
    made = json.loads(json.dumps(some))
    (gather,) = [reading for reading in made if reading["recording"] == "strided_copy"]
    for row in gather["rows"]:
        row["n"] = 1 << LOG2_N
    return list(made)


def test_what_the_child_measures_is_in_the_live_cell(
    deploy: Callable[..., Site], visitor: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    site, page = deploy(figures=("coalescing",)), visitor().new_page()
    site.edits[BUNDLE] = within(
        "book/readings/coalescing.json", lambda text: json.dumps(smaller(json.loads(text))).encode()
    )
    with box_for(site, child=boxes.REAL) as box:
        panel = measuring(page, site, box, "coalescing", "en", "stride=5")
        panel.field("log2_n").fill(str(LOG2_N))
        panel.start()
        expect(panel.element).to_have_attribute("data-phase", "done", timeout=PATIENCE_MS)
        expect(panel.say).to_contain_text(says("en")["noGpu"])
        with page.expect_download() as download:
            panel.button("export").click()
        download.value.save_as(tmp_path / "run.json")
    record = json.loads((tmp_path / "run.json").read_text("utf-8"))
    assert record["gpu"].startswith("none"), "the interpreter says that it is one"
    assert record["inputs"] == {"seed": 1, "log2_n": LOG2_N}
    assert all(row["us"] > 0 and row["error"] == 0 for row in record["rows"]), "checked against float64 by the child"

    figure = Coalescing(words("en"), smaller(readings("coalescing")), **native("coalescing", "en").built)
    figure.restore("stride=5")
    figure.apply({"live": record})
    assert not figure.error
    (both,) = [one for one in figure.comparisons() if one.live is not None]
    (row,) = [row for row in record["rows"] if (row["stride"], row["offset"]) == (5, 0)]
    assert both.live == row["us"]
    shown = figure.words.num(both.live, both.digits)
    expect(panel.card.part("hw").locator(".v", has_text=shown).first).to_be_visible()
    panel.card.do(Act("range", "stride", 6))
    figure.apply({"set": {"stride": 6}})
    panel.card.shows(figure)
    assert cards.hardware(figure).striptags() == panel.card.part("hw").evaluate(
        "strip => strip.textContent.replace(/\\s+/g, ' ').trim()"
    )
