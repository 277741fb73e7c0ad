"""How many runs until two versions can be told apart: in pairs, or by the medians of both.

A paired experiment of n calls the new version faster if the median of the differences in n pairs is above 0; an
unpaired one if the median of n old runs is above that of n new runs, drawn apart from them. Drawn again and again from
the runs at hand, an experiment calls the new version faster in some share of the cases. If it is faster, enough runs
are the fewest from which on that share is 95 %.

Source: resampling as in B. Efron, "Bootstrap Methods: Another Look at the Jackknife", Annals of Statistics 7(1), 1979.
Left out: what is so with other runs than those at hand; pairs that depend on each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from random import Random

import numpy as np
from numpy.typing import NDArray

from sim.decimals import decimal
from sim.inputs import whole
from sim.spread import Runs, check

MAX_SIZES = 16
MAX_SIZE = 101
MAX_DRAWS = 20_200  # resamples × pairs of the longest experiment: 50 ms in the browser
RESAMPLES = 200
SIZES = (1, 3, 5, 7, 11, 15, 21, 31)
RIGHT = 0.95


@dataclass(frozen=True, slots=True)
class Apart:
    """Experiments of ``runs`` pairs: the share of them that call the new version faster."""

    runs: int
    paired: float
    unpaired: float


def told_apart(
    runs: Runs, seed: int = 1, *, sizes: Sequence[int] = SIZES, resamples: int = RESAMPLES
) -> tuple[Apart, ...]:
    """For each size, how often an experiment of so many pairs, drawn from the runs with repetition, is right.

    1 to 16 odd sizes from 1 to 101; ``resamples`` times the largest size at most 20,200. An experiment is the first
    pairs of the longest one. Raises ValueError for anything else, and for runs that are not 1 to 400 pairs above 0.

    >>> told_apart(Runs((3.0, 4.0), (1.0, 2.0)), sizes=[1])
    (Apart(runs=1, paired=1.0, unpaired=1.0),)
    """
    check("old_us", runs.old_us)
    check("new_us", runs.new_us)
    if len(runs.old_us) != len(runs.new_us):
        raise ValueError(f"{len(runs.old_us)} old and {len(runs.new_us)} new runs; give as many of each, in pairs")
    whole("seed", seed, -(2**63), 2**63)
    whole("the number of sizes", len(sizes), 1, MAX_SIZES)
    for size in sizes:
        whole("a size", size, 1, MAX_SIZE)
        if size % 2 == 0:
            raise ValueError(f"a size is {size}; it must be odd, so that one run is the median")
    draw, longest = Random(seed), max(sizes)
    whole("resamples", resamples, 1, MAX_DRAWS // longest)
    uniform = np.array([draw.random() for _ in range(2 * resamples * longest)]).reshape(2, resamples, longest)
    drawn, apart = (uniform * len(runs.old_us)).astype(np.intp)
    old, new = np.asarray(runs.old_us), np.asarray(runs.new_us)
    differences, olds, news = (old - new)[drawn], old[drawn], new[apart]
    found = []
    for size in sizes:
        paired = _medians(differences[:, :size]) > 0
        unpaired = _medians(olds[:, :size]) > _medians(news[:, :size])
        found.append(Apart(size, float(paired.mean()), float(unpaired.mean())))
    return tuple(found)


def runs_needed(points: Sequence[Apart], right: float = RIGHT) -> tuple[int | None, int | None]:
    """(paired, unpaired): the fewest runs from which on all sizes tried are right so often; None: not even the most.

    ``right`` is in (0, 1]; ValueError otherwise.

    >>> runs_needed([Apart(3, 0.96, 0.6), Apart(5, 0.94, 0.8), Apart(7, 0.99, 0.9)])
    (7, None)
    """
    share = float(decimal("right", right, "", 0, 1, above=True))
    ordered = sorted(points, key=lambda point: point.runs, reverse=True)
    paired = [point.runs for point in takewhile(lambda point: point.paired >= share, ordered)]
    unpaired = [point.runs for point in takewhile(lambda point: point.unpaired >= share, ordered)]
    return min(paired, default=None), min(unpaired, default=None)


def _medians(experiments: NDArray[np.float64]) -> NDArray[np.float64]:
    """The middle one of each row, which has an odd number."""
    middle = experiments.shape[1] // 2
    return np.asarray(np.partition(experiments, middle, axis=1)[:, middle])
