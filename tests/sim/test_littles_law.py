"""Little's law: worked rows, exact knees, refusals."""

import doctest
from fractions import Fraction
from math import inf, nan

import pytest

import sim.littles_law
from sim.littles_law import bandwidth, in_flight


def test_docstring_examples_hold():
    result = doctest.testmod(sim.littles_law)
    assert result.attempted
    assert not result.failed


# GPU, GB/s, latency in cycles, at GHz, SMs; latency in ns, KiB in flight, KiB an SM, lines an SM, warps with one
# 16-byte load a lane: as printed, calculated from measured latencies of idle memories.
ROWS = [
    ("V100", 900, 436, 1.38, 80, 316, 278, "3.5", 28, 7),
    ("A100", 2039, 570, 1.41, 108, 404, 805, "7.5", 60, 15),
    ("H100, hit path", 3350, 478.8, 1.755, 132, 273, 893, "6.8", 54, 14),
    ("H100, miss path", 3350, 656, 1.755, 132, 374, 1223, "9.3", 74, 19),
    ("RTX 4090", 1008, 541.5, 2.52, 128, 215, 212, "1.7", 13, 4),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_worked_rows(row):
    _, peak, cycles, ghz, sms, nanoseconds, kib, kib_per_sm, lines, wide_warps = row
    latency = cycles / ghz
    assert round(latency) == nanoseconds
    wide = in_flight(peak_gb_per_s=peak, latency_ns=latency, sms=sms, warps_per_sm=1, bytes_per_load=16)
    assert round(wide.bytes_needed / 1024) == kib
    assert f"{wide.bytes_needed_per_sm / 1024:.1f}" == kib_per_sm
    assert round(wide.lines_needed_per_sm) == lines
    assert wide.knee_warps == wide_warps
    narrow = in_flight(peak_gb_per_s=peak, latency_ns=latency, sms=sms, warps_per_sm=1)
    assert 0 <= narrow.knee_warps - narrow.lines_needed_per_sm < 1  # whole warps: 74.1 lines take 75


def test_64_warps_of_an_h100_fall_short_with_one_narrow_load_and_two_or_a_wider_one_fix_it():
    memory = {"peak_gb_per_s": 3350, "latency_ns": 656 / 1.755, "sms": 132, "warps_per_sm": 64}
    one = in_flight(**memory)
    assert one.bytes_in_flight_per_sm == 8 * 1024 < one.bytes_needed_per_sm
    assert one.knee_warps > 64
    assert one.peak_share < 1
    for fixed in (in_flight(**memory, loads_per_thread=2), in_flight(**memory, bytes_per_load=8)):
        assert fixed.peak_share == 1
        assert fixed.knee_warps <= 64


def test_the_knee_is_the_first_number_of_warps_at_the_peak():
    for latency in (273.0, 300.1, 500.0):
        for size, loads in ((4, 1), (16, 1), (4, 3), (1, 1)):
            memory = {"peak_gb_per_s": 2039.0, "latency_ns": latency, "sms": 108,
                      "bytes_per_load": size, "loads_per_thread": loads}  # fmt: skip
            points = [in_flight(warps_per_sm=warps, **memory) for warps in range(1, 65)]
            knee = points[0].knee_warps
            for warps, point in enumerate(points, start=1):
                assert point.bytes_in_flight == 108 * warps * 32 * size * loads
                assert (point.peak_share == 1) == (warps >= knee)
                assert point.bandwidth_gb_per_s == pytest.approx(min(2039.0, point.bytes_in_flight / latency))
            exact = Fraction(2039) * Fraction(latency) / (108 * 32 * size * loads)
            assert knee - 1 < exact <= knee


def test_bandwidth_grows_by_what_is_in_flight_up_to_the_peak():
    assert bandwidth(1000, 500, 0) == 0
    assert bandwidth(1000, 500, 250_000) == 500
    assert bandwidth(1000, 500, 500_000) == bandwidth(1000, 500, 10**9) == 1000


GOOD = {"peak_gb_per_s": 3350, "latency_ns": 374, "sms": 132, "warps_per_sm": 8}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"peak_gb_per_s": 0}, "peak_gb_per_s is 0; it must be a number of GB/s greater than 0 and at most 1e"),
        ({"peak_gb_per_s": nan}, "peak_gb_per_s is nan"),
        ({"latency_ns": -1.0}, r"latency_ns is -1\.0; it must be a number of ns"),
        ({"latency_ns": inf}, "latency_ns is inf"),
        ({"latency_ns": True}, "latency_ns is True"),
        ({"sms": 0}, "sms is 0; it must be a whole number from 1 to 1024"),
        ({"sms": 132.0}, r"sms is 132\.0"),
        ({"warps_per_sm": 65}, "warps_per_sm is 65; it must be a whole number from 1 to 64"),
        ({"loads_per_thread": 0}, "loads_per_thread is 0; it must be a whole number from 1 to 64"),
        ({"bytes_per_load": 3}, "bytes_per_load is 3; a thread loads 1, 2, 4, 8 or 16 bytes"),
        ({"bytes_per_load": True}, "bytes_per_load is True"),
        ({"bytes_per_load": 4.0}, r"bytes_per_load is 4\.0"),
    ],
)
def test_refuses(change, message):
    with pytest.raises(ValueError, match=message):
        in_flight(**GOOD | change)


@pytest.mark.parametrize("value", [-1, nan, inf, True, False, "1", None])
def test_refuses_what_is_no_number_of_bytes(value):
    with pytest.raises(ValueError, match=r"bytes_in_flight is .*; it must be a number of bytes"):
        bandwidth(1000, 500, value)
