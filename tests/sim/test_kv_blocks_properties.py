import pytest

hypothesis = pytest.importorskip("hypothesis")

from hypothesis import assume, given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from sim.kv_blocks import largest_q_rows, plan  # noqa: E402

budgets = st.integers(0, 250_000)
head_dims = st.integers(1, 256)
rows = st.integers(1, 512)
slots = st.integers(0, 3)


@given(budgets, head_dims, rows, slots)
def test_the_most_rows_fit_and_one_more_does_not(budget, d, b, prefetch):
    a = largest_q_rows(budget, d, b, prefetch)

    def held(a):
        return 2 * a * d + 2 * b * d * (1 + prefetch) + 4 * a * b + 4 * a * d + 12 * a

    assert a == 0 or held(a) <= budget
    assert held(a + 1) > budget


@given(budgets, head_dims, rows, slots, st.integers(1, 20_000))
def test_more_memory_never_means_more_scans_and_a_slot_never_fewer(budget, d, b, prefetch, length):
    assume(largest_q_rows(budget, d, b, prefetch + 1) > 0)
    one = plan(length, budget, d, b, prefetch)
    assert plan(length, budget + 999, d, b, prefetch).scans <= one.scans
    assert plan(length, budget, d, b, prefetch + 1).scans >= one.scans
    assert one.shared_bytes <= budget
    assert (one.scans - 1) * one.q_rows < length <= one.scans * one.q_rows
    assert 0 < one.values_share <= one.scores_share <= 1
