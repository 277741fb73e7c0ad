import pytest

hypothesis = pytest.importorskip("hypothesis")

from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from sim.cpu_bound import total_us  # noqa: E402
from sim.graphs import simulate as launch  # noqa: E402
from sim.submissions import Kernel, Submission, simulate  # noqa: E402

times = st.integers(0, 50)
programs = st.lists(
    st.builds(Submission, times, st.lists(st.builds(Kernel, st.just("k"), times), min_size=1, max_size=4).map(tuple)),
    min_size=1,
    max_size=10,
)


@given(programs, st.none() | st.integers(1, 12))
def test_time_is_accounted_for(program, queue):
    line = simulate(program, queue=queue)
    assert line.gpu_busy_us + line.gpu_idle_us == line.total_us
    assert line.host_waits_us + sum(call.end_us - call.start_us for call in line.calls) == line.total_us
    assert line.total_us >= max(line.host_us, line.gpu_busy_us)
    assert line.total_us <= sum(each.host_us for each in program) + line.gpu_busy_us


@given(programs, st.integers(0, 9), st.integers(1, 20))
def test_a_longer_kernel_or_call_never_ends_earlier(program, which, more):
    i = which % len(program)
    total = simulate(program).total_us
    for longer in (
        Submission(program[i].host_us + more, program[i].kernels),
        Submission(program[i].host_us, (Kernel("k", program[i].kernels[0].us + more), *program[i].kernels[1:])),
    ):
        assert simulate([*program[:i], longer, *program[i + 1 :]]).total_us >= total


@given(programs)
def test_one_call_for_all_is_never_slower_if_it_costs_no_more_than_the_first(program):
    everything = tuple(kernel for each in program for kernel in each.kernels)
    assert simulate([Submission(program[0].host_us, everything)]).total_us <= simulate(program).total_us


@given(st.integers(1, 60), times, times)
def test_equal_kernels_end_where_the_formula_says(kernels, kernel_us, launch_us):
    line = simulate([Submission(launch_us, (Kernel("k", kernel_us),))] * kernels)
    assert line.total_us == total_us(kernels, kernel_us, launch_us)


@given(st.integers(1, 8), st.integers(0, 9), st.integers(0, 9))
def test_fusing_and_graphs_take_away_kernels_and_calls(ffns, launch_us, replay_us):
    counts = {
        mode: launch(mode, ffns, launch_us=launch_us, replay_us=replay_us)
        for mode in ("eager", "fused", "graph", "fused graph")
    }
    assert [way.submissions for way in counts.values()] == [6 * ffns, 5 * ffns, ffns, ffns]
    assert [way.kernels for way in counts.values()] == [6 * ffns, 5 * ffns, 6 * ffns, 5 * ffns]
