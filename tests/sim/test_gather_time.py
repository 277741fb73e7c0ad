"""A gather's time by its bytes: by hand, against the box's own working, against the readings, and refusals."""

import doctest
import json
from pathlib import Path

import pytest

import sim.gather_time
from sim.coalescing import simulate, strided
from sim.gather_time import gather_bytes, gather_us

ROOT = Path(__file__).parents[2]
ROWS = json.loads((ROOT / "chapters/recorded/h200/strided_copy.json").read_text("utf-8"))["rows"]
IN_A_ROW = simulate(strided(4))


def test_docstring_examples_hold():
    result = doctest.testmod(sim.gather_time)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['stride']}+{row['offset']}" for row in ROWS])
def test_bytes_and_time_are_those_that_the_box_worked_out(row):
    access = simulate(strided(4, row["stride"], 4 * row["offset"]))
    assert gather_bytes(access, row["n"]) == row["bytes_moved"]
    assert gather_us(access, IN_A_ROW, ROWS[0]["us"]) == pytest.approx(row["model_us"], rel=1e-5)


def test_up_to_a_sector_a_lane_the_readings_are_within_a_tenth_and_beyond_they_are_longer():
    for row in ROWS:
        if row["offset"] == 0:
            apart = gather_us(simulate(strided(4, row["stride"])), IN_A_ROW, ROWS[0]["us"]) / row["us"] - 1
            assert abs(apart) < 0.11 if row["stride"] <= 8 else apart < -0.2


def test_by_hand():
    """A warp that reads every second float: 8 sectors of 32 bytes, and 128 bytes stored."""
    assert gather_bytes(simulate(strided(4, 2)), 32) == 8 * 32 + 128
    assert gather_bytes(simulate(strided(16), 16), 64) == 2 * (512 + 512)


@pytest.mark.parametrize("elements", [0, 31, 33, 64.0, True, 2**41])
def test_other_numbers_of_elements_are_refused(elements):
    with pytest.raises(ValueError, match=r"^elements is"):
        gather_bytes(IN_A_ROW, elements)


def test_lanes_that_are_off_and_times_that_are_none_are_refused():
    half = simulate([4 * lane if lane % 2 else -1 for lane in range(32)])
    with pytest.raises(ValueError, match=r"^16 lanes load; all 32"):
        gather_us(half, IN_A_ROW, 1.0)
    for us in (0, -1.0, float("nan"), float("inf"), 2e9):
        with pytest.raises(ValueError, match=r"^in_a_row_us is"):
            gather_us(IN_A_ROW, IN_A_ROW, us)
