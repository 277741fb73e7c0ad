import pytest

hypothesis = pytest.importorskip("hypothesis")

from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from sim.events import Task, cycles, run  # noqa: E402


@st.composite
def task_lists(draw):
    """Tasks that may name any task, earlier, later or missing, so that some lists get stuck."""
    n = draw(st.integers(1, 12))
    return [
        Task(
            i,
            draw(st.sampled_from("xyz")),
            float(draw(st.integers(0, 9))),
            tuple(draw(st.lists(st.integers(0, n), max_size=2, unique=True))),
        )
        for i in range(n)
    ]


def before(tasks, i):
    """The one before task i in its row, and its causes."""
    row = [j for j in range(i) if tasks[j].row == tasks[i].row]
    return set(tasks[i].after) | set(row[-1:])


def reachable(tasks, i):
    """Everything that must have ended first, by walking back; a missing task stands for itself."""
    seen, todo = set(), [i]
    while todo:
        new = (before(tasks, j) if (j := todo.pop()) < len(tasks) else set()) - seen
        seen |= new
        todo += new
    return seen


@given(task_lists())
def test_stuck_is_exactly_what_waits_on_itself_or_on_nothing(tasks):
    plan = run(tasks)
    n = len(tasks)

    def hopeless(i):
        past = reachable(tasks, i)
        return n in past or any(j in reachable(tasks, j) for j in {i, *past})

    assert {task.key for task in plan.stuck} == {i for i in range(n) if hopeless(i)}
    assert set(plan.spans) == set(range(n)) - {task.key for task in plan.stuck}


@given(task_lists())
def test_start_is_the_longest_chain_and_order_is_reachability(tasks):
    plan = run(tasks)
    for i, span in plan.spans.items():
        ends = [plan.spans[j].end_us for j in before(tasks, i)]
        assert span.start_us == max(ends, default=0.0)
        assert span.end_us == span.start_us + tasks[i].duration_us
        assert {j for j in plan.spans if plan.happens_before(j, i)} == reachable(tasks, i)
        if span.waited_for is None:
            assert span.start_us == span.ready_us
        else:
            assert plan.spans[span.waited_for].end_us == span.start_us > span.ready_us


@given(task_lists())
def test_circles_hold_exactly_the_stuck_heads_that_can_be_reached_from_themselves(tasks):
    blocked = run(tasks).blocked()
    held_by = {each.task.key: set(each.held_by) for each in blocked}
    assert {each.task.row for each in blocked} == {task.row for task in run(tasks).stuck}

    def reach(key):
        seen, todo = set(), [key]
        while todo:
            new = held_by[todo.pop()] - seen
            seen |= new
            todo += new
        return seen

    found = cycles(blocked)
    assert {key for circle in found for key in circle} == {key for key in held_by if key in reach(key)}
    for circle in found:
        assert len(set(circle)) == len(circle)
        for key, holder in zip(circle, circle[1:] + circle[:1], strict=True):
            assert holder in held_by[key]
    for each in blocked:  # every head lacks something or is held, and in the end by a circle or a lack
        roots = {each.task.key, *reach(each.task.key)}
        assert any(b.missing for b in blocked if b.task.key in roots) or any(set(c) <= roots for c in found)
