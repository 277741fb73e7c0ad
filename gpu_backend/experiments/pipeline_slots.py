"""A software pipeline with 1 to 4 slots in shared memory: items moved by cp.async while the block works.

Model: `sim.pipeline` with the time of an item's move alone through one slot, and of its work alone.
"""

from collections.abc import Iterator

import torch
from pydantic import Field

from gpu_backend import machine
from gpu_backend.experiments.common import GRAPH_METHOD, gb_per_s, measured
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import staged_pipeline as kernel
from sim.pipeline import simulate

FMAS = (0, 256, 512, 1024, 2048)
SLOTS = (1, 2, 3, 4)


class Chosen(Inputs):
    """How many items a block takes."""

    items: int = Field(64, ge=1, le=512, description="items of 32 KiB a block")
    blocks_per_sm: int = Field(1, ge=1, le=1, description="blocks an SM")


def rows(chosen: Chosen) -> Iterator[Row]:
    """Moves alone by slots; then for each amount of work, the work alone and the pipeline by slots."""
    blocks = machine.sms() * chosen.blocks_per_sm
    (x,) = kernel.make_input(chosen.seed, blocks, chosen.items)
    out = torch.empty(blocks, kernel.THREADS, device="cuda")
    all_items, last_item = kernel.reference(x), kernel.reference(x, work=False)
    size = kernel.bytes_moved(blocks, chosen.items)

    def row(what: str, slots: int, fmas: int | None, reference: torch.Tensor, **parts: bool) -> Row:
        got = measured(lambda _: kernel.run(x, slots, fmas or 0, out, **parts), [out], lambda: reference, limit=1e-7)
        return {
            "what": what, "slots": slots, "fmas": fmas, "items": chosen.items, "item_bytes": kernel.ITEM_BYTES,
            "blocks": blocks,
            "item_us": got["us"] / chosen.items, "gb_per_s": gb_per_s(size, got["us"]) if parts.get("move",
            True) else None,
            "model_us": None,
        } | got  # fmt: skip

    moves = [row("move", slots, None, last_item, work=False) for slots in SLOTS]
    yield from moves
    move_us = moves[0]["item_us"]
    first = x[:, :1].expand_as(x)
    for fmas in FMAS:
        alone = row("work", 1, fmas, kernel.reference(first), move=False)
        yield alone
        for slots in SLOTS:
            both = row("both", slots, fmas, all_items)
            yield both | {"model_us": simulate(chosen.items, move_us, alone["item_us"], slots).total_us}


EXPERIMENT = Experiment(
    "pipeline_slots",
    "pipeline_slots",
    GRAPH_METHOD + "; one block an SM; `move`: items move and only the last is read; `work`: the first item stays and "
    "is worked on each time",
    Chosen,
    rows,
    points=lambda _: len(SLOTS) + len(FMAS) * (1 + len(SLOTS)),
    needs_gpu=True,
)
