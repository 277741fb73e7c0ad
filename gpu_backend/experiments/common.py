"""What experiments share: timing with a check of the timed output, the empty kernel, bytes and names in a row."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from torch import Tensor

from gpu_backend import machine, timing
from gpu_backend.checking import poison, verify
from gpu_backend.experiments.experiment import Row
from gpu_backend.kernels import empty
from gpu_backend.timing import Launch, Times

GRAPH_METHOD = (
    "CUDA events around a graph replay of `launches` launches, divided by them; medians of `count` samples with 20th "
    "and "
    "80th percentiles; the output of the timed launches checked against float64; `empty_us`: an empty kernel timed so"
)


@lru_cache(maxsize=8)
def empty_times(graph: bool = True) -> Times:
    """An empty kernel, timed as the others are."""
    (x,) = empty.make_input(0, device=machine.device())
    return timing.time(lambda _: empty.run(x), graph=graph)


def measured(
    launch: Launch,
    outputs: Sequence[Tensor],
    reference: Callable[[], Tensor],
    *,
    names: bool = True,
    limit: float | None = None,
    **how: Any,
) -> Row:
    """Time launches on data sets 0 … len(outputs) - 1 and check what the timed launches left in the last set's output.

    Outputs are poisoned after warm-up compiles and before the timed launches, so what is checked is theirs.
    """
    for i in range(len(outputs)):
        launch(i)
    for out in outputs:
        poison(out)
    times = timing.time(launch, sets=len(outputs), **how)
    error = verify(outputs[-1], reference(), limit)
    row = times.row() | {"empty_us": empty_times(bool(how.get("graph", True))).median, "error": error}
    if names:
        seen = timing.kernels_of(launch)
        row |= named(seen)
    return row


def named(seen: Sequence[tuple[str, float]]) -> Row:
    """The profiler's names, without return types, template arguments and parameters, and its device time."""
    bare = (name.removeprefix("void ").replace("(anonymous namespace)::", "") for name, _ in seen)
    names = [re.split(r"[<(]", name)[0].strip() for name in bare]
    return {"kernel": ", ".join(names) or None, "profiler_us": sum(us for _, us in seen) or None}


def gb_per_s(size_bytes: float, us: float) -> float:
    """GB/s, which are thousands of bytes a µs."""
    return size_bytes / us / 1e3


def tflop_per_s(flop: float, us: float) -> float:
    """TFLOP/s, which are millions of FLOP a µs."""
    return flop / us / 1e6


def compiled_facts(compiled: Any) -> Row:
    """Registers, spills and shared bytes of a compiled Triton kernel; nothing from the interpreter."""
    if compiled is None or not hasattr(compiled, "metadata"):
        return {"registers": None, "spills": None, "shared_bytes": None}
    compiled._init_handles()  # the driver tells registers and spills once the kernel is loaded
    return {
        "registers": compiled.n_regs,
        "spills": compiled.n_spills,
        "shared_bytes": compiled.metadata.shared,
    }
