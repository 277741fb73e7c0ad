"""Computations of a transformer as graphs of operators, with the shape of every tensor.

An operator makes one tensor of others; how many kernels it takes is another question (`sim.lowering`). Weights are
inputs like any other. Activations and weights are BF16 (2 bytes); the scores S and probabilities P of attention are
FP32 (4 bytes).

Source: A. Vaswani et al., arXiv 1706.03762 (attention); B. Zhang, R. Sennrich, arXiv 1910.07467 (RMSNorm); N. Shazeer,
arXiv 2002.05202 (SiLU(G)⊙U); modules, their names and the default sizes: Qwen3-8B in Hugging Face Transformers
(hidden 4096, 32 query and 8 key/value heads of 128, inner 12288).
Left out: the causal mask; dropout; tables of sines and cosines; the cache of keys and values; batches.
"""

from dataclasses import dataclass
from math import prod
from typing import Literal

from sim import fusion_program
from sim.fusion_program import Program, Read
from sim.inputs import whole

Kind = Literal["MatMul", "Scale", "Softmax", "RMSNorm", "RoPE", "SiLU", "Mul", "Add", "Sum"]

BF16, FP32 = 2, 4  # bytes
MAX_SIZE = 1 << 20
ELEMENTWISE: frozenset[Kind] = frozenset({"Scale", "RoPE", "SiLU", "Mul", "Add"})
"""Operators whose element needs only the same element (RoPE: the same pair) of what was just made."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A dense array in device memory."""

    name: str
    shape: tuple[int, ...]
    element_bytes: int

    @property
    def size_bytes(self) -> int:
        """Bytes of all elements."""
        return prod(self.shape) * self.element_bytes


@dataclass(frozen=True, slots=True)
class Operator:
    """Makes the tensor `writes`, after which it is named, of others."""

    kind: Kind
    module: str
    """Path of the module that calls it; "" for the computation itself."""
    reads: tuple[str, ...]
    writes: str


@dataclass(frozen=True, slots=True)
class Graph:
    """Operators in the order in which they run, and every tensor they name."""

    computation: str
    tensors: tuple[Tensor, ...]
    operators: tuple[Operator, ...]
    scale_in_product: bool = True
    """Whether Scale is the factor α of the matrix product before it, as in BLAS, and no pass of its own."""

    @property
    def program(self) -> Program:
        """The same for `sim.fusion`, which checks it."""
        return Program(
            tuple(fusion_program.Tensor(tensor.name, tensor.size_bytes) for tensor in self.tensors),
            tuple(
                fusion_program.Operator(operator.writes, tuple(map(Read, operator.reads)), operator.writes)
                for operator in self.operators
            ),
        )


def linear(rows: int = 1024, inner: int = 4096, columns: int = 12288) -> Graph:
    """Y = X·W + b with X [rows, inner] and W [inner, columns]; sizes 1 to 2^20, as in all graphs, else ValueError.

    >>> [operator.kind for operator in linear().operators]
    ['MatMul', 'Add']
    """
    _check(rows=rows, inner=inner, columns=columns)
    build = _Builder(X=(rows, inner), W=(inner, columns), b=(columns,))
    build.add("MatMul", "linear", "X W", "XW", (rows, columns))
    build.add("Add", "linear", "XW b", "Y", (rows, columns))
    return build.graph("linear")


def attention(length: int = 8192, head_dim: int = 128, heads: int = 1, scale_in_product: bool = True) -> Graph:
    """O = softmax(Q·Kᵀ/√d)·V for heads of Q, K, V [length, head_dim].

    >>> [operator.kind for operator in attention().operators]
    ['MatMul', 'Scale', 'Softmax', 'MatMul']
    """
    _check(length=length, head_dim=head_dim, heads=heads)
    shape = heads, length, head_dim
    build = _Builder(Q=shape, K=shape, V=shape)
    build.attention(length, head_dim, heads, "attention")
    return build.graph("attention", scale_in_product)


def silu_mul(rows: int = 1024, width: int = 12288) -> Graph:
    """Y = SiLU(G)⊙U for G and U [rows, width]."""
    _check(rows=rows, width=width)
    build = _Builder(G=(rows, width), U=(rows, width))
    build.add("SiLU", "act_fn", "G", "A", (rows, width))
    build.add("Mul", "", "A U", "Y", (rows, width))
    return build.graph("silu_mul")


def rms_norm(rows: int = 1024, width: int = 4096) -> Graph:
    """Y = X / √(mean of squares + ε) ⊙ w, row by row of X [rows, width]."""
    _check(rows=rows, width=width)
    build = _Builder(X=(rows, width), w=(width,))
    build.add("RMSNorm", "norm", "X w", "Y", (rows, width))
    return build.graph("rms_norm")


def decoder_block(
    tokens: int = 1024,
    hidden: int = 4096,
    heads: int = 32,
    kv_heads: int = 8,
    head_dim: int = 128,
    inner: int = 12288,
    scale_in_product: bool = True,
) -> Graph:
    """One decoder layer of Qwen3: attention with grouped queries and a gated MLP, each with its norm and residual.

    Raises:
        ValueError: a size outside 1 to 2^20; heads that are no multiple of kv_heads.

    >>> len(decoder_block().operators)
    21
    """
    _check(tokens=tokens, hidden=hidden, heads=heads, kv_heads=kv_heads, head_dim=head_dim, inner=inner)
    if heads % kv_heads:
        raise ValueError(f"heads is {heads}; it must be a multiple of kv_heads, {kv_heads}")
    queries, keys = heads * head_dim, kv_heads * head_dim
    build = _Builder(
        X=(tokens, hidden), w1=(hidden,), Wq=(hidden, queries), Wk=(hidden, keys), Wv=(hidden, keys), wq=(head_dim,),
        wk=(head_dim,), Wo=(queries, hidden), w2=(hidden,), Wg=(hidden, inner), Wu=(hidden, inner), Wd=(inner, hidden),
    )  # fmt: skip
    build.add("RMSNorm", "input_layernorm", "X w1", "N", (tokens, hidden))
    for one, count in (("q", heads), ("k", kv_heads)):
        shape = count, tokens, head_dim
        build.add("MatMul", f"self_attn.{one}_proj", f"N W{one}", f"{one}_projected", shape)
        build.add("RMSNorm", f"self_attn.{one}_norm", f"{one}_projected w{one}", f"{one}_normed", shape)
        build.add("RoPE", "self_attn", f"{one}_normed", one.upper(), shape)
    build.add("MatMul", "self_attn.v_proj", "N Wv", "V", (kv_heads, tokens, head_dim))
    build.attention(tokens, head_dim, heads, "self_attn")
    build.add("MatMul", "self_attn.o_proj", "O Wo", "o_projected", (tokens, hidden))
    build.add("Add", "", "o_projected X", "R", (tokens, hidden))
    build.add("RMSNorm", "post_attention_layernorm", "R w2", "M", (tokens, hidden))
    build.add("MatMul", "mlp.gate_proj", "M Wg", "G", (tokens, inner))
    build.add("SiLU", "mlp.act_fn", "G", "A", (tokens, inner))
    build.add("MatMul", "mlp.up_proj", "M Wu", "U", (tokens, inner))
    build.add("Mul", "mlp", "A U", "H", (tokens, inner))
    build.add("MatMul", "mlp.down_proj", "H Wd", "D", (tokens, hidden))
    build.add("Add", "", "D R", "Y", (tokens, hidden))
    return build.graph("decoder_block", scale_in_product)


class _Builder:
    def __init__(self, **inputs: tuple[int, ...]) -> None:
        self.tensors = [Tensor(name, shape, BF16) for name, shape in inputs.items()]
        self.operators: list[Operator] = []

    def add(
        self, kind: Kind, module: str, reads: str, writes: str, shape: tuple[int, ...], element_bytes: int = BF16
    ) -> None:
        self.tensors.append(Tensor(writes, shape, element_bytes))
        self.operators.append(Operator(kind, module, tuple(reads.split()), writes))

    def attention(self, length: int, head_dim: int, heads: int, module: str) -> None:
        scores = heads, length, length
        self.add("MatMul", module, "Q K", "QK", scores, FP32)
        self.add("Scale", module, "QK", "S", scores, FP32)
        self.add("Softmax", module, "S", "P", scores, FP32)
        self.add("MatMul", module, "P V", "O", (heads, length, head_dim))

    def graph(self, computation: str, scale_in_product: bool = True) -> Graph:
        if type(scale_in_product) is not bool:
            raise ValueError(f"scale_in_product is {scale_in_product!r}; it must be True or False")
        graph = Graph(computation, tuple(self.tensors), tuple(self.operators), scale_in_product)
        _ = graph.program  # refuses tensors that are too large
        return graph


def _check(**sizes: int) -> None:
    for name, size in sizes.items():
        whole(name, size, 1, MAX_SIZE)
