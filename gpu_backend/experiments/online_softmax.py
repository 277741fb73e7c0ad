"""Softmax in three passes, online, and with the row in registers: time by columns, beside the framework's.

Model: bytes of each way at the bandwidth that one block reaches at the same size, if no cache helps.
"""

from collections.abc import Iterator

import torch
from pydantic import Field

from gpu_backend import machine, timing
from gpu_backend.experiments.common import GRAPH_METHOD, gb_per_s, measured
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import softmax as kernel

COLUMNS = (1024, 4096, 8192, 16384, 32768, 65536, 131072)


class Chosen(Inputs):
    """Elements in all; rows are these over the columns."""

    log2_elements: int = Field(28, ge=11, le=28, description="log2 of rows × columns, FP32")


def _fits(way: str, columns: int) -> bool:
    return way != "one block" or columns <= kernel.MOST_IN_ONE_BLOCK


def points(chosen: Chosen) -> int:
    """The framework and our ways for every number of columns that the elements give a row of."""
    fitting = [columns for columns in COLUMNS if columns <= 1 << chosen.log2_elements]
    return sum(1 + sum(_fits(way, columns) for way in kernel.WAYS) for columns in fitting)


def rows(chosen: Chosen) -> Iterator[Row]:
    """One row a way and number of columns."""
    for columns in COLUMNS:
        count = (1 << chosen.log2_elements) // columns
        if count < 1:
            break
        size = kernel.bytes_moved(count, columns, "one block")
        sets = timing.sets_for_cold_l2(size)
        data = [kernel.make_input(chosen.seed + i, count, columns, machine.device())[0] for i in range(sets)]
        out = [torch.empty_like(x) for x in data]
        expected = kernel.reference(data[-1])
        ways: dict[str, timing.Launch] = {"framework": lambda i: torch.softmax(data[i], -1, out=out[i])}
        for way in kernel.WAYS:
            if _fits(way, columns):
                ways[way] = lambda i, way=way: kernel.run(data[i], way, out[i])
        for name, launch in ways.items():
            row = measured(launch, out, lambda: expected)
            moved = next((kernel.bytes_moved(count, columns, way) for way in kernel.WAYS if way == name), size)
            yield {
                "way": name, "rows": count, "columns": columns, "bytes": moved, "bytes_least": size,
                "gb_per_s_least": gb_per_s(size, row["us"]),
            } | row  # fmt: skip


EXPERIMENT = Experiment("online_softmax", "online_softmax", GRAPH_METHOD, Chosen, rows, points=points)
