import doctest
from random import Random

import pytest

import sim.kv_blocks
from sim.kv_blocks import largest_q_rows, plan
from sim.mma_pieces import pieces

MIB = 1 << 20
BUDGET = 101_376  # what a block may have on an RTX PRO 6000


def test_docstring_examples_hold():
    result = doctest.testmod(sim.kv_blocks)
    assert result.attempted
    assert not result.failed


def test_64_rows_of_k_and_v_against_one():
    assert largest_q_rows(BUDGET, 128, 64) == 82
    assert largest_q_rows(BUDGET, 128, 1) == 128
    wide, thin = plan(8192, BUDGET, 128, 64), plan(8192, BUDGET, 128, 1)
    assert (wide.scans, thin.scans) == (100, 64)
    # a scan reads K and V, 2 MiB each
    assert wide.kv_read_bytes - thin.kv_read_bytes == (100 - 64) * 4 * MIB == 144 * MIB
    assert (wide.updates, thin.updates) == (100 * 128, 64 * 8192)
    assert f"{thin.updates / wide.updates:.0f}" == "41"


def held(a, b, d):
    """The inequality of the chapter, term by term."""
    return 2 * a * d + 2 * b * d + 4 * a * b + 4 * a * d + 12 * a


def test_the_budget_is_kept_and_one_row_more_would_break_it():
    for b in range(1, 257):
        a = largest_q_rows(BUDGET, 128, b)
        assert held(a, b, 128) <= BUDGET < held(a + 1, b, 128)
        assert plan(8192, BUDGET, 128, b).shared_bytes == held(a, b, 128)


def test_against_counting_up():
    random = Random(8)
    for _ in range(300):
        budget, d, b = random.randint(0, 20_000), random.randint(1, 64), random.randint(1, 64)
        slots, width = random.randint(0, 3), random.choice([1, 2, 4])
        a = 0
        while width * (a + 1) * d + width * b * d * (1 + slots) + 4 * (a + 1) * (b + d) + 12 * (a + 1) <= budget:
            a += 1
        assert largest_q_rows(budget, d, b, slots, width) == a


def test_lab_three_a_prefetch_slot():
    # 101,376 − 2 · 16,384 = 68,608; a row takes 768 + 256 + 12 = 1,036 bytes: 66 rows and 232 bytes over
    assert largest_q_rows(BUDGET, 128, 64, prefetch_slots=1) == 66
    fetching = plan(8192, BUDGET, 128, 64, prefetch_slots=1)
    assert fetching.scans == 125
    assert fetching.kv_bytes == 2 * 16_384
    assert BUDGET - fetching.shared_bytes == 232


def test_the_thin_side_of_the_matrix_products():
    thin, wide = plan(8192, BUDGET, 128, 1), plan(8192, BUDGET, 128, 64)
    assert (thin.scores_share, thin.values_share) == (1 / 8, 1 / 16)
    assert (wide.scores_share, wide.values_share) == (1, 1)
    for b in (1, 7, 8, 9, 16, 40, 64):
        one = plan(8192, BUDGET, 128, b)
        # Q·Kᵀ of 16 × b × 128 and P·V of 16 × 128 × b have no other padding
        assert one.scores_share == pytest.approx(pieces(16, b, 128).useful_share)
        assert one.values_share == pytest.approx(pieces(16, 128, b).useful_share)


def test_fewer_rows_of_k_and_v_never_leave_less_room_for_q():
    rows = [largest_q_rows(BUDGET, 128, b) for b in range(1, 400)]
    assert rows == sorted(rows, reverse=True)
    assert rows[-1] == 0


def test_the_last_block_may_be_short():
    short = plan(100, BUDGET, 128, 64)
    assert (short.q_rows, short.scans, short.kv_blocks) == (82, 2, 2)
    assert short.kv_read_bytes == 2 * 2 * 2 * 100 * 128
    assert plan(50, BUDGET, 128, 64).scans == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1, 128, 64), "shared_bytes is -1; it must be a whole number from 0 to 16777216"),
        ((101_376.0, 128, 64), "shared_bytes is 101376.0"),
        ((BUDGET, 0, 64), "head_dim is 0; it must be a whole number from 1 to 1024"),
        ((BUDGET, 128, 0), "kv_rows is 0; it must be a whole number from 1 to 65536"),
        ((BUDGET, 128, True), "kv_rows is True"),
        ((BUDGET, 128, 64, -1), "prefetch_slots is -1; it must be a whole number from 0 to 16"),
        ((BUDGET, 128, 64, 0, 9), "element_bytes is 9; it must be a whole number from 1 to 8"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        largest_q_rows(*arguments)


def test_a_plan_without_a_row_is_refused():
    assert largest_q_rows(BUDGET, 128, 396) == 0
    with pytest.raises(
        ValueError, match=r"^not one row of Q fits in 101376 bytes, 101376 of them for K or V; use fewer"
    ):
        plan(8192, BUDGET, 128, 396)
    with pytest.raises(ValueError, match=r"^not one row of Q fits in 1000 bytes, 256 of them .*; give more shared mem"):
        plan(8192, 1000, 128, 1)
    with pytest.raises(ValueError, match=r"; use fewer than 2 rows of K and V$"):
        plan(8192, 1000, 128, 2)
    with pytest.raises(ValueError, match=r"^length is 0; it must be a whole number from 1 to 16777216$"):
        plan(0, BUDGET, 128, 64)
