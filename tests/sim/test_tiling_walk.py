"""Moves of a tiled product against NumPy's partial products and the counts of the product they subdivide."""

import doctest

import numpy as np
import pytest

import sim.tiling_walk
from sim.tiling_walk import example, walk

CASES = [(n, tile) for n in range(1, 7) for tile in range(1, n + 1)]


def test_docstring_examples_hold():
    result = doctest.testmod(sim.tiling_walk)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize(("n", "tile"), CASES)
def test_one_load_a_tile_pair_and_one_product_a_k(n, tile):
    sides = -(-n // tile)
    moves = walk(*example(n), tile).moves
    assert sum(move.kind == "load" for move in moves) == sides**3
    assert sum(move.kind == "multiply" for move in moves) == sides**2 * n
    assert all((move.k is None) == (move.kind == "load") for move in moves)
    assert (moves[-1].loads, moves[-1].multiplications) == (2 * n * n * sides, n**3)


@pytest.mark.parametrize(("n", "tile"), CASES)
def test_the_matrices_after_each_move(n, tile):
    """After a block's product at k, its outputs hold A[:, : k + 1] · B[: k + 1, :] there, by NumPy."""
    made = walk(*example(n), tile)
    a, b = map(np.array, (made.a, made.b))
    done = np.zeros((n, n), dtype=int)
    for count, move in enumerate(made.moves, 1):
        (row, column), k = made.trace.steps[move.step].block, move.k
        rows, columns = slice(row * tile, (row + 1) * tile), slice(column * tile, (column + 1) * tile)
        if k is not None:
            done[rows, columns] = k + 1
            assert set(made.outputs(move)) == {(i, j) for i in range(n)[rows] for j in range(n)[columns]}
        shot = made.after(count)
        assert np.array_equal(shot.terms, done)
        for i in range(n):
            for j in range(n):
                seen = done[i, j]
                assert shot.sums[i][j] == a[i, :seen] @ b[:seen, j]
                assert shot.before[i][j] == a[i, : max(seen - 1, 0)] @ b[: max(seen - 1, 0), j]
        assert np.sum(shot.a_loads) + np.sum(shot.b_loads) == move.loads
        assert done.sum() == move.multiplications
    assert made.after(len(made.moves)).sums == made.trace.product
    assert {count for row in shot.a_loads + shot.b_loads for count in row} == {-(-n // tile)}


def test_before_the_first_move_nothing_is_there():
    shot = walk(*example(3), 2).after(0)
    assert shot.a_loads == shot.b_loads == shot.terms == shot.sums == shot.before == ((0, 0, 0),) * 3


def test_the_example_counts_to_nine_over_and_over():
    assert example(3) == (((1, 2, 3), (4, 5, 6), (7, 8, 9)),) * 2
    a, b = example(4)
    assert (a[2], a[3], b[0]) == ((9, 1, 2, 3), (4, 5, 6, 7), (8, 9, 1, 2))


@pytest.mark.parametrize("count", [-1, 17, 1.0, True])
def test_refuses_a_move_that_is_not_there(count):
    with pytest.raises(ValueError, match=f"count is {count}; it must be a whole number from 0 to 16"):
        walk(*example(2), 1).after(count)


@pytest.mark.parametrize("n", [0, 17, 2.0])
def test_refuses_an_example_of_no_such_size(n):
    with pytest.raises(ValueError, match=f"n is {n}; it must be a whole number from 1 to 16"):
        example(n)
