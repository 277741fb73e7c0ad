"""Lowering: one graph of operators made into kernels in four ways.

- "one each": every operator is a kernel, except a Scale that is the factor of the matrix product before it.
- "split": matrix products sum their inner dimension in parts, each an FP32 matrix in device memory, and a second
  kernel adds the parts; softmax and norms take two passes, the first leaving statistics of each row (FP32; softmax:
  maximum and sum, RMSNorm: sum of squares). All else as "one each".
- "fused": an element-wise operator joins the kernel that has just made what it reads.
- "flash": as "fused", and the four operators of attention are one kernel that never writes S or P.

A kernel reads once what its operators read and none of them made, and writes what others read or nobody does
(`sim.fusion`). Intermediates are the tensors that one kernel writes and another reads: each costs a write and reads.
An algorithm's name is therefore not the name of one kernel, nor an operator one kernel.

Source: T. Dao et al., arXiv 2205.14135 (attention without S and P in device memory); NVIDIA cuBLAS documentation
(α in gemm; fusing epilogues); split-K: NVIDIA CUTLASS documentation, "Efficient GEMM".
Left out: caches, and matrices that a tiled product reads more than once (`sim.tiles`); time; whether a library has
such a kernel; norms fused in front of a product.
"""

from collections import Counter
from dataclasses import dataclass
from math import prod
from typing import Literal, get_args

from sim import fusion
from sim.inputs import whole
from sim.operators import ELEMENTWISE, FP32, Graph, Operator, Tensor

Way = Literal["one each", "split", "fused", "flash"]

MAX_PARTS = 64
FLASH_KINDS = ("MatMul", "Scale", "Softmax", "MatMul")
STATISTICS = {"Softmax": 2, "RMSNorm": 1}
"""FP32 numbers a row that the first of two passes leaves."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel and the operators of the graph that it does, or does a part of."""

    operators: tuple[Operator, ...]
    """As lowered: in "split" also operators that the graph does not have."""
    origins: tuple[str, ...]
    """Names (tensors written) of the graph's operators behind them."""
    moved: fusion.Kernel
    """What it reads and writes."""


@dataclass(frozen=True, slots=True)
class Intermediate:
    """A tensor that one kernel writes and others read."""

    tensor: Tensor
    reads: int
    """Kernels that read it."""

    @property
    def moved_bytes(self) -> int:
        """Bytes of one write and all reads."""
        return self.tensor.size_bytes * (1 + self.reads)


@dataclass(frozen=True, slots=True)
class Lowered:
    """A graph lowered in one way."""

    graph: Graph
    way: Way
    kernels: tuple[Kernel, ...]
    intermediates: tuple[Intermediate, ...]

    @property
    def intermediate_bytes(self) -> int:
        """Bytes that intermediates move to and from device memory."""
        return sum(one.moved_bytes for one in self.intermediates)

    @property
    def traffic_bytes(self) -> int:
        """All bytes moved."""
        return sum(kernel.moved.read_bytes + kernel.moved.write_bytes for kernel in self.kernels)

    @property
    def boundary_bytes(self) -> int:
        """Bytes of inputs read and results written: what no way can do without, and inputs read twice."""
        return self.traffic_bytes - self.intermediate_bytes


def lower(graph: Graph, way: Way, parts: int = 2) -> Lowered:
    """Make kernels of a graph; ``parts`` (2 to 64) is how many sums "split" makes of one.

    Raises:
        ValueError: another way, or parts that are not a whole number in the range.

    >>> from sim.operators import attention
    >>> for way in ("one each", "fused", "flash"):
    ...     lowered = lower(attention(length=8192, head_dim=128), way)
    ...     print(way, len(lowered.kernels), lowered.intermediate_bytes >> 20, lowered.boundary_bytes >> 20)
    one each 3 1024 8
    fused 3 1024 8
    flash 1 0 8
    """
    if way not in get_args(Way):
        raise ValueError(f"way is {way!r}; it must be one of {', '.join(get_args(Way))}")
    whole("parts", parts, 2, MAX_PARTS)
    lowered, origins = _split(graph, parts) if way == "split" else (graph, {})
    sizes = _sizes(lowered, way)
    kernels, start = [], 0
    for size, moved in zip(sizes, fusion.execute(lowered.program, sizes).kernels, strict=True):
        group = lowered.operators[start : start + size]
        start += size
        names = dict.fromkeys(origins.get(operator.writes, operator.writes) for operator in group)
        kernels.append(Kernel(group, tuple(names), moved))
    reads = Counter(read.tensor for kernel in kernels for read in kernel.moved.reads)
    written = {name for kernel in kernels for name in kernel.moved.writes}
    visits = (Intermediate(one, reads[one.name]) for one in lowered.tensors if one.name in written and reads[one.name])
    return Lowered(graph, way, tuple(kernels), tuple(visits))


def _sizes(graph: Graph, way: Way) -> list[int]:
    """Operators of each kernel, in order."""
    sizes: list[int] = []
    made: set[str] = set()  # by the kernel so far
    flash_until = 0
    for index, operator in enumerate(graph.operators):
        if way == "flash" and tuple(one.kind for one in graph.operators[index : index + 4]) == FLASH_KINDS:
            flash_until = index + 4
            joins = False
        else:
            fuses = operator.kind in ELEMENTWISE and way in ("fused", "flash")
            factor = operator.kind == "Scale" and graph.scale_in_product
            joins = index < flash_until or ((fuses or factor) and not made.isdisjoint(operator.reads))
        if joins:
            sizes[-1] += 1
            made.add(operator.writes)
        else:
            sizes.append(1)
            made = {operator.writes}
    return sizes


def _split(graph: Graph, parts: int) -> tuple[Graph, dict[str, str]]:
    """The graph with two operators for each that can be split, and which of its operators each new one belongs to."""
    shapes = {tensor.name: tensor.shape for tensor in graph.tensors}
    tensors, operators, origins = list(graph.tensors), [], {}
    for one in graph.operators:
        shape = shapes[one.writes]
        if one.kind == "MatMul":
            extra = Tensor(f"{one.writes} in parts", (parts, *shape), FP32)
            pair = (
                Operator("MatMul", one.module, one.reads, extra.name),
                Operator("Sum", one.module, (extra.name,), one.writes),
            )
        elif one.kind in STATISTICS:
            extra = Tensor(f"statistics for {one.writes}", (STATISTICS[one.kind], prod(shape[:-1])), FP32)
            first = Operator(one.kind, one.module, one.reads[:1], extra.name)
            pair = first, Operator(one.kind, one.module, (*one.reads, extra.name), one.writes)
        else:
            operators.append(one)
            continue
        tensors.append(extra)
        operators += pair
        origins[extra.name] = one.writes
    return Graph(graph.computation, tuple(tensors), tuple(operators), graph.scale_in_product), origins
