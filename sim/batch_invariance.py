"""A kernel that splits by the batch size gives one row other bits in another batch.

RMSNorm of a row x of n numbers is y = x / sqrt(mean(x²) + ε). A kernel that wants to keep every SM busy splits
the row's sum of squares into more segments when the batch has few rows: here into the largest power of two
for which rows × segments tasks still fit the SMs at once. Another number of segments is another order of
FP32 additions (sim/sum_order.py), so the row's mean, and with it the whole row, depends on how many other
rows happened to share the batch. With the number of segments fixed it does not.

Arithmetic: squares and their sum in FP32; mean, + ε, square root, reciprocal and product each rounded to
FP32; the output rounded to BF16.

Source: B. Zhang, R. Sennrich, "Root Mean Square Layer Normalization", arXiv 1910.07467 (the formula);
H. He, "Defeating Nondeterminism in LLM Inference", Thinking Machines Lab, 2025 (batch invariance and split
reductions).
Left out: the weight that multiplies y, which changes nothing here; kernels whose choice depends on more than
the number of rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.formats import BF16, FP32, encode
from sim.inputs import whole
from sim.sum_order import SplitSum, split_sum, squares

SMS = 132  # H100 and H200
MAX_SEGMENTS = 64
MAX_ROWS = 1 << 20
MAX_BATCHES = 16
EPSILON = np.float32(1e-6)  # Qwen3's rms_norm_eps


@dataclass(frozen=True, slots=True)
class Launch:
    """One row as part of a batch of ``rows``, summed in ``segments``."""

    rows: int
    segments: int
    sum: SplitSum
    scale: float
    """1 / sqrt(mean + ε), FP32."""
    normalised_codes: tuple[int, ...]
    """The normalised row as FP32 patterns."""
    output_codes: tuple[int, ...]
    """The normalised row as BF16 patterns."""

    @property
    def sum_code(self) -> int:
        """The FP32 pattern of the sum of squares."""
        return int(encode(self.sum.total, FP32))


@dataclass(frozen=True, slots=True)
class BatchInvariance:
    """One row in several batches, in the order asked for."""

    launches: tuple[Launch, ...]
    changed: tuple[tuple[int, int], ...]
    """For each, how many FP32 numbers, and BF16 outputs, have other bits than those of the first launch."""

    @property
    def invariant(self) -> bool:
        """Whether the row has the same bits in every batch: its sum, normalised in FP32, and its output."""
        return len({one.sum_code for one in self.launches}) == 1 and not any(map(any, self.changed))

    def changed_normalised(self, index: int) -> int:
        """How many FP32 numbers of launch ``index`` have other bits than those of the first launch."""
        return self.changed[index][0]

    def changed_outputs(self, index: int) -> int:
        """How many BF16 outputs of launch ``index`` have other bits than those of the first launch."""
        return self.changed[index][1]


def segments_for(rows: int, *, sms: int = SMS, most: int = MAX_SEGMENTS) -> int:
    """Segments that the kernel picks: the largest power of two s <= ``most`` with rows·s <= ``sms``, else 1.

    >>> [segments_for(rows) for rows in (1, 2, 8, 64, 132, 1024)]
    [64, 64, 16, 2, 1, 1]
    """
    whole("rows", rows, 1, MAX_ROWS)
    whole("sms", sms, 1, 1024)
    whole("most", most, 1, 1024)
    fitting = min(max(sms // rows, 1), most)
    return 1 << (fitting.bit_length() - 1)


def simulate(row: ArrayLike, batches: Sequence[int], *, segments: int | None = None, sms: int = SMS) -> BatchInvariance:
    """Normalise one BF16 row as part of each batch.

    ``row``: 64 to 32,768 BF16 numbers from -2^50 to 2^50. ``batches``: 1 to 16 numbers of rows, each 1 to
    2^20. ``segments``: None for `segments_for`, or 1 to 64 for a kernel that always splits so. Raises
    ValueError for anything else.

    >>> from sim.sum_order import bf16_row
    >>> row = bf16_row(seed=34)
    >>> simulate(row, [1, 1024]).invariant, simulate(row, [1, 1024], segments=8).invariant
    (False, True)
    """
    terms = squares(row)
    if terms.ndim != 1 or len(terms) < MAX_SEGMENTS:
        raise ValueError(f"row has shape {terms.shape}; give one row of at least {MAX_SEGMENTS} numbers")
    if not 1 <= len(batches) <= MAX_BATCHES:
        raise ValueError(f"{len(batches)} batches given; give 1 to {MAX_BATCHES}")
    if segments is not None:
        whole("segments", segments, 1, MAX_SEGMENTS)
    numbers = np.asarray(row, dtype=np.float32)
    known: dict[int, tuple[Launch, tuple[int, int]]] = {}  # by segments
    first: tuple[NDArray[np.uint32], NDArray[np.int64]] | None = None
    launches, changes = [], []
    for rows in batches:
        picked = segments_for(rows, sms=sms)
        parts = picked if segments is None else segments
        if parts not in known:
            launch, codes = _launch(rows, numbers, terms, parts)
            first = first or codes
            changed = (int(np.count_nonzero(codes[0] != first[0])), int(np.count_nonzero(codes[1] != first[1])))
            known[parts] = launch, changed
        launch, changed = known[parts]
        launches.append(replace(launch, rows=rows))
        changes.append(changed)
    return BatchInvariance(tuple(launches), tuple(changes))


def _launch(
    rows: int, numbers: NDArray[np.float32], terms: NDArray[np.float32], segments: int
) -> tuple[Launch, tuple[NDArray[np.uint32], NDArray[np.int64]]]:
    """The launch, and the patterns of its row in FP32 and in BF16."""
    total = split_sum(terms, segments)
    scale = np.float32(1) / np.sqrt(np.float32(total.total) / np.float32(len(terms)) + EPSILON)
    normalised = numbers * scale
    wide, narrow = normalised.view(np.uint32), encode(normalised, BF16)
    launch = Launch(rows, segments, total, float(scale), tuple(wide.tolist()), tuple(narrow.tolist()))
    return launch, (wide, narrow)
