"""Indices of a launch against threads counted one by one."""

import doctest
import random

import pytest

import sim.launch_index
from sim.launch_index import MAX_BLOCKS, Place, Warp, launch


def test_docstring_examples_hold():
    result = doctest.testmod(sim.launch_index)
    assert result.attempted
    assert not result.failed


def test_a_million_elements_in_blocks_of_128():
    big = launch(1_000_000, 128)
    assert (big.blocks, big.live_in_last_block, big.threads) == (7813, 64, 1_000_064)
    assert (big.warps, big.working_warps, big.whole_warps, big.idle_warps) == (31_252, 31_250, 31_250, 2)
    assert big.divergent is None
    assert [(warp.live, warp.diverges) for warp in big.block(7812)] == [
        (32, False), (32, False), (0, False), (0, False)
    ]  # fmt: skip


def test_100_elements_split_1_of_4_warps_and_1000_split_1_of_32():
    hundred, thousand = launch(100, 128), launch(1000, 128)
    assert (hundred.warps, hundred.divergent) == (4, Warp(block=0, warp=3, threads=32, live=4))
    assert (thousand.warps, thousand.divergent) == (32, Warp(block=7, warp=3, threads=32, live=8))
    # In blocks of one warp it is the last block.
    assert launch(1000, 32).divergent == Warp(block=31, warp=0, threads=32, live=8)


def counted(elements, block_threads):
    """(warps, warps with an element, warps that diverge) by going through the threads of whole blocks."""
    warps = {}
    for thread in range(10**9):
        if thread % block_threads == 0 and thread >= elements:
            break
        key = thread // block_threads, thread % block_threads // 32
        warps.setdefault(key, []).append(thread < elements)
    split = [key for key, passes in warps.items() if len(set(passes)) == 2]
    return warps, split


def test_counts_and_warps_are_those_of_threads_gone_through_one_by_one():
    rng = random.Random(3)
    for _ in range(150):
        elements, block_threads = rng.randint(1, 700), rng.choice((1, 31, 32, 33, 64, 100, 128, rng.randint(1, 1024)))
        kernel = launch(elements, block_threads)
        warps, split = counted(elements, block_threads)
        assert kernel.warps == len(warps)
        assert kernel.threads == sum(map(len, warps.values()))
        assert kernel.working_warps == sum(any(passes) for passes in warps.values())
        assert kernel.whole_warps == sum(all(passes) for passes in warps.values())
        assert kernel.empty_lanes == sum(32 - len(passes) for passes in warps.values())
        for block in range(kernel.blocks):
            assert kernel.live_in_block(block) == sum(sum(p) for (of, _), p in warps.items() if of == block)
        found = kernel.divergent
        assert [(found.block, found.warp)] == split if found else split == []
        for block in range(kernel.blocks):
            for warp in kernel.block(block):
                passes = warps[block, warp.warp]
                assert (warp.threads, warp.live) == (len(passes), sum(passes))


def test_every_element_has_one_place_and_the_place_gives_the_index_back():
    kernel = launch(1000, 100)
    places = [kernel.locate(i) for i in range(1000)]
    assert len({(p.block, p.thread) for p in places}) == 1000
    for i, place in enumerate(places):
        assert place.block * 100 + place.thread == place.element == i
        assert place.warp * 32 + place.lane == place.thread
        assert place.lane < 32
    assert places[531] == Place(element=531, block=5, thread=31, warp=0, lane=31)


def test_the_largest_grid():
    assert launch(MAX_BLOCKS * 1024, 1024).blocks == 2**31 - 1
    with pytest.raises(ValueError, match=f"elements is {MAX_BLOCKS + 1}; it must be a whole number from 1 to"):
        launch(MAX_BLOCKS + 1, 1)


@pytest.mark.parametrize("value", [0, -1, 1.0, True, None, "8", float("nan")])
def test_refuses_what_is_no_count(value):
    with pytest.raises(ValueError, match=r"^elements is .*; it must be a whole number from 1 to "):
        launch(value, 128)
    with pytest.raises(ValueError, match=r"^block_threads is .*; it must be a whole number from 1 to 1024$"):
        launch(100, value)


def test_refuses_what_the_launch_does_not_have():
    kernel = launch(100, 64)
    for call, message in [
        (lambda: kernel.locate(100), "element is 100; it must be a whole number from 0 to 99"),
        (lambda: kernel.locate(-1), "element is -1"),
        (lambda: kernel.locate(1.0), r"element is 1\.0"),
        (lambda: kernel.warp(2, 0), "block is 2; it must be a whole number from 0 to 1"),
        (lambda: kernel.warp(0, 2), "warp is 2; it must be a whole number from 0 to 1"),
        (lambda: kernel.block(-1), "block is -1"),
        (lambda: kernel.live_in_block(2), "block is 2; it must be a whole number from 0 to 1"),
        (lambda: launch(100, 1025), "block_threads is 1025"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()
