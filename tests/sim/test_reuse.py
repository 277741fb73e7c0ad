"""Reuse in a block against worked values and a count thread by thread."""

import doctest
from math import ceil

import pytest

import sim.reuse
from sim import coalescing
from sim.reuse import simulate


def by_hand(threads, values, element_bytes, readers, *, share_in_warp=True):
    """(element loads, warp requests, bytes uncached, bytes cached) of both ways, one thread's load at a time.

    `share_in_warp=False` plants a wrong rule: lanes of a warp that ask for one sector move it once each.
    """
    groups = threads // readers

    def count(loads):  # (step, thread, element)
        sectors = {
            (step, thread // 32, element * element_bytes // 32, None if share_in_warp else thread)
            for step, thread, element in loads
        }
        requests = {(step, thread // 32) for step, thread, _ in loads}
        return len(loads), len(requests), 32 * len(sectors), 32 * len({sector for _, _, sector, _ in sectors})

    direct = [(j, t, j * groups + t // readers) for j in range(values) for t in range(threads)]
    staged = [(e // threads, e % threads, e) for e in range(values * groups)]
    return count(direct), count(staged)


def counts(way):
    return way.element_loads, way.warp_requests, way.bytes_uncached, way.bytes_cached


def test_docstring_examples_hold():
    result = doctest.testmod(sim.reuse)
    assert result.attempted
    assert not result.failed


def test_128_threads_that_need_the_same_128_values():
    reuse = simulate(threads=128, values=128, element_bytes=4)
    assert (reuse.direct.element_loads, reuse.staged.element_loads) == (16_384, 128)
    assert (reuse.direct.warp_requests, reuse.staged.warp_requests) == (512, 4)
    # A request for one float moves one sector of 32 bytes; 128 floats are 512 bytes.
    assert (reuse.direct.bytes_uncached, reuse.direct.bytes_cached) == (512 * 32, 512)
    assert (reuse.staged.bytes_uncached, reuse.staged.bytes_cached) == (512, 512)
    # The price: capacity, a barrier, and every value passes through shared memory.
    assert (reuse.staged.shared_bytes, reuse.staged.barriers) == (512, 1)
    assert (reuse.staged.shared_stores, reuse.staged.shared_loads) == (4, 512)
    assert (reuse.direct.shared_bytes, reuse.direct.barriers, reuse.direct.shared_loads) == (0, 0, 0)
    assert reuse.fits
    assert not reuse.staging_loses(cached=False)
    assert (reuse.saved_bytes(cached=False), reuse.saved_bytes(cached=True)) == (512 * 32 - 512, 0)
    assert (reuse.direct.bytes_moved(cached=False), reuse.direct.bytes_moved(cached=True)) == (512 * 32, 512)
    assert (reuse.direct.shared_requests, reuse.staged.shared_requests) == (0, 516)


def test_staging_loses_where_a_cache_hits_anyway():
    reuse = simulate(threads=128, values=128)
    assert reuse.staging_loses(cached=True)
    assert (reuse.direct.all_requests, reuse.staged.all_requests) == (512, 520)


def test_staging_loses_where_nothing_is_used_twice():
    # 128 threads with 4 floats each of their own: 2 KiB are read once either way.
    reuse = simulate(threads=128, values=4, readers=1)
    assert counts(reuse.direct) == counts(reuse.staged) == (512, 16, 2048, 2048)
    assert reuse.staging_loses(cached=False)
    assert reuse.staging_loses(cached=True)
    assert reuse.staged.all_requests == 3 * reuse.direct.all_requests
    assert (reuse.staged.barriers, reuse.staged.shared_bytes) == (1, 2048)


def test_the_trace_lists_each_request():
    reuse = simulate(threads=64, values=2)
    assert [(r.step, r.warp, list(r.elements), r.loads, r.sectors) for r in reuse.direct.global_requests] == [
        (0, 0, [0], 32, 1),
        (0, 1, [0], 32, 1),
        (1, 0, [1], 32, 1),
        (1, 1, [1], 32, 1),
    ]
    assert [(r.step, r.warp, list(r.elements), r.loads) for r in reuse.staged.global_requests] == [(0, 0, [0, 1], 2)]


SIZES = [
    (threads, values, element_bytes, readers)
    for threads in (1, 24, 32, 48, 96, 100)
    for values in (1, 3, 8, 33)
    for element_bytes in (1, 2, 4, 8, 16)
    for readers in (1, 2, 3, 4, 12, 24, 25, 32, 48, 100)
    if threads % readers == 0
]


def test_agrees_with_a_count_thread_by_thread():
    for size in SIZES:
        reuse = simulate(*size)
        assert (counts(reuse.direct), counts(reuse.staged)) == by_hand(*size), size
    assert by_hand(128, 128, 4, 128, share_in_warp=False)[0][2] == 16_384 * 32  # the planted wrong rule shows


@pytest.mark.parametrize("size", [(128, 128, 4, 128), (96, 5, 8, 3), (48, 7, 2, 48), (32, 1, 16, 1)])
def test_every_request_is_one_of_the_coalescing_simulator(size):
    threads, _values, element_bytes, readers = size
    groups = threads // readers
    for request in simulate(*size).direct.global_requests:
        lanes = range(request.warp * 32, min(threads, request.warp * 32 + 32))
        addresses = [(request.step * groups + t // readers) * element_bytes for t in lanes]
        access = coalescing.simulate(addresses + [-1] * (32 - len(addresses)), element_bytes)
        assert (request.sectors, request.loads) == (access.sectors, len(lanes))


@pytest.mark.parametrize("size", SIZES[::7])
def test_closed_forms(size):
    threads, values, element_bytes, readers = size
    reuse = simulate(*size)
    distinct = values * threads // readers
    assert reuse.direct.element_loads == threads * values
    assert reuse.staged.element_loads == distinct
    assert reuse.direct.warp_requests == reuse.staged.shared_loads == values * ceil(threads / 32)
    assert reuse.staged.shared_bytes == distinct * element_bytes
    assert reuse.staged.bytes_cached == reuse.direct.bytes_cached == 32 * ceil(distinct * element_bytes / 32)


def test_shared_memory_is_a_limit():
    # 1024 threads × 12 floats of their own are 49,152 bytes, the most without the opt-in.
    assert simulate(1024, 12, 4, readers=1).fits
    assert not simulate(1024, 13, 4, readers=1).fits
    assert simulate(1024, 13, 4, readers=1, shared_limit_bytes=53_248).fits


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"threads": 0}, "threads is 0; it must be a whole number from 1 to 1024"),
        ({"threads": 1025}, "threads is 1025"),
        ({"threads": True}, "threads is True"),
        ({"threads": 128.0}, r"threads is 128\.0"),
        ({"values": 129}, "values is 129; it must be a whole number from 1 to 128"),
        ({"values": float("nan")}, "values is nan"),
        ({"element_bytes": 3}, "element_bytes is 3; it must be 1, 2, 4, 8 or 16"),
        ({"element_bytes": True}, "element_bytes is True"),
        ({"readers": 0}, "readers is 0; it must be a whole number from 1 to 128"),
        ({"readers": 3}, "readers is 3; it must divide the 128 threads"),
        ({"readers": 256}, "readers is 256"),
        ({"shared_limit_bytes": -1}, "shared_limit_bytes is -1; it must be a whole number ≥ 0"),
    ],
)
def test_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        simulate(**arguments)
