import doctest
import heapq
import random
from collections import Counter
from itertools import combinations, pairwise

import pytest

import sim.warp_specialization
from sim import pipeline
from sim.warp_specialization import simulate


def test_docstring_examples_hold():
    result = doctest.testmod(sim.warp_specialization)
    assert result.attempted
    assert not result.failed


def steps(trace):
    return [(s.warp, s.kind, s.item, s.ready_us, s.start_us, s.end_us, s.waited_for) for s in trace.steps]


def test_trace_by_hand_when_the_consumers_are_the_longer_half():
    trace = simulate(1, 3, 2, fill_us=1, consume_us=3, consumers=1)
    assert steps(trace) == [
        ("producer 0", "fill", 0, 0, 0, 1, None),
        ("consumer 0", "consume", 0, 0, 1, 4, "full"),
        ("producer 0", "fill", 1, 1, 1, 2, None),
        ("consumer 0", "consume", 1, 4, 4, 7, None),
        ("producer 0", "fill", 2, 2, 4, 5, "empty"),
        ("consumer 0", "consume", 2, 7, 7, 10, None),
        ("consumer 0", "epilogue", 0, 10, 10, 10, None),
    ]
    assert [(h.slot, h.owner, h.start_us, h.end_us) for h in trace.holds] == [
        (0, "producers", 0, 1), (0, "consumers", 1, 4), (0, "producers", 4, 5), (0, "consumers", 5, 10),
        (1, "producers", 0, 2), (1, "consumers", 2, 7), (1, "producers", 7, 10),
    ]  # fmt: skip
    assert [(s.slot, s.state, trace.steps[s.item].item, s.start_us, s.end_us) for s in trace.slots] == [
        (0, "filling", 0, 0, 1), (0, "being read", 0, 1, 4), (0, "filling", 2, 4, 5),
        (0, "full", 2, 5, 7), (0, "being read", 2, 7, 10),
        (1, "filling", 1, 1, 2), (1, "full", 1, 2, 4), (1, "being read", 1, 4, 7),
    ]  # fmt: skip
    refill = next(p for p in trace.phases if p.barrier == "empty" and p.item == 0)
    assert (refill.slot, refill.number, refill.complete_us) == (0, 0, 4)
    assert [(a.warp, a.at_us) for a in refill.arrivals] == [("consumer 0", 4)]
    assert [(w.warp, w.from_us, w.until_us) for w in refill.passes] == [("producer 0", 2, 4)]
    assert trace.bound_by == ("consumer",)
    assert (trace.worked_us("producer 0"), trace.worked_us("consumer 0")) == (3, 9)
    assert (trace.waited_us("producer 0", "empty"), trace.waited_us("producer 0", "full")) == (2, 0)
    assert (trace.races, trace.stuck, trace.cycles) == ((), (), ())


def test_producer_bound_and_consumer_bound():
    producer_bound = simulate(1, 8, 4, fill_us=3, consume_us=1)
    assert (producer_bound.total_us, producer_bound.bound_by) == (3 * 8 + 1, ("producer",))
    assert producer_bound.waited_us("producer 0") == 0
    assert producer_bound.waited_us("consumer 0", "full") == 3 + 7 * (3 - 1)
    consumer_bound = simulate(1, 8, 4, fill_us=1, consume_us=3)
    assert (consumer_bound.total_us, consumer_bound.bound_by) == (1 + 3 * 8, ("consumer",))
    assert consumer_bound.waited_us("consumer 1") == 1  # for the first item only
    assert simulate(1, 8, 4, fill_us=2, consume_us=2).bound_by == ("producer", "consumer")
    # a second producer takes every other item: now 8 fills of 3 take 4 turns
    assert simulate(1, 8, 4, fill_us=3, consume_us=1, producers=2).total_us == 4 * 3 + 1 + 1


def test_the_empty_barrier_waits_for_the_last_consumer():
    trace = simulate(1, 12, 2, fill_us=1, consume_us=2, consumers=3, jitter=0.5, seed=3)
    for phase in trace.phases:
        times = [arrival.at_us for arrival in phase.arrivals]
        assert len(times) == (3 if phase.barrier == "empty" else 1)
        assert phase.complete_us == max(times)
        for each in phase.passes:
            assert each.until_us == max(each.from_us, phase.complete_us)


# Consumers longer than the producer: it costs 1 in all. Four tiles of 4 K steps of 2, epilogue 5.
@pytest.mark.parametrize(
    ("epilogue_warps", "accumulators", "total_us"),
    [
        (0, 1, 1 + 4 * (4 * 2 + 5)),  # the consumers do it themselves
        (2, 1, 1 + 4 * (4 * 2 + 5)),  # others do it, and the consumers wait for their accumulator
        (2, 2, 1 + 4 * 4 * 2 + 5),  # only the last one is left over
    ],
)
def test_epilogue_warps_need_a_second_accumulator(epilogue_warps, accumulators, total_us):
    trace = simulate(
        4, 4, 4, fill_us=1, consume_us=2, epilogue_us=5,
        epilogue_warps=epilogue_warps, accumulators=accumulators,
    )  # fmt: skip
    assert trace.total_us == total_us
    assert trace.waited_us("consumer 0", "accumulator empty") == (15 if (epilogue_warps, accumulators) == (2, 1) else 0)
    assert (trace.races, trace.accumulator_races, trace.stuck) == ((), (), ())


def test_an_epilogue_can_be_the_longest():
    trace = simulate(4, 4, 4, fill_us=1, consume_us=2, epilogue_us=20, epilogue_warps=1, accumulators=2)
    assert trace.bound_by == ("epilogue",)
    assert trace.total_us == 1 + 4 * 2 + 4 * 20


@pytest.mark.parametrize("slots", [1, 2, 3, 5])
@pytest.mark.parametrize(("fill_us", "consume_us"), [(1.29, 0.28), (0.28, 1.29), (2.0, 2.0), (0.0, 1.0)])
def test_closed_formula(slots, fill_us, consume_us):
    n = 9
    trace = simulate(1, n, slots, fill_us=fill_us, consume_us=consume_us, epilogue_us=0.5)
    longer = max(fill_us, consume_us)
    formula = n * (fill_us + consume_us) if slots == 1 else fill_us + (n - 1) * longer + consume_us
    assert trace.total_us == pytest.approx(formula + 0.5)


@pytest.mark.parametrize("slots", [1, 2, 3])
def test_one_warp_of_each_kind_is_the_pipeline(slots):
    for fill_us, consume_us in ((1.29, 0.28), (1.0, 4.0)):
        ours = simulate(1, 10, slots, fill_us=fill_us, consume_us=consume_us, consumers=1)
        theirs = pipeline.simulate(10, fill_us, consume_us, slots)
        assert ours.total_us == theirs.total_us
        assert [(s.slot, s.state, s.start_us, s.end_us) for s in ours.slots] == [
            (s.slot, s.state, s.start_us, s.end_us) for s in theirs.slots
        ]


def test_without_the_wait_for_empty_the_producer_overwrites_what_is_read():
    trace = simulate(1, 4, 2, fill_us=1, consume_us=3, fault="wait empty")
    named = {(uses(trace, r.first), uses(trace, r.second)): r.overlap_us for r in trace.races}
    assert named[("consumer 1", "consume", 0), ("producer 0", "fill", 2)] == (2, 3)
    assert named[("consumer 0", "consume", 0), ("producer 0", "fill", 2)] == (2, 3)
    assert len(named) == 4  # both consumers, items 0 and 1 against 2 and 3
    assert trace.stuck == ()


def test_without_the_wait_for_full_a_consumer_reads_what_is_not_there():
    trace = simulate(1, 1, 2, fill_us=5, consume_us=1, consumers=1, fault="wait full")
    assert [(uses(trace, r.first), uses(trace, r.second), r.overlap_us) for r in trace.races] == [
        (("consumer 0", "consume", 0), ("producer 0", "fill", 0), (0, 1))  # it ends first
    ]


def test_a_race_is_one_even_when_the_timing_is_kind():
    trace = simulate(1, 4, 2, fill_us=5, consume_us=1, fault="wait empty")
    assert [race.overlap_us for race in trace.races] == [None] * 4


@pytest.mark.parametrize(
    ("fault", "warp", "barrier", "item", "silent"),
    [
        ("arrive full", "consumer 0", "full", 0, "producer 0"),
        ("arrive empty", "producer 0", "empty", 0, "consumer 1"),
        ("arrive accumulator full", "epilogue 0", "accumulator full", 0, "consumer 1"),
        ("arrive accumulator empty", "consumer 0", "accumulator empty", 0, "epilogue 1"),
    ],
)
def test_a_missing_arrival_is_found_and_named(fault, warp, barrier, item, silent):
    trace = simulate(4, 4, 2, fill_us=1, consume_us=1, epilogue_warps=2, accumulators=2, fault=fault)
    blamed = {(name, p.barrier, p.item, p.silent) for name, p in trace.stuck if p.silent}
    assert (warp, barrier, item, silent) in blamed
    assert {(b, s) for _, b, _, s in blamed} == {(barrier, silent)}  # and nobody else is blamed
    assert all(silent in p.lacks for _, p in trace.stuck if p.silent)
    assert trace.cycles == ()
    assert trace.races == trace.accumulator_races == ()


def test_a_wrong_first_phase_makes_a_circle_at_once():
    trace = simulate(1, 4, 2, fill_us=1, consume_us=1, consumers=1, fault="start phase")
    assert (trace.total_us, trace.steps) == (0, ())
    assert trace.cycles == (("producer 0", "consumer 0"),)
    assert [(warp, p.barrier, p.number, p.lacks, p.silent) for warp, p in trace.stuck] == [
        ("consumer 0", "full", 0, ("producer 0",), None),
        ("producer 0", "empty", 0, ("consumer 0",), None),
    ]


def test_without_the_accumulators_barriers_the_epilogue_races():
    settings = {"fill_us": 1, "consume_us": 1, "epilogue_us": 9, "epilogue_warps": 1, "consumers": 1}
    trace = simulate(3, 2, 2, accumulators=2, fault="wait accumulator empty", **settings)
    assert {(r.slot, uses(trace, r.first), uses(trace, r.second)) for r in trace.accumulator_races} == {
        (0, ("epilogue 0", "epilogue", 0), ("consumer 0", "consume", item)) for item in (4, 5)
    }
    trace = simulate(1, 2, 2, fault="wait accumulator full", **settings)
    assert len(trace.accumulator_races) == 2
    assert trace.races == ()


def uses(trace, index):
    return trace.steps[index].warp, trace.steps[index].kind, trace.steps[index].item


FAULTS = ("full", "empty", "accumulator full", "accumulator empty")


def random_settings(seed):
    draw = random.Random(seed)
    epilogue_warps = draw.randint(0, 2)
    faults = [f"{verb} {name}" for verb in ("wait", "arrive") for name in FAULTS[: 4 if epilogue_warps else 2]]
    return {
        "tiles": draw.randint(1, 3),
        "k_steps": draw.randint(1, 5),
        "slots": draw.randint(1, 4),
        "fill_us": draw.randint(0, 9),
        "consume_us": draw.randint(0, 9),
        "epilogue_us": draw.randint(0, 9),
        "producers": draw.randint(1, 3),
        "consumers": draw.randint(1, 3),
        "epilogue_warps": epilogue_warps,
        "accumulators": draw.randint(1, 2),
        "jitter": draw.choice([0.0, 0.0, 0.6]),
        "seed": seed,
        "fault": draw.choice([None, None, "start phase", *faults]),
    }


class Counted:
    """An mbarrier as it is: a count of arrivals that are still to come, and phases completed."""

    def __init__(self, count):
        self.count = self.left = count
        self.done = 0

    def arrive(self):
        self.left -= 1
        if not self.left:
            self.done, self.left = self.done + 1, self.count


def play(case, length_us):
    """Run the warps as programs that wait, work and arrive; returns {(warp, kind, item): start}, stuck warps."""
    s, p, c, e, a = (case[k] for k in ("slots", "producers", "consumers", "epilogue_warps", "accumulators"))
    n, k, fault = case["tiles"] * case["k_steps"], case["k_steps"], case["fault"]
    full, empty = [Counted(1) for _ in range(s)], [Counted(c) for _ in range(s)]
    acc_full, acc_empty = [Counted(c) for _ in range(a)], [Counted(e) for _ in range(a)]

    def arrive(name, barrier, last):
        if not (fault == f"arrive {name}" and last):
            barrier.arrive()

    def producer(me):
        for i in range(me, n, p):
            phase = i // s - (fault != "start phase")
            if phase >= 0 and fault != "wait empty":
                yield empty[i % s], phase
            yield "fill", i
            arrive("full", full[i % s], me == min(p, n) - 1)

    def consumer(me):
        for i in range(n):
            tile = i // k
            if e and i % k == 0 and tile >= a and fault != "wait accumulator empty":
                yield acc_empty[tile % a], tile // a - 1
            if fault != "wait full":
                yield full[i % s], i // s
            yield "consume", i
            arrive("empty", empty[i % s], me == c - 1)
            if (i + 1) % k == 0:
                if e:
                    arrive("accumulator full", acc_full[tile % a], me == c - 1)
                else:
                    yield "epilogue", tile

    def epilogue(me):
        for tile in range(case["tiles"]):
            if fault != "wait accumulator full":
                yield acc_full[tile % a], tile // a
            yield "epilogue", tile
            arrive("accumulator empty", acc_empty[tile % a], me == e - 1)

    programs = {f"producer {i}": producer(i) for i in range(p)}
    programs |= {f"consumer {i}": consumer(i) for i in range(c)}
    programs |= {f"epilogue {i}": epilogue(i) for i in range(e)}
    clock = [(0.0, name) for name in programs]
    waiting, begun = {}, {}
    while clock:
        now, name = heapq.heappop(clock)
        runnable = [name]
        while runnable:
            name = runnable.pop()
            for what, number in programs[name]:
                if isinstance(what, Counted):
                    if what.done <= number:
                        waiting[name] = (what, number)
                        break
                else:
                    begun[name, what, number] = now
                    heapq.heappush(clock, (now + length_us.get((name, what, number), 0.0), name))
                    break
            for other, (barrier, phase) in list(waiting.items()):
                if barrier.done > phase:
                    del waiting[other]
                    runnable.append(other)
    return begun, set(waiting)


@pytest.mark.parametrize("block", range(4))
def test_a_thousand_random_pipelines_against_counting_barriers(block):
    seen = Counter()
    for seed in range(block * 250, block * 250 + 250):
        case = random_settings(seed)
        trace = simulate(**case)
        fault = case["fault"]
        seen[fault] += 1
        seen["stuck"] += bool(trace.stuck)
        if not (fault or "").startswith("wait"):
            lengths = {(s.warp, s.kind, s.item): s.end_us - s.start_us for s in trace.steps}
            begun, stuck = play(case, lengths)
            ours = {(s.warp, s.kind, s.item): s.start_us for s in trace.steps}
            assert set(begun) == set(ours), case
            assert all(begun[key] == pytest.approx(ours[key]) for key in ours), case
            assert {warp for warp, _ in trace.stuck} == stuck, case
            assert trace.races == trace.accumulator_races == (), case
        else:
            assert trace.stuck == (), case  # who does not wait cannot be stuck
        if fault is None:
            assert not trace.stuck, case
        elif fault in ("arrive full", "start phase"):
            assert trace.stuck, case
        assert bool(trace.cycles) == (fault == "start phase"), case
        # replay: a warp does one thing at a time, and a step starts with the last of its causes
        complete = {(p.barrier, p.item): p.complete_us for p in trace.phases}
        for warp in {s.warp for s in trace.steps}:
            mine = [s for s in trace.steps if s.warp == warp]
            mine.sort(key=lambda s: (s.start_us, s.end_us))
            assert all(a.end_us <= b.start_us for a, b in pairwise(mine)), case
        for step in trace.steps:
            assert (step.start_us > step.ready_us) == (step.waited_for is not None), case
            if step.waited_for:
                assert step.start_us in complete.values(), case
    assert min(seen[None], seen["start phase"], seen["stuck"], *(seen[f"arrive {f}"] for f in FAULTS)) >= 5


def test_races_are_the_pairs_that_no_chain_of_barriers_orders():
    """Build who-before-whom from the figure's rules in words, close it, and look at every pair."""
    found = 0
    for seed in range(1000, 1200):
        case = random_settings(seed)
        case["fault"] = random.Random(seed).choice(["wait full", "wait empty", None])
        trace = simulate(**case)
        n, s = case["tiles"] * case["k_steps"], case["slots"]
        nodes = [("fill", i, i % case["producers"]) for i in range(n)]
        nodes += [("consume", i, c) for i in range(n) for c in range(case["consumers"])]
        after = {node: set() for node in nodes}
        for kind, i, w in nodes:
            before = i - (case["producers"] if kind == "fill" else 1)
            if before >= 0:
                after[kind, before, w].add((kind, i, w))
        for i in range(n):
            for c in range(case["consumers"]):
                if case["fault"] != "wait full":
                    after["fill", i, i % case["producers"]].add(("consume", i, c))
                if case["fault"] != "wait empty" and i + s < n:
                    after["consume", i, c].add(("fill", i + s, (i + s) % case["producers"]))
                if case["epilogue_warps"]:  # through the epilogue to the tile after the next
                    tile = i // case["k_steps"] + case["accumulators"]
                    for d in range(case["consumers"]):
                        if tile < case["tiles"]:
                            after["consume", i, c].add(("consume", tile * case["k_steps"], d))

        def reach(start, after=after):
            seen, todo = set(), [start]
            while todo:
                new = after[todo.pop()] - seen
                seen |= new
                todo += new
            return seen

        later = {node: reach(node) for node in nodes}
        expected = {
            frozenset((a, b))
            for a, b in combinations(nodes, 2)
            if a[1] % s == b[1] % s and "fill" in (a[0], b[0]) and a not in later[b] and b not in later[a]
        }
        named = {
            frozenset((k, i, int(w.split()[1])) for w, k, i in (uses(trace, r.first), uses(trace, r.second)))
            for r in trace.races
        }
        assert named == expected, case
        assert bool(named) <= (case["fault"] is not None), case
        found += len(named)
    assert found > 1000


GOOD = {"tiles": 1, "k_steps": 4, "slots": 2, "fill_us": 1.0, "consume_us": 1.0}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tiles": 0}, "tiles is 0; it must be a whole number from 1 to 64"),
        ({"tiles": True}, "tiles is True; it must be a whole number from 1 to 64"),
        ({"k_steps": 129}, "k_steps is 129; it must be a whole number from 1 to 128"),
        ({"slots": 2.0}, "slots is 2.0; it must be a whole number from 1 to 16"),
        ({"producers": 9}, "producers is 9; it must be a whole number from 1 to 8"),
        ({"consumers": 0}, "consumers is 0; it must be a whole number from 1 to 8"),
        ({"epilogue_warps": -1}, "epilogue_warps is -1; it must be a whole number from 0 to 8"),
        ({"accumulators": 5}, "accumulators is 5; it must be a whole number from 1 to 4"),
        ({"tiles": 64}, "these are 896 turns of warps; give at most 400"),
        ({"tiles": 12, "fault": "wait full"}, "these are 168 turns of warps; give at most 160"),
        ({"fill_us": -1.0}, "fill_us is -1.0; it must be a number from 0 to 1e+09 µs"),
        ({"consume_us": float("nan")}, "consume_us is nan; it must be a number"),
        ({"epilogue_us": float("inf")}, "epilogue_us is inf; it must be a number"),
        ({"fill_us": True}, "fill_us is True; it must be a number"),
        ({"fill_us": "1"}, "fill_us is '1'; it must be a number"),
        ({"jitter": 1.0}, "jitter is 1.0; it must be a number of at least 0 and less than 1"),
        ({"jitter": float("nan")}, "jitter is nan"),
        ({"fault": "wait"}, "fault is 'wait'; it must be None or one of wait full, wait empty"),
        ({"fault": "wait accumulator full"}, "fault is 'wait accumulator full', but there are no epilogue warps"),
    ],
)
def test_input_out_of_range_is_refused(change, message):
    with pytest.raises(ValueError, match="^" + message.replace(".", r"\.").replace("+", r"\+")):
        simulate(**GOOD | change)


def test_the_limits_themselves_are_allowed():
    assert simulate(1, 128, 16, fill_us=1e9, consume_us=0, consumers=2).total_us == 128e9
    assert len(simulate(1, 79, 1, fill_us=1, consume_us=1, consumers=1, fault="wait full").races) == 79 * 80 // 2
    assert simulate(64, 1, 1, fill_us=0, consume_us=0, consumers=2, producers=8).total_us == 0
