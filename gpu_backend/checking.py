"""Whether a kernel's output is right, against a float64 reference.

Source: the usual relative error in the 2-norm, ‖out − reference‖ / ‖reference‖; limits are some roundings of the
output's type (unit roundoff: FP32 2⁻²⁴, FP16 2⁻¹¹, BF16 2⁻⁹, E4M3 2⁻⁴), wide enough for another order of addition, far
below a wrong element in a thousand.

E4M3 is looked at element by element instead: one rounding of 2⁻⁴ is no small error, and how far many of them average
out depends on how many elements there are. What is left is bounded whatever the input: half a step of E4M3 at the
element, and two roundings to BF16 before it.
"""

from math import isfinite

import torch
from torch import Tensor

LIMITS = {
    torch.float32: 1e-5, torch.float16: 1e-3, torch.bfloat16: 6e-3, torch.int32: 0.0, torch.uint32: 0.0,
    torch.float8_e4m3fn: 6.7e-2,  # (1 + 2⁻⁴)(1 + 2⁻⁹)² − 1
}  # fmt: skip
HALF_STEP_E4M3 = 2.0**-10
"""Half of the distance between E4M3's numbers below 2⁻⁶ (subnormal: OCP 8-bit Floating Point Specification)."""
POISON = {torch.int32: -559038737, torch.uint32: 0xDEADBEEF}


class WrongResult(ValueError):
    """A kernel's output is not what the reference says."""


def poison(out: Tensor) -> Tensor:
    """Fill an output with NaN (a strange number for integers), so that elements left unwritten show."""
    if out.dtype in POISON:
        return out.fill_(POISON[out.dtype])
    if out.dtype == torch.float8_e4m3fn:
        out.view(torch.uint8).fill_(0x7F)  # E4M3's NaN
        return out
    return out.fill_(float("nan"))


def verify(out: Tensor, reference: Tensor, limit: float | None = None) -> float:
    """Return the relative error; `WrongResult` if it is above the limit of the output's type, or not a number.

    No single element may be off by more than 20 limits of the reference's root mean square and its own size either: few
    wrong elements of many must not drown. In E4M3, none by more than its own roundings; the norm has no limit there.
    """
    if out.shape != reference.shape:
        raise WrongResult(f"the output has shape {tuple(out.shape)}; the reference has {tuple(reference.shape)}")
    limit = LIMITS[out.dtype] if limit is None else limit
    apart = out.double() - reference
    norm = float(reference.norm())
    error = float(apart.norm()) / norm if norm else float(apart.norm())
    if not isfinite(error):
        bad = int((~torch.isfinite(out.double())).sum())
        raise WrongResult(f"{bad:,} of {out.numel():,} elements of the output are no finite numbers")
    eighth = out.dtype == torch.float8_e4m3fn
    if error > limit and not eighth:
        raise WrongResult(f"the relative error is {error:.2g}; at most {limit:g} is right for {out.dtype}")
    root_mean_square = norm / max(1, reference.numel()) ** 0.5
    allowed = 20 * limit * (reference.abs() + root_mean_square)
    if eighth:  # the half step is below 2⁻⁶; what comes before it rounds there by far less
        allowed = limit * reference.abs() + 1.1 * HALF_STEP_E4M3
    if bool((apart.abs() > allowed).any()):
        where = int((apart.abs() - allowed).flatten().argmax())
        got, right = float(out.double().flatten()[where]), float(reference.flatten()[where])
        raise WrongResult(f"element {where:,} is {got:g}; it must be {right:g}")
    return error
