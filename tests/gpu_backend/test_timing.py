"""What is made of times: medians and percentiles, data sets that exceed the L2, the host's clock without a GPU."""

import pytest

from gpu_backend import machine, timing
from gpu_backend.timing import Times

interpreted = pytest.mark.skipif(machine.has_gpu(), reason="how times are taken without a GPU")


def test_median_and_percentiles_are_those_of_the_samples():
    times = Times((4.0, 1.0, 3.0, 2.0, 100.0), launches=8, wall_us=30.0, sm_mhz=1980)
    assert times.median == 3
    assert (times.at(0.2), times.at(0.8)) == (pytest.approx(1.8), pytest.approx(23.2))
    assert times.row() == {
        "us": 3.0, "us_p20": pytest.approx(1.8), "us_p80": pytest.approx(23.2), "count": 5, "launches": 8,
        "wall_us": 30.0, "sm_mhz": 1980,
    }  # fmt: skip
    assert "copy_us_p20" in times.row("copy_us")


@pytest.mark.parametrize(("set_mib", "sets"), [(1, 180), (60, 3), (72, 3), (128, 2), (180, 1), (1000, 1)])
def test_sets_are_three_times_the_l2(monkeypatch, set_mib, sets):
    monkeypatch.setattr(machine, "l2_bytes", lambda: 60 << 20)
    assert timing.sets_for_cold_l2(set_mib << 20) == sets


def test_without_an_l2_one_set_will_do(monkeypatch):
    monkeypatch.setattr(machine, "l2_bytes", lambda: None)
    assert timing.sets_for_cold_l2(1) == 1


@interpreted
def test_every_set_is_warmed_and_launches_take_turns():
    seen = []
    times = timing.time(seen.append, sets=3, samples=4)
    assert seen == [0, 1, 2, 0, 1, 2, 0]
    assert len(times.us) == 4
    assert times.launches == 1
    assert times.sm_mhz is None
    assert min(times.us) > 0
    assert timing.kernels_of(seen.append) == []
