"""SiLU·mul and its quantization, kernel by kernel or fused, beside the framework eager and compiled.

Model: bytes moved at the bandwidth of the fused kernel on the most rows (`sim.activation_chain`, less what caches
save).
"""

from collections.abc import Callable, Iterator
from shutil import which

import torch
from pydantic import Field
from torch import Tensor

from gpu_backend import machine, timing
from gpu_backend.checking import LIMITS, verify
from gpu_backend.experiments.common import GRAPH_METHOD, empty_times, gb_per_s, measured, named
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import silu_mul as kernel

STANDS_FOR = {"eager": "unfused", "compiled": "fused"}
"""Which of our ways the framework's move as many bytes as."""


class Chosen(Inputs):
    """Rows double from the fewest to the most."""

    fewest: int = Field(256, ge=1, le=16384, description="fewest rows, tokens")
    most: int = Field(16384, ge=1, le=16384, description="most rows")
    width: int = Field(12288, ge=8, le=16384, description="columns, the inner width")


def eager(gate: Tensor, up: Tensor) -> Tensor:
    """As one writes it in PyTorch."""
    return torch.nn.functional.silu(gate) * up


def _compiles() -> bool:
    """Whether `torch.compile` can be set against ours: it needs a C compiler."""
    return machine.has_gpu() and which("gcc") is not None


def points(chosen: Chosen) -> int:
    """Ways × numbers of rows."""
    doublings = (chosen.most // chosen.fewest).bit_length()
    return doublings * (len(kernel.WAYS) + 1 + _compiles())


def rows(chosen: Chosen) -> Iterator[Row]:
    """One row a way and number of rows."""
    compiled = torch.compile(eager, dynamic=False) if _compiles() else None
    count, width = chosen.fewest, chosen.width
    while count <= chosen.most:
        size = kernel.bytes_moved(count, width, "fused")
        sets = timing.sets_for_cold_l2(size)
        data = [kernel.make_input(chosen.seed + i, count, width, machine.device(), machine.half()) for i in range(sets)]
        between = [(torch.empty_like(gate), torch.empty_like(gate)) for gate, _ in data]
        half = [torch.empty_like(gate) for gate, _ in data]
        ways: dict[str, tuple[timing.Launch, list[Tensor]]] = {}
        for way in kernel.WAYS:
            out = [kernel.empty_output(gate, way) for gate, _ in data]
            ways[way] = (lambda i, way=way, out=out: kernel.run(*data[i], way, out[i], between[i]), out)
        ways["eager"] = (lambda i: torch.mul(torch.nn.functional.silu(data[i][0]), data[i][1], out=half[i]), half)
        for name, (launch, out) in ways.items():
            reference = (kernel.reference_fp8 if name.endswith("fp8") else kernel.reference)(*data[-1])
            row = measured(launch, out, lambda reference=reference: reference, limit=LIMITS[out[0].dtype])
            yield _point(name, count, width, row)
        if compiled is not None:
            yield _point("compiled", count, width, _compiled_row(compiled, data, kernel.reference(*data[-1])))
        count *= 2


def _point(name: str, count: int, width: int, row: Row) -> Row:
    way = next(way for way in kernel.WAYS if way == STANDS_FOR.get(name, name))
    moved = kernel.bytes_moved(count, width, way)
    return {
        "way": name, "rows": count, "width": width, "bytes": moved, "gb_per_s": gb_per_s(moved, row["us"]),
    } | row  # fmt: skip


def _compiled_row(compiled: Callable[..., Tensor], data: list[tuple[Tensor, Tensor]], reference: Tensor) -> Row:
    """The compiled function makes its own output: what it returned last is checked."""
    last: list[Tensor] = [torch.empty(0)] * len(data)

    def launch(i: int) -> None:
        last[i] = compiled(*data[i])

    times = timing.time(launch, sets=len(data))
    error = verify(last[-1], reference)
    return times.row() | {"empty_us": empty_times().median, "error": error} | named(timing.kernels_of(launch))


EXPERIMENT = Experiment(
    "activation_chain", "activation_chain",
    GRAPH_METHOD + "; cold L2: sets take turns; bytes: of every kernel of a way",
    Chosen, rows, points=points,
)  # fmt: skip
