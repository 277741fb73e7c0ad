"""A warp's shared-memory request, again and again, by several warps at once: cycles a request.

offsets: i32[32], byte offset of each lane, -1 if inactive; every warp of the block asks for the same addresses. Shared
memory holds word i = 2654435761·(i + 1) mod 2³². Loads are added up in every thread; stores write 4·lane + w + 1.
Traffic: none; the shared-memory pipe alone is busy.

Source: the counters of `sim.bank_conflicts` say how many wavefronts a request takes; this measures what a wavefront
costs.
"""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpu_backend.kernels import sources
from sim.bank_conflicts import WARP_LANES, count
from sim.inputs import whole

BOUNDS = {"width_bytes": (4, 16), "rounds": (1, 4096), "warps": (1, 32), "shared_bytes": (16, 49_152)}
UNROLL = 16  # requests a round, as in bank_cycles.cu
HASH = 2654435761


def make_input(seed: int, device: str = "cuda") -> tuple[Tensor, int, str]:
    """A random permutation of 32 words, their width, and "load"."""
    return torch.from_numpy(np.random.default_rng(seed).permutation(32).astype(np.int32) * 4).to(device), 4, "load"


def shared_words(offsets: Sequence[int], width_bytes: int) -> int:
    """Words of shared memory that the request needs; ValueError if it is more than 48 KiB."""
    reach = max(offsets) + width_bytes
    whole("shared_bytes", reach, *BOUNDS["shared_bytes"])
    return -(-reach // 16) * 4


def reference(offsets: Sequence[int], width_bytes: int, op: str, rounds: int, words: int) -> NDArray[np.uint64]:
    """What must come out, exactly: for loads the sums u32[32, width/4] of a warp; for stores, by word, a bit a lane.

    Of stores to one word any lane's may stand at the end: bit l of a word says that lane l wrote it, so that the check
    accepts one of them and nothing else.
    """
    memory = (HASH * (np.arange(words, dtype=np.uint64) + 1)) % 2**32
    parts = width_bytes // 4
    if op == "load":
        sums = np.zeros((WARP_LANES, parts), np.uint64)
        for lane, at in enumerate(offsets):
            if at >= 0:
                sums[lane] = memory[at // 4 : at // 4 + parts] * (rounds * UNROLL) % 2**32
        return sums
    writers = np.zeros(words * parts, np.uint64).reshape(words, parts)
    for lane, at in enumerate(offsets):
        for part in range(parts if at >= 0 else 0):
            writers[at // 4 + part, part] |= np.uint64(1 << lane)
    return writers


def right(result: NDArray[np.uint64], expected: NDArray[np.uint64], op: str, words: int) -> bool:
    """Whether sums (loads, every warp) or the memory at the end (stores) are what `reference` says."""
    if op == "load":
        return bool((result == expected).all())
    untouched = (HASH * (np.arange(words, dtype=np.uint64) + 1)) % 2**32
    for word in range(words):
        allowed = {
            4 * lane + part + 1
            for part in range(expected.shape[1])
            for lane in range(WARP_LANES)
            if int(expected[word, part]) >> lane & 1
        } or {int(untouched[word])}
        if int(result[word]) not in allowed:
            return False
    return True


def bytes_moved() -> int:
    """None through device memory."""
    return 0


def flops() -> int:
    """None."""
    return 0


def wavefronts(offsets: Sequence[int], width_bytes: int, op: str) -> tuple[int, int]:
    """Wavefronts and those needed by the width, as the simulator counts them."""
    return count(offsets, width_bytes, op)  # type: ignore[arg-type]


def run(
    offsets: Tensor, width_bytes: int, op: str, rounds: int = 16, warps: int = 16
) -> tuple[float, NDArray[np.uint64]]:
    """Return cycles a request of one SM, and what `right` checks. Launches one block."""
    whole("rounds", rounds, *BOUNDS["rounds"])
    whole("warps", warps, *BOUNDS["warps"])
    words = shared_words(offsets.tolist(), width_bytes)
    sums = torch.full((warps * 32, width_bytes // 4), -1, dtype=torch.int32, device=offsets.device)
    dump = torch.full((words,), -1, dtype=torch.int32, device=offsets.device)
    span = torch.zeros((warps, 2), dtype=torch.int64, device=offsets.device)
    kernel = sources.compiled("bank_cycles", WIDTH=width_bytes, STORE=int(op == "store"))
    kernel.launch(1, 32 * warps, offsets, words, rounds, sums, dump, span, shared_bytes=words * 4)
    clock = span.cpu()
    cycles = float(clock[:, 1].max() - clock[:, 0].min()) / (rounds * UNROLL * warps)
    got = (sums if op == "load" else dump).cpu().numpy().astype(np.uint32).astype(np.uint64)
    return cycles, got.reshape(warps, 32, -1) if op == "load" else got
