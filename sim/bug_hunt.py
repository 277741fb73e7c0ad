"""Which test inputs expose which faults: every kernel runs on every input, and its output is compared.

An element is wrong if it is farther from the float64 reference than atol + rtol·|reference|, or if only one of the two
is NaN. A fault is exposed by wrong elements or by a store outside the output. That a kernel changed its own input is
counted as well; a test that does not look there misses it.

Default tolerances: rtol 1e-3, atol 1e-5. The correct kernel rounds once to FP16, at most 2⁻¹¹ ≈ 4.9e-4 of the value
(or half of 2⁻²⁴ below 2⁻¹⁴), and its FP32 sum of up to 4096 terms, which NumPy adds pairwise, is off by far less.

Source: tolerances: `torch.testing.assert_close` for float16. Kernels: sim/bug_kernels.py; inputs: sim/bug_inputs.py.
Left out: faults that show in some runs only (races); time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from sim.bug_inputs import INPUTS, Case, make
from sim.bug_kernels import KERNELS, Call, run
from sim.decimals import decimal

RTOL = 1e-3
ATOL = 1e-5
MAX_TOLERANCE = 1.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """One kernel on one input."""

    elements: int
    wrong: int
    """Elements of the output outside the tolerance."""
    outside: int
    """Elements behind the output that were written."""
    input_changed: int
    """Elements of the memory of the scores that hold other bits than before; no part of ``exposed``."""
    largest_error: float
    """Largest |output − reference| where both are numbers; 0.0 if there are none."""

    @property
    def exposed(self) -> bool:
        """Whether a test that looks at the output and behind it sees anything wrong."""
        return self.wrong > 0 or self.outside > 0


@dataclass(frozen=True, slots=True)
class Hunt:
    """Every kernel (a row) on every input (a column)."""

    kernels: tuple[str, ...]
    inputs: tuple[str, ...]
    verdicts: tuple[tuple[Verdict, ...], ...]

    def exposed_by(self, name: str) -> tuple[str, ...]:
        """The kernels that the input exposes."""
        column = self.inputs.index(name)
        return tuple(k for k, row in zip(self.kernels, self.verdicts, strict=True) if row[column].exposed)

    @property
    def missed(self) -> tuple[str, ...]:
        """The kernels that none of the inputs exposes."""
        return tuple(k for k, row in zip(self.kernels, self.verdicts, strict=True) if not any(v.exposed for v in row))


def simulate(
    kernels: Sequence[str] = KERNELS,
    inputs: Sequence[str] = INPUTS,
    seed: int = 0,
    rtol: float = RTOL,
    atol: float = ATOL,
) -> Hunt:
    """Run ``kernels`` on ``inputs``, each name at most once, with random numbers from ``seed`` (0 to 2³² − 1).

    Tolerances from 0 to 1. ValueError for anything else.

    >>> simulate(inputs=["all_masked", "nan"]).exposed_by("all_masked")
    ('fully_masked_row',)
    >>> simulate(["correct"]).missed
    ('correct',)
    """
    for what, names, known in (("kernel", kernels, KERNELS), ("input", inputs, INPUTS)):
        for i, name in enumerate(names):
            if name not in known or name in names[:i]:
                raise ValueError(f"{what} {i} is {name!r}; give each of {', '.join(known)} at most once")
    _check_tolerances(rtol, atol)
    cases = [make(name, seed) for name in inputs]
    columns = [_judge([partial(run, kernel) for kernel in kernels], each, rtol, atol) for each in cases]
    verdicts = tuple(tuple(column[row] for column in columns) for row in range(len(kernels)))
    return Hunt(tuple(kernels), tuple(inputs), verdicts)


def judge(kernel: Callable[[Call], None], case: Case, rtol: float = RTOL, atol: float = ATOL) -> Verdict:
    """Run any kernel on one case and compare; tolerances from 0 to 1, else ValueError."""
    _check_tolerances(rtol, atol)
    return _judge([kernel], case, rtol, atol)[0]


def _judge(kernels: Sequence[Callable[[Call], None]], case: Case, rtol: float, atol: float) -> list[Verdict]:
    """Run each kernel on memory of its own, then compare all outputs (rows) at once."""
    if not kernels:
        return []
    given = case.call()
    memories = [np.repeat(memory[None], len(kernels), axis=0) for memory in (given.storage, given.keep, given.out)]
    storage, _, out = memories
    for kernel, own_storage, own_keep, own_out in zip(kernels, *memories, strict=True):
        kernel(replace(given, storage=own_storage, keep=own_keep, out=own_out))
    size = case.reference.size
    got, want = out[:, :size].astype(np.float64), case.reference.ravel()
    with np.errstate(invalid="ignore"):  # NaN, or ∞ − a number, is a finding and no accident
        error = np.abs(got - want)
        right = (error <= atol + rtol * np.abs(want)) | (np.isnan(got) & np.isnan(want))
    found = zip(
        (~right).sum(axis=1).tolist(),
        (out[:, size:].view(np.uint16) != given.out[size:].view(np.uint16)).sum(axis=1).tolist(),
        (storage.view(np.uint16) != given.storage.view(np.uint16)).sum(axis=1).tolist(),
        np.where(np.isfinite(error), error, 0.0).max(axis=1, initial=0.0).tolist(),
        strict=True,
    )
    return [Verdict(size, *numbers) for numbers in found]


def _check_tolerances(rtol: float, atol: float) -> None:
    decimal("rtol", rtol, "", 0, MAX_TOLERANCE)
    decimal("atol", atol, "", 0, MAX_TOLERANCE)
