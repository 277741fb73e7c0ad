"""Transforming the loop nest of Y = SiLU(A·W), step by step, without changing a bit of the result.

split i 64: a loop of e passes becomes e/64 times 64. reorder i0 j0 …: all loops from the outermost in. fuse i0 j0: two
loops, one directly inside the other, become one. stage A k0: copy what the body of k0 needs of A. compute_at j0: do
the activation in the body of j0, on what is complete there. drop_rounding: leave C in FP32.

Three dependences forbid an order, and the refusal names the one in the way: every addition needs the sum before it,
so k = 0, 1, 2, … stays the order of each sum (FP32 addition is not associative); SiLU needs the last addition; and it
needs C as rounded to BF16. Every order allowed gives the same bits.

Source: as sim/loop_nest.py; dependence as in R. Allen, K. Kennedy, Optimizing Compilers for Modern Architectures.
Left out: as sim/loop_nest.py; loops fused over k and not over k; computing a part twice.
"""

from dataclasses import dataclass, replace

from sim.inputs import whole
from sim.loop_ledger import LoopLedger, ledger
from sim.loop_nest import ARRAYS, Loop, Nest, Part, plain
from sim.loop_program import Line, program

MAX_SIZE = 2**20  # of M, N and K
MAX_LOOPS = 12
MAX_STEPS = 40


class IllegalOrder(ValueError):
    """A nest that would compute something else; ``dependence`` is what forbids it, ``why`` what would happen."""

    def __init__(self, dependence: str, why: str, command: str = "") -> None:
        super().__init__(": ".join(filter(None, (command, dependence, why))))
        self.dependence, self.why, self.command = dependence, why, command


@dataclass(frozen=True, slots=True)
class Step:
    """The nest after one command; the first has none."""

    command: str
    nest: Nest
    program: tuple[Line, ...]
    ledger: LoopLedger


def transform(script: str, M: int, N: int, K: int, on_chip_bytes: int = 232_448) -> tuple[Step, ...]:
    """Every state from the plain program on, for commands separated by semicolons or line ends.

    Sizes 1 to 2²⁰, ``on_chip_bytes`` ≥ 0, at most 40 commands and 12 loops. Raises IllegalOrder, which is a
    ValueError, for an order that a dependence forbids, and ValueError for anything else; both name the command.

    >>> tiled = "split i 64; split j 64; split k 32; reorder i0 j0 k0 i1 j1 k1; stage A k0; stage W k0"
    >>> *_, before, after = transform(tiled + "; compute_at j0", 1024, 12288, 4096)
    >>> (before.ledger.total_bytes - after.ledger.total_bytes) >> 20
    48
    >>> try:
    ...     transform("compute_at k", 1024, 12288, 4096)
    ... except IllegalOrder as problem:
    ...     print(problem.dependence)
    Y[i, j] needs the last addition to C[i, j]
    """
    for name, size in (("M", M), ("N", N), ("K", K)):
        whole(name, size, 1, MAX_SIZE)
    whole("on_chip_bytes", on_chip_bytes, 0)
    commands = [
        command for part in script.splitlines() for raw in part.split(";") if (command := " ".join(raw.split()))
    ]
    if len(commands) > MAX_STEPS:
        raise ValueError(f"there are {len(commands)} commands; at most {MAX_STEPS} are allowed")
    nest = plain(M, N, K, on_chip_bytes)
    steps = [_step("", nest)]
    for command in commands:
        try:
            nest = apply(nest, command)
            steps.append(_step(command, nest))
        except IllegalOrder as problem:
            raise IllegalOrder(problem.dependence, problem.why, command) from None
        except ValueError as problem:
            raise ValueError(f"{command}: {problem}") from None
    return tuple(steps)


def apply(nest: Nest, command: str) -> Nest:
    """The nest after one command; raises as `transform`."""
    match command.split():
        case ["split", name, factor]:
            changed = _split(nest, name, factor)
        case ["reorder", *names]:
            if sorted(names) != sorted(nest.names):
                raise ValueError(f"reorder needs every loop once: {' '.join(nest.names)}")
            changed = replace(nest, loops=tuple(nest.loops[nest.names.index(name)] for name in names))
        case ["fuse", outer, inner]:
            changed = _fuse(nest, outer, inner)
        case ["stage", array, name]:
            _known(nest, name)
            if array not in ARRAYS:
                raise ValueError(f"there is no operand {array!r}; stage {' or '.join(ARRAYS)}")
            others = tuple(staged for staged in nest.staged if staged[0] != array)
            changed = replace(nest, staged=tuple(sorted([*others, (array, name)])))
        case ["compute_at", name]:
            _known(nest, name)
            changed = replace(nest, at=name)
        case ["drop_rounding"]:
            changed = replace(nest, rounded=False)
        case _:
            forms = "split LOOP FACTOR, reorder LOOPS, fuse OUTER INNER, stage A|W LOOP, compute_at LOOP, drop_rounding"
            raise ValueError(f"this cannot be read; write one of: {forms}")
    check(changed)
    return changed


def check(nest: Nest) -> None:
    """Raise IllegalOrder for a nest that does not compute Y = SiLU(bf16(A·W)) bit for bit."""
    added = 1  # terms that the loops over k, from the innermost out, add in their order
    for part in reversed([part for part in nest.inside(0, "k") if part.extent > 1]):
        if part.stride != added:
            raise IllegalOrder(
                "each addition to C[i, j] needs the sum before it",
                f"k = {part.stride} would be added right after k = {added - 1}, and FP32 sums in another order round "
                f"differently; a loop of smaller steps along k must lie inside {part.name}",
            )
        added *= part.extent
    if nest.at is not None and (at := nest.depth_in(nest.at)) > nest.sum_depth:
        terms_there = 1
        for loop in nest.loops[at:]:
            terms_there *= loop.extent if loop.reduces else 1
        first = nest.names[nest.sum_depth]
        raise IllegalOrder(
            "Y[i, j] needs the last addition to C[i, j]",
            f"in {nest.at} the sum has {terms_there} of its {nest.sizes[2]} terms on the first pass; "
            f"compute_at a loop outside {first}",
        )
    if not nest.rounded:
        raise IllegalOrder(
            "Y[i, j] needs C[i, j] as rounded to BF16",
            "SiLU of the FP32 sum is another number; round first, wherever C is kept",
        )


def _step(command: str, nest: Nest) -> Step:
    lines = program(nest)
    return Step(command, nest, lines, ledger(nest, lines))


def _known(nest: Nest, name: str) -> Loop:
    if name not in nest.names:
        raise ValueError(f"there is no loop {name!r}; there are {' '.join(nest.names)}")
    return nest.loops[nest.names.index(name)]


def _split(nest: Nest, name: str, factor: str) -> Nest:
    loop = _known(nest, name)
    if len(loop.parts) > 1:
        raise ValueError(f"{name} was fused; split before fusing")
    if len(nest.loops) == MAX_LOOPS:
        raise ValueError(f"there are {MAX_LOOPS} loops already, the most that are allowed")
    digits = factor.lstrip("0") if factor.isascii() and factor.isdecimal() else ""
    if not 0 < len(digits) < 8 or loop.extent % int(digits):
        raise ValueError(f"the factor is {factor!r}; it must be a divisor of {loop.extent}, the passes of {name}")
    (part,), size = loop.parts, int(digits)
    outer = Part(f"{name}0", part.axis, part.extent // size, part.stride * size)
    inner = Part(f"{name}1", part.axis, size, part.stride)
    return _replaced(nest, name, (Loop((outer,)), Loop((inner,))))


def _fuse(nest: Nest, outer: str, inner: str) -> Nest:
    first, second = _known(nest, outer), _known(nest, inner)
    if nest.names.index(inner) != nest.names.index(outer) + 1:
        raise ValueError(f"{inner} does not lie directly inside {outer}; the order is {' '.join(nest.names)}")
    if first.reduces != second.reduces:
        raise ValueError(f"one of {outer} and {inner} runs over k and the other does not; fuse two of a kind")
    between = [f"the copy of {array}" for array, where in nest.staged if where == outer]
    if between := between + ["the activation"] * (nest.at == outer):
        raise ValueError(f"{' and '.join(between)} lies between {outer} and {inner}; move it first")
    fused = Loop(first.parts + second.parts)
    loops = tuple(loop for loop in nest.loops if loop is not first)
    return _replaced(replace(nest, loops=loops), inner, (fused,))


def _replaced(nest: Nest, name: str, loops: tuple[Loop, ...]) -> Nest:
    """The nest with other loops in the place of one; what was done in its body is done in the body of the last."""
    at, body = nest.names.index(name), loops[-1].name
    return replace(
        nest,
        loops=nest.loops[:at] + loops + nest.loops[at + 1 :],
        staged=tuple((array, body if where == name else where) for array, where in nest.staged),
        at=body if nest.at == name else nest.at,
    )
