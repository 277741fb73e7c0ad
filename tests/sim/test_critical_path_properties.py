import pytest

hypothesis = pytest.importorskip("hypothesis")

from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from sim.contention import simulate as shared  # noqa: E402
from sim.critical_path import Job, simulate, sweep, switch  # noqa: E402
from sim.dag_text import parse, to_text  # noqa: E402


@st.composite
def networks(draw):
    n = draw(st.integers(1, 8))
    jobs = []
    for i in range(n):
        causes = draw(st.lists(st.integers(0, i - 1), unique=True, max_size=3)) if i else []
        jobs.append(Job(f"j{i}", draw(st.integers(0, 10**6)) / 1000, tuple(f"j{c}" for c in causes)))
    return draw(st.permutations(jobs))


@given(networks())
def test_the_path_is_a_path_and_as_long_as_the_total(jobs):
    told = simulate(jobs)
    by_name = {job.name: job for job in jobs}
    assert all(first in by_name[second].after for first, second in zip(told.path, told.path[1:], strict=False))
    assert sum(by_name[name].us for name in told.path) == pytest.approx(told.total_us)
    critical = {job.name for job in told.jobs if job.critical}
    assert set(told.path) <= critical
    assert all(job.slack_us >= 0 for job in told.jobs)


@given(networks())
def test_the_order_of_the_lines_changes_no_time(jobs):
    told = {job.name: job for job in simulate(jobs).jobs}
    assert told == {job.name: job for job in simulate(sorted(jobs, key=lambda job: job.name)).jobs}
    assert parse(to_text(jobs)) == tuple(jobs)


@given(networks(), st.integers(0, 10**6).map(lambda us: us / 1000), st.integers(0, 7))
def test_below_the_switch_nothing_changes_and_above_everything_counts(jobs, us, which):
    name = jobs[which % len(jobs)].name
    line = switch(jobs, name)
    (total,) = sweep(jobs, name, [us])
    if line.at_us is not None and us <= line.at_us:
        assert total == line.floor_us
    else:
        assert total == pytest.approx(line.through_us + us)


@given(networks(), st.lists(st.sampled_from([0, 0.2, 0.5, 1]), min_size=8, max_size=8))
def test_sharing_a_resource_delays_and_takes_at_most_all_in_turn(jobs, shares):
    demand = {job.name: share for job, share in zip(jobs, shares, strict=False)}
    told = shared(jobs, demand)
    assert told.total_us >= simulate(jobs).total_us * (1 - 1e-12)
    assert told.total_us <= sum(job.us for job in jobs) * (1 + 1e-12)
    assert all(job.slowed >= 1 for job in told.jobs)
