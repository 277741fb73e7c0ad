"""The warps of an SM against both laws they come from, against the clock, and refusals."""

import doctest
import json
import random
from pathlib import Path

import pytest

import sim.enough_warps
from sim.enough_warps import MAX_CYCLES, Ramp, simulate, table_latency_ns
from sim.gpus import gpu, names
from sim.latency_hiding import steady_share
from sim.littles_law import in_flight

ROOT = Path(__file__).parents[2]


def test_docstring_examples_hold():
    result = doctest.testmod(sim.enough_warps)
    assert result.attempted
    assert not result.failed


def traces(count):
    rng = random.Random(35)
    for _ in range(count):
        key = rng.choice(names())
        most = gpu(key).sm.warps // 4
        given = {
            "warps_per_scheduler": rng.randint(1, most), "issue_cycles": rng.randint(1, 4),
            "latency_cycles": rng.randint(1, 56), "bytes_per_load": rng.choice([1, 2, 4, 8, 16]),
            "loads_per_thread": rng.randint(1, 8), "memory_ns": rng.uniform(50, 1500),
        }  # fmt: skip
        yield key, given, simulate(key, **given)


def test_the_ramps_are_the_two_laws_at_every_number_of_warps():
    for key, given, trace in traces(200):
        for warps in range(1, trace.slots // 4 + 1):
            law = steady_share(warps, given["issue_cycles"], given["latency_cycles"])
            assert trace.busy.share(4 * warps) == pytest.approx(law, rel=1e-12)
        for warps in range(1, trace.slots + 1):
            reached = in_flight(
                peak_gb_per_s=gpu(key)["bandwidth"].value, latency_ns=given["memory_ns"], sms=gpu(key).sms,
                warps_per_sm=warps, bytes_per_load=given["bytes_per_load"], loads_per_thread=given["loads_per_thread"],
            )  # fmt: skip
            assert trace.bandwidth.share(warps) == pytest.approx(reached.peak_share, rel=1e-12)
        assert trace.memory.knee_warps - 1 < trace.bandwidth.corner <= trace.memory.knee_warps * (1 + 1e-12)


def test_the_timeline_shows_whole_periods_and_its_share_is_the_steady_one():
    for _, given, trace in traces(200):
        assert trace.period == given["issue_cycles"] - 1 + given["latency_cycles"]
        assert 0 < trace.timeline.cycles <= MAX_CYCLES < trace.timeline.cycles + trace.period
        assert trace.timeline.cycles % trace.period == 0
        assert trace.timeline.busy_share == pytest.approx(trace.busy_share, rel=1e-12)


def test_each_warp_issues_waits_or_queues_in_every_cycle_and_the_scheduler_issues_one_warp():
    for _, given, trace in traces(100):
        doing = [[None] * trace.timeline.cycles for _ in range(given["warps_per_scheduler"])]
        for span in trace.spans:
            for cycle in range(span.start, span.end):
                assert doing[span.warp][cycle] is None
                doing[span.warp][cycle] = span.doing
        assert all(None not in row for row in doing)
        for cycle, warp in enumerate(trace.issuing):
            assert [w for w, row in enumerate(doing) if row[cycle] == "issue"] == ([] if warp is None else [warp])
            if warp is None:
                assert all(row[cycle] == "wait" for row in doing)
        for row in doing:  # a result is there `latency` cycles after the last instruction of a turn
            for cycle in range(1, len(row)):
                if row[cycle - 1] == "issue" != row[cycle]:
                    waiting = row[cycle : cycle + given["latency_cycles"] - 1]
                    assert set(waiting) <= {"wait"}


def test_a_ramp_ends_at_its_corner():
    assert [Ramp(70.5).share(warps) for warps in (0, 35.25, 70.5, 80)] == [0, 0.5, 1, 1]


def test_latencies_are_cycles_over_the_clock_and_those_that_are_missing_are_said_to_be():
    assert table_latency_ns("v100") == pytest.approx(460 / 1.53)
    assert [key for key in names() if table_latency_ns(key) is None] == ["t4", "rtx3090", "l4"]


def test_the_h200s_latency_is_the_recorded_one():
    """The longest chain of dependent loads that the GPU box timed there, in ns by the global timer."""
    recorded = json.loads((ROOT / "chapters/recorded/h200/loads_in_flight.json").read_text("utf-8"))
    longest = max((row for row in recorded["rows"] if row["chain_bytes"]), key=lambda row: row["chain_bytes"])
    assert table_latency_ns("h200") == pytest.approx(longest["ns"], rel=1e-4)


@pytest.mark.parametrize(
    ("key", "change", "says"),
    [
        ("t4", {}, "T4 has no memory latency in the table; give memory_ns"),
        ("rtx4090", {"warps_per_scheduler": 13}, "warps_per_scheduler is 13"),
        ("h100", {"warps_per_scheduler": 0}, "warps_per_scheduler is 0"),
        ("h100", {"issue_cycles": 4, "latency_cycles": 58}, "a period is 61 cycles"),
        ("h100", {"bytes_per_load": 3}, "bytes_per_load is 3"),
        ("h100", {"memory_ns": 0.0}, "latency_ns"),
        ("g80", {}, "there is no GPU 'g80' in the table"),
    ],
)
def test_refuses(key, change, says):
    given = {"warps_per_scheduler": 4, "issue_cycles": 1, "latency_cycles": 4} | change
    with pytest.raises(ValueError, match=says):
        simulate(key, **given)


def test_a_latency_of_ones_own_stands_in_for_the_missing_one():
    trace = simulate("h200", warps_per_scheduler=4, issue_cycles=1, latency_cycles=4, memory_ns=400.0)
    assert trace.memory.bytes_needed == 4800 * 400
