import doctest
import heapq
from fractions import Fraction
from itertools import pairwise
from math import ceil, inf, nan, sqrt

import pytest

import sim.reductions
from sim.reductions import MEMORY_TRIP_US, NEXT_KERNEL_US, best_split, split

ROW = 4096 * 2  # bytes of a BF16 row of the running example


def test_docstring_examples_hold():
    result = doctest.testmod(sim.reductions)
    assert result.attempted
    assert not result.failed


def test_figure_10_1_a_task_a_row():
    many, one = split(1024, 4096, 1), split(1, 4096, 1)
    assert (many.tasks, one.tasks) == (1024, 1)
    (many_pass,), (one_pass,) = many.passes, one.passes
    assert (many_pass.waves, many_pass.busy_sms) == (8, 132)  # 1024 / 132 = 7.76
    assert many_pass.busy_share == 1024 / (8 * 132)
    assert (one_pass.waves, one_pass.busy_sms, one_pass.busy_share) == (1, 1, 1 / 132)
    assert many.traffic_bytes == 1024 * 2 * ROW == 16 << 20
    # one SM's share is 3.35 TB/s / 132 = 25.4 GB/s: 16 KiB take 0.65 µs
    assert one.time_us == pytest.approx(16384 / (3.35e12 / 132) * 1e6) == pytest.approx(0.646, abs=5e-4)
    assert many.time_us == pytest.approx(8 * one.time_us)


def test_figure_10_1_a_row_in_eight_parts():
    run = split(1, 4096, 8)
    first, second = run.passes
    assert (first.name, second.name) == ("sum", "normalise")
    assert (first.tasks, first.busy_sms, first.waves) == (second.tasks, second.busy_sms, second.waves) == (8, 8, 1)
    assert (first.read_bytes, first.write_bytes) == (ROW, 8 * 4)
    assert (second.read_bytes, second.write_bytes) == (ROW + 8 * 8 * 4, ROW)
    assert run.traffic_bytes - split(1, 4096, 1).traffic_bytes == ROW + 32 + 256
    assert (first.task_bytes, second.task_bytes) == (1024 + 4, 1024 + 32 + 1024)
    assert (first.wait_us, second.wait_us) == (0, MEMORY_TRIP_US)
    assert run.time_us == pytest.approx((1028 + 2080) / (3.35e12 / 132) * 1e6 + 656 / 1755)


def test_figure_10_1_best_split():
    assert best_split(1024, 4096).segments == 1
    assert best_split(1, 4096).segments == 76
    assert best_split(1, 4096, most=64).segments == 64
    assert best_split(1, 4096, second_pass_us=NEXT_KERNEL_US).segments == 1  # 2.1 µs is more than the row takes
    assert best_split(1024, 4096, second_pass_us=0.0).segments == 1
    # a few rows: as many parts as keep the SMs busy once
    assert [best_split(rows, 4096).segments for rows in (4, 8, 16, 32)] == [132 // rows for rows in (4, 8, 16, 32)]


def test_best_split_of_one_row_follows_the_closed_formula():
    # bytes a task, 3·b·W/s + 4 + 4·s, are least at sqrt(3·b·W/4) = 78.4; whole numbers a part move it a little
    ideal = sqrt(3 * 2 * 4096 / 4)
    assert ideal == pytest.approx(78.4, abs=0.05)
    best = best_split(1, 4096)
    assert abs(best.segments - ideal) < 3
    assert sum(one.task_bytes for one in best.passes) <= 3 * 2 * 4096 / ideal + 4 + 4 * ideal + 3 * 2
    assert abs(best_split(1, 1024, second_pass_us=0.0).segments - sqrt(3 * 2 * 1024 / 4)) < 3
    assert best_split(1, 1024).segments == 1  # the wait is longer than the row takes
    assert best_split(1, 1 << 20).segments == 132  # the formula gives 1254: all SMs


def test_a_kernel_of_its_own_pays_from_some_width_on():
    # whole row: 4·W bytes at 25.4 GB/s; split over all SMs next to nothing but 2.1 µs: from about 13,300 numbers
    share = 3.35e12 / 132
    assert NEXT_KERNEL_US * 1e-6 * share / 4 == pytest.approx(13_324, abs=1)
    assert best_split(1, 13_000, second_pass_us=NEXT_KERNEL_US).segments == 1
    assert best_split(1, 16_384, second_pass_us=NEXT_KERNEL_US).segments > 64


def second_way(rows, width, s, b, sms, bandwidth, wait):
    """Tasks given to whichever SM is free first, each at its own size, in fractions of a second."""

    def makespan(byte_counts):
        free = [Fraction(0)] * sms
        for count in byte_counts:
            heapq.heapreplace(free, free[0] + Fraction(count) * sms / Fraction(bandwidth))
        return max(free)

    if s == 1:
        return makespan([2 * width * b] * rows)
    part = width // s * b
    return makespan([part + 4] * (rows * s)) + Fraction(wait) / 10**6 + makespan([2 * part + 4 * s] * (rows * s))


@pytest.mark.parametrize("rows", [1, 3, 33, 140])
@pytest.mark.parametrize("segments", [1, 2, 8, 32])
def test_against_handing_out_tasks_one_by_one(rows, segments):
    expected = second_way(rows, 1024, segments, 2, 20, 1e12, 0.25)
    run = split(rows, 1024, segments, sms=20, bandwidth_byte_per_s=1e12, second_pass_us=0.25)
    assert run.time_us == pytest.approx(float(expected * 10**6), rel=1e-12)


@pytest.mark.parametrize("segments", [1, 3, 7, 64, 100])
def test_bytes_by_listing_every_task(segments):
    rows, width = 3, 100
    run = split(rows, width, segments, element_bytes=4)
    bounds = [j * width // segments for j in range(segments + 1)]
    sizes = [(b - a) * 4 for a, b in pairwise(bounds)]
    if segments == 1:
        assert run.traffic_bytes == rows * 2 * sum(sizes)
    else:
        first = sum(size + 4 for size in sizes)
        second = sum(2 * size + 4 * segments for size in sizes)
        assert run.traffic_bytes == rows * (first + second)
        assert run.passes[0].task_bytes == max(sizes) + 4
        assert run.passes[1].task_bytes == 2 * max(sizes) + 4 * segments


def test_busy_sms_and_waves_count_tasks():
    for rows in (1, 5, 132, 133, 1000):
        for segments in (1, 2, 60):
            for one in split(rows, 4096, segments).passes:
                assert one.tasks == rows * segments
                assert one.waves == ceil(one.tasks / 132)
                assert one.busy_sms == min(one.tasks, 132)
                assert 0 < one.busy_share <= 1


def test_the_best_is_never_slower_than_any_split_tried():
    for rows, width in ((1, 100), (7, 4096), (200, 512)):
        best = best_split(rows, width)
        assert all(best.time_us <= split(rows, width, s).time_us for s in range(1, min(width, 132) + 1))
    assert best_split(1, 2).segments in (1, 2)
    assert best_split(5, 4096, most=1).segments == 1


@pytest.mark.parametrize("bad", [0, -1, 2**20 + 1, 1.0, True, nan, None, "1"])
@pytest.mark.parametrize("name", ["rows", "width"])
def test_sizes_that_are_refused(name, bad):
    given = {"rows": 1, "width": 64, name: bad}
    with pytest.raises(ValueError, match=rf"^{name} is .*; it must be a whole number from 1 to 1048576$"):
        split(**given, segments=1)
    with pytest.raises(ValueError, match=rf"^{name} is "):
        best_split(**given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"segments": 0}, "segments is 0; it must be a whole number from 1 to 64"),
        ({"segments": 65}, "segments is 65; it must be a whole number from 1 to 64"),
        ({"segments": True}, "segments is True"),
        ({"width": 4096, "segments": 1025}, "segments is 1025; it must be a whole number from 1 to 1024"),
        ({"element_bytes": 9}, "element_bytes is 9; it must be a whole number from 1 to 8"),
        ({"sms": 0}, "sms is 0; it must be a whole number from 1 to 1024"),
        ({"bandwidth_byte_per_s": 0.0}, "bandwidth_byte_per_s is 0.0; it must be a number of B/s greater than 0"),
        ({"bandwidth_byte_per_s": nan}, "bandwidth_byte_per_s is nan"),
        ({"bandwidth_byte_per_s": inf}, "bandwidth_byte_per_s is inf"),
        ({"second_pass_us": -0.1}, "second_pass_us is -0.1; it must be from 0 to 1e6 µs"),
        ({"second_pass_us": nan}, "second_pass_us is nan"),
    ],
)
def test_other_arguments_that_are_refused(given, message):
    with pytest.raises(ValueError, match="^" + message):
        split(**{"rows": 1, "width": 64, "segments": 1} | given)


@pytest.mark.parametrize("most", [0, 1025, 1.0, True])
def test_most_that_is_refused(most):
    with pytest.raises(ValueError, match=r"^most is .*; it must be a whole number from 1 to 1024"):
        best_split(1, 64, most=most)
