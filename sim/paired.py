"""Old and new measured in pairs: the median of the differences, against the difference of the medians.

Two runs of a pair share what drifts (clocks, temperature, neighbours), so that their difference holds little of it.
The medians of all old and of all new runs each hold all of it. Resampling draws as many pairs again, with repetition,
and looks how far either number moves.

The pairs here are synthetic: made from a seed so that exactly so many are faster and the median of the differences is
exactly the one asked for. They are no measurement. Times are whole µs, so that both hold without rounding.

Source: resampling as in B. Efron, "Bootstrap Methods: Another Look at the Jackknife", Annals of Statistics 7(1), 1979
(percentile intervals); the sign test, J. Arbuthnot, 1710.
Left out: pairs that depend on each other; which of a pair ran first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from random import Random
from statistics import median

from sim.inputs import whole

SEED = 13
PAIRS = 11
FASTER = 9
MEDIAN_US = 1300
BASE_US = 849_000  # the request of sim/one_request.py
DRIFT_US = 6000
MAX_PAIRS = 99
MAX_US = 10**9
RESAMPLES = 200
MAX_RESAMPLES = 2000
MAX_DRAWS = 22_000  # pairs × resamples: 50 ms in the browser


@dataclass(frozen=True, slots=True)
class Pair:
    """Whole µs, 0 to 1e9."""

    old_us: int
    new_us: int

    @property
    def difference_us(self) -> int:
        """Old less new: above 0 if the new one is faster."""
        return self.old_us - self.new_us


@dataclass(frozen=True, slots=True)
class Compared:
    """Two ways to sum up the same pairs, in µs."""

    pairs: int
    faster: int
    """Pairs in which the new one is faster."""
    median_of_differences_us: float
    difference_of_medians_us: float
    sign_test: float
    """How likely so many pairs or more would be faster if either were as likely to win; pairs that tie are left out."""


@dataclass(frozen=True, slots=True)
class Resampled:
    """The same two numbers for every resample, in order, and the middle 95 % of each."""

    medians_of_differences_us: tuple[float, ...]
    differences_of_medians_us: tuple[float, ...]
    paired_interval_us: tuple[float, float]
    unpaired_interval_us: tuple[float, float]


def synthetic(
    seed: int = SEED,
    *,
    pairs: int = PAIRS,
    faster: int = FASTER,
    median_us: int = MEDIAN_US,
    base_us: int = BASE_US,
    drift_us: int = DRIFT_US,
) -> tuple[Pair, ...]:
    """Synthetic pairs: ``faster`` of them faster, their median difference ``median_us``, all else from the seed.

    An odd number of pairs from 3 to 99, more than half of them faster; ``median_us`` 2 to 1e6, so that differences
    fit around it. Old runs are uniform in base ± drift, differences at most twice the median. ``base_us`` from
    2·median + drift to 1e9. Raises ValueError for anything else.

    >>> told = compare(synthetic())
    >>> told.pairs, told.faster, told.median_of_differences_us, f"{told.sign_test:.3f}"
    (11, 9, 1300, '0.033')
    """
    whole("seed", seed, -(2**63), 2**63)
    whole("pairs", pairs, 3, MAX_PAIRS)
    if pairs % 2 == 0:
        raise ValueError(f"pairs is {pairs}; it must be odd, so that one of them is the median")
    middle = pairs // 2
    whole("faster", faster, middle + 1, pairs)
    whole("median_us", median_us, 2, 10**6)
    whole("drift_us", drift_us, 0, MAX_US // 4)
    whole("base_us", base_us, 2 * median_us + drift_us, MAX_US // 2)
    draw = Random(seed)
    differences = [-draw.randint(1, median_us) for _ in range(pairs - faster)]
    differences += [draw.randint(1, median_us - 1) for _ in range(faster - middle - 1)]
    differences += [median_us] + [draw.randint(median_us + 1, 2 * median_us) for _ in range(middle)]
    draw.shuffle(differences)
    olds = [base_us + draw.randint(-drift_us, drift_us) for _ in differences]
    return tuple(Pair(old, old - difference) for old, difference in zip(olds, differences, strict=True))


def compare(pairs: Sequence[Pair]) -> Compared:
    """Sum up 1 to 99 pairs; ValueError for another number, or a time that is not whole µs from 0 to 1e9.

    >>> compare([Pair(10, 8), Pair(20, 17), Pair(15, 14)])
    Compared(pairs=3, faster=3, median_of_differences_us=2, difference_of_medians_us=1, sign_test=0.125)
    """
    _check(pairs)
    differences = [pair.difference_us for pair in pairs]
    faster = sum(difference > 0 for difference in differences)
    return Compared(
        len(pairs),
        faster,
        median(differences),
        median(pair.old_us for pair in pairs) - median(pair.new_us for pair in pairs),
        sign_test(faster, sum(difference != 0 for difference in differences)),
    )


def resample(pairs: Sequence[Pair], seed: int, resamples: int = RESAMPLES) -> Resampled:
    """Draw ``resamples`` (1 to 2000) times as many pairs as there are, at most 22,000 in all.

    Raises ValueError for another number, and as `compare`.

    >>> again = resample(synthetic(), seed=1)
    >>> again.paired_interval_us[0] > 0, again.unpaired_interval_us[0] > 0
    (True, False)
    """
    _check(pairs)
    whole("seed", seed, -(2**63), 2**63)
    whole("resamples", resamples, 1, min(MAX_RESAMPLES, MAX_DRAWS // len(pairs)))
    draw, paired, unpaired = Random(seed), [], []
    for _ in range(resamples):
        drawn = draw.choices(pairs, k=len(pairs))
        paired.append(float(median([pair.old_us - pair.new_us for pair in drawn])))
        unpaired.append(float(median([pair.old_us for pair in drawn]) - median([pair.new_us for pair in drawn])))
    return Resampled(tuple(paired), tuple(unpaired), middle_95(paired), middle_95(unpaired))


def sign_test(faster: int, pairs: int) -> float:
    """Chance of ``faster`` or more heads in ``pairs`` (0 to 99) throws of a fair coin; ValueError otherwise.

    >>> sign_test(9, 11) == 67 / 2048
    True
    """
    whole("pairs", pairs, 0, MAX_PAIRS)
    whole("faster", faster, 0, pairs)
    return float(Fraction(sum(comb(pairs, heads) for heads in range(faster, pairs + 1)), 2**pairs))


def middle_95(numbers: Sequence[float]) -> tuple[float, float]:
    """The smallest and largest number that are left when 2.5 % are cut off at either end, rounded down."""
    ordered = sorted(numbers)
    cut = len(ordered) // 40
    return ordered[cut], ordered[len(ordered) - 1 - cut]


def _check(pairs: Sequence[Pair]) -> None:
    whole("the number of pairs", len(pairs), 1, MAX_PAIRS)
    for i, pair in enumerate(pairs):
        whole(f"old_us of pair {i}", pair.old_us, 0, MAX_US)
        whole(f"new_us of pair {i}", pair.new_us, 0, MAX_US)
