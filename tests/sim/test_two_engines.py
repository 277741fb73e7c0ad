"""Two engines: the FP32 and tensor peaks worked by hand, Amdahl, and attention's exponentials."""

import doctest
from math import nan

import pytest

import sim.two_engines
from sim.gpus import gpu, names
from sim.two_engines import attention_exponentials, matrix_product


def test_docstring_examples_hold():
    result = doctest.testmod(sim.two_engines)
    assert result.attempted
    assert not result.failed


def test_the_running_example_on_an_h100():
    projection = matrix_product("h100", 1024, 12288, 4096)
    assert projection.flop == 103_079_215_104
    assert projection.cores_us == pytest.approx(103_079_215_104 / 66.9e12 * 1e6)  # 1,541 µs
    assert projection.tensor_us == pytest.approx(103_079_215_104 / 989.4e12 * 1e6)  # 104 µs
    assert f"{projection.product_speedup:.1f}" == "14.8"
    assert (projection.other_us, projection.limit, projection.other_share_after) == (0.0, None, 0.0)
    assert projection.kernel_speedup == projection.product_speedup


def test_amdahl():
    for share in (0.01, 0.1, 0.5, 0.9):
        kernel = matrix_product("a100", 512, 512, 512, other_share=share)
        assert kernel.other_us / (kernel.cores_us + kernel.other_us) == pytest.approx(share)
        assert kernel.kernel_speedup == pytest.approx(1 / (share + (1 - share) / kernel.product_speedup))
        assert kernel.limit == pytest.approx(1 / share)
        assert 1 < kernel.kernel_speedup < kernel.limit
        assert share < kernel.other_share_after < 1


def test_dense_and_not_sparse():
    for key in names():
        kernel = matrix_product(key, 256, 256, 256, precision="fp16")
        chip = gpu(key)
        assert kernel.product_speedup == pytest.approx(chip.peak("fp16").value / chip.peak("fp32").value)


def test_exponentials_of_attention_take_up_to_half_as_long_as_its_products_on_an_h100():
    head = attention_exponentials("h100", 8192, 8192, 128)
    # 512 times as many FLOP, 256 times as fast.
    assert head.flop == 512 * head.exponentials == 4 * 8192 * 8192 * 128
    assert round(989.4e12 / (132 * 16 * 1.83e9)) == 256
    assert head.ratio == pytest.approx(256 / 512, rel=1e-3)
    assert head.exponentials / head.exponential_us * 1e6 == pytest.approx(3.9e12, rel=0.02)
    assert attention_exponentials("h100", 8192, 8192, 64).ratio == pytest.approx(1.0, rel=1e-3)
    assert attention_exponentials("h100", 100, 7, 256).ratio == pytest.approx(0.25, rel=1e-3)
    # FP8 halves the time of the products and leaves the exponentials; a B200 likewise.
    assert attention_exponentials("h100", 8192, 8192, 128, precision="fp8").ratio == pytest.approx(1.0, rel=1e-3)
    assert attention_exponentials("b200", 8192, 8192, 128).ratio == pytest.approx(1.0, rel=0.02)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: matrix_product("h100", 0, 1, 1), "m is 0; it must be a whole number from 1 to 1048576"),
        (lambda: matrix_product("h100", 1, 2**20 + 1, 1), "n is 1048577"),
        (lambda: matrix_product("h100", 1, 1, 1.0), r"k is 1\.0"),
        (lambda: matrix_product("h100", 1, True, 1), "n is True"),
        (lambda: matrix_product("h100", 1, 1, 1, other_share=1.0), r"other_share is 1\.0; it must be at least 0 and"),
        (lambda: matrix_product("h100", 1, 1, 1, other_share=nan), "other_share is nan"),
        (lambda: matrix_product("h100", 1, 1, 1, other_share="0"), "other_share is '0'"),
        (lambda: matrix_product("h100", 1, 1, 1, precision="fp32"), "precision is 'fp32'; tensor cores are compared"),
        (lambda: matrix_product("v100", 1, 1, 1), "V100 SXM2 has no dense peak for 'bf16'; it has fp32, fp16"),
        (lambda: matrix_product("h800", 1, 1, 1), "there is no GPU 'h800' in the table"),
        (lambda: attention_exponentials("h100", 1, 1, 0), "head_dim is 0"),
        (lambda: attention_exponentials("a100", 1, 1, 1), "no rate of exponentials for A100 SXM4 80GB; it has one for"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(ValueError, match=message):
        call()
