import doctest
import random
from collections import Counter
from itertools import pairwise

import pytest

import sim.hang_doctor
import sim.hang_program
from sim import streams
from sim.hang_doctor import examine
from sim.hang_program import Await, Collective, Place, Signal, cases
from sim.hang_trace import Missing
from sim.stream_program import Enqueue, Record, Sync, Wait, double_buffer


@pytest.mark.parametrize("module", [sim.hang_doctor, sim.hang_program])
def test_docstring_examples_hold(module):
    result = doctest.testmod(module)
    assert result.attempted
    assert not result.failed


def test_an_event_never_recorded():
    found = examine(cases()["never recorded"])
    waiting, idle = found.stuck
    assert waiting.place == Place("trainer", None, 0)
    assert waiting.missing == (Missing("filled0"),)
    assert (waiting.needs, waiting.held_by) == ((), ())
    # the compute stream is not to blame: it was never given its kernel
    assert (idle.place, idle.submitted, idle.held_by) == (Place("trainer", "compute", 1), False, (waiting.place,))
    assert found.cycles == ()
    assert found.last_progress_us == 5 + 40  # the copy was handed over and made
    assert found.owed(1e6) == {("trainer", None): (0, 1, 2)}
    recorded = dict(cases()["never recorded"])
    recorded["loader"] = (*recorded["loader"], Record("copy", "filled0"))
    assert examine(recorded).stuck == ()
    assert examine(recorded).last_progress_us == 5 + 40 + 5 + 55


def test_two_streams_that_wait_for_each_other():
    found = examine(cases()["two streams"])
    first, second = Place("host", "first", 0), Place("host", "second", 3)
    assert found.cycles == ((first, second),)
    by_place = {each.place: each for each in found.stuck}
    assert by_place[first].needs == (Place("host", "second", 5),)
    assert by_place[second].needs == (Place("host", "first", 2),)
    assert by_place[Place("host", None, 6)].held_by == (first, second)  # the sync is behind, not in the cycle
    assert found.owed(100.0) == {
        ("host", "first"): (0, 1, 2), ("host", "second"): (3, 4, 5), ("host", None): (6,),
    }  # fmt: skip


def test_a_collective_that_one_rank_never_enters():
    found = examine(cases()["collective"])
    assert found.stuck[0].place == Place("rank 0", "comm", 3)
    assert found.stuck[0].missing == (Missing("all-reduce", "rank 1", 1),)
    assert found.cycles == ()
    assert {each.place.host for each in found.stuck} == {"rank 0"}  # rank 1 has ended and notices nothing
    # both ranks: kernel 5-25, first collective 25-55; the second kernel of rank 0 till 75
    assert found.last_progress_us == 75


def test_a_missing_call_is_not_taken_for_a_step_of_like_name():
    # host x, stream y, step 0 is there; the call 0 of x by host y is not
    found = examine({"x": (Collective("y", "x", 1.0),), "y": (Signal("done"),)})
    assert found.stuck[0].missing == (Missing("x", "y", 0),)
    assert found.cycles == ()


def test_collectives_in_another_order_are_a_cycle_of_ranks():
    found = examine(cases()["collective order"])
    assert found.cycles == ((Place("rank 0", "comm", 0), Place("rank 1", "comm", 0)),)


def test_slow_is_told_from_stuck_by_what_is_under_way():
    slow, stuck = examine(cases()["slow"]), examine(cases()["two streams"])
    assert slow.stuck == ()
    for at_us in (100.0, 1000.0, 1e6):
        assert slow.look(at_us).verdict == "slow"
        assert slow.look(at_us).steps_done == 3  # no step more in all that time, and yet
        assert slow.look(at_us).under_way == (Place("host", "compute", 3),)
    assert slow.look(slow.last_progress_us).verdict == "ended"
    assert stuck.look(stuck.last_progress_us).verdict == "stuck"
    assert stuck.look(stuck.last_progress_us).under_way == ()
    assert stuck.look(7.0).verdict == "slow"  # the host still hands over


def test_a_cuda_wait_for_an_event_never_recorded_is_no_wait():
    found = examine(cases()["waits for nothing"])
    assert found.stuck == ()
    assert found.empty_waits == (Place("host", "compute", 1),)


def test_a_stream_that_waits_for_itself():
    found = examine({"host": (Await("mine", "s"), Signal("mine", "s"))})
    assert found.cycles == ((Place("host", "s", 0),),)


def test_a_host_can_be_part_of_the_cycle():
    # the host syncs with a stream that waits for what the host would do next
    found = examine({"host": (Await("go", "s"), Sync(), Signal("go"))})
    assert found.cycles == ((Place("host", "s", 0), Place("host", None, 1)),)
    assert examine({"host": (Await("go", "s"), Signal("go"), Sync())}).stuck == ()


def test_with_streams_and_events_alone_nothing_hangs_and_times_are_those_of_streams():
    for program in (double_buffer(4, 40, 55, 2), double_buffer(5, 60, 40, 3), double_buffer(3, 4, 4, 1)):
        found = examine({"host": program})
        line = streams.simulate(program)
        assert (found.stuck, found.cycles) == ((), ())
        times = {each.place: (each.start_us, each.end_us) for each in found.done}
        assert {Place("host", w.stream, w.step): (w.start_us, w.end_us) for w in line.works}.items() <= times.items()
        assert found.last_progress_us == line.total_us
        assert {p.step for p in found.empty_waits} == {w.step for w in line.waits if w.record is None}


def random_program(seed):
    """Up to 3 hosts with up to 9 steps each; every mark is made at most once, and often by nobody."""
    draw = random.Random(seed)
    marks = ["m0", "m1", "m2", "e0", "e1"]
    unmade = draw.sample(marks, draw.randint(1, 5))
    program = {}
    for h in range(draw.randint(1, 3)):
        steps = []
        for _ in range(draw.randint(0 if h else 1, 9)):
            stream = draw.choice("ab")
            kind = draw.choices(["work", "make", "wait", "sync", "await", "collective"], [4, 3, 2, 1, 3, 1])[0]
            known = [s.stream for s in steps if not isinstance(s, Sync) and s.stream]
            if kind == "make" and unmade:
                mark = unmade.pop()
                steps.append(Record(stream, mark) if mark[0] == "e" else Signal(mark, draw.choice([stream, None])))
            elif kind == "wait":
                steps.append(Wait(stream, draw.choice(["e0", "e1"])))
            elif kind == "sync":
                steps.append(draw.choice([Sync(), Sync(event="e0"), Sync(stream=known[0] if known else None)]))
            elif kind == "await":
                steps.append(Await(draw.choice(marks), draw.choice([stream, stream, None])))
            elif kind == "collective":
                steps.append(Collective(stream, draw.choice(["x", "x", "y"]), draw.randint(0, 9)))
            else:
                steps.append(Enqueue(stream, "work", draw.randint(0, 30)))
        program[f"h{h}"] = tuple(steps)
    return program


def stream_of(step):
    return None if isinstance(step, Sync) else step.stream


def makes(step, mark):
    return (isinstance(step, Signal) and step.mark == mark) or (isinstance(step, Record) and step.event == mark)


def newest_record(steps, i, event):
    return [j for j in range(i) if isinstance(steps[j], Record) and steps[j].event == event][-1:]


def calls_of(steps, name):
    return [i for i, step in enumerate(steps) if isinstance(step, Collective) and step.name == name]


class Machine:
    """The same programs, done step by step: hosts hand steps to queues, queues do their first when they may."""

    def __init__(self, program, draw):
        self.program, self.draw = program, draw
        self.at = dict.fromkeys(program, 0)
        self.queues, self.done, self.entered = {}, set(), set()

    def may(self, host, i):
        steps = self.program[host]
        step = steps[i]
        if isinstance(step, Wait | Sync) and step.event is not None:
            return all((host, j) in self.done for j in newest_record(steps, i, step.event))
        if isinstance(step, Sync):
            return not any(q for (h, s), q in self.queues.items() if h == host and step.stream in (None, s))
        if isinstance(step, Await):
            return any(makes(self.program[h][j], step.mark) for h, j in self.done)
        if isinstance(step, Collective):
            self.entered.add((host, i))
            n = calls_of(steps, step.name).index(i)
            calls = {h: calls_of(theirs, step.name) for h, theirs in self.program.items()}
            return all(len(mine) > n and (h, mine[n]) in self.entered for h, mine in calls.items())
        return True

    def host_step(self, host):
        """Take the host one step on, if it can go."""
        i = self.at[host]
        if i == len(self.program[host]):
            return False
        step = self.program[host][i]
        stream = None if isinstance(step, Sync) else step.stream
        if stream is not None:
            self.queues.setdefault((host, stream), []).append(i)
        elif not self.may(host, i):
            return False
        else:
            self.done.add((host, i))
        self.at[host] += 1
        return True

    def queue_step(self, row):
        """Let a stream do its next step, if it may."""
        queue = self.queues.get(row, [])
        if not queue or not self.may(row[0], queue[0]):
            return False
        self.done.add((row[0], queue.pop(0)))
        return True

    def run(self):
        while True:
            moves = [(self.host_step, host) for host in self.program]
            moves += [(self.queue_step, row) for row in list(self.queues)]
            self.draw.shuffle(moves)
            # one more look when nothing moved: a first look may only have entered a collective
            if not any([move(arg) for move, arg in moves]) and not any([move(arg) for move, arg in moves]):
                return self.done


def dependences(program):
    """What each part of each step waits for, by the definitions: ("call" or "do", host, step) -> such or None."""

    def before_in_stream(host, i):
        steps = program[host]
        same = [j for j in range(i) if stream_of(steps[j]) == stream_of(steps[i])]
        return [("do", host, j) for j in same[-1:]]

    parts = {}
    for host, steps in program.items():
        for i, step in enumerate(steps):
            needs = parts["call", host, i] = [("call", host, i - 1)] if i else []
            if stream_of(step) is not None:
                needs = parts["do", host, i] = [("call", host, i), *before_in_stream(host, i)]
            if isinstance(step, Wait | Sync) and step.event is not None:
                needs += [("do", host, j) for j in newest_record(steps, i, step.event)]
            elif isinstance(step, Sync):
                given = [j for j in range(i) if stream_of(steps[j]) is not None]
                needs += [("do", host, j) for j in given if step.stream in (None, stream_of(steps[j]))]
            elif isinstance(step, Await):
                made = [
                    ("do" if stream_of(other) else "call", h, j)
                    for h, others in program.items()
                    for j, other in enumerate(others)
                    if makes(other, step.mark)
                ]
                needs += made or [None]
            elif isinstance(step, Collective):
                n = calls_of(steps, step.name).index(i)
                for other, theirs in program.items():
                    calls = calls_of(theirs, step.name)
                    if len(calls) <= n:
                        needs.append(None)
                    elif other != host:  # it has to be the other one's turn in its stream
                        needs += [("call", other, calls[n]), *before_in_stream(other, calls[n])]
    return parts


@pytest.mark.parametrize("block", range(4))
def test_a_thousand_random_programs_against_a_machine_and_against_reachability(block):
    seen = Counter()
    for seed in range(block * 250, block * 250 + 250):
        program = random_program(seed)
        found = examine(program, submit_us=seed % 4, event_us=seed % 3)

        final = {(h, i): stream_of(step) for h, steps in program.items() for i, step in enumerate(steps)}
        done = [each.place for each in found.done]
        finished = {(p.host, p.step) for p in done if p.stream == final[p.host, p.step]}
        assert finished == Machine(program, random.Random(seed)).run(), seed

        parts = dependences(program)

        def reach(part, parts=parts):
            past, todo = set(), [part]
            while todo:
                new = set(parts[todo.pop()]) - past
                past |= new
                todo += new - {None}
            return past

        past = {part: reach(part) for part in parts}
        circular = {part for part in parts if part in past[part]}
        hopeless = {part for part in parts if None in past[part] or past[part] & circular or part in circular}
        never = {("do" if stream else "call", *at) for at, stream in final.items()} & hopeless
        assert {(host, i) for _, host, i in never} == set(final) - finished, seed

        def part_of(place):
            return ("do" if place.stream else "call", place.host, place.step)

        # what is named is really there, and everything stuck comes down to it
        for circle in found.cycles:
            assert {part_of(place) for place in circle} <= hopeless, seed
            for place, holder in zip(circle, circle[1:] + circle[:1], strict=True):
                each = next(each for each in found.stuck if each.place == place)
                assert holder in each.held_by, seed
        roots = {each.place for each in found.stuck if each.missing} | {p for c in found.cycles for p in c}
        holders = {each.place: set(each.held_by) for each in found.stuck}
        for place in holders:
            chain, todo = {place}, [place]
            while todo:
                new = holders[todo.pop()] - chain
                chain |= new
                todo += new
            assert chain & roots, seed
        assert bool(found.stuck) == bool(hopeless), seed
        assert all(None in parts[part_of(each.place)] for each in found.stuck if each.missing), seed

        # something is under way until the last progress, and nothing after
        edges = sorted({each.start_us for each in found.done} | {each.end_us for each in found.done})
        for a, b in pairwise(edges):
            assert found.look((a + b) / 2).under_way, seed
            assert found.look((a + b) / 2).verdict == "slow", seed
        last = found.look(found.last_progress_us)
        assert (last.verdict, last.under_way) == ("stuck" if hopeless else "ended", ()), seed
        assert last.steps_done == len(finished), seed
        assert bool(found.owed(found.last_progress_us)) == bool(hopeless), seed
        seen["stuck"] += bool(found.stuck)
        seen["cycle"] += bool(found.cycles)
        seen["missing"] += any(each.missing for each in found.stuck)
        seen["fine"] += not found.stuck
    assert min(seen.values()) > 15, seen


def test_times_of_what_does_run_follow_from_the_definitions():
    for seed in range(1000, 1300):
        program = random_program(seed)
        submit_us, event_us = 3, 1
        found = examine(program, submit_us=submit_us, event_us=event_us)
        end = {("do" if e.place.stream else "call", e.place.host, e.place.step): e.end_us for e in found.done}
        for (what, host, i), needs in dependences(program).items():
            if (what, host, i) in end:
                step = program[host][i]
                costly = isinstance(step, Enqueue | Collective)
                on_stream = stream_of(step) is not None
                cost = (submit_us if costly else event_us) if on_stream else 0
                if what == "do":
                    cost = step.duration_us if costly else 0
                assert end[what, host, i] == max((end[need] for need in needs), default=0) + cost, seed


OK = Enqueue("s", "work", 1.0)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ({}, "the program has 0 hosts; give it 1 to 8"),
        ({f"h{i}": (OK,) for i in range(9)}, "the program has 9 hosts"),
        ({"h": ()}, "the program has 0 steps; give it 1 to 400"),
        ({"h": (OK,) * 401}, "the program has 401 steps"),
        ({"": (OK,)}, "the host ''; use 1 to 40 printable characters"),
        ({"h": tuple(Enqueue(f"s{i}", "k", 1) for i in range(9))}, "h has 9 streams; use at most 8"),
        ({"h": (OK, Sync(stream="t"))}, "h, step 1: sync on the stream 't', which no other step names"),
        ({"h": (Signal("a\n"),)}, r"the name 'a\\n'; use 1 to 40"),
        ({"h": (Await("a", ""),)}, "the stream ''; use 1 to 40"),
        ({"h": (Collective("s", "x" * 41, 1),)}, "the name 'x{40}'; use 1 to 40"),
        ({"h": (Collective("s", "x", -1),)}, r"h, step 0: -1 µs; it must be from 0 to 1e\+06"),
        ({"h": (Collective("s", "x", float("nan")),)}, "h, step 0: nan µs"),
        ({"h": (Signal("a"), Await("a"), Signal("a"))}, "the mark 'a' is awaited and made 2 times; make it once"),
        ({"h": (Signal("a"),), "g": (Record("s", "a"), Await("a"))}, "the mark 'a' is awaited and made 2 times"),
    ],
)
def test_a_program_that_cannot_be_run_is_refused(program, message):
    with pytest.raises(ValueError, match="^" + message):
        examine(program)


def test_a_mark_that_nobody_awaits_may_be_made_twice():
    assert examine({"h": (Record("s", "e"), Record("s", "e"), Signal("a"), Signal("a"))}).stuck == ()


@pytest.mark.parametrize("name", ["submit_us", "event_us"])
@pytest.mark.parametrize("us", [-1.0, float("nan"), float("inf"), 2e6, True, "1"])
def test_the_cost_of_a_host_call_is_checked(name, us):
    with pytest.raises(ValueError, match=rf"^{name} is {us!r}; it must be a number from 0 to 1e\+06 µs"):
        examine({"h": (OK,)}, **{name: us})
