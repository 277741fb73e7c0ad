import doctest
import random
from itertools import combinations

import sim.slots
from sim.events import Task, run
from sim.slots import Access, Race, intervals, races


def test_docstring_examples_hold():
    result = doctest.testmod(sim.slots)
    assert result.attempted
    assert not result.failed


def states(*accesses):
    return [(s.slot, s.state, s.item, s.start_us, s.end_us) for s in intervals(accesses)]


def test_a_slot_is_full_until_its_last_read_and_then_empty():
    assert states(
        Access(1, True, 0, "w", 0.0, 2.0),
        Access(1, False, 1, "r", 3.0, 4.0),
        Access(1, False, 2, "s", 6.0, 7.0),
        Access(1, True, 3, "x", 9.0, 10.0),
    ) == [
        (1, "filling", 0, 0.0, 2.0),
        (1, "full", 0, 2.0, 3.0),
        (1, "being read", 1, 3.0, 4.0),
        (1, "full", 0, 4.0, 6.0),
        (1, "being read", 2, 6.0, 7.0),
        (1, "filling", 3, 9.0, 10.0),
    ]


def test_a_slot_that_was_never_filled_is_not_full_between_two_reads():
    assert states(Access(0, False, 0, "r", 0.0, 1.0), Access(0, False, 1, "s", 2.0, 3.0)) == [
        (0, "being read", 0, 0.0, 1.0),
        (0, "being read", 1, 2.0, 3.0),
    ]


def test_a_use_inside_a_longer_one_does_not_make_the_slot_full_too_early():
    got = states(
        Access(0, True, 0, "w", 0.0, 10.0),
        Access(0, True, 1, "v", 2.0, 3.0),
        Access(0, False, 2, "r", 12.0, 13.0),
    )
    assert (0, "full", 1, 10.0, 12.0) in got


def test_slots_are_apart_and_two_reads_never_race():
    plan = run([Task(key, key, 1.0) for key in "abcd"])
    assert not list(races([Access(0, True, 0, "a", 0.0, 1.0), Access(1, True, 1, "b", 0.0, 1.0)], plan))
    assert not list(races([Access(0, False, 0, "a", 0.0, 1.0), Access(0, False, 1, "b", 0.0, 1.0)], plan))
    assert list(races([Access(0, False, 0, "a", 0.0, 1.0), Access(0, True, 1, "b", 0.0, 1.0)], plan)) == [
        Race(0, 0, 1, (0.0, 1.0))
    ]


def test_an_order_that_holds_only_by_timing_is_a_race_without_overlap():
    tasks = [Task("w", "x", 1.0), Task("later", "y", 5.0), Task("r", "y", 1.0)]
    uses = [Access(0, True, 0, "w", 0.0, 1.0), Access(0, False, 1, "r", 5.0, 6.0)]
    assert list(races(uses, run(tasks))) == [Race(0, 0, 1, None)]
    touching = [uses[0], Access(0, False, 1, "r", 1.0, 2.0)]
    assert list(races(touching, run(tasks))) == [Race(0, 0, 1, None)]
    tied = [*tasks[:2], Task("r", "y", 1.0, ("w",))]
    assert not list(races(uses, run(tied)))


def test_races_are_what_looking_at_every_pair_finds():
    found = 0
    for seed in range(300):
        draw = random.Random(seed)
        n = draw.randint(2, 12)
        tasks = []
        for i in range(n):
            causes = draw.sample(range(i), min(i, draw.randint(0, 2)))
            tasks.append(Task(i, draw.choice("xyz"), draw.randint(0, 3), tuple(causes)))
        plan = run(tasks)
        uses = [
            Access(draw.randint(0, 1), draw.random() < 0.4, n, key, span.start_us, span.end_us)
            for n, (key, span) in enumerate(draw.choices(list(plan.spans.items()), k=10))
        ]
        expected = []
        uses_in_time = sorted(uses, key=lambda use: (use.slot, use.start_us, use.end_us))
        for a, b in combinations(uses_in_time, 2):
            ordered = plan.happens_before(a.key, b.key) or plan.happens_before(b.key, a.key)
            if a.slot == b.slot and (a.writes or b.writes) and not ordered:
                end = min(a.end_us, b.end_us)
                overlap = (b.start_us, end) if b.start_us < end else None
                expected.append(Race(a.slot, a.item, b.item, overlap))
        assert list(races(uses, plan)) == expected
        found += len(expected)
    assert found > 500
