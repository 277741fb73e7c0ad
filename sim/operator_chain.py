"""Which neighbours in a chain of operators may share a kernel, and what that kernel holds.

The blocks of a kernel work apart, so each must make itself all that its operators read. Two things decide
whether it can: what part of its input one element of an operator's output needs (that element, its row, the
whole tensor), and whether one block of an operator can make whole rows (a block of a tiled matrix product
makes a tile of some columns). Inside a kernel

- an operator that needs the whole tensor comes first: no block waits for all others;
- one that needs a row does not follow, however far back, one whose blocks make only parts of rows.

A kernel's registers are a base plus those of its operators, its shared memory the sum of theirs.

Source: dependences that forbid loop fusion: M. Wolfe, "High Performance Compilers for Parallel Computing",
1996. Traffic and memory: sim/fusion.py.
Left out: branches (an operator reads its predecessor and inputs); what a compiler lets operators share or
spills; barriers over the whole grid or a cluster, which allow more.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from sim.fusion import Kernel, execute
from sim.fusion_program import Operator, Program, Tensor
from sim.inputs import whole

MAX_STAGES = 16
MAX_REGISTERS = 255  # a thread's limit on every compute capability (CUDA C++ Programming Guide 13.0)
MAX_SHARED_BYTES = 1 << 20

Needs = Literal["element", "row", "tensor"]


@dataclass(frozen=True, slots=True)
class Stage:
    """One operator of a chain and what it needs and holds."""

    operator: Operator
    needs: Needs
    """What part of its predecessor's output one element of its own output needs."""
    owns_rows: bool
    """Whether one block can make whole rows of its output."""
    registers: int
    """Registers a thread that it adds to a kernel."""
    shared_bytes: int = 0
    """Bytes of shared memory a block that it adds."""


@dataclass(frozen=True, slots=True)
class Chain:
    """1 to 16 stages, each reading what the one before wrote, and nothing else but inputs.

    ``base_registers``: what every kernel holds. ValueError for a chain that branches, a value out of range,
    and all that `Program` refuses.
    """

    tensors: tuple[Tensor, ...]
    stages: tuple[Stage, ...]
    base_registers: int = 0

    def __post_init__(self) -> None:
        _check(self)

    @property
    def program(self) -> Program:
        """Its operators and tensors alone."""
        return Program(self.tensors, tuple(stage.operator for stage in self.stages))


@dataclass(frozen=True, slots=True)
class Part:
    """Stages ``start`` to ``stop`` (exclusive) in one kernel."""

    start: int
    stop: int
    kernel: Kernel
    registers: int
    shared_bytes: int
    problem: str | None
    """Why it is illegal; None if it is legal."""

    @property
    def traffic_bytes(self) -> int:
        """Bytes read and written."""
        return self.kernel.read_bytes + self.kernel.write_bytes


def parts(chain: Chain) -> dict[tuple[int, int], Part]:
    """Every run of neighbours as one kernel, by (start, stop): n·(n + 1)/2 of them.

    In a chain, what a kernel reads, writes and leaves alive does not depend on how the rest is cut.

    >>> from sim.fusion_program import Read
    >>> tensors = tuple(Tensor(name, 8) for name in "xyz")
    >>> product = Stage(Operator("product", (Read("x"),), "y"), "row", owns_rows=False, registers=64)
    >>> softmax = Stage(Operator("softmax", (Read("y"),), "z"), "row", owns_rows=True, registers=8)
    >>> parts(Chain(tensors, (product, softmax)))[0, 2].problem
    'softmax needs whole rows, and a block of product makes only part of one'
    """
    program, stages, found = chain.program, chain.stages, {}
    for start in range(len(stages)):
        for stop in range(start + 1, len(stages) + 1):
            sizes = [size for size in (start, stop - start, len(stages) - stop) if size]
            kernel = execute(program, sizes).kernels[start > 0]
            group = stages[start:stop]
            registers = chain.base_registers + sum(stage.registers for stage in group)
            shared = sum(stage.shared_bytes for stage in group)
            found[start, stop] = Part(start, stop, kernel, registers, shared, _problem(group))
    return found


def _problem(group: tuple[Stage, ...]) -> str | None:
    partial = None if group[0].owns_rows else group[0]
    for stage in group[1:]:
        if stage.needs == "tensor":
            return f"{stage.operator.name} needs the whole tensor, and no block waits for all others"
        if stage.needs == "row" and partial:
            maker = partial.operator.name
            return f"{stage.operator.name} needs whole rows, and a block of {maker} makes only part of one"
        if not stage.owns_rows:
            partial = partial or stage
    return None


def _check(chain: Chain) -> None:
    if not 1 <= len(chain.stages) <= MAX_STAGES:
        raise ValueError(f"{len(chain.stages)} stages given; give 1 to {MAX_STAGES}")
    inputs = set(chain.program.inputs)
    before: set[str] = set()
    for stage in chain.stages:
        name = stage.operator.name
        made = {read.tensor for read in stage.operator.reads} - inputs
        if made != before:
            raise ValueError(
                f"{name!r} reads {sorted(made)} of what operators wrote; in a chain it must read {sorted(before)}"
            )
        before = {stage.operator.writes}
        if stage.needs not in get_args(Needs):
            raise ValueError(f'{name!r} needs {stage.needs!r}; it must be "element", "row" or "tensor"')
        if type(stage.owns_rows) is not bool:
            raise ValueError(f"{name!r}: owns_rows is {stage.owns_rows!r}; it must be True or False")
        whole(f"{name!r}: registers", stage.registers, 0, MAX_REGISTERS)
        whole(f"{name!r}: shared_bytes", stage.shared_bytes, 0, MAX_SHARED_BYTES)
    whole("base_registers", chain.base_registers, 0, MAX_REGISTERS)
