from itertools import product

import pytest

hypothesis = pytest.importorskip("hypothesis")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from sim.footprint import region  # noqa: E402

coefficients = st.tuples(*[st.integers(-4, 4)] * 4)  # of i, j, k and 1
accesses = st.lists(coefficients, min_size=1, max_size=4)
tiles = st.tuples(*[st.integers(1, 4)] * 3)
origins = st.tuples(*[st.integers(0, 9)] * 3)


def written(access):
    """The access as text."""
    return f"X[{', '.join(f'{i}*i + {j}*j + {k}*k + {c}' for i, j, k, c in access)}]"


def named(values):
    return dict(zip("ijk", values, strict=True))


@settings(deadline=None)
@given(accesses, tiles, origins)
def test_the_region_is_the_image_of_the_tile(access, tile, origin):
    need = region(written(access), named(tile), named(origin))
    points = product(*(range(start, start + extent) for start, extent in zip(origin, tile, strict=True)))
    image = {tuple(a * i + b * j + c * k + d for a, b, c, d in access) for i, j, k in points}
    assert need.elements() == tuple(sorted(image))
    assert need.touched == len(image) <= need.box
    assert need.touched * need.uses == pytest.approx(need.points)


@settings(deadline=None)
@given(accesses, tiles, st.permutations(range(3)))
def test_the_order_of_the_loops_does_not_matter(access, tile, order):
    shuffled = {"ijk"[at]: tile[at] for at in order}
    assert region(written(access), shuffled).elements() == region(written(access), named(tile)).elements()


@settings(deadline=None)
@given(accesses, tiles)
def test_a_larger_tile_touches_no_less(access, tile):
    larger = named([extent + 1 for extent in tile])
    assert set(region(written(access), larger).elements()) >= set(region(written(access), named(tile)).elements())
