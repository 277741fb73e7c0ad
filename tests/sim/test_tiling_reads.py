"""Loads of a tiled product against worked values, NumPy's product and a count of who needs what."""

import doctest
from collections import Counter

import numpy as np
import pytest

import sim.tiling_reads
from sim.tiling_reads import loads, simulate


def matrices(n, seed=0):
    rng = np.random.default_rng(seed)
    return [[[int(x) for x in row] for row in rng.integers(-9, 10, (n, n))] for _ in range(2)]


CASES = [(n, tile) for n in range(1, 9) for tile in range(1, n + 1)]


def test_docstring_examples_hold():
    result = doctest.testmod(sim.tiling_reads)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize(
    ("n", "tile", "expected"), [(2, 1, 16), (2, 2, 8), (4, 1, 128), (4, 2, 64), (4, 4, 32), (16, 4, 2048)]
)
def test_worked_values(n, tile, expected):
    trace = simulate(*matrices(n), tile)
    assert trace.loads == expected == loads(n, tile) == 2 * n**3 // tile
    assert trace.multiplications == n**3


def test_the_small_case_number_by_number():
    # C[0][0] of [[1, 2], [3, 4]]·[[5, 6], [7, 8]] is 1·5 = 5 after the first step, 5 + 2·7 = 19 after the second.
    trace = simulate([[1, 2], [3, 4]], [[5, 6], [7, 8]], 1)
    assert [(s.block, s.inner, s.a_loads, s.b_loads, s.sums) for s in trace.steps[:3]] == [
        ((0, 0), 0, ((0, 0),), ((0, 0),), ((5,),)),
        ((0, 0), 1, ((0, 1),), ((1, 0),), ((19,),)),
        ((0, 1), 0, ((0, 0),), ((0, 1),), ((6,),)),
    ]
    (whole,) = simulate([[1, 2], [3, 4]], [[5, 6], [7, 8]], 2).steps
    assert whole.a_loads == whole.b_loads == ((0, 0), (0, 1), (1, 0), (1, 1))
    assert whole.sums == ((19, 22), (43, 50))


@pytest.mark.parametrize(("n", "tile"), CASES)
def test_the_product_is_right_whatever_the_tile(n, tile):
    a, b = matrices(n, seed=n)
    trace = simulate(a, b, tile)
    assert np.array_equal(np.array(trace.product), np.array(a) @ np.array(b))
    assert trace.multiplications == n**3


@pytest.mark.parametrize(("n", "tile"), CASES)
def test_each_element_is_loaded_once_for_every_tile_of_c_that_needs_it(n, tile):
    # A second derivation: ask each tile of C which elements its outputs need, with nothing said about steps.
    needs_a, needs_b = Counter(), Counter()
    for outputs in {(i // tile, j // tile): None for i in range(n) for j in range(n)}:
        cells = [(i, j) for i in range(n) for j in range(n) if (i // tile, j // tile) == outputs]
        needs_a.update({(i, k) for i, _ in cells for k in range(n)})
        needs_b.update({(k, j) for _, j in cells for k in range(n)})
    trace = simulate(*matrices(n), tile)
    assert Counter(load for step in trace.steps for load in step.a_loads) == needs_a
    assert Counter(load for step in trace.steps for load in step.b_loads) == needs_b
    assert trace.loads == needs_a.total() + needs_b.total() == loads(n, tile)


def test_tiles_that_do_not_divide_load_no_element_outside():
    # 5 × 5 in tiles of 2: three tile columns and rows, so each of 25 + 25 elements is loaded 3 times.
    assert simulate(*matrices(5), 2).loads == 150
    assert simulate(*matrices(5), 2).multiplications == 125


def test_floating_point_sums_do_not_depend_on_the_tile():
    rng = np.random.default_rng(7)
    a, b = ([[float(x) for x in row] for row in rng.standard_normal((6, 6))] for _ in range(2))
    products = {simulate(a, b, tile).product for tile in (1, 2, 3, 4, 6)}
    assert len(products) == 1


@pytest.mark.parametrize(
    ("a", "b", "tile", "message"),
    [
        ([], [], 1, r"a has 0 rows; 1\.\.16 are allowed"),
        ([[0] * 17] * 17, [[0] * 17] * 17, 1, "a has 17 rows"),
        ([[1, 2]], [[1]], 1, "row 0 of a has 2 numbers; both matrices must be 1 × 1"),
        ([[1]], [[1], [2]], 1, "b has 2 rows; both matrices must be 1 × 1"),
        ([[1, 2], [3, 4]], [[1, 2], [3]], 1, "row 1 of b has 1 numbers"),
        ([[1]], [[float("nan")]], 1, r"b\[0\]\[0\] is nan; it must be a number within ±1e\+100"),
        ([[float("inf")]], [[1]], 1, r"a\[0\]\[0\] is inf"),
        ([[10**400]], [[1]], 1, r"a\[0\]\[0\] is 1000"),
        ([[True]], [[1]], 1, r"a\[0\]\[0\] is True"),
        ([["1"]], [[1]], 1, r"a\[0\]\[0\] is '1'"),
        ([[1]], [[1]], 0, "tile is 0; it must be a whole number from 1 to 1"),
        ([[1]], [[1]], 2, "tile is 2"),
        ([[1]], [[1]], 1.0, r"tile is 1\.0"),
        ([[1]], [[1]], True, "tile is True"),
    ],
)
def test_refuses(a, b, tile, message):
    with pytest.raises(ValueError, match=message):
        simulate(a, b, tile)


@pytest.mark.parametrize(
    ("n", "tile", "message"),
    [(0, 1, "n is 0; it must be a whole number ≥ 1"), (True, 1, "n is True"), (4, 5, "tile is 5"), (4, 0, "tile is 0")],
)
def test_the_closed_form_refuses(n, tile, message):
    with pytest.raises(ValueError, match=message):
        loads(n, tile)
