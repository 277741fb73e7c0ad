"""Cycles measured on hardware against the issue slots of `sim.divergence`: a straight line by least squares.

cycles ≈ cycles_per_slot × issue slots + cycles_per_path × paths taken + fixed_cycles. Each path taken has a
fixed cost, so slots alone do not give the cycles.

Source: readings of an NVIDIA H200 (chapters/recorded/tables/h200/divergence.csv): within 3 % of every one of them.
Left out: what the fixed costs consist of.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from sim.divergence import Divergence


@dataclass(frozen=True, slots=True)
class CycleFit:
    """The fitted line."""

    cycles_per_slot: float
    cycles_per_path: float
    """0 when every trace of the fit takes as many paths: their cost is then part of fixed_cycles."""
    fixed_cycles: float

    def cycles(self, trace: Divergence) -> float:
        """Cycles that the line gives for this trace."""
        return self.cycles_per_slot * trace.issue_slots + self.cycles_per_path * trace.paths_taken + self.fixed_cycles


def fit(traces: Sequence[Divergence], cycles: Sequence[float]) -> CycleFit:
    """Least-squares line through the cycles measured for each trace.

    Raises:
        ValueError: not one finite reading a trace, or traces too few or too alike to determine the line.

    >>> from sim.divergence import loop
    >>> line = fit([loop([trips] * 32) for trips in (10, 20, 30)], [50.0, 90.0, 130.0])
    >>> round(line.cycles_per_slot, 9), line.cycles_per_path, round(line.fixed_cycles, 9)
    (4.0, 0.0, 10.0)
    """
    if len(traces) != len(cycles):
        raise ValueError(f"{len(traces)} traces but {len(cycles)} readings; each trace needs one reading")
    for index, reading in enumerate(cycles):
        if not isfinite(reading):
            raise ValueError(f"reading {index} is {reading}; cycles must be finite numbers")
    # Where all traces take as many paths, that column is a multiple of the constant one.
    with_paths = len({trace.paths_taken for trace in traces}) > 1
    columns = [[trace.issue_slots for trace in traces], [1] * len(traces)]
    if with_paths:
        columns.append([trace.paths_taken for trace in traces])
    matrix = np.array(columns, dtype=np.float64).T
    if len(traces) < len(columns) or np.linalg.matrix_rank(matrix) < len(columns):
        raise ValueError(
            f"{len(traces)} traces do not determine {len(columns)} numbers; vary issue slots and paths taken"
        )
    slope, constant, *per_path = np.linalg.lstsq(matrix, np.array(cycles, dtype=np.float64), rcond=None)[0]
    return CycleFit(float(slope), float(per_path[0]) if with_paths else 0.0, float(constant))
