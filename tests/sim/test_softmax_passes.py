"""Three ways through a row: bytes by hand and as the box counted them, times against the readings, refusals."""

import doctest
import json
from pathlib import Path
from typing import get_args

import pytest

import sim.softmax_passes
from sim.softmax_passes import PASSES, Way, bytes_moved, from_three_passes

ROOT = Path(__file__).parents[2]
ROWS = json.loads((ROOT / "chapters/recorded/h200/online_softmax.json").read_text("utf-8"))["rows"]
WAYS = get_args(Way)


def test_docstring_examples_hold():
    result = doctest.testmod(sim.softmax_passes)
    assert result.attempted
    assert not result.failed


def test_every_way_has_its_passes():
    assert tuple(PASSES) == WAYS


@pytest.mark.parametrize("row", [row for row in ROWS if row["way"] in WAYS])
def test_bytes_are_those_that_the_box_counted(row):
    assert bytes_moved(row["way"], row["rows"], row["columns"]) == row["bytes"]


def test_where_no_cache_helps_times_follow_the_bytes_within_three_percent():
    rows = {(row["way"], row["columns"]): row["us"] for row in ROWS}
    for way in WAYS:
        us = from_three_passes(way, rows["three passes", 32768])
        assert abs(us / rows[way, 32768] - 1) < 0.03


def test_by_hand():
    assert bytes_moved("online", 3, 5, 2) == (3 * 5 + 3 * 5 + 3 * 5) * 2
    assert from_three_passes("three passes", 7.0) == 7.0


def test_refusals():
    with pytest.raises(ValueError, match=r"^way is 'two passes'; it must be one of three passes, online, one block"):
        bytes_moved("two passes", 1, 1)
    for rows, columns, says in ((0, 1, "rows is 0"), (1, 0, "columns is 0"), (2**20, 2**21, "columns is 2097152")):
        with pytest.raises(ValueError, match=f"^{says}"):
            bytes_moved("online", rows, columns)
    with pytest.raises(ValueError, match=r"^element_bytes is 0"):
        bytes_moved("online", 1, 1, 0)
    for us in (0, -1.0, float("nan"), 2e9):
        with pytest.raises(ValueError, match=r"^three_passes_us is"):
            from_three_passes("online", us)
