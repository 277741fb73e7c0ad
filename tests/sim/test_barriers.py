import doctest
import random
from collections import Counter
from functools import cache

import pytest

import sim.barriers
from sim.barriers import simulate


def test_docstring_examples_hold():
    result = doctest.testmod(sim.barriers)
    assert result.attempted
    assert not result.failed


def named(trace):
    return {(r.writer, r.write_step, r.reader, r.read_step) for r in trace.races}


def test_trace_of_two_warps_by_hand():
    trace = simulate(2, 2, store_us=1, load_us=2)
    assert [(a.warp, a.stores, a.step, a.ready_us, a.start_us, a.end_us, a.values) for a in trace.accesses] == [
        (0, True, 0, 0, 0, 1, (1,)), (1, True, 0, 0, 0, 1, (2,)),
        (0, False, 0, 1, 1, 3, (1, 2)), (1, False, 0, 1, 1, 3, (1, 2)),
        (0, True, 1, 3, 3, 4, (3,)), (1, True, 1, 3, 3, 4, (4,)),
        (0, False, 1, 4, 4, 6, (3, 4)), (1, False, 1, 4, 4, 6, (3, 4)),
    ]  # fmt: skip
    assert [(b.switch, b.step, b.arrive_us, b.passed_us) for b in trace.barriers] == [
        ("after store", 0, (1, 1), 1),
        ("after load", 0, (3, 3), 3),
        ("after store", 1, (4, 4), 4),
        ("after load", 1, (6, 6), 6),
    ]
    assert (trace.sums, trace.right_sum, trace.right) == ((10, 10), 10, True)
    assert (trace.races, trace.total_us) == ((), 6)


def test_without_the_first_barrier_a_warp_loads_what_another_may_not_have_stored():
    trace = simulate(3, 2, after_store=False)
    assert named(trace) == {(w, s, r, s) for s in range(2) for w in range(3) for r in range(3) if w != r}
    assert {race.lacks for race in trace.races} == {"after store"}


def test_without_the_second_barrier_a_warp_stores_over_what_another_may_still_load():
    trace = simulate(3, 3, after_load=False)
    assert named(trace) == {(w, s + 1, r, s) for s in range(2) for w in range(3) for r in range(3) if w != r}
    assert {race.lacks for race in trace.races} == {"after load"}
    assert simulate(3, 1, after_load=False).races == ()  # nothing follows


def test_a_race_is_reported_even_when_the_values_come_out_right():
    for switch in ("after_store", "after_load"):
        in_step = simulate(4, 4, **{switch: False})
        assert in_step.right
        assert len(in_step.races) == 4 * 3 * (4 if switch == "after_store" else 3)
        assert all(race.overlap_us is None for race in in_step.races)  # all warps at the same pace
        wrong = [seed for seed in range(20) if not simulate(4, 4, **{switch: False}, jitter=0.9, seed=seed).right]
        assert wrong
        for seed in range(20):
            unlucky = simulate(4, 4, **{switch: False}, jitter=0.9, seed=seed)
            assert named(unlucky) == named(in_step)  # the same races, lucky or not


def test_with_two_buffers_the_second_barrier_is_not_needed():
    assert simulate(4, 5, after_load=False, buffers=2).races == ()
    assert simulate(4, 5, after_store=False, buffers=2).races != ()
    # nor is the first one what orders step 0's loads and step 2's stores, but step 1's
    assert simulate(4, 5, after_load=False, buffers=2, jitter=0.9, seed=1).right


def test_one_warp_needs_no_barrier():
    trace = simulate(1, 4, after_store=False, after_load=False, jitter=0.5)
    assert trace.races == ()
    assert trace.right


def program(warps, steps, after_store, after_load):
    """One warp's operations in order, with the step and, for a load, the part."""
    operations = []
    for step in range(steps):
        operations += [("store", step, None)] + [("barrier", step, None)] * after_store
        operations += [("load", step, part) for part in range(warps)] + [("barrier", step, None)] * after_load
    return operations


@cache
def every_interleaving(warps, steps, after_store, after_load, buffers):
    """Races and sums over all interleavings: walk every state that one warp's next operation can lead to."""
    operations = program(warps, steps, after_store, after_load)
    races, outcomes = set(), set()
    start = ((0,) * warps, (0,) * (buffers * warps), (0,) * warps)
    seen, todo = {start}, [start]
    while todo:
        at, memory, sums = todo.pop()
        following = [operations[place] if place < len(operations) else ("end", 0, None) for place in at]
        for w, (kind, step, _) in enumerate(following):
            for r, (other_kind, other_step, part) in enumerate(following):
                same = part == w != r and step % buffers == other_step % buffers
                if same and (kind, other_kind) == ("store", "load"):
                    races.add((w, step, r, other_step))  # both may go next, in either order
        nexts = []
        if all(kind == "barrier" for kind, _, _ in following):
            nexts.append((tuple(place + 1 for place in at), memory, sums))
        for w, (kind, step, part) in enumerate(following):
            new_at = (*at[:w], at[w] + 1, *at[w + 1 :])
            first = step % buffers * warps
            if kind == "store":
                new = (*memory[: first + w], step * warps + w + 1, *memory[first + w + 1 :])
                nexts.append((new_at, new, sums))
            elif kind == "load":
                total = sums[w] + memory[first + part]
                nexts.append((new_at, memory, (*sums[:w], total, *sums[w + 1 :])))
        if not nexts:
            assert all(kind == "end" for kind, _, _ in following)
            outcomes.add(sums)
        for state in nexts:
            if state not in seen:
                seen.add(state)
                todo.append(state)
    return races, outcomes


SHAPES = [(2, 2, 1), (2, 3, 1), (2, 3, 2), (2, 4, 2), (3, 1, 1), (3, 2, 1)]
SWITCHES = [(True, True), (True, False), (False, True), (False, False)]


@pytest.mark.parametrize(
    ("shape", "after_store", "after_load"),
    [(shape, *on) for shape in SHAPES for on in SWITCHES if any(on) or shape != (3, 2, 1)],  # that one takes a second
)
def test_races_are_what_some_interleaving_brings_together(shape, after_store, after_load):
    warps, steps, buffers = shape
    races, outcomes = every_interleaving(warps, steps, after_store, after_load, buffers)
    switches = {"after_store": after_store, "after_load": after_load, "buffers": buffers}
    trace = simulate(warps, steps, **switches)
    assert named(trace) == races
    right = (trace.right_sum,) * warps
    assert right in outcomes
    assert (outcomes == {right}) == (not races)  # no race: one outcome; a race: a wrong one exists


def test_a_thousand_random_loops():
    seen = Counter()
    for seed in range(1000):
        draw = random.Random(seed)
        warps, steps, buffers = draw.choice([*SHAPES[:5], (1, 3, 1)])
        after_store, after_load = draw.random() < 0.5, draw.random() < 0.5
        trace = simulate(
            warps, steps, after_store=after_store, after_load=after_load, buffers=buffers,
            store_us=draw.randint(1, 9), load_us=draw.randint(1, 9), jitter=draw.choice([0.0, 0.9]), seed=seed,
        )  # fmt: skip
        races, outcomes = every_interleaving(warps, steps, after_store, after_load, buffers)
        assert named(trace) == races, seed
        assert trace.sums in outcomes, seed
        seen["race"] += bool(races)
        seen["right although it races"] += bool(races) and trace.right
        seen["wrong"] += not trace.right
        # replay: each access starts with the last of its causes
        at = {(a.warp, a.stores, a.step): a for a in trace.accesses}
        for a in trace.accesses:
            before = (a.warp, False, a.step - 1) if a.stores else (a.warp, True, a.step)
            causes = [at[before].end_us] if before in at else []
            if after_load and a.stores and a.step:
                causes += [at[w, False, a.step - 1].end_us for w in range(warps)]
            if after_store and not a.stores:
                causes += [at[w, True, a.step].end_us for w in range(warps)]
            assert a.start_us == max(causes, default=0.0), seed
            if not a.stores:  # each part holds what landed there last
                for part, value in enumerate(a.values):
                    landed = [s for s in trace.accesses if s.stores and s.buffer == a.buffer and s.warp == part]
                    looked_us = a.start_us + part * ((a.end_us - a.start_us) / warps)
                    landed = [s for s in landed if s.end_us <= looked_us]
                    last = max(landed, key=lambda s: s.end_us, default=None)
                    assert value == (last.values[0] if last else 0), seed
        for race in trace.races:
            store, load = at[race.writer, True, race.write_step], at[race.reader, False, race.read_step]
            meet = max(store.start_us, load.start_us), min(store.end_us, load.end_us)
            assert race.overlap_us == (meet if meet[0] < meet[1] else None), seed
    assert min(seen.values()) > 100


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"warps": 0}, "warps is 0; it must be a whole number from 1 to 8"),
        ({"warps": True}, "warps is True"),
        ({"steps": 9}, "steps is 9; it must be a whole number from 1 to 8"),
        ({"steps": 2.0}, "steps is 2.0"),
        ({"buffers": 5}, "buffers is 5; it must be a whole number from 1 to 4"),
        ({"store_us": 0.0}, "store_us is 0.0; it must be a number from 0.001 to 1e+06 µs"),
        ({"load_us": float("nan")}, "load_us is nan"),
        ({"load_us": True}, "load_us is True"),
        ({"store_us": 2e6}, "store_us is 2000000.0"),
        ({"jitter": 0.95}, "jitter is 0.95; it must be a number from 0 to 0.9"),
        ({"jitter": float("nan")}, "jitter is nan"),
        ({"after_store": 1}, "after_store is 1; it must be True or False"),
        ({"after_load": None}, "after_load is None; it must be True or False"),
    ],
)
def test_input_out_of_range_is_refused(change, message):
    with pytest.raises(ValueError, match="^" + message.replace(".", r"\.").replace("+", r"\+")):
        simulate(**{"warps": 2, "steps": 2} | change)


def test_the_limits_themselves_are_allowed():
    trace = simulate(8, 8, buffers=4, store_us=1e6, load_us=0.001, jitter=0.9)
    assert trace.right
    # all off: every warp against every other, every step against every step of its buffer
    assert len(simulate(8, 8, after_store=False, after_load=False).races) == 8 * 7 * 8 * 8
