"""The walk has the counts of `sim.reuse`, and every thread gets its own values, once each."""

import doctest
from collections import Counter

import pytest

import sim.reuse_walk
from sim.reuse_walk import simulate

SIZES = [(128, 128, 4, 128), (128, 32, 4, 32), (128, 4, 4, 1), (128, 8, 4, 128), (96, 5, 8, 3), (48, 7, 2, 48)]


def test_docstring_examples_hold():
    result = doctest.testmod(sim.reuse_walk)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize("size", SIZES)
def test_steps_add_up_to_the_totals(size):
    walk = simulate(*size)
    of = Counter()
    for step in walk.staged:
        of[step.kind] += len(step.requests)
    staged = walk.totals.staged
    assert of["load"] == staged.warp_requests
    assert (of["store"], of["read"]) == (staged.shared_stores, staged.shared_loads)
    assert [step.kind for step in walk.staged].count("barrier") == staged.barriers == 1
    assert sum(len(step.requests) for step in walk.direct) == walk.totals.direct.warp_requests
    assert {step.kind for step in walk.direct} == {"load"}


@pytest.mark.parametrize("size", SIZES)
def test_the_block_stores_before_the_barrier_and_reads_after_it(size):
    kinds = [step.kind for step in simulate(*size).staged]
    at = kinds.index("barrier")
    assert kinds[:at] == ["load", "store"] * (at // 2)
    assert set(kinds[at + 1 :]) == {"read"}


@pytest.mark.parametrize("size", SIZES)
def test_every_thread_gets_its_values(size):
    walk = simulate(*size)
    threads, values, _, readers = size
    for thread in range(threads):
        mine = [walk.element(thread, value) for value in range(values)]
        others = [walk.element(thread - thread % readers, value) for value in range(values)]
        assert mine == others  # the readers of a group need the same
        assert len(set(mine)) == values
        for value, element in enumerate(mine):
            (request,) = (r for r in walk.direct[value].requests if r.warp == thread // 32)
            assert element in request.elements
    assert {walk.element(t, v) for t in range(threads) for v in range(values)} == set(range(walk.distinct))


@pytest.mark.parametrize("size", SIZES)
def test_sectors_asked_for(size):
    walk = simulate(*size)
    for way, steps in ((walk.totals.direct, walk.direct), (walk.totals.staged, walk.staged)):
        asked = walk.asked(steps)
        assert all(len(walk.sectors(r)) == r.sectors for step in steps for r in step.requests)
        assert 32 * asked.total() == way.bytes_uncached
        assert 32 * len(asked) == way.bytes_cached


def test_a_sector_of_shared_values_is_moved_32_times_and_one_of_ones_own_once():
    # 8 floats a sector, 4 warps, each loads them one by one: 8 × 4.
    assert set(simulate(128, 128, 4, 128).asked(simulate(128, 128, 4, 128).direct).values()) == {8 * 4}
    own = simulate(128, 4, 4, 1)
    assert set(own.asked(own.direct).values()) == {1}


def test_refuses():
    with pytest.raises(ValueError, match="readers is 3; it must divide the 128 threads"):
        simulate(readers=3)
