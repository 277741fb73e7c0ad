"""Which lane touches which address when a matrix is transposed through a tile in shared memory.

A block takes a t × t tile of the input. Its warps load rows of it from global memory and store them to shared memory;
after a barrier they load columns from there and store them as rows of the output. Lane l of request q works on cell
32·q + l of the tile, row by row, so with t < 32 a request covers 32/t rows of t elements. Lanes outside the matrix
are inactive. Without staging each lane would store its element straight to where it goes: down a column of the output.

Source: M. Harris, "An Efficient Matrix Transpose in CUDA C/C++", NVIDIA blog, 2013; layouts of the tile:
`sim.tile_addresses`.
Left out: which warp issues which request; tiles of both matrices that do not lie row after row without a gap.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from sim.bank_conflicts import INACTIVE, WARP_LANES
from sim.inputs import whole
from sim.tile_addresses import Tile

Stage = Literal["global load", "shared store", "shared load", "global store", "direct store"]

TILES = (1, 2, 4, 8, 16, 32, 64)
MAX_SIDE = 65_536


@dataclass(frozen=True, slots=True)
class Plan:
    """The addresses of every request of every stage.

    Raises:
        ValueError: a side outside 1..65,536; a tile that is not square with a power of two ≤ 64 on its side.
    """

    rows: int
    """Of the input, which starts at byte 0 of its own allocation, as does the output."""
    columns: int
    layout: Tile
    """Of the tile in shared memory."""

    def __post_init__(self) -> None:
        for name in ("rows", "columns"):
            whole(name, getattr(self, name), 1, MAX_SIDE)
        if self.layout.rows not in TILES or self.layout.columns != self.layout.rows:
            raise ValueError(
                f"the tile is {self.layout.rows} × {self.layout.columns}; it must be square, with one of "
                f"{', '.join(map(str, TILES))} on its side"
            )

    @property
    def requests(self) -> int:
        """Requests that cover a tile in one stage."""
        return -(-(self.layout.rows**2) // WARP_LANES)

    def addresses(self, stage: Stage, request: int, tile_row: int = 0, tile_column: int = 0) -> tuple[int, ...]:
        """Byte address of each lane, -1 if inactive, in one request for the tile at this place, counted in tiles.

        Raises:
            ValueError: another stage; a request or a tile that does not exist.

        >>> Plan(1024, 1024, Tile(32, 32, pitch_words=33)).addresses("shared load", request=0)[:4]
        (0, 132, 264, 396)
        """
        side = self.layout.rows
        if stage not in get_args(Stage):
            raise ValueError(f"stage is {stage!r}; it must be one of {', '.join(get_args(Stage))}")
        for name, value, end in (
            ("request", request, self.requests),
            ("tile_row", tile_row, -(-self.rows // side)),
            ("tile_column", tile_column, -(-self.columns // side)),
        ):
            whole(name, value, 0, end - 1)
        corner = tile_row * side, tile_column * side
        height, width = self.inside(stage, corner)
        cells = (divmod(request * WARP_LANES + lane, side) for lane in range(WARP_LANES))
        return tuple(
            self.address(stage, corner, row, column) if row < height and column < width else INACTIVE
            for row, column in cells
        )

    def inside(self, stage: Stage, corner: tuple[int, int]) -> tuple[int, int]:
        """Rows and columns inside the matrix of the tile at this corner of the input, as the stage walks it."""
        height = min(self.layout.rows, self.rows - corner[0])
        width = min(self.layout.rows, self.columns - corner[1])
        return (width, height) if stage in ("shared load", "global store") else (height, width)

    def address(self, stage: Stage, corner: tuple[int, int], row: int, column: int) -> int:
        """Byte address of a cell of the tile as the stage walks it; nothing is checked."""
        match stage:
            case "shared store":
                return self.layout.address(row, column)
            case "shared load":
                return self.layout.address(column, row)
            case "global load":
                element = (corner[0] + row) * self.columns + corner[1] + column
            case "global store":
                element = (corner[1] + row) * self.rows + corner[0] + column
            case "direct store":
                element = (corner[1] + column) * self.rows + corner[0] + row
        return element * self.layout.width_bytes
