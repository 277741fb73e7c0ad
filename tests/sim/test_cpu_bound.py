import doctest
import json
from pathlib import Path

import pytest

import sim.cpu_bound
from sim.cpu_bound import faster_gpus, simulate, total_us

READINGS = json.loads(
    (Path(__file__).parents[2] / "chapters/recorded/tables/h200" / "timeline.json").read_text(encoding="utf-8")
)


def test_docstring_examples_hold():
    result = doctest.testmod(sim.cpu_bound)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize("kernels", [1, 2, 7, 100])
@pytest.mark.parametrize("kernel_us", [0.0, 0.25, 5.0, 20.0])
@pytest.mark.parametrize("launch_us", [0.0, 2.5, 5.0])
def test_the_trace_ends_where_the_formula_says(kernels, kernel_us, launch_us):
    line = simulate(kernels, kernel_us, launch_us)
    assert line.total_us == total_us(kernels, kernel_us, launch_us)
    assert len(line.calls) == len(line.runs) == kernels
    assert line.gpu_busy_us + line.gpu_idle_us == pytest.approx(line.total_us)


def test_as_the_gpu_gets_faster_the_step_stops_getting_faster():
    # 100 kernels of 20 µs, 5 µs a launch: 5 + 100·20; from four times as fast on, 100·5 and the tail
    points = faster_gpus(100, 20.0, 5.0, (1, 2, 4, 8, 1e6))
    assert [point.total_us for point in points] == [2005, 1005, 505, 502.5, pytest.approx(500.00002)]
    assert [point.bound_by for point in points] == ["GPU", "GPU", "both", "host", "host"]
    assert [f"{point.gpu_busy:.1%}" for point in points[:4]] == ["99.8%", "99.5%", "99.0%", "49.8%"]
    assert points[0].total_us / points[3].total_us < 4  # an eightfold GPU, not even four times the step
    for point in points:
        line = simulate(100, point.kernel_us, 5.0)
        assert line.total_us == pytest.approx(point.total_us)
        assert line.gpu_busy == pytest.approx(point.gpu_busy)


def test_who_waits():
    host_bound, gpu_bound = simulate(50, 2.0, 5.0), simulate(50, 8.0, 5.0)
    assert host_bound.gpu_idle_us == 5 + 49 * 3  # the GPU, before every kernel
    assert host_bound.host_waits_us == 2  # the host, for the last kernel alone
    assert gpu_bound.gpu_idle_us == 5
    assert gpu_bound.host_waits_us == 5 + 50 * 8 - 50 * 5
    assert all(run.queued_us == 0 for run in host_bound.runs)
    assert [run.queued_us for run in gpu_bound.runs] == [3 * i for i in range(50)]  # ever further ahead
    assert simulate(50, 8.0, 5.0, queue=1).total_us == 50 * 13


def test_a_hundred_launches_from_python_on_an_h200_are_bound_by_the_host():
    # NVIDIA H200, 2026-11-29: 100 small kernels take 0.677 ms launched one by one, 0.123 ms as one graph. The graph
    # bounds a kernel from above; then 100 launches cannot take less than the difference, and the GPU sleeps.
    wall_us, graph_us = 1000 * READINGS["launch100_wall_ms"], 1000 * READINGS["graph100_wall_ms"]
    kernel_us = graph_us / 100
    launch_us = (wall_us - kernel_us) / 100  # the formula solved for the launch, if the host is what bounds
    assert launch_us > kernel_us  # and it is
    line = simulate(100, kernel_us, launch_us)
    assert line.total_us == pytest.approx(wall_us)
    assert f"{launch_us:.1f}" == "6.8"
    assert f"{line.gpu_busy:.0%}" == "18%"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 1.0), "kernels is 0; it must be a whole number from 1 to 1000"),
        ((1001, 1.0), "kernels is 1001"),
        ((True, 1.0), "kernels is True"),
        ((2.0, 1.0), "kernels is 2.0"),
        ((2, -1.0), "kernel_us is -1.0; it must be a number from 0 to 1e\\+09 µs"),
        ((2, 1.0, float("inf")), "launch_us is inf"),
        ((2, 1.0, True), "launch_us is True"),
    ],
)
def test_input_out_of_range_is_refused(arguments, message):
    with pytest.raises(ValueError, match="^" + message):
        simulate(*arguments)
    with pytest.raises(ValueError, match="^" + message.split(";")[0]):
        total_us(*arguments)


@pytest.mark.parametrize("factors", [[], [0], [-1], [True], [float("nan")], [1e7], [1] * 1001])
def test_factors_out_of_range_are_refused(factors):
    with pytest.raises(ValueError, match=r"^(factor is|the number of factors is)"):
        faster_gpus(10, 1.0, 1.0, factors)
