import doctest
from random import Random

import pytest

import sim.flash_measured
from sim.attention_memory import attention_memory
from sim.flash_measured import compare, reading, work
from sim.gpus import gpu

MIB = 1 << 20
# Reported for one RTX PRO 6000, L = 8192, d = 128, causal
MATH, FLASH = (2.6e-3, 848 * MIB), (80e-6, 22 * MIB)


def test_docstring_examples_hold():
    result = doctest.testmod(sim.flash_measured)
    assert result.attempted
    assert not result.failed


def visible(length, mask, window):
    return sum(
        1
        for query in range(length)
        for key in range(length)
        if mask == "none" or (key <= query and (mask == "causal" or query - key < window))
    )


def test_pairs_counted_one_by_one():
    random = Random(2)
    for _ in range(60):
        length = random.randint(1, 25)
        mask = random.choice(["none", "causal", "window"])
        window = random.randint(1, length) if mask == "window" else None
        got = work(length, 16, 3, mask, window)
        assert got.pairs == visible(length, mask, window)
        # a multiply and an add for each of d terms of the score, and for each of d columns of the value
        assert got.flops == 3 * got.pairs * (2 * 16 + 2 * 16)
        assert got.all_flops == 3 * length * length * 64


def test_masks_at_their_ends_are_each_other():
    assert work(50, 8, mask="window", window=50).pairs == work(50, 8, mask="causal").pairs
    assert work(50, 8, mask="window", window=1).pairs == 50
    assert work(1, 8, mask="causal") == work(1, 8)


def test_what_follows_from_the_reported_readings():
    causal = work(8192, 128, mask="causal")
    assert causal.flops == 4 * 128 * 8192 * 8193 // 2
    both = compare(reading(causal, *MATH), reading(causal, *FLASH))
    assert f"{both.speedup:.1f}" == "32.5"
    assert both.saved_bytes == 826 * MIB
    assert f"{both.memory_ratio:.1f}" == "38.5"
    # 848 MiB hold three matrices of 256 MiB and 80 MiB; 22 MiB are less than a tenth of one
    assert causal.score_bytes == 256 * MIB
    assert both.slow.score_matrices == 3.3125
    assert both.fast.extra_bytes < causal.score_bytes / 10
    assert causal.output_bytes == 2 * MIB
    assert (both.slow.outputs, both.fast.outputs) == (424, 11)


def test_speed_counts_the_visible_pairs():
    causal = work(8192, 128, mask="causal")
    math, flash = reading(causal, *MATH), reading(causal, *FLASH)
    assert f"{math.flop_per_s / 1e12:.1f} {flash.flop_per_s / 1e12:.0f}" == "6.6 215"
    peak = gpu("rtxpro6000").peak("bf16").value * 1e12
    assert f"{flash.share(peak):.0%}" == "43%"
    assert f"{math.share(peak):.1%}" == "1.3%"
    # counted without the mask both would look twice as fast
    assert reading(work(8192, 128), *FLASH).flop_per_s / flash.flop_per_s == pytest.approx(2, rel=2e-4)


def test_scores_written_and_read_alone_would_take_a_quarter_of_the_time():
    moved = attention_memory(8192, 128).moved_score_bytes
    assert f"{moved / 1792e9 * 1e3:.1f}" == "0.6"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"length": 0}, "length is 0; it must be a whole number from 1 to 16777216"),
        ({"head_dim": 128.0}, "head_dim is 128.0"),
        ({"heads": 1025}, "heads is 1025"),
        ({"mask": "prefix"}, "mask is 'prefix'; it must be one of none, causal, window"),
        ({"mask": "window"}, "window is None; the mask 'window' needs a whole number from 1 to 64"),
        ({"mask": "window", "window": 65}, "window is 65; it must be a whole number from 1 to 64"),
        ({"mask": "causal", "window": 8}, "window is 8; the mask 'causal' has none, so leave it out"),
    ],
)
def test_work_of_another_kind_is_refused(changed, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        work(**({"length": 64, "head_dim": 16} | changed))


def test_readings_of_another_kind_are_refused():
    causal = work(64, 16, mask="causal")
    for bad in (0, -1.0, float("nan"), True):
        with pytest.raises(ValueError, match=r"^time_s is .*; it must be a number of s greater than 0"):
            reading(causal, bad, 1)
        with pytest.raises(ValueError, match=r"^extra_bytes is .*; it must be a number of B greater than 0"):
            reading(causal, 1, bad)
        with pytest.raises(ValueError, match=r"^peak_flop_per_s is .*; it must be a number of FLOP/s"):
            reading(causal, 1, 1).share(bad)
    with pytest.raises(ValueError, match=r"^the two readings are of different work"):
        compare(reading(causal, 1, 1), reading(work(64, 16), 1, 1))
