"""Operators in the order in which they run, and the tensors between them.

An operator makes one tensor of others; a tensor that no operator makes is an input, one that none reads a
result. In tiles an operator may read a tensor several times over, as a matrix product reads its left matrix
once a column of tiles: the times are part of the description.

Source: single assignment (every tensor is written once), as in any dataflow graph.
Left out: operators with several outputs; what the tensors hold.
"""

from dataclasses import dataclass

from sim.inputs import whole

MAX_OPERATORS = 64
MAX_TENSOR_BYTES = 1 << 50
MAX_TIMES = 1 << 20


@dataclass(frozen=True, slots=True)
class Tensor:
    """An array of ``size_bytes`` bytes in device memory."""

    name: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Read:
    """``tensor`` is read whole ``times`` times."""

    tensor: str
    times: int = 1


@dataclass(frozen=True, slots=True)
class Operator:
    """Makes one tensor of others."""

    name: str
    reads: tuple[Read, ...]
    writes: str


@dataclass(frozen=True, slots=True)
class Program:
    """Operators in the order in which they run, and every tensor that they name.

    ValueError for 0 or more than 64 operators; a tensor named twice, unknown, unused, written twice, or read
    before it is written; bytes outside 0 to 2^50 or times outside 1 to 2^20.
    """

    tensors: tuple[Tensor, ...]
    operators: tuple[Operator, ...]

    def __post_init__(self) -> None:
        _check(self)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Tensors that no operator writes."""
        made = {operator.writes for operator in self.operators}
        return tuple(tensor.name for tensor in self.tensors if tensor.name not in made)


def _check(program: Program) -> None:
    if not 1 <= len(program.operators) <= MAX_OPERATORS:
        raise ValueError(f"{len(program.operators)} operators given; give 1 to {MAX_OPERATORS}")
    known: set[str] = set()
    for tensor in program.tensors:
        if tensor.name in known:
            raise ValueError(f"tensor {tensor.name!r} is named twice; give every tensor a name of its own")
        whole(f"tensor {tensor.name!r}: size_bytes", tensor.size_bytes, 0, MAX_TENSOR_BYTES)
        known.add(tensor.name)
    ready = set(program.inputs)
    for operator in program.operators:
        for read in operator.reads:
            if read.tensor not in ready:
                raise ValueError(f"{operator.name!r} reads {read.tensor!r}, which is unknown or not yet written")
            whole(f"{operator.name!r} reads {read.tensor!r}: times", read.times, 1, MAX_TIMES)
        if operator.writes not in known or operator.writes in ready:
            raise ValueError(f"{operator.name!r} writes {operator.writes!r}, which is unknown or already written")
        ready.add(operator.writes)
    unused = set(program.inputs) - {read.tensor for operator in program.operators for read in operator.reads}
    if unused:
        raise ValueError(f"tensor {min(unused)!r} is neither read nor written; leave it out")
