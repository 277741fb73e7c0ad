"""The simulators' times natively and in Pyodide, in one table: `make bench`, or this file alone."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from bookbuild.runtime import default_cache, provide, run_python
from tests.bench import simulators, timing
from tests.bench.simulators import Simulator

PROJECT = Path(__file__).parents[2]
DEFAULT_MS, LARGEST_MS = 8.0, 50.0
"""What a simulator may take in Pyodide at its figure's default size, and at its largest."""
TOLD = 3  # of the slowest
CODE = """
import json, sys
sys.path.insert(0, "/book")
from tests.bench import simulators, timing
print(json.dumps(timing.timings(simulators.of({figures!r}))))
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One simulator's medians in ms: natively and in Pyodide, each at the default and at the largest size."""

    simulator: Simulator
    native: tuple[float, float | None]
    pyodide: tuple[float, float | None]

    @property
    def share(self) -> float:
        """The larger of the shares of both limits that it takes in Pyodide; above 1: missed."""
        default, largest = self.pyodide
        return max(default / DEFAULT_MS, (largest or 0.0) / LARGEST_MS)


def measure(figures: Collection[str] | None = None) -> list[Row]:
    """Time the simulators of some figures ("4.3"), or all of them; RuntimeSupplyError when Pyodide cannot run."""
    chosen = simulators.of(figures)
    here, there = timing.timings(chosen), in_pyodide(figures)
    return [Row(*row) for row in zip(chosen, here, there, strict=True)]


def in_pyodide(figures: Collection[str] | None = None) -> list[tuple[float, float | None]]:
    """Return `timing.timings` of Pyodide under Node: the readers' engine, without a browser."""
    mounts = {f"/book/{folder}": PROJECT / folder for folder in ("sim", "tests/bench")}
    code = CODE.format(figures=None if figures is None else sorted(figures))
    printed = run_python(provide(default_cache()), code, mounts=mounts, timeout_s=600)
    return [(default, largest) for default, largest in json.loads(printed)]


def table(rows: Sequence[Row]) -> str:
    """Return the readings, a line a simulator, in the order of the figures."""
    head = f"{'ms':27}{'natively':>17}{'Pyodide':>18}"
    lines = [head, f"{'figure':27}{'default':>8}{'largest':>9}{'default':>9}{'largest':>9}"]
    for row in rows:
        shown = "".join(f"{'—' if ms is None else f'{ms:.2f}':>9}" for ms in (*row.native, *row.pyodide))
        name = f"{row.simulator.figure:5}{row.simulator.module:21}"
        lines.append(f"{name}{shown}  {'met' if row.share <= 1 else 'missed'}")
    return "\n".join(lines)


def summary(rows: Sequence[Row]) -> str:
    """Return the slowest and how many are above a limit, as a sentence for README.md."""
    slowest = sorted(rows, key=lambda row: row.share, reverse=True)[:TOLD]
    named = []
    for row in slowest:
        times = " and ".join(f"{ms:.1f}" for ms in row.pyodide if ms is not None)
        named.append(f"{row.simulator.module} {times} ms")
    missed = sum(row.share > 1 for row in rows)
    return (
        f"A control’s move in Pyodide under Node, at the default and at the largest size, to stay within "
        f"{DEFAULT_MS:g} and {LARGEST_MS:g} ms: {missed} of {len(rows)} simulators above. Slowest: {', '.join(named)}."
    )


if __name__ == "__main__":
    measured = measure()
    print(f"{table(measured)}\n\n{summary(measured)}")
