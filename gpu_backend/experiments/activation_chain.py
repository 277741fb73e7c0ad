"""SiLU·mul and its quantization, kernel by kernel or fused, beside the framework eager and compiled.

Model: bytes moved at the bandwidth of the fused kernel on the most rows (`sim.activation_chain`, less what caches
save).
"""

from collections.abc import Callable, Iterator
from shutil import which
from typing import Any

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


def rows(chosen: Chosen) -> Iterator[Row]:
    """One row a way and number of rows."""
    compiled = torch.compile(eager, dynamic=False) if machine.has_gpu() and which("gcc") else None
    count, width = chosen.fewest, chosen.width
    while count <= chosen.most:
        size = kernel.bytes_moved(count, width, "fused")
        sets = timing.sets_for_cold_l2(size)
        data = [kernel.make_input(chosen.seed + i, count, width, machine.device(), machine.half()) for i in range(sets)]
        between = [(torch.empty_like(gate), torch.empty_like(gate)) for gate, _ in data]
        half = [torch.empty_like(gate) for gate, _ in data]
        ways: dict[str, tuple[Callable[[int], Any], list[Tensor]]] = {}
        for way in kernel.WAYS:
            out = [kernel.empty_output(gate, way) for gate, _ in data]
            ways[way] = (lambda i, way=way, out=out: kernel.run(*data[i], way, out[i], between[i]), out)
        ways["eager"] = (lambda i: torch.mul(torch.nn.functional.silu(data[i][0]), data[i][1], out=half[i]), half)
        if compiled is not None:
            ways["compiled"] = (lambda i: _into(half, i, compiled(*data[i])), half)
        for way, (launch, out) in ways.items():
            fp8 = way.endswith("fp8")
            reference = (kernel.reference_fp8 if fp8 else kernel.reference)(*data[-1])
            moved = kernel.bytes_moved(count, width, STANDS_FOR.get(way, way))  # type: ignore[arg-type]
            if way == "compiled":
                row = _compiled_row(compiled, data, reference)
            else:
                row = measured(launch, out, lambda reference=reference: reference, limit=LIMITS[out[0].dtype])
            yield {
                "way": way, "rows": count, "width": width, "bytes": moved, "gb_per_s": gb_per_s(moved, row["us"]),
            } | row  # fmt: skip
        count *= 2


def _into(out: list[Tensor], i: int, result: Tensor) -> None:
    out[i] = result


def _compiled_row(compiled: Any, data: list[tuple[Tensor, Tensor]], reference: Tensor) -> Row:
    """The compiled function makes its own output: what it returned last is checked."""
    last: list[Tensor] = [torch.empty(0)] * len(data)
    times = timing.time(lambda i: _into(last, i, compiled(*data[i])), sets=len(data))
    error = verify(last[-1], reference)
    return (
        times.row()
        | {"empty_us": empty_times().median, "error": error}
        | named(timing.kernels_of(lambda i: compiled(*data[i])))
    )


EXPERIMENT = Experiment(
    "activation_chain", "activation_chain",
    GRAPH_METHOD + "; cold L2: sets take turns; bytes: of every kernel of a way",
    Chosen, rows,
)  # fmt: skip
