import doctest

import pytest

import sim.attention_memory
from sim.attention_memory import attention_memory, flash_blocks

MIB, GIB = 1 << 20, 1 << 30


def test_docstring_examples_hold():
    result = doctest.testmod(sim.attention_memory)
    assert result.attempted
    assert not result.failed


def test_one_head_of_8192_tokens():
    one = attention_memory(8192, 128)
    assert one.q_bytes == one.k_bytes == one.v_bytes == one.o_bytes == 2 * MIB
    assert one.needed_bytes == 8 * MIB
    assert one.score_bytes == 256 * MIB
    assert one.moved_score_bytes == GIB
    assert one.ratio == 128


def test_scores_at_two_bytes_for_each_length_of_the_table():
    found = [attention_memory(1 << power, 64, score_bytes=2).score_bytes for power in range(10, 16)]
    assert found == [2 * MIB, 8 * MIB, 32 * MIB, 128 * MIB, 512 * MIB, 2 * GIB]


def test_elements_counted_one_by_one():
    length, head_dim, heads, kv_heads = 6, 5, 4, 2
    got = attention_memory(length, head_dim, heads, kv_heads, element_bytes=2, score_bytes=4)
    per_head = [(token, column) for token in range(length) for column in range(head_dim)]
    assert got.q_bytes == got.o_bytes == 2 * heads * len(per_head)
    assert got.k_bytes == got.v_bytes == 2 * kv_heads * len(per_head)
    assert got.score_bytes == 4 * heads * sum(1 for _ in range(length) for _ in range(length))


def test_the_ratio_grows_with_length_over_head_size():
    # 4·L²·4 over 4·L·d·2 is 2·L/d, whatever the heads
    for length, head_dim, heads in ((1024, 64, 1), (8192, 128, 32), (100, 7, 3)):
        assert attention_memory(length, head_dim, heads).ratio == pytest.approx(2 * length / head_dim)
    # four queries to a head of K and V: 4 + 4 + 1 + 1 in place of 16
    assert attention_memory(8192, 128, 8, 2).needed_bytes == 10 * 2 * 2 * MIB


def test_the_two_worked_cases_in_blocks():
    small = flash_blocks(4096, 64, 51_200)
    assert (small.kv_rows, small.q_rows, small.passes) == (200, 64, 21)
    assert f"{small.unfused_elements / 1e6:.1f}" == "68.2"
    assert f"{small.elements / 1e6:.1f} {small.saving:.1f}" == "11.5 5.9"
    large = flash_blocks(4096, 64, 98_304)
    assert (large.kv_rows, large.passes) == (384, 11)
    assert f"{large.elements / 1e6:.1f} {large.saving:.1f}" == "6.3 10.8"


def walked(length, head_dim, kv_rows, q_rows):
    """Algorithm 1, its loads and stores of Q, K, V and O, element by element of each block."""
    moved = 0
    for start in range(0, length, kv_rows):
        moved += 2 * (min(start + kv_rows, length) - start) * head_dim
        for row in range(0, length, q_rows):
            moved += 2 * (min(row + q_rows, length) - row) * head_dim
    return moved


@pytest.mark.parametrize("length", [1, 17, 64, 100])
@pytest.mark.parametrize("head_dim", [1, 8, 16])
def test_blocks_against_a_walk_of_the_algorithm(length, head_dim):
    for sram in {head_dim, length * head_dim // 2 + head_dim // 2 + 1, length * head_dim}:
        if head_dim <= sram <= length * head_dim:
            got = flash_blocks(length, head_dim, sram)
            assert got.elements == walked(length, head_dim, got.kv_rows, got.q_rows)
            # Q, K, V and O blocks fit, up to the rounding up of the algorithm
            assert 2 * (got.kv_rows - 1 + got.q_rows - 1) * head_dim <= sram


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"length": 0}, "length is 0; it must be a whole number from 1 to 16777216"),
        ({"length": 8192.0}, "length is 8192.0"),
        ({"head_dim": 1025}, "head_dim is 1025; it must be a whole number from 1 to 1024"),
        ({"heads": 0}, "heads is 0"),
        ({"heads": True}, "heads is True"),
        ({"kv_heads": 9}, "kv_heads is 9; it must be a whole number from 1 to 8"),
        ({"kv_heads": 3}, "kv_heads is 3; it must divide heads, which is 8"),
        ({"element_bytes": 0}, "element_bytes is 0; it must be a whole number from 1 to 8"),
        ({"score_bytes": 9}, "score_bytes is 9"),
    ],
)
def test_bad_input_is_refused(changed, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        attention_memory(**({"length": 128, "head_dim": 64, "heads": 8} | changed))


def test_a_chip_too_small_or_too_large_for_the_theorem_is_refused():
    for bad in (63, 4096 * 64 + 1, 64.0):
        with pytest.raises(ValueError, match=rf"^sram_elements is {bad}; it must be a whole number from 64 to 262144$"):
            flash_blocks(4096, 64, bad)
