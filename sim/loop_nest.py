"""Y = SiLU(A·W) as a loop nest: in which order the loops run and what is done in which of them.

A is M×K, W is K×N, both BF16; sums are FP32. C = A·W is rounded to BF16 and SiLU is taken of the rounded value, as in
two kernels one after the other. Copies of A and W are made in the loops that `staged` names; the activation is done
in the loop `at`, once for each element, or in a second pass over all of C (None). The sum of an element starts before
the outermost loop over k and ends after it; if loops over i or j lie inside, sums of a whole region are live at once.

Source: the schedules of J. Ragan-Kelley et al., PLDI 2013 (Halide: split, reorder, fuse, compute_at) and T. Chen et
al., OSDI 2018 (TVM: cache_read, here stage).
Left out: factors that do not divide; threads; vector loads; unrolling.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

ARRAYS = {"A": "ik", "W": "kj"}
"""The axes of the operands, by dimension."""


@dataclass(frozen=True, slots=True)
class Part:
    """A loop over part of an axis: each of its ``extent`` passes moves ``stride`` elements along ``axis``."""

    name: str
    axis: str
    extent: int
    stride: int


@dataclass(frozen=True, slots=True)
class Loop:
    """One `for`; more than one part when loops were fused, the outermost first."""

    parts: tuple[Part, ...]

    @property
    def name(self) -> str:
        """The loop's variable."""
        return "_".join(part.name for part in self.parts)

    @property
    def extent(self) -> int:
        """Passes."""
        return volume(self.parts)

    @property
    def reduces(self) -> bool:
        """Whether it runs over k."""
        return self.parts[0].axis == "k"


@dataclass(frozen=True, slots=True)
class Nest:
    """The loops from the outermost in, and what is done in which."""

    sizes: tuple[int, int, int]
    """M, N, K."""
    loops: tuple[Loop, ...]
    staged: tuple[tuple[str, str], ...] = ()
    """(array, loop): a copy of what the body of the loop needs is made at its start."""
    at: str | None = None
    rounded: bool = True
    on_chip_bytes: int = 232_448  # what a block may have on an H100 (sim/gpus.toml)

    @property
    def names(self) -> tuple[str, ...]:
        """The loops' variables, from the outermost in."""
        return tuple(loop.name for loop in self.loops)

    @property
    def sum_depth(self) -> int:
        """How many loops lie outside the first one that adds more than one term to a sum."""
        long = (depth for depth, loop in enumerate(self.loops) if loop.reduces and loop.extent > 1)
        return next(long, len(self.loops))

    def inside(self, depth: int, axes: str) -> tuple[Part, ...]:
        """The parts over these axes of all loops from the depth in."""
        return tuple(part for loop in self.loops[depth:] for part in loop.parts if part.axis in axes)

    def depth_in(self, name: str) -> int:
        """How many loops are around the body of that one."""
        return self.names.index(name) + 1


def plain(M: int, N: int, K: int, on_chip_bytes: int = 232_448) -> Nest:
    """The plain program: loops i, j, k, nothing staged, the activation in a second pass."""
    loops = tuple(Loop((Part(axis, axis, extent, 1),)) for axis, extent in zip("ijk", (M, N, K), strict=True))
    return Nest((M, N, K), loops, on_chip_bytes=on_chip_bytes)


def volume(parts: Iterable[Part]) -> int:
    """Product of the extents."""
    return prod(part.extent for part in parts)
