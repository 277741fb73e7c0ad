"""What must hold under any roof."""

from hypothesis import given
from hypothesis import strategies as st

from sim.roofline import attainable, place, ridge

RATE = st.floats(1e3, 1e18)


@given(RATE, RATE, st.floats(0, 1e9), st.floats(0, 1e9))
def test_more_intensity_never_lowers_the_roof(peak, bandwidth, a, b):
    assert attainable(peak, bandwidth, min(a, b)) <= attainable(peak, bandwidth, max(a, b)) <= peak


@given(RATE, RATE, st.integers(1, 100))
def test_left_of_the_ridge_bytes_limit_and_right_of_it_flop(peak, bandwidth, factor):
    at = ridge(peak, bandwidth)
    assert attainable(peak, bandwidth, at / (factor + 1)) < peak
    assert attainable(peak, bandwidth, at * (factor + 1)) == peak


@given(st.integers(1, 10**15), st.integers(1, 10**15), RATE, RATE)
def test_twice_the_machine_is_twice_as_fast_on_the_same_side(flop, bytes_moved, peak, bandwidth):
    one, two = place(flop, bytes_moved, peak, bandwidth), place(flop, bytes_moved, 2 * peak, 2 * bandwidth)
    assert two.seconds == one.seconds / 2
    assert two.side == one.side
    assert two.ridge_flop_per_byte == one.ridge_flop_per_byte
