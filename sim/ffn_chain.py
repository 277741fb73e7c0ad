"""The second half of a gated MLP as a chain of six operators, for sim/partitions.py.

G = X·Wg → SiLU → ⊙ U → quantize to FP8 with a scale a row → · Wd → + residual, in tiles of 128 × 128, where a
product reads its left matrix once a column of tiles and its right one once a row of tiles.

What a kernel holds is stated, not measured. A product of 256 threads keeps its 128 × 128 FP32 accumulators in
registers, 64 a thread, and two stages of its tiles, 64 deep, in shared memory. An element-wise operator keeps
eight values a thread. Quantizing keeps a whole row in shared memory. Every kernel: 32 registers for addresses
and counters.

Source: sizes of the book's running example, Qwen3-8B (hidden 4096, inner 12288, 1024 tokens, BF16).
Left out: U = X·Wu, which is an input here; scales (4 bytes a row).
"""

from sim.fusion_program import Operator, Read, Tensor
from sim.operator_chain import Chain, Stage

TOKENS, HIDDEN, INNER = 1024, 4096, 12288
TILE, DEPTH, STAGES, THREADS = 128, 64, 2, 256
BF16_BYTES, FP8_BYTES, FP32_BYTES = 2, 1, 4
BASE_REGISTERS = 32
ELEMENTWISE_REGISTERS = 8


def ffn_chain() -> Chain:
    """The chain described above; tensors X, Wg, G, S, U, P, Q, Wd, D, R, Y.

    >>> [stage.operator.name for stage in ffn_chain().stages]
    ['gate product', 'silu', 'multiply', 'quantize', 'down product', 'add residual']
    """
    hidden, inner = TOKENS * HIDDEN * BF16_BYTES, TOKENS * INNER * BF16_BYTES
    tensors = (
        Tensor("X", hidden),
        Tensor("Wg", HIDDEN * INNER * BF16_BYTES),
        *(Tensor(name, inner) for name in "GSUP"),
        Tensor("Q", TOKENS * INNER * FP8_BYTES),
        Tensor("Wd", INNER * HIDDEN * FP8_BYTES),
        *(Tensor(name, hidden) for name in "DRY"),
    )
    rows = TOKENS // TILE
    accumulators = TILE * TILE // THREADS  # FP32 registers a thread
    tiles = STAGES * 2 * TILE * DEPTH  # elements of both matrices
    gate = Operator("gate product", (Read("X", INNER // TILE), Read("Wg", rows)), "G")
    down = Operator("down product", (Read("Q", HIDDEN // TILE), Read("Wd", rows)), "D")
    multiply = Operator("multiply", (Read("S"), Read("U")), "P")
    add = Operator("add residual", (Read("D"), Read("R")), "Y")
    stages = (
        Stage(gate, "row", False, accumulators, tiles * BF16_BYTES),
        Stage(Operator("silu", (Read("G"),), "S"), "element", True, ELEMENTWISE_REGISTERS),
        Stage(multiply, "element", True, ELEMENTWISE_REGISTERS),
        Stage(Operator("quantize", (Read("P"),), "Q"), "row", True, ELEMENTWISE_REGISTERS, INNER * BF16_BYTES),
        Stage(down, "row", False, accumulators, tiles * FP8_BYTES),
        Stage(add, "element", True, ELEMENTWISE_REGISTERS),
    )
    return Chain(tensors, stages, BASE_REGISTERS)
