"""`gpubook readings`: from tables of readings to the files that figures are handed, so that none is typed.

`chapters/recorded/tables/<gpu>/` holds tables as they were taken, and `tables.toml` says where they come from.
Each of its tables `[name]` becomes `chapters/recorded/<gpu>/<name>.json`, for the figures whose `experiment` is
that name. A CSV has a row a reading; its columns lane0 … lane31 become one list, an empty cell becomes null. JSON
is an object of numbers, or of objects by a whole number: `columns` says which of them stand side by side in a row.
"""

import csv
import json
import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

from bookbuild import shape, tables
from bookbuild.places import Places
from bookbuild.problems import Broken, Problem, listed
from bookbuild.shape import Kind
from bookbuild.tables import Table
from sim.address_pattern import WARP_LANES, parse_pattern

Row = dict[str, Any]

DEVICE = ("gpu", "driver", "cuda", "date")
SOFTWARE = ("torch", "triton")
TABLE = Kind("a table", lambda value: isinstance(value, dict))
LANE_TABLES = Kind(
    "a table of tables of expressions in i",
    lambda value: isinstance(value, dict) and all(map(shape.TEXT_TABLE.holds, value.values())),
)
COLUMNS = Kind(
    "a table of columns, each with `from` and perhaps `only` or `at`",
    lambda value: (
        isinstance(value, dict)
        and all(
            isinstance(spec, dict) and "from" in spec and spec.keys() <= {"from", "only", "at"}
            for spec in value.values()
        )
    ),
)
LANES = [f"lane{lane}" for lane in range(WARP_LANES)]


def convert(root: Path) -> list[Path]:
    """Write the reading of every table of the book in `root`; return the files written, in order.

    `Broken` if a table cannot be read; then no file is written.
    """
    places = Places.of(root)
    texts: dict[Path, str] = {}
    problems: list[Problem] = []
    for file in sorted((places.recorded / "tables").glob("*/tables.toml")):
        listing = tables.parse(file.read_text("utf-8"), places.name(file))
        if isinstance(listing, Problem):
            problems.append(listing)
            continue
        problems += _misshapen(listing)
        for name in () if problems else _names(listing):
            reading = _reading(file.parent, listing, name)
            if isinstance(reading, Problem):
                problems.append(reading)
            else:
                texts[places.recorded / file.parent.name / f"{name}.json"] = _text(reading)
    if problems:
        raise Broken(problems)
    for path, text in texts.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    return list(texts)


def _names(listing: Table) -> list[str]:
    return [name for name, value in listing.values.items() if isinstance(value, dict)]


def _misshapen(listing: Table) -> Iterator[Problem]:
    named = dict.fromkeys(_names(listing), TABLE)
    what = "the list of tables"
    yield from shape.misshapen(
        listing, what, dict.fromkeys(DEVICE, shape.TEXT), named | dict.fromkeys(SOFTWARE, shape.TEXT)
    )
    must = {"table": shape.TEXT, "method": shape.TEXT, "inputs": TABLE}
    by_key = {"key": shape.TEXT, "columns": COLUMNS}
    for name in named:
        table = listing.inside(name)
        if str(table.values.get("table", "")).endswith(".json"):
            yield from shape.misshapen(table, f"the table {name!r}", must | by_key, {"lanes": LANE_TABLES})
        else:
            yield from shape.misshapen(table, f"the table {name!r}", must, {"lanes": LANE_TABLES})


def _reading(folder: Path, listing: Table, name: str) -> dict[str, Any] | Problem:
    """Return one reading as the JSON file will hold it."""
    table = listing.inside(name)
    file = folder / table.values["table"]
    if not file.is_file():
        return table.problem(
            f"there is no {file.name!r}", f"there are {listed(p.name for p in folder.iterdir())}", "table"
        )
    text = file.read_text("utf-8")
    try:
        inputs = dict(table.values["inputs"])
        for what, expressions in table.values.get("lanes", {}).items():
            inputs[what] = {key: list(parse_pattern(expression)) for key, expression in expressions.items()}
        rows = _from_json(text, table) if file.suffix == ".json" else _from_csv(text)
    except (ValueError, csv.Error) as error:
        return table.problem(f"{file.name} cannot be read: {error}", "see the other tables of this file", "table")
    return {
        **{key: listing.values[key] for key in DEVICE[:-1]},
        **{key: listing.values.get(key) for key in SOFTWARE},
        "date": listing.values["date"],
        "method": table.values["method"],
        "inputs": inputs,
        "rows": rows,
    }


def _from_csv(text: str) -> list[Row]:
    rows = []
    for number, cells in enumerate(csv.DictReader(StringIO(text), strict=True), 2):
        if None in cells or None in cells.values():
            raise ValueError(f"line {number} has another number of cells than the head")
        row: Row = {key: _value(cell) for key, cell in cells.items() if key not in LANES}
        if LANES[0] in cells:
            if missing := [lane for lane in LANES if lane not in cells]:
                raise ValueError(f"the head has {LANES[0]} and not {missing[0]}; a warp has {WARP_LANES} lanes")
            row["lanes"] = [int(cells[lane]) for lane in LANES]
        rows.append(row)
    return rows


def _value(cell: str) -> int | float | str | None:
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return cell or None


def _from_json(text: str, table: Table) -> list[Row]:
    """Lay the columns that `tables.toml` names side by side, by their key; what it does not name stays out."""
    measured = json.loads(text)
    key, columns = table.values["key"], table.values["columns"]
    rows: dict[int, Row] = {}
    for column, spec in columns.items():
        if spec["from"] not in measured:
            raise ValueError(f"it has no {spec['from']!r}; it has {listed(measured)}")
        found = measured[spec["from"]]
        if "at" not in spec and not isinstance(found, dict):
            raise ValueError(f"{spec['from']!r} is one number, {found!r}; say with `at` which {key} it is for")
        by_key = {spec["at"]: found} if "at" in spec else {int(at): value for at, value in found.items()}
        for at in spec.get("only", by_key):
            if at not in by_key:
                raise ValueError(f"{spec['from']!r} has nothing at {at}; it has {listed(map(str, by_key))}")
            rows.setdefault(at, {key: at, **dict.fromkeys(columns)})[column] = by_key[at]
    return [rows[at] for at in sorted(rows)]


def _text(reading: dict[str, Any]) -> str:
    """Write JSON with one row a line, so that a change of one reading is a change of one line."""
    head = {key: value for key, value in reading.items() if key != "rows"}
    rows = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in reading["rows"])
    spread = json.dumps(head, ensure_ascii=False, indent=1)[:-2]
    lists_in_lines = re.sub(r"\[\s+([^][{}]*?)\s+\]", lambda found: f"[{' '.join(found[1].split())}]", spread)
    return f'{lists_in_lines},\n "rows": [\n{rows}\n ]\n}}\n'
