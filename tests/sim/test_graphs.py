import doctest
import json
from pathlib import Path
from random import Random

import pytest

import sim.graphs
from sim.graphs import FFN, FUSED, MODES, compare, simulate
from sim.submissions import Kernel

READINGS = json.loads(
    (Path(__file__).parents[2] / "chapters/recorded/tables/h200" / "timeline.json").read_text(encoding="utf-8")
)


def test_docstring_examples_hold():
    result = doctest.testmod(sim.graphs)
    assert result.attempted
    assert not result.failed


def test_figure_12_3_and_lab_8_counts():
    counts = {mode: (way.submissions, way.kernels) for mode, way in compare(3).items()}
    assert counts == {"eager": (18, 18), "fused": (15, 15), "graph": (3, 18), "fused graph": (3, 15)}


def test_times_of_the_four_ways_by_hand():
    # A launch is 5 µs, kernels 2 6 6 2 3 6. Eager, the GPU has always caught up at the end: the last launch and the
    # last kernel. As a graph the GPU does not wait again after the first replay.
    totals = {mode: way.timeline.total_us for mode, way in compare(3).items()}
    assert totals["eager"] == 18 * 5 + 6
    assert totals["fused"] == 15 * 5 + 6
    assert totals["graph"] == pytest.approx(2.5 + 6 * 0.001 + 3 * 25)
    assert totals["fused graph"] == pytest.approx(2.5 + 5 * 0.001 + 3 * 23)
    idle = {mode: way.timeline.gpu_idle_us for mode, way in compare(3).items()}
    assert idle["eager"] == pytest.approx(96 - 75)
    assert idle["graph"] == pytest.approx(2.506)


def test_the_kernels_of_the_timeline():
    way = simulate("fused graph", 2)
    names = [run.name for run in way.timeline.runs]
    assert names == ["norm", "gate", "up", "SiLU and multiply", "down"] * 2
    assert [run.submission for run in way.timeline.runs] == [0] * 5 + [1] * 5
    assert [run.name for run in simulate("eager", 1).timeline.runs] == [kernel.name for kernel in FFN]


def test_the_times_of_the_activation_are_in_the_ratio_of_its_bytes():
    silu, multiply = FFN[3], FFN[4]
    assert silu.us / 48 == multiply.us / 72 == FUSED.us / 72


def test_when_kernels_are_long_calls_do_not_matter():
    long = tuple(Kernel(kernel.name, 100.0) for kernel in FFN)
    eager, graph = (simulate(mode, 3, kernels=long) for mode in ("eager", "graph"))
    assert eager.timeline.total_us == 5 + 18 * 100
    assert graph.timeline.total_us == pytest.approx(2.506 + 18 * 100)


def longest_path(calls):
    """The total of (host, kernels) pairs as the longest path: calls up to i, then kernels from i on."""
    work = [sum(kernels) for _, kernels in calls]
    return max(sum(host for host, _ in calls[: i + 1]) + sum(work[i:]) for i in range(len(calls)))


def test_a_thousand_programs_against_the_longest_path():
    rng = Random(123)
    for _ in range(1000):
        ffns, length = rng.randint(1, 4), rng.randint(2, 6)
        times, fused_us, at = [rng.randint(0, 9) for _ in range(length)], rng.randint(0, 9), rng.randrange(length - 1)
        launch, replay, each = rng.randint(0, 9), rng.randint(0, 9), rng.randint(0, 2)
        kernels = tuple(Kernel(f"k{i}", us) for i, us in enumerate(times))
        fewer = [*times[:at], fused_us, *times[at + 2 :]]
        for mode in rng.sample(MODES, 1):
            one = fewer if "fused" in mode else times
            calls = [(replay + each * len(one), one)] if "graph" in mode else [(launch, [us]) for us in one]
            way = simulate(
                mode, ffns, kernels=kernels, fused=Kernel("f", fused_us), fused_at=at,
                launch_us=launch, replay_us=replay, replay_kernel_us=each,
            )  # fmt: skip
            assert way.timeline.total_us == longest_path(calls * ffns)
            assert (way.submissions, way.kernels) == (len(calls) * ffns, len(one) * ffns)


def test_a_hundred_kernels_on_an_h200():
    # NVIDIA H200, 2026-11-29 (wall clock around PyTorch: orientation): 100 kernels as one graph against one by one.
    # With the graph's time as the kernels', launched one by one at 5 µs they take 0.5 ms; PyTorch took 0.68.
    kernel_us = 1000 * READINGS["graph100_wall_ms"] / 100
    kernels = tuple(Kernel(f"k{i}", kernel_us) for i in range(100))
    eager, graph = (simulate(mode, 1, kernels=kernels).timeline for mode in ("eager", "graph"))
    assert eager.total_us == pytest.approx(500 + kernel_us)
    assert eager.total_us < 1000 * READINGS["launch100_wall_ms"]
    assert graph.total_us == pytest.approx(1000 * READINGS["graph100_wall_ms"], rel=0.03)
    assert eager.total_us / graph.total_us > 3


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("lazy",), {}, "mode is 'lazy'; it must be one of eager, fused, graph, fused graph"),
        (("eager", 0), {}, "ffns is 0; it must be a whole number from 1 to 166"),
        (("eager", 167), {}, "ffns is 167"),
        (("eager", True), {}, "ffns is True"),
        (("eager",), {"kernels": FFN[:1]}, "the number of kernels of an FFN is 1"),
        (("fused",), {"fused_at": 5}, "fused_at is 5; it must be a whole number from 0 to 4"),
        (("graph",), {"launch_us": -1}, "launch_us is -1"),
        (("graph",), {"replay_us": float("nan")}, "replay_us is nan"),
        (("graph",), {"replay_kernel_us": True}, "replay_kernel_us is True"),
        (
            ("eager",),
            {"kernels": (Kernel("a", 1), Kernel("b", -1)), "fused_at": 0},
            "us of kernel 'b' in submission 1 is -1",
        ),
    ],
)
def test_input_out_of_range_is_refused(arguments, options, message):
    with pytest.raises(ValueError, match="^" + message):
        simulate(*arguments, **options)
