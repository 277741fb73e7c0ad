"""One kernel that stays on the SMs and takes tasks, against a kernel for each stage.

Every block of work goes through the stages in order. With a kernel a stage, each kernel is launched and ends before
the next is launched: stages × launch + all the work. A persistent kernel is launched once; its workers each go through
a list of tasks in order. A task waits until its block has left the stage before (a flag says so), then costs a fixed
time to fetch and its work. With one worker a stage, blocks in order and equal times a and b for two stages,
T = launch + (o + a) + (n − 1)·max(o + a, o + b) + (o + b).

The saving is (stages − 1) launches, plus the work hidden behind other work, less the overhead of the tasks on the
critical path. Hidden is all work but that path's, so it is most when the stages are alike.

Source: K. Gupta, J. Stuart, J. Owens, "A Study of Persistent Threads Style GPU Programming for GPGPU Workloads",
InPar 2012; races and order as in sim/slots.py and sim/events.py. The times of the example are its givens.
Left out: workers that choose tasks as they come (a common queue); stages that slow each other down when they run side
by side; a launch that overlaps with the kernel before.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import fsum, inf
from typing import cast

from sim.decimals import check, decimal
from sim.events import Schedule, Span, Task, cycles, run
from sim.inputs import whole
from sim.persistent_trace import Persistent, Saving, Stuck, TaskRun, Work
from sim.slots import Access, Race, races

LAUNCH_US = 5.0
TASK_US = 0.7
MAX_STAGES = 16
MAX_TASKS = 1000
MAX_US = 1e9
UP_AND_SILU = ((12.8,) * 8, (1.76,) * 8)  # µs of 8 blocks of 64 tokens: up projection, SiLU


def separate_us(work_us: Sequence[Sequence[float]], launch_us: float = LAUNCH_US) -> float:
    """A kernel a stage, one after another: stages × launch + all the work; else as `simulate`.

    >>> f"{separate_us(UP_AND_SILU):.2f}"
    '126.48'
    """
    _check(work_us, launch_us, 0.0)
    return float(sum(decimal("us", us, "µs", 0, MAX_US) for stage in work_us for us in (launch_us, *stage)))


def simulate(
    work_us: Sequence[Sequence[float]] = UP_AND_SILU,
    *,
    launch_us: float = LAUNCH_US,
    task_us: float = TASK_US,
    workers: Sequence[Sequence[Work]] | None = None,
    flags: bool = True,
) -> Persistent:
    """The persistent kernel. ``work_us[stage][block]``: 0 to 1e9 µs; 1 to 16 stages, at most 1000 tasks in all.

    ``workers``: for each, its (stage, block) in order; None: one a stage, blocks in order. A task that nobody has
    never comes, and whoever waits for it hangs. ``flags`` False: nobody waits, and what then races is told. Raises
    ValueError for anything else, and for a task that two workers have or that does not exist.

    >>> kernel = simulate()
    >>> saving = kernel.saving
    >>> f"{kernel.total_us:.2f} {saving.launches_us:.1f} {saving.hidden_us:.2f} {saving.overhead_us:.1f}"
    '115.46 5.0 12.32 6.3'
    >>> f"{saving.total_us:.2f}", len(kernel.critical), saving.hidden_tasks
    ('11.02', 9, 7)
    """
    _check(work_us, launch_us, task_us)
    if type(flags) is not bool:
        raise ValueError(f"flags is {flags!r}; it must be True or False")
    stages, blocks = len(work_us), len(work_us[0])
    if workers is None:
        workers = [[(stage, block) for block in range(blocks)] for stage in range(stages)]
    taken: dict[Work, int] = {}
    for w, given in enumerate(workers):
        for stage, block in given:
            if not (0 <= stage < stages and 0 <= block < blocks):
                last = (stages - 1, blocks - 1)
                raise ValueError(f"worker {w} has task {(stage, block)}; tasks are (0, 0) to {last}")
            if (stage, block) in taken:
                raise ValueError(f"worker {w} has task {(stage, block)}, which worker {taken[stage, block]} has")
            taken[stage, block] = w
    whole("the number of tasks that workers have", len(taken), 1)
    tasks = [Task("launch", "launch", launch_us)]
    for (stage, block), w in taken.items():
        flag = ((stage - 1, block),) if stage and flags else ()
        tasks.append(Task((stage, block), f"worker {w}", task_us + work_us[stage][block], ("launch", *flag)))
    return _trace(work_us, launch_us, task_us, taken, run(tasks))


def _trace(
    work_us: Sequence[Sequence[float]], launch_us: float, task_us: float, taken: Mapping[Work, int], plan: Schedule
) -> Persistent:
    runs = []
    for (stage, block), w in taken.items():
        if (span := plan.spans.get((stage, block))) is not None:
            work_start_us = span.start_us + task_us
            runs.append(TaskRun(stage, block, w, span.ready_us, span.start_us, work_start_us, span.end_us))
    blocked = plan.blocked()
    stuck = tuple(
        Stuck(
            cast(Work, each.task.key), taken[cast(Work, each.task.key)], cast(Work, each.unmet[0]), bool(each.missing)
        )
        for each in blocked
    )
    early = tuple(
        (one.stage, one.block)
        for one in runs
        if one.stage and one.work_start_us < _end(plan, (one.stage - 1, one.block))
    )
    critical = () if stuck else _critical(plan)
    saving = None
    if not stuck and len(taken) == sum(len(stage) for stage in work_us):
        hidden = fsum(us for stage in work_us for us in stage) - fsum(work_us[s][b] for s, b in critical)
        hidden_tasks = len(taken) - len(critical)
        saving = Saving((len(work_us) - 1) * launch_us, hidden, hidden_tasks, task_us * len(critical))
    return Persistent(
        tuple(sorted(runs, key=lambda one: (one.start_us, one.stage, one.block))),
        stuck,
        cast(tuple[tuple[Work, ...], ...], cycles(blocked)),
        tuple(_races(runs, plan, len(work_us[0]))),
        early,
        critical,
        plan.total_us,
        saving,
    )


def _end(plan: Schedule, work: Work) -> float:
    """When a task ends; never, if it does not run."""
    return plan.spans[work].end_us if work in plan.spans else inf


def _critical(plan: Schedule) -> tuple[Work, ...]:
    """A chain of tasks without a pause from the launch to the end."""
    before = {after.task.key: first.task.key for first, after in _neighbours(plan)}
    key: Hashable | None = max(plan.spans.values(), key=lambda span: span.end_us).task.key
    chain = []
    while key is not None and key != "launch":
        chain.append(cast(Work, key))
        key = plan.spans[key].waited_for or before.get(key)
    return tuple(reversed(chain))


def _neighbours(plan: Schedule) -> Iterator[tuple[Span, Span]]:
    """Spans that follow each other in a row."""
    rows: dict[str, list[Span]] = {}
    for span in plan.spans.values():
        rows.setdefault(span.task.row, []).append(span)
    for row in rows.values():
        yield from pairwise(row)


def _races(runs: Sequence[TaskRun], plan: Schedule, blocks: int) -> Iterator[Race]:
    """Slot s·blocks + b holds what stage s leaves of block b; items are numbered likewise."""
    uses = []
    for one in runs:
        item = one.stage * blocks + one.block
        for slot, writes in ((item, True), (item - blocks, False)):
            if slot >= 0:
                uses.append(Access(slot, writes, item, (one.stage, one.block), one.work_start_us, one.end_us))
    return races(uses, plan)


def _check(work_us: Sequence[Sequence[float]], launch_us: float, task_us: float) -> None:
    whole("the number of stages", len(work_us), 1, MAX_STAGES)
    whole("the number of tasks", sum(len(stage) for stage in work_us), 1, MAX_TASKS)
    for s, stage in enumerate(work_us):
        if len(stage) != len(work_us[0]):
            raise ValueError(f"stage {s} has {len(stage)} blocks; it must have {len(work_us[0])}, as stage 0 has")
        for b, us in enumerate(stage):
            check(f"work of block {b} in stage {s}", us, "µs", 0, MAX_US)
    check("launch_us", launch_us, "µs", 0, MAX_US)
    check("task_us", task_us, "µs", 0, MAX_US)
