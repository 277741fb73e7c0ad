"""One matrix product on two engines, and the rest of the kernel, which neither speeds up.

An m×k by k×n product is 2·m·n·k FLOP. At the peak of the FP32 cores, or at the dense peak of the tensor cores, it
takes FLOP / peak. A kernel also computes addresses, checks bounds, scales, takes exponentials: if that is the
share f of its time on the FP32 cores, no engine for products makes it more than 1/f faster (Amdahl).

In attention, QKᵀ and PV take 4·d FLOP for each exponential, d the head dimension, while an SM of an H100 does
4,096 FLOP in its tensor cores, but 16 exponentials, a clock: 256 times fewer. At d = 128 the exponentials take
256 / 512, half as long as the products, if both run at their peaks.

Source: peaks, clocks and rates in sim/gpus.toml; the comparison in J. Shah et al., FlashAttention-3, arXiv
2407.08608; G. M. Amdahl, AFIPS 1967.
Left out: bytes; padding of tiles; overlap of the two kinds of work; clocks under load; maximum and sum of softmax.
"""

from dataclasses import dataclass

from sim.gpus import Gpu, gpu, sm_quantities
from sim.inputs import whole

MAX_SIZE = 2**20
TENSOR_PRECISIONS = ("fp16", "bf16", "fp8")


@dataclass(frozen=True, slots=True)
class TwoEngines:
    """The same kernel twice; times in µs."""

    flop: int
    cores_us: float
    """The product at the FP32 peak."""
    tensor_us: float
    """The product at the dense tensor peak."""
    other_us: float
    """What neither engine does, the same in both."""

    @property
    def product_speedup(self) -> float:
        """How much faster the product is."""
        return self.cores_us / self.tensor_us

    @property
    def kernel_speedup(self) -> float:
        """How much faster the kernel is."""
        return (self.cores_us + self.other_us) / (self.tensor_us + self.other_us)

    @property
    def limit(self) -> float | None:
        """What the kernel's speedup stays below however fast products get, 1/f; None if there is nothing else."""
        return (self.cores_us + self.other_us) / self.other_us if self.other_us else None

    @property
    def other_share_after(self) -> float:
        """Share of the kernel on tensor cores that is not the product, in [0, 1)."""
        return self.other_us / (self.tensor_us + self.other_us)


@dataclass(frozen=True, slots=True)
class Exponentials:
    """Attention of one head at the peaks of two units; times in µs."""

    flop: int
    exponentials: int
    product_us: float
    exponential_us: float

    @property
    def ratio(self) -> float:
        """Time of the exponentials over time of the products."""
        return self.exponential_us / self.product_us


def matrix_product(
    gpu_key: str, m: int, n: int, k: int, *, precision: str = "bf16", other_share: float = 0.0
) -> TwoEngines:
    """An m×k by k×n product (sizes 1 to 2²⁰) in "fp16", "bf16" or "fp8" against FP32, on a GPU of `sim.gpus`.

    ``other_share``: what is not the product, as a share of the kernel's time on the FP32 cores, in [0, 1).
    Raises ValueError for anything else, and if the GPU has no such peak.

    >>> projection = matrix_product("h100", 1024, 12288, 4096, other_share=0.1)
    >>> f"{projection.product_speedup:.1f} {projection.kernel_speedup:.1f} {projection.limit:.0f}"
    '14.8 6.2 10'
    """
    for name, size in (("m", m), ("n", n), ("k", k)):
        whole(name, size, 1, MAX_SIZE)
    if isinstance(other_share, bool) or not isinstance(other_share, int | float) or not 0 <= other_share < 1:
        raise ValueError(f"other_share is {other_share!r}; it must be at least 0 and less than 1")
    flop = 2 * m * n * k
    cores_us = flop / (gpu(gpu_key).peak("fp32").value * 1e6)  # 1 TFLOP/s is 1e6 FLOP/µs
    tensor_us = flop / (_tensor_peak(gpu_key, precision) * 1e6)
    return TwoEngines(flop, cores_us, tensor_us, cores_us * other_share / (1 - other_share))


def attention_exponentials(
    gpu_key: str, queries: int, keys: int, head_dim: int, *, precision: str = "bf16"
) -> Exponentials:
    """One head without a mask, sizes 1 to 2²⁰; ValueError also for a GPU whose rate of exponentials is not given.

    >>> f"{attention_exponentials('h100', 8192, 8192, 128).ratio:.2f}"
    '0.50'
    """
    for name, size in (("queries", queries), ("keys", keys), ("head_dim", head_dim)):
        whole(name, size, 1, MAX_SIZE)
    chip = gpu(gpu_key)
    rate_per_us = _exponentials_per_us(chip)
    flop, exponentials = 4 * queries * keys * head_dim, queries * keys
    product_us = flop / (_tensor_peak(gpu_key, precision) * 1e6)
    return Exponentials(flop, exponentials, product_us, exponentials / rate_per_us)


def _tensor_peak(gpu_key: str, precision: str) -> float:
    if precision not in TENSOR_PRECISIONS:
        raise ValueError(f"precision is {precision!r}; tensor cores are compared in {', '.join(TENSOR_PRECISIONS)}")
    return gpu(gpu_key).peak(precision).value


def _exponentials_per_us(chip: Gpu) -> float:
    rate = sm_quantities(chip.compute_capability).get("exponentials")
    if rate is None:
        raise ValueError(f"the table has no rate of exponentials for {chip.name}; it has one for 9.0 and 10.0")
    clock_ghz = chip["tensor_clock" if "tensor_clock" in chip.quantities else "clock"].value
    return chip.sms * rate.value * clock_ghz * 1e3
