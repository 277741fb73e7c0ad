"""Up projection and SiLU over blocks of 64 tokens: two kernels against one that stays and hands over by flags.

Model: `sim.persistent` with a block's share of each stage as measured alone, and the empty kernel's time for a launch.
"""

from collections.abc import Iterator

import torch
from pydantic import Field

from gpu_backend import machine
from gpu_backend.checking import verify
from gpu_backend.experiments.common import GRAPH_METHOD, empty_times, measured
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import persistent_silu as kernel
from sim.persistent import separate_us, simulate

SILU_PROGRAMS = (4, 8, 12, 16, 24)


class Chosen(Inputs):
    """The sizes; the weights fit in the L2 of an H200, so that every block finds them there."""

    blocks: int = Field(8, ge=1, le=64, description="blocks of 64 tokens")
    k: int = Field(4096, ge=64, le=8192, multiple_of=64, description="hidden width")
    n: int = Field(4096, ge=64, le=16384, multiple_of=64, description="inner width")


def rows(chosen: Chosen) -> Iterator[Row]:
    """Two kernels on all SMs; then, for each way to divide the SMs, the stages alone and the persistent kernel."""
    x, w = kernel.make_input(chosen.seed, chosen.blocks, chosen.k, chosen.n, "cuda")
    up, out = (torch.empty(x.shape[0], chosen.n, device="cuda", dtype=x.dtype) for _ in range(2))
    flags = kernel.counters(chosen.blocks, "cuda")
    expected, sms = kernel.reference(x, w), machine.sms()
    launch_us = empty_times().median

    def row(way: str, launch, out: torch.Tensor = out, expected: torch.Tensor = expected, **more: object) -> Row:  # type: ignore[no-untyped-def]
        return {"way": way, "blocks": chosen.blocks, "model_us": None, **more} | measured(
            launch, [out], lambda: expected
        )

    def separate(_: int, first: int = sms, second: int = sms) -> None:
        kernel.project(x, w, up, first)
        kernel.activate(up, out, second)

    yield row("two kernels", separate, up_programs=sms, silu_programs=sms)
    product = x.double() @ w.double()
    for silu in SILU_PROGRAMS:
        movers = sms - silu
        parts = {"up_programs": movers, "silu_programs": silu}
        stages = [
            row("up alone", lambda _: kernel.project(x, w, up, movers), up, product, **parts),
            row("SiLU alone", lambda _: kernel.activate(up, out, silu), **parts),
        ]
        yield from stages
        shares = [[stage["us"] / chosen.blocks] * chosen.blocks for stage in stages]
        model = simulate(shares, launch_us=launch_us, task_us=0.0)
        together = row(
            "persistent", lambda _: kernel.run(x, w, up, out, flags, movers, sms), **parts,
            model_separate_us=separate_us(shares, launch_us),
            model_hidden_us=model.saving.hidden_us if model.saving else None,
        )  # fmt: skip
        up.fill_(float("nan"))  # the timed launches may have read what the ones before had left there
        verify(kernel.run(x, w, up, out, flags, movers, sms), expected)
        yield together | {"model_us": model.total_us}


EXPERIMENT = Experiment(
    "persistent",
    "persistent",
    GRAPH_METHOD + "; the weights stay in the L2",
    Chosen,
    rows,
    needs_gpu=True,
    points=lambda _: 1 + 3 * len(SILU_PROGRAMS),
)
