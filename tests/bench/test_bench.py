"""The bench's own sums: medians, ratios, verdicts, and what it writes where. No time is asserted."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from bookbuild.runtime.lock import LOCK_FILE, LockedFile, read_lock
from tests.bench import report, stock
from tests.bench.report import BEGIN, END, Measured
from tests.bench.visits import Visit


def measured(book_first: float = 2000, next_first: float = 600) -> Measured:
    """Three runs; the third one slow throughout, which a median leaves out."""
    found = Measured()
    for slow in (1, 1, 9):
        for profile in ("cold", "warm"):
            ours = Visit(text=200, drawn=500, first=book_first, control=30, sent=9_000_000, memory=60_000_000)
            theirs = Visit(text=400, drawn=600, first=8000, control=60, sent=18_000_000, memory=100_000_000)
            for page, visit in (("book", ours), ("stock", theirs)):
                for name in ("text", "drawn", "first", "control"):
                    setattr(visit, name, slow * getattr(visit, name))
                found.add(page, profile, visit)
        found.next_chapter.append(Visit(first=slow * next_first))
        found.memory_after.append(70_000_000)
    return found


def test_medians_leave_a_slow_run_out_and_ratios_are_of_medians() -> None:
    ratios = {target.name: target.ratio for target in report.targets(measured())}
    assert ratios == {
        "first answer, cold": 2000 / 8000,
        "first answer, warm": 2000 / 8000,
        "next chapter": 600 / 8000,
        "control, cold": 30 / 60,
        "control, warm": 30 / 60,
    }


def test_a_target_that_is_missed_is_told_and_not_raised() -> None:
    # 0.40 of stock: enough cold (0.45), not enough warm (0.30). 0.0875: not enough for a next chapter.
    told = {target.name: str(target) for target in report.targets(measured(book_first=3200, next_first=700))}
    assert told["first answer, cold"].endswith(": reached")
    assert told["first answer, warm"].endswith(": missed")
    assert told["next chapter"].endswith(": missed")


def test_the_table_has_absolute_times_beside_the_ratios() -> None:
    rows = {line.split("|")[1].strip(): line for line in report.table(measured()).splitlines()}
    assert rows["first answer from Python"].split("|")[2:9] == [
        " 2.00 s ", " 8.00 s ", " 0.25 ", " 2.00 s ", " 8.00 s ", " 0.25 ", "",
    ]  # fmt: skip
    assert "| 70.0 MB | 100.0 MB | 0.70 |" in rows["memory after ten page changes; stock: one page"]


def test_every_figures_answer_is_told_slowest_first_with_those_that_are_late() -> None:
    found = measured()
    found.figures = {"reuse": 31.4, "bars": 50.0, "late": 50.1}
    assert report.figures(found).endswith(": late 50 ms, bars 50 ms, reuse 31 ms; to reach 50 ms: missed by late.")
    del found.figures["late"]
    assert report.figures(found).endswith("to reach 50 ms: reached.")


def test_only_what_stands_between_the_markers_is_replaced(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", "utf-8")
    report.put(readme, "new")
    report.put(readme, "newer")
    assert readme.read_text("utf-8") == f"before\n{BEGIN}\nnewer\n{END}\nafter\n"


@pytest.mark.parametrize("text", ["", BEGIN, f"{END} {BEGIN}", f"{BEGIN} {BEGIN} {END}"])
def test_a_readme_without_its_markers_is_refused(tmp_path: Path, text: str) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(text, "utf-8")
    with pytest.raises(ValueError, match="each once"):
        report.put(readme, "new")
    assert readme.read_text("utf-8") == text


def test_the_stock_page_gets_the_books_own_pyodide_and_hashes_for_the_rest() -> None:
    listed = tomllib.loads(stock.LOCK_FILE.read_text("utf-8"))
    lock = read_lock(LOCK_FILE)
    assert listed["pyodide"] == lock.pyodide
    files = [LockedFile(**row) for row in listed["file"]]
    assert all(len(file.sha256) == 64 and file.size > 0 for file in files)
    assert not {file.name for file in files} & {file.name for file in lock.files}


def test_output_of_another_panel_is_refused() -> None:
    with pytest.raises(stock.StockChanged, match="0 times, and not 1"):
        stock._worker("importScripts('elsewhere.js')", "assets-00000000", [])
    with pytest.raises(stock.StockChanged, match=r"cdn\.example/a\.css"):
        stock._local('<link href="https://cdn.example/a.css"> <svg xmlns="http://www.w3.org/2000/svg">')
