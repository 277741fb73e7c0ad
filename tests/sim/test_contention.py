import doctest
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

import sim.contention
from sim.contention import DEMAND, simulate, speed_up
from sim.critical_path import EXAMPLE, Job
from sim.critical_path import simulate as alone


def test_docstring_examples_hold():
    result = doctest.testmod(sim.contention)
    assert result.attempted
    assert not result.failed


def test_a_faster_branch_slows_the_other():
    # A and B each take half of the bandwidth. A twice as fast takes all of it: together they ask for 1.5, so both go on
    # at two thirds. A needs 30 µs for its 20; B has done 20 of 25 by then and needs 5 more.
    told = simulate(*speed_up(EXAMPLE, DEMAND, "A", 2))
    assert [(job.name, job.start_us, job.end_us) for job in told.jobs] == [
        ("prepare", 0, 10),
        ("A", 10, 40),
        ("B", 10, 45),
        ("finish", 45, 55),
    ]
    assert [(s.start_us, s.end_us, s.running, s.asked) for s in told.stretches] == [
        (0, 10, ("prepare",), 0),
        (10, 40, ("A", "B"), 1.5),
        (40, 45, ("B",), 0.5),
        (45, 55, ("finish",), 0),
    ]
    assert [job.slowed for job in told.jobs] == [1, 1.5, 1.4, 1]
    # without the shared resource the same change would have given 45, and B would have ended at 35
    free = simulate(speed_up(EXAMPLE, DEMAND, "A", 2)[0], {})
    assert (free.total_us, free.jobs[2].end_us) == (45, 35)
    assert simulate(EXAMPLE, DEMAND).total_us == 60


def test_two_jobs_against_the_closed_formula():
    # both from 0, shares p and q with p + q > 1: the shorter ends at its time × (p + q), the longer as if both had
    # been slowed that long: longer + shorter·(p + q − 1)
    rng = Random(3)
    for _ in range(200):
        a, b = rng.randint(1, 50), rng.randint(1, 50)
        p, q = rng.randint(50, 100) / 100, rng.randint(51, 100) / 100
        told = simulate([Job("a", a), Job("b", b)], {"a": p, "b": q})
        ends = sorted(job.end_us for job in told.jobs)
        assert ends == pytest.approx([min(a, b) * (p + q), max(a, b) + min(a, b) * (p + q - 1)])


def network(rng):
    n = rng.randint(1, 7)
    jobs = [
        Job(f"j{i}", rng.randint(0, 9), tuple(f"j{c}" for c in rng.sample(range(i), rng.randint(0, min(i, 2)))))
        for i in range(n)
    ]
    return jobs, {job.name: rng.choice([0, 0.25, 0.5, 0.75, 1]) for job in jobs if rng.random() < 0.8}


def faults(jobs, demand, told):
    """Replay from starts and ends alone: starts are the latest of their causes, and each job's work adds up."""
    spans = {job.name: job for job in told.jobs}
    found = []
    marks = sorted({0.0, *(us for job in told.jobs for us in (job.start_us, job.end_us))})
    for job in jobs:
        span = spans[job.name]
        if span.start_us != max((spans[cause].end_us for cause in job.after), default=0):
            found.append(f"{job.name} starts at {span.start_us}")
        done = 0.0
        for left, right in pairwise(marks):
            if span.start_us <= left and right <= span.end_us:
                running = [each for each in told.jobs if each.start_us <= left and right <= each.end_us]
                asked = sum(demand.get(each.name, 0) for each in running)
                done += (right - left) / (max(asked, 1) if demand.get(job.name, 0) else 1)
        if done != pytest.approx(job.us):
            found.append(f"{job.name} does {done} of {job.us}")
    return found


def test_a_thousand_networks_replay_without_fault():
    rng = Random(135)
    caught = 0
    for _ in range(1000):
        jobs, demand = network(rng)
        told = simulate(jobs, demand)
        assert faults(jobs, demand, told) == []
        assert told.total_us == max(job.end_us for job in told.jobs)
        caught += bool(faults(jobs, demand, simulate(jobs, {})))  # a simulator that forgot the resource
    assert caught > 100


def test_without_contention_it_is_the_longest_path():
    rng = Random(136)
    for _ in range(100):
        jobs, _ = network(rng)
        assert simulate(jobs, {job.name: 0.9 for job in jobs}).total_us >= alone(jobs).total_us
        plain, shared = alone(jobs), simulate(jobs, {jobs[0].name: 1})
        assert [(job.start_us, job.end_us) for job in shared.jobs] == [(job.start_us, job.end_us) for job in plain.jobs]


def test_a_resource_in_full_use_takes_the_work_of_all():
    jobs = [Job(f"j{i}", us) for i, us in enumerate((3, 5, 7, 11))]
    assert simulate(jobs, {job.name: 1 for job in jobs}).total_us == 26


def test_speeding_up_keeps_what_the_job_takes_of_the_resource():
    jobs, demand = speed_up(EXAMPLE, DEMAND, "A", 1.6)
    assert jobs[1] == replace(EXAMPLE[1], us=25.0)
    assert demand == {"A": 0.8, "B": 0.5}
    assert speed_up(EXAMPLE, {}, "A", 100)[1] == {}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simulate([]), "the number of jobs is 0"),
        (
            lambda: simulate([Job(f"j{i}", 1) for i in range(33)], {}),
            "33 jobs given; with a shared resource at most 32",
        ),
        (lambda: simulate(EXAMPLE, {"C": 1}), "demand names 'C', which is no job; there are prepare, A, B, finish"),
        (lambda: simulate(EXAMPLE, {"A": 1.1}), "demand of 'A' is 1.1; it must be a number from 0 to 1"),
        (lambda: simulate(EXAMPLE, {"A": True}), "demand of 'A' is True"),
        (lambda: simulate([Job("a", 1, ("a",))], {}), "jobs wait for one another in a circle: a after a"),
        (lambda: speed_up(EXAMPLE, DEMAND, "C", 2), "there is no job 'C'"),
        (lambda: speed_up(EXAMPLE, DEMAND, "A", 0), "factor is 0"),
        (
            lambda: speed_up(EXAMPLE, DEMAND, "A", 3),
            "factor is 3; 'A' would ask for 1.5 of the resource, more than all",
        ),
    ],
)
def test_input_out_of_range_is_refused(call, message):
    with pytest.raises(ValueError, match="^" + message):
        call()
