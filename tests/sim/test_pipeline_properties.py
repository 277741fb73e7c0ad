import pytest

hypothesis = pytest.importorskip("hypothesis")

from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from sim.pipeline import simulate  # noqa: E402

items = st.integers(1, 25)
times = st.floats(0.0, 50.0)
moves = st.floats(0.01, 50.0)
jitters = st.floats(0.0, 0.99)
seeds = st.integers(0, 2**32)


@given(items, moves, times, st.integers(2, 6), times)
def test_closed_form_with_two_slots_or_more(n, move, compute, slots, sync):
    stage = sync + compute
    expected = move + (n - 1) * max(move, stage) + stage
    assert simulate(n, move, compute, slots, sync_us=sync).total_us == pytest.approx(expected)


@given(items, moves, times, times)
def test_one_slot_overlaps_nothing(n, move, compute, sync):
    run = simulate(n, move, compute, 1, sync_us=sync)
    assert run.total_us == pytest.approx(n * (move + sync + compute))


@given(items, moves, times, st.integers(1, 5), jitters, seeds)
def test_one_more_slot_is_never_slower_with_the_same_draws(n, move, compute, slots, jitter, seed):
    fewer, more = (simulate(n, move, compute, s, jitter=jitter, seed=seed) for s in (slots, slots + 1))
    assert more.total_us <= fewer.total_us * (1 + 1e-12)


@given(items, moves, times, st.integers(1, 5), times, jitters, seeds)
def test_every_time_in_the_trace_follows_from_the_lengths_drawn(n, move, compute, slots, sync, jitter, seed):
    run = simulate(n, move, compute, slots, sync_us=sync, jitter=jitter, seed=seed)
    at = {(s.kind, s.item): s for s in run.steps}
    moved, done = [], []
    for i in range(n):
        m, c = at["move", i], at["compute", i]
        for step, us in ((m, move), (c, compute)):
            assert us * (1 - jitter) - 1e-9 <= step.end_us - step.start_us <= us * (1 + jitter) + 1e-9
        start = max(moved[-1] if moved else 0.0, done[i - slots] if i >= slots else 0.0)
        assert m.start_us == pytest.approx(start)
        moved.append(m.end_us)
        start = max(moved[-1], done[-1] if done else 0.0) + sync
        assert c.start_us == pytest.approx(start)
        done.append(c.end_us)
    assert run.total_us == done[-1]


@given(items, moves, times, st.integers(1, 5), times, jitters, seeds)
def test_a_slot_does_one_thing_at_a_time_and_each_item_visits_one(n, move, compute, slots, sync, jitter, seed):
    run = simulate(n, move, compute, slots, sync_us=sync, jitter=jitter, seed=seed)
    for a, b in zip(run.slots, run.slots[1:], strict=False):
        assert a.slot < b.slot or a.end_us <= b.start_us
    for interval in run.slots:
        assert interval.slot == interval.item % slots
    filled = sum(s.end_us - s.start_us for s in run.slots if s.state == "filling")
    read = sum(s.end_us - s.start_us for s in run.slots if s.state == "being read")
    assert filled / run.total_us == pytest.approx(run.move_busy)
    assert read / run.total_us == pytest.approx(run.compute_busy)
