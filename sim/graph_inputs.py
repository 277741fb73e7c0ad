"""A graph reads the address it was captured with: its input must be copied there, or be written there.

Eager, a step waits for its submission and computes. As a graph it is prepared, its input is copied into the graph's
buffer (each byte read once and written once, so 2·bytes / bandwidth), and it computes. The two tie where the copy
takes what the graph saves, bytes = (wait − prepare)·bandwidth / 2. A producer that writes into the graph's buffer
needs no copy at any size. A new input at another address is not seen: the graph answers for the old one.

Source: CUDA Programming Guide, "CUDA Graphs" (kernel arguments are fixed at capture, until the graph is updated);
PyTorch, `torch.cuda.CUDAGraph` (inputs are copied into the captured tensors). 20, 5 and 20 µs are examples.
Left out: L2, in which a small copy may stay; the copy's own launch; graphs whose arguments are updated.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sim.decimals import decimal
from sim.inputs import whole

WAIT_US = 20.0
PREPARE_US = 5.0
COMPUTE_US = 20.0
MAX_US = 1e6
MAX_BYTES = 1 << 50
MAX_BYTE_PER_S = 1e15
MAX_INPUTS = 16
MAX_LENGTH = 64
US_PER_S = 10**6

How = Literal["copy", "written in place", "stale address", "freed buffer"]
HOWS: tuple[How, ...] = get_args(How)


@dataclass(frozen=True, slots=True)
class Step:
    """One step in µs, three ways."""

    eager_us: float
    copy_us: float
    """What copying takes."""
    graph_us: float
    """Prepared, copied, computed."""
    graph_in_place_us: float
    """Prepared and computed: the producer wrote the input where the graph reads it."""
    tie_bytes: float | None
    """Input at which eager and the copying graph tie; None if preparing takes as long as waiting, or longer."""


def compare(
    input_bytes: int,
    bandwidth_byte_per_s: float,
    *,
    wait_us: float = WAIT_US,
    prepare_us: float = PREPARE_US,
    compute_us: float = COMPUTE_US,
) -> Step:
    """Times for 0 to 2^50 bytes at a bandwidth above 0, up to 1e15 B/s; times from 0 to 1e6 µs; ValueError otherwise.

    >>> step = compare(2 << 20, 1792e9)
    >>> step.eager_us, f"{step.graph_us:.1f}", step.graph_in_place_us, step.tie_bytes
    (40.0, '27.3', 25.0, 13440000.0)
    """
    whole("input_bytes", input_bytes, 0, MAX_BYTES)
    bandwidth = decimal("bandwidth_byte_per_s", bandwidth_byte_per_s, "B/s", 0, MAX_BYTE_PER_S, above=True)
    wait, prepare = decimal("wait_us", wait_us, "µs", 0, MAX_US), decimal("prepare_us", prepare_us, "µs", 0, MAX_US)
    compute = decimal("compute_us", compute_us, "µs", 0, MAX_US)
    copy = Fraction(2 * input_bytes * US_PER_S) / bandwidth
    tie = (wait - prepare) * bandwidth / (2 * US_PER_S)
    return Step(
        eager_us=float(wait + compute),
        copy_us=float(copy),
        graph_us=float(prepare + copy + compute),
        graph_in_place_us=float(prepare + compute),
        tie_bytes=float(tie) if tie > 0 else None,
    )


@dataclass(frozen=True, slots=True)
class Replay:
    """One replay: what lay where, what was read, what came out."""

    given_at: int
    """Address of this step's input."""
    read_at: int
    """Address that the graph read: the captured one."""
    read: tuple[float, ...]
    output: tuple[float, ...]
    expected: tuple[float, ...]
    """What the same arithmetic gives for this step's input."""

    @property
    def right(self) -> bool:
        """Whether the output is the one expected, bit for bit."""
        return self.output == self.expected


def replay(inputs: Sequence[Sequence[float]], how: How) -> tuple[Replay, ...]:
    """Capture SiLU on the first input, in FP32, at address 0; then replay it once for every input.

    1 to 16 inputs of one length, 1 to 64 finite numbers each. "copy": each input is produced at an address of its
    own and copied to 0. "written in place": produced at 0. "stale address": produced at an address of its own, and
    that is all. "freed buffer": so too, and address 0, given back after the first replay, now holds another tensor
    (−1 everywhere). Raises ValueError for anything else.

    >>> [step.right for step in replay([[1.0, 2.0], [3.0, 4.0]], "stale address")]
    [True, False]
    """
    if how not in HOWS:
        raise ValueError(f"how is {how!r}; it must be one of {', '.join(HOWS)}")
    whole("the number of inputs", len(inputs), 1, MAX_INPUTS)
    whole("the length of input 0", len(inputs[0]), 1, MAX_LENGTH)
    for i, values in enumerate(inputs):
        if len(values) != len(inputs[0]):
            raise ValueError(f"input {i} has {len(values)} numbers; it must have {len(inputs[0])}, as input 0 has")
        for value in values:
            if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
                raise ValueError(f"input {i} holds {value!r}; it must hold finite numbers")
            if abs(value) > float(np.finfo(np.float32).max):
                raise ValueError(f"input {i} holds {value!r}; FP32 ends at {np.finfo(np.float32).max:g}")
    memory: dict[int, NDArray[np.float32]] = {0: np.asarray(inputs[0], np.float32)}
    steps = []
    for i, values in enumerate(inputs):
        given_at = 0 if how == "written in place" or i == 0 else i
        memory[given_at] = np.asarray(values, np.float32)
        if how == "copy":
            memory[0] = memory[given_at].copy()
        elif how == "freed buffer" and i:
            memory[0] = np.full_like(memory[0], -1)
        out, right = _silu(memory[0]), _silu(memory[given_at])
        steps.append(Replay(given_at, 0, *(tuple(each.tolist()) for each in (memory[0], out, right))))
    return tuple(steps)


def _silu(x: NDArray[np.float32]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):  # exp(−x) → ∞ gives −0, as it should
        return np.asarray(x / (np.float32(1) + np.exp(-x)), np.float32)
