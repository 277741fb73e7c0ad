import doctest
from math import nan
from random import Random

import pytest

import sim.fusion
from sim.fusion import execute
from sim.fusion_program import Operator, Program, Read, Tensor


def test_docstring_examples_hold():
    result = doctest.testmod(sim.fusion)
    assert result.attempted
    assert not result.failed


def program(sizes, *operators):
    """``sizes``: bytes by one-letter name; each operator "ab>c", a digit behind a letter: times."""
    made = []
    for text in operators:
        reads, writes = text.split(">")
        parts = []
        for char in reads:
            if char.isdigit():
                parts[-1] = Read(parts[-1].tensor, int(char))
            else:
                parts.append(Read(char))
        made.append(Operator(text, tuple(parts), writes))
    return Program(tuple(Tensor(name, size) for name, size in sizes.items()), tuple(made))


def test_trace_of_a_diamond_by_hand():
    # b is read by two operators: in one kernel with both it stays inside, cut between them it is written
    diamond = program({"a": 1, "b": 10, "c": 100, "d": 1000, "e": 10000}, "a>b", "b>c", "bc>d", "d>e")
    apart = execute(diamond, [1, 1, 1, 1])
    assert [(k.read_bytes, k.write_bytes) for k in apart.kernels] == [(1, 10), (10, 100), (110, 1000), (1000, 10000)]
    assert [k.live for k in apart.kernels] == [("a", "b"), ("b", "c"), ("b", "c", "d"), ("d", "e")]
    assert [k.freed for k in apart.kernels] == [("a",), (), ("b", "c"), ("d",)]
    assert (apart.traffic_bytes, apart.peak_bytes) == (12231, 11000)
    cut = execute(diamond, [2, 2])
    assert [k.writes for k in cut.kernels] == [("b", "c"), ("e",)]
    assert [k.reads for k in cut.kernels] == [(Read("a"),), (Read("b"), Read("c"))]
    assert cut.traffic_bytes == 1 + 110 + 110 + 10000
    whole = execute(diamond, [4]).kernels[0]
    assert (whole.reads, whole.writes, whole.live, whole.freed) == ((Read("a"),), ("e",), ("a", "e"), ("a",))


def test_what_is_fused_in_front_of_a_repeated_read_is_done_again():
    # the product c reads b five times, and b's maker reads a twice: ten readings of a
    chain = program({"a": 3, "w": 7, "b": 2, "c": 4}, "a2>b", "b5w3>c")
    assert execute(chain, [1, 1]).traffic_bytes == 2 * 3 + 2 + 5 * 2 + 3 * 7 + 4
    assert execute(chain, [2]).kernels[0].reads == (Read("a", 10), Read("w", 3))
    assert execute(chain, [2]).traffic_bytes == 10 * 3 + 3 * 7 + 4


def test_an_input_of_two_operators_is_loaded_once_a_kernel():
    shared = program({"a": 8, "b": 1, "c": 1}, "a>b", "ab>c")
    assert [k.read_bytes for k in execute(shared, [1, 1]).kernels] == [8, 9]
    assert execute(shared, [2]).traffic_bytes == 9


def test_results_are_kept_and_written_even_from_inside_a_kernel():
    two = program({"a": 1, "b": 2, "c": 4, "d": 8}, "a>b", "a>c", "c>d")
    fused = execute(two, [3]).kernels[0]
    assert (fused.writes, fused.write_bytes) == (("b", "d"), 10)
    apart = execute(two, [1, 1, 1])
    assert [k.live_bytes for k in apart.kernels] == [3, 7, 2 + 4 + 8]
    assert all("b" not in k.freed for k in apart.kernels)


def random_program(rng):
    inputs = rng.randint(1, 3)
    tensors, operators = [Tensor(f"t{i}", rng.randint(0, 99)) for i in range(inputs)], []
    for i in range(rng.randint(1, 7)):
        names = rng.sample([tensor.name for tensor in tensors], rng.randint(1, min(3, len(tensors))))
        reads = tuple(Read(name, rng.choice((1, 1, 1, 2, 3))) for name in names)
        tensors.append(Tensor(f"t{inputs + i}", rng.randint(0, 99)))
        operators.append(Operator(f"o{i}", reads, tensors[-1].name))
    used = {read.tensor for op in operators for read in op.reads} | {op.writes for op in operators}
    tensors = [tensor for tensor in tensors if tensor.name in used]
    rng.shuffle(tensors)
    sizes, left = [], len(operators)
    while left:
        sizes.append(rng.randint(1, left))
        left -= sizes[-1]
    return Program(tuple(tensors), tuple(operators)), sizes


def by_paths(program, sizes):
    """(reads, writes) of each kernel from its paths: a tensor is read as often as along the busiest path
    from it to something the kernel writes; and what is alive, from each tensor's first and last kernel."""
    size_of = {tensor.name: tensor.size_bytes for tensor in program.tensors}
    kernel_of = [k for k, size in enumerate(sizes) for _ in range(size)]
    maker = {op.writes: (kernel_of[i], op) for i, op in enumerate(program.operators)}
    readers = {name: [] for name in size_of}
    for i, op in enumerate(program.operators):
        for read in op.reads:
            readers[read.tensor].append((kernel_of[i], read.times, op.writes))

    def stored(name):
        return name not in maker or not readers[name] or any(k != maker[name][0] for k, _, _ in readers[name])

    def busiest(name, kernel):
        """Most readings of ``name`` in one kernel, over all paths to what that kernel stores."""
        counts = [0]
        for k, times, output in readers[name]:
            if k == kernel:
                counts.append(times * max(busiest(output, kernel), stored(output)))
        return max(counts)

    last = len(sizes) - 1
    kernels = []
    for k in range(len(sizes)):
        reads = {}
        for name in size_of:
            if (name not in maker or maker[name][0] != k) and any(kernel == k for kernel, _, _ in readers[name]):
                reads[name] = busiest(name, k)
        writes = {name for name in maker if maker[name][0] == k and stored(name)}
        live = set()
        for name in filter(stored, size_of):
            first = maker[name][0] if name in maker else 0
            result = name in maker and not readers[name]
            final = last if result else max((kernel for kernel, _, _ in readers[name]), default=0)
            if first <= k <= final:
                live.add(name)
        kernels.append((reads, writes, live))
    return kernels, size_of


def test_a_thousand_random_programs_against_paths_and_lifetimes():
    rng = Random(9)
    seen = {"fused": 0, "again": 0, "inside": 0, "kept": 0}
    for _ in range(1000):
        program, sizes = random_program(rng)
        run = execute(program, sizes)
        expected, size_of = by_paths(program, sizes)
        for kernel, (reads, writes, live) in zip(run.kernels, expected, strict=True):
            assert {read.tensor: read.times for read in kernel.reads} == reads
            assert set(kernel.writes) == writes
            assert set(kernel.live) == live
            assert kernel.read_bytes == sum(size_of[name] * times for name, times in reads.items())
            assert kernel.write_bytes == sum(map(size_of.get, writes))
            assert kernel.live_bytes == sum(map(size_of.get, live))
            seen["again"] += any(times > 3 for times in reads.values())
        stored = {name for kernel in run.kernels for name in kernel.writes}
        seen["inside"] += len(stored) < len(program.operators)
        seen["fused"] += len(sizes) < len(program.operators)
        seen["kept"] += any(not kernel.freed for kernel in run.kernels)
    assert min(seen.values()) > 50, seen


PAIR = {"a": 1, "b": 2}


@pytest.mark.parametrize("sizes", [[], [0, 2], [1], [3], [1, 1, 1], [2.0], [True, 1], [-1, 3], [nan]])
def test_cuts_that_are_refused(sizes):
    chain = program({"a": 1, "b": 1, "c": 1}, "a>b", "b>c")
    with pytest.raises(ValueError, match=r"^sizes are .*; give whole numbers >= 1 that add up to 2 operators"):
        execute(chain, sizes)


@pytest.mark.parametrize(
    ("sizes", "operators", "message"),
    [
        (PAIR, [], "0 operators given; give 1 to 64"),
        (PAIR, ["a>b"] * 65, "65 operators given"),
        (PAIR, ["x>b"], "'x>b' reads 'x', which is unknown or not yet written"),
        (PAIR, ["b>b"], "'b>b' reads 'b', which is unknown or not yet written"),
        ({"a": 1, "b": 1, "c": 1}, ["b>c", "a>b"], "'b>c' reads 'b', which is unknown or not yet written"),
        (PAIR, ["a>x"], "'a>x' writes 'x', which is unknown or already written"),
        (PAIR, ["a>b", "a>b"], "'a>b' writes 'b', which is unknown or already written"),
        (PAIR, ["a0>b"], "'a0>b' reads 'a': times is 0; it must be a whole number from 1 to 1048576"),
        ({"a": -1, "b": 1}, ["a>b"], "tensor 'a': size_bytes is -1; it must be a whole number from 0 to"),
        ({"a": 1.0, "b": 1}, ["a>b"], r"tensor 'a': size_bytes is 1\.0"),
        ({"a": True, "b": 1}, ["a>b"], "tensor 'a': size_bytes is True"),
        ({"a": 1, "b": 1, "c": 1}, ["a>b"], "tensor 'c' is neither read nor written; leave it out"),
        ({"a": 2**50 + 1, "b": 1}, ["a>b"], "tensor 'a': size_bytes is 1125899906842625"),
    ],
)
def test_programs_that_are_refused(sizes, operators, message):
    with pytest.raises(ValueError, match="^" + message):
        program(sizes, *operators)


def test_a_tensor_named_twice_is_refused():
    with pytest.raises(ValueError, match=r"^tensor 'a' is named twice"):
        Program((Tensor("a", 1), Tensor("a", 1), Tensor("b", 1)), (Operator("f", (Read("a"),), "b"),))
    with pytest.raises(ValueError, match=r"reads 'a': times is True"):
        Program((Tensor("a", 1), Tensor("b", 1)), (Operator("f", (Read("a", True),), "b"),))
