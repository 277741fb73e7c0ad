"""Many runs of two versions: minimum, median, tails.

A run takes its version's time, plus noise, plus what drifts for both alike from pair to pair (clock, temperature),
plus, now and then, a delay. Old and new run in turn, so run i of both, a pair, shares its drift.

Source: quantiles by linear interpolation between order statistics, R. Hyndman, Y. Fan, The American Statistician
50(4), 1996, type 7. The runs are synthetic, from a seed; no measurement.
Left out: noise that depends on the run before; a drift that is not the same for both; a clock's resolution.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, floor, fsum, pi
from random import Random

from sim.decimals import decimal
from sim.inputs import positive, whole

MAX_RUNS = 400  # of each version
MAX_US = 1e9
MAX_TIME_US = 1e12
DRIFT_RUNS = 60  # pairs from one crest of the drift to the next
DELAY_SHARE = 0.05
DELAY = 0.3  # of the time


@dataclass(frozen=True, slots=True)
class Runs:
    """Synthetic times in µs; run i of both is one pair."""

    old_us: tuple[float, ...]
    new_us: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """Times of one version."""

    runs: int
    minimum: float
    p20: float
    median: float
    p80: float
    p95: float
    p99: float
    maximum: float
    mean: float


def synthetic(
    seed: int = 15,
    runs: int = 100,
    *,
    base_us: float = 100.0,
    gain: float = 0.02,
    noise: float = 0.015,
    drift: float = 0.05,
    delay_share: float = DELAY_SHARE,
) -> Runs:
    """1 to 400 runs of each version; ``base_us`` above 0, up to 1e9.

    ``gain`` of the new version (-0.5 to 0.5), standard deviation of the ``noise`` (0 to 0.05) and height of the
    ``drift`` (0 to 0.15) are shares of the base; ``delay_share`` (0 to 1) of all runs take 30 % of it more. Raises
    ValueError for anything else. Noise is a sum of twelve uniform numbers, so never beyond six standard deviations,
    and the same for a seed whatever the other numbers are.

    >>> runs = synthetic(noise=0.0, drift=0.0, delay_share=0.0)
    >>> runs.old_us[0], runs.new_us[0]
    (100.0, 98.0)
    """
    whole("seed", seed, -(2**63), 2**63)
    whole("runs", runs, 1, MAX_RUNS)
    base = float(decimal("base_us", base_us, "µs", 0, MAX_US, above=True))
    faster = float(decimal("gain", gain, "", -0.5, 0.5))
    wobble, height = float(decimal("noise", noise, "", 0, 0.05)), float(decimal("drift", drift, "", 0, 0.15))
    late = float(decimal("delay_share", delay_share, "", 0, 1))
    draw = Random(seed)
    old: list[float] = []
    new: list[float] = []
    for i in range(runs):
        drifted = height * cos(2 * pi * i / DRIFT_RUNS)
        for version, share in ((old, 1.0), (new, 1 - faster)):
            noisy = wobble * (fsum(draw.random() for _ in range(12)) - 6)
            version.append(base * (share + drifted + noisy + DELAY * (draw.random() < late)))
    return Runs(tuple(old), tuple(new))


def summarise(times: Sequence[float]) -> Summary:
    """Minimum, quantiles, maximum and mean of 1 to 400 times above 0, up to 1e12; ValueError for anything else.

    >>> summarise([4.0, 1.0, 3.0, 2.0]).median, summarise([1.0, 2.0, 3.0]).p95
    (2.5, 2.9)
    """
    check("times", times)
    ordered = sorted(float(time) for time in times)
    return Summary(
        len(ordered),
        minimum=ordered[0],
        p20=quantile(ordered, 0.2),
        median=quantile(ordered, 0.5),
        p80=quantile(ordered, 0.8),
        p95=quantile(ordered, 0.95),
        p99=quantile(ordered, 0.99),
        maximum=ordered[-1],
        mean=fsum(ordered) / len(ordered),
    )


def quantile(ordered: Sequence[float], share: float) -> float:
    """The time that a ``share`` (0 to 1) of the sorted times lies below, interpolated between its neighbours."""
    place = (len(ordered) - 1) * share
    low = floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def check(name: str, times: Sequence[float]) -> None:
    """Refuse anything but 1 to 400 times above 0, up to 1e12 µs."""
    whole(f"the number of {name}", len(times), 1, MAX_RUNS)
    for i, time in enumerate(times):
        positive(f"{name}[{i}]", time, "µs", MAX_TIME_US)
