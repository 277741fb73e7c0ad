"""Kernels against float64 references, at sizes that do not divide, in Triton's interpreter or on a GPU.

Half precision is FP16 in the interpreter: its BF16 truncates where hardware rounds, and cannot multiply matrices.
"""

import ast
import inspect
from pathlib import Path

import pytest
import torch

from gpu_backend import kernels, machine
from gpu_backend.checking import poison, verify
from gpu_backend.kernels import (
    ffn,
    flash_attention,
    fma_sweep,
    matmul,
    persistent_silu,
    rms_norm,
    silu_mul,
    softmax,
    strided_copy,
    sum_squares,
    transpose,
    vector_add,
)
from sim.sum_order import split_sum, squares

HERE, HALF = machine.device(), machine.half()
CUDA_C = {"bank_cycles", "divergent_paths", "loads_in_flight", "padded_transpose", "staged_pipeline"}


@pytest.mark.parametrize("n", [1, 2048, 4000])
def test_add_and_copy(n):
    x, y = vector_add.make_input(3, n, HERE)
    assert verify(vector_add.run(x, y, poison(torch.empty_like(x))), vector_add.reference(x, y)) < 1e-7
    assert verify(vector_add.copy(x, poison(torch.empty_like(x))), x.double(), limit=0.0) == 0


@pytest.mark.parametrize(("stride", "offset"), [(1, 0), (1, 5), (3, 0), (8, 31), (33, 2)])
def test_gather(stride, offset):
    inputs = strided_copy.make_input(4, 1500, stride, offset, HERE)
    out = poison(torch.empty(1500, device=HERE))
    assert verify(strided_copy.run(*inputs, out), strided_copy.reference(*inputs), limit=0.0) == 0


@pytest.mark.parametrize("tile", [8, 16, 32, 64])
def test_transpose(tile):
    (x,) = transpose.make_input(5, 70, 45, HERE)
    out = poison(torch.empty(45, 70, device=HERE))
    assert verify(transpose.run(x, out, tile), transpose.reference(x), limit=0.0) == 0


@pytest.mark.parametrize("fmas", [0, 1, 63, 64, 130])
def test_fused_multiply_adds_are_as_many_as_asked_for(fmas):
    (x,) = fma_sweep.make_input(6, 1100, HERE)
    verify(fma_sweep.run(x, fmas, poison(torch.empty_like(x))), fma_sweep.reference(x, fmas))
    with pytest.raises(ValueError, match="relative error"):
        verify(fma_sweep.run(x, fmas + 1), fma_sweep.reference(x, fmas))


@pytest.mark.parametrize("segments", [1, 2, 8])
def test_rms_norm(segments):
    x, weight = rms_norm.make_input(7, 5, 512, HERE, HALF)
    verify(rms_norm.run(x, weight, poison(torch.empty_like(x)), segments), rms_norm.reference(x, weight))


@pytest.mark.parametrize("way", softmax.WAYS)
@pytest.mark.parametrize("columns", [1, 300, 2500])
def test_softmax(way, columns):
    (x,) = softmax.make_input(8, 3, columns, HERE)
    verify(softmax.run(x, way, poison(torch.empty_like(x))), softmax.reference(x))


@pytest.mark.parametrize("way", ["unfused", "fused"])
def test_silu_mul(way):
    gate, up = silu_mul.make_input(9, 3, 1000, HERE, HALF)
    out = poison(silu_mul.empty_output(gate, way))
    verify(silu_mul.run(gate, up, way, out), silu_mul.reference(gate, up))


@pytest.mark.parametrize("way", ["unfused fp8", "fused fp8"])
def test_quantization_saturates_and_keeps_what_fp8_can_hold(way):
    """SiLU(32) is 32 in half precision, so these products are E4M3 numbers, or above the largest."""
    up = torch.tensor([0.0, 1 / 64, -3 / 64, 0.125, 0.21875, 0.25, -0.5], device=HERE).to(HALF)
    gate = torch.full_like(up, 32.0)
    out = silu_mul.run(gate, up, way, poison(silu_mul.empty_output(gate, way)))
    assert out.float().tolist() == [0, 32, -96, 256, 448, 448, -448]
    assert silu_mul.reference_fp8(gate, up).tolist() == pytest.approx(out.float().tolist())


@pytest.mark.parametrize("way", ["unfused fp8", "fused fp8"])
def test_quantization_rounds_as_a_cast_does(way):
    """In every binade, below the smallest normal number, at ties, and up to the next power of two."""
    steps = torch.cat([torch.linspace(-1, 1, 2001) * 2.0**e for e in (-17, -15, -9, -3, 0)]).to(HALF)
    up = torch.cat([steps, torch.tensor([0.0, 1.9921875 / 32, 1.0625 / 32, 1.1875 / 32]).to(HALF)]).to(HERE)
    gate = torch.full_like(up, 32.0)
    out = silu_mul.run(gate, up, way, poison(silu_mul.empty_output(gate, way)))
    right = ((up * 32).float() / silu_mul.SCALE).clamp(-silu_mul.MAX_E4M3, silu_mul.MAX_E4M3).to(torch.float8_e4m3fn)
    assert torch.equal(out.float(), right.float())


@pytest.mark.parametrize("way", ["unfused fp8", "fused fp8"])
@pytest.mark.parametrize(("rows", "width"), [(1, 8), (1, 64), (4, 16), (3, 1000)])
def test_quantized_values_are_right_whatever_the_seed_and_the_size(way, rows, width):
    for seed in range(25):
        gate, up = silu_mul.make_input(seed, rows, width, HERE, HALF)
        out = silu_mul.run(gate, up, way, poison(silu_mul.empty_output(gate, way)))
        verify(out, silu_mul.reference_fp8(gate, up))


@pytest.mark.parametrize("tma", [True, False])
@pytest.mark.parametrize("silu", [True, False])
def test_matmul(tma, silu):
    a, w = matmul.make_input(10, 70, 72, 48, HERE, HALF)
    out = poison(torch.empty(70, 72, device=HERE, dtype=HALF))
    config = matmul.Config(32, 32, 16, 4, 2, tma)
    verify(matmul.run(a, w, out, config, silu), matmul.reference(a, w, silu))


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(("queries", "keys"), [(32, 32), (64, 16)])
def test_flash_attention(causal, queries, keys):
    q, k, v = flash_attention.make_input(11, 2, 128, 16, HERE, HALF)
    config = flash_attention.Config(queries, keys, 4, 2)
    out = flash_attention.run(q, k, v, poison(torch.empty_like(q)), causal, config)
    verify(out, flash_attention.reference(q, k, v, causal))
    with pytest.raises(ValueError, match="relative error"):
        verify(out, flash_attention.reference(q, k, v, not causal))


def test_the_reference_of_attention_is_the_frameworks():
    q, k, v = (x.double() for x in flash_attention.make_input(12, 2, 64, 16, HERE, HALF))
    theirs = torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]
    assert torch.allclose(flash_attention.reference(q, k, v), theirs, atol=1e-12)


@pytest.mark.parametrize("segments", [1, 4, 32])
def test_sums_in_order_are_the_simulators_bit_by_bit(segments):
    (x,) = sum_squares.make_input(34, 256, HERE)
    model = split_sum(squares(x.float().cpu().numpy()), segments)
    assert float(sum_squares.run(x, segments)) == model.total
    verify(sum_squares.run(x, segments, atomic=True), sum_squares.reference(x))


@pytest.mark.parametrize("movers", [1, 3])
def test_persistent_kernel_and_its_counters(movers):
    x, w = persistent_silu.make_input(13, 3, 128, 192, HERE, HALF)
    up, out = (poison(torch.empty(192, 192, device=HERE, dtype=HALF)) for _ in range(2))
    flags = persistent_silu.counters(3, HERE)
    for _ in range(2):  # the second launch finds the counters at zero again
        verify(persistent_silu.run(x, w, up, poison(out), flags, movers, 5), persistent_silu.reference(x, w))
    assert flags.tolist() == [0, 0, 0, 0]
    persistent_silu.project(x, w, poison(up), 4)
    persistent_silu.activate(up, poison(out), 2)
    verify(out, persistent_silu.reference(x, w))


@pytest.mark.parametrize("fused", [True, False])
def test_ffn(fused):
    x, weights = ffn.make_input(14, 16, 64, 128, HERE, HALF)
    out = poison(torch.empty_like(x))
    verify(ffn.run(x, weights, out, fused), ffn.reference(x, weights), limit=1e-2)
    assert len(ffn.steps(x, weights, out, fused)) == (5 if fused else 6)


def test_traffic_is_what_the_book_counts():
    """SiLU·mul of the running example: 120 MiB in two kernels, 72 in one; quantized 156 and 60."""
    mib = [silu_mul.bytes_moved(1024, 12288, way) >> 20 for way in silu_mul.WAYS]
    assert mib == [120, 72, 156, 60]
    assert matmul.bytes_moved(1024, 12288, 4096) >> 20 == 128
    assert matmul.flops(1024, 12288, 4096) == 103_079_215_104
    assert flash_attention.bytes_moved(1, 8192, 128) >> 20 == 8
    assert strided_copy.bytes_moved(64, 1) == 64 * 8
    assert strided_copy.bytes_moved(64, 8) == 64 * 36
    assert strided_copy.bytes_moved(8, 1, 4) == 64 + 32


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: vector_add.make_input(1, 0), "n is 0"),
        (lambda: strided_copy.make_input(1, 8, 65), "stride is 65"),
        (lambda: transpose.run(torch.zeros(4, 4), tile=256), "tile is 256"),
        (lambda: fma_sweep.run(torch.zeros(4), 5000), "fmas is 5000"),
        (lambda: rms_norm.run(torch.zeros(1, 48), torch.zeros(48), segments=5), "segments is 5"),
        (lambda: softmax.run(torch.zeros(1, 40_000), "one block"), "columns is 40000"),
        (lambda: softmax.run(torch.zeros(1, 4), "two passes"), "way is 'two passes'"),
        (lambda: silu_mul.run(torch.zeros(4), torch.zeros(4), "all"), "way is 'all'"),
        (lambda: matmul.run(torch.zeros(4, 6), torch.zeros(6, 8)), "TMA needs multiples of 8"),
        (lambda: flash_attention.run(*[torch.zeros(1, 100, 16)] * 3), "each must be a multiple of the next"),
        (lambda: sum_squares.run(torch.zeros(10), 3), "segments is 3"),
        (lambda: persistent_silu.make_input(1, k=100), "k, n are 100"),
        (lambda: persistent_silu.run(*[torch.zeros(64, 64)] * 4, torch.zeros(2), 5, 5), "movers is 5"),
        (lambda: kernels.load("vector_ad"), "no kernel 'vector_ad'; there are"),
    ],
)
def test_what_is_out_of_bounds_is_refused_with_its_value(call, says):
    with pytest.raises(ValueError, match=says):
        call()


@pytest.mark.parametrize("name", kernels.names())
def test_a_module_keeps_the_contract(name):
    module = kernels.load(name)
    assert "Traffic" in module.__doc__
    assert "Source:" in module.__doc__
    for offered in ("BOUNDS", "make_input", "reference", "run", "bytes_moved", "flops"):
        assert hasattr(module, offered), offered
    folder = Path(inspect.getfile(module)).parent
    if name in CUDA_C:
        assert (folder / f"{name}.cu").is_file()
        return
    tree = ast.parse((folder / f"{name}.py").read_text("utf-8"))
    last = tree.body[-1]
    if name != "ffn":  # made of the others' kernels
        assert isinstance(last, ast.FunctionDef)
        assert ast.unparse(last.decorator_list[0]).startswith("triton.jit")
    seeds = [
        make.args.args[0].arg for make in tree.body if isinstance(make, ast.FunctionDef) and make.name == "make_input"
    ]
    assert seeds == ["seed"]
