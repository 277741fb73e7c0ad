"""How long the simulators take in whatever Python runs this: the builder's, or the readers' under Node."""

from __future__ import annotations

import functools
import statistics
import sys
import time
from collections.abc import Callable, Collection, Iterable

from tests.bench.simulators import ALL, Simulator

REPEATS = 5, 50  # at least, at most
ENOUGH_MS = 250.0  # of repeats beyond the fewest


def timings(simulators: Iterable[Simulator] = ALL) -> list[tuple[float, float | None]]:
    """Return for each the medians in ms at its default and at its largest size."""
    return [(median(one.default), None if one.largest is None else median(one.largest)) for one in simulators]


def median(call: Callable[[], object]) -> float:
    """Return the median time of a call in ms, nothing remembered from before but the table of GPUs."""
    fewest, most = REPEATS
    found: list[float] = []
    while len(found) < fewest or (len(found) < most and sum(found) < ENOUGH_MS):
        forget(but=("sim.gpus",))  # is read once a visit
        began = time.perf_counter()
        call()
        found.append(1000 * (time.perf_counter() - began))
    return statistics.median(found)


def forget(but: Collection[str] = ()) -> None:
    """Empty every cache of `sim`, but for those of some modules."""
    for name, module in list(sys.modules.items()):
        if name.startswith("sim.") and name not in but:
            for thing in vars(module).values():
                if isinstance(thing, functools._lru_cache_wrapper):
                    thing.cache_clear()
