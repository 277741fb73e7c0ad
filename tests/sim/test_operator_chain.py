import doctest
from itertools import product
from math import nan
from random import Random

import pytest

import sim.ffn_chain
import sim.operator_chain
from sim.ffn_chain import ffn_chain
from sim.fusion_program import Operator, Read, Tensor
from sim.operator_chain import Chain, Stage, parts

MIB = 1 << 20


@pytest.mark.parametrize("module", [sim.operator_chain, sim.ffn_chain])
def test_docstring_examples_hold(module):
    result = doctest.testmod(module)
    assert result.attempted
    assert not result.failed


def chain(*kinds, registers=4, shared=0, base=0, size=8):
    """A chain of stages, each given as (needs, owns_rows)."""
    tensors = tuple(Tensor(f"t{i}", size) for i in range(len(kinds) + 1))
    stages = tuple(
        Stage(Operator(f"o{i}", (Read(f"t{i}"),), f"t{i + 1}"), needs, owns, registers, shared)
        for i, (needs, owns) in enumerate(kinds)
    )
    return Chain(tensors, stages, base)


def makes(group, i, region):
    """Whether one block can make ``region`` ("tile" of some columns, "row", "tensor") of stage i's output,
    asking its predecessors in the same kernel for what that needs; what comes from memory is there whole."""
    needs, owns_rows = group[i]
    if region == "tensor" or (region == "row" and not owns_rows):
        return False
    if i == 0:
        return True
    asked = {"element": region, "row": "row", "tensor": "tensor"}[needs]
    return makes(group, i - 1, asked)


def test_legality_against_asking_backwards_from_what_a_block_writes():
    kinds = list(product(("element", "row", "tensor"), (True, False)))
    illegal = 0
    rng = Random(91)
    long = [tuple(rng.choices(kinds, weights=(4, 1, 2, 1, 1, 1), k=5)) for _ in range(150)]
    for group in [*product(kinds, repeat=1), *product(kinds, repeat=2), *product(kinds, repeat=3), *long]:
        legal = parts(chain(*group))[0, len(group)].problem is None
        assert legal == makes(group, len(group) - 1, "tile"), group
        illegal += not legal
    assert 100 < illegal < 350


def test_what_the_book_says_of_the_feed_forward_chain():
    by_ends = parts(ffn_chain())
    names = [stage.operator.name for stage in ffn_chain().stages]
    illegal = {(names[start], names[stop - 1]): part.problem for (start, stop), part in by_ends.items() if part.problem}
    # the row's scale needs the whole row, and a block of the product in front makes 128 columns of 12288
    reason = "quantize needs whole rows, and a block of gate product makes only part of one"
    assert illegal == {("gate product", last): reason for last in ("quantize", "down product", "add residual")}


def test_numbers_of_the_feed_forward_chain():
    the_chain = ffn_chain()
    size_of = {tensor.name: tensor.size_bytes // MIB for tensor in the_chain.tensors}
    assert size_of == dict(X=8, Wg=96, G=24, S=24, U=24, P=24, Q=12, Wd=48, D=8, R=8, Y=8)
    by_ends = parts(the_chain)
    gate = by_ends[0, 1]
    assert gate.kernel.reads == (Read("X", 96), Read("Wg", 8))
    assert gate.traffic_bytes // MIB == 1560  # figure 5.2 of the book, 128 × 128 tiles
    assert gate.registers == 32 + 128 * 128 // 256
    assert gate.shared_bytes == 64 << 10  # two stages of 32 KiB
    down = by_ends[4, 5]
    assert down.kernel.reads == (Read("Q", 32), Read("Wd", 8))
    assert down.traffic_bytes // MIB == 32 * 12 + 8 * 48 + 8
    # quantizing inside the down product reads P, twice as wide as Q, once a column of tiles
    fused = by_ends[3, 5]
    assert fused.kernel.reads == (Read("P", 32), Read("Wd", 8))
    assert (fused.registers, fused.shared_bytes) == (32 + 8 + 64, (24 << 10) + (32 << 10))


def test_holdings_add_up_over_a_kernel():
    by_ends = parts(chain(*[("element", True)] * 3, registers=5, shared=100, base=16))
    assert {ends: (part.registers, part.shared_bytes) for ends, part in by_ends.items()} == {
        (start, stop): (16 + 5 * (stop - start), 100 * (stop - start))
        for start in range(3)
        for stop in range(start + 1, 4)
    }


def stage(reads, writes, needs="element", owns_rows=True, registers=1, shared=0):
    return Stage(Operator(writes, tuple(map(Read, reads)), writes), needs, owns_rows, registers, shared)


@pytest.mark.parametrize(
    ("names", "stages", "message"),
    [
        ("ab", [], "0 operators given|0 stages given; give 1 to 16"),
        ("".join(map(chr, range(97, 115))), [stage(chr(97 + i), chr(98 + i)) for i in range(17)], "17 stages given"),
        (
            "abcd",
            [stage("a", "b"), stage("b", "c"), stage("bc", "d")],
            r"'d' reads \['b', 'c'\] of what operators wrote; in a chain it must read \['c'\]",
        ),
        ("abc", [stage("a", "b"), stage("a", "c")], r"'c' reads \[\] of what operators wrote"),
        ("ab", [stage("a", "b", needs="rows")], '\'b\' needs \'rows\'; it must be "element", "row" or "tensor"'),
        ("ab", [stage("a", "b", owns_rows=1)], "'b': owns_rows is 1; it must be True or False"),
        ("ab", [stage("a", "b", registers=256)], "'b': registers is 256; it must be a whole number from 0 to 255"),
        ("ab", [stage("a", "b", registers=True)], "'b': registers is True"),
        ("ab", [stage("a", "b", registers=nan)], "'b': registers is nan"),
        ("ab", [stage("a", "b", shared=-1)], "'b': shared_bytes is -1; it must be a whole number from 0 to 1048576"),
    ],
)
def test_chains_that_are_refused(names, stages, message):
    tensors = tuple(Tensor(name, 1) for name in names)
    with pytest.raises(ValueError, match="^" + message):
        Chain(tensors, tuple(stages))


@pytest.mark.parametrize("bad", [-1, 256, 1.0, True])
def test_base_registers_that_are_refused(bad):
    with pytest.raises(ValueError, match=r"^base_registers is .*; it must be a whole number from 0 to 255"):
        Chain((Tensor("a", 1), Tensor("b", 1)), (stage("a", "b"),), bad)
