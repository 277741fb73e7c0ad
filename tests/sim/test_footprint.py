import doctest
from itertools import product
from random import Random

import pytest

import sim.footprint
from sim.footprint import footprint, region

MATMUL = "C[i, j] += A[i, k] * W[k, j]"


def test_docstring_examples_hold():
    result = doctest.testmod(sim.footprint)
    assert result.attempted
    assert not result.failed


def test_a_tile_of_64_by_64_by_32():
    c, a, w = footprint(MATMUL, {"i": 64, "j": 64, "k": 32})
    assert a.extents == (64, 32)
    assert w.extents == (32, 64)
    assert c.extents == (64, 64)
    assert (a.touched, w.touched, c.touched) == (2048, 2048, 4096)
    assert a.touched == a.box
    # each element of A is used by the 64 columns, of W by the 64 rows, of C by the 32 steps
    assert (a.uses, w.uses, c.uses) == (64, 64, 32)


def test_where_the_tile_begins_moves_the_region_and_nothing_else():
    at_zero = footprint(MATMUL, {"i": 64, "j": 64, "k": 32})
    moved = footprint(MATMUL, {"i": 64, "j": 64, "k": 32}, {"i": 128, "j": 640, "k": 96})
    assert [need.first for need in moved] == [(128, 640), (128, 96), (96, 640)]
    assert [need.extents for need in moved] == [need.extents for need in at_zero]
    assert [need.touched for need in moved] == [need.touched for need in at_zero]


def test_a_stride_leaves_holes_and_a_window_overlaps():
    rows = region("X[2*i, k]", {"i": 64, "k": 32})
    assert (rows.extents, rows.box, rows.touched) == ((127, 32), 4064, 2048)
    window = region("X[i + k]", {"i": 64, "k": 3})
    assert (window.extents, window.touched) == ((66,), 66)
    assert window.uses == 64 * 3 / 66
    apart = region("X[4*i + k]", {"i": 4, "k": 2})
    assert (apart.box, apart.touched) == (14, 8)
    assert region("X[i - 1, 7 - k]", {"i": 4, "k": 3}).first == (-1, 5)


def test_a_diagonal_is_not_its_box():
    diagonal = region("X[i, i]", {"i": 8, "j": 3})
    assert (diagonal.box, diagonal.touched, diagonal.uses) == (64, 8, 3)
    rotated = region("X[i - j, i + j]", {"i": 3, "j": 3})
    assert (rotated.first, rotated.extents) == ((-2, 0), (5, 5))
    assert rotated.touched == 9
    assert (-2, 0) not in rotated.elements()


def test_an_index_without_a_variable_is_one_element():
    need = region("X[3, k]", {"i": 5, "k": 4})
    assert (need.first, need.extents, need.touched, need.uses) == ((3, 0), (1, 4), 4, 5)
    assert region("X[7]", {"i": 5}).touched == 1


def brute_force(need, tile, origin):
    """Every point of the tile in turn."""
    names = list(tile)
    seen = set()
    for point in product(*(range(origin[name], origin[name] + tile[name]) for name in names)):
        at = dict(zip(names, point, strict=True))
        seen.add(
            tuple(index.constant + sum(step * at[name] for name, step in index.terms) for index in need.access.indices)
        )
    return seen


def random_text(random):
    def index():
        parts = [f"{random.randint(0, 3)}*{name}" for name in "ijk" if random.random() < 0.5]
        return random.choice(["", "-"]) + random.choice(["+", "-"]).join([*parts, str(random.randint(0, 5))])

    return f"X[{', '.join(index() for _ in range(random.randint(1, 3)))}]"


def test_small_tiles_against_brute_force():
    random = Random(9)
    holes = apart = 0
    for _ in range(400):
        tile = {name: random.randint(1, 5) for name in "ijk"}
        origin = {name: random.randint(0, 6) for name in "ijk"}
        need = region(random_text(random), tile, origin)
        seen = brute_force(need, tile, origin)
        for dimension, (first, extent) in enumerate(zip(need.first, need.extents, strict=True)):
            values = [place[dimension] for place in seen]
            assert (first, extent) == (min(values), max(values) - min(values) + 1)
        assert need.touched == len(seen)
        assert need.elements() == tuple(sorted(seen))
        assert need.points == tile["i"] * tile["j"] * tile["k"]
        holes += need.touched < need.box
        apart += len(need.images) > 1
    assert holes > 50
    assert apart > 50


def test_a_large_tile_by_the_rule_for_one_dimension():
    # 1024·i + k fills rows of a 1024-wide array: 1023·1024 + 512 wide, half of it touched
    need = region("X[1024*i + k]", {"i": 1024, "k": 512})
    assert need.touched == 1024 * 512
    assert need.extents == (1023 * 1024 + 512,)
    with pytest.raises(ValueError, match=r"^524288 elements are touched; at most 4096 are listed$"):
        need.elements()
    assert len(region("X[i, k]", {"i": 64, "k": 64}).elements()) == 4_096
    # independent dimensions are counted apart, however large their box
    assert region("X[1000*i, 1000*k]", {"i": 1024, "k": 1024}).touched == 1 << 20


@pytest.mark.parametrize(
    ("tile", "origin", "message"),
    [
        ({}, None, "the tile is empty; give the extent of one loop variable at least"),
        ({"i": 0, "k": 1}, None, "the extent of i is 0; it must be a whole number from 1 to 1024"),
        ({"i": 1025, "k": 1}, None, "the extent of i is 1025"),
        ({"i": True, "k": 1}, None, "the extent of i is True"),
        ({"i": 1, "k": 2.0}, None, "the extent of k is 2.0"),
        ({"i": 1, "k": 1}, {"k": -1}, "the origin of k is -1; it must be a whole number from 0 to 1048576"),
        ({"i": 1, "k": 1}, {"x": 1}, "origin has 'x', which the tile has not; it has i, k"),
        ({"i": 1}, None, '"k" at position 6 is unexpected'),
        ({"i": 1024, "k": 1024}, None, "X[i, k + 1024*i] spans 1073741824 elements; at most 2097152 are counted"),
    ],
)
def test_bad_input_is_refused(tile, origin, message):
    with pytest.raises(ValueError) as refused:  # noqa: PT011  the whole beginning is compared
        region("X[i, k + 1024*i]", tile, origin)
    assert str(refused.value).startswith(message)
