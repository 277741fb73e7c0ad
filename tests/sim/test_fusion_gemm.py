import doctest
from math import nan

import pytest

import sim.fusion_gemm
from sim.fusion import execute
from sim.fusion_gemm import compare
from sim.fusion_program import Operator, Program, Read, Tensor

MIB = 1 << 20


def test_docstring_examples_hold():
    result = doctest.testmod(sim.fusion_gemm)
    assert result.attempted
    assert not result.failed


def test_figure_9_2():
    both = compare()
    assert (both.column_tiles, both.row_tiles) == (12, 32)
    apart, fused = both.apart, both.fused
    assert [size // MIB for size in (apart.a_read, apart.q_written, apart.q_read)] == [32, 16, 12 * 16]
    assert [size // MIB for size in (fused.a_read, fused.q_written, fused.q_read)] == [32 + 12 * 32, 0, 0]
    assert [way.common_bytes // MIB for way in (apart, fused)] == [204, 204]
    assert [size // MIB for size in (apart.w_read, apart.c_written)] == [32 * 6, 12]
    assert [way.total_bytes // MIB for way in (apart, fused)] == [444, 620]
    assert f"{fused.total_bytes / apart.total_bytes - 1:.0%}" == "40%"


def as_program(m, k, n, tile_m, tile_n, scale_given):
    """The same as a chain of operators: the largest of each row, quantize, product; the scales weigh nothing."""
    columns, rows = -(-n // tile_n), -(-m // tile_m)
    sizes = {"A": 2 * m * k, "scale": 0, "Q": m * k, "W": k * n, "C": 2 * m * n}
    tensors = tuple(Tensor(name, size) for name, size in sizes.items())
    largest = Operator("largest", (Read("A"),), "scale")
    quantize = Operator("quantize", (Read("A"), Read("scale")), "Q")
    product = Operator("product", (Read("Q", columns), Read("W", rows)), "C")
    operators = (quantize, product) if scale_given else (largest, quantize, product)
    return Program(tensors, operators)


@pytest.mark.parametrize("scale_given", [False, True])
@pytest.mark.parametrize("shape", [(4096, 4096, 1536, 128, 128), (100, 64, 130, 32, 64), (1, 7, 1, 128, 128)])
def test_against_the_chain_of_operators(shape, scale_given):
    chain = as_program(*shape, scale_given)
    m, k, n, tile_m, tile_n = shape
    both = compare(m, k, n, tile_m=tile_m, tile_n=tile_n, scale_given=scale_given)
    apart, fused = ([1, 1], [2]) if scale_given else ([2, 1], [1, 2])  # the row is kept while its scale is found
    assert execute(chain, apart).traffic_bytes == both.apart.total_bytes
    assert execute(chain, fused).traffic_bytes == both.fused.total_bytes


def by_tiles(m, k, n, tile_m, tile_n):
    """Bytes of Q, A and W that a product reads, walking its tiles."""
    q = a = w = 0
    for top in range(0, m, tile_m):
        for left in range(0, n, tile_n):
            q += min(tile_m, m - top) * k
            a += min(tile_m, m - top) * k * 2
            w += k * min(tile_n, n - left)
    return q, a, w


@pytest.mark.parametrize("shape", [(4096, 4096, 1536, 128, 128), (1000, 48, 300, 64, 128), (5, 3, 7, 2, 2)])
def test_against_walking_the_tiles(shape):
    m, k, n, tile_m, tile_n = shape
    both = compare(m, k, n, tile_m=tile_m, tile_n=tile_n)
    q, a, w = by_tiles(*shape)
    assert (both.apart.q_read, both.fused.a_read - 2 * m * k) == (q, a)
    assert both.apart.w_read == both.fused.w_read == w


def test_when_fusing_reads_no_more():
    # apart a + q + c·q, fused a + c·a, a = 2q: equal for one column of tiles, more from two on
    assert compare(n=128).fused.total_bytes == compare(n=128).apart.total_bytes
    assert compare(n=129).fused.total_bytes > compare(n=129).apart.total_bytes
    # with the scale given, fused c·a: fewer bytes up to two columns, equal at three
    signs = [
        (way.fused.total_bytes > way.apart.total_bytes) - (way.fused.total_bytes < way.apart.total_bytes)
        for way in (compare(n=128 * columns, scale_given=True) for columns in (1, 2, 3, 4))
    ]
    assert signs == [-1, -1, 0, 1]


@pytest.mark.parametrize("bad", [0, -1, 2**20 + 1, 1.0, True, nan, None])
@pytest.mark.parametrize("name", ["m", "k", "n", "tile_m", "tile_n", "a_element_bytes", "c_element_bytes"])
def test_sizes_that_are_refused(name, bad):
    with pytest.raises(ValueError, match=rf"^{name} is .*; it must be a whole number from 1 to \d+$"):
        compare(**{name: bad})
