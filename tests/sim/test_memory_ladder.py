"""The ladder: capacities as products, order of latency and bandwidth, and where a tensor goes."""

import doctest

import pytest

import sim.memory_ladder
from sim.gpus import gpu, names
from sim.memory_ladder import ladder, nearest

KIB, MIB, GIB = 2**10, 2**20, 2**30


def test_docstring_examples_hold():
    result = doctest.testmod(sim.memory_ladder)
    assert result.attempted
    assert not result.failed


def test_an_h100():
    registers, shared, l2, memory, host = ladder("h100")
    assert registers.capacity_bytes == 132 * 256 * KIB == 33 * MIB
    assert shared.capacity_bytes == 132 * 228 * KIB
    assert (l2.capacity_bytes, memory.capacity_bytes, host.capacity_bytes) == (50 * MIB, 80 * GIB, None)
    assert (memory.bandwidth_gb_per_s, memory.latency_cycles) == (3350, 700)
    assert memory.latency_ns == pytest.approx(700 / 1.98)
    assert shared.bandwidth_gb_per_s == pytest.approx(132 * 128 * 1.98)
    # A multiply-add of every FP32 core in every clock moves 16 bytes: 8 bytes a FLOP.
    assert registers.bandwidth_gb_per_s == pytest.approx(66.9e3 * 8, rel=1e-3)
    assert f"{host.bandwidth_gb_per_s:.1f}" == "63.0"


@pytest.mark.parametrize("key", names())
def test_nearer_is_sooner_and_faster(key):
    levels = ladder(key)
    assert [level.name for level in levels] == ["registers", "shared", "l2", "memory", "host"]
    cycles = [level.latency_cycles for level in levels if level.latency_cycles is not None]
    rates = [level.bandwidth_gb_per_s for level in levels if level.bandwidth_gb_per_s is not None]
    assert cycles == sorted(cycles)
    assert rates == sorted(rates, reverse=True)
    assert f"{rates[-1]:.1f}" in ("15.8", "31.5", "63.0")


def test_numbers_that_the_table_lacks_are_none_and_not_borrowed():
    by_name = {level.name: level for level in ladder("t4")}
    assert by_name["shared"].bandwidth_gb_per_s is None
    assert [by_name[name].latency_cycles for name in ("registers", "shared", "l2", "memory")] == [None] * 4
    assert ladder("h200")[2].latency_ns is None  # its memory has been timed, its L2 has not


def test_one_sm_alone():
    for key in names():
        whole, part, sms = ladder(key), ladder(key, "sm"), gpu(key).sms
        for i in (0, 1):
            assert whole[i].capacity_bytes == sms * part[i].capacity_bytes
        assert whole[2:] == part[2:]


@pytest.mark.parametrize("key", names())
def test_a_tensor_goes_to_the_first_level_that_holds_it(key):
    levels = ladder(key)
    for level in levels[:-1]:
        edge = level.capacity_bytes
        for size in (0, edge - 1, edge, edge + 1):
            fits = [x for x in levels if x.capacity_bytes is None or x.capacity_bytes >= size]
            assert nearest(key, size) == fits[0]
    assert nearest(key, 0).name == "registers"
    assert nearest(key, 2**60).name == "host"


def test_the_running_example():
    # A of the projection is 8 MiB, W 96 MiB: all registers of an H100 would hold A, only a B200's L2 would hold W.
    assert nearest("h100", 8 * MIB).name == "registers"
    assert nearest("h100", 96 * MIB).name == "memory"
    assert nearest("b200", 96 * MIB).name == "l2"
    assert nearest("h100", 96 * KIB, "sm").name == "registers"
    assert nearest("h100", 257 * KIB, "sm").name == "l2"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: nearest("h100", -1), "tensor_bytes is -1; it must be a whole number from 0 to"),
        (lambda: nearest("h100", 1.0), r"tensor_bytes is 1\.0"),
        (lambda: nearest("h100", True), "tensor_bytes is True"),
        (lambda: nearest("h100", 2**60 + 1), "tensor_bytes is 1152921504606846977"),
        (lambda: ladder("h100", "block"), 'scope is \'block\'; it must be "gpu" or "sm"'),
        (lambda: ladder("x100"), "there is no GPU 'x100' in the table; it has v100"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(ValueError, match=message):
        call()
