"""What must not change, or may only shrink, when lanes are permuted, moved or switched off."""

from hypothesis import given
from hypothesis import strategies as st

from sim.bank_conflicts import simulate

WIDTHS = st.sampled_from((4, 8, 16))
OPS = st.sampled_from(("load", "store"))


@st.composite
def accesses(draw, widths=WIDTHS, ops=OPS):
    width = draw(widths)
    lane = st.one_of(st.just(-1), st.integers(0, 8), st.integers(0, 511))
    elements = draw(st.lists(lane, min_size=32, max_size=32))
    distance = draw(st.sampled_from((0, 1, 2)))  # makes agreeing pairs, hence merged loads, common
    addresses = [elements[i & ~distance] for i in range(32)]
    return tuple(e * width if e >= 0 else -1 for e in addresses), width, draw(ops)


def counts(addresses, width, op):
    access = simulate(addresses, width, op)
    return access.wavefronts, access.ideal_wavefronts


@given(accesses())
def test_counts_are_in_range(access):
    addresses, width, _ = access
    wavefronts, ideal = counts(*access)
    active = sum(address >= 0 for address in addresses)
    assert min(active, 1) <= ideal <= wavefronts <= active
    assert ideal <= width // 4


@given(accesses(widths=st.just(4)), st.permutations(range(32)))
def test_lanes_of_a_4_byte_access_may_change_places(access, order):
    addresses, width, op = access
    assert counts([addresses[lane] for lane in order], width, op) == counts(*access)


@given(accesses(ops=st.just("store")), st.randoms(use_true_random=False))
def test_lanes_of_a_store_may_change_places_inside_their_part(access, rng):
    addresses, width, op = access
    size = 128 // width
    shuffled = []
    for start in range(0, 32, size):
        shuffled += rng.sample(addresses[start : start + size], size)
    assert counts(shuffled, width, op) == counts(*access)


@given(accesses(), st.integers(0, 31))
def test_lanes_may_be_numbered_by_xor_with_a_constant(access, mask):
    # Pairs i, i^1 and i, i^2 stay pairs and parts stay parts.
    addresses, width, op = access
    assert counts([addresses[lane ^ mask] for lane in range(32)], width, op) == counts(*access)


@given(accesses(), st.integers(0, 1000))
def test_moving_all_lanes_by_whole_rows_of_banks_changes_nothing(access, rows):
    addresses, width, op = access
    assert counts([a + 128 * rows if a >= 0 else -1 for a in addresses], width, op) == counts(*access)


@given(accesses(), st.integers(0, 31))
def test_switching_a_lane_off_never_adds_a_wavefront(access, lane):
    addresses, width, op = access
    fewer = [-1 if i == lane else address for i, address in enumerate(addresses)]
    assert simulate(fewer, width, op).wavefronts <= simulate(addresses, width, op).wavefronts


@given(accesses())
def test_a_load_never_takes_more_than_the_store(access):
    addresses, width, _ = access
    assert simulate(addresses, width, "load").wavefronts <= simulate(addresses, width, "store").wavefronts
