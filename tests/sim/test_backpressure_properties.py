import pytest

hypothesis = pytest.importorskip("hypothesis")

from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from sim.backpressure import budget, simulate  # noqa: E402

times = st.floats(0.0, 50.0)


@given(st.integers(1, 20), st.integers(1, 5), times, times, times, st.floats(0.0, 0.9), st.integers(0, 2**32))
def test_one_more_slot_is_never_slower(n, slots, upstream, move, consume, jitter, seed):
    settings = {"upstream_us": upstream, "move_us": move, "consume_us": consume, "jitter": jitter, "seed": seed}
    fewer, more = (simulate(n, s, **settings) for s in (slots, slots + 1))
    assert more.total_us <= fewer.total_us * (1 + 1e-12)
    assert more.stalls("consumer") == 0


@given(st.integers(1, 31), st.integers(1, 64), st.integers(1, 2**17), st.integers(0, 2**17))
def test_more_blocks_never_get_more(blocks, wanted, slot_bytes, reorder_bytes):
    one, other = (
        budget(n, wanted_slots=wanted, slot_bytes=slot_bytes, reorder_bytes=reorder_bytes) for n in (blocks, blocks + 1)
    )
    assert other.block_bytes <= one.block_bytes
    assert other.slots <= one.slots <= wanted
    for each in (one, other):
        assert each.used_bytes <= each.block_bytes or each.slots == 0
        if each.slots < wanted:
            assert each.used_bytes + slot_bytes > each.block_bytes
