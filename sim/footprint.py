"""The region of an array that a tile of a loop nest needs, derived from affine indices.

A tile fixes a range for each loop variable. Each index is then smallest and largest at a corner of the tile, which
gives the region: a box. Of the box, exactly those elements are touched that some point of the tile maps to; with
i, j, k as indices that is all of it, with 2*i every other row.

Source: P. Feautrier, International Journal of Parallel Programming 20, 1991; the image of a box under an affine map.
Left out: the array's bounds (an index may be negative, as at the edge of a convolution); order; sectors and lines.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from operator import add

from sim.affine import Access, parse
from sim.inputs import whole

MAX_EXTENT = 1024
MAX_ORIGIN = 2**20
MAX_LISTED = 4_096  # more cannot be told apart in a drawing
MAX_BOX = 2**21  # elements of a box, or of a part of it, in which touched ones are counted


@dataclass(frozen=True, slots=True)
class Region:
    """What one access of a tile needs. Tuples go by dimension of the array."""

    access: Access
    first: tuple[int, ...]
    """Smallest index."""
    extents: tuple[int, ...]
    """Largest index less the smallest, plus 1."""
    points: int
    """Points of the tile, each of which makes the access once."""
    images: tuple["Image", ...]

    @property
    def box(self) -> int:
        """Elements between the first and the last of every dimension."""
        return prod(self.extents)

    @property
    def touched(self) -> int:
        """Elements of the box that some point of the tile asks for."""
        return prod(image.mask.bit_count() for image in self.images)

    @property
    def uses(self) -> float:
        """How often each of them is used by the tile, on average."""
        return self.points / self.touched

    def elements(self) -> tuple[tuple[int, ...], ...]:
        """Every touched element, in order; ValueError beyond 4,096.

        >>> region("X[2*i, k]", {"i": 2, "k": 2}).elements()
        ((0, 0), (0, 1), (2, 0), (2, 1))
        """
        if self.touched > MAX_LISTED:
            raise ValueError(f"{self.touched} elements are touched; at most {MAX_LISTED} are listed")
        if self.touched == self.box:
            return tuple(product(*map(range, self.first, map(add, self.first, self.extents))))
        found: list[dict[int, int]] = [{}]
        for image in self.images:
            places = image.places()
            found = [known | place for known in found for place in places]
        return tuple(sorted(tuple(start + place[d] for d, start in enumerate(self.first)) for place in found))


@dataclass(frozen=True, slots=True)
class Image:
    """Touched places of some dimensions that share loop variables; other dimensions are independent of these."""

    dimensions: tuple[int, ...]
    widths: tuple[int, ...]
    mask: int
    """Bit o is set if the place of row-major offset o in the box of these dimensions is touched."""

    def places(self) -> list[dict[int, int]]:
        """Index, from the first of the box, by dimension."""
        found = []
        for offset, bit in enumerate(reversed(f"{self.mask:b}")):
            if bit == "1":
                place, left = {}, offset
                for dimension, width in zip(reversed(self.dimensions), reversed(self.widths), strict=True):
                    left, place[dimension] = divmod(left, width)
                found.append(place)
        return found


def footprint(text: str, tile: Mapping[str, int], origin: Mapping[str, int] | None = None) -> tuple[Region, ...]:
    """The region of each access in the statement, in the order typed.

    Args:
        text: as `sim.affine.parse` reads it, for example "C[i, j] += A[i, k] * W[k, j]".
        tile: extent of each loop variable, 1 to 1024; its names are the loop variables.
        origin: first value of each loop variable, 0 to 2²⁰; 0 where it is not given.

    Raises:
        ValueError: anything else, and a span of more than 2²¹ elements in dimensions that share loop variables.

    >>> for need in footprint("C[i, j] += A[i, k] * W[k, j]", {"i": 64, "j": 64, "k": 32}):
    ...     print(need.access.array, need.extents, need.touched, need.uses)
    C (64, 64) 4096 32.0
    A (64, 32) 2048 64.0
    W (32, 64) 2048 64.0
    """
    if not tile:
        raise ValueError("the tile is empty; give the extent of one loop variable at least")
    starts = dict(origin or {})
    if unknown := sorted(starts.keys() - tile.keys()):
        raise ValueError(f"origin has {unknown[0]!r}, which the tile has not; it has {', '.join(tile)}")
    for name, extent in tile.items():
        whole(f"the extent of {name}", extent, 1, MAX_EXTENT)
        whole(f"the origin of {name}", starts.setdefault(name, 0), 0, MAX_ORIGIN)
    return tuple(_region(access, tile, starts) for access in parse(text, tuple(tile)))


def region(text: str, tile: Mapping[str, int], origin: Mapping[str, int] | None = None) -> Region:
    """The region of the first access of the text; raises as `footprint`."""
    return footprint(text, tile, origin)[0]


def _region(access: Access, tile: Mapping[str, int], origin: Mapping[str, int]) -> Region:
    first, extents = [], []
    for index in access.indices:
        at_origin = index.constant + sum(step * origin[name] for name, step in index.terms)
        reach = [step * (tile[name] - 1) for name, step in index.terms]
        first.append(at_origin + sum(min(0, far) for far in reach))
        extents.append(sum(map(abs, reach)) + 1)
    images = tuple(_image(access, dimensions, extents, tile) for dimensions in _groups(access))
    return Region(access, tuple(first), tuple(extents), prod(tile.values()), images)


def _groups(access: Access) -> list[list[int]]:
    """Dimensions, together when they share a loop variable, directly or through others."""
    groups: list[tuple[set[str], list[int]]] = []
    for dimension, index in enumerate(access.indices):
        names, members = set(index.coefficients), [dimension]
        for other in [group for group in groups if group[0] & names]:
            groups.remove(other)
            names, members = names | other[0], other[1] + members
        groups.append((names, sorted(members)))
    return [members for _, members in groups]


def _image(access: Access, dimensions: list[int], extents: list[int], tile: Mapping[str, int]) -> Image:
    widths = [extents[dimension] for dimension in dimensions]
    if prod(widths) > MAX_BOX:
        raise ValueError(
            f"{access.text} spans {prod(widths)} elements; at most {MAX_BOX} are counted, so use a smaller tile or "
            "smaller factors"
        )
    pitches = [prod(widths[at + 1 :]) for at in range(len(widths))]
    mask, lowest, corner = 1, 0, 0
    for name, extent in tile.items():
        moves = [
            access.indices[dimension].coefficients.get(name, 0) * pitch
            for dimension, pitch in zip(dimensions, pitches, strict=True)
        ]
        mask = _swept(mask, abs(sum(moves)), extent)
        lowest += min(0, sum(moves) * (extent - 1))
        corner += sum(min(0, move * (extent - 1)) for move in moves)
    return Image(tuple(dimensions), tuple(widths), mask << lowest - corner)


def _swept(mask: int, step: int, extent: int) -> int:
    """The mask moved by 0, step, …, (extent - 1)·step and all of these laid together, by doubling."""
    done = 1
    while done < extent:
        more = min(done, extent - done)
        mask |= mask << step * more
        done += more
    return mask
