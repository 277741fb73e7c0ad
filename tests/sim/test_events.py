import doctest

import pytest

import sim.events
from sim.events import Blocked, Task, cycles, run


def test_docstring_examples_hold():
    result = doctest.testmod(sim.events)
    assert result.attempted
    assert not result.failed


def test_a_start_is_the_latest_of_its_causes():
    plan = run(
        [
            Task("a", "x", 2.0),
            Task("b", "y", 5.0),
            Task("c", "x", 1.0, ("b",)),  # x is free at 2, b ends at 5
            Task("d", "y", 1.0, ("a",)),  # a ended at 2, but y itself is busy until 5
            Task("mark", "y", 0.0, ("c",)),  # an instant: y is free at 6, c ends at 6
        ]
    )
    times = {key: (span.ready_us, span.start_us, span.end_us) for key, span in plan.spans.items()}
    assert times == {"a": (0, 0, 2), "b": (0, 0, 5), "c": (2, 5, 6), "d": (5, 5, 6), "mark": (6, 6, 6)}
    assert {key: span.waited_for for key, span in plan.spans.items()} == dict.fromkeys("abd") | {
        "c": "b",
        "mark": None,  # c ends when y is free anyway: nothing was waited for
    }
    assert plan.total_us == 6
    assert plan.stuck == ()


def test_of_two_causes_the_later_is_named():
    plan = run([Task("a", "x", 2.0), Task("b", "y", 3.0), Task("c", "z", 1.0, ("b", "a"))])
    assert plan.spans["c"].waited_for == "b"


def test_an_event_that_never_comes_leaves_its_row_stuck_and_the_others_running():
    tasks = [
        Task("a", "x", 1.0),
        Task("b", "x", 1.0, ("nobody records this",)),
        Task("c", "x", 1.0),  # free of causes, but behind b
        Task("d", "y", 1.0, ("a",)),
        Task("e", "y", 1.0, ("c",)),
    ]
    plan = run(tasks)
    assert [task.key for task in plan.stuck] == ["b", "c", "e"]
    assert list(plan.spans) == ["a", "d"]


def test_what_a_row_is_stuck_at_and_why():
    tasks = [
        Task("a", "x", 1.0, ("nobody records this", "z")),
        Task("b", "x", 1.0),
        Task("c", "y", 1.0, ("b",)),  # b is not what x is stuck at: a is
        Task("d", "y", 1.0),
        Task("e", "v", 1.0, ("d", "c")),
        Task("z", "w", 1.0),
    ]
    a, _, c, _, e, _ = tasks
    assert run(tasks).blocked() == (
        Blocked(a, ("nobody records this",), ("nobody records this",), ()),  # z did come
        Blocked(c, ("b",), (), ("a",)),
        Blocked(e, ("d", "c"), (), ("c",)),
    )
    assert cycles(run(tasks).blocked()) == ()
    assert run([Task("a", "x", 1.0)]).blocked() == ()


def test_circles_of_rows_that_wait_for_each_other():
    tasks = [
        Task("a", "x", 1.0, ("c2", "elsewhere")),
        Task("b", "y", 1.0, ("a",)),
        Task("c", "z", 1.0, ("b",)),
        Task("c2", "z", 1.0),
        Task("d", "w", 1.0, ("a",)),  # behind the circle, not in it
        Task("self", "v", 1.0, ("self",)),
    ]
    assert cycles(run(tasks).blocked()) == (("a", "c", "b"), ("self",))


def test_circles_that_share_a_row_are_both_found():
    tasks = [Task("a", "x", 1.0, ("b", "c")), Task("b", "y", 1.0, ("a",)), Task("c", "z", 1.0, ("a",))]
    assert cycles(run(tasks).blocked()) == (("a", "b"), ("c", "a"))


def test_order_holds_through_a_third_task_and_not_by_luck_of_timing():
    plan = run([Task("a", "x", 9.0), Task("b", "y", 0.0, ("a",)), Task("c", "z", 1.0, ("b",)), Task("d", "w", 1.0)])
    assert plan.happens_before("a", "c")
    assert not plan.happens_before("c", "a")
    assert not plan.happens_before("a", "a")
    # d ends long before c starts, yet nothing makes it
    assert not plan.happens_before("d", "c")


def test_nothing_to_do_takes_no_time():
    assert run([]).total_us == 0


@pytest.mark.parametrize("duration_us", [-1.0, float("nan"), float("inf")])
def test_a_duration_must_be_a_length_of_time(duration_us):
    with pytest.raises(ValueError, match=r"task 1: duration_us is .*; it must be 0 <= µs < inf"):
        run([Task("a", "x", 1.0), Task("b", "x", duration_us)])


def test_two_tasks_cannot_share_a_key():
    with pytest.raises(ValueError, match=r"task 1: the key 'a' is taken"):
        run([Task("a", "x", 1.0), Task("a", "y", 1.0)])
