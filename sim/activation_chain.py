"""The activation of a gated MLP and its quantization: G, U → SiLU(G) ⊙ U → FP8, in one kernel or several.

Source: N. Shazeer, "GLU Variants Improve Transformer", arXiv 2002.05202 (SwiGLU); sizes of the book's running
example, Qwen3-8B (inner width 12288, 1024 tokens).
Left out: the scale of the quantization, which is given and a few bytes (a scale that the row decides:
sim/row_scale.py); whatever sim/fusion.py leaves out.
"""

from math import floor

from sim.decimals import decimal
from sim.fusion_program import Operator, Program, Read, Tensor
from sim.inputs import whole

MAX_ROWS = 1 << 24
MAX_WIDTH = 1 << 24
MAX_SAVED_BYTES = 1 << 40


def program(rows: int = 1024, width: int = 12288, *, element_bytes: int = 2, layout_copy: bool = False) -> Program:
    """SiLU, product and quantization to one byte, three operators; with ``layout_copy`` a fourth before the last.

    The copy writes the product again in another layout, where the product could have been written so at once.
    ``rows`` and ``width`` 1 to 2^24, ``element_bytes`` 1 to 8; ValueError otherwise.

    >>> from sim.fusion import execute
    >>> [execute(program(), sizes).traffic_bytes >> 20 for sizes in ([1, 1, 1], [2, 1], [3])]
    [156, 108, 60]
    """
    whole("rows", rows, 1, MAX_ROWS)
    whole("width", width, 1, MAX_WIDTH)
    whole("element_bytes", element_bytes, 1, 8)
    wide = rows * width * element_bytes
    tensors = [Tensor("G", wide), Tensor("U", wide), Tensor("S", wide), Tensor("P", wide)]
    operators = [Operator("silu", (Read("G"),), "S"), Operator("multiply", (Read("S"), Read("U")), "P")]
    if layout_copy:
        tensors.append(Tensor("L", wide))
        operators.append(Operator("copy layout", (Read("P"),), "L"))
    tensors.append(Tensor("Q", rows * width))
    operators.append(Operator("quantize", (Read("L" if layout_copy else "P"),), "Q"))
    return Program(tuple(tensors), tuple(operators))


def break_even_rows(saved_bytes_per_row: int, fixed_us: float, bandwidth_byte_per_s: float) -> int:
    """Fewest rows for which the bytes saved take longer than a fixed cost of ``fixed_us`` a call.

    rows · saved / bandwidth > fixed, so a tie does not pay. ``saved_bytes_per_row`` 1 to 2^40; ``fixed_us`` 0
    to 1e9; bandwidth above 0, at most 1e15 byte/s; ValueError otherwise.

    >>> break_even_rows(2 * 2 * 2 * 12288, 5.0, 1792e9)
    92
    """
    whole("saved_bytes_per_row", saved_bytes_per_row, 1, MAX_SAVED_BYTES)
    fixed = decimal("fixed_us", fixed_us, "µs", 0, 1e9)
    bandwidth = decimal("bandwidth_byte_per_s", bandwidth_byte_per_s, "B/s", 0, 1e15, above=True)
    return floor(fixed * bandwidth / (1_000_000 * saved_bytes_per_row)) + 1
