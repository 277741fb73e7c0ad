"""Transposing by tile, padding and swizzle, beside what the simulator counts for each.

Triton lays out shared memory itself; the kernel in CUDA C pads or swizzles. The framework's transposed copy for scale.
"""

from collections.abc import Iterator

import torch
from pydantic import Field

from gpu_backend import machine, timing
from gpu_backend.experiments.common import GRAPH_METHOD, gb_per_s, measured
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import padded_transpose, transpose
from sim.transpose import simulate

TILES = (8, 16, 32, 64)
LAYOUTS = ((0, False), (1, False), (0, True))


class Chosen(Inputs):
    """Side of the square FP32 matrix."""

    side: int = Field(8192, ge=64, le=16384, multiple_of=64, description="rows and columns")


def rows(chosen: Chosen) -> Iterator[Row]:
    """One row a kernel and layout."""
    n = chosen.side
    size = transpose.bytes_moved(n, n)
    data = [
        transpose.make_input(chosen.seed + i, n, n, machine.device())[0] for i in range(timing.sets_for_cold_l2(size))
    ]
    out = [torch.empty_like(x) for x in data]
    expected = transpose.reference(data[-1])

    def row(way: str, launch: timing.Launch, **set_to: int | bool | None) -> Row:
        got = measured(launch, out, lambda: expected)
        return {"way": way, "side": n, "bytes": size, **set_to, "gb_per_s": gb_per_s(size, got["us"])} | got

    yield row("framework", lambda i: out[i].copy_(data[i].T), tile=None, padding=None, swizzle=None)
    for tile in TILES:
        yield row("Triton", lambda i: transpose.run(data[i], out[i], tile), tile=tile, padding=None, swizzle=None)
    if not machine.has_gpu():
        return
    for tile in TILES:
        for padding, swizzle in LAYOUTS:
            model = simulate(1024, 1024, tile, padding, "xor" if swizzle else "none")
            yield row(
                "CUDA C", lambda i: padded_transpose.run(data[i], out[i], tile, padding, swizzle),
                tile=tile, padding=padding, swizzle=swizzle,
            ) | {
                "model_store_sectors_per_request": model.global_stores.sectors_per_request,
                "model_wavefronts_per_request": (model.shared_loads.wavefronts + model.shared_stores.wavefronts)
                / (model.shared_loads.requests + model.shared_stores.requests),
            }  # fmt: skip


def points(_: Chosen) -> int:
    """The framework and Triton's tiles; on a GPU, CUDA C's layouts too."""
    return 1 + len(TILES) + (len(TILES) * len(LAYOUTS) if machine.has_gpu() else 0)


EXPERIMENT = Experiment("transpose_tiles", "transpose", GRAPH_METHOD, Chosen, rows, points=points)
