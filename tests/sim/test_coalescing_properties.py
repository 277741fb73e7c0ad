"""What must hold for any request to global memory."""

from hypothesis import given
from hypothesis import strategies as st

from sim.coalescing import simulate


@st.composite
def requests(draw):
    width = draw(st.sampled_from((1, 2, 4, 8, 16)))
    lane = st.one_of(st.just(-1), st.integers(0, draw(st.sampled_from((4, 64, 5000)))).map(lambda n: n * width))
    return draw(st.lists(lane, min_size=32, max_size=32)), width


def counts(access):
    return access.requests, access.sectors, access.lines, access.bytes_used, access.bytes_moved, access.efficiency


@given(requests(), st.permutations(range(32)))
def test_which_lane_asks_for_what_does_not_matter(request, order):
    addresses, width = request
    assert counts(simulate([addresses[lane] for lane in order], width)) == counts(simulate(addresses, width))


@given(requests())
def test_bounds(request):
    addresses, width = request
    access = simulate(addresses, width)
    active = sum(address >= 0 for address in addresses)
    assert access.lines <= access.sectors <= active
    assert access.sectors <= 4 * access.lines
    assert access.bytes_used <= min(access.bytes_moved, width * active)
    assert 0 <= access.efficiency <= 1
    assert (access.efficiency == 0) == (active == 0)


@given(requests(), st.integers(0, 31))
def test_switching_a_lane_off_never_adds_a_sector(request, lane):
    addresses, width = request
    fewer = simulate([-1 if i == lane else address for i, address in enumerate(addresses)], width)
    assert fewer.sectors <= simulate(addresses, width).sectors


@given(requests(), st.integers(0, 1000))
def test_moving_all_by_whole_lines_changes_no_count(request, lines):
    addresses, width = request
    moved = [address if address < 0 else address + 128 * lines for address in addresses]
    assert counts(simulate(moved, width)) == counts(simulate(addresses, width))
