"""The roofline against worked values, published peaks and a time taken the long way round."""

import doctest
from fractions import Fraction

import pytest

import sim.roofline
from sim.roofline import attainable, intensity, place, ridge, roof

T, G = 10**12, 10**9


def test_docstring_examples_hold():
    result = doctest.testmod(sim.roofline)
    assert result.attempted
    assert not result.failed


def test_an_imaginary_gpu():
    assert ridge(20e12, 500e9) == 40
    assert attainable(20e12, 500e9, 1) == 0.5e12
    assert attainable(20e12, 500e9, 10) == 5e12
    assert attainable(20e12, 500e9, 40) == attainable(20e12, 500e9, 4000) == 20e12
    assert attainable(20e12, 500e9, 0) == 0


# TFLOP/s (dense), GB/s, ridge as worked, digits printed. Peaks: NVIDIA's published figures.
RIDGES = [
    ("V100 FP32", 15.7, 900, 17.4, 1),
    ("V100 FP16", 125, 900, 138.9, 1),
    ("T4 FP16", 65, 320, 203, 0),
    ("A100 FP32", 19.5, 2039, 9.6, 1),
    ("A100 BF16", 312, 2039, 153, 0),
    ("RTX 3090 FP16", 71, 936, 75.9, 1),
    ("L4 BF16", 121, 300, 403, 0),
    ("RTX 4090 FP32", 82.6, 1008, 81.9, 1),
    ("RTX 4090 BF16", 165.2, 1008, 163.9, 1),
    ("H100 FP32", 66.9, 3350, 20.0, 1),
    ("H100 BF16", 989.4, 3350, 295.3, 1),
    ("H100 FP8", 1978.9, 3350, 590.7, 1),
    ("H200 BF16", 989.4, 4800, 206, 0),
    ("B200 BF16", 2250, 7700, 292, 0),
    ("B200 FP8", 4500, 7700, 584, 0),
    ("B200 BF16 at 8 TB/s", 2250, 8000, 281, 0),
    ("B200 FP8 at 8 TB/s", 4500, 8000, 562.5, 1),
    ("RTX 5090 BF16", 209.5, 1792, 116.9, 1),
    ("RTX PRO 6000 FP32", 126, 1792, 70.3, 1),
    ("RTX PRO 6000 BF16", 503.8, 1792, 281, 0),
]


@pytest.mark.parametrize(("tflops", "gbytes", "worked", "digits"), [r[1:] for r in RIDGES], ids=[r[0] for r in RIDGES])
def test_ridges_of_gpus(tflops, gbytes, worked, digits):
    assert round(ridge(tflops * T, gbytes * G), digits) == worked


def test_sparse_peak_taken_for_dense_shows():
    assert round(ridge(2 * 989.4 * T, 3350 * G)) != 295


# 103,079,215,104 FLOP of one projection, by the bytes that its tiles move.
@pytest.mark.parametrize(("mib", "worked"), [(128, 768.0), (1560, 63.0), (3096, 31.8)])
def test_equal_work_and_different_bytes(mib, worked):
    flop = 2 * 1024 * 4096 * 12288
    assert flop == 103_079_215_104
    assert round(intensity(flop, mib * 2**20), 1) == worked


def test_a_larger_tile_moves_a_kernel_to_the_right_and_the_bytes_set_its_time():
    flop = 103_079_215_104
    small, large, once = (place(flop, mib * 2**20, 989.4e12, 3.35e12) for mib in (3096, 1560, 128))
    assert small.intensity_flop_per_byte < large.intensity_flop_per_byte < small.ridge_flop_per_byte
    assert (small.side, large.side, once.side) == ("memory", "memory", "compute")
    assert small.seconds / large.seconds == pytest.approx(3096 / 1560)
    assert once.seconds == flop / 989.4e12


def test_the_same_kernel_changes_sides_on_another_gpu():
    # 250 FLOP a byte lie between the ridges of an H200 (206) and an H100 (295).
    h100, h200 = (place(250e9, 1e9, 989.4e12, bandwidth) for bandwidth in (3.35e12, 4.8e12))
    assert (h100.side, h200.side) == ("memory", "compute")
    assert h100.seconds > h200.seconds


def test_on_the_ridge_both_limits_meet():
    assert place(40e9, 1e9, 20e12, 500e9).side == "ridge"


@pytest.mark.parametrize("flop", [1, 3 * 10**9, 7 * 10**15])
@pytest.mark.parametrize("bytes_moved", [1, 5 * 10**8, 10**13])
@pytest.mark.parametrize(("peak", "bandwidth"), [(20 * T, 500 * G), (989_400 * G, 3350 * G)])
def test_flop_over_the_longer_time_is_the_roof(flop, bytes_moved, peak, bandwidth):
    # The roof from times, in exact fractions, without an intensity.
    seconds = max(Fraction(flop, peak), Fraction(bytes_moved, bandwidth))
    found = place(flop, bytes_moved, peak, bandwidth)
    assert found.seconds == pytest.approx(float(seconds), rel=1e-15)
    assert found.attainable_flop_per_s == pytest.approx(float(flop / seconds), rel=1e-15)
    assert attainable(peak, bandwidth, flop / bytes_moved) == pytest.approx(float(flop / seconds), rel=1e-15)


@pytest.mark.parametrize("points", [2, 3, 50])
def test_the_roof_to_draw_has_its_ends_and_its_ridge(points):
    drawn = roof(20e12, 500e9, 0.1, 1000, points)
    xs = [x for x, _ in drawn]
    assert (xs[0], xs[-1]) == (0.1, 1000)
    assert xs == sorted(xs)
    assert len(xs) == points + 1
    assert (40.0, 20e12) in drawn
    assert all(y == min(20e12, x * 500e9) for x, y in drawn)
    assert roof(20e12, 500e9, 1, 10, points)[-1] == (10.0, 5e12)


@pytest.mark.parametrize("bad", [0, -1, float("nan"), float("inf"), True, "1", None, 1j, 10**400])
def test_refuses_what_is_no_rate(bad):
    for call in (
        lambda: attainable(bad, 1, 1),
        lambda: ridge(bad, 1),
        lambda: place(1, 1, bad, 1),
        lambda: roof(bad, 1, 1, 2),
    ):
        with pytest.raises(ValueError, match=r"peak_flop_per_s is .*; it must be a finite number > 0"):
            call()
    with pytest.raises(ValueError, match="bandwidth_byte_per_s is"):
        ridge(1, bad)
    with pytest.raises(ValueError, match="bytes_moved is"):
        intensity(1, bad)
    if bad != 0:
        with pytest.raises(ValueError, match=r"intensity_flop_per_byte is .*; it must be a finite number ≥ 0"):
            attainable(1, 1, bad)
        with pytest.raises(ValueError, match="flop is"):
            intensity(bad, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 1), "lowest is 0"),
        ((1, float("inf")), "highest is inf"),
        ((2, 2), "lowest is 2; it must be less than highest, 2"),
        ((1, 2, 1), r"points is 1; it must be a whole number in 2\.\.1,000"),
        ((1, 2, 2.0), r"points is 2\.0"),
        ((1, 2, True), "points is True"),
    ],
)
def test_the_roof_to_draw_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        roof(20e12, 500e9, *arguments)
