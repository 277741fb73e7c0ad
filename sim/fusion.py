"""Fused or apart: what a chain of operators reads and writes, and what it keeps in device memory.

A kernel runs one or more operators that follow each other. It reads from device memory what its operators
read and none of them made, once for all of them, and writes what a later kernel reads, or nobody does (a
result). What lives and dies inside a kernel costs no traffic: fusing an edge saves the write and the read of
its tensor.

An operator in tiles may read a tensor several times (a matrix product: once a column of tiles). Whatever is
fused in front of it is then done again each time, and its inputs are read as often.

Memory: the inputs are there at the start; what a kernel writes is allocated before it runs, so never in the
place of an input; after it, tensors that no later kernel reads are freed, except results.

Source: A. Ivanov et al., "Data Movement Is All You Need", MLSys 2021 (fusion counted in bytes moved); the rest
is arithmetic, worked by hand in figures 9.1 and 9.2 of the book.
Left out: caches; registers, shared memory and whether a fusion is legal (sim/operator_chain.py,
sim/illegal_moves.py); weights that stay allocated after their last use.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sim.fusion_program import Operator, Program, Read


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel of an execution."""

    operators: tuple[str, ...]
    reads: tuple[Read, ...]
    writes: tuple[str, ...]
    """What it allocates before it runs and writes."""
    read_bytes: int
    write_bytes: int
    live: tuple[str, ...]
    """Tensors in device memory while it runs, in the order of allocation."""
    live_bytes: int
    freed: tuple[str, ...]
    """Tensors freed after it."""


@dataclass(frozen=True, slots=True)
class Execution:
    """A program cut into kernels."""

    kernels: tuple[Kernel, ...]

    @property
    def traffic_bytes(self) -> int:
        """Bytes read and written by all kernels."""
        return sum(kernel.read_bytes + kernel.write_bytes for kernel in self.kernels)

    @property
    def peak_bytes(self) -> int:
        """Most bytes in device memory while a kernel runs."""
        return max(kernel.live_bytes for kernel in self.kernels)


def execute(program: Program, sizes: Sequence[int]) -> Execution:
    """Run ``program`` with ``sizes[i]`` operators in kernel i.

    Raises ValueError unless the sizes are whole numbers >= 1 that add up to all operators.

    >>> from sim.fusion_program import Tensor
    >>> tensors = (Tensor("x", 8), Tensor("y", 8), Tensor("z", 4))
    >>> chain = Program(tensors, (Operator("f", (Read("x"),), "y"), Operator("g", (Read("y"),), "z")))
    >>> [execute(chain, sizes).traffic_bytes for sizes in ([1, 1], [2])]
    [28, 12]
    """
    count = len(program.operators)
    if any(type(size) is not int or size < 1 for size in sizes) or sum(sizes) != count:
        raise ValueError(f"sizes are {list(sizes)}; give whole numbers >= 1 that add up to {count} operators")
    size_of = {tensor.name: tensor.size_bytes for tensor in program.tensors}
    read_by_none = set(size_of) - {read.tensor for one in program.operators for read in one.reads}
    live, kernels, start = list(program.inputs), [], 0
    for size in sizes:
        group, rest = program.operators[start : start + size], program.operators[start + size :]
        start += size
        outside = read_by_none | {read.tensor for operator in rest for read in operator.reads}
        writes = tuple(operator.writes for operator in group if operator.writes in outside)
        reads = _reads(group, outside)
        live += writes
        kernels.append(
            Kernel(
                operators=tuple(operator.name for operator in group),
                reads=reads,
                writes=writes,
                read_bytes=sum(size_of[read.tensor] * read.times for read in reads),
                write_bytes=sum(size_of[name] for name in writes),
                live=tuple(live),
                live_bytes=sum(size_of[name] for name in live),
                freed=tuple(name for name in live if name not in outside),
            )
        )
        live = [name for name in live if name in outside]
    return Execution(tuple(kernels))


def _reads(group: Sequence[Operator], outside: set[str]) -> tuple[Read, ...]:
    """What a kernel reads: each operator is done as often as its most frequent reader in the kernel asks."""
    asked: dict[str, int] = {}  # tensor → how often it is read, or made again, inside the kernel
    for operator in reversed(group):
        runs = max(asked.get(operator.writes, 0), operator.writes in outside)
        for read in operator.reads:
            asked[read.tensor] = max(asked.get(read.tensor, 0), read.times * runs)
    made = {operator.writes for operator in group}
    order = dict.fromkeys(read.tensor for operator in group for read in operator.reads)
    return tuple(Read(name, asked[name]) for name in order if name not in made)
