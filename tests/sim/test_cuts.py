import doctest
from itertools import pairwise

import pytest

import sim.cuts
from sim.cuts import cut
from sim.tiles import traffic

MIB = 1 << 20
FFN = (1024, 12288, 4096)


def test_docstring_examples_hold():
    result = doctest.testmod(sim.cuts)
    assert result.attempted
    assert not result.failed


def parts_of(size, parts):
    """Where each part of a side begins and ends: as even as whole numbers allow."""
    edges = [size * part // parts for part in range(parts + 1)]
    return list(pairwise(edges))


@pytest.mark.parametrize("axis", ["M", "N", "K"])
@pytest.mark.parametrize("parts", [1, 2, 3, 5])
def test_every_part_reads_what_its_terms_need(axis, parts):
    sizes = {"M": 7, "N": 5, "K": 6}
    a = b = 0
    places = []
    for start, stop in parts_of(sizes[axis], parts):
        ranges = {name: range(size) for name, size in sizes.items()} | {axis: range(start, stop)}
        terms = [(i, j, p) for i in ranges["M"] for j in ranges["N"] for p in ranges["K"]]
        a += len({(i, p) for i, _, p in terms})
        b += len({(p, j) for _, j, p in terms})
        places += {(i, j) for i, j, _ in terms}
    got = cut(*sizes.values(), axis, parts)
    assert (got.a_bytes, got.b_bytes) == (2 * a, 2 * b)
    assert got.partial_sums == (len(places) > len(set(places)))
    assert got.adds == len(places) - len(set(places))
    assert got.c_bytes == len(places) * (4 if got.partial_sums else 2)


def test_cutting_m_or_n_into_tiles_is_what_tiles_read():
    tiles = traffic(*FFN, 64, 12288, 32)
    assert cut(*FFN, "M", 16).b_bytes == tiles.b_bytes
    tiles = traffic(*FFN, 1024, 64, 32)
    assert cut(*FFN, "N", 192).a_bytes == tiles.a_bytes


def test_elements_of_one_byte():
    assert cut(8, 4, 2, "K", 2, 1, 1) == cut(8, 4, 2, "K", 2, element_bytes=1, accumulator_bytes=1)
    assert cut(8, 4, 2, "K", 2, 1, 1).c_bytes == 2 * 8 * 4


def test_four_gpus_and_the_running_example():
    by_n, by_k = cut(*FFN, "N", 4), cut(*FFN, "K", 4)
    assert [by_n.a_bytes // MIB, by_n.b_bytes // MIB, by_n.c_bytes // MIB] == [32, 96, 24]
    # four partial sums of 1024 × 12288 in FP32
    assert [by_k.a_bytes // MIB, by_k.b_bytes // MIB, by_k.c_bytes // MIB] == [8, 96, 192]
    assert by_k.adds == 3 * 1024 * 12288


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((8, 8, 8, "k", 2), "axis is 'k'; it must be one of M, N, K"),
        ((8, 8, 8, "K", 0), "parts is 0; it must be a whole number from 1 to 8"),
        ((8, 8, 4, "K", 5), "parts is 5; it must be a whole number from 1 to 4"),
        ((8, 8, 8, "M", True), "parts is True"),
        ((8, 8.0, 8, "M", 2), "N is 8.0; it must be a whole number from 1 to"),
        ((8, 8, 8, "M", 2, 0), "element_bytes is 0"),
        ((8, 8, 8, "M", 2, 2, 17), "accumulator_bytes is 17"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        cut(*arguments)
