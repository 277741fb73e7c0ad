"""When not to write a kernel: one question after the other, each with the reader's own number and threshold.

1. objections: is more against it than is allowed that no number settles?
2. limit: would the whole gain enough if this part took no time at all, 1/(1 − share)? (Amdahl)
3. gain: does it gain enough with the speedup that can be hoped for, 1/(1 − share + share/factor)?
4. effort: engineer days × targets, a kernel for each, against the days there are.
5. payback: days until the GPU hours saved equal those that the work would have bought, against the days of use.

The first question answered with no ends the path; the rest is worked out as well.

Source: Amdahl's law, sim/amdahl.py; the rest is elementary. All defaults are choices.
Left out: upkeep, unless counted in the days; the worth of a shorter wait; interest; parts that overlap.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf

from sim.amdahl import MAX_FACTOR, factor_for, gain
from sim.decimals import decimal
from sim.inputs import whole

MAX = 1e12
MAX_TARGETS = 100
MS_PER_HOUR = 3_600_000
OBJECTIONS = (
    "well_mapped",  # the library or the compiler already maps it well
    "dynamic_sparsity",
    "gradients_unsettled",
    "fallback_lost",
    "observability_lost",
)


@dataclass(frozen=True, slots=True)
class Step:
    """One question: ``value`` against ``threshold``, at least or (``at_most``) at most."""

    question: str
    value: float
    threshold: float
    at_most: bool
    yes: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """The whole path, and where it ends."""

    steps: tuple[Step, ...]
    ends_at: str | None
    """The first question answered with no; None: write the kernel."""
    speedup: float
    """Of the whole, with the factor hoped for."""
    needed_factor: float | None
    """How many times as fast the part must become for ``wanted_speedup``; None: no factor is enough."""
    saved_gpu_hours_per_day: float
    """Negative if the kernel would be slower."""
    payback_days: float
    """inf if nothing is saved."""
    calls_per_day_needed: int | None
    """The fewest calls a day that pay back within the days of use; None if no number does."""


def decide(
    share: float,
    factor: float,
    calls_per_day: float,
    call_ms: float,
    engineer_days: float,
    targets: int = 1,
    objections: Sequence[str] = (),
    *,
    objections_allowed: int = 0,
    wanted_speedup: float = 1.05,
    days_there_are: float = 20.0,
    days_of_use: float = 180.0,
    gpu_hours_per_engineer_day: float = 300.0,
) -> Decision:
    """Walk the path.

    ``share``: of a call's time, the part that the kernel would replace, 0 to 1. ``factor``: how many times as fast the
    part would become, above 0, up to 1e9. ``call_ms``: GPU time of a call now, above 0. ``engineer_days``: for each of
    1 to 100 ``targets`` (kinds of GPU). ``objections``: of `OBJECTIONS`, each at most once. ``wanted_speedup``: of the
    whole, 1 to 1e9. ``gpu_hours_per_engineer_day``: GPU hours for the price of a day. Days, calls and hours from 0 to
    1e12. ValueError for anything else.

    >>> path = decide(share=0.04, factor=3.0, calls_per_day=1e6, call_ms=50.0, engineer_days=10.0)
    >>> path.ends_at, path.needed_factor
    ('limit', None)
    >>> decide(share=0.2, factor=2.0, calls_per_day=1e6, call_ms=72.0, engineer_days=10.0).payback_days
    1500.0
    """
    whole("targets", targets, 1, MAX_TARGETS)
    whole("objections_allowed", objections_allowed, 0, len(OBJECTIONS))
    for i, name in enumerate(objections):
        if name not in OBJECTIONS or name in objections[:i]:
            raise ValueError(f"objection {i} is {name!r}; give each of {', '.join(OBJECTIONS)} at most once")
    calls = decimal("calls_per_day", calls_per_day, "", 0, MAX)
    call = decimal("call_ms", call_ms, "ms", 0, MAX, above=True)
    total_days = decimal("engineer_days", engineer_days, "", 0, MAX) * targets
    wanted = decimal("wanted_speedup", wanted_speedup, "", 1, MAX_FACTOR)
    most_days = decimal("days_there_are", days_there_are, "", 0, MAX)
    use = decimal("days_of_use", days_of_use, "", 0, MAX)
    price = decimal("gpu_hours_per_engineer_day", gpu_hours_per_engineer_day, "h", 0, MAX)

    f, s = decimal("share", share, "", 0, 1), decimal("factor", factor, "", 0, MAX_FACTOR, above=True)
    part = gain(share, factor)
    saved_per_call = call * f * (1 - 1 / s) / MS_PER_HOUR
    saved_per_day, cost = calls * saved_per_call, total_days * price
    payback = cost / saved_per_day if saved_per_day > 0 else None
    needed: int | None = None
    if saved_per_call > 0 and (use or not cost):
        needed = max(1, ceil(cost / (saved_per_call * use))) if cost else 1
    steps = (
        _at_most("objections", Fraction(len(objections)), Fraction(objections_allowed)),
        # multiplied out, so that a tie is a yes whatever the rounding of the quotients shown
        Step("limit", part.limit, float(wanted), False, (1 - f) * wanted <= 1),
        Step("gain", part.speedup, float(wanted), False, (1 - f + f / s) * wanted <= 1),
        _at_most("effort", total_days, most_days),
        _at_most("payback", payback, use),
    )
    return Decision(
        steps,
        next((step.question for step in steps if not step.yes), None),
        part.speedup,
        factor_for(share, wanted_speedup),
        float(saved_per_day),
        inf if payback is None else float(payback),
        needed,
    )


def _at_most(question: str, value: Fraction | None, threshold: Fraction) -> Step:
    """A number that must not pass its threshold; None: it is beyond any."""
    yes = value is not None and value <= threshold
    return Step(question, inf if value is None else float(value), float(threshold), True, yes)
