import pytest

hypothesis = pytest.importorskip("hypothesis")

from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from sim.cuts import cut  # noqa: E402
from sim.tiles import ledger, resident_blocks, traffic  # noqa: E402

side = st.integers(1, 5000)
sizes = st.tuples(side, side, side)
tiles = st.tuples(*[st.integers(1, 256)] * 3)


@given(sizes, tiles)
def test_no_tile_moves_less_than_each_matrix_once(shape, tile):
    M, N, K = shape
    got = traffic(*shape, *tile)
    assert got.total_bytes >= 2 * (M * K + K * N + M * N)
    assert got.flops == 2 * M * N * K
    assert traffic(*shape, M, N, tile[2]).total_bytes == 2 * (M * K + K * N + M * N)


@given(sizes, tiles)
def test_a_larger_tile_never_moves_more_and_never_stores_less(shape, tile):
    m, n, k = tile
    got = traffic(*shape, m, n, k)
    for larger in ((m + 1, n, k), (m, n + 1, k), (2 * m, 2 * n, k)):
        other = traffic(*shape, *larger)
        assert other.total_bytes <= got.total_bytes
        assert other.storage_bytes > got.storage_bytes


@given(sizes, tiles)
def test_turning_the_product_over_swaps_a_and_b(shape, tile):
    (M, N, K), (m, n, k) = shape, tile
    one, other = traffic(M, N, K, m, n, k), traffic(N, M, K, n, m, k)
    assert (one.a_bytes, one.b_bytes, one.c_bytes) == (other.b_bytes, other.a_bytes, other.c_bytes)
    assert one.storage_bytes == other.storage_bytes


@given(tiles, st.integers(1, 8), st.integers(1, 64), st.integers(0, 10**6))
def test_a_ledger_fits_up_to_its_own_bytes(tile, element_bytes, stages, limit):
    step = ledger(*tile, element_bytes, stages, limit)
    assert step.fits == (step.shared_bytes <= limit)
    assert ledger(*tile, element_bytes, stages, step.shared_bytes).fits
    # intensity is 2/s over the two sides' harmonic sum, whatever k
    m, n, _ = tile
    assert step.intensity == pytest.approx(2 / element_bytes / (1 / m + 1 / n))


@given(st.sampled_from(["7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0"]), st.integers(1, 250_000))
def test_more_shared_memory_never_gives_more_blocks(capability, shared_bytes):
    assert resident_blocks(capability, shared_bytes + 1) <= resident_blocks(capability, shared_bytes)


@given(sizes, st.sampled_from("MNK"), st.data())
def test_a_cut_in_one_part_is_the_product_itself(shape, axis, data):
    M, N, K = shape
    whole = cut(*shape, axis, 1)
    assert (whole.a_bytes, whole.b_bytes, whole.c_bytes) == (2 * M * K, 2 * K * N, 2 * M * N)
    assert not whole.partial_sums
    parts = data.draw(st.integers(1, dict(zip("MNK", shape, strict=True))[axis]))
    more = cut(*shape, axis, parts)
    assert more.a_bytes + more.b_bytes + more.c_bytes >= whole.a_bytes + whole.b_bytes + whole.c_bytes
