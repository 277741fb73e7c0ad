import doctest
from math import nan
from random import Random

import pytest

import sim.partitions
from sim.ffn_chain import ffn_chain
from sim.fusion import execute
from sim.fusion_program import Operator, Read, Tensor
from sim.operator_chain import Chain, Stage
from sim.partitions import best_partition, every_partition

MIB = 1 << 20


def test_docstring_examples_hold():
    result = doctest.testmod(sim.partitions)
    assert result.attempted
    assert not result.failed


def test_figure_9_3_ways_to_cut():
    for count in range(1, 11):
        ways = every_partition(plain(count))
        assert len(ways) == len({way.sizes for way in ways}) == 2 ** (count - 1)
        assert all(sum(way.sizes) == count and min(way.sizes) >= 1 for way in ways)


def plain(count):
    tensors = tuple(Tensor(f"t{i}", 8) for i in range(count + 1))
    operators = [Operator(f"o{i}", (Read(f"t{i}"),), f"t{i + 1}") for i in range(count)]
    return Chain(tensors, tuple(Stage(operator, "element", True, 4) for operator in operators))


def test_the_index_says_where_the_cuts_are():
    ways = every_partition(plain(4))
    assert [way.sizes for way in (ways[0b000], ways[0b001], ways[0b100], ways[0b111])] == [
        (4,),
        (1, 3),
        (3, 1),
        (1, 1, 1, 1),
    ]


def test_figure_9_3_the_feed_forward_chain():
    ways = {way.sizes: way for way in every_partition(ffn_chain())}
    assert len(ways) == 32
    # illegal: those without a cut between the gate product and the quantization, three edges of five
    assert sum(bool(way.problems) for way in ways.values()) == 2**2
    assert all((len(sizes) > 0 and sizes[0] >= 4) == bool(way.problems) for sizes, way in ways.items())
    assert ways[1, 1, 1, 1, 1, 1].traffic_bytes // MIB == 1560 + 48 + 72 + 36 + 776 + 24
    assert ways[1, 3, 2].traffic_bytes // MIB == 1560 + (24 + 24 + 12) + (768 + 8 + 8)
    # the best that is legal; the best of all is not
    legal = [way for way in ways.values() if not way.problems]
    assert min(way.traffic_bytes for way in legal) // MIB == 2404
    assert min(ways.values(), key=lambda way: way.traffic_bytes).problems
    assert ways[4, 2].traffic_bytes // MIB == 1536 + 24 + 12 + 784
    # fusing on is not always less: quantizing inside the down product, P is read 32 times
    assert ways[3, 3].traffic_bytes - ways[3, 1, 2].traffic_bytes == (32 * 24 - 36 - 32 * 12) * MIB
    # everything at once does the gate product again for every column of tiles of the down product
    assert ways[6,].traffic_bytes // MIB == 32 * (96 * 8 + 8 * 96 + 24) + 8 * 48 + 8 + 8
    assert (ways[6,].peak_bytes // MIB, ways[3, 1, 2].peak_bytes // MIB) == (192, 208)
    assert {way.registers for way in legal if way.sizes == (3, 1, 2)} == {32 + 64 + 8 + 8}


def test_figure_9_3_the_best_under_a_budget():
    chain = ffn_chain()
    assert best_partition(chain, 255, 1 << 20).sizes == (1, 3, 2)
    assert best_partition(chain, 103, 1 << 20).sizes == (1, 3, 1, 1)  # the residual's kernel needs 104
    assert best_partition(chain, 96, 64 << 10).sizes == (1, 3, 1, 1)
    assert best_partition(chain, 95, 1 << 20) is None  # a product alone needs 96
    assert best_partition(chain, 255, (64 << 10) - 1) is None


def random_chain(rng):
    count = rng.randint(1, 5)
    tensors, stages = [Tensor("t0", rng.randint(0, 50))], []
    for i in range(count):
        tensors.append(Tensor(f"t{i + 1}", rng.randint(0, 50)))
        reads = [Read(f"t{i}", rng.choice((1, 1, 1, 4)))]
        if rng.random() < 0.4:
            tensors.append(Tensor(f"w{i}", rng.randint(0, 50)))
            reads.append(Read(f"w{i}", rng.choice((1, 2))))
        needs = rng.choice(("element", "element", "row", "tensor"))
        operator = Operator(f"o{i}", tuple(reads), f"t{i + 1}")
        stages.append(Stage(operator, needs, rng.random() < 0.7, rng.randint(0, 60), rng.choice((0, 0, 30, 70))))
    return Chain(tuple(tensors), tuple(stages), rng.choice((0, 16)))


def test_random_chains_best_of_all_ways():
    rng = Random(93)
    seen = {"none": 0, "tight": 0, "illegal": 0, "fused": 0}
    for _ in range(400):
        chain = random_chain(rng)
        registers, shared = rng.choice((60, 120, 255)), rng.choice((50, 100, 1 << 20))
        ways = every_partition(chain)
        fitting = [way for way in ways if way.fits(registers, shared)]
        best = best_partition(chain, registers, shared)
        if not fitting:
            alone = ways[-1]
            assert best is None
            assert alone.sizes == (1,) * len(chain.stages)
            assert not alone.fits(registers, shared)
            seen["none"] += 1
            continue
        ends = {way: tuple(part.stop for part in way.parts) for way in fitting}
        assert best == min(fitting, key=lambda way: (way.traffic_bytes, len(way.parts), ends[way]))
        free = min(ways, key=lambda way: way.traffic_bytes)
        seen["tight"] += free.traffic_bytes < best.traffic_bytes
        seen["illegal"] += bool(free.problems)
        seen["fused"] += len(best.parts) < len(chain.stages)
    assert min(seen.values()) > 20, seen


def test_each_way_costs_what_running_it_costs():
    rng = Random(94)
    for _ in range(60):
        chain = random_chain(rng)
        for way in every_partition(chain):
            run = execute(chain.program, way.sizes)
            assert (way.traffic_bytes, way.peak_bytes) == (run.traffic_bytes, run.peak_bytes)
            assert [part.kernel for part in way.parts] == list(run.kernels)
            assert way.registers == max(part.registers for part in way.parts)


def test_a_looser_budget_never_moves_more():
    chain = ffn_chain()
    ways = [best_partition(chain, registers, 1 << 20) for registers in (96, 104, 112, 128, 255)]
    costs = [way.traffic_bytes for way in ways]
    assert costs == sorted(costs, reverse=True)


def test_sixteen_stages_have_a_best_way_and_no_list():
    long = plain(16)
    assert best_partition(long, 255, 0).sizes == (16,)
    assert best_partition(long, 40, 0).sizes == (6, 10)  # ten fit; the earliest cut of equals
    with pytest.raises(ValueError, match=r"^16 stages can be cut in 2\^15 ways; give at most 10"):
        every_partition(long)


@pytest.mark.parametrize("bad", [-1, 256, 1.0, True, nan, None])
def test_register_budgets_that_are_refused(bad):
    with pytest.raises(ValueError, match=r"^max_registers is .*; it must be a whole number from 0 to 255"):
        best_partition(plain(2), bad, 0)


@pytest.mark.parametrize("bad", [-1, (1 << 20) + 1, 1.0, True, nan, None])
def test_shared_budgets_that_are_refused(bad):
    with pytest.raises(ValueError, match=r"^max_shared_bytes is .*; it must be a whole number from 0 to 1048576"):
        best_partition(plain(2), 0, bad)
