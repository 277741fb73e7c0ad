"""Real Chromium on the built site: one browser, one server and one warm reader for each process of the tests.

Every test fails if a page or its Python worker complains, or if anything but the site is asked for
something; a test that causes complaints names them first (`watch.expect`).
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    CDPSession,
    ConsoleMessage,
    Error,
    Page,
    expect,
    sync_playwright,
)

from bookbuild import build
from bookbuild import watch as sources
from tests.browser import chromium
from tests.browser.pages import LANGUAGES, PLACES, SLUGS
from tests.browser.serving import HOST, Elsewhere, Loop, Site, only

PATIENCE_MS = int(os.environ.get("GPUBOOK_PATIENCE_MS") or 60_000)
BROWSER = "browser"
CHAPTERS = rf"^/({'|'.join(LANGUAGES)})/({'|'.join(SLUGS)})/$"
"""Paths of the chapters' pages."""
READER: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}, "reduced_motion": "reduce"}
"""What readers have unless a test says otherwise. Colours that fade keep a browser without a GPU painting for longer
than Python takes to answer; that they fade is looked at in test_looks.py."""

WHOLE = pytest.mark.parametrize("browser", [pytest.param(True, id="whole")], indirect=True)
"""Mark of tests that need what the headless shell leaves out: pages that are kept for the way back."""

expect.set_options(timeout=PATIENCE_MS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(BROWSER)
            item.add_marker(pytest.mark.flaky(reruns=2))  # a real browser on a shared machine


# ------------------------------------------------------------------------------------------------ the site


@pytest.fixture(scope="session")
def built() -> Path:
    """The folder of the built site, built anew where a source is newer."""
    PLACES.cache.mkdir(parents=True, exist_ok=True)
    with (PLACES.cache / "browser-tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two processes of tests, one build
        start = PLACES.out / "index.html"
        if not start.is_file() or start.stat().st_mtime < newest():
            build.build(PLACES)
    return PLACES.out


def newest() -> float:
    """When a source was last changed."""
    files = (file for folder in sources.folders(PLACES) for file in folder.rglob("*"))
    return max(file.stat().st_mtime for file in files if file.suffix in sources.SOURCES and file.is_file())


@pytest.fixture(scope="session")
def loop() -> Iterator[Loop]:
    running = Loop()
    yield running
    running.close()


@pytest.fixture(scope="session")
def elsewhere(loop: Loop) -> Iterator[Elsewhere]:
    proxy = Elsewhere(loop)
    yield proxy
    proxy.close()


@pytest.fixture(scope="session")
def site(loop: Loop, built: Path) -> Iterator[Site]:
    """The site as it was built, at the warm reader's address."""
    served = Site(loop, built)
    yield served
    served.close()


@pytest.fixture
def few_figures(site: Site) -> Iterator[None]:
    """Leave two figures of the warm reader's site, for tests of what is around a card: pages come sooner without the
    others."""
    site.edits[CHAPTERS] = only("coalescing", "bank_conflicts")
    yield
    del site.edits[CHAPTERS]


@pytest.fixture
def deploy(loop: Loop, built: Path) -> Iterator[Callable[..., Site]]:
    """Serve the site, or another folder, at an address of its own, for this test alone; its chapters with all their
    figures, or with those that are named."""
    served: list[Site] = []

    def serve(folder: Path = built, figures: tuple[str, ...] = ()) -> Site:
        served.append(Site(loop, folder))
        if figures:
            served[-1].edits[CHAPTERS] = only(*figures)
        return served[-1]

    yield serve
    for each in served:
        each.close()


# --------------------------------------------------------------------------------------------- the browser


class Watch:
    """What pages and workers complain of, and which Python workers were started."""

    def __init__(self, browser: Browser, elsewhere: Elsewhere) -> None:
        self.complaints: list[str] = []
        self.expected: list[str] = []
        self.workers: list[str] = []
        """Target ids of the SharedWorkers, in the order they came."""
        self._elsewhere = elsewhere
        self._sessions: dict[str, str] = {}
        self._cdp: CDPSession = browser.new_browser_cdp_session()
        self._cdp.on("Target.targetCreated", self._created)
        self._cdp.on("Target.attachedToTarget", self._attached)
        self._cdp.on("Target.receivedMessageFromTarget", lambda event: self._heard(json.loads(event["message"])))
        self._cdp.send("Target.setDiscoverTargets", {"discover": True})

    def expect(self, pattern: str) -> None:
        """Let complaints that match this pass: the test causes them."""
        self.expected.append(pattern)

    def begin(self) -> None:
        self.complaints, self.expected, self.workers, self._elsewhere.hosts = [], [], [], []

    def end(self) -> None:
        unexpected = [
            text for text in self.complaints if not any(re.search(pattern, text) for pattern in self.expected)
        ]
        assert unexpected == []
        assert self._elsewhere.hosts == []

    def over(self, context: BrowserContext) -> BrowserContext:
        """Watch all pages of a context."""
        context.on("console", self._console)
        context.on("weberror", lambda error: self.complaints.append(f"error: {error.error}"))
        context.on("request", lambda request: self._asked(request.url))
        context.on("requestfailed", lambda request: self._failed(request.url, request.failure or ""))
        return context

    def in_worker(self, target: str, code: str) -> None:
        """Run code in a SharedWorker, without waiting for it."""
        self._send(target, "Runtime.evaluate", expression=code)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text} ({message.location.get('url', '')})")

    def _asked(self, url: str) -> None:
        where = urlsplit(url)
        if where.scheme not in ("data", "blob", "file") and where.hostname != HOST:
            self.complaints.append(f"another host was asked: {url}")

    def _failed(self, url: str, why: str) -> None:
        if why == "net::ERR_ABORTED" and "/worker.js?" in url:
            return  # the page that first asked for the shared worker was left; the worker has its script
        if why == "net::ERR_ABORTED" and url.endswith("/runs"):
            return  # a box's stream that was left; Chromium says it of some that were read to their end, too
        self.complaints.append(f"failed: {url} {why}")

    # A SharedWorker belongs to no page, so that Playwright does not see it.

    def _created(self, event: Any) -> None:
        info = event["targetInfo"]
        if info["type"] == "shared_worker":
            self.workers.append(info["targetId"])
            with suppress(Error):  # it may be gone already
                self._cdp.send("Target.attachToTarget", {"targetId": info["targetId"], "flatten": False})

    def _attached(self, event: Any) -> None:
        target = event["targetInfo"]["targetId"]
        self._sessions[target] = event["sessionId"]
        with suppress(Error):
            self._send(target, "Runtime.enable")
            self._send(target, "Log.enable")

    def _send(self, target: str, method: str, **params: Any) -> None:
        self._count = getattr(self, "_count", 0) + 1
        message = json.dumps({"id": self._count, "method": method, "params": params})
        self._cdp.send("Target.sendMessageToTarget", {"sessionId": self._sessions[target], "message": message})

    def _heard(self, message: dict[str, Any]) -> None:
        told = message.get("params", {})
        match message.get("method"):
            case "Runtime.exceptionThrown":
                details = told["exceptionDetails"]
                text = details.get("exception", {}).get("description") or details["text"]
                self.complaints.append(f"worker: {text}")
            case "Runtime.consoleAPICalled" if told["type"] in ("error", "warning", "assert"):
                self.complaints.append(f"worker {told['type']}: {[arg.get('value') for arg in told['args']]}")
            case "Log.entryAdded" if told["entry"]["level"] in ("error", "warning"):
                self.complaints.append(f"worker log: {told['entry']['text']} ({told['entry'].get('url', '')})")


@pytest.fixture(scope="session")
def browser(request: pytest.FixtureRequest, elsewhere: Elsewhere) -> Iterator[Browser]:
    """The headless shell, where there is one; the whole browser for the tests that are marked WHOLE."""
    whole = getattr(request, "param", False)
    path = (not whole and chromium.shell()) or chromium.find()
    assert path, "there is no Chromium; make browser installs one"
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=path,
            args=chromium.FLAGS,
            proxy={"server": elsewhere.url, "bypass": HOST},
            # readers' browsers keep pages for the way back; Playwright switches that off
            ignore_default_args=["--disable-back-forward-cache"],
        )
        yield running
        running.close()


@pytest.fixture(scope="session")
def watching(browser: Browser, elsewhere: Elsewhere) -> Watch:
    return Watch(browser, elsewhere)


@pytest.fixture(autouse=True)
def watch(watching: Watch) -> Iterator[Watch]:
    """Look over the test's shoulder."""
    watching.begin()
    yield watching
    watching.end()


@pytest.fixture
def visitor(browser: Browser, watch: Watch) -> Iterator[Callable[..., BrowserContext]]:
    """Open a fresh profile: no Python yet, nothing kept, nothing chosen."""
    contexts: list[BrowserContext] = []

    def arrive(**options: Any) -> BrowserContext:
        context = watch.over(browser.new_context(**{**READER, **options}))
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        return context

    yield arrive
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def reader(browser: Browser, watching: Watch) -> Iterator[BrowserContext]:
    """The profile in which Python, once started, stays warm from test to test."""
    context = watching.over(browser.new_context(**READER))
    context.set_default_timeout(PATIENCE_MS)
    yield context
    context.close()


@pytest.fixture
def page(reader: BrowserContext, watch: Watch) -> Iterator[Page]:
    """A new page of the warm reader."""
    opened = reader.new_page()
    yield opened
    opened.close()
