import doctest
from itertools import combinations, pairwise
from random import Random

import pytest

import sim.persistent
from sim.persistent import UP_AND_SILU, separate_us, simulate


def test_docstring_examples_hold():
    result = doctest.testmod(sim.persistent)
    assert result.attempted
    assert not result.failed


def test_figure_12_8():
    # two kernels: 2 · 5 + 8 · 12.8 + 8 · 1.76; one: 5, eight tasks of 0.7 + 12.8, then the last activation, 0.7 + 1.76
    kernel, two = simulate(), separate_us(UP_AND_SILU)
    assert f"{two:.2f}" == "126.48"
    assert f"{kernel.total_us:.2f}" == "115.46"
    assert f"{two - kernel.total_us:.0f}" == "11"
    saving = kernel.saving
    assert saving.launches_us == 5
    assert saving.hidden_us == pytest.approx(7 * 1.76)
    assert saving.hidden_tasks == 7  # seven activations
    assert saving.overhead_us == pytest.approx(9 * 0.7)  # nine tasks
    assert saving.total_us == pytest.approx(two - kernel.total_us)
    assert kernel.critical == (*((0, block) for block in range(8)), (1, 7))
    assert kernel.stuck == kernel.races == kernel.early == kernel.cycles == ()


def test_the_first_tasks_by_hand():
    kernel = simulate()
    shown = [(r.stage, r.block, r.worker, *(f"{us:.2f}" for us in (r.free_us, r.start_us, r.work_start_us, r.end_us)))
             for r in kernel.runs[:4]]  # fmt: skip
    assert shown == [
        (0, 0, 0, "0.00", "5.00", "5.70", "18.50"),
        (0, 1, 0, "18.50", "18.50", "19.20", "32.00"),
        (1, 0, 1, "0.00", "18.50", "19.20", "20.96"),
        (0, 2, 0, "32.00", "32.00", "32.70", "45.50"),
    ]
    assert kernel.runs[2].waited_us == 18.5


@pytest.mark.parametrize("n", [1, 2, 8, 50])
@pytest.mark.parametrize(("a", "b"), [(12.8, 1.76), (1.76, 12.8), (7.28, 7.28), (3.0, 0.0)])
@pytest.mark.parametrize("overhead", [0.0, 0.7])
def test_two_stages_of_equal_blocks_end_where_the_formula_says(n, a, b, overhead):
    kernel = simulate([[a] * n, [b] * n], launch_us=5.0, task_us=overhead)
    first, second = overhead + a, overhead + b
    assert kernel.total_us == pytest.approx(5 + first + (n - 1) * max(first, second) + second)


def test_overlap_pays_most_when_the_stages_are_alike():
    both = 12.8 + 1.76
    saved = []
    for share in (0.1, 0.3, 0.5, 0.7, 0.9):
        work = [[both * share] * 8, [both * (1 - share)] * 8]
        saving = simulate(work).saving
        assert saving.hidden_us == pytest.approx(7 * both * min(share, 1 - share))
        saved.append(saving.total_us)
    assert max(saved) == saved[2]
    assert saved[0] == pytest.approx(saved[4])
    assert saved[:3] == sorted(saved[:3])
    assert f"{saved[2]:.1f}" == "49.7"  # 5 + 7 · 7.28 − 9 · 0.7


def test_a_persistent_kernel_can_lose():
    assert simulate([[1.0] * 8, [0.0] * 8], launch_us=0.0).saving.total_us == pytest.approx(-9 * 0.7)


def test_a_worker_that_takes_an_activation_first_hangs():
    # one worker for both stages: it waits for a flag that only its own next task would set
    kernel = simulate([[1.0], [1.0]], workers=[[(1, 0), (0, 0)]])
    assert [(s.task, s.worker, s.waits_for, s.never) for s in kernel.stuck] == [((1, 0), 0, (0, 0), False)]
    assert kernel.cycles == (((1, 0),),)
    assert kernel.runs == kernel.critical == ()
    assert kernel.saving is None
    # the right way round it runs
    assert simulate([[1.0], [1.0]], workers=[[(0, 0), (1, 0)]]).total_us == pytest.approx(5 + 2 + 1.4)


def test_two_workers_that_wait_for_each_other():
    kernel = simulate([[1.0, 1.0], [1.0, 1.0]], workers=[[(1, 0), (0, 1)], [(1, 1), (0, 0)]])
    assert {(s.task, s.waits_for, s.never) for s in kernel.stuck} == {((1, 0), (0, 0), False), ((1, 1), (0, 1), False)}
    assert kernel.cycles == (((1, 0), (1, 1)),)


def test_a_task_that_nobody_has_is_named():
    kernel = simulate([[1.0, 1.0], [1.0, 1.0]], workers=[[(0, 0)], [(1, 0), (1, 1)]])
    assert [(s.task, s.waits_for, s.never) for s in kernel.stuck] == [((1, 1), (0, 1), True)]
    assert kernel.cycles == ()
    assert [(run.stage, run.block) for run in kernel.runs] == [(0, 0), (1, 0)]
    # nobody waits for it: nothing hangs, but the work is not all done
    partial = simulate([[1.0, 1.0], [1.0, 1.0]], workers=[[(0, 0), (1, 0)]])
    assert partial.stuck == ()
    assert partial.saving is None


def test_without_flags_every_handover_races():
    kernel = simulate(flags=False)
    assert [(race.slot, race.first, race.second) for race in kernel.races] == [
        (b, *sorted_by_start(b)) for b in range(8)
    ]
    assert kernel.early == tuple((1, block) for block in range(8))
    # one worker that does both in turn needs no flag
    safe = simulate([[1.0], [1.0]], workers=[[(0, 0), (1, 0)]], flags=False)
    assert (safe.races, safe.early) == ((), ())
    # in the wrong order it reads what is not there, and that is no race: it is so every time
    wrong = simulate([[1.0], [1.0]], workers=[[(1, 0), (0, 0)]], flags=False)
    assert (wrong.races, wrong.early) == ((), ((1, 0),))


def sorted_by_start(block):
    """Reader and writer of a block, by when they start: of block 0 both at 5.7 µs, and the reader is done first."""
    return (8 + block, block)


def program(rng):
    stages, blocks = rng.randint(1, 3), rng.randint(1, 4)
    work = [[rng.randint(0, 9) for _ in range(blocks)] for _ in range(stages)]
    tasks = [(stage, block) for stage in range(stages) for block in range(blocks)]
    if rng.random() < 0.5:
        tasks.sort(key=lambda task: (task[1] + task[0], task[0]))  # an order that often works
    else:
        rng.shuffle(tasks)
    if rng.random() < 0.2 and len(tasks) > 1:
        tasks.pop(rng.randrange(len(tasks)))
    workers = [[] for _ in range(rng.randint(1, 4))]
    for task in tasks:
        rng.choice(workers).append(task)
    return work, workers, rng.randint(0, 5), rng.randint(0, 2)


def needs(workers, task):
    """The task before it at its worker and the one whose flag it waits for."""
    at = next(worker for worker in workers if task in worker)
    before = at[at.index(task) - 1 : at.index(task)] if at.index(task) else []
    return [*before, *([(task[0] - 1, task[1])] if task[0] else [])]


def longest(workers, work, task, task_us, known, path=()):
    """Longest chain up to the end of a task, by walking back from it; None if it cannot end."""
    if task in path or not any(task in worker for worker in workers):
        return None
    if task not in known:
        chains = [longest(workers, work, cause, task_us, known, (*path, task)) for cause in needs(workers, task)]
        hopeless = None in chains
        known[task] = None if hopeless else max(chains, default=0) + task_us + work[task[0]][task[1]]
    return known[task]


def test_a_thousand_programs_against_every_chain():
    rng = Random(128)
    hung = 0
    for _ in range(1000):
        work, workers, launch, task_us = program(rng)
        kernel = simulate(work, launch_us=launch, task_us=task_us, workers=workers)
        ends = {(run.stage, run.block): run.end_us for run in kernel.runs}
        known = {}
        for task in (task for worker in workers for task in worker):
            chain = longest(workers, work, task, task_us, known)
            assert ends.get(task) == (None if chain is None else launch + chain)
        heads = [next((task for task in worker if task not in ends), None) for worker in workers]
        assert {stuck.task for stuck in kernel.stuck} == {head for head in heads if head}
        hung += bool(kernel.stuck)
        held = [task for worker in workers for task in worker]
        for stuck in kernel.stuck:
            assert stuck.waits_for == (stuck.task[0] - 1, stuck.task[1])
            assert stuck.never == (stuck.waits_for not in held)
            assert stuck.waits_for not in ends
        for circle in kernel.cycles:
            assert set(circle) <= {stuck.task for stuck in kernel.stuck}
        if not kernel.stuck:
            assert kernel.races == kernel.early == ()
            chain_us = sum(work[stage][block] + task_us for stage, block in kernel.critical)
            assert kernel.total_us == launch + chain_us  # without a pause
            if kernel.saving:
                assert kernel.saving.total_us == separate_us(work, launch) - kernel.total_us
    assert 100 < hung < 900


def test_a_thousand_traces_replayed():
    rng = Random(129)
    for _ in range(1000):
        work, workers, launch, task_us = program(rng)
        kernel = simulate(work, launch_us=launch, task_us=task_us, workers=workers)
        ends = {(run.stage, run.block): run.end_us for run in kernel.runs}
        for w, worker in enumerate(workers):
            runs = [run for run in kernel.runs if run.worker == w]
            assert [
                (run.stage, run.block) for run in sorted(runs, key=lambda run: worker.index((run.stage, run.block)))
            ] == (worker[: len(runs)])
            runs.sort(key=lambda run: worker.index((run.stage, run.block)))
            assert all(before.end_us <= after.start_us for before, after in pairwise(runs))
            for i, run in enumerate(runs):
                free = runs[i - 1].end_us if i else 0
                flag = ends[run.stage - 1, run.block] if run.stage else 0
                assert (run.free_us, run.start_us) == (free, max(free, launch, flag))
                assert run.work_start_us == run.start_us + task_us
                assert run.end_us == run.work_start_us + work[run.stage][run.block]


def test_races_are_the_pairs_that_some_interleaving_turns_round():
    # brute force: without flags the workers' lists may interleave in any way
    rng = Random(130)
    for _ in range(150):
        work = [[rng.randint(1, 9) for _ in range(2)] for _ in range(2)]
        tasks = [(stage, block) for stage in range(2) for block in range(2)]
        rng.shuffle(tasks)
        cut = rng.randint(0, 4)
        workers = [tasks[:cut], tasks[cut:]]
        orders = []
        for places in combinations(range(4), cut):
            first, second = iter(workers[0]), iter(workers[1])
            orders.append([next(first) if i in places else next(second) for i in range(4)])
        racing = set()
        for block in range(2):
            write_first = {order.index((0, block)) < order.index((1, block)) for order in orders}
            if len(write_first) == 2:
                racing.add(block)
        kernel = simulate(work, workers=workers, flags=False)
        assert {race.slot for race in kernel.races} == racing
        for race in kernel.races:
            assert {race.first, race.second} == {race.slot, 2 + race.slot}


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([],), {}, "the number of stages is 0; it must be a whole number from 1 to 16"),
        (([[]],), {}, "the number of tasks is 0"),
        (([[1.0] * 501] * 2,), {}, "the number of tasks is 1002; it must be a whole number from 1 to 1000"),
        (([[1.0], [1.0, 2.0]],), {}, "stage 1 has 2 blocks; it must have 1, as stage 0 has"),
        (([[-1.0]],), {}, "work of block 0 in stage 0 is -1.0; it must be a number from 0 to 1e\\+09 µs"),
        (([[float("nan")]],), {}, "work of block 0 in stage 0 is nan"),
        (([[True]],), {}, "work of block 0 in stage 0 is True"),
        (([[1.0]],), {"launch_us": -1}, "launch_us is -1"),
        (([[1.0]],), {"task_us": float("inf")}, "task_us is inf"),
        (([[1.0]],), {"flags": 0}, "flags is 0; it must be True or False"),
        (([[1.0]],), {"workers": [[(1, 0)]]}, r"worker 0 has task \(1, 0\); tasks are \(0, 0\) to \(0, 0\)"),
        (([[1.0]],), {"workers": [[(0, 0)], [(0, 0)]]}, r"worker 1 has task \(0, 0\), which worker 0 has"),
        (([[1.0]],), {"workers": [[]]}, "the number of tasks that workers have is 0"),
    ],
)
def test_input_out_of_range_is_refused(arguments, options, message):
    with pytest.raises(ValueError, match="^" + message):
        simulate(*arguments, **options)
