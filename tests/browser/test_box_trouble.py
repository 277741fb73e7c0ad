"""Runs that the box refuses, that fail there, and boxes that mean no good: told in the panel, as text."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.browser.conftest import Watch
from tests.browser.pages import LANGUAGES, visit, words
from tests.browser.panel import BROKEN, Dialog, Panel, box_for, measuring, says
from tests.browser.serving import Site
from tests.gpu_backend import boxes
from widgets.status import script_words

pytestmark = pytest.mark.usefixtures("few_figures")


@pytest.fixture(scope="module")
def box(site: Site) -> Iterator[boxes.Running]:
    with box_for(site, child=boxes.fake(pace=0.05)) as running:
        yield running


def test_a_full_queue_says_so_and_when_to_ask_again(page: Page, site: Site, watch: Watch) -> None:
    watch.expect(f"503|{BROKEN}")  # and gone at the end
    told = says("en")
    with box_for(site, child=boxes.fake(pace=0.1), queue_limit=1) as box, occupied(box):
        with occupied(box):
            panel = measuring(page, site, box, "coalescing", "en")
            expect(panel.say).to_contain_text(told["doctor"]["busy"]["short"])
            panel.start().phase("full")
            expect(panel.say).to_contain_text(told["full"])
            expect(panel.say).to_contain_text(told["inSeconds"].format(n=5))
            expect(panel.say).to_contain_text("1 runs wait, which is the limit")
            expect(panel.button("tryAgain")).to_be_focused()
        panel.button("tryAgain").click()
        panel.phase("queued")
        expect(panel.say).to_have_text(told["next"])
    panel.phase("failed")  # the box was ended, and had time to say so
    expect(panel.say).to_contain_text(told["failed"]["shutting_down"])


@contextmanager
def occupied(box: boxes.Running) -> Iterator[None]:
    """Somebody else has a run that lasts, while the block does."""
    line = http.client.HTTPConnection("127.0.0.1", box.port)
    about = {"Authorization": f"Bearer {box.token}", "Content-Type": "application/json"}
    line.request("POST", "/runs", json.dumps({"experiment": "fake_hang", "inputs": {}}), about)
    answer = line.getresponse()
    try:
        assert answer.status == 200
        yield
    finally:
        answer.close()
        line.close()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_script_of_the_box_that_does_not_come_is_named_and_asked_for_again(
    deploy: Callable[..., Site], visitor: Callable[..., BrowserContext], watch: Watch, lang: str
) -> None:
    watch.expect("503|Failed to fetch|ERR_")
    site, page = deploy(figures=("coalescing",)), visitor().new_page()

    def named(file: str) -> str:
        return script_words(words(lang))["noFile"].replace("{file}", file).replace("{status}", "")

    site.refused = "/box_facts.js$"  # a module of box_visit.js, without which nothing of the box is there
    panel = Panel(visit(page, site.url, "coalescing", lang)).open()
    expect(panel.element.get_by_role("status")).to_have_text(named("box_visit.js"))
    bar = page.locator("button[data-readings]")
    recorded = bar.inner_text()
    bar.click()
    expect(bar).to_have_text(named("box_visit.js"))
    site.refused = "/box_dialog.js$"
    for _ in range(2):  # closed and opened again
        panel.element.locator("summary").click()
    panel.button("connect").click()
    expect(panel.say).to_contain_text(named("box_dialog.js"))
    bar.click()
    expect(bar).to_have_text(named("box_dialog.js"))
    site.refused = ""
    Dialog(page).open()
    expect(bar).to_have_text(recorded)
    page.keyboard.press("Escape")
    panel.button("connect").click()
    expect(Dialog(page).element).to_be_visible()


HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=1</script>'


def test_what_a_hostile_box_sends_stays_text(page: Page, site: Site, box: boxes.Running) -> None:
    panel = measuring(page, site, box, "coalescing", "en")
    title = page.title()
    row = {"stride": HOSTILE, "offset": {"a": [HOSTILE]}, "us": HOSTILE, "model_us": None, HOSTILE: 1}
    machine = {"gpu": HOSTILE, "driver": HOSTILE, "cuda": 12, "torch": None, "triton": []}
    started = {"run": HOSTILE, "machine": machine, "points": HOSTILE, "fresh": HOSTILE}
    events = [
        ("started", started), ("row", {"row": row, "read_at": HOSTILE}), ("news", {"why": HOSTILE}),
        ("failed", {"code": HOSTILE, "why": HOSTILE}),
    ]  # fmt: skip
    body = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
    headers = {"Access-Control-Allow-Origin": "*", "Content-Type": "text/event-stream"}

    def answer(route: Route) -> None:
        route.fulfill(status=200, headers=headers, body=body)

    page.route("**/runs", answer)
    panel.start().phase("failed")
    expect(panel.say).to_contain_text("<img src=x")
    expect(panel.lines.first.locator("th")).to_contain_text("<img src=x")
    assert page.locator(".measure img, .measure script, .bar img, .hw img").count() == 0
    assert page.title() == title
    expect(panel.card.part("problem")).not_to_be_empty()  # Python says in a sentence that it cannot read it
    Dialog(page).open()
    assert page.locator("dialog img").count() == 0
    page.keyboard.press("Escape")

    body = "event: row\ndata: {nonsense\n\n"
    panel.start()
    expect(panel.say).to_contain_text(says("en")["failed"]["unreadable"])


def test_a_failure_at_the_box_is_told_in_its_words(page: Page, site: Site, box: boxes.Running) -> None:
    told = says("zh")
    panel = measuring(page, site, box, "coalescing", "zh")
    compiling = told["compiling"].format(gpu="a fake of NVIDIA H200")
    for name, code in (("fake_refuse", "refused"), ("fake_poison", "kernel"), ("fake_die", "child_gone")):
        asked = json.dumps({"experiment": name, "inputs": {"rows": 2} if name == "fake_die" else {}})
        page.route("**/runs", partial(ask_for, asked))
        panel.start().phase("failed")
        expect(panel.say).to_contain_text(told["failed"][code])
        expect(panel.say.locator("q")).to_have_attribute("lang", "en")
        page.unroute("**/runs")
        said = panel.listen()
        panel.start().phase("done")
        assert (compiling in said()) == (code != "refused"), "a fresh process compiles, and says so"


def ask_for(asked: str, route: Route) -> None:
    """Ask the box for something else than the page does."""
    route.continue_(post_data=asked)


def test_figures_that_the_box_knows_nothing_of_say_so(page: Page, site: Site, box: boxes.Running) -> None:
    def without(route: Route) -> None:
        answer = route.fetch()
        entries = [entry for entry in answer.json()["experiments"] if entry["name"] != "strided_copy"]
        changed = [{**entry, "available": False} for entry in entries]
        route.fulfill(response=answer, json={"experiments": changed})

    page.route("**/experiments", without)
    panel = measuring(page, site, box, "coalescing", "en")
    expect(panel.say).to_contain_text(says("en")["noExperiment"].format(name="strided_copy"))
    expect(panel.button("start")).to_be_disabled()
    other = Panel(visit(page, site.url, "bank_conflicts", "en")).open()
    expect(other.say).to_contain_text(says("en")["unavailable"])
