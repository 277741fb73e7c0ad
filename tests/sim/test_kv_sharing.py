import doctest
from random import Random

import pytest

import sim.kv_sharing
from sim.kv_sharing import caches_that_fit, change, count, read_us

REPORTED_MIB = (27.455, 6.953, 12.556, 11.375)  # DeepSeek V4.1 at 8K: resident and read, before and after


def test_docstring_examples_hold():
    result = doctest.testmod(sim.kv_sharing)
    assert result.attempted
    assert not result.failed


def test_what_follows_from_the_reported_totals():
    told = change(*REPORTED_MIB)
    assert f"{told.read_saved_share:.0%}" == "9%"  # reported as −9 %
    assert f"{told.resident_saved_mib:.3f} {told.read_saved_mib:.3f}" == "20.502 1.181"
    assert f"{told.resident_saved_share:.1%}" == "74.7%"
    assert f"{told.fits_times:.2f}" == "3.95"  # almost four times as many caches fit
    assert f"{told.speed_limit:.3f}" == "1.104"  # and a step that only reads gains a tenth


def test_four_copies_for_38_layers():
    apart, shared = count(38, 38, 0.5), count(38, 4, 0.5)
    assert (apart.resident_mib, shared.resident_mib) == (19, 2)
    assert apart.read_mib == shared.read_mib == 19  # every layer reads, whoever owns the copy
    assert shared.read_if_cached_mib == 2


def test_counts_by_walking_through_the_layers():
    rng = Random(38)
    for _ in range(300):
        layers = rng.randint(1, 40)
        copies = rng.randint(1, layers)
        size, other, other_read = rng.randint(0, 9), rng.randint(0, 9), rng.randint(0, 9)
        uses = [layer * copies // layers for layer in range(layers)]
        told = count(layers, copies, size, other, other_read)
        assert told.resident_mib == len(set(uses)) * size + other
        assert told.read_mib == sum(size for _ in uses) + other_read
        assert told.read_if_cached_mib == sum(size for i, copy in enumerate(uses) if copy not in uses[:i]) + other_read
        assert told.read_if_cached_mib <= told.read_mib


def test_time_to_read_and_caches_that_fit():
    before, after = read_us(12.556, 1792e9), read_us(11.375, 1792e9)
    assert before == pytest.approx(12.556 * 1048576 / 1792e3)
    assert f"{before - after:.2f}" == "0.69"
    assert caches_that_fit(100, 27.455) == 3
    assert caches_that_fit(100, 6.953) == 14
    assert caches_that_fit(0.3, 0.1) == 3  # exact tenths


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: count(0, 1, 1), "layers is 0"),
        (lambda: count(38, 39, 1), "copies is 39; it must be a whole number from 1 to 38"),
        (lambda: count(38, True, 1), "copies is True"),
        (lambda: count(38, 4, -1), "copy_mib is -1"),
        (lambda: count(38, 4, 1, float("nan")), "other_mib is nan"),
        (lambda: count(38, 4, 1, 1, True), "other_read_mib is True"),
        (lambda: change(0, 1, 1, 1), "resident_before_mib is 0; it must be a number greater than 0"),
        (lambda: change(1, 1, 1, float("inf")), "read_after_mib is inf"),
        (lambda: read_us(1, 0), "bandwidth_byte_per_s is 0"),
        (lambda: caches_that_fit(-1, 1), "memory_mib is -1"),
        (lambda: caches_that_fit(1, 0), "resident_mib is 0"),
    ],
)
def test_input_out_of_range_is_refused(call, message):
    with pytest.raises(ValueError, match="^" + message):
        call()
