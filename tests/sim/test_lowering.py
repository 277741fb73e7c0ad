"""Kernels made of operators: worked values, and a run with NumPy that sees only what the kernels read and write."""

import doctest
from math import sqrt

import numpy as np
import pytest

import sim.lowering
from sim.lowering import lower
from sim.operators import attention, decoder_block, linear, rms_norm, silu_mul

MIB = 2**20
WAYS = ("one each", "split", "fused", "flash")
SMALL = [
    linear(6, 4, 10),
    attention(7, 4, 3),
    attention(7, 4, 3, scale_in_product=False),
    silu_mul(3, 5),
    rms_norm(3, 8),
    decoder_block(tokens=5, hidden=8, heads=4, kv_heads=2, head_dim=4, inner=12),
]


def shape_of(graph):
    return {tensor.name: tensor.shape for tensor in graph.tensors}


# Plain attention, projections into heads and out of them, and pointwise functions: any rotation does for RoPE.
def matmul(a, b, writes, shape):
    if writes.startswith("QK"):
        return a @ np.repeat(b, len(a) // len(b), axis=0).swapaxes(1, 2)
    if a.ndim == 3 and b.ndim == 3:
        return a @ np.repeat(b, len(a) // len(b), axis=0)
    if a.ndim == 3:
        a = a.swapaxes(0, 1).reshape(a.shape[1], -1)
    out = a @ b
    return out if len(shape) == 2 else out.reshape(len(out), shape[0], -1).swapaxes(0, 1)


def norm(x, w, squares):
    return x / np.sqrt(squares[..., None] / x.shape[-1] + 1e-6) * w


POINTWISE = {
    "Add": np.add,
    "Mul": np.multiply,
    "SiLU": lambda g: g / (1 + np.exp(-g)),
    "RoPE": lambda x: 0.6 * x + 0.8 * np.roll(x, 1, axis=-1),
    "Sum": lambda parts: parts.sum(axis=0),
}


def run(operator, args, shape, head_dim):
    """One operator, whole or one half of a split one."""
    if operator.kind in POINTWISE:
        return POINTWISE[operator.kind](*args)
    if operator.kind == "Scale":
        return args[0] / sqrt(head_dim)
    if operator.kind == "MatMul" and operator.writes.endswith(" in parts"):
        a, b = args
        writes = operator.writes.removesuffix(" in parts")
        inner = a.shape[2] if a.ndim == 3 and b.ndim == 3 else (a.shape[0] * a.shape[2] if a.ndim == 3 else a.shape[1])
        if a.ndim == 3 and b.ndim == 2:
            a = a.swapaxes(0, 1).reshape(a.shape[1], -1)
        cuts = np.array_split(np.arange(inner), shape[0])
        take = (lambda b, cut: b[..., cut]) if writes == "QK" else (lambda b, cut: b[..., cut, :])
        return np.stack([matmul(a[..., cut], take(b, cut), writes, shape[1:]) for cut in cuts])
    if operator.kind == "MatMul":
        return matmul(*args, operator.writes, shape)
    first, last = args[0], args[-1]
    if operator.kind == "Softmax":
        if operator.writes.startswith("statistics"):
            top = first.max(axis=-1)
            return np.stack([top, np.exp(first - top[..., None]).sum(axis=-1)]).reshape(2, -1)
        top, total = run_statistics(first) if len(args) == 1 else last.reshape(2, *first.shape[:-1])
        return np.exp(first - top[..., None]) / total[..., None]
    if operator.writes.startswith("statistics"):
        return (first**2).sum(axis=-1).reshape(1, -1)
    squares = (first**2).sum(axis=-1) if len(args) == 2 else last.reshape(first.shape[:-1])
    return norm(first, args[1], squares)


def run_statistics(scores):
    top = scores.max(axis=-1)
    return top, np.exp(scores - top[..., None]).sum(axis=-1)


def execute(graph, lowered):
    """Results of a graph, kernel by kernel: a kernel sees what it reads, the next ones what it writes."""
    shapes = shape_of(graph)
    rng = np.random.default_rng(1)
    device = {name: rng.standard_normal(shapes[name]) for name in graph.program.inputs}
    head_dim = shapes["Q"][-1] if "Q" in shapes else 1
    shapes |= {
        operator.writes: (lowered_parts, *shapes[operator.writes.removesuffix(" in parts")])
        for kernel in lowered.kernels
        for operator in kernel.operators
        if operator.writes.endswith(" in parts")
        for lowered_parts in (2,)
    }
    moved = 0
    for kernel in lowered.kernels:
        local = {read.tensor: device[read.tensor] for read in kernel.moved.reads}
        for operator in kernel.operators:
            args = [local[name] for name in operator.reads]
            local[operator.writes] = run(operator, args, shapes.get(operator.writes), head_dim)
        moved += kernel.moved.read_bytes + kernel.moved.write_bytes
        device |= {name: local[name] for name in kernel.moved.writes}
    return device[graph.operators[-1].writes], moved


def test_docstring_examples_hold():
    result = doctest.testmod(sim.lowering)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("graph", SMALL, ids=lambda graph: graph.computation)
def test_kernels_that_see_only_what_they_read_compute_the_same(graph, way):
    expected, _ = execute(graph, lower(graph, "one each"))
    lowered = lower(graph, way)
    result, moved = execute(graph, lowered)
    np.testing.assert_allclose(result, expected, rtol=1e-10, atol=1e-12)
    assert moved == lowered.traffic_bytes == lowered.intermediate_bytes + lowered.boundary_bytes


def test_the_plain_run_is_attention():
    graph = SMALL[1]
    rng = np.random.default_rng(1)
    q, k, v = (rng.standard_normal(shape_of(graph)[name]) for name in "QKV")
    scores = np.einsum("hid,hjd->hij", q, k) / sqrt(4)
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(execute(graph, lower(graph, "flash"))[0], np.einsum("hij,hjd->hid", weights, v))


def test_one_head_of_attention():
    graph = attention(length=8192, head_dim=128)
    unfused, flash = lower(graph, "one each"), lower(graph, "flash")
    # S and P, 256 MiB of FP32 each, are written and read: four times 256 MiB.
    assert [(one.tensor.name, one.tensor.size_bytes, one.reads) for one in unfused.intermediates] == [
        ("S", 256 * MIB, 1),
        ("P", 256 * MIB, 1),
    ]
    assert unfused.intermediate_bytes == 4 * 256 * MIB == 2**30
    assert (flash.intermediates, flash.intermediate_bytes) == ((), 0)
    assert flash.traffic_bytes == unfused.boundary_bytes == 8 * MIB  # Q, K, V, O
    assert unfused.intermediate_bytes // flash.traffic_bytes == 128
    assert (len(unfused.kernels), len(flash.kernels)) == (3, 1)


def test_a_scale_in_a_pass_of_its_own_moves_the_scores_twice_more():
    graph = attention(length=8192, head_dim=128, scale_in_product=False)
    unfused, fused, flash = (lower(graph, way) for way in ("one each", "fused", "flash"))
    assert (len(unfused.kernels), len(fused.kernels), len(flash.kernels)) == (4, 3, 1)
    assert unfused.intermediate_bytes == 6 * 256 * MIB
    assert fused.intermediate_bytes == 4 * 256 * MIB


def test_the_running_examples():
    # XW is written and read, 24 MiB each; A·W once each is 8 + 96 + 24 MiB, the bias 24 KiB.
    plain, fused = lower(linear(), "one each"), lower(linear(), "fused")
    assert (len(plain.kernels), plain.intermediate_bytes) == (2, 48 * MIB)
    assert (len(fused.kernels), fused.traffic_bytes) == (1, 128 * MIB + 24_576)
    # SiLU and product: 120 MiB apart, 72 together.
    assert [lower(silu_mul(), way).traffic_bytes // MIB for way in ("one each", "fused")] == [120, 72]
    # A two-pass norm: rows once more, and a sum of squares a row, written and read.
    one, two = lower(rms_norm(), "one each"), lower(rms_norm(), "split")
    assert (len(one.kernels), len(two.kernels)) == (1, 2)
    assert two.traffic_bytes - one.traffic_bytes == 8 * MIB + 2 * 1024 * 4


def test_a_sum_in_parts_moves_each_part_twice():
    for parts in (2, 3, 64):
        lowered = lower(linear(), "split", parts)
        assert [operator.kind for kernel in lowered.kernels for operator in kernel.operators] == [
            "MatMul",
            "Sum",
            "Add",
        ]
        assert lowered.intermediate_bytes == 2 * parts * 1024 * 12288 * 4 + 48 * MIB
        assert [kernel.origins for kernel in lowered.kernels] == [("XW",), ("XW",), ("Y",)]


def test_attention_in_parts_and_two_passes():
    # Two FP32 sums of QK and of O; S is read by both passes of softmax, whose first leaves a maximum and a sum a row.
    lowered = lower(attention(length=8192, head_dim=128), "split", parts=2)
    assert {one.tensor.name: (one.tensor.size_bytes, one.reads) for one in lowered.intermediates} == {
        "QK in parts": (2 * 256 * MIB, 1),
        "S": (256 * MIB, 2),
        "statistics for P": (2 * 8192 * 4, 1),
        "P": (256 * MIB, 1),
        "O in parts": (2 * 4 * MIB, 1),
    }
    assert lowered.intermediate_bytes == (2 * 512 + 3 * 256 + 2 * 256 + 2 * 8) * MIB + 2 * 65_536
    assert [kernel.origins for kernel in lowered.kernels] == [("QK",), ("QK", "S"), ("P",), ("P",), ("O",), ("O",)]


def test_a_decoder_block_in_four_ways():
    kernels = {way: [kernel.origins for kernel in lower(decoder_block(), way).kernels] for way in WAYS}
    # 21 operators: one shares its product's kernel; 9 products, 4 norms and a softmax take two kernels.
    assert {way: len(found) for way, found in kernels.items()} == {
        "one each": 20,
        "split": 34,
        "fused": 14,
        "flash": 12,
    }
    assert kernels["fused"] == [
        ("N",),
        ("q_projected",),
        ("q_normed", "Q"),
        ("k_projected",),
        ("k_normed", "K"),
        ("V",),
        ("QK", "S"),
        ("P",),
        ("O",),
        ("o_projected", "R"),
        ("M",),
        ("G", "A"),
        ("U", "H"),
        ("D", "Y"),
    ]
    assert kernels["flash"] == [*kernels["fused"][:6], ("QK", "S", "P", "O"), *kernels["fused"][9:]]
    # Fusing saves a write and a read of q and k before RoPE, of o before its residual, of G, U and D.
    apart, fused = (lower(decoder_block(), way).intermediate_bytes for way in ("one each", "fused"))
    assert apart - fused == 2 * (8 + 2 + 8 + 24 + 24 + 8) * MIB
    # Flash attention saves S and P, 32 heads × 1024² FP32 numbers, written and read.
    assert fused - lower(decoder_block(), "flash").intermediate_bytes == 4 * 128 * MIB


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("graph", SMALL, ids=lambda graph: graph.computation)
def test_intermediates_are_what_one_kernel_writes_and_another_reads(graph, way):
    lowered = lower(graph, way)
    moved = {}
    for index, kernel in enumerate(lowered.kernels):
        for operator in kernel.operators:
            moved.setdefault(operator.writes, set()).add(index)
            for name in operator.reads:
                moved.setdefault(name, set()).add(index)
    made = {operator.writes for kernel in lowered.kernels for operator in kernel.operators}
    expected = {name: len(kernels) - 1 for name, kernels in moved.items() if name in made and len(kernels) > 1}
    assert {one.tensor.name: one.reads for one in lowered.intermediates} == expected
    origins = [name for kernel in lowered.kernels for name in kernel.origins]
    assert list(dict.fromkeys(origins)) == [operator.writes for operator in graph.operators]
    if way == "split":
        assert len(origins) >= len(graph.operators)
    else:
        assert len(origins) == len(graph.operators)


@pytest.mark.parametrize("graph", SMALL, ids=lambda graph: graph.computation)
def test_fusing_never_moves_more_and_splitting_never_less(graph):
    split, apart, fused, flash = (lower(graph, way).traffic_bytes for way in ("split", "one each", "fused", "flash"))
    assert split >= apart >= fused >= flash


@pytest.mark.parametrize(
    ("way", "parts", "message"),
    [
        ("all", 2, "way is 'all'; it must be one of one each, split, fused, flash"),
        (None, 2, "way is None"),
        ("split", 1, "parts is 1; it must be a whole number from 2 to 64"),
        ("split", 65, "parts is 65"),
        ("split", True, "parts is True"),
        ("split", 2.0, r"parts is 2\.0"),
    ],
)
def test_refuses(way, parts, message):
    with pytest.raises(ValueError, match=message):
        lower(linear(), way, parts)
