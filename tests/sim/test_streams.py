import doctest
import random
from functools import cache
from itertools import pairwise

import pytest

import sim.streams
from sim.streams import Enqueue, Record, Sync, Wait, double_buffer, parse, simulate


def test_docstring_examples_hold():
    result = doctest.testmod(sim.streams)
    assert result.attempted
    assert not result.failed


def times(line):
    return {work.name: (work.start_us, work.end_us) for work in line.works}


# The host hands over a copy, then its kernel, 5 µs each: copy 0 at 5, kernel 0 at 10, copy 1 at 15, ...
# From there on only the longer half, the kernels, counts: 5 + 40 + 4 · 55 = 265; with one slot
# 5 + 4 · (40 + 55) = 385.
def test_four_batches_through_two_slots():
    line = simulate(double_buffer(4, 40, 55, 2))
    assert times(line) == {
        "copy 0": (5, 45), "kernel 0": (45, 100),
        "copy 1": (45, 85), "kernel 1": (100, 155),
        "copy 2": (100, 140), "kernel 2": (155, 210),
        "copy 3": (155, 195), "kernel 3": (210, 265),
    }  # fmt: skip
    assert line.total_us == 265
    held = {w.name: (w.ready_us, w.waited_for, w.start_us) for w in line.works if w.waited_for}
    assert held == {
        "kernel 0": (10, "filled0", 45),
        "copy 2": (85, "free0", 100),
        "copy 3": (140, "free1", 155),
    }
    assert line.waited_us("copy") == 30
    boxes = [(call.start_us, call.end_us) for call in line.host if call.start_us < call.end_us]
    assert boxes == [(5 * i, 5 * i + 5) for i in range(8)] + [(40, 265)]
    assert [(s.slot, s.state, line.program[s.item].name, s.start_us, s.end_us) for s in line.slots] == [
        (0, "filling", "copy 0", 5, 45),
        (0, "being read", "kernel 0", 45, 100),
        (0, "filling", "copy 2", 100, 140),
        (0, "full", "copy 2", 140, 155),
        (0, "being read", "kernel 2", 155, 210),
        (1, "filling", "copy 1", 45, 85),
        (1, "full", "copy 1", 85, 100),
        (1, "being read", "kernel 1", 100, 155),
        (1, "filling", "copy 3", 155, 195),
        (1, "full", "copy 3", 195, 210),
        (1, "being read", "kernel 3", 210, 265),
    ]
    assert line.races == ()


def test_events_come_when_the_work_before_them_ends():
    line = simulate(double_buffer(4, 40, 55, 2))
    assert [(r.event, r.done_us) for r in line.records] == [
        ("filled0", 45), ("free0", 100), ("filled1", 85), ("free1", 155),
        ("filled0", 140), ("free0", 210), ("filled1", 195), ("free1", 265),
    ]  # fmt: skip
    frees = [wait for wait in line.waits if wait.event.startswith("free")]
    assert [wait.record for wait in frees[:2]] == [None, None]  # nobody has read the slots yet
    for wait in frees[2:]:
        kernel = line.program[wait.record - 1].name
        copy = line.program[wait.step + 1].name
        assert (kernel, copy) in {("kernel 0", "copy 2"), ("kernel 1", "copy 3")}


def test_other_numbers_of_slots():
    assert simulate(double_buffer(4, 40, 55, 1)).total_us == 385
    three = simulate(double_buffer(4, 40, 55, 3))
    assert three.total_us == 265
    assert three.waited_us("copy") == 0


def test_when_the_copy_is_the_longer_half_it_never_waits():
    line = simulate(double_buffer(4, 60, 40, 2))
    assert line.total_us == 5 + 4 * 60 + 40
    assert line.waited_us("copy") == 0


def races(line):
    return {(line.program[r.first].name, line.program[r.second].name): r.overlap_us for r in line.races}


def test_without_free_a_copy_overwrites_what_a_kernel_reads():
    line = simulate(double_buffer(4, 40, 55, 2, leave_out="free"))
    assert times(line)["copy 2"] == (85, 125)
    assert races(line) == {("kernel 0", "copy 2"): (85, 100), ("kernel 1", "copy 3"): (125, 155)}
    assert line.total_us == 265  # as fast, and wrong


def test_without_free_it_is_a_race_even_when_the_timing_is_kind():
    line = simulate(double_buffer(4, 60, 40, 2, leave_out="free"))
    assert races(line) == {("kernel 0", "copy 2"): None, ("kernel 1", "copy 3"): None}


def test_without_filled_a_kernel_reads_what_is_not_there_yet():
    line = simulate(double_buffer(4, 40, 55, 2, leave_out="filled"))
    # kernels back to back from 10, copies from 5; copies 2 and 3 find their slots free at 65 and 120
    assert times(line)["kernel 3"] == (175, 230)
    assert races(line) == {
        ("copy 0", "kernel 0"): (10, 45),
        ("copy 1", "kernel 1"): (65, 85),
        ("copy 2", "kernel 2"): (120, 125),
        ("copy 3", "kernel 3"): None,  # copied 125 to 165, read from 175: luck
        ("copy 0", "kernel 2"): None,
        ("copy 1", "kernel 3"): None,
    }


def test_a_wait_is_for_the_last_record_before_it_in_the_order_of_the_host():
    line = simulate(
        parse("""
        enqueue a first 10
        record a e
        enqueue a second 10
        wait b e
        record a e            # later than the wait: changes nothing for it
        enqueue b early 1
        wait c e
        enqueue c late 1
        """),
        submit_us=0,
    )
    assert times(line) == {"first": (0, 10), "second": (10, 20), "early": (10, 11), "late": (20, 21)}
    assert [(wait.step, wait.record, wait.passed_us) for wait in line.waits] == [(3, 1, 10), (6, 4, 20)]


def test_a_wait_for_an_event_never_recorded_is_no_wait_and_says_so():
    line = simulate(
        parse("""
        enqueue a work 10
        wait b e
        enqueue b other 1
        sync event e
        record a e            # too late
        """),
        submit_us=0,
    )
    assert times(line)["other"] == (0, 1)
    assert [(wait.step, wait.stream, wait.record, wait.passed_us) for wait in line.waits] == [
        (1, "b", None, 0),
        (3, None, None, 0),
    ]


def test_a_record_stands_behind_the_waits_of_its_stream():
    line = simulate(parse("enqueue a work 10\nrecord a e\nwait b e\nrecord b f\nwait c f\nenqueue c k 1"), submit_us=0)
    assert [(r.event, r.done_us) for r in line.records] == [("e", 10), ("f", 10)]
    assert [(w.start_us, w.waited_for) for w in line.works if w.name == "k"] == [(10, "f")]


@pytest.mark.parametrize(("sync", "goes_on_at"), [("sync", 33), ("sync stream b", 26), ("sync event e", 13), ("", 9)])
def test_a_sync_holds_the_host(sync, goes_on_at):
    program = parse(f"enqueue a one 10\nrecord a e\nenqueue b two 20\nenqueue a three 20\n{sync}\nenqueue c after 1")
    line = simulate(program, submit_us=3)  # one 3-13, two 6-26, three 13-33
    assert [(w.submitted_us, w.start_us) for w in line.works if w.name == "after"] == [(goes_on_at + 3,) * 2]


def test_a_sync_orders_what_comes_after_it():
    text = "enqueue a fill 10 writes slot 0\n{}\nenqueue b use 1 reads slot 0"
    assert len(simulate(parse(text.format(""))).races) == 1
    assert not simulate(parse(text.format("sync stream a"))).races


def test_records_and_waits_can_cost_the_host_too():
    line = simulate(parse("wait a e\nrecord a e\nenqueue a k 1"), submit_us=5, event_us=2)
    assert [(call.start_us, call.end_us) for call in line.host] == [(0, 2), (2, 4), (4, 9)]
    assert line.total_us == 10


def test_a_slow_host_starves_the_device():
    line = simulate(double_buffer(3, 4, 4, 2), submit_us=50)
    assert times(line) == {
        "copy 0": (50, 54), "kernel 0": (100, 104),
        "copy 1": (150, 154), "kernel 1": (200, 204),
        "copy 2": (250, 254), "kernel 2": (300, 304),
    }  # fmt: skip
    assert line.waited_us("copy") == line.waited_us("compute") == 0


@pytest.mark.parametrize("name", ["submit_us", "event_us"])
@pytest.mark.parametrize("us", [-1.0, float("nan"), float("inf"), 2e6])
def test_the_cost_of_a_host_call_is_checked(name, us):
    with pytest.raises(ValueError, match=rf"^{name} is {us}; it must be from 0 to 1e\+06 µs"):
        simulate([Sync()], **{name: us})


def test_a_bad_program_is_refused():
    with pytest.raises(ValueError, match="the program has 0 steps"):
        simulate([])


def random_program(seed):
    """Up to 40 steps on three streams, three events and three slots; whole µs, so that sums are exact."""
    draw = random.Random(seed)
    program = []
    for i in range(draw.randint(1, 40)):
        stream, event = draw.choice("abc"), draw.choice("efg")
        kind, slot = draw.choice([("move", draw.randint(0, 2)), ("compute", draw.choice([None, 0, 1, 2]))])
        work = Enqueue(stream, f"work {i}", draw.randint(0, 30), kind, slot)
        known = [step.stream for step in program if not isinstance(step, Sync)]
        sync = draw.choice([Sync(), Sync(event=event), Sync(stream=draw.choice(known) if known else None)])
        step = draw.choices([work, Record(stream, event), Wait(stream, event), sync], [6, 4, 4, 1])
        program += step
    return program


def replay(program, submit_us, event_us):
    """When the host leaves step i and when its stream has done it, each from its definition."""

    def latest(indices):
        return max((done(j) for j in indices), default=0)

    def recorded(i):
        last = [j for j in range(i) if isinstance(program[j], Record) and program[j].event == program[i].event]
        return last[-1:]

    @cache
    def left(i):
        before = left(i - 1) if i else 0
        step = program[i]
        if isinstance(step, Enqueue):
            return before + submit_us
        if not isinstance(step, Sync):
            return before + event_us
        if step.event is not None:
            return max(before, latest(recorded(i)))
        given = [j for j in range(i) if not isinstance(program[j], Sync)]
        return max(before, latest(j for j in given if step.stream in (None, program[j].stream)))

    @cache
    def begun(i):
        same = [j for j in range(i) if not isinstance(program[j], Sync) and program[j].stream == program[i].stream]
        waited = recorded(i) if isinstance(program[i], Wait) else []
        return max(left(i), latest(same), latest(waited))

    def done(i):
        return begun(i) + (program[i].duration_us if isinstance(program[i], Enqueue) else 0)

    return left, begun, done


@pytest.mark.parametrize("block", range(10))
def test_a_thousand_random_programs_against_the_definitions(block):
    for seed in range(100 * block, 100 * block + 100):
        program = random_program(seed)
        submit_us, event_us = seed % 4, seed % 3
        line = simulate(program, submit_us=submit_us, event_us=event_us)
        left, begun, done = replay(program, submit_us, event_us)

        assert [call.end_us for call in line.host] == [left(i) for i in range(len(program))], seed
        assert [(w.start_us, w.end_us) for w in line.works] == [(begun(w.step), done(w.step)) for w in line.works], seed
        assert [r.done_us for r in line.records] == [done(r.step) for r in line.records], seed
        ends = [left(i) if isinstance(step, Sync) else done(i) for i, step in enumerate(program)]
        assert line.total_us == max(*ends, left(len(program) - 1)), seed

        for stream in "abc":
            for a, b in pairwise(w for w in line.works if w.stream == stream):
                assert a.end_us <= b.start_us, seed
        for work in line.works:
            assert work.start_us >= work.ready_us >= work.submitted_us, seed
            came = [r.done_us for r in line.records if r.event == work.waited_for]
            assert (work.start_us > work.ready_us) == (work.waited_for is not None), seed
            assert (work.start_us in came) if work.waited_for else (work.start_us == work.ready_us), seed


def test_a_race_is_two_uses_that_some_durations_bring_together():
    """Give two uses of a slot a second each and everything else nothing: they meet unless one is first."""
    found = 0
    for seed in range(150):
        program = random_program(seed)
        racing = {frozenset((r.first, r.second)) for r in simulate(program).races}
        uses = [i for i, step in enumerate(program) if isinstance(step, Enqueue) and step.slot is not None]
        for n, a in enumerate(uses):
            for b in uses[:n]:
                if program[a].slot != program[b].slot or "move" not in (program[a].kind, program[b].kind):
                    continue
                stretched = [
                    Enqueue(s.stream, s.name, 1e6 if i in (a, b) else 0, s.kind, s.slot)
                    if isinstance(s, Enqueue)
                    else s
                    for i, s in enumerate(program)
                ]
                first, second = (w for w in simulate(stretched).works if w.step in (a, b))
                meet = first.start_us < second.end_us and second.start_us < first.end_us
                assert meet == (frozenset((a, b)) in racing), (seed, a, b)
                found += meet
    assert found > 100
