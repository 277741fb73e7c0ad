"""Attention without a score matrix against the framework's: flash, cuDNN and plain math; time and extra memory.

Model: FLOP of the visible pairs (`sim.flash_measured`); extra memory is what the peak grows by during one call, output
included.
"""

from collections.abc import Callable, Iterator

import torch
from pydantic import Field
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from triton.runtime.errors import OutOfResources

from gpu_backend import machine, timing
from gpu_backend.checking import verify
from gpu_backend.experiments.common import compiled_facts, empty_times, measured, named, tflop_per_s
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import flash_attention as kernel
from gpu_backend.kernels.flash_attention import Config

CONFIGS = (
    Config(64, 64, 4, 2),
    Config(64, 64, 4, 3),
    Config(64, 32, 4, 4),
    Config(128, 64, 4, 3),
    Config(128, 64, 8, 3),
    Config(128, 128, 8, 2),
    Config(128, 128, 8, 3),
)
BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION, "cuDNN": SDPBackend.CUDNN_ATTENTION, "math": SDPBackend.MATH}
POINTS = ((8192, 1, True), (8192, 32, True), (1024, 32, True), (2048, 32, True), (4096, 32, True), (16384, 8, True),
          (8192, 32, False))  # fmt: skip
SCORES_LIMIT_BYTES = 16 << 30


class Chosen(Inputs):
    """Head size and the longest sequence."""

    head_dim: int = Field(128, ge=64, le=128, multiple_of=64, description="head size, BF16")
    longest: int = Field(16384, ge=128, le=16384, description="longer sequences are left out")


def rows(chosen: Chosen) -> Iterator[Row]:
    """For each length, heads and mask: every configuration of ours, then the framework's backends."""
    for length, heads, causal in POINTS:
        if length > chosen.longest:
            continue
        q, k, v = kernel.make_input(chosen.seed, heads, length, chosen.head_dim, machine.device(), machine.half())
        expected = kernel.reference(q, k, v, causal)
        point: Row = {
            "length": length, "heads": heads, "head_dim": chosen.head_dim, "causal": causal,
            "flop": kernel.flops(heads, length, chosen.head_dim, causal),
        }  # fmt: skip
        yield from _ours(point, q, k, v, expected)
        if machine.has_gpu():
            yield from _framework(point, q, k, v, expected)
        del q, k, v, expected


def _ours(point: Row, q: Tensor, k: Tensor, v: Tensor, expected: Tensor) -> Iterator[Row]:
    out = torch.empty_like(q)
    for config in CONFIGS:
        try:
            facts = compiled_facts(kernel.launch(q, k, v, out, point["causal"], config))
        except OutOfResources:
            continue
        row = measured(
            lambda _: kernel.launch(q, k, v, out, point["causal"], config),
            [out],
            lambda: expected,
            sample_ms=3.0,
        )
        extra = _extra(lambda: kernel.run(q, k, v, None, point["causal"], config))
        yield {
            "way": "Triton", **point, "queries": config.queries, "keys": config.keys, "warps": config.warps,
            "stages": config.stages, **facts, "extra_bytes": extra, "tflop_per_s": tflop_per_s(point["flop"],
            row["us"]),
        } | row  # fmt: skip


def _framework(point: Row, q: Tensor, k: Tensor, v: Tensor, expected: Tensor) -> Iterator[Row]:
    blank = dict.fromkeys(("queries", "keys", "warps", "stages", "registers", "spills", "shared_bytes"))
    for name, backend in BACKENDS.items():
        if name == "math" and 4 * point["heads"] * point["length"] ** 2 > SCORES_LIMIT_BYTES:
            continue
        last: list[Tensor] = [q]

        def attend(_: int, backend: SDPBackend = backend, last: list[Tensor] = last) -> None:
            with sdpa_kernel(backend):
                last[0] = torch.nn.functional.scaled_dot_product_attention(
                    q[None], k[None], v[None], is_causal=point["causal"]
                )[0]

        try:
            attend(0)
        except RuntimeError as refused:  # this build or this GPU has no such backend
            yield {"way": name, **point, **blank, "us": None, "why": str(refused).splitlines()[0]}
            continue
        times = timing.time(attend, sample_ms=3.0, samples=20)
        error = verify(last[0], expected)
        seen = timing.kernels_of(attend)
        last[0] = q
        yield {
            "way": name, **point, **blank, "extra_bytes": _extra(lambda: attend(0)),
            "tflop_per_s": tflop_per_s(point["flop"], times.median), "empty_us": empty_times().median, "error": error,
            **named(seen),
        } | times.row()  # fmt: skip


def _extra(call: Callable[[], object]) -> int | None:
    """Bytes by which one call raises the peak of allocated memory, its output included."""
    if not machine.has_gpu():
        return None
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    kept = call()
    torch.cuda.synchronize()
    del kept
    return int(torch.cuda.max_memory_allocated()) - int(before)


EXPERIMENT = Experiment(
    "flash_measured", "flash_measured",
    "CUDA events around a graph replay of `launches` calls, divided by them; medians of `count` samples with 20th "
    "and 80th "
    "percentiles; outputs checked against float64; extra_bytes: rise of the peak during one call, output included",
    Chosen, rows,
)  # fmt: skip
