"""The straight line from issue slots to cycles against readings of one H200."""

import csv
from pathlib import Path

import numpy as np
import pytest

from sim.divergence import loop, simulate
from sim.divergence_fit import CycleFit, fit

# What the kernels of divergence.csv ran: see the README beside it.
LENGTHS = {
    "L0": [1000, 1000, 1000, 1000],
    "L1": [1000, 100, 100, 100],
    "L2": [2000, 1000, 500, 250],
    "L3": [100, 4000, 100, 100],
}
PATHS = {
    "P0": [0] * 32,
    "P1": [0 if i < 16 else 1 for i in range(32)],
    "P2": [i % 2 for i in range(32)],
    "P3": [i % 4 for i in range(32)],
    "P4": [0 if i < 1 else 1 for i in range(32)],
    "P5": [i // 8 for i in range(32)],
    "P6": [i % 3 for i in range(32)],
    "P7": [0 if i < 8 else 1 if i < 24 else 2 for i in range(32)],
    "P8": [1] * 32,
    "P9": [3] * 32,
}
TRIPS = {
    "T0": [1000] * 32,
    "T1": [(i + 1) * 100 for i in range(32)],
    "T2": [5000 if i == 31 else 10 for i in range(32)],
    "T3": [2000 if i % 2 else 1000 for i in range(32)],
}

with (Path(__file__).parents[2] / "chapters/recorded/tables/h200" / "divergence.csv").open(encoding="utf-8") as file:
    ROWS = list(csv.DictReader(file))
PATH_ROWS = [row for row in ROWS if row["kernel"] == "path"]
TRIP_ROWS = [row for row in ROWS if row["kernel"] == "trip"]
PATH_TRACES = [simulate(PATHS[row["pattern"]], LENGTHS[row["lengths"]]) for row in PATH_ROWS]
TRIP_TRACES = [loop(TRIPS[row["pattern"]]) for row in TRIP_ROWS]
PATH_CYCLES = [float(row["cycles"]) for row in PATH_ROWS]
TRIP_CYCLES = [float(row["cycles"]) for row in TRIP_ROWS]


def worst_error(predicted, measured):
    return max(abs(p / m - 1) for p, m in zip(predicted, measured, strict=True))


def test_readings_are_all_there():
    assert (len(PATH_ROWS), len(TRIP_ROWS)) == (40, 4)


def test_slots_and_paths_taken_give_the_cycles_of_every_branch_within_3_percent():
    line = fit(PATH_TRACES, PATH_CYCLES)
    assert worst_error([line.cycles(trace) for trace in PATH_TRACES], PATH_CYCLES) < 0.03
    # A dependent fused multiply-add takes 4 cycles on an H100; the loop adds a little.
    assert 4 < line.cycles_per_slot < 5
    assert line.cycles_per_path > 0


def test_slots_give_the_cycles_of_every_loop_within_3_percent():
    line = fit(TRIP_TRACES, TRIP_CYCLES)
    assert worst_error([line.cycles(trace) for trace in TRIP_TRACES], TRIP_CYCLES) < 0.03
    assert line.cycles_per_path == 0
    assert 4 < line.cycles_per_slot < 5


def test_the_line_is_the_least_squares_one():
    # Normal equations: residuals are orthogonal to slots, paths taken and the constant.
    line = fit(PATH_TRACES, PATH_CYCLES)
    residuals = np.array([line.cycles(t) for t in PATH_TRACES]) - PATH_CYCLES
    for column in ([t.issue_slots for t in PATH_TRACES], [t.paths_taken for t in PATH_TRACES], [1] * 40):
        assert abs(residuals @ column) < 1e-6 * np.linalg.norm(residuals) * np.linalg.norm(column)


@pytest.mark.parametrize("wrong", ["lane_slots / 32", "longest path", "all paths", "slots without paths"])
def test_the_readings_refute_other_costs(wrong):
    lengths = [LENGTHS[row["lengths"]] for row in PATH_ROWS]
    costs = {
        "lane_slots / 32": [t.lane_slots / 32 for t in PATH_TRACES],
        "longest path": [max(p.length for p in t.phases) for t in PATH_TRACES],
        "all paths": [sum(four) for four in lengths],
        "slots without paths": [t.issue_slots for t in PATH_TRACES],
    }
    columns = [costs[wrong], [1.0] * 40]
    if wrong != "slots without paths":
        columns.append([float(t.paths_taken) for t in PATH_TRACES])
    matrix = np.array(columns, dtype=float).T
    solution = np.linalg.lstsq(matrix, np.array(PATH_CYCLES), rcond=None)[0]
    assert worst_error(matrix @ solution, PATH_CYCLES) > 0.03


def test_mean_trip_count_does_not_give_the_cycles_of_loops():
    mean = [t.lane_slots / 32 for t in TRIP_TRACES]
    slope, constant = np.polyfit(mean, TRIP_CYCLES, 1)
    assert worst_error([slope * m + constant for m in mean], TRIP_CYCLES) > 0.03


def test_recovers_a_planted_line():
    planted = CycleFit(cycles_per_slot=4.5, cycles_per_path=250.0, fixed_cycles=180.0)
    found = fit(PATH_TRACES, [planted.cycles(trace) for trace in PATH_TRACES])
    assert found.cycles_per_slot == pytest.approx(4.5)
    assert found.cycles_per_path == pytest.approx(250)
    assert found.fixed_cycles == pytest.approx(180)


@pytest.mark.parametrize(
    ("traces", "cycles", "message"),
    [
        (TRIP_TRACES, TRIP_CYCLES[:3], "4 traces but 3 readings; each trace needs one reading"),
        ([], [], "0 traces do not determine 2 numbers; vary issue slots and paths taken"),
        (TRIP_TRACES[:1], TRIP_CYCLES[:1], "1 traces do not determine 2 numbers"),
        (TRIP_TRACES[:1] * 3, TRIP_CYCLES[:3], "3 traces do not determine 2 numbers"),
        (PATH_TRACES[:2], PATH_CYCLES[:2], "2 traces do not determine 3 numbers"),
        (TRIP_TRACES, [1.0, 2.0, 3.0, float("nan")], "reading 3 is nan; cycles must be finite numbers"),
    ],
)
def test_refuses(traces, cycles, message):
    with pytest.raises(ValueError, match=message):
        fit(traces, cycles)
