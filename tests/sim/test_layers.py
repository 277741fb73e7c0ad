"""The map from a computation to the chip: what it must hold, and that both directions agree."""

import doctest
from typing import get_args

import pytest

import sim.layers
from sim.layers import HARDWARE, LEVELS, USES, simulate
from sim.operators import Kind, attention, decoder_block, linear, rms_norm, silu_mul

WAYS = ("one each", "split", "fused", "flash")
GRAPHS = [linear(), attention(), silu_mul(), rms_norm(), decoder_block()]
MAPS = [(graph, simulate(graph, way)) for graph in GRAPHS for way in WAYS]


def names(nodes, level):
    return [node.name for node in nodes if node.level == level]


def test_docstring_examples_hold():
    result = doctest.testmod(sim.layers)
    assert result.attempted
    assert not result.failed


def test_every_kind_of_operator_has_its_units():
    assert set(USES) == set(get_args(Kind))
    assert {unit for units in USES.values() for unit in units} <= set(HARDWARE)


def test_attention_yields_matmul_scale_softmax_matmul():
    layers = simulate(attention())
    assert [node.kind for node in layers.level("operator")] == ["MatMul", "Scale", "Softmax", "MatMul"]
    top = layers.level("computation")[0]
    assert names(layers.below(top), "operator") == ["QK", "S", "P", "O"]
    assert "tensor cores" in names(layers.below(top), "hardware")


def test_relations_are_not_one_to_one():
    # A kernel of several operators, an operator of several kernels, a module of several operators.
    flash, split = simulate(attention(), "flash"), simulate(attention(), "split")
    (kernel,) = flash.level("kernel")
    assert names(flash.above(kernel), "operator") == ["QK", "S", "P", "O"]
    assert len(names(split.below(split.node("operator", "QK")), "kernel")) == 2
    block = simulate(decoder_block())
    assert len(names(block.below(block.node("module", "self_attn")), "operator")) == 6
    # A unit of the chip serves many kernels.
    assert len(names(block.above(block.node("hardware", "tensor cores")), "kernel")) == 9


def test_a_walk_through_a_decoder_block():
    layers = simulate(decoder_block(), "fused")
    gate = layers.node("operator", "G")
    assert names(layers.above(gate), "module") == ["mlp.gate_proj"]
    assert names(layers.above(gate), "computation") == ["decoder_block"]
    (kernel,) = [node for node in layers.below(gate) if node.level == "kernel"]
    assert kernel.kind == "MatMul + SiLU"
    # The other operator in that kernel is above it and not below the gate's product.
    assert names(layers.above(kernel), "operator") == ["G", "A"]
    assert "A" not in names(layers.below(gate), "operator")
    assert names(layers.below(gate), "hardware") == list(HARDWARE)
    add = simulate(linear()).node("operator", "Y")
    assert "tensor cores" not in names(simulate(linear()).below(add), "hardware")


@pytest.mark.parametrize(("graph", "layers"), MAPS)
def test_links_join_neighbouring_levels_and_leave_nothing_out(graph, layers):
    order = {level: index for index, level in enumerate(LEVELS)}
    assert len(set(layers.nodes)) == len(layers.nodes)
    assert len({(node.level, node.name) for node in layers.nodes}) == len(layers.nodes)
    assert len(set(layers.links)) == len(layers.links)
    for upper, lower in layers.links:
        assert order[lower.level] == order[upper.level] + 1
        assert {upper, lower} <= set(layers.nodes)
    for node in layers.nodes:
        assert node.level == "computation" or any(link[1] == node for link in layers.links)
        assert node.level == "hardware" or any(link[0] == node for link in layers.links)
    (top,) = layers.level("computation")
    assert layers.below(top) == layers.nodes[1:]
    assert len(layers.level("operator")) == len(graph.operators)


@pytest.mark.parametrize(("_graph", "layers"), MAPS)
def test_above_is_below_the_other_way_round(_graph, layers):
    below = {(node, other) for node in layers.nodes for other in layers.below(node)}
    above = {(other, node) for node in layers.nodes for other in layers.above(node)}
    assert below == above
    # A second derivation: close the links under composition.
    closed = set(layers.links)
    while more := {(a, d) for a, b in closed for c, d in layers.links if b == c} - closed:
        closed |= more
    assert below == closed


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simulate(linear(), "none"), "way is 'none'"),
        (lambda: simulate(linear(), "split", 1), "parts is 1"),
        (lambda: simulate(linear()).node("operator", "Z"), "no operator is named 'Z'; there are XW, Y"),
        (lambda: simulate(linear()).node("layer", "Z"), "no layer is named 'Z'; there are none"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(ValueError, match=message):
        call()
