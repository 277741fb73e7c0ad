"""The checker accepts what is right and rejects every planted fault: in kernels, and in numbers."""

import pytest
import torch
import wrong_kernels

from gpu_backend import machine
from gpu_backend.checking import WrongResult, poison, verify
from gpu_backend.kernels import vector_add

N = 5000  # not a multiple of the blocks' 256


@pytest.mark.parametrize("kernel", wrong_kernels.ALL, ids=lambda kernel: kernel.fn.__name__)
def test_a_planted_fault_is_rejected(kernel):
    x, y = vector_add.make_input(1, N, machine.device())
    out = poison(torch.empty_like(x))
    with pytest.raises(WrongResult):
        verify(wrong_kernels.run(kernel, x, y, out), vector_add.reference(x, y))


def test_an_output_left_from_an_earlier_launch_does_not_pass_for_this_one():
    x, y = vector_add.make_input(1, N, machine.device())
    out = vector_add.run(x, y)
    verify(wrong_kernels.run(wrong_kernels.nothing, x, y, out), vector_add.reference(x, y))  # so out must be poisoned
    with pytest.raises(WrongResult, match=r"5,000 of 5,000 elements"):
        verify(wrong_kernels.run(wrong_kernels.nothing, x, y, poison(out)), vector_add.reference(x, y))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn])
def test_poison_is_no_number_of_its_type(dtype):
    out = poison(torch.zeros(4, dtype=dtype))
    with pytest.raises(WrongResult, match="4 of 4"):
        verify(out, torch.zeros(4, dtype=torch.float64))


def test_the_error_is_the_relative_norm():
    out, right = torch.tensor([3.0, 4.0]), torch.tensor([3.0, 4.0], dtype=torch.float64)
    assert verify(out, right) == 0
    assert verify(out * (1 + 1e-6), right) == pytest.approx(1e-6, rel=0.2)
    with pytest.raises(WrongResult, match=r"relative error is 2e-05; at most 1e-05"):
        verify(out * (1 + 2e-5), right)
    with pytest.raises(WrongResult, match="1 of 2 elements"):
        verify(torch.tensor([3.0, float("inf")]), right)
    with pytest.raises(WrongResult, match=r"shape \(3,\); the reference has \(2,\)"):
        verify(torch.zeros(3), right)


@pytest.mark.parametrize(
    ("right", "got", "accepted"),
    [
        (127.9, 128, True), (119.9, 120, True), (1.05, 1.0, True), (0.0029, 2**-8, True), (0.0, 2**-9, False),
        (127.9, 64, False), (1.0, 1.125, False), (1.0, 0.875, False), (0.0029, 0.0, False), (448.0, 416.0, False),
    ],
)  # fmt: skip
def test_an_e4m3_number_is_right_if_it_is_the_next(right, got, accepted):
    """Between 1 and 2 the step is 1/8; below 2⁻⁶ it is 2⁻⁹."""
    out, reference = torch.tensor([got]).to(torch.float8_e4m3fn), torch.tensor([right], dtype=torch.float64)
    assert rejected(out, reference) != accepted


def rejected(out, reference):
    try:
        verify(out, reference)
    except WrongResult:
        return True
    return False


def test_one_wrong_element_of_a_million_does_not_drown():
    right = torch.ones(1_000_000, dtype=torch.float64)
    out = right.float()
    out[123_456] = 1.001  # a relative error of 1e-6 over all
    with pytest.raises(WrongResult, match=r"element 123,456 is 1\.001; it must be 1"):
        verify(out, right)


def test_where_the_reference_is_zero_the_error_is_absolute():
    assert verify(torch.zeros(3), torch.zeros(3, dtype=torch.float64)) == 0
    with pytest.raises(WrongResult):
        verify(torch.full((3,), 1e-3), torch.zeros(3, dtype=torch.float64))
