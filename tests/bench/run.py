"""Measure the book beside a stock Panel page, in one run of one Chromium: `make bench`.

Both are visited cold and then warm; which of the two comes first changes from run to run. What the rows
mean is told with them (`report.NOTES`). Nothing is asserted of times: a machine may be busy, and a target
that was missed is told as such.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import os
import platform
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Playwright, sync_playwright

from bookbuild import manuscript
from bookbuild.places import PROJECT, Places
from bookbuild.runtime import LOCK_FILE, RuntimeSupplyError
from bookbuild.runtime.lock import read_lock
from tests.bench import engines, report, stock, visits
from tests.bench.report import Measured
from tests.bench.server import Server
from tests.bench.visits import BOOK, STEPS, STOCK, Kind, Reader, Visit, WrongPage
from tests.browser import chromium
from widgets.bank_conflicts import BankConflicts

CHAPTER = "memory"  # the chapter of the figure that the stock page shows
PAGE_CHANGES = 10


class Bench:
    """One bench: where the pages are, and what was read."""

    def __init__(self, playwright: Playwright, executable: str, book: Server, stocked: Server, slugs: list[str]):
        self._playwright, self._executable = playwright, executable
        self._servers = {"book": book, "stock": stocked}
        self._chapters = [f"{book.address}en/{slug}/" for slug in slugs]
        self.measured = Measured()

    def run(self, turn: int, changes: int) -> None:
        """Visit both pages cold, then both warm."""
        order = [BOOK, STOCK] if turn % 2 == 0 else [STOCK, BOOK]
        with tempfile.TemporaryDirectory(prefix="bench-") as profiles:
            for profile in ("cold", "warm"):
                for kind in order:
                    visit = self._visit(kind, profile, Path(profiles, kind.name), changes)
                    self.measured.add(kind.name, profile, visit)
                    print(f"  {kind.name} {profile}: first answer {visit.first / 1000:.2f} s", flush=True)

    def _visit(self, kind: Kind, profile: str, folder: Path, changes: int) -> Visit:
        server = self._servers[kind.name]
        with visits.browser(self._playwright, self._executable, folder) as context:
            reader = Reader(context)
            server.take()
            visit = reader.open(self._chapters[0] if kind is BOOK else server.address, kind)
            reader.steps(visit, kind)
            visit.sent = server.take()
            check(visit, kind)
            visit.memory = self._memory(reader, kind)
            if kind is BOOK and profile == "warm":
                self._turn_pages(reader, changes)
            if reader.errors:
                raise WrongPage(f"{kind.name}: {'; '.join(reader.errors)}")
        return visit

    def each_figure(self) -> None:
        """Read the answers of every figure once, in a new profile."""
        with (
            tempfile.TemporaryDirectory(prefix="bench-") as folder,
            visits.browser(self._playwright, self._executable, Path(folder)) as context,
        ):
            reader = Reader(context)
            for address in self._chapters:
                self.measured.figures |= reader.answers(address)

    def _turn_pages(self, reader: Reader, changes: int) -> None:
        """Go through the chapters, with one answer in each."""
        for change in range(1, changes + 1):
            visit = reader.turn(self._chapters[change % len(self._chapters)], BOOK)
            if change == 1:
                self.measured.next_chapter.append(visit)
        self.measured.memory_after.append(self._memory(reader, BOOK))

    def _memory(self, reader: Reader, kind: Kind) -> int:
        if kind is BOOK:
            heap = reader.page.evaluate("document.documentElement.bookEngine.heap().then(({ heap }) => heap)")
        else:
            heap = reader.page.workers[0].evaluate("self.pyodide._module.HEAPU8.length")
        return int(heap) + reader.js_heap()


def check(visit: Visit, kind: Kind) -> None:
    """WrongPage unless the page says in the end what the figure says natively after as many steps."""
    figure = BankConflicts()
    figure.apply({"set": {"pitch": figure.pitch + 1 + STEPS}})
    if figure.summary() not in visit.said:
        raise WrongPage(f"{kind.name}: after {1 + STEPS} steps it says {visit.said!r}; it should {figure.summary()!r}")


def about(browser: str) -> list[str]:
    """Return date, versions and machine as sentences."""
    version = importlib.metadata.version
    cpu = platform.processor() or platform.machine()
    if (info := Path("/proc/cpuinfo")).is_file():
        cpu = next((line.split(":")[1].strip() for line in info.read_text().splitlines() if "model name" in line), cpu)
    return [
        f"{datetime.date.today().isoformat()}, {os.cpu_count()} cores ({cpu}), {platform.system()}, loopback;",
        f"Chromium {browser}, Pyodide {read_lock(LOCK_FILE).pyodide}, Bokeh {version('bokeh')},",
        f"Panel {version('panel')} (stock), Python {platform.python_version()} (native).",
    ]


def chapters(places: Places) -> list[str]:
    """Return the written chapters' slugs, the measured one first, then those that follow it, in a ring."""
    slugs = [chapter.slug for chapter in manuscript.load(places, []).written]
    if CHAPTER not in slugs or len(slugs) < 2:
        sys.exit(f"bench: the book needs the chapter {CHAPTER!r} and another; it has {', '.join(slugs) or 'none'}")
    if not (places.out / "en" / CHAPTER / "index.html").is_file():
        sys.exit(f"bench: {places.out} is not built; run `gpubook build` first")
    start = slugs.index(CHAPTER)
    return slugs[start:] + slugs[:start]


def main() -> None:
    """Measure and print; with --readme also write README.md."""
    parser = argparse.ArgumentParser(description="Measure the book beside a stock Panel page.")
    parser.add_argument("--runs", type=int, default=5, help="runs to take the medians of (default: 5)")
    parser.add_argument("--quick", action="store_true", help="one run with few page changes, to see that all works")
    parser.add_argument("--readme", action="store_true", help="write the readings into README.md")
    parser.add_argument("--root", type=Path, default=PROJECT, help="the book's folder (default: this project)")
    options = parser.parse_args()
    if options.runs < 1:
        parser.error(f"--runs {options.runs}: at least 1")
    runs, changes = (1, 3) if options.quick else (options.runs, PAGE_CHANGES)
    places = Places.of(options.root)
    slugs = chapters(places)
    executable = chromium.find() or sys.exit("bench: no Chromium; `make browser` installs one")

    print("Making the stock page", flush=True)
    stock_folder = places.cache / "bench" / "stock"
    stock_folder.parent.mkdir(parents=True, exist_ok=True)
    stock.make(places.cache, stock_folder, lambda line: print(f"  {line}", flush=True))
    with Server(places.out) as book, Server(stock_folder) as stocked, sync_playwright() as playwright:
        bench = Bench(playwright, executable, book, stocked, slugs)
        for turn in range(runs):
            print(f"Run {turn + 1} of {runs}", flush=True)
            bench.run(turn, changes)
        print("Moving a control of each figure", flush=True)
        bench.each_figure()
        browser = visits.version(playwright, executable)
    print("Timing the simulators", flush=True)
    simulators = engines.measure()
    text = report.text(bench.measured, engines.summary(simulators), about(browser))
    print(f"\n{engines.table(simulators)}\n\n{text}")
    if options.readme:
        report.put(PROJECT / "README.md", text)


if __name__ == "__main__":
    try:
        main()
    except (WrongPage, stock.StockChanged, RuntimeSupplyError) as wrong:
        sys.exit(f"bench: {wrong}")
