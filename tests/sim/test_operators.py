"""Graphs of operators: what they hold, in which order, and how large their tensors are."""

import doctest

import pytest

import sim.operators
from sim.operators import attention, decoder_block, linear, rms_norm, silu_mul

MIB = 2**20
GRAPHS = [linear(), attention(), attention(heads=4, length=512), silu_mul(), rms_norm(), decoder_block()]


def sizes(graph):
    return {tensor.name: tensor.size_bytes for tensor in graph.tensors}


def kinds(graph):
    return [operator.kind for operator in graph.operators]


def test_docstring_examples_hold():
    result = doctest.testmod(sim.operators)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.computation)
def test_every_tensor_is_an_input_or_made_before_it_is_read(graph):
    made = {operator.writes for operator in graph.operators}
    ready = {tensor.name for tensor in graph.tensors} - made
    for operator in graph.operators:
        assert set(operator.reads) <= ready
        assert operator.writes not in ready
        ready.add(operator.writes)
    assert ready == set(sizes(graph))
    read = {name for operator in graph.operators for name in operator.reads}
    assert len(made - read) == 1  # one result
    assert graph.program.inputs == tuple(name for name in sizes(graph) if name not in made)


def test_attention_is_matmul_scale_softmax_matmul():
    graph = attention(length=8192, head_dim=128)
    assert kinds(graph) == ["MatMul", "Scale", "Softmax", "MatMul"]
    # 8192 × 128 BF16 numbers; 8192 × 8192 FP32 numbers.
    assert sizes(graph) == {name: 2 * MIB for name in "QKVO"} | {name: 256 * MIB for name in ("QK", "S", "P")}
    assert sizes(attention(length=8192, head_dim=128, heads=3)) == {k: 3 * v for k, v in sizes(graph).items()}


def test_the_running_example():
    # A 8 MiB, W 96 MiB, C 24 MiB; the bias is 12288 BF16 numbers.
    assert sizes(linear()) == {"X": 8 * MIB, "W": 96 * MIB, "b": 24_576, "XW": 24 * MIB, "Y": 24 * MIB}
    assert sizes(silu_mul()) == {name: 24 * MIB for name in "GUAY"}
    assert sizes(rms_norm()) == {"X": 8 * MIB, "w": 8192, "Y": 8 * MIB}


def test_a_decoder_block_of_qwen3_8b():
    graph = decoder_block()
    assert kinds(graph) == [
        "RMSNorm",
        *("MatMul", "RMSNorm", "RoPE") * 2,
        *("MatMul", "MatMul", "Scale", "Softmax", "MatMul", "MatMul", "Add"),
        *("RMSNorm", "MatMul", "SiLU", "MatMul", "Mul", "MatMul", "Add"),
    ]
    weights = {name: size for name, size in sizes(graph).items() if name[0] == "W"}
    # q and o 4096 × 4096, k and v 4096 × 1024, gate, up and down 4096 × 12288, BF16.
    assert weights == {"Wq": 32 * MIB, "Wo": 32 * MIB, "Wk": 8 * MIB, "Wv": 8 * MIB} | {
        name: 96 * MIB for name in ("Wg", "Wu", "Wd")
    }
    # Qwen3-8B without embeddings has 6.95e9 parameters in 36 layers.
    numbers = sum(tensor.size_bytes // 2 for tensor in graph.tensors if tensor.name[0] in "Ww")
    assert round(36 * numbers / 1e9, 2) == 6.95
    assert sizes(graph)["S"] == 32 * 1024 * 1024 * 4
    assert {operator.module for operator in graph.operators} >= {"input_layernorm", "self_attn", "mlp.act_fn", "mlp"}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: linear(rows=0), "rows is 0; it must be a whole number from 1 to 1048576"),
        (lambda: linear(inner=True), "inner is True"),
        (lambda: linear(columns=2.0), r"columns is 2\.0"),
        (lambda: attention(length=2**20 + 1), "length is 1048577"),
        (lambda: attention(head_dim=float("nan")), "head_dim is nan"),
        (lambda: attention(heads=0), "heads is 0"),
        (lambda: attention(scale_in_product=1), "scale_in_product is 1; it must be True or False"),
        (lambda: attention(length=2**20, heads=2**10), "size_bytes is 4503599627370496"),
        (lambda: silu_mul(width=-1), "width is -1"),
        (lambda: rms_norm(rows="1"), "rows is '1'"),
        (lambda: decoder_block(heads=30), "heads is 30; it must be a multiple of kv_heads, 8"),
        (lambda: decoder_block(tokens=0), "tokens is 0"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(ValueError, match=message):
        call()
