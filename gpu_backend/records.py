"""A record: one experiment on one machine as a small JSON file that figures are handed.

Its keys are those of the readings made from tables (`gpubook readings`): gpu, driver, cuda, torch, triton, date,
method, inputs, rows. Beyond them: `figure`; `again`, the rows of a second recording by another process, in the same
order; and `spread`, how far the two are apart: the median and the largest relative difference of `us` (or of the first
other time).
"""

import json
import re
from collections.abc import Sequence
from datetime import date
from math import floor, isfinite, log10
from pathlib import Path
from statistics import median
from typing import Any

from gpu_backend.experiments.experiment import Row

DIGITS = 6
TIMES = ("us", "cycles", "graph_ms", "result_us", "graph_copy_us", "group_ms")


def rounded(value: Any) -> Any:
    """Numbers with six significant digits (whole numbers as they are), so that records stay small; no NaN."""
    if isinstance(value, float):
        if not isfinite(value):
            raise ValueError(f"a record has the number {value}; it must be finite, or null")
        if value == 0:
            return 0.0
        digits = DIGITS - 1 - floor(log10(abs(value)))
        return round(value, digits)
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list | tuple) else value


def spread(rows: Sequence[Row], again: Sequence[Row]) -> dict[str, float | str] | None:
    """How far the times of two recordings are apart; None if there are no times. ValueError if rows do not pair."""
    if len(rows) != len(again):
        raise ValueError(f"one recording has {len(rows)} rows, the other {len(again)}")
    column = next((name for name in TIMES if any(row.get(name) for row in rows)), None)
    if column is None:
        return None
    apart = [
        abs(other[column] - row[column]) / row[column]
        for row, other in zip(rows, again, strict=True)
        if row.get(column) and other.get(column)
    ]
    return {"of": column, "median": median(apart), "largest": max(apart)} if apart else None


def record(head: dict[str, Any], method: str, inputs: dict[str, Any], figure: str | None,
takes: Sequence[Sequence[Row]],
           today: date | None = None) -> dict[str, Any]:  # fmt: skip
    """Put a record together from one recording or two."""
    rows, *others = takes
    made: dict[str, Any] = rounded(
        {
            **head,
            "date": (today or date.today()).isoformat(),
            "method": method,
            "inputs": inputs,
            "figure": figure,
            "spread": spread(rows, others[0]) if others else None,
            "rows": list(rows),
            "again": list(others[0]) if others else None,
        }
    )
    return made


def text(record: dict[str, Any]) -> str:
    """JSON with one row a line, so that a change of one reading is a change of one line."""
    lists = {key: value for key, value in record.items() if key in ("rows", "again") and value is not None}
    head = {key: value for key, value in record.items() if key not in ("rows", "again")}
    spread_out = json.dumps(head, ensure_ascii=False, indent=1, allow_nan=False)[:-2]
    in_lines = re.sub(r"\[\s+([^][{}]*?)\s+\]", lambda found: f"[{' '.join(found[1].split())}]", spread_out)
    for key, rows in lists.items():
        lines = ",\n".join("  " + json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows)
        in_lines += f',\n "{key}": [\n{lines}\n ]'
    if "again" not in lists:
        in_lines += ',\n "again": null'
    return in_lines + "\n}\n"


def write(folder: Path, name: str, record: dict[str, Any]) -> Path:
    """Write `<folder>/<name>.json`; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(text(record), "utf-8")
    return path
