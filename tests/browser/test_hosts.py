"""Where the site may lie: the dumbest of hosts, a folder, a browser without scripts, one build after another."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import Watch
from tests.browser.pages import KEYS, LANGUAGES, PLACES, Act, Card, address, addresses, native, reads, visit, words
from tests.browser.serving import Site, plain_host

Visitor = Callable[..., BrowserContext]


def test_a_plain_file_server_under_a_sub_path_is_enough(built: Path, visitor: Visitor) -> None:
    with plain_host(built) as (url, asked):
        page = visitor().new_page()
        page.goto(url)
        page.locator('a.begin[href*="zh"]').click()
        page.locator(f'a[href*="{KEYS[0]}"]').first.click()
        card = Card(page, KEYS[0]).live()
        assert page.url.startswith(f"{url}{address(KEYS[0], 'zh')}")
        figure = native(KEYS[0], "zh")
        act = Act("preset", figure.presets[-1].name)
        card.do(act)
        figure.apply(act.action)
        card.shows(figure)
        heavy = [path for path in asked if re.search(r"\.(wasm|zip|whl)", path)]
        assert heavy
        assert all(path.endswith(".gz") for path in heavy), "what the host does not compress comes compressed"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_opened_from_a_folder_it_says_what_to_do_and_shows_what_was_built(
    built: Path, visitor: Visitor, watch: Watch, lang: str
) -> None:
    watch.expect("origin 'null'|net::ERR_FAILED")  # browsers load no modules from files
    page = visitor().new_page()
    page.goto((built / address("bank_conflicts", lang) / "index.html").as_uri())
    expect(page.locator(".notice.only-file")).to_contain_text("gpubook serve")
    as_built(page, lang)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_without_scripts_the_text_and_the_twins_are_there(
    site: Site, visitor: Visitor, watch: Watch, lang: str
) -> None:
    watch.expect(r"\.js csp$")  # that is how a script is refused
    page = visitor(java_script_enabled=False).new_page()
    page.goto(site.url + address("bank_conflicts", lang))
    expect(page.locator("noscript .notice")).to_be_visible()
    expect(page.locator(".notice.only-file")).to_be_hidden()
    as_built(page, lang)


def as_built(page: Page, lang: str) -> None:
    """The text, the numbers, the words in place of the drawing, and the table behind its fold."""
    figure = native("bank_conflicts", lang)
    card = Card(page, "bank_conflicts")
    expect(page.locator("article.text > p, article.text .noted > p").first).to_be_visible()
    for label, number, context in reads(figure):
        for told in (label, number, context):
            expect(card.part("reads")).to_contain_text(told)
    expect(card.element.locator(".canvas")).to_have_attribute("aria-label", figure.summary())
    expect(card.part("table").locator("td").first).to_be_hidden()
    card.element.locator("details.fold summary").last.click()
    expect(card.part("table").locator("td").first).to_be_visible()
    expect(card.part("summary")).to_have_text(figure.summary())
    assert card.part("table").locator("tbody tr").count() == len(figure.table().rows)


@pytest.mark.parametrize("place", addresses())
def test_every_page_has_its_title_and_main_text_without_scripts(built: Path, place: str) -> None:
    text = (built / place / "index.html").read_text("utf-8")
    assert re.search(r"<title>[^<]+</title>", text)
    assert re.search(r'<main id="main"', text)
    assert not re.search(r'(?:src|href)="(?:https?:)?//(?!127\.0\.0\.1)[^"]*\.(?:js|css|woff2?)"', text)


# --------------------------------------------------------------------------------- one build after another

CHAPTER = """+++
question = "This is build **2**. Is all of it?"
lead = "It is."
{translates}+++

## Build 2

```figure pipeline_slots
preset = "two_slots"
caption = "Build 2."
```
"""


@pytest.fixture(scope="module")
def second_build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build of another text and another simulator, under the addresses of the first: its site."""
    root = tmp_path_factory.mktemp("second") / "book"
    chapter = root / "chapters" / native_folder("pipeline_slots")
    chapter.mkdir(parents=True)
    for name in ("book.toml", "terms.toml"):
        shutil.copy(PLACES.chapters / name, root / "chapters" / name)
    for lang in LANGUAGES:
        translates = 'translates = ""\n' if lang != LANGUAGES[0] else ""
        (chapter / f"{lang}.md").write_text(CHAPTER.format(translates=translates), "utf-8")
    shutil.copytree(PLACES.recorded, root / "chapters" / "recorded")
    shutil.copytree(PLACES.sim, root / "sim", ignore=shutil.ignore_patterns("__pycache__"))
    pipeline = root / "sim" / "pipeline.py"
    code = pipeline.read_text("utf-8")
    assert code.count("plan.total_us)") == 1
    pipeline.write_text(code.replace("plan.total_us)", "plan.total_us + 2)"), "utf-8")
    # A process of its own, in which `sim` is the changed one.
    path = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path, "GPUBOOK_CACHE": str(PLACES.cache)}
    for command in ("stamp", "build"):
        subprocess.run(
            [sys.executable, "-m", "bookbuild.cli", "--root", str(root), command], env=environment, check=True
        )
    return root / "_site"


def native_folder(key: str) -> str:
    """The folder of a figure's chapter."""
    slug = address(key, LANGUAGES[0]).split("/")[1]
    return next(path.name for path in PLACES.chapters.iterdir() if path.name.endswith(f"-{slug}"))


def test_after_a_new_deployment_everything_is_new(
    deploy: Callable[..., Site], visitor: Visitor, watch: Watch, built: Path, second_build: Path, tmp_path: Path
) -> None:
    key, current = "pipeline_slots", tmp_path / "current"
    current.symlink_to(built)
    site, context = deploy(current), visitor()
    old = visit(context.new_page(), site.url, key, "en", "items=7").answered(1)
    total = native(key, "en", "items=7").values()["total_us"]
    assert number(old) == total
    current.unlink()
    current.symlink_to(second_build)

    page = context.new_page()
    card = visit(page, site.url, key, "en", "items=7").answered(1)
    expect(page.locator(".ask")).to_contain_text("This is build 2")
    assert number(card) == pytest.approx(total + 2), "code and data are of build 2"
    assert len(watch.workers) == 2, "builds share no Python"
    page.reload()
    assert number(card.live().answered(1)) == pytest.approx(total + 2)
    page.goto(f"{site.url}zh/")
    expect(page.locator('a[href*="memory/"]')).to_have_count(0)

    old.page.bring_to_front()
    old.do(Act("range", "items", 8))
    old.shows(native(key, "en", "items=8"))  # a page that is open goes on with what it was built with
    old.page.reload()
    expect(old.page.locator(".ask")).to_contain_text("This is build 2")


def number(card: Card) -> float:
    """The first readout, without its unit."""
    told = card.reads()[0][1]
    return float(told.removesuffix(words("en")("µs")).replace(",", ""))
