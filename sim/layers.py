"""Five descriptions of one computation, and which part of each becomes what below.

computation → modules (what the model's author wrote) → operators (what the framework runs) → kernels (what the GPU is
given, `sim.lowering`) → units and memories of the chip that a kernel keeps busy. The relations are not one to one: a
module may be several operators, an operator several kernels, a kernel several operators, and all share the units.

Units: matrix products run on the tensor cores from tiles in shared memory; the rest runs on the FP32 cores, and
exponentials and square roots on the special function units; sums over a row pass through shared memory. Every kernel
has its values in registers and reads and writes device memory through L2.

Source: CUDA C++ Programming Guide 13.0, arithmetic throughput by instruction (exponentials and reciprocal square
roots: special function units, 16 results a clock and SM) and 20.6 to 20.10 (units of an SM); modules and operators:
`sim.operators`.
Left out: load/store units and schedulers, which every kernel uses; addresses and bounds, worked out by the integer
cores; matrix products small enough to run on FP32 cores; reductions inside a warp, which need no shared memory.
"""

from dataclasses import dataclass
from typing import Literal

from sim.lowering import Kernel, Way, lower
from sim.operators import Graph, Kind

Level = Literal["computation", "module", "operator", "kernel", "hardware"]

LEVELS: tuple[Level, ...] = ("computation", "module", "operator", "kernel", "hardware")
HARDWARE = (
    "tensor cores", "FP32 cores", "special function units", "registers", "shared memory", "L2", "device memory",
)  # fmt: skip
EVERY_KERNEL = ("registers", "L2", "device memory")
USES: dict[Kind, tuple[str, ...]] = {
    "MatMul": ("tensor cores", "shared memory"),
    "Softmax": ("FP32 cores", "special function units", "shared memory"),
    "RMSNorm": ("FP32 cores", "special function units", "shared memory"),
    "SiLU": ("FP32 cores", "special function units"),
    "Scale": ("FP32 cores",),
    "RoPE": ("FP32 cores",),
    "Mul": ("FP32 cores",),
    "Add": ("FP32 cores",),
    "Sum": ("FP32 cores",),
}


@dataclass(frozen=True, slots=True)
class Node:
    """One thing on one level."""

    level: Level
    name: str
    """Unique on its level."""
    kind: str
    """Of an operator its kind, of a kernel the kinds it does, joined by " + "; else the name."""


@dataclass(frozen=True, slots=True)
class LayerMap:
    """All nodes, top to bottom and in the order in which they run, and links (upper, lower) between neighbours."""

    nodes: tuple[Node, ...]
    links: tuple[tuple[Node, Node], ...]

    def level(self, level: Level) -> tuple[Node, ...]:
        """The nodes of one level."""
        return tuple(node for node in self.nodes if node.level == level)

    def node(self, level: Level, name: str) -> Node:
        """The node of this name; ValueError with those that exist."""
        for node in self.level(level):
            if node.name == name:
                return node
        names = ", ".join(node.name for node in self.level(level))
        raise ValueError(f"no {level} is named {name!r}; there are {names or 'none'}")

    def below(self, node: Node) -> tuple[Node, ...]:
        """What it becomes, on all levels below."""
        return self._reach(node, 0)

    def above(self, node: Node) -> tuple[Node, ...]:
        """Where it comes from, on all levels above."""
        return self._reach(node, 1)

    def _reach(self, node: Node, end: int) -> tuple[Node, ...]:
        found = {node}
        for link in self.links if end == 0 else reversed(self.links):  # sorted by level
            if link[end] in found:
                found.add(link[1 - end])
        return tuple(other for other in self.nodes if other in found and other != node)


def simulate(graph: Graph, way: Way = "one each", parts: int = 2) -> LayerMap:
    """The map of a graph lowered in one way; ValueError as `sim.lowering.lower`.

    >>> from sim.operators import attention
    >>> eager, flash = simulate(attention()), simulate(attention(), "flash")
    >>> [node.kind for node in eager.level("kernel")], [node.kind for node in flash.level("kernel")]
    (['MatMul + Scale', 'Softmax', 'MatMul'], ['MatMul + Scale + Softmax + MatMul'])
    >>> [node.name for node in eager.below(eager.node("operator", "P")) if node.level == "hardware"]
    ['FP32 cores', 'special function units', 'registers', 'shared memory', 'L2', 'device memory']
    """
    root = Node("computation", graph.computation, graph.computation)
    modules: dict[str, Node] = {}
    operators: dict[str, Node] = {}
    top, middle, low, lowest = [], [], [], []
    for one in graph.operators:
        name = one.module or graph.computation
        if name not in modules:
            modules[name] = Node("module", name, name)
            top.append((root, modules[name]))
        operators[one.writes] = Node("operator", one.writes, one.kind)
        middle.append((modules[name], operators[one.writes]))
    kernels = {}
    hardware = {name: Node("hardware", name, name) for name in HARDWARE}
    for number, kernel in enumerate(lower(graph, way, parts).kernels, start=1):
        node = Node("kernel", f"{number}", " + ".join(one.kind for one in kernel.operators))
        kernels[number] = node
        low += [(operators[name], node) for name in kernel.origins]
        lowest += [(node, hardware[name]) for name in _uses(kernel)]
    used = {lower_end for _, lower_end in lowest}
    units = [node for node in hardware.values() if node in used]
    nodes = (root, *modules.values(), *operators.values(), *kernels.values(), *units)
    return LayerMap(nodes, (*top, *middle, *low, *lowest))


def _uses(kernel: Kernel) -> list[str]:
    uses = {*EVERY_KERNEL, *(name for one in kernel.operators for name in USES[one.kind])}
    return [name for name in HARDWARE if name in uses]
