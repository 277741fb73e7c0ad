"""Pictures of every figure for looking at: `make shots` writes them into shots/.

Each figure as built and after one interaction (its second preset), in every language, light and dark, at
1440 and 360 px: `shots/<figure>.<lang>.<theme>.<width>.<built|moved>.png`.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import threading
from pathlib import Path

from aiohttp import web
from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))

import chromium

from bookbuild import serve
from bookbuild.places import PROJECT, Places

WIDTHS = {1440: 1000, 360: 780}
PATIENCE_MS = 60_000


def served(folder: Path) -> str:
    """Serve the built site from a thread and return its address."""
    ready, addresses = threading.Event(), []

    async def run() -> None:
        runner = web.AppRunner(serve.application(folder), access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        addresses.append(runner.addresses[0][1])
        ready.set()
        await asyncio.Event().wait()

    threading.Thread(target=asyncio.run, args=(run(),), daemon=True).start()
    ready.wait()
    return f"http://127.0.0.1:{addresses[0]}/"


def shoot(page: Page, address: str, path: str, out: Path) -> int:
    """Take a page's pictures; return how many. One context for all: Python starts once."""
    lang, taken = path.split("/")[0], 0
    for theme in ("light", "dark"):
        for width, height in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            page.goto(address + path)
            page.add_style_tag(content=".bar { position: static !important }")
            for figure in page.locator(".fig").all():
                key = figure.get_attribute("data-figure")
                page.locator(f'#{key}[data-state="live"]').wait_for(timeout=PATIENCE_MS)
                for state in ("built", "moved"):
                    if state == "moved":
                        figure.locator(".chip").nth(1).click()
                        page.locator(f'#{key}:not([data-seq="0"])').wait_for(timeout=PATIENCE_MS)
                    figure.screenshot(path=out / f"{key}.{lang}.{theme}.{width}.{state}.png")
                    taken += 1
    return taken


def main() -> None:
    """Take all pictures of the built site."""
    site, out = Places.of(PROJECT).out, PROJECT / "shots"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    address = served(site)
    paths = sorted(str(path.parent.relative_to(site)) + "/" for path in site.glob("*/*/index.html"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=chromium.FLAGS)
        page = browser.new_page()
        taken = sum(shoot(page, address, path, out) for path in paths)
        browser.close()
    print(f"{taken} pictures in {out.name}/")


if __name__ == "__main__":
    main()
