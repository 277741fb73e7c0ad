"""The sum of a row's squares in 1 to 64 segments: the bits, and whether they are the same in the next run.

Model: `sim.sum_order`, which adds in the same order: totals must be equal, not near. With atomics the order of arrival
decides.
"""

from collections.abc import Iterator

from pydantic import Field

from gpu_backend import machine
from gpu_backend.checking import WrongResult
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import sum_squares as kernel
from sim.sum_order import SEED, split_sum, squares
from sim.ulp import error_in_ulp

SEGMENTS = (1, 2, 4, 8, 16, 32, 64)


class Chosen(Inputs):
    """The row."""

    seed: int = Field(SEED, ge=0, le=1 << 31, description="seed of the row")
    n: int = Field(4096, ge=64, le=32768, multiple_of=64, description="BF16 numbers in the row")
    runs: int = Field(64, ge=1, le=1000, description="runs of each sum")


def rows(chosen: Chosen) -> Iterator[Row]:
    """One row a number of segments, fixed order and atomics."""
    (x,) = kernel.make_input(chosen.seed, chosen.n, machine.device())
    terms = squares(x.float().cpu().numpy())
    for segments in SEGMENTS:
        model = split_sum(terms, segments)
        for atomic in (False, True):
            totals = {float(kernel.run(x, segments, atomic)) for _ in range(chosen.runs)}
            if not atomic and totals != {model.total}:
                raise WrongResult(
                    f"{segments} segments in order give {sorted(totals)}; the simulator gives {model.total}"
                )
            yield {
                "segments": segments, "order": "atomic" if atomic else "fixed", "n": chosen.n, "runs": chosen.runs,
                "different_results": len(totals), "error_ulp_least": error_in_ulp(min(totals), model.exact),
                "error_ulp_most": error_in_ulp(max(totals), model.exact), "model_error_ulp": model.error_ulp,
                "kernel": "_atomic" if atomic else "_partial, _in_order",
            }  # fmt: skip


EXPERIMENT = Experiment(
    "sum_order",
    "sum_order",
    "the kernel's FP32 sums, bit by bit, over `runs` runs of the same input",
    Chosen,
    rows,
    points=lambda _: 2 * len(SEGMENTS),
)
