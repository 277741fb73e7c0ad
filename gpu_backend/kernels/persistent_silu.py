"""Up projection and SiLU over blocks of rows: a kernel for each, or one whose programs stay and hand over by flags.

x: bf16[blocks·64, K], w: bf16[K, N], up, out: bf16[blocks·64, N]. up = x·w, out = SiLU(up).
Traffic: 2·(MK + KN + 3·MN) bytes at least, M = blocks·64; `up` is written and read either way.

In the persistent kernel the first `movers` programs take tiles of the product in order; the others wait until all tiles
of a block are there (a counter, added to with release and read with acquire), and take its SiLU. All programs must run
at once: there may be no more of them than SMs. The last one sets the counters back.

Source: K. Gupta, J. Stuart, J. Owens, "A Study of Persistent Threads Style GPU Programming", InPar 2012.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

from sim.inputs import whole

BOUNDS = {"blocks": (1, 64), "k": (64, 8192), "n": (64, 16384)}
ROWS = TILE_N = TILE_K = 64
CHUNK = 2048
WARPS, STAGES = 4, 4


def make_input(
    seed: int,
    blocks: int = 2,
    k: int = 128,
    n: int = 128,
    device: str = "cpu",
    dtype: torch.dtype = torch.bfloat16,
) -> tuple[Tensor, Tensor]:
    """Normal x, w scaled so that the product is about 1; k and n multiples of 64; ValueError outside BOUNDS."""
    for name, value in (("blocks", blocks), ("k", k), ("n", n)):
        whole(name, value, *BOUNDS[name])
    if k % TILE_K or n % TILE_N:
        raise ValueError(f"k, n are {k}, {n}; they must be multiples of 64")
    draw = torch.Generator(device).manual_seed(seed)
    x = torch.randn(blocks * ROWS, k, generator=draw, device=device).to(dtype)
    return x, (torch.randn(k, n, generator=draw, device=device) / k**0.5).to(dtype)


def reference(x: Tensor, w: Tensor) -> Tensor:
    """SiLU of the product in float64."""
    return torch.nn.functional.silu(x.double() @ w.double())


def bytes_moved(blocks: int, k: int, n: int) -> int:
    """Each matrix once; `up` written and read."""
    m = blocks * ROWS
    return 2 * (m * k + k * n + 3 * m * n)


def flops(blocks: int, k: int, n: int) -> int:
    """Of the product."""
    return 2 * blocks * ROWS * k * n


def counters(blocks: int, device: str) -> Tensor:
    """Tiles done of each block, and SiLU tasks done; zero, and zero again after every launch."""
    return torch.zeros(blocks + 1, dtype=torch.int32, device=device)


def project(x: Tensor, w: Tensor, up: Tensor, programs: int) -> None:
    """The product alone."""
    (m, k), n = x.shape, w.shape[1]
    _project[(programs,)](x, w, up, m // ROWS, k, n, ROWS, TILE_N, TILE_K, num_warps=WARPS, num_stages=STAGES)


def activate(up: Tensor, out: Tensor, programs: int) -> None:
    """SiLU alone."""
    _activate[(programs,)](up, out, up.numel(), CHUNK, num_warps=WARPS)


def run(x: Tensor, w: Tensor, up: Tensor, out: Tensor, flags: Tensor, movers: int, programs: int) -> Tensor:
    """The persistent kernel: `movers` of `programs` multiply; `programs` must be at most the number of SMs."""
    (m, k), n = x.shape, w.shape[1]
    if not 1 <= movers < programs:
        raise ValueError(f"movers is {movers}; it must be from 1 to {programs - 1}, so that somebody does SiLU")
    _persistent[(programs,)](
        x, w, up, out, flags, m // ROWS, k, n, movers, ROWS, TILE_N, TILE_K, CHUNK, num_warps=WARPS, num_stages=STAGES
    )
    return out


@triton.jit
def _tile(x, w, up, tile, k, n, rows: tl.constexpr, tile_n: tl.constexpr, tile_k: tl.constexpr):
    block, column = tile // (n // tile_n), tile % (n // tile_n)
    r, c, d = block * rows + tl.arange(0, rows), column * tile_n + tl.arange(0, tile_n), tl.arange(0, tile_k)
    a, b = x + r[:, None] * k + d[None, :], w + d[:, None] * n + c[None, :]
    total = tl.zeros((rows, tile_n), tl.float32)
    for _ in range(0, k, tile_k):
        total = tl.dot(tl.load(a), tl.load(b), total)
        a += tile_k
        b += tile_k * n
    tl.store(up + r[:, None] * n + c[None, :], total.to(up.dtype.element_ty))
    return block


@triton.jit
def _chunk(up, out, start, chunk: tl.constexpr):
    at = start + tl.arange(0, chunk)
    value = tl.load(up + at).to(tl.float32)
    tl.store(out + at, (value / (1 + tl.exp(-value))).to(out.dtype.element_ty))


@triton.jit
def _project(x, w, up, blocks, k, n, rows: tl.constexpr, tile_n: tl.constexpr, tile_k: tl.constexpr):
    for tile in range(tl.program_id(0), blocks * (n // tile_n), tl.num_programs(0)):
        _tile(x, w, up, tile, k, n, rows, tile_n, tile_k)


@triton.jit
def _activate(up, out, size, chunk: tl.constexpr):
    for start in range(tl.program_id(0) * chunk, size, tl.num_programs(0) * chunk):
        _chunk(up, out, start, chunk)


@triton.jit
def _persistent(
    x, w, up, out, flags, blocks, k, n, movers, rows: tl.constexpr, tile_n: tl.constexpr, tile_k: tl.constexpr,
    chunk: tl.constexpr,
):  # fmt: skip
    me = tl.program_id(0)
    if me < movers:
        for tile in range(me, blocks * (n // tile_n), movers):
            block = _tile(x, w, up, tile, k, n, rows, tile_n, tile_k)
            tl.debug_barrier()  # every thread's part is stored before one of them says so
            tl.atomic_add(flags + block, 1, sem="release")
    else:
        others = tl.num_programs(0) - movers
        for block in range(0, blocks):
            seen = tl.atomic_add(flags + block, 0, sem="acquire")
            while seen < n // tile_n:
                seen = tl.atomic_add(flags + block, 0, sem="acquire")
            for start in range((me - movers) * chunk, rows * n, others * chunk):
                _chunk(up, out, block * rows * n + start, chunk)
        done = tl.atomic_add(flags + blocks, 1, sem="acq_rel")
        if done == others - 1:
            for block in range(0, blocks + 1):
                tl.store(flags + block, 0)
