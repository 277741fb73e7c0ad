"""Connecting a GPU box: once a visit, kept in the tab alone; and a sentence with what mends it where it fails."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from bookbuild.serve import TYPES
from tests.browser.conftest import Watch
from tests.browser.pages import LANGUAGES, Act, Card, native, visit, words
from tests.browser.panel import REFUSED, Dialog, Panel, box_for, says
from tests.browser.serving import HOST, Elsewhere, Site
from tests.gpu_backend import boxes

pytestmark = pytest.mark.usefixtures("few_figures")
Visitor = Callable[..., BrowserContext]
KEPT = "[localStorage.length && JSON.stringify(localStorage), JSON.stringify(sessionStorage)]"


@pytest.fixture(scope="module")
def box(site: Site) -> Iterator[boxes.Running]:
    with box_for(site) as running:
        yield running


def free_port() -> int:
    with socket.socket() as found:
        found.bind((HOST, 0))
        return int(found.getsockname()[1])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_once_a_visit_through_the_dialog(page: Page, site: Site, box: boxes.Running, lang: str) -> None:
    told, bar = says(lang), page.locator("[data-readings]")
    card = visit(page, site.url, "coalescing", lang)
    expect(bar).to_have_text(words(lang)("GPU readings: recorded H200"))
    panel = Panel(card).open()
    expect(panel.say).to_contain_text(told["none"])
    expect(panel.live.first).to_have_text(told["liveNone"])
    panel.button("connect").click()
    Dialog(page).connect(box.url.replace("http://", ""), box.token).connected()
    expect(bar).to_have_text(told["barLive"].format(gpu="a fake of NVIDIA H200"))
    expect(panel.live.first).to_have_text(told["liveIdle"])
    expect(panel.element.locator(":focus")).to_have_count(1)  # back where the dialog was opened

    local, kept = page.evaluate(KEPT)
    assert box.token not in str(local)
    assert box.token in kept
    assert box.token not in page.url
    page.locator('.rail a[href*="execution/"]').click()  # another chapter in the same tab
    expect(bar).to_have_text(told["barLive"].format(gpu="a fake of NVIDIA H200"))
    other = page.context.new_page()  # another tab knows nothing of it
    visit(other, site.url, "coalescing", lang)
    assert other.evaluate("sessionStorage.length") == 0
    other.close()

    dialog = Dialog(page).open()
    expect(dialog.element.locator(".machine")).to_contain_text("Triton")
    dialog.element.get_by_role("button", name=told["disconnect"]).click()
    expect(bar).to_have_text(words(lang)("GPU readings: recorded H200"))
    assert page.evaluate("sessionStorage.length") == 0


def test_a_page_from_the_box_takes_the_token_out_of_its_address(visitor: Visitor, built: Path, watch: Watch) -> None:
    watch.expect(r"/(\w+\.js|ping|health) net::ERR_ABORTED")  # pages are left before all has come
    with boxes.box(site=built) as box:
        page = visitor().new_page()
        page.goto(box.address)
        page.wait_for_url(lambda url: "token" not in url)
        page.locator('a.begin[href*="en"]').click()
        page.locator('a[href*="memory/"]').first.click()
        expect(page.locator("[data-readings]")).to_have_text(says("en")["barLive"].format(gpu="a fake of NVIDIA H200"))
        assert box.token not in page.content()

        # pasted into a page that is open: the figure keeps its state and its place in the address
        card = Card(page, "bank_conflicts").live()
        card.do(Act("range", "pitch", 33))
        card.shows(native("bank_conflicts", "en", "pitch=33"))
        place, seq = page.url, card.seq
        page.evaluate("sessionStorage.clear()")
        page.evaluate("hash => { location.hash = hash; }", f"#box?token={box.token}&address={box.url}")
        page.wait_for_url(place)
        page.wait_for_function("sessionStorage.length === 1")
        assert card.seq == seq
        card.shows(native("bank_conflicts", "en", "pitch=33"))
        expect(page.locator("main > .say.bad")).to_have_count(0)

        # without the token it asks for the token only
        fresh = page.context.new_page()
        fresh.goto(f"{box.url}/en/memory/")
        Card(fresh, "coalescing").live()
        dialog = Dialog(fresh).open()
        expect(dialog.address).to_be_hidden()
        expect(dialog.token).to_be_focused()
        dialog.token.fill(box.token)
        fresh.keyboard.press("Enter")
        dialog.connected()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_is_wrong_is_told_with_what_mends_it(
    page: Page, site: Site, box: boxes.Running, watch: Watch, lang: str
) -> None:
    watch.expect(f"{REFUSED}|401|403|404|CORS|ERR_FAILED")
    told, nobody = says(lang)["doctor"], free_port()
    visit(page, site.url, "coalescing", lang)
    dialog = Dialog(page).open()

    def finds(code: str, url: str, token: str, command: str = "", **values: Any) -> None:
        dialog.connect(url, token)
        expect(dialog.finding).to_contain_text(told[code]["says"].format(address=url, **values))
        expect(dialog.finding).to_contain_text(told[code]["fix"])
        if command:
            expect(dialog.finding.locator("code").first).to_have_text(command)

    finds("token", box.url, "wrong")
    expect(dialog.token).to_be_focused()
    finds("noToken", box.url, "")
    finds("nothing", f"http://{HOST}:{nobody}", box.token, f"gpubook-box serve --port {nobody}")
    finds("other", site.url.rstrip("/"), box.token, "gpubook-box serve")
    with boxes.box() as other:  # it takes no pages from elsewhere
        origin = site.url.rstrip("/")
        finds("origin", other.url, other.token, f"gpubook-box serve --allow-origin {origin}", origin=origin)
    with boxes.box(origins=(site.url.rstrip("/"),), port=(named := free_port())) as other:
        watch.expect("another host was asked: http://box.localhost|421")
        url = f"http://box.localhost:{named}"
        finds("host", url, other.token, "gpubook-box serve --allow-host box.localhost", host="box.localhost")
    with box_for(site, child=boxes.fake(start="dies")) as broken:
        dialog.connect(broken.url, broken.token)
        expect(dialog.finding).to_contain_text(
            re.compile(re.escape(told["failed"]["says"]) + "|" + re.escape(told["starting"]["says"]))
        )
        expect(dialog.element.locator("form")).to_be_hidden()  # connected all the same


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_address_without_sense_is_refused_at_its_field(page: Page, site: Site, watch: Watch, lang: str) -> None:
    told = says(lang)["problems"]
    visit(page, site.url, "coalescing", lang)
    dialog = Dialog(page).open()
    for typed, problem, value in (
        ("", "empty", ""), ("my box", "spaces", "my box"), ("javascript:alert(1)", "scheme", "javascript"),
        ("127.0.0.1:99999", "port", "99999"), ("http://127.0.0.1:1/x", "path", "/x"), ("me@127.0.0.1", "user", "me"),
    ):  # fmt: skip
        dialog.connect(typed, "x")
        expect(dialog.wrong).to_have_text(told[problem].format(value=value))
        expect(dialog.address).to_have_attribute("aria-invalid", "true")
        expect(dialog.address).to_be_focused()
    watch.expect(REFUSED)
    port = free_port()
    dialog.connect(f"http：//127。0。0。1：{port}", "x")
    expect(dialog.wrong).to_be_empty()
    expect(dialog.address).to_have_value(f"http://127.0.0.1:{port}")
    expect(dialog.finding.locator("code")).to_have_count(2)


BOOK = "https://book.example/"
DENIED = """navigator.permissions.query = async ({ name }) => {
  if (!["loopback-network", "local-network"].includes(name)) throw new TypeError(name);
  return { state: name === "loopback-network" ? "denied" : "prompt" };
};"""


def published(page: Page, built: Path) -> None:
    """Serve a chapter by https as a host elsewhere does, without its figures and their Python."""

    def answer(route: Route) -> None:
        path = built / route.request.url.removeprefix(BOOK)
        path = path / "index.html" if path.is_dir() else path
        content = path.read_bytes()
        if path.suffix == ".html":
            content = re.sub(
                rb'<figure class="fig.*?</figure>|<form class="ex-form.*?</form>', b"", content, flags=re.S
            )
            content = content.replace(b'class="ex"', b"")
        route.fulfill(body=content, content_type=TYPES[path.suffix])

    page.route(f"{BOOK}**", answer)
    page.goto(f"{BOOK}en/memory/")


def test_permission_and_mixed_content_have_their_own_sentences(
    visitor: Visitor, built: Path, box: boxes.Running, watch: Watch, elsewhere: Elsewhere
) -> None:
    watch.expect(
        r"another host was asked: https://book\.example|ERR_FAILED|ERR_BLOCKED|Local Network|loopback|CORS|403"
    )
    told, page = says("en")["doctor"], visitor().new_page()
    page.add_init_script(DENIED)
    published(page, built)
    dialog = Dialog(page).open()

    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    dialog.connect("http://192.168.1.9:8787", box.token)
    expect(dialog.finding).to_contain_text(told["mixed"]["says"].format(host="192.168.1.9"))
    expect(dialog.finding.locator("code")).to_have_text("ssh -N -L 8787:127.0.0.1:8787 user@192.168.1.9")
    assert asked == [], "it is refused before anything is asked"

    page.route("http://127.0.0.1:8787/**", lambda route: route.abort())  # as a browser does that was told no
    dialog.connect("http://127.0.0.1:8787", box.token)
    expect(dialog.finding).to_contain_text(told["permission"]["says"].format(origin=BOOK.rstrip("/")))
    expect(dialog.finding).to_contain_text(told["permission"]["fix"])
    elsewhere.hosts = [host for host in elsewhere.hosts if host not in BOOK]  # a connection opened ahead, not a request


@pytest.mark.parametrize("lang", LANGUAGES)
def test_words_of_all_findings_have_no_gaps(lang: str) -> None:
    values = dict.fromkeys(("address", "host", "origin", "why", "queued", "limit", "status"), "x")
    for code, told in says(lang)["doctor"].items():
        for name, sentence in told.items():
            assert "{" not in sentence.format(**values), (code, name)
