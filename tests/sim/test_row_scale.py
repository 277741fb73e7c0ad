import doctest
from bisect import bisect
from fractions import Fraction
from math import inf, nan
from random import Random

import numpy as np
import pytest

import sim.row_scale
from sim.formats import E4M3FN, decode
from sim.row_scale import MAX_WIDTH, simulate

NUMBERS = [Fraction(float(value)) for value in decode(range(0x7F), E4M3FN)]


def test_docstring_examples_hold():
    result = doctest.testmod(sim.row_scale)
    assert result.attempted
    assert not result.failed


def test_figure_9_4_two_numbers_by_hand():
    run = simulate([448.0, 896.0], 1)
    # whole row: scale 2, quotients 224 = 1.75·2^7 and 448 = 1.75·2^8
    assert (run.scale, run.codes) == (2.0, (0x76, 0x7E))
    # streaming: the first number meets scale 1 and becomes 448; read with scale 2 it is twice too large
    assert [(c.start, c.stop, c.amax, c.scale, c.codes) for c in run.chunks] == [
        (0, 1, 448.0, 1.0, (0x7E,)),
        (1, 2, 896.0, 2.0, (0x7E,)),
    ]
    assert run.changed(run.streamed) == (0,)
    assert run.values(run.streamed) == (896.0, 896.0)
    # the ratio is a power of two, so bringing the code to scale 2 gives the right byte
    assert run.requantized == run.codes


def test_figure_9_4_quantizing_again_is_not_quantizing_once():
    # 301 -> 288 by scale 1 (steps of 32), then 288 / 1.25 = 230.4 -> 224; at once 301 / 1.25 = 240.8 -> 240
    run = simulate([301.0, 448.0, 560.0], 2)
    assert [chunk.scale for chunk in run.chunks] == [1.0, 1.25]
    assert decode(run.streamed, E4M3FN).tolist() == [288.0, 448.0, 448.0]
    assert decode(run.requantized, E4M3FN).tolist() == [224.0, 352.0, 448.0]
    assert decode(run.codes, E4M3FN).tolist() == [240.0, 352.0, 448.0]
    assert (run.changed(run.streamed), run.changed(run.requantized)) == ((0, 1), (0,))


def test_the_quotient_is_a_division_not_a_product_with_the_reciprocal():
    # 10.9375 / 7 = 1.5625, a tie between 1.5 (0x3C, even) and 1.625; FP32's 1/7 is too large and tips it over
    assert np.float32(10.9375) * (np.float32(1) / np.float32(7)) > 1.5625
    run = simulate([10.9375, 3136.0, 6272.0], 2)
    assert [chunk.scale for chunk in run.chunks] == [7.0, 14.0]
    assert run.streamed[0] == simulate([10.9375, 3136.0], 2).codes[0] == 0x3C


def code_by_table(quotient):
    """E4M3FN of an FP32 quotient, from the list of all its numbers."""
    size = Fraction(abs(float(quotient)))
    above = bisect(NUMBERS, size)
    code = above - 1
    if above < len(NUMBERS):
        low, high = size - NUMBERS[code], NUMBERS[above] - size
        code += high < low or (high == low and code % 2)
    return code | (bool(np.signbit(quotient)) << 7)


def one_by_one(row, chunk):
    """The same in a loop over FP32 scalars: (codes, streamed, requantized)."""
    numbers = [np.float32(x) for x in row]
    last = max(abs(x) for x in numbers) / np.float32(448) or np.float32(1)
    codes = [code_by_table(x / last) for x in numbers]
    streamed, again, so_far = [], [], np.float32(0)
    for start in range(0, len(numbers), chunk):
        so_far = max([so_far, *map(abs, numbers[start : start + chunk])])
        scale = so_far / np.float32(448) or np.float32(1)
        for x in numbers[start : start + chunk]:
            streamed.append(code_by_table(x / scale))
            again.append(code_by_table(decode([streamed[-1]], E4M3FN)[0] * scale / last))
    return tuple(codes), tuple(streamed), tuple(again)


def random_row(rng, width):
    wide = [rng.choice((0.0, 1.0, -1.0, 3.0)) * rng.random() * (1 + i) ** rng.choice((0, 1)) for i in range(width)]
    return np.array(wide, np.float32)


def test_against_quantizing_one_number_at_a_time():
    rng = Random(94)
    differ = again = 0
    for _ in range(60):
        row = random_row(rng, rng.randint(1, 20))
        chunk = rng.randint(1, len(row))
        run = simulate(row, chunk)
        assert (run.codes, run.streamed, run.requantized) == one_by_one(row, chunk)
        differ += bool(run.changed(run.streamed))
        again += bool(run.changed(run.requantized))
    assert differ > 20
    assert again > 5


def test_bytes_agree_from_the_largest_number_on():
    rng = Random(95)
    for _ in range(50):
        row = random_row(rng, 64)
        run = simulate(row, 8)
        largest = int(np.abs(row).argmax())
        assert all(i < largest for i in run.changed(run.streamed) + run.changed(run.requantized))
        first = np.roll(row, -largest)  # the largest number in the first chunk
        assert simulate(first, 8).streamed == simulate(first, 8).codes
        assert simulate(row, 64).streamed == run.codes  # one chunk is the whole row
        assert simulate(row[::-1], 8).codes == run.codes[::-1]  # with its own scale, order does not matter


def test_streamed_values_are_too_large_by_the_ratio_of_scales():
    row = np.linspace(1, 100, 50, dtype=np.float32)
    run = simulate(row, 5)
    streamed = np.array(run.values(run.streamed))
    of_number = np.repeat([chunk.scale for chunk in run.chunks], 5)
    assert np.allclose(streamed * of_number / run.scale, row, rtol=1 / 16)  # half a step of E4M3
    assert np.allclose(run.values(run.codes), row, rtol=1 / 16, atol=run.scale * 2.0**-10)
    assert (streamed[:5] > 10 * row[:5]).all()


def test_the_largest_number_is_448_and_nothing_overflows():
    rng = Random(96)
    for exponent in (-80, -60, 0, 60, 99):
        row = np.array([rng.uniform(-1, 1) * 2.0**exponent for _ in range(200)], np.float32)
        run = simulate(row, 7)
        assert max(code & 0x7F for code in run.codes) == 0x7E
        assert 0x7F not in {code & 0x7F for code in run.codes + run.streamed + run.requantized}


def test_zeros():
    run = simulate([0.0, -0.0, 0.0, 1.0], 1)
    assert [chunk.scale for chunk in run.chunks[:3]] == [1.0] * 3
    assert run.streamed == run.codes == (0, 0x80, 0, 0x7E)
    assert (simulate([0.0] * 3, 2).scale, simulate([0.0] * 3, 2).codes) == (1.0, (0, 0, 0))


def test_the_last_chunk_may_be_shorter():
    assert [(chunk.start, chunk.stop) for chunk in simulate([1.0] * 7, 3).chunks] == [(0, 3), (3, 6), (6, 7)]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([], rf"row: shape \(0,\), type float64; give 1 to {MAX_WIDTH} real numbers"),
        (np.zeros(MAX_WIDTH + 1), rf"row: shape \({MAX_WIDTH + 1},\)"),
        ([[1.0]], r"row: shape \(1, 1\)"),
        (1.0, r"row: shape \(\)"),
        ([True], r"row: shape \(1,\), type bool"),
        (["1"], r"row: shape \(1,\), type <U1"),
        ([1.0, nan], r"the row holds nan; give 0, or a size from 2\^-100 to 2\^100"),
        ([-inf], r"the row holds -inf"),
        ([2.0**-101], r"the row holds 3\.9"),
        ([2.0**101], r"the row holds 2\.5"),
        ([0.1], r".*0\.1.* is not an FP32 number; round the row first"),
    ],
)
def test_rows_that_are_refused(row, message):
    with pytest.raises(ValueError, match="^" + message):
        simulate(row, 1)


@pytest.mark.parametrize("bad", [0, 4, -1, 1.0, True, nan, None])
def test_chunks_that_are_refused(bad):
    with pytest.raises(ValueError, match=r"^chunk is .*; it must be a whole number from 1 to 3$"):
        simulate([1.0, 2.0, 3.0], bad)


def test_more_chunks_than_a_trace_may_have_are_refused():
    assert len(simulate(np.ones(8192), 2).chunks) == 4096
    with pytest.raises(ValueError, match=r"^chunk is 1; it must be a whole number from 2 to 8192$"):
        simulate(np.ones(8192), 1)
