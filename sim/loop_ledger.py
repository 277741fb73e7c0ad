"""What a loop nest keeps and moves: its buffers, how long they live, and the bytes that visit device memory.

Counted as the program says: each mention of A, W, C or Y is one element moved, and each mention of an element of a
buffer too large for the chip. A buffer lives for one pass of the loop it is made in. Copies of A and W must fit on the
chip; then the sums are placed, then what is left of C, on the chip if there is room and in device memory if not.
A buffer of one element is a register and always fits. Without a loop around it, C is the whole intermediate, and
always in device memory.

Source: each count is the product of the loops around the mention; the tests run the program and count.
Left out: caches; registers for more than one element; sectors; the time at which a line runs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from sim.loop_nest import ARRAYS, Nest, volume
from sim.loop_program import Line

ELEMENT_BYTES = 2  # BF16
SUM_BYTES = 4  # FP32


@dataclass(frozen=True, slots=True)
class Buffer:
    """Storage that the program makes."""

    name: str
    bytes: int
    on_chip: bool
    scope: str | None
    """It lives for one pass of this loop; None: as long as the program."""
    made: int
    """How often in all."""
    first_line: int
    last_line: int
    """Lines of the program, from 0, that make it and that use it last."""


@dataclass(frozen=True, slots=True)
class Moved:
    """Bytes between device memory and the chip, of one array or buffer."""

    read_bytes: int
    written_bytes: int


@dataclass(frozen=True, slots=True)
class LoopLedger:
    """One nest's account."""

    buffers: tuple[Buffer, ...]
    moved: Mapping[str, Moved]
    output_tiles: int
    """How often a region of sums is begun."""
    k_steps: int
    """Passes of the loops over k around the innermost copy of A or W; without a copy, K."""

    @property
    def total_bytes(self) -> int:
        """Device memory traffic."""
        return sum(moved.read_bytes + moved.written_bytes for moved in self.moved.values())

    @property
    def on_chip_bytes(self) -> int:
        """Live at once on the chip, at most."""
        return sum(buffer.bytes for buffer in self.buffers if buffer.on_chip)

    @property
    def intermediate_bytes(self) -> int:
        """Traffic of C and of sums: what is neither input nor output."""
        return sum(
            moved.read_bytes + moved.written_bytes for name, moved in self.moved.items() if name not in ("A", "W", "Y")
        )

    def __getitem__(self, name: str) -> Buffer:
        """The buffer of that name; KeyError if there is none."""
        return {buffer.name: buffer for buffer in self.buffers}[name]


def ledger(nest: Nest, lines: tuple[Line, ...]) -> LoopLedger:
    """The account of a nest that `sim.loop_transforms` found legal, and of its program.

    Raises ValueError if a copy does not fit on the chip.

    >>> from sim.loop_nest import plain
    >>> from sim.loop_program import program
    >>> ffn = plain(1024, 12288, 4096)
    >>> account = ledger(ffn, program(ffn))
    >>> account["C"].bytes >> 20, account.intermediate_bytes >> 20
    (24, 48)
    """
    M, N, K = nest.sizes
    buffers: list[Buffer] = []
    moved = {array: Moved(ELEMENT_BYTES * M * N * K, 0) for array in ARRAYS}
    room = nest.on_chip_bytes
    for array, where in nest.staged:
        depth = nest.depth_in(where)
        buffer = _buffer(nest, lines, f"{array}_tile", ARRAYS[array], depth, ELEMENT_BYTES, room)
        if not buffer.on_chip:
            raise ValueError(
                f"the copy of {array} in loop {where} takes {buffer.bytes} bytes; {room} of "
                f"{nest.on_chip_bytes} are left on the chip, so copy it further in or split the loops"
            )
        room -= buffer.bytes
        buffers.append(buffer)
        moved[array] = Moved(buffer.made * buffer.bytes, 0)
    sums = nest.sum_depth
    acc = _buffer(nest, lines, "acc", "ij", sums, SUM_BYTES, room)
    buffers.append(acc)
    if not acc.on_chip:  # begun, then read and written for each term, then read
        moved["acc"] = Moved(SUM_BYTES * M * N * (K + 1), SUM_BYTES * M * N * (K + 1))
    at = 0 if nest.at is None else nest.depth_in(nest.at)
    if at < sums or nest.at is None:
        room -= acc.bytes * acc.on_chip
        width = ELEMENT_BYTES if nest.rounded else SUM_BYTES
        c = _buffer(nest, lines, "C_part" if at else "C", "ij", at, width, room)
        c = c if at else replace(c, on_chip=False)
        buffers.append(c)
        if not c.on_chip:
            moved[c.name] = Moved(width * M * N, width * M * N)
    moved["Y"] = Moved(0, ELEMENT_BYTES * M * N)
    steps = max((nest.depth_in(where) for _, where in nest.staged), default=len(nest.loops))
    k_steps = volume(part for loop in nest.loops[:steps] for part in loop.parts if loop.reduces)
    return LoopLedger(tuple(buffers), MappingProxyType(moved), acc.made, k_steps)


def _buffer(nest: Nest, lines: tuple[Line, ...], name: str, axes: str, depth: int, width: int, room: int) -> Buffer:
    size = width * volume(nest.inside(depth, axes))
    used = [number for number, line in enumerate(lines) if name in line.buffers]
    made = volume(part for loop in nest.loops[:depth] for part in loop.parts)
    return Buffer(
        name, size, size <= max(room, width), nest.names[depth - 1] if depth else None, made, used[0], used[-1]
    )
