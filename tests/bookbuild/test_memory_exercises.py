"""Chapter 4's exercises against arithmetic done by hand: their texts say some of these numbers in words."""

from __future__ import annotations

import runpy
from math import gcd
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "chapters" / "04-memory" / "exercises"


def exercise(name: str) -> dict[str, Any]:
    """What the file defines."""
    return runpy.run_path(str(FOLDER / f"{name}.py"))


NUMBERS = {
    "detour": 2 + 2 + 4 * 64,  # 64 floats are 2 requests; 4 warps read 64 values each
    "there_and_back": (32 + 32 * 32) / (32 + 32),
    "ragged": 2 * 6 * 6 * 2,
    "row_lives": (3 - 1) + (12 - 3) + 1 + 1,  # lines of A's row, of B for k = 3 to 11, of C, and A's own
    "key_column": 32 / 2,  # each lane uses one BF16 number of a sector of its own
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(name: str) -> None:
    assert exercise(name)["answer"]().fraction == NUMBERS[name]


def test_orders_sectors_by_the_stretch_that_the_lanes_reach() -> None:
    """Bytes from the first lane's start to the last one's end, cut at multiples of 32; a column has 32 rows."""
    found = exercise("by_sectors")
    assert found["SECTORS"] == {"a": 256 // 32, "b": 128 // 32, "c": 32, "d": 64 // 32, "e": 128 // 32 + 1}
    assert found["answer"]().keys == ("d", "b", "e", "a", "c")


def test_the_tile_along_its_rows_is_its_own_bytes_and_down_its_columns_a_sector_a_float() -> None:
    found = exercise("fetch_tile")
    assert found["SECTORS"] == {"a": 32 * 32, "b": 32 * 32, "c": 8 * 32, "d": 32 * 32 * 4 // 32}
    assert found["answer"]().key == "d"


def test_a_pitch_frees_the_columns_if_it_shares_no_factor_with_the_banks() -> None:
    found = exercise("free_pitches")
    assert set(found["answer"]().values) == {pitch for pitch in found["PITCHES"] if gcd(pitch, 32) == 1}
