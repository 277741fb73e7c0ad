"""Transposing a matrix through a tile in shared memory: sectors and wavefronts of each stage.

Rows go in, columns come out (`sim.transpose_addresses`). Global memory is asked for whole rows both times, whatever
the layout; the price moves to shared memory, where a column may queue at one bank. Padding or a swizzle spreads it.
A request without an active lane is not made.

Source: M. Harris, "An Efficient Matrix Transpose in CUDA C/C++", NVIDIA blog, 2013; the counts are those of
`sim.coalescing` and `sim.bank_conflicts`.
Left out: time; caches, which may gather the partial sectors of direct stores.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

from sim import bank_conflicts, coalescing
from sim.bank_conflicts import BANKS, INACTIVE, PART_LANES, WARP_LANES, WORD_BYTES
from sim.coalescing import SECTOR_BYTES
from sim.inputs import whole
from sim.tile_addresses import Swizzle, Tile, TileTotals
from sim.transpose_addresses import TILES, Plan, Stage

Corner = tuple[int, int]


@dataclass(frozen=True, slots=True)
class GlobalTotals:
    """Totals of one stage in global memory over the whole matrix."""

    requests: int
    sectors: int
    bytes_used: int

    @property
    def sectors_per_request(self) -> float:
        """The profiler's `l1tex__average_t_sectors_per_request`."""
        return self.sectors / self.requests

    @property
    def efficiency(self) -> float:
        """Bytes used / bytes moved, in (0, 1]."""
        return self.bytes_used / (SECTOR_BYTES * self.sectors)


@dataclass(frozen=True, slots=True)
class Transpose:
    """Totals of each stage over the whole matrix; single requests are in the plan."""

    plan: Plan
    global_loads: GlobalTotals
    shared_stores: TileTotals
    shared_loads: TileTotals
    global_stores: GlobalTotals
    direct_stores: GlobalTotals
    """What the stores would be without staging."""


def simulate(
    rows: int = 1024,
    columns: int = 1024,
    tile: int = 32,
    padding_words: int = 0,
    swizzle: Swizzle = "none",
    element_bytes: int = 4,
) -> Transpose:
    """Count what a transposition of a rows × columns matrix asks of global and shared memory.

    Args:
        rows, columns: of the input, 1..65,536.
        tile: side of the tile, a power of two up to 64.
        padding_words: 4-byte words added to each row of the tile in shared memory, ≥ 0.
        swizzle: layout of the tile, see `sim.tile_addresses`.
        element_bytes: 4, 8 or 16.

    Raises:
        ValueError: a value outside its range; a layout that such a tile cannot have.

    >>> plain, padded = simulate(tile=32), simulate(tile=32, padding_words=1)
    >>> plain.shared_loads.extra_wavefronts, padded.shared_loads.extra_wavefronts
    (1015808, 0)
    >>> padded.global_stores.sectors_per_request, padded.direct_stores.sectors_per_request
    (4.0, 32.0)
    """
    if type(tile) is not int or tile not in TILES:
        raise ValueError(f"tile is {tile!r}; it must be one of {', '.join(map(str, TILES))}")
    whole("padding_words", padding_words, 0)
    if type(element_bytes) is not int or element_bytes not in PART_LANES:
        raise ValueError(f"element_bytes is {element_bytes!r}; it must be 4, 8 or 16")
    pitch_words = tile * element_bytes // WORD_BYTES + padding_words
    plan = Plan(rows, columns, Tile(tile, tile, pitch_words, element_bytes, swizzle))
    sums: dict[Stage, list[int]] = {stage: [0, 0, 0] for stage in get_args(Stage)}
    known: dict[object, tuple[int, int]] = {}
    for corner, tiles in _corners(plan):
        for stage in get_args(Stage):
            for request in range(plan.requests):
                cost, other = _cost(plan, stage, request, corner, known)
                sums[stage][0] += tiles * (cost > 0)
                sums[stage][1] += tiles * cost
                sums[stage][2] += tiles * other
    return Transpose(
        plan,
        GlobalTotals(*sums["global load"]),
        TileTotals(*sums["shared store"]),
        TileTotals(*sums["shared load"]),
        GlobalTotals(*sums["global store"]),
        GlobalTotals(*sums["direct store"]),
    )


def _corners(plan: Plan) -> Iterator[tuple[Corner, int]]:
    """A tile of each kind, by where it starts inside a sector and what it holds, and how many there are."""
    tile = plan.layout.rows
    period = max(1, SECTOR_BYTES // (tile * plan.layout.width_bytes))  # tiles after which starts repeat

    def along(side: int) -> list[tuple[int, int]]:
        full, rest = divmod(side, tile)
        starts = [(k * tile, -(-(full - k) // period)) for k in range(min(full, period))]
        return [*starts, (full * tile, 1)] if rest else starts

    for row, down in along(plan.rows):
        for column, across in along(plan.columns):
            yield (row, column), down * across


def _cost(
    plan: Plan, stage: Stage, request: int, corner: Corner, known: dict[object, tuple[int, int]]
) -> tuple[int, int]:
    """(sectors, bytes used) or (wavefronts, ideal) of a request; (0, 0) if no lane is active.

    Requests that differ by a shift, of whole sectors or of all banks, cost the same; a swizzle is no shift.
    """
    tile, shared = plan.layout.rows, stage in ("shared store", "shared load")
    row, column = divmod(request * WARP_LANES, tile)
    height, width = plan.inside(stage, corner)
    active = min(height - row, max(1, WARP_LANES // tile)), min(width - column, WARP_LANES)
    if min(active) <= 0:
        return 0, 0
    start = None if shared else plan.address(stage, corner, row, column) % SECTOR_BYTES
    key = stage, active, start, request if shared and plan.layout.swizzle != "none" else None
    if key not in known:
        lanes = plan.addresses(stage, request, corner[0] // tile, corner[1] // tile)
        if shared:
            known[key] = _wavefronts(lanes, plan.layout.width_bytes, stage, known)
        else:
            access = coalescing.simulate(lanes, plan.layout.width_bytes)
            known[key] = access.sectors, access.bytes_used
    return known[key]


def _wavefronts(
    lanes: tuple[int, ...], width_bytes: int, stage: Stage, known: dict[object, tuple[int, int]]
) -> tuple[int, int]:
    """(wavefronts, ideal): as all lanes ask for words of their own, only which lanes share a bank matters."""
    names: dict[int, int] = {}
    banks = (INACTIVE if address == INACTIVE else address // WORD_BYTES % BANKS for address in lanes)
    key = stage, tuple(bank if bank == INACTIVE else names.setdefault(bank, len(names)) for bank in banks)
    if key not in known:
        access = bank_conflicts.simulate(lanes, width_bytes, "load" if stage == "shared load" else "store")
        known[key] = access.wavefronts, access.ideal_wavefronts
    return known[key]
