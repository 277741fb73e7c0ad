"""From measured visits to the table: medians, ratios, what was to be reached, and the block in README.md."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.visits import Visit

BEGIN, END = "<!-- bench -->", "<!-- /bench -->"
NOTES = (
    "Stock is Figure 4.3 alone, as `panel convert --to pyodide-worker` makes it (`tests/bench/stock.py`), from the "
    "same server with the same compression. Cold is a new browser profile, warm the same profile in a browser "
    "started again. Times count from the navigation. First answer: ArrowRight on a slider until a text that Python "
    "computed has changed; the key is pressed as soon as it counts, which in the book is before Python is there. A "
    "control’s answer counts from the key. Memory is the worker’s wasm heap and the page’s JS heap."
)


@dataclass(slots=True)
class Measured:
    """All visits of one bench, by (page, profile): ("book" or "stock", "cold" or "warm")."""

    visits: dict[tuple[str, str], list[Visit]] = field(default_factory=dict)
    next_chapter: list[Visit] = field(default_factory=list)
    memory_after: list[int] = field(default_factory=list)
    """Bytes that the book holds after ten page changes, one for each run."""
    figures: dict[str, float] = field(default_factory=dict)
    """Median answer to a control of each figure, ms."""

    def add(self, page: str, profile: str, visit: Visit) -> None:
        """Keep a visit."""
        self.visits.setdefault((page, profile), []).append(visit)

    def median(self, page: str, profile: str, read: Callable[[Visit], float]) -> float:
        """Return the median over the runs."""
        return statistics.median(read(visit) for visit in self.visits[page, profile])


@dataclass(frozen=True, slots=True)
class Target:
    """A ratio of the book to stock that is to be reached."""

    name: str
    ratio: float
    at_most: float

    def __str__(self) -> str:
        verdict = "reached" if self.ratio <= self.at_most else "missed"
        return f"{self.name}: {self.ratio:.3f} of stock, to reach {self.at_most:.2f}: {verdict}"


def targets(measured: Measured) -> list[Target]:
    """Return what was to be reached, with the ratios of this run."""

    def ratio(profile: str, read: Callable[[Visit], float]) -> float:
        return measured.median("book", profile, read) / measured.median("stock", profile, read)

    turned = statistics.median(visit.first for visit in measured.next_chapter)
    return [
        Target("first answer, cold", ratio("cold", lambda visit: visit.first), 0.45),
        Target("first answer, warm", ratio("warm", lambda visit: visit.first), 0.30),
        Target("next chapter", turned / measured.median("stock", "warm", lambda visit: visit.first), 0.08),
        Target("control, cold", ratio("cold", lambda visit: visit.control), 0.60),
        Target("control, warm", ratio("warm", lambda visit: visit.control), 0.60),
    ]


def _seconds(ms: float) -> str:
    return f"{ms / 1000:.2f} s"


def _ms(ms: float) -> str:
    return f"{ms:.0f} ms"


def _mb(count: float) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e5 else f"{count / 1e3:.0f} kB"


ROWS: tuple[tuple[str, Callable[[Visit], float], Callable[[float], str]], ...] = (
    ("text readable (first contentful paint)", lambda visit: visit.text, _seconds),
    ("figures drawn", lambda visit: visit.drawn, _seconds),
    ("first answer from Python", lambda visit: visit.first, _seconds),
    ("answer to a control, median of ten", lambda visit: visit.control, _ms),
    ("bytes moved", lambda visit: visit.sent, _mb),
)


def table(measured: Measured) -> str:
    """Return the readings as a Markdown table."""
    lines = [
        "| | book, cold | stock, cold | ratio | book, warm | stock, warm | ratio |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for name, read, shown in ROWS:
        cells = []
        for profile in ("cold", "warm"):
            ours, theirs = (measured.median(page, profile, read) for page in ("book", "stock"))
            cells += [shown(ours), shown(theirs), f"{ours / theirs:.2f}"]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    stock_first = measured.median("stock", "warm", lambda visit: visit.first)
    turned = statistics.median(visit.first for visit in measured.next_chapter)
    lines.append(
        f"| next chapter’s first answer; stock: the page again | | | "
        f"| {_seconds(turned)} | {_seconds(stock_first)} | {turned / stock_first:.3f} |"
    )
    stock_memory = measured.median("stock", "warm", lambda visit: visit.memory)
    for name, ours in (
        ("memory, one page", measured.median("book", "warm", lambda visit: visit.memory)),
        ("memory after ten page changes; stock: one page", statistics.median(measured.memory_after)),
    ):
        lines.append(f"| {name} | | | | {_mb(ours)} | {_mb(stock_memory)} | {ours / stock_memory:.2f} |")
    return "\n".join(lines)


def spread(measured: Measured) -> str:
    """Return the least and the greatest first answer of each kind, to judge the medians by."""
    parts = []
    for (page, profile), visits in sorted(measured.visits.items()):
        firsts = [visit.first for visit in visits]
        parts.append(f"{page} {profile} {_seconds(min(firsts))} to {_seconds(max(firsts))}")
    return f"First answers from least to greatest: {', '.join(parts)}."


ANSWER_MS = 50


def figures(measured: Measured) -> str:
    """Return the answers of every figure as a sentence, slowest first, and which took too long."""
    slowest = sorted(measured.figures.items(), key=lambda told: -told[1])
    told = ", ".join(f"{key} {_ms(ms)}" for key, ms in slowest)
    late = [key for key, ms in slowest if ms > ANSWER_MS]
    verdict = f"missed by {', '.join(late)}" if late else "reached"
    return f"Answers to a control of each figure, medians of ten: {told}; to reach {ANSWER_MS} ms: {verdict}."


def text(measured: Measured, simulators: str, about: Sequence[str]) -> str:
    """Return everything, as Markdown; `simulators` is the sentence on these."""
    runs = len(measured.next_chapter)
    head = f"Medians of {runs} run{'s' if runs > 1 else ''}, book and stock in turn. " + " ".join(about)
    reached = "\n".join(f"- {target}" for target in targets(measured))
    return "\n\n".join([head, NOTES, table(measured), reached, spread(measured), figures(measured), simulators])


def put(readme: Path, block: str) -> None:
    """Write the block between the markers of a README; ValueError unless both are there once, in order."""
    whole = readme.read_text("utf-8")
    if whole.count(BEGIN) != 1 or whole.count(END) != 1 or whole.index(BEGIN) > whole.index(END):
        raise ValueError(f"{readme.name}: {BEGIN} and then {END} are needed, each once")
    before, after = whole.split(BEGIN)[0], whole.split(END)[1]
    readme.write_text(f"{before}{BEGIN}\n{block}\n{END}{after}", "utf-8")
