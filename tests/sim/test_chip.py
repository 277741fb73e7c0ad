"""Totals of a chip against the totals that are published."""

import doctest

import pytest

import sim.chip
from sim.chip import products
from sim.gpus import names

# FP32 cores and tensor cores as NVIDIA prints them.
TOTALS = {
    "v100": (5120, 640),
    "t4": (2560, 320),
    "a100": (6912, 432),
    "rtx3090": (10496, 328),
    "l4": (7424, 232),
    "rtx4090": (16384, 512),
    "h100": (16896, 528),
    "h200": (16896, 528),
    "b200": (18944, 592),
    "rtx5090": (21760, 680),
    "rtxpro6000": (24064, 752),
}


def test_docstring_examples_hold():
    result = doctest.testmod(sim.chip)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize("key", names())
def test_totals(key):
    found = {product.what: product for product in products(key)}
    assert (found["fp32_cores"].total, found["tensor_cores"].total) == TOTALS[key]
    assert found["partitions"].total == found["fp32_cores"].factors[0][0] * 4


def test_products_are_shown_as_products():
    by_name = {p.what: [factor for factor, _ in p.factors] for p in products("a100")}
    assert by_name["fp32_cores"] == [108, 64]
    assert by_name["tensor_cores"] == [108, 4, 1]
    assert [f for f, _ in products("v100")[2].factors] == [80, 4, 2]
    assert [f for f, _ in products("h100")[1].factors] == [132, 128]


def test_fp32_peak_and_stores():
    found = {product.what: product.total for product in products("h100")}
    assert round(found["fp32_peak"] / 1e3, 1) == 66.9
    assert found["registers"] == 33 * 2**20
    assert found["shared"] == 132 * 228 * 1024
    assert found["threads"] == 132 * 2048


def test_refuses_an_unknown_gpu():
    with pytest.raises(ValueError, match="there is no GPU 'h800' in the table"):
        products("h800")
