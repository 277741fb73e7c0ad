"""How long each figure's simulator takes natively, at the figure's built state."""

from __future__ import annotations

import functools
import statistics
import sys
import time

from widgets import figures

REPEATS = 50


def timings() -> dict[str, float]:
    """Return by figure the median of one run of its simulator in ms, nothing remembered from before."""
    keys = figures.keys()
    return {key: statistics.median(_run(key) for _ in range(REPEATS)) for key in keys}


def _run(key: str) -> float:
    figure = figures.load(key)()
    _forget()
    began = time.perf_counter()
    figure.simulate()
    return 1000 * (time.perf_counter() - began)


def _forget() -> None:
    for name, module in list(sys.modules.items()):
        if name.startswith(("sim.", "widgets.")):
            for thing in vars(module).values():
                if isinstance(thing, functools._lru_cache_wrapper):
                    thing.cache_clear()
