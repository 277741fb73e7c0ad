import pytest

hypothesis = pytest.importorskip("hypothesis")

from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from sim.persistent import separate_us, simulate  # noqa: E402

works = st.integers(1, 6).flatmap(
    lambda blocks: st.lists(st.lists(st.integers(0, 30), min_size=blocks, max_size=blocks), min_size=1, max_size=4)
)


@given(works, st.integers(0, 9), st.integers(0, 3))
def test_one_worker_a_stage_never_hangs_and_ends_at_the_longest_staircase(work, launch, overhead):
    kernel = simulate(work, launch_us=launch, task_us=overhead)
    assert kernel.stuck == kernel.cycles == kernel.races == kernel.early == ()
    # a staircase goes from the first block of the first stage to the last of the last, a stage or a block at a time
    best = {}
    for s, stage in enumerate(work):
        for b, us in enumerate(stage):
            before = [best[key] for key in ((s - 1, b), (s, b - 1)) if key in best]
            best[s, b] = max(before, default=launch) + us + overhead
    assert kernel.total_us == best[len(work) - 1, len(work[0]) - 1]


@given(works, st.integers(0, 9), st.integers(0, 3))
def test_the_saving_is_the_sum_of_its_parts(work, launch, overhead):
    kernel = simulate(work, launch_us=launch, task_us=overhead)
    saving = kernel.saving
    assert saving.total_us == separate_us(work, launch) - kernel.total_us
    assert saving.launches_us == (len(work) - 1) * launch
    assert saving.hidden_us >= 0
    assert saving.overhead_us == overhead * len(kernel.critical)
    assert saving.hidden_tasks + len(kernel.critical) == sum(len(stage) for stage in work)


@given(works, st.randoms(use_true_random=False))
def test_one_worker_for_everything_takes_all_the_work_or_hangs_on_itself(work, rng):
    tasks = [(s, b) for s in range(len(work)) for b in range(len(work[0]))]
    rng.shuffle(tasks)
    kernel = simulate(work, launch_us=0, task_us=0, workers=[tasks])
    legal = all(tasks.index((s - 1, b)) < tasks.index((s, b)) for s, b in tasks if s)
    assert legal == (not kernel.stuck)
    if legal:
        assert kernel.total_us == sum(us for stage in work for us in stage)
        assert kernel.saving.hidden_us == 0
    else:
        assert kernel.cycles == ((kernel.stuck[0].task,),)
