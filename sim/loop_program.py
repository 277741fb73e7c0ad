"""The program that a loop nest stands for, line by line.

It is Python with four words of its own: zeros and empty make buffers, bf16 rounds, silu is the function. Buffers are
numbered without gaps from 0; A, W, C and Y by their own rows and columns.

Source: this book's own notation for `sim.loop_nest`; the tests run these lines.
Left out: which lines run in parallel; types, which `sim.loop_nest` fixes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sim.loop_nest import ARRAYS, Loop, Nest, Part, volume

Kind = Literal["loop", "load", "sum", "product", "store", "activation"]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the program; ``buffers``: those it makes, fills or reads."""

    depth: int
    text: str
    kind: Kind
    buffers: tuple[str, ...] = ()


def program(nest: Nest) -> tuple[Line, ...]:
    """The program's lines. Nothing is checked: an illegal nest has a program, too, which computes something else.

    >>> from sim.loop_nest import plain
    >>> print(text(program(plain(4, 4, 8))))
    for i in range(4):
        for j in range(4):
            acc = 0.0
            for k in range(8):
                acc += A[i, k] * W[k, j]
            C[i, j] = bf16(acc)
    for i in range(4):
        for j in range(4):
            Y[i, j] = bf16(silu(C[i, j]))
    """
    lines: list[Line] = []
    sums = nest.sum_depth
    at = None if nest.at is None else nest.depth_in(nest.at)
    acc = _local(nest, "acc", "ij", sums)
    for depth, loop in enumerate([*nest.loops, None]):
        if depth == sums:
            shape = _shape(nest, "ij", sums)
            lines.append(Line(depth, f"acc = zeros({shape})" if shape else "acc = 0.0", "sum", ("acc",)))
        if loop is None:
            break
        lines += _for(depth, loop)
        for array, where in nest.staged:
            if where == loop.name:
                lines += _copy(nest, array, depth + 1)
        if depth + 1 == at and at < sums and (shape := _shape(nest, "ij", at)):
            lines.append(Line(at, f"C_part = empty({shape})", "store", ("C_part",)))
    operands = [_operand(nest, array) for array in ARRAYS]
    used = ("acc", *(f"{array}_tile" for array, _ in nest.staged))
    lines.append(Line(len(nest.loops), f"{acc} += {' * '.join(operands)}", "product", used))
    place, whole = f"[{_index(nest, 'i')}, {_index(nest, 'j')}]", f"bf16({acc})" if nest.rounded else acc
    if at is None:
        lines += _over(sums, nest.inside(sums, "ij"), f"C{place} = {whole}", "store", ("acc", "C"))
        second = tuple(Part(axis, axis, size, 1) for axis, size in zip("ij", nest.sizes, strict=False))
        lines += _over(0, second, "Y[i, j] = bf16(silu(C[i, j]))", "activation", ("C",))
    elif at >= sums:
        first = [f"{part.name} == 0" for loop in nest.loops[sums:at] if loop.reduces for part in loop.parts]
        if first:  # illegal: the sum is not complete, but the one activation of an element is done here
            lines.append(Line(at, f"if {' and '.join(first)}:", "activation"))
        activation = f"Y{place} = bf16(silu({whole}))"
        lines += _over(at + bool(first), nest.inside(at, "ij"), activation, "activation", ("acc",))
    else:
        part = _local(nest, "C_part", "ij", at)
        lines += _over(sums, nest.inside(sums, "ij"), f"{part} = {whole}", "store", ("acc", "C_part"))
        lines += _over(at, nest.inside(at, "ij"), f"Y{place} = bf16(silu({part}))", "activation", ("C_part",))
    return tuple(lines)


def text(lines: Sequence[Line]) -> str:
    """The lines as one indented text."""
    return "\n".join("    " * line.depth + line.text for line in lines)


def _for(depth: int, loop: Loop) -> list[Line]:
    lines = [Line(depth, f"for {loop.name} in range({loop.extent}):", "loop")]
    if len(loop.parts) > 1:
        inner = [volume(loop.parts[at + 1 :]) for at in range(len(loop.parts))]
        values = [f"{loop.name} // {passes}" if passes > 1 else loop.name for passes in inner]
        values[1:] = [f"{value} % {part.extent}" for value, part in zip(values[1:], loop.parts[1:], strict=True)]
        names = ", ".join(part.name for part in loop.parts)
        lines.append(Line(depth + 1, f"{names} = {', '.join(values)}", "loop"))
    return lines


def _over(depth: int, parts: Sequence[Part], statement: str, kind: Kind, buffers: tuple[str, ...]) -> list[Line]:
    loops = [Line(depth + at, f"for {part.name} in range({part.extent}):", kind) for at, part in enumerate(parts)]
    return [*loops, Line(depth + len(parts), statement, kind, buffers)]


def _copy(nest: Nest, array: str, depth: int) -> list[Line]:
    axes, name = ARRAYS[array], f"{array}_tile"
    copied = f"{_local(nest, name, axes, depth)} = {array}[{', '.join(_index(nest, axis) for axis in axes)}]"
    shape = _shape(nest, axes, depth)
    made = [Line(depth, f"{name} = empty({shape})", "load", (name,))] if shape else []
    return made + _over(depth, nest.inside(depth, axes), copied, "load", (name,))


def _operand(nest: Nest, array: str) -> str:
    for staged, where in nest.staged:
        if staged == array:
            return _local(nest, f"{array}_tile", ARRAYS[array], nest.depth_in(where))
    return f"{array}[{', '.join(_index(nest, axis) for axis in ARRAYS[array])}]"


def _index(nest: Nest, axis: str) -> str:
    return _terms([(part.name, part.stride) for part in nest.inside(0, axis)])


def _local(nest: Nest, name: str, axes: str, depth: int) -> str:
    """An element of a buffer made at the depth; its places are numbered without gaps."""
    indices = []
    for axis in axes:
        if parts := sorted(nest.inside(depth, axis), key=lambda part: part.stride, reverse=True):
            indices.append(_terms([(part.name, volume(parts[at + 1 :])) for at, part in enumerate(parts)]))
    return f"{name}[{', '.join(indices)}]" if indices else name


def _shape(nest: Nest, axes: str, depth: int) -> str:
    extents = [volume(parts) for axis in axes if (parts := nest.inside(depth, axis))]
    return ", ".join(map(str, extents))


def _terms(terms: list[tuple[str, int]]) -> str:
    ordered = sorted(terms, key=lambda term: term[1], reverse=True)
    return " + ".join(name if stride == 1 else f"{stride}*{name}" for name, stride in ordered)
