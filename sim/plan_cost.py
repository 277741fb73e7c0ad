"""What planning costs: once a step, or once in every layer.

p is the time of a plan, r that of one layer's run: layers·(p + r) against p + layers·r. Two measured totals, one of
each, give p and r. Which kernels run, and how many, does not change.

Source: elementary. Left out: planning on the host while the GPU runs; layers whose plans differ (a sliding window).
"""

from dataclasses import dataclass

from sim.decimals import decimal
from sim.inputs import whole

MAX_LAYERS = 1000
MAX_COPIES = 100
MAX_MS = 1e6


@dataclass(frozen=True, slots=True)
class PlanCost:
    """One step of the model."""

    prepares: int
    copies: int
    """Small arrays copied to the device."""
    runs: int
    """Attention calls: one a layer, either way."""


@dataclass(frozen=True, slots=True)
class Split:
    """What two measured totals say, if every plan costs the same and every layer's run does."""

    plan_ms: float
    run_ms: float
    saved_ms: float
    speedup: float


def count(layers: int, *, once: bool, copies_per_plan: int = 4) -> PlanCost:
    """Counts for 1 to 1000 layers and 0 to 100 copies a plan; ValueError for anything else.

    >>> count(36, once=False), count(36, once=True)
    (PlanCost(prepares=36, copies=144, runs=36), PlanCost(prepares=1, copies=4, runs=36))
    """
    whole("layers", layers, 1, MAX_LAYERS)
    whole("copies_per_plan", copies_per_plan, 0, MAX_COPIES)
    if type(once) is not bool:
        raise ValueError(f"once is {once!r}; it must be True or False")
    prepares = 1 if once else layers
    return PlanCost(prepares, prepares * copies_per_plan, layers)


def split(layers: int, every_layer_ms: float, once_ms: float) -> Split:
    """Plan and run from the totals of both ways; 2 to 1000 layers, times above 0 and up to 1e6 ms.

    Raises ValueError for anything else, and for totals that no p, r ≥ 0 give: layers × once must be at least
    every_layer, and every_layer at least once.

    >>> one, two = split(36, 2.0, 0.72), split(36, 2.4, 0.75)
    >>> f"{one.plan_ms * 1000:.1f} {one.run_ms * 1000:.1f} {one.saved_ms:.2f} {one.speedup:.1f}"
    '36.6 19.0 1.28 2.8'
    >>> f"{two.plan_ms * 1000:.1f} {two.run_ms * 1000:.1f} {two.saved_ms:.2f} {two.speedup:.1f}"
    '47.1 19.5 1.65 3.2'
    """
    whole("layers", layers, 2, MAX_LAYERS)
    every = decimal("every_layer_ms", every_layer_ms, "ms", 0, MAX_MS, above=True)
    once = decimal("once_ms", once_ms, "ms", 0, MAX_MS, above=True)
    if not once <= every <= layers * once:
        raise ValueError(
            f"every_layer_ms is {every_layer_ms}; with {layers} layers it must be from once_ms, {once_ms}, to "
            f"{float(layers * once):g}"
        )
    plan = (every - once) / (layers - 1)
    return Split(float(plan), float((once - plan) / layers), float(every - once), float(every / once))
