"""One warp whose lanes take different loops, or one loop different numbers of times: cycles around the branch.

path: i32[32] of 0..3, lengths: i32[4] (or trips: i32[32]); x: f32[32] counts iterations exactly, times the path's
number plus 1. Cycles are `clock64()` around the branch. Traffic: none.

Source: CUDA C++ Programming Guide 13.0, 20.6.2 (SIMT); the simulator is `sim.divergence`.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from gpu_backend.kernels import sources
from sim.inputs import whole

BOUNDS = {"lengths": (0, 100_000), "path": (0, 3)}


def make_input(seed: int, device: str = "cuda") -> tuple[list[int], list[int]]:
    """Random paths of 32 lanes and lengths of four loops."""
    draw = torch.Generator().manual_seed(seed)
    return torch.randint(4, (32,), generator=draw).tolist(), torch.randint(100, 2000, (4,), generator=draw).tolist()


def reference(paths: Sequence[int], lengths: Sequence[int] | None) -> Tensor:
    """What each lane counts; without lengths `paths` are trip counts."""
    if lengths is None:
        return torch.tensor(paths, dtype=torch.float64)
    return torch.tensor([lengths[path] * (path + 1) for path in paths], dtype=torch.float64)


def bytes_moved() -> int:
    """None worth counting."""
    return 0


def flops(paths: Sequence[int], lengths: Sequence[int]) -> int:
    """Two an iteration of every lane."""
    return 2 * sum(lengths[path] for path in paths)


def run(paths: Sequence[int], lengths: Sequence[int] | None, repeats: int = 3) -> tuple[int, Tensor]:
    """Return the cycles of the last of `repeats` runs (the first fetches code), and what lanes counted, f32[32]."""
    for value in lengths if lengths is not None else paths:
        whole("lengths", value, *BOUNDS["lengths"])
    for value in paths if lengths is not None else ():
        whole("path", value, *BOUNDS["path"])
    out = torch.full((32,), float("nan"), device="cuda")
    cycles = torch.zeros(32, dtype=torch.int64, device="cuda")
    lanes = torch.tensor(paths, dtype=torch.int32, device="cuda")
    for _ in range(repeats):
        if lengths is None:
            sources.compiled("divergent_paths", "own_trip_count").launch(1, 32, lanes, 1.0, out, cycles)
        else:
            sizes = torch.tensor(lengths, dtype=torch.int32, device="cuda")
            sources.compiled("divergent_paths").launch(1, 32, lanes, sizes, 1.0, out, cycles)
    return int(cycles.max()), out
