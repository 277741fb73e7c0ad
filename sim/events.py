"""Rows of tasks that wait for one another: every start is the latest of its causes.

A row (a stream, a copy engine, a warp, the host) does its tasks one at a time in the order given. A task
starts when its row is free and every task it names in ``after`` has ended. Tasks without a duration are
the instants in between: an event recorded, a barrier passed.

Source: the precedence relation of L. Lamport, "Time, Clocks, and the Ordering of Events in a Distributed
System", CACM 21(7), 1978 (happens before = same row earlier, or a cause, or through a third task).
Left out: rows that share a resource and slow each other; a choice of row made at run time; preemption.
"""

from collections import defaultdict, deque
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import inf


@dataclass(frozen=True, slots=True)
class Task:
    """One thing that ``row`` does for ``duration_us`` (0 <= µs < inf), once every task in ``after`` ended.

    ``after`` names tasks by ``key``. A key that no task has is an event that never comes.
    """

    key: Hashable
    row: str
    duration_us: float
    after: tuple[Hashable, ...] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """When a task ran, in µs from 0, and what held it back.

    ``ready_us``: its row was free. ``waited_for``: the cause that ended last, if that was after
    ``ready_us``; the wait lasted until ``start_us``. ``past``: bit i is set if task i of the list given
    to `run` happens before this one, whatever the durations.
    """

    task: Task
    index: int
    ready_us: float
    start_us: float
    end_us: float
    waited_for: Hashable | None
    past: int


@dataclass(frozen=True, slots=True)
class Schedule:
    """All that happened (``spans`` by key, in an order that causes respect) and what never could."""

    spans: Mapping[Hashable, Span]
    stuck: tuple[Task, ...]

    @property
    def total_us(self) -> float:
        """End of the last task that ran, 0 if none did."""
        return max((span.end_us for span in self.spans.values()), default=0.0)

    def happens_before(self, first: Hashable, second: Hashable) -> bool:
        """Whether ``first`` has ended when ``second`` starts for every choice of durations."""
        return bool(self.spans[second].past >> self.spans[first].index & 1)

    def blocked(self) -> tuple["Blocked", ...]:
        """What each row that did not get to its end stopped at, in the order given to `run`."""
        heads: dict[str, Task] = {}
        for task in self.stuck:
            heads.setdefault(task.row, task)
        row_of = {task.key: task.row for task in self.stuck}
        found = []
        for task in heads.values():
            unmet = tuple(key for key in task.after if key not in self.spans)
            missing = tuple(key for key in unmet if key not in row_of)
            held_by = dict.fromkeys(heads[row_of[key]].key for key in unmet if key in row_of)
            found.append(Blocked(task, unmet, missing, tuple(held_by)))
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Blocked:
    """The task that a row is stuck at, and why.

    ``unmet``: the causes it lacks. ``missing``: those of them that no task has. ``held_by``: for the other
    ones, the tasks (keys) that their rows are stuck at, which may be this task itself.
    """

    task: Task
    unmet: tuple[Hashable, ...]
    missing: tuple[Hashable, ...]
    held_by: tuple[Hashable, ...]


def cycles(blocked: Sequence[Blocked]) -> tuple[tuple[Hashable, ...], ...]:
    """Circles of stuck tasks (keys) in which each is held by the next and the last by the first.

    Each is a shortest one through its first task; together they hold every task that is on any circle.
    A stuck row that is on none, and misses nothing itself, is held up by one that is or does.

    >>> plan = run([Task("a", "x", 1.0, ("b",)), Task("b", "y", 1.0, ("a",)), Task("c", "z", 1.0, ("b",))])
    >>> cycles(plan.blocked())
    (('a', 'b'),)
    """
    held_by = {each.task.key: each.held_by for each in blocked}
    found: list[tuple[Hashable, ...]] = []
    for first in held_by:
        if not any(first in circle for circle in found):
            came_from: dict[Hashable, Hashable] = {}
            waiting = deque([first])
            while waiting and first not in came_from:
                key = waiting.popleft()
                for holder in held_by[key]:
                    if holder not in came_from:
                        came_from[holder] = key
                        waiting.append(holder)
            if first in came_from:
                circle = [first]
                while (key := came_from[circle[-1]]) != first:
                    circle.append(key)
                found.append((first, *reversed(circle[1:])))
    return tuple(found)


def run(tasks: Sequence[Task]) -> Schedule:
    """Run every row as far as it gets; what is left is ``stuck``, in the order given.

    Raises ValueError for two tasks with one key or a duration that is not 0 <= µs < inf.

    >>> plan = run([Task("load", "mover", 2.0), Task("add", "adder", 1.0, after=("load",))])
    >>> plan.spans["add"].start_us, plan.spans["add"].waited_for, plan.total_us
    (2.0, 'load', 3.0)
    >>> [task.key for task in run([Task("a", "x", 1.0, ("b",)), Task("b", "y", 1.0, ("a",))]).stuck]
    ['a', 'b']
    """
    rows: defaultdict[str, deque[tuple[int, Task]]] = defaultdict(deque)
    keys: set[Hashable] = set()
    for index, task in enumerate(tasks):
        if task.key in keys:
            raise ValueError(f"task {index}: the key {task.key!r} is taken; give every task its own key")
        if not 0 <= task.duration_us < inf:
            raise ValueError(f"task {index}: duration_us is {task.duration_us}; it must be 0 <= µs < inf")
        keys.add(task.key)
        rows[task.row].append((index, task))

    spans: dict[Hashable, Span] = {}
    last: dict[str, Span] = {}
    moved = True
    while moved:
        moved = False
        for row, waiting in rows.items():
            while waiting and all(map(spans.__contains__, waiting[0][1].after)):
                index, task = waiting.popleft()
                last[row] = spans[task.key] = _place(index, task, last.get(row), spans)
                moved = True
    return Schedule(spans, tuple(task for task in tasks if task.key not in spans))


def _place(index: int, task: Task, before: Span | None, spans: Mapping[Hashable, Span]) -> Span:
    """Put a task whose causes have all ended behind the one before it in its row."""
    ready = before.end_us if before else 0.0
    start, waited_for, past = ready, None, before.past | 1 << before.index if before else 0
    for key in task.after:
        cause = spans[key]
        past |= cause.past | 1 << cause.index
        if cause.end_us > start:
            start, waited_for = cause.end_us, key
    return Span(task, index, ready, start, start + task.duration_us, waited_for, past)
