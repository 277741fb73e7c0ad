"""Misses of a walk over outputs against closed forms and stack distances."""

import doctest
import random

import pytest

import sim.row_reuse
from sim.row_reuse import ORDERS, simulate


def walk(columns, depth, order, rows, line_elements):
    """(array, line) of each touch, from loops written out instead of a product of ranges."""
    touches = []
    size = {"i": rows, "j": columns, "k": depth}

    def touch(array, row, column, width):
        touches.append((array, row * -(-width // line_elements) + column // line_elements))

    def loop(index, left):
        if not left:
            touch("A", index["i"], index["k"], depth)
            touch("B", index["k"], index["j"], columns)
            if order[-1] != "k":
                touch("C", index["i"], index["j"], columns)
            return
        for value in range(size[left[0]]):
            loop(index | {left[0]: value}, left[1:])
        if left == "k":
            touch("C", index["i"], index["j"], columns)

    loop({}, order)
    return touches


def misses_by_distance(touches, cache_lines):
    """An access hits exactly when fewer than `cache_lines` other lines were touched since its line's last use."""
    misses = {"A": 0, "B": 0, "C": 0}
    last = {}
    for now, line in enumerate(touches):
        if line not in last or len(set(touches[last[line] + 1 : now])) >= cache_lines:
            misses[line[0]] += 1
        last[line] = now
    return misses


def misses_with(policy, touches, cache_lines):
    """Misses under a wrong policy: "fifo" evicts the oldest line, "mru" the most recently used."""
    misses = {"A": 0, "B": 0, "C": 0}
    cache = []
    for line in touches:
        if line not in cache:
            misses[line[0]] += 1
            if len(cache) == cache_lines:
                cache.pop(0 if policy == "fifo" else -1)
            cache.append(line)
        elif policy == "mru":
            cache.append(cache.pop(cache.index(line)))
    return misses


def random_walk(rng):
    size = {name: rng.randint(1, 9) for name in ("columns", "depth", "rows")}
    return size | {"order": rng.choice(ORDERS), "line_elements": rng.randint(1, 5)}, rng.randint(1, 40)


def test_docstring_examples_hold():
    result = doctest.testmod(sim.row_reuse)
    assert result.attempted
    assert not result.failed


def test_agrees_with_stack_distances_on_random_walks():
    rng = random.Random(2026)
    orders, evictions, survivals = set(), 0, 0
    for _ in range(300):
        size, cache_lines = random_walk(rng)
        trace = simulate(cache_lines=cache_lines, **size)
        touches = walk(**size)
        assert [(access.array, access.line) for access in trace.accesses] == touches
        assert trace.misses == misses_by_distance(touches, cache_lines), (size, cache_lines)
        assert sum(trace.first_misses.values()) == len(set(touches))
        orders.add(size["order"])
        evictions += any(access.evicted for access in trace.accesses)
        survivals += trace.row_survives
    assert orders == set(ORDERS)
    assert 100 < evictions < 290
    assert 100 < survivals < 290


@pytest.mark.parametrize("policy", ["fifo", "mru"])
def test_another_policy_gives_other_misses(policy):
    size = {"columns": 8, "depth": 8, "order": "ikj", "rows": 2, "line_elements": 4}
    traces = [(simulate(cache_lines=c, **size).misses, misses_with(policy, walk(**size), c)) for c in range(2, 12)]
    assert any(right != wrong for right, wrong in traces)


@pytest.mark.parametrize("seed", range(30))
def test_the_cache_in_the_trace_never_overflows(seed):
    size, cache_lines = random_walk(random.Random(seed))
    held = set()
    for access in simulate(cache_lines=cache_lines, **size).accesses:
        key = (access.array, access.line)
        assert access.hit == (key in held)
        assert (access.evicted is None) or not access.hit
        held.discard(access.evicted)
        held.add(key)
        assert len(held) <= cache_lines


# Between two uses of a line of A by successive outputs lie the row's other lines, depth - e + 1 lines of B and
# one of C; they must all fit beside it.
@pytest.mark.parametrize(("depth", "line_elements"), [(16, 8), (16, 4), (32, 8), (24, 8), (8, 8), (5, 1)])
def test_a_row_survives_from_the_size_that_its_reuse_spans(depth, line_elements):
    lines = depth // line_elements
    enough = lines + depth - line_elements + 2
    size = {"columns": 4, "depth": depth, "line_elements": line_elements}
    kept, evicted = simulate(cache_lines=enough, **size), simulate(cache_lines=enough - 1, **size)
    assert kept.row_survives
    assert kept.misses["A"] == lines
    assert not evicted.row_survives
    assert list(kept.row_misses().values()) == [lines, 0, 0, 0]
    assert list(evicted.row_misses().values()) == [lines] * 4


def test_loop_order_decides():
    # With k outside, an element of A serves all outputs of the row while three lines are enough.
    inner_k = simulate(columns=4, depth=16, cache_lines=3, order="ijk")
    outer_k = simulate(columns=4, depth=16, cache_lines=3, order="ikj")
    assert inner_k.misses == {"A": 8, "B": 64, "C": 4}
    assert outer_k.misses == {"A": 2, "B": 16, "C": 1} == outer_k.first_misses
    assert (inner_k.total_misses, outer_k.total_misses) == (76, 19)
    # Walking down a column instead, the next use of a row of A comes a whole column later.
    size = {"columns": 4, "depth": 8, "rows": 4, "cache_lines": 11}
    along, down = simulate(order="ijk", **size), simulate(order="jik", **size)
    assert (along.misses["A"], down.misses["A"]) == (4, 16)
    assert (along.row_survives, down.row_survives) == (True, False)


@pytest.mark.parametrize("order", ORDERS)
def test_a_large_cache_misses_each_line_once_and_a_small_one_never_misses_less(order):
    misses = [simulate(8, 8, c, order, rows=3, line_elements=4).total_misses for c in range(1, 60)]
    assert misses == sorted(misses, reverse=True)
    assert misses[-1] == 3 * 2 + 8 * 2 + 3 * 2


@pytest.mark.parametrize("order", ORDERS)
def test_every_order_does_the_same_work(order):
    accesses = simulate(5, 6, 4, order, rows=3).accesses
    steps = 3 * 5 * 6
    touched = [access for access in accesses if access.array == "A"]
    assert sorted((a.output, a.column) for a in touched) == [
        ((i, j), k) for i in range(3) for j in range(5) for k in range(6)
    ]
    assert sum(access.array == "B" for access in accesses) == steps
    assert sum(access.array == "C" for access in accesses) == (15 if order[-1] == "k" else steps)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"columns": 0}, "columns is 0; it must be a whole number ≥ 1"),
        ({"depth": 1.5}, r"depth is 1\.5"),
        ({"cache_lines": True}, "cache_lines is True"),
        ({"cache_lines": 0}, "cache_lines is 0"),
        ({"rows": float("nan")}, "rows is nan"),
        ({"line_elements": -1}, "line_elements is -1"),
        ({"rows": 3, "columns": 32, "depth": 32}, "3 × 32 × 32 are 3,072 steps; at most 2,048 are allowed"),
        ({"order": "ij"}, "order is 'ij'; it must be one of ijk, ikj, jik, jki, kij, kji"),
        ({"order": None}, "order is None"),
    ],
)
def test_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        simulate(**({"columns": 4, "depth": 4, "cache_lines": 4} | arguments))


def test_the_cache_after_each_access_is_a_list_by_last_use():
    """A second derivation: the last c different lines of the touches so far, in the order of their last touch."""
    rng = random.Random(405)
    for _ in range(40):
        size, cache_lines = random_walk(rng)
        touches, trace = walk(**size), simulate(cache_lines=cache_lines, **size)
        for count in rng.sample(range(len(touches) + 1), min(12, len(touches) + 1)):
            seen = touches[:count]
            last = sorted(set(seen), key=lambda line: count - 1 - seen[::-1].index(line))
            shot = trace.after(count)
            assert list(shot.held) == last[-cache_lines:]
            assert shot.first == {line: seen.index(line) + 1 for line in set(seen)}
            missed = sum(misses_by_distance(seen, cache_lines).values())
            assert len(shot.first) + sum(shot.extra.values()) == missed
            assert all(shot.extra.values())


def test_the_row_needs_the_smallest_cache_in_which_it_survives():
    rng = random.Random(45)
    for _ in range(60):
        size, _ = random_walk(rng)
        needs = simulate(cache_lines=1, **size).row_needs
        survives = [simulate(cache_lines=c, **size).row_survives for c in range(1, needs + 2)]
        assert survives.index(True) + 1 == needs, size
        assert all(survives[needs - 1 :])


def test_lines_lie_where_their_elements_are():
    trace = simulate(columns=3, depth=10, cache_lines=4, rows=2, line_elements=4)
    for access in trace.accesses:
        row, first, last = trace.place((access.array, access.line))
        assert row == access.row
        assert first <= access.column <= last < first + 4
    assert trace.place(("A", 5)) == (1, 8, 9)  # the last line of row 1 has two elements
    assert trace.place(("B", 7)) == (7, 0, 2)
    assert trace.shapes == {"A": (2, 10), "B": (10, 3), "C": (2, 3)}


def test_accesses_of_each_array():
    assert simulate(4, 8, 7).touches == {"A": 32, "B": 32, "C": 4}
    assert simulate(4, 8, 7, "ikj").touches == {"A": 32, "B": 32, "C": 32}


@pytest.mark.parametrize("count", [-1, 69, 0.5, True])
def test_refuses_an_access_that_is_not_there(count):
    with pytest.raises(ValueError, match=f"count is {count}; it must be a whole number from 0 to 68"):
        simulate(4, 8, 7).after(count)
