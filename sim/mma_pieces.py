"""A tile cut into tensor-core instructions: how many, for which warp, and what the edges waste.

An instruction multiplies a piece of m×k by one of k×n and adds it to m×n accumulators: 2·m·n·k FLOP, whole or not at
all. A tile therefore takes ⌈m/16⌉·⌈n/8⌉·⌈k/16⌉ of the 16×8×16 kind; what sticks out is multiplied all the same, as
zeros. Pieces of the output are dealt out to the warps, as evenly as whole pieces allow; a warp walks all of K for
its pieces, so their accumulators can stay in its registers, 32 bits each, m·n/32 a lane. In shared memory every
instruction would read its accumulators there and write them back.

A product is covered by whole tiles first, then every tile by whole instructions: two paddings, one on the other.

Source: PTX ISA, warp-level matrix instructions (mma.sync: m16n8k16 for BF16 and FP16, m16n8k8 for TF32, m16n8k32 for
8-bit types; the accumulators of a piece are spread over the 32 lanes).
Left out: reading the fragments of A and B; instructions of a warpgroup (wgmma, m64nNk16) and of later units
(tcgen05); skipping pieces that lie wholly outside; registers for anything but accumulators.
"""

from dataclasses import dataclass

from sim.inputs import whole
from sim.tiles import check_sizes

WARP_LANES = 32
BF16 = (16, 8, 16)
INSTRUCTIONS = {"bf16": BF16, "fp16": BF16, "tf32": (16, 8, 8), "fp8": (16, 8, 32), "int8": (16, 8, 32)}
"""m, n, k of one instruction, by type of the elements of A and B."""
ACCUMULATOR_BYTES = 4  # FP32 or INT32
MAX_SIDE = 512  # of a tile, in elements: eight times that of common ones
MAX_WARPS = 32  # 1024 threads


@dataclass(frozen=True, slots=True)
class Pieces:
    """One m×n×k tile in instructions."""

    instruction: tuple[int, int, int]
    grid: tuple[int, int, int]
    """Pieces along m, n and k."""
    warp_instructions: tuple[int, ...]
    """Instructions of each warp."""
    warp_pieces: tuple[int, ...]
    """Pieces of the output that each warp owns."""
    useful_flops: int

    @property
    def instructions(self) -> int:
        """All of the tile's."""
        return sum(self.warp_instructions)

    @property
    def flops(self) -> int:
        """FLOP executed, padding included."""
        m, n, k = self.instruction
        return self.instructions * 2 * m * n * k

    @property
    def padding_flops(self) -> int:
        """FLOP executed on what lies outside the tile."""
        return self.flops - self.useful_flops

    @property
    def useful_share(self) -> float:
        """Useful FLOP over executed ones, in (0, 1]."""
        return self.useful_flops / self.flops

    @property
    def balance(self) -> float:
        """Mean over greatest number of instructions of a warp, in (0, 1]: the share of time the warps work."""
        return self.instructions / (len(self.warp_instructions) * max(self.warp_instructions))

    @property
    def accumulator_registers(self) -> int:
        """Registers of each lane of the warp with most pieces, if accumulators stay in registers."""
        m, n, _ = self.instruction
        return max(self.warp_pieces) * m * n // WARP_LANES

    @property
    def accumulator_shared_bytes(self) -> int:
        """Shared memory that they take there instead."""
        m, n, _ = self.instruction
        return sum(self.warp_pieces) * m * n * ACCUMULATOR_BYTES

    @property
    def accumulator_traffic_bytes(self) -> int:
        """Bytes read from and written to shared memory for one K step of the tile, if they are there."""
        m, n, _ = self.instruction
        return 2 * self.instructions * m * n * ACCUMULATOR_BYTES


@dataclass(frozen=True, slots=True)
class Cover:
    """A whole product in whole tiles of whole instructions: FLOP by what became of them."""

    tiles: int
    instructions: int
    useful_flops: int
    tile_padding_flops: int
    """In a tile, outside the matrices."""
    piece_padding_flops: int
    """In an instruction, outside the tile."""

    @property
    def flops(self) -> int:
        """All that are executed."""
        return self.useful_flops + self.tile_padding_flops + self.piece_padding_flops

    @property
    def useful_share(self) -> float:
        """Useful FLOP over executed ones, in (0, 1]."""
        return self.useful_flops / self.flops


def pieces(m: int, n: int, k: int, warps: int = 8, kind: str = "bf16") -> Pieces:
    """An m×n×k tile, sides 1 to 512, for 1 to 32 warps; kind: a key of `INSTRUCTIONS`. Raises ValueError otherwise.

    >>> tile = pieces(128, 128, 64)
    >>> tile.grid, tile.instructions, set(tile.warp_instructions), tile.accumulator_registers
    ((8, 16, 4), 512, {64}, 64)
    """
    for name, side in (("m", m), ("n", n), ("k", k)):
        whole(name, side, 1, MAX_SIDE)
    whole("warps", warps, 1, MAX_WARPS)
    if kind not in INSTRUCTIONS:
        raise ValueError(f"kind is {kind!r}; it must be one of {', '.join(INSTRUCTIONS)}")
    instruction = INSTRUCTIONS[kind]
    rows, columns, deep = (-(-side // piece) for side, piece in zip((m, n, k), instruction, strict=True))
    each, left = divmod(rows * columns, warps)
    owned = tuple(each + (warp < left) for warp in range(warps))
    return Pieces(instruction, (rows, columns, deep), tuple(deep * own for own in owned), owned, 2 * m * n * k)


def cover(M: int, N: int, K: int, m: int, n: int, k: int, kind: str = "bf16") -> Cover:
    """M×K by K×N in whole tiles of m×n×k. Raises ValueError as `pieces`, and for sides of M, N, K outside 1 to 2³¹ − 1.

    >>> edge = cover(1000, 1000, 1000, 128, 128, 64)
    >>> edge.tiles, edge.instructions, edge.flops / 2**31, f"{edge.useful_share:.1%}"
    (64, 524288, 1.0, '93.1%')
    """
    check_sizes(M=M, N=N, K=K)
    tile = pieces(m, n, k, 1, kind)
    tiles, steps = -(-M // m) * -(-N // n), -(-K // k)
    in_tiles = tiles * steps * tile.useful_flops
    useful = 2 * M * N * K
    return Cover(
        tiles, tiles * steps * tile.instructions, useful, in_tiles - useful, tiles * steps * tile.padding_flops
    )
