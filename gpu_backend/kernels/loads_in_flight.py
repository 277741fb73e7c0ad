"""Reading memory with a chosen number of loads on their way, and one load after another.

x: u32[n]. Streaming: `blocks` blocks an SM of `warps` warps, each thread with `loads` loads of 4 or 16 bytes
outstanding; sums: u32[threads], what each read, added up mod 2³². Chain: next: i32[n], one cycle through a line of 128
bytes each. Traffic: 4·n bytes, once.

Source: V. Volkov, "Better Performance at Lower Occupancy", GTC 2010; pointer chasing as in H. Wong et al.,
"Demystifying GPU Microarchitecture through Microbenchmarking", ISPASS 2010.
"""

import numpy as np
import torch
from torch import Tensor

from gpu_backend.kernels import sources
from sim.inputs import whole
from sim.occupancy import occupancy

BOUNDS = {"warps_per_sm": (1, 64), "loads": (1, 16), "width_bytes": (4, 16), "chain_bytes": (4096, 1 << 31)}
LINE_INTS = 32
MOST_WARPS_A_BLOCK = 32


def make_input(seed: int, n: int = 1 << 26, device: str = "cuda") -> tuple[Tensor]:
    """Random 32-bit numbers."""
    draw = torch.Generator(device).manual_seed(seed)
    return (torch.randint(-(2**31), 2**31, (n,), generator=draw, dtype=torch.int32, device=device),)


def reference(x: Tensor) -> int:
    """All words added up mod 2³²."""
    return int(x.sum(dtype=torch.int64)) % 2**32


def bytes_moved(n: int) -> int:
    """Each word once."""
    return 4 * n


def flops(n: int) -> int:
    """None: integers."""
    return 0


def shape(warps_per_sm: int) -> tuple[int, int]:
    """Blocks an SM and warps a block."""
    whole("warps_per_sm", warps_per_sm, *BOUNDS["warps_per_sm"])
    blocks = -(-warps_per_sm // MOST_WARPS_A_BLOCK)
    if warps_per_sm % blocks:
        raise ValueError(f"warps_per_sm is {warps_per_sm}; above 32 it must be even")
    return blocks, warps_per_sm // blocks


def covered(n: int, sms: int, warps_per_sm: int, loads: int, width_bytes: int) -> tuple[int, int]:
    """Rounds of the loop, and words that they read of n: whole rounds only."""
    per_round = sms * warps_per_sm * 32 * loads * width_bytes // 4
    rounds = n // per_round
    whole("rounds", rounds, 1)
    return rounds, rounds * per_round


def resident(warps_per_sm: int, loads: int, width_bytes: int, compute_capability: str) -> bool:
    """Whether the registers of an SM hold so many warps of this kernel (`sim.occupancy`)."""
    blocks, warps = shape(warps_per_sm)
    registers = sources.compiled("loads_in_flight", "stream_loads", LOADS=loads, WIDTH=width_bytes).registers
    return occupancy(compute_capability, 32 * warps, registers, 0).blocks_per_sm >= blocks


def run(x: Tensor, sums: Tensor, sms: int, warps_per_sm: int, loads: int, width_bytes: int) -> int:
    """Stream once through what `covered` says; return how many words that were."""
    whole("loads", loads, *BOUNDS["loads"])
    blocks, warps = shape(warps_per_sm)
    rounds, words = covered(x.numel(), sms, warps_per_sm, loads, width_bytes)
    kernel = sources.compiled("loads_in_flight", "stream_loads", LOADS=loads, WIDTH=width_bytes)
    kernel.launch(sms * blocks, 32 * warps, x, np.int64(rounds), 0, sums)
    return words


def chain(size_bytes: int, seed: int) -> np.ndarray:
    """One random cycle through all lines of `size_bytes`: each line's first word holds the index of the next one's."""
    whole("chain_bytes", size_bytes, *BOUNDS["chain_bytes"])
    lines = size_bytes // (4 * LINE_INTS)
    order = np.random.default_rng(seed).permutation(lines).astype(np.int64)
    following = np.zeros(lines * LINE_INTS, np.int32)
    following[order * LINE_INTS] = np.roll(order, -1) * LINE_INTS
    return following


def follow(following: Tensor, warm: int, steps: int) -> tuple[int, int, int]:
    """Return cycles and nanoseconds of the timed steps, and where they end."""
    last = torch.zeros(1, dtype=torch.int32, device=following.device)
    spent = torch.zeros(2, dtype=torch.int64, device=following.device)
    kernel = sources.compiled("loads_in_flight", "follow_chain", LOADS=1, WIDTH=4)
    kernel.launch(1, 1, following, warm, steps, last, spent)
    return int(spent[0]), int(spent[1]), int(last[0])
