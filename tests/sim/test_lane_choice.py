"""Orders are permutations that cost nothing; lanes switched off keep the others' addresses."""

import doctest
from itertools import pairwise

import pytest

import sim.lane_choice
from sim import coalescing
from sim.coalescing import strided
from sim.lane_choice import LANES, ORDERS, in_order, switched


def test_docstring_examples_hold():
    result = doctest.testmod(sim.lane_choice)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize("order", ORDERS)
def test_an_order_hands_out_every_element_once(order):
    assert sorted(in_order(range(32), order)) == list(range(32))


def test_the_orders_are_those_they_are_called():
    assert in_order(range(32), "forward") == tuple(range(32))
    assert in_order(range(32), "reversed") == tuple(31 - lane for lane in range(32))
    shuffled = in_order(range(32), "shuffled")
    assert all(abs(a - b) > 1 for a, b in pairwise(shuffled))  # no two neighbours stay together


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("stride", [0, 1, 2, 3, 8, 33])
def test_no_order_changes_what_is_moved(width, stride):
    addresses = strided(width, stride, 16)
    traces = [coalescing.simulate(in_order(addresses, order), width) for order in ORDERS]
    assert len({tuple((s.address, s.bytes_used) for s in trace.sectors_touched) for trace in traces}) == 1


def test_lanes_that_stay_on_keep_their_address():
    addresses = strided(4, 3)
    counts = {"all": 32, "even": 16, "low": 16, "one": 1}
    assert set(counts) == set(LANES)
    for choice, count in counts.items():
        kept = switched(addresses, choice)
        on = [lane for lane, address in enumerate(kept) if address >= 0]
        assert (len(on), on[0]) == (count, 0)
        assert all(kept[lane] == addresses[lane] for lane in on)
    assert [lane for lane, address in enumerate(switched(addresses, "low")) if address >= 0] == list(range(16))


def test_every_second_lane_off_saves_no_sector_and_a_half_saves_its_own():
    addresses = strided(4)
    assert [coalescing.simulate(switched(addresses, choice)).sectors for choice in ("all", "even", "low", "one")] == [
        4, 4, 2, 1,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: in_order(range(31), "forward"), "31 addresses given; a warp has 32 lanes"),
        (lambda: in_order(range(32), "zigzag"), "order is 'zigzag'; it must be one of forward, reversed, shuffled"),
        (lambda: switched(range(33), "all"), "33 addresses given"),
        (lambda: switched(range(32), "odd"), "lanes is 'odd'; it must be one of all, even, low, one"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(ValueError, match=message):
        call()
