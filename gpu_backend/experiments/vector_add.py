"""Bandwidth of adding and of copying vectors, by size, beside the framework's own kernels.

Below the size of the L2 the data stay there unless many sets take turns; `l2` says which it was.
"""

from collections.abc import Iterator

import torch
from pydantic import Field

from gpu_backend import machine, timing
from gpu_backend.experiments.common import GRAPH_METHOD, gb_per_s, measured
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import vector_add as kernel

MOST_SETS = 64
WAYS = 4


class Chosen(Inputs):
    """Sizes from 2^smallest to 2^largest elements, every second power of two."""

    smallest: int = Field(16, ge=10, le=28, description="log2 of the fewest FP32 elements")
    largest: int = Field(28, ge=10, le=28, description="log2 of the most FP32 elements")


def _logs(chosen: Chosen) -> range:
    return range(chosen.smallest, chosen.largest + 1, 2)


def _turns(n: int) -> list[tuple[str, int]]:
    """Whether the L2 is warm or cold, and the data sets which take turns for that."""
    cold = timing.sets_for_cold_l2(kernel.bytes_moved(n))
    return [("cold", 1)] if cold == 1 else [("warm", 1), ("cold", cold)] if cold <= MOST_SETS else [("warm", 1)]


def points(chosen: Chosen) -> int:
    """Ours and the framework's additions and copies, for each size and state of the L2."""
    return sum(WAYS * len(_turns(1 << log)) for log in _logs(chosen))


def rows(chosen: Chosen) -> Iterator[Row]:
    """One row a size and kernel."""
    for log in _logs(chosen):
        n = 1 << log
        for l2, sets in _turns(n):
            data = [kernel.make_input(chosen.seed + i, n, machine.device()) for i in range(sets)]
            out = [torch.empty_like(x) for x, _ in data]
            add, copy = kernel.reference(*data[-1]), data[-1][0].double()
            ways: dict[str, tuple[timing.Launch, torch.Tensor, bool]] = {
                "add": (lambda i: kernel.run(data[i][0], data[i][1], out[i]), add, False),
                "copy": (lambda i: kernel.copy(data[i][0], out[i]), copy, True),
                "framework add": (lambda i: torch.add(*data[i], out=out[i]), add, False),
                "framework copy": (lambda i: out[i].copy_(data[i][0]), copy, True),
            }
            for way, (launch, reference, copies) in ways.items():
                size = kernel.bytes_moved(n, copies)
                row = measured(launch, out, lambda reference=reference: reference)
                yield {"way": way, "n": n, "bytes": size, "l2": l2, "gb_per_s": gb_per_s(size, row["us"])} | row


EXPERIMENT = Experiment(
    "vector_add", "memory_ladder", GRAPH_METHOD + "; cold: launches take turns on sets of three times the L2",
    Chosen, rows, points=points,
)  # fmt: skip
