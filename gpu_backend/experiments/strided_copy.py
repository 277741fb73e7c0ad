"""A copy that gathers every stride-th element: time follows the sectors moved, not the bytes used.

Model: time of stride 1 × bytes of sectors read and elements written, over those of stride 1 (`sim.coalescing`).
"""

from collections.abc import Iterator

import torch
from pydantic import Field

from gpu_backend import machine, timing
from gpu_backend.experiments.common import GRAPH_METHOD, gb_per_s, measured
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import strided_copy as kernel
from sim.coalescing import simulate, strided

CASES = (
    (1, 0),
    (1, 1),
    (1, 4),
    (1, 8),
    (2, 0),
    (3, 0),
    (4, 0),
    (5, 0),
    (6, 0),
    (8, 0),
    (12, 0),
    (16, 0),
    (24, 0),
    (32, 0),
)


class Chosen(Inputs):
    """How many elements are gathered."""

    log2_n: int = Field(23, ge=8, le=24, description="log2 of the FP32 elements gathered")


def rows(chosen: Chosen) -> Iterator[Row]:
    """One row a stride and offset, in elements."""
    n, first = 1 << chosen.log2_n, None
    for stride, offset in CASES:
        moved = kernel.bytes_moved(n, stride, offset)
        sets = timing.sets_for_cold_l2(moved)
        data = [kernel.make_input(chosen.seed + i, n, stride, offset, machine.device()) for i in range(sets)]
        out = [torch.empty(n, device=machine.device()) for _ in data]
        row = measured(lambda i: kernel.run(*data[i], out[i]), out, lambda: kernel.reference(*data[-1]))
        access = simulate(strided(4, stride, 4 * offset), 4)
        first = first or (row["us"], access.sectors)
        read = n // 32 * access.sectors * 32
        yield {
            "stride": stride, "offset": offset, "n": n, "sectors_per_request": access.sectors,
            "bytes_used": 8 * n, "bytes_moved": read + 4 * n,
            "model_us": first[0] * (read + 4 * n) / (n // 32 * first[1] * 32 + 4 * n),
            "gb_per_s_used": gb_per_s(8 * n, row["us"]), "gb_per_s_moved": gb_per_s(read + 4 * n, row["us"]),
        } | row  # fmt: skip


EXPERIMENT = Experiment(
    "strided_copy", "coalescing", GRAPH_METHOD + "; cold L2: sets take turns", Chosen, rows,
    points=lambda _: len(CASES),
)  # fmt: skip
