import doctest
from dataclasses import replace
from random import Random

import pytest

import sim.submissions
from sim.submissions import Kernel, Submission, simulate


def test_docstring_examples_hold():
    result = doctest.testmod(sim.submissions)
    assert result.attempted
    assert not result.failed


def calls(*given):
    """Submissions from (host, kernel, kernel, …)."""
    return [Submission(host, tuple(Kernel(f"k{i}", us) for i, us in enumerate(kernels))) for host, *kernels in given]


def test_trace_by_hand():
    # calls return at 4, 8, 10; kernels 4-5, then the GPU waits for 8: 8-11 11-13; the last is ready at 10, starts at 13
    line = simulate(calls((4, 1), (4, 3, 2), (2, 5)))
    assert [(c.ready_us, c.start_us, c.end_us) for c in line.calls] == [(0, 0, 4), (4, 4, 8), (8, 8, 10)]
    trace = [(r.submission, r.name, r.submitted_us, r.free_us, r.start_us, r.end_us) for r in line.runs]
    assert trace == [
        (0, "k0", 4, 0, 4, 5),
        (1, "k0", 8, 5, 8, 11),
        (1, "k1", 8, 11, 11, 13),
        (2, "k0", 10, 13, 13, 18),
    ]
    assert [(r.idle_us, r.queued_us) for r in line.runs] == [(4, 0), (3, 0), (0, 3), (0, 3)]
    assert (line.total_us, line.host_us, line.gpu_busy_us, line.gpu_idle_us, line.host_waits_us) == (18, 10, 11, 7, 8)
    assert line.gpu_busy == 11 / 18


def test_a_full_queue_holds_the_host():
    # two may be handed over and not done: call 2 waits for kernel 0 (ends at 11), call 3 for kernel 1 (21)
    line = simulate(calls(*[(1, 10)] * 4), queue=2)
    assert [(c.ready_us, c.start_us, c.end_us) for c in line.calls] == [(0, 0, 1), (1, 1, 2), (2, 11, 12), (12, 21, 22)]
    assert line.total_us == 41
    assert line.host_waits_us == 9 + 9 + 19
    # a queue of one is a blocking launch: nothing overlaps
    assert simulate(calls(*[(1, 10)] * 4), queue=1).total_us == 44


def test_nothing_takes_no_time():
    line = simulate(calls((0, 0)))
    assert (line.total_us, line.gpu_busy) == (0, 0)


def program(rng):
    submissions = calls(
        *((rng.randint(0, 9), *(rng.randint(0, 9) for _ in range(rng.randint(1, 4)))) for _ in range(rng.randint(1, 8)))
    )
    return submissions, rng.choice([None, 1, 2, 3])


def faults(submissions, queue, line):
    """Replay: what in the trace is not as the rules say, from the trace and the program alone."""
    found = []
    done = {}
    clock = 0
    for run in line.runs:
        done[run.submission] = run.end_us
    for i, call in enumerate(line.calls):
        free = line.calls[i - 1].end_us if i else 0
        slot = done[i - queue] if queue and i >= queue else 0
        if call.ready_us != free or call.start_us != max(free, slot):
            found.append(f"call {i} starts at {call.start_us}")
        if call.end_us - call.start_us != submissions[i].host_us:
            found.append(f"call {i} lasts {call.end_us - call.start_us}")
    order = [(i, kernel) for i, each in enumerate(submissions) for kernel in each.kernels]
    if [(run.submission, run.name) for run in line.runs] != [(i, kernel.name) for i, kernel in order]:
        found.append("other kernels or another order")
    for run, (i, kernel) in zip(line.runs, order, strict=False):
        if run.submitted_us != line.calls[i].end_us or run.free_us != clock:
            found.append(f"a kernel of {i} is submitted at {run.submitted_us}, the GPU free at {run.free_us}")
        if run.start_us != max(clock, line.calls[i].end_us):
            found.append(f"a kernel of {i} starts at {run.start_us}")
        if run.end_us - run.start_us != kernel.us:
            found.append(f"a kernel of {i} lasts {run.end_us - run.start_us}")
        clock = run.end_us
    if line.total_us != max(clock, line.calls[-1].end_us):
        found.append(f"the total is {line.total_us}")
    return found


def test_a_thousand_programs_replay_without_fault():
    rng = Random(12)
    for _ in range(1000):
        submissions, queue = program(rng)
        assert faults(submissions, queue, simulate(submissions, queue=queue)) == []


def test_the_total_is_the_longest_path_host_first_then_gpu():
    # a path follows the host up to call i and the GPU from its first kernel on
    rng = Random(13)
    for _ in range(1000):
        submissions, _ = program(rng)
        work = [sum(kernel.us for kernel in each.kernels) for each in submissions]
        paths = [sum(each.host_us for each in submissions[: i + 1]) + sum(work[i:]) for i in range(len(work))]
        assert simulate(submissions).total_us == max(paths)


@pytest.mark.parametrize("rule", ["queue", "call returns", "one kernel at a time", "one call at a time"])
def test_a_simulator_without_one_rule_would_not_pass_the_replay(rule):
    def broken(submissions, queue):
        if rule == "queue":
            return simulate(submissions)
        line = simulate(submissions, queue=queue)
        if rule == "call returns":  # kernels start when their call does
            early = simulate([replace(each, host_us=0) for each in submissions], queue=queue)
            return replace(line, runs=early.runs)
        if rule == "one kernel at a time":
            runs = [
                replace(r, start_us=r.submitted_us, end_us=r.submitted_us + r.end_us - r.start_us) for r in line.runs
            ]
            return replace(line, runs=tuple(runs))
        return replace(line, calls=tuple(replace(c, start_us=0, end_us=c.end_us - c.start_us) for c in line.calls))

    rng = Random(14)
    caught = 0
    for _ in range(100):
        submissions, queue = program(rng)
        caught += bool(faults(submissions, queue, broken(submissions, queue)))
    assert caught > 20


def test_a_larger_queue_is_never_slower():
    rng = Random(15)
    for _ in range(200):
        submissions, _ = program(rng)
        totals = [simulate(submissions, queue=queue).total_us for queue in (1, 2, 3, 8, None)]
        assert totals == sorted(totals, reverse=True)


@pytest.mark.parametrize(
    ("submissions", "queue", "message"),
    [
        ([], None, "the number of submissions is 0; it must be a whole number from 1 to 1000"),
        ([Submission(1.0, ())], None, "the number of kernels is 0"),
        ([*calls((1, 1)), Submission(1.0, ())], None, "submission 1 hands over no kernel"),
        (calls((1, *[1] * 1001)), None, "the number of kernels is 1001; it must be a whole number from 1 to 1000"),
        (calls((-1, 1)), None, "host_us of submission 0 is -1; it must be a number from 0 to 1e\\+09 µs"),
        (calls((1, float("nan"))), None, "us of kernel 'k0' in submission 0 is nan"),
        (calls((True, 1)), None, "host_us of submission 0 is True"),
        (calls((1, 1)), 0, "queue is 0; it must be a whole number from 1 to 1000"),
        (calls((1, 1)), 2.0, "queue is 2.0"),
    ],
)
def test_input_out_of_range_is_refused(submissions, queue, message):
    with pytest.raises(ValueError, match="^" + message):
        simulate(submissions, queue=queue)


def test_the_limits_themselves_are_allowed():
    assert simulate(calls(*[(1, 1)] * 1000), queue=1000).total_us == 1001
