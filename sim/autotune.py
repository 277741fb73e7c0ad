"""Try every tile once, remember the best under a key: what the search costs, and what a key that says too little costs.

The space is the product of the options, less what cannot run. Searching compiles each tile and runs it a few times.
A call looks its key up; a miss searches, a hit reuses. The key is made of some of the things a best tile depends on:
GPU, dtype, shape, stride, mask, version. A field left out makes calls share a tile that was best for the first of
them only: slower than need be, or unable to run at all, and which one depends on the order of the calls.

Source: Triton's `triton.autotune`, whose `key` names the arguments that start a new search; times from
sim/tile_time.py. 100 ms to compile a tile is an example, 20 runs of each a choice.
Left out: noise, by which a search picks wrong; searches that skip most of the space; caches that forget.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import ceil, fsum, prod
from typing import Literal, get_args

from sim.decimals import decimal
from sim.inputs import whole
from sim.tile_time import Model, Problem, Tile, model

MAX_CALLS = 32
MAX_SPACE = 512
MAX_TILES = 32 * 108  # calls × space: 50 ms in the browser
MAX_RUNS = 10_000
MAX_US = 1e9
COMPILE_US = 100_000.0
RUNS = 20

Field = Literal["gpu", "dtype", "shape", "stride", "mask", "version"]
FIELDS: tuple[Field, ...] = get_args(Field)


@dataclass(frozen=True, slots=True)
class Space:
    """Options for each part of a tile."""

    m: tuple[int, ...] = (16, 64, 128)
    n: tuple[int, ...] = (64, 128, 256)
    k: tuple[int, ...] = (16, 32, 64, 128)
    stages: tuple[int, ...] = (2, 3, 4)

    @property
    def size(self) -> int:
        """Tiles in the space, those that cannot run included."""
        return prod(len(options) for options in (self.m, self.n, self.k, self.stages))

    def tiles(self, to_run: Model) -> tuple[Tile, ...]:
        """Those that can run there, in the order of the options."""
        tiles = (Tile(*options) for options in product(self.m, self.n, self.k, self.stages))
        return tuple(tile for tile in tiles if to_run.unfit(tile) is None)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One call: what was looked up, which tile ran, what it cost."""

    problem: Problem
    key: tuple[object, ...]
    hit: bool
    search_us: float
    """0 for a hit."""
    tile: Tile
    time_us: float | None
    """None if the tile cannot run for this problem: then ``failed`` says why."""
    failed: str | None
    best: Tile
    best_us: float

    @property
    def lost_us(self) -> float:
        """Longer than with the best tile; 0 if it fails."""
        return 0.0 if self.time_us is None else self.time_us - self.best_us


@dataclass(frozen=True, slots=True)
class Tuned:
    """All calls in order."""

    outcomes: tuple[Outcome, ...]

    @property
    def searches(self) -> int:
        """How often the space was searched."""
        return sum(not outcome.hit for outcome in self.outcomes)

    @property
    def search_us(self) -> float:
        """Time of all searches."""
        return fsum(outcome.search_us for outcome in self.outcomes)

    @property
    def lost_us(self) -> float:
        """What reused tiles cost beyond the best ones."""
        return fsum(outcome.lost_us for outcome in self.outcomes)

    @property
    def failures(self) -> int:
        """Calls whose tile could not run."""
        return sum(outcome.failed is not None for outcome in self.outcomes)


def simulate(
    problems: Sequence[Problem],
    key: Collection[Field] = FIELDS,
    *,
    space: Space = Space(),
    compile_us: float = COMPILE_US,
    runs: int = RUNS,
) -> Tuned:
    """Tune 1 to 32 calls with a cache under some of the fields.

    A space of 1 to 512 tiles, calls × tiles at most 3,456, ``compile_us`` from 0 to 1e9 µs, 1 to 10,000 runs a tile.
    Raises ValueError for anything else, a problem or tile that `sim.tile_time` refuses, and a problem for which no
    tile can run.

    >>> calls = [Problem("h100", "bf16", (rows, 12288, 4096), 12288) for rows in (16, 1024)]
    >>> right, wrong = simulate(calls), simulate(calls, key=("gpu", "dtype"))
    >>> right.searches, right.lost_us, wrong.searches, [f"{call.lost_us:.0f}" for call in wrong.outcomes]
    (2, 0.0, 1, ['0', '1836'])
    """
    whole("the number of calls", len(problems), 1, MAX_CALLS)
    whole("the size of the space", space.size, 1, min(MAX_SPACE, MAX_TILES // len(problems)))
    whole("runs", runs, 1, MAX_RUNS)
    compiling = float(decimal("compile_us", compile_us, "µs", 0, MAX_US))
    for field in key:
        if field not in FIELDS:
            raise ValueError(f"key holds {field!r}; it may hold {', '.join(FIELDS)}")
    known: dict[tuple[object, ...], Tile] = {}
    outcomes = []
    for problem in problems:
        tiles = search(problem, space)
        best, best_us = tiles[0]
        found = tuple(getattr(problem, field) for field in FIELDS if field in key)
        hit = found in known
        tile = known.setdefault(found, best)
        searching = 0.0 if hit else fsum(compiling + runs * us for _, us in tiles)
        failed = model(problem).unfit(tile)
        us = None if failed else model(problem).time_us(tile)
        outcomes.append(Outcome(problem, found, hit, searching, tile, us, failed, best, best_us))
    return Tuned(tuple(outcomes))


@lru_cache(maxsize=64)
def search(problem: Problem, space: Space = Space()) -> tuple[tuple[Tile, float], ...]:
    """Every tile that can run with its time in µs, fastest first; of equals, the first in the space.

    Raises ValueError as `simulate`.
    """
    to_run = model(problem)
    timed = [(tile, to_run.time_us(tile)) for tile in space.tiles(to_run)]
    if not timed:
        raise ValueError(f"no tile of the space can run for {problem}")
    return tuple(sorted(timed, key=lambda one: one[1]))


def payback_calls(search_us: float, before_us: float, after_us: float) -> int | None:
    """Calls after which a search has paid for itself; None if it saves nothing. Times from 0 to 1e12 µs.

    >>> payback_calls(8_100_000, 100.0, 60.0), payback_calls(1.0, 60.0, 60.0)
    (202500, None)
    """
    cost = decimal("search_us", search_us, "µs", 0, 1e12)
    saved = decimal("before_us", before_us, "µs", 0, 1e12) - decimal("after_us", after_us, "µs", 0, 1e12)
    return ceil(cost / saved) if saved > 0 else None
