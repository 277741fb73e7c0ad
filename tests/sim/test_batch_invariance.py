import doctest
import struct
from dataclasses import replace
from math import nan, sqrt

import numpy as np
import pytest

import sim.batch_invariance
from sim.batch_invariance import segments_for, simulate
from sim.formats import BF16, FP32, encode
from sim.sum_order import SEED, bf16_row, split_sum, squares

BATCHES = [1, 2, 4, 8, 16, 32, 64, 128, 1024]


def test_docstring_examples_hold():
    result = doctest.testmod(sim.batch_invariance)
    assert result.attempted
    assert not result.failed


def test_the_kernel_picks_the_largest_power_of_two_that_fits():
    assert [segments_for(rows) for rows in BATCHES] == [64, 64, 32, 16, 8, 4, 2, 1, 1]
    for sms in (1, 7, 132, 148):
        for rows in range(1, 200):
            fitting = [1 << i for i in range(7) if rows << i <= sms]
            assert segments_for(rows, sms=sms) == max(fitting, default=1)
    assert segments_for(1, sms=132, most=100) == 64
    assert segments_for(1, sms=1024, most=1024) == 1024


def test_one_row_has_other_bits_in_other_batches_until_the_split_is_fixed():
    row = bf16_row(SEED)
    run = simulate(row, BATCHES)
    assert not run.invariant
    assert len({launch.sum_code for launch in run.launches}) > 3
    assert run.changed_normalised(0) == run.changed_outputs(0) == 0
    assert run.changed_normalised(1) == run.changed_outputs(1) == 0  # two rows are split as one is
    assert run.changed_normalised(8) > 2048  # most of the row
    assert 0 < run.changed_outputs(3) < 100  # BF16 hides it, but for the numbers near a halfway point
    assert 0 < run.changed_outputs(8) < 100
    for segments in (1, 8, 64):
        fixed = simulate(row, BATCHES, segments=segments)
        assert fixed.invariant
        assert {launch.segments for launch in fixed.launches} == {segments}
        assert all(fixed.changed_normalised(i) == fixed.changed_outputs(i) == 0 for i in range(len(BATCHES)))


def test_bf16_hides_what_only_fp32_shows_in_most_rows():
    runs = [simulate(bf16_row(seed), [1, 8]) for seed in range(20)]
    assert sum(run.changed_normalised(1) > 0 for run in runs) > 15
    assert sum(run.changed_outputs(1) > 0 for run in runs) < 5


def test_equal_splits_give_equal_bits():
    launches = simulate(bf16_row(SEED), BATCHES).launches
    for one in launches:
        for other in launches:
            if one.segments == other.segments:
                assert replace(one, rows=1) == replace(other, rows=1)


def test_a_row_whose_sums_are_exact_is_invariant_by_luck():
    # 64 · j² adds up without rounding, so no order shows
    assert simulate(np.arange(64.0), [1, 2, 64, 1024]).invariant
    assert simulate(np.zeros(4096), BATCHES).invariant


def fp32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


@pytest.mark.parametrize("width", [4096, 3000])
def test_every_output_by_hand(width):
    # float64 has more than 2·24 + 2 bits, so one FP32 operation done in it and stored is rightly rounded
    row = bf16_row(SEED, width)
    for launch in simulate(row, [1, 1024]).launches:
        total = split_sum(squares(row), launch.segments).total
        scale = fp32(1 / fp32(sqrt(fp32(fp32(total / width) + fp32(1e-6)))))
        assert launch.sum.total == total
        assert launch.sum_code == struct.unpack("<I", struct.pack("<f", total))[0] == encode(total, FP32)
        assert launch.scale == scale
        normalised = [fp32(x * scale) for x in row.tolist()]
        assert launch.normalised_codes == struct.unpack(f"<{width}I", struct.pack(f"<{width}f", *normalised))
        assert launch.output_codes == tuple(encode(normalised, BF16).tolist())


def test_the_output_is_the_normalised_row():
    row = bf16_row(SEED)
    launch = simulate(row, [8]).launches[0]
    wide = row.astype(np.float64)
    expected = wide / np.sqrt((wide**2).mean() + 1e-6)
    got = (np.array(launch.output_codes, np.uint32) << 16).view(np.float32)
    assert np.allclose(got, expected, rtol=2.0**-8, atol=0)


@pytest.mark.parametrize("bad", [0, -1, 1.0, True, nan, None, 2**20 + 1])
def test_rows_that_are_refused(bad):
    with pytest.raises(ValueError, match=r"^rows is .*; it must be a whole number from 1 to 1048576$"):
        segments_for(bad)
    with pytest.raises(ValueError, match=r"^rows is "):
        simulate(bf16_row(0), [1, bad], segments=4)


def test_other_arguments_that_are_refused():
    with pytest.raises(ValueError, match=r"^sms is 0; it must be a whole number from 1 to 1024"):
        segments_for(1, sms=0)
    with pytest.raises(ValueError, match=r"^most is True"):
        segments_for(1, most=True)
    for batches in ([], [1] * 17):
        with pytest.raises(ValueError, match=r"^\d+ batches given; give 1 to 16"):
            simulate(bf16_row(0), batches)
    for segments in (0, 65, 2.0, True):
        with pytest.raises(ValueError, match=r"^segments is .*; it must be a whole number from 1 to 64"):
            simulate(bf16_row(0), [1], segments=segments)
    with pytest.raises(ValueError, match=r"^row has shape \(63,\); give one row of at least 64 numbers"):
        simulate(np.ones(63), [1])
    with pytest.raises(ValueError, match=r"^row has shape \(2, 64\)"):
        simulate(np.ones((2, 64)), [1])
    with pytest.raises(ValueError, match=r"^a number of the row is not a BF16 number"):
        simulate(np.full(64, 1.001, np.float32), [1])
