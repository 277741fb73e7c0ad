import doctest
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

import sim.critical_path
from sim.critical_path import EXAMPLE, Job, simulate, sweep, switch


def test_docstring_examples_hold():
    result = doctest.testmod(sim.critical_path)
    assert result.attempted
    assert not result.failed


def with_time(name, us):
    return [replace(job, us=us) if job.name == name else job for job in EXAMPLE]


def test_figure_13_2():
    network = simulate(EXAMPLE)
    assert network.total_us == 60
    assert network.path == ("prepare", "A", "finish")
    assert [(job.name, job.start_us, job.end_us, job.slack_us, job.critical) for job in network.jobs] == [
        ("prepare", 0, 10, 0, True),
        ("A", 10, 50, 0, True),
        ("B", 10, 35, 15, False),
        ("finish", 50, 60, 0, True),
    ]


def test_when_the_critical_path_switches():
    assert simulate(with_time("A", 26)).path == ("prepare", "A", "finish")
    assert simulate(with_time("A", 24)).path == ("prepare", "B", "finish")
    assert [job.critical for job in simulate(with_time("A", 25)).jobs] == [True] * 4
    assert simulate(with_time("B", 41)).path == ("prepare", "B", "finish")
    told = switch(EXAMPLE, "A")
    assert (told.floor_us, told.through_us, told.at_us) == (45, 20, 25)
    assert switch(EXAMPLE, "B").at_us == 40  # B may take 15 more
    assert switch(EXAMPLE, "prepare").at_us is switch(EXAMPLE, "finish").at_us is None


def test_lab_9_the_request_stops_getting_shorter():
    # A from 40 down to 25 takes 15 off; below, nothing
    totals = sweep(EXAMPLE, "A", [40, 30, 25, 20, 10, 0])
    assert totals == (60, 50, 45, 45, 45, 45)
    assert list(totals) == [simulate(with_time("A", us)).total_us for us in (40, 30, 25, 20, 10, 0)]


def paths(jobs):
    """Every way from a job that waits for nothing to one that nothing waits for, as names."""
    found = [[job.name] for job in jobs if not job.after]
    ready = []
    while found:
        path = found.pop()
        further = [job.name for job in jobs if path[-1] in job.after]
        found += [[*path, name] for name in further]
        ready += [path] * (not further)
    return ready


def network(rng):
    n = rng.randint(1, 7)
    jobs = [
        Job(f"j{i}", rng.choice([0, rng.randint(1, 9), rng.randint(1, 90) / 10]),
            tuple(f"j{c}" for c in sorted(rng.sample(range(i), rng.randint(0, min(i, 3))))))
        for i in range(n)
    ]  # fmt: skip
    rng.shuffle(jobs)
    return jobs


def test_a_thousand_networks_against_every_path():
    rng = Random(132)
    for i in range(1000):
        jobs = network(rng)
        tenths = {job.name: round(10 * job.us) for job in jobs}
        lengths = [(sum(tenths[name] for name in path), path) for path in paths(jobs)]
        longest = max(length for length, _ in lengths)
        told = simulate(jobs)
        assert told.total_us == longest / 10
        assert (longest, list(told.path)) in lengths
        for job in told.jobs:
            through = max(length for length, path in lengths if job.name in path)
            assert job.slack_us == pytest.approx((longest - through) / 10)
            assert job.critical == (longest == through)
            heads = [path[: path.index(job.name)] for _, path in lengths if job.name in path]
            assert round(10 * job.start_us) == max(sum(tenths[name] for name in head) for head in heads)
            assert job.end_us - job.start_us == pytest.approx(tenths[job.name] / 10)

        if i % 10:
            continue
        name = rng.choice(jobs).name
        line = switch(jobs, name)
        avoiding = max((length for length, path in lengths if name not in path), default=0)
        # paths that avoid the job may also end just before it
        avoiding = max(
            [avoiding, *(sum(tenths[x] for x in path[: path.index(name)]) for _, path in lengths if name in path)]
        )
        avoiding = max(
            [avoiding, *(sum(tenths[x] for x in path[path.index(name) + 1 :]) for _, path in lengths if name in path)]
        )
        assert round(10 * line.floor_us) == avoiding
        for us in (0, 1, line.at_us or 0, 50):
            changed = [replace(job, us=us) if job.name == name else job for job in jobs]
            assert sweep(jobs, name, [us]) == (simulate(changed).total_us,)
            assert simulate(changed).total_us == pytest.approx(max(line.floor_us, line.through_us + us))


def test_more_slack_than_a_job_has_delays_the_end_and_no_less_does():
    rng = Random(133)
    for _ in range(50):
        jobs = network(rng)
        told = simulate(jobs)
        for job in told.jobs:
            longer = [replace(each, us=each.us + job.slack_us) if each.name == job.name else each for each in jobs]
            assert simulate(longer).total_us == pytest.approx(told.total_us)
            longer = [replace(each, us=each.us + job.slack_us + 1) if each.name == job.name else each for each in jobs]
            assert simulate(longer).total_us == pytest.approx(told.total_us + 1)


@pytest.mark.parametrize(
    ("jobs", "message"),
    [
        ([Job("a", 1, ("a",))], "jobs wait for one another in a circle: a after a; take one of these away"),
        (
            [Job("x", 1), Job("a", 1, ("c", "x")), Job("b", 1, ("a",)), Job("c", 1, ("b",)), Job("d", 1, ("c",))],
            "jobs wait for one another in a circle: a after c after b after a; take one of these away",
        ),
    ],
)
def test_a_circle_is_refused_and_named(jobs, message):
    with pytest.raises(ValueError, match=rf"^{message}$"):
        simulate(jobs)


def test_named_circles_are_circles_and_others_run():
    rng = Random(134)
    refused = 0
    for _ in range(1000):
        n = rng.randint(1, 6)
        jobs = [
            Job(f"j{i}", 1, tuple(f"j{c}" for c in rng.sample(range(n), rng.randint(0, min(n, 2))))) for i in range(n)
        ]
        after = {job.name: set(job.after) for job in jobs}
        reach = dict(after)
        for _ in range(n):
            reach = {name: seen | {far for each in seen for far in after[each]} for name, seen in reach.items()}
        circular = any(name in seen for name, seen in reach.items())
        try:
            simulate(jobs)
        except ValueError as error:
            refused += 1
            names = str(error).split(": ")[1].split(";")[0].split(" after ")
            assert names[0] == names[-1]
            assert all(cause in after[name] for name, cause in pairwise(names))
            assert circular
        else:
            assert not circular
    assert 100 < refused < 900


@pytest.mark.parametrize(
    ("jobs", "message"),
    [
        ([], "the number of jobs is 0; it must be a whole number from 1 to 64"),
        ([Job(f"j{i}", 1) for i in range(65)], "the number of jobs is 65"),
        ([Job("a", 1), Job("a", 2)], "two jobs are called 'a'; give each a name of its own"),
        ([Job("a", 1, ("b",))], "job 'a' is after 'b', which is not there; there are a"),
        ([Job("a", -1)], "time of job 'a' is -1; it must be a number from 0 to 1e\\+09 µs"),
        ([Job("a", float("nan"))], "time of job 'a' is nan"),
        ([Job("a", True)], "time of job 'a' is True"),
    ],
)
def test_input_out_of_range_is_refused(jobs, message):
    with pytest.raises(ValueError, match="^" + message):
        simulate(jobs)


def test_a_job_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match=r"^there is no job 'C'; there are prepare, A, B, finish"):
        switch(EXAMPLE, "C")
    with pytest.raises(ValueError, match=r"^the number of times is 0"):
        sweep(EXAMPLE, "A", [])
    with pytest.raises(ValueError, match=r"^time of job 'A' is -1"):
        sweep(EXAMPLE, "A", [-1])
