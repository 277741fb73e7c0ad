"""Items of 32 KiB move into slots of shared memory by cp.async while the block works on those that have arrived.

x: f32[blocks, items, 8192] of whole numbers 0..7, out: f32[blocks, 256]: the words each thread worked on, added up
exactly. Traffic: 32,768 bytes an item and block. Work on an item: 32 additions and `fmas` dependent FMAs a thread.

Source: CUDA C++ Programming Guide, "Asynchronous Data Copies" (multi-stage pipeline); PTX ISA, cp.async.
"""

import torch
from torch import Tensor

from gpu_backend.kernels import sources
from sim.inputs import whole

BOUNDS = {"blocks": (1, 1024), "items": (1, 4096), "slots": (1, 6), "fmas": (0, 100_000)}
ITEM_BYTES = 32_768
THREADS = 256
CHUNKS = 8


def make_input(seed: int, blocks: int = 132, items: int = 64, device: str = "cuda") -> tuple[Tensor]:
    """Whole numbers from 0 to 7; ValueError outside BOUNDS."""
    whole("blocks", blocks, *BOUNDS["blocks"])
    whole("items", items, *BOUNDS["items"])
    draw = torch.Generator(device).manual_seed(seed)
    shape = (blocks, items, ITEM_BYTES // 4)
    return (torch.randint(8, shape, generator=draw, device=device, dtype=torch.int32).float(),)


def reference(x: Tensor, work: bool = True) -> Tensor:
    """Each thread's sum, over all items or the last one."""
    blocks, items, _ = x.shape
    parts = x.view(blocks, items, CHUNKS, THREADS, 4).double().sum(dim=(2, 4))
    return parts.sum(1) if work else parts[:, -1]


def bytes_moved(blocks: int, items: int) -> int:
    """Each item once."""
    return ITEM_BYTES * blocks * items


def flops(blocks: int, items: int, fmas: int) -> int:
    """Additions of the words and two a fused multiply-add."""
    return blocks * items * THREADS * (32 + 2 * fmas)


def run(x: Tensor, slots: int, fmas: int, out: Tensor, move: bool = True, work: bool = True) -> Tensor:
    """Run the pipeline; without moves every slot keeps the item it got first, so only one slot is allowed then."""
    whole("slots", slots, *BOUNDS["slots"])
    whole("fmas", fmas, *BOUNDS["fmas"])
    kernel = sources.compiled("staged_pipeline", SLOTS=slots, MOVE=int(move), WORK=int(work))
    kernel.launch(x.shape[0], THREADS, x, x.shape[1], fmas, 1.0, out, shared_bytes=slots * ITEM_BYTES)
    return out
