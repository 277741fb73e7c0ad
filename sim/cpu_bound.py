"""Who waits: a host that launches kernels one by one, or the GPU that runs them.

Every launch takes the host l µs, every kernel the GPU k µs, and the host runs ahead. The last of K kernels ends at
l + (K − 1)·max(l, k) + k. While k > l the GPU sets the pace; once k < l the host does, and a faster GPU can take
away nothing but the tail: a step never takes less than K·l.

Source: the two-stage pipeline of `sim.submissions`. 5 µs a launch: the launch path takes about 4 to 6 µs on an
RTX 5070 Ti, CUDA 13.0 (susun-blog.com, "pegainfer-3-cuda-graph").
Left out: what else the host does in a step (sim/serving_step.py); kernels that differ; a clock that follows the load.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from sim.decimals import check, decimal
from sim.inputs import whole
from sim.submissions import MAX_CALLS, MAX_US, Kernel, Submission, Timeline
from sim.submissions import simulate as hand_over

LAUNCH_US = 5.0
MAX_SPEEDUP = 1e6
MAX_POINTS = 1000


@dataclass(frozen=True, slots=True)
class Point:
    """The step on a GPU ``factor`` times as fast."""

    factor: float
    kernel_us: float
    total_us: float
    gpu_busy: float
    """Share of the total in which a kernel runs."""
    bound_by: Literal["host", "both", "GPU"]


def simulate(kernels: int, kernel_us: float, launch_us: float = LAUNCH_US, *, queue: int | None = None) -> Timeline:
    """The trace of 1 to 1000 equal kernels, times from 0 to 1e9 µs; ``queue`` as in `sim.submissions`.

    Raises ValueError for anything else.

    >>> step = simulate(100, kernel_us=2.0, launch_us=5.0)
    >>> step.total_us, f"{step.gpu_busy:.0%}", step.host_waits_us
    (502.0, '40%', 2.0)
    """
    whole("kernels", kernels, 1, MAX_CALLS)
    check("kernel_us", kernel_us, "µs", 0, MAX_US)
    check("launch_us", launch_us, "µs", 0, MAX_US)
    return hand_over([Submission(launch_us, (Kernel(f"kernel {i}", kernel_us),)) for i in range(kernels)], queue=queue)


def total_us(kernels: int, kernel_us: float, launch_us: float = LAUNCH_US) -> float:
    """l + (K − 1)·max(l, k) + k, for 1 to 1000 kernels and times from 0 to 1e9 µs; ValueError otherwise.

    >>> total_us(100, 20.0), total_us(100, 2.5), total_us(100, 0.0)
    (2005.0, 502.5, 500.0)
    """
    kernel, launch = decimal("kernel_us", kernel_us, "µs", 0, MAX_US), decimal("launch_us", launch_us, "µs", 0, MAX_US)
    return float(_total(kernels, kernel, launch))


def faster_gpus(
    kernels: int, kernel_us: float, launch_us: float = LAUNCH_US, factors: Sequence[float] = (1, 2, 4, 8, 16)
) -> tuple[Point, ...]:
    """The same step on GPUs ``factors`` (0 to 1e6, 1 to 1000 of them) times as fast; else as `total_us`.

    >>> [(point.total_us, point.bound_by) for point in faster_gpus(100, 20.0)]
    [(2005.0, 'GPU'), (1005.0, 'GPU'), (505.0, 'both'), (502.5, 'host'), (501.25, 'host')]
    """
    whole("the number of factors", len(factors), 1, MAX_POINTS)
    kernel, launch = decimal("kernel_us", kernel_us, "µs", 0, MAX_US), decimal("launch_us", launch_us, "µs", 0, MAX_US)
    points = []
    for factor in factors:
        faster = kernel / decimal("factor", factor, "", 0, MAX_SPEEDUP, above=True)
        total = _total(kernels, faster, launch)
        bound: Literal["host", "both", "GPU"] = "host" if faster < launch else "GPU" if faster > launch else "both"
        busy = float(kernels * faster / total) if total else 0.0
        points.append(Point(float(factor), float(faster), float(total), busy, bound))
    return tuple(points)


def _total(kernels: int, kernel_us: Fraction, launch_us: Fraction) -> Fraction:
    whole("kernels", kernels, 1, MAX_CALLS)
    return launch_us + (kernels - 1) * max(launch_us, kernel_us) + kernel_us
